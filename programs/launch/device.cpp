#include "device.hpp"

#include "blocks.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/ptx/parse.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// Of whole groups of threads: a kernel that loops forever ends after minutes.
constexpr std::uint64_t most_steps = std::uint64_t(1) << 32;

} // namespace

LoadedKernel::LoadedKernel(std::string ptx, const std::string& file) : program_(parse_ptx(std::move(ptx), file, "")) {}

void LoadedKernel::launch(const DeviceLaunch& launch, std::span<const DeviceArray> arrays) {
    const Program& program = *program_;
    std::size_t needed = 0;
    for (const Parameter& parameter : program.parameters) needed += parameter.bytes;
    if (launch.parameters.size() != needed)
        throw Error(sentence(program.file, ": ", launch.parameters.size(), " bytes of parameters are given, and ",
                             program.entry, " has ", needed));
    Graph graph;
    Memory memory;
    const DecodedProgram code = decoded(program, graph);
    Machine machine{.program = program, .code = code, .graph = graph, .memory = memory, .grid = launch.grid};
    machine.dynamic_shared = launch.shared;
    machine.most_steps = most_steps;
    machine.numbers = &numbers_;
    size_block(machine, {launch.block.begin(), launch.block.end()});
    size_cluster(machine, {});
    std::size_t at = 0;
    for (const Parameter& parameter : program.parameters) {
        machine.parameter_offsets.push_back((machine.parameters.size() + 63) / 64 * 64);
        machine.parameters.resize(machine.parameter_offsets.back(), 0);
        const auto bytes = launch.parameters.subspan(at, parameter.bytes);
        machine.parameters.insert(machine.parameters.end(), bytes.begin(), bytes.end());
        at += parameter.bytes;
    }
    place_variables(machine); // before the arrays, which have addresses of their own
    const std::size_t first = memory.size();
    for (const DeviceArray& array : arrays)
        memory.add_at(array.address, "the array", {array.bytes.begin(), array.bytes.end()});
    run_blocks(machine);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (const auto& codes = memory[first + i].codes; !std::all_of(codes.begin(), codes.end(), is_known))
            throw Error(sentence(program.file, ": a result depends on what nothing has written"));
    for (std::size_t i = 0; i < arrays.size(); ++i)
        std::transform(memory[first + i].codes.begin(), memory[first + i].codes.end(), arrays[i].bytes.begin(),
                       [](Code byte) { return static_cast<std::uint8_t>(byte); });
}

} // namespace discern::programs
