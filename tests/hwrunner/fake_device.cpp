// The device behind the fake driver: a process that runs kernels in PTX on the machine of programs/.
//
// It answers requests of its standard input on its standard output (device_pipe.hpp). Being a process, it need not be
// part of a shared library.
#include "device_pipe.hpp"

#include "models/error.hpp"
#include "programs/launch/device.hpp"

#include <optional>

using namespace discern;

int main() {
    testing::DevicePipe pipe(0, 1);
    std::string text;
    std::optional<programs::LoadedKernel> kernel; // reading a text takes longer than running it a few times
    testing::DeviceRequest request;
    while (pipe.receive(request)) {
        testing::DeviceAnswer answer;
        try {
            if (!kernel || text != request.text) kernel.emplace(request.text, "kernel.ptx");
            text = request.text;
            std::vector<programs::DeviceArray> memory;
            for (testing::SentArray& array : request.arrays) memory.push_back({array.address, array.bytes});
            kernel->launch({.grid = {static_cast<unsigned>(request.blocks), 1, 1},
                            .block = {static_cast<unsigned>(request.threads), 1, 1},
                            .parameters = request.parameters},
                           memory);
        } catch (const Error& wrong) {
            answer.error = wrong.what();
        }
        answer.arrays = std::move(request.arrays);
        pipe.send(answer);
    }
}
