// What libFuzzer calls: the function of the target that it is compiled for.

#include <cstddef>
#include <cstdint>

namespace discern::fuzz::DISCERN_FUZZ_TARGET {
int run(const std::uint8_t* data, std::size_t size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return discern::fuzz::DISCERN_FUZZ_TARGET::run(data, size);
}
