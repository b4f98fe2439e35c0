#include "run.hpp"

#include "arrays.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/machine/block.hpp"
#include "programs/machine/opcodes.hpp"
#include "programs/matrix/tile.hpp"
#include "programs/ptx/parse.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr std::uint64_t most_blocks = 65536, most_shared = 1 << 20, most_local = 1 << 14, most_variables = 1 << 26;

/// Lays out what a launch needs, and runs its blocks one after the other.
class Launcher {
  public:
    Launcher(RunKernel& kernel, const Program& program)
        : kernel_(kernel), program_(program), launch_(kernel.launch), arrays_(kernel) {}

    void run() {
        const std::span<const Opcode> tables[] = {control_opcodes(),    integer_opcodes(),   number_opcodes(),
                                                  move_opcodes(),       predicate_opcodes(), memory_opcodes(),
                                                  tensor_map_opcodes(), atomic_opcodes(),    mma_opcodes(),
                                                  ldmatrix_opcodes(),   wgmma_opcodes(),     tcgen05_opcodes()};
        const DecodedProgram code = Decoder(program_, kernel_.graph, tables).all();
        Machine machine{
            .program = program_, .code = code, .graph = kernel_.graph, .memory = arrays_.memory, .grid = launch_.grid};
        machine.dynamic_shared = launch_.shared;
        machine.most_steps = launch_.most_steps;
        size_block(machine);
        arrays_.make_arrays();
        place_parameters(machine);
        place_variables(machine);
        const auto& grid = launch_.grid;
        if (*std::max_element(grid.begin(), grid.end()) > most_blocks ||
            std::uint64_t(grid[0]) * grid[1] * grid[2] > most_blocks)
            throw Error(sentence(program_.file, ": the launch has more than ", most_blocks, " blocks"));
        for (unsigned z = 0; z < grid[2]; ++z)
            for (unsigned y = 0; y < grid[1]; ++y)
                for (unsigned x = 0; x < grid[0]; ++x) Block(machine, {x, y, z}).run();
        kernel_.steps = machine.steps;
        kernel_.uses_atomic_results = machine.uses_atomic_results;
        kernel_.lines = std::move(machine.lines);
        arrays_.collect();
    }

  private:
    [[noreturn]] void fail(std::string_view why) const { throw Error(sentence(program_.file, ": ", why)); }

    void size_block(Machine& machine) const {
        const auto& block = launch_.block.empty() ? program_.block : launch_.block;
        if (block.empty()) fail("neither the launch nor the entry says how many threads a block has");
        std::uint64_t threads = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            machine.block[i] = i < block.size() ? std::max(block[i], 1u) : 1;
            threads = std::min<std::uint64_t>(threads * machine.block[i], 1u << 20); // of more nothing is run
        }
        if (threads % lanes_of_warp != 0 || threads > most_threads)
            fail(sentence("blocks of ", threads, " threads are not run; multiples of 32 up to 1024 are"));
    }

    TensorMap map_of(const ArgumentSpec& argument) const {
        const ArraySpec& array = launch_.arrays[argument.array];
        TensorMap map{
            .buffer = argument.array, .start = array.base, .element = array.element, .swizzle = argument.swizzle};
        for (std::size_t i = array.shape.size(); i-- > 0;) {
            map.lengths.push_back(array.shape[i]);
            map.strides.push_back(array.strides[i] * array.element);
            map.box.push_back(argument.box[i]);
        }
        return map;
    }

    void place_parameters(Machine& machine) {
        if (launch_.arguments.size() > program_.parameters.size())
            fail(sentence("the launch has ", launch_.arguments.size(), " arguments, and the entry ", program_.entry,
                          " has ", program_.parameters.size()));
        for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
            const std::uint64_t size = program_.parameters[i].bytes, at = (machine.parameters.size() + 63) / 64 * 64;
            machine.parameter_offsets.push_back(at);
            machine.parameters.resize(at + size, 0);
            if (i >= launch_.arguments.size()) continue;
            const ArgumentSpec& argument = launch_.arguments[i];
            if (argument.kind == ArgumentSpec::Kind::tensor_map) machine.maps[parameter_window + at] = map_of(argument);
            const std::vector<std::uint8_t> bytes = arrays_.bytes_of(argument);
            const bool is_number = argument.kind == ArgumentSpec::Kind::bytes && !argument.is_hex;
            if (bytes.size() > size || (is_number && bytes.size() != size))
                fail(sentence("argument ", i + 1, " (from 1) has ", bytes.size(), " bytes, and the parameter ", size));
            std::copy(bytes.begin(), bytes.end(), machine.parameters.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    /// Shared variables in their order, those that the launch sizes behind all others.
    void place_variables(Machine& machine) {
        std::uint64_t constants = 0;
        for (const Variable& variable : program_.variables) constants += variable.bytes;
        if (constants > most_variables) fail("its variables have more than 64 MiB");
        std::uint64_t shared = 0, local = 0;
        machine.variable_addresses.resize(program_.variables.size());
        for (const bool open : {false, true})
            for (std::size_t i = 0; i < program_.variables.size(); ++i) {
                const Variable& variable = program_.variables[i];
                if ((variable.bytes == 0) != open) continue;
                if (variable.space == Space::constant) {
                    std::vector<Code> codes(variable.initial.begin(), variable.initial.end());
                    codes.resize(variable.bytes, 0);
                    machine.variable_addresses[i] =
                        arrays_.memory[arrays_.memory.add(std::string(variable.name), std::move(codes))].base;
                    continue;
                }
                const std::uint64_t alignment = std::max<std::uint64_t>(open ? 1024 : variable.alignment, 1);
                std::uint64_t& end = variable.space == Space::shared ? shared : local;
                machine.variable_addresses[i] = (end + alignment - 1) / alignment * alignment;
                // All that the launch sizes are one memory.
                if (!open) end = machine.variable_addresses[i] + variable.bytes;
                machine.shared_bytes =
                    std::max(machine.shared_bytes, open ? machine.variable_addresses[i] + launch_.shared : shared);
            }
        machine.shared_bytes = std::max(machine.shared_bytes, shared);
        machine.local_bytes = local;
        if (machine.shared_bytes > most_shared || local > most_local)
            fail("more shared or local memory is asked for than any GPU has");
    }

    RunKernel& kernel_;
    const Program& program_;
    const Launch& launch_;
    LaunchMemory arrays_;
};

} // namespace

int RunKernel::line_of(NodeId id) const {
    const auto found = std::lower_bound(lines.begin(), lines.end(), std::pair(id, 0));
    return found == lines.end() || found->first != id ? 0 : found->second;
}

RunKernel run_kernel(std::string ptx, const std::string& file, Launch launch) {
    RunKernel kernel;
    const auto program = parse_ptx(std::move(ptx), file, launch.entry);
    kernel.file = file;
    kernel.launch = std::move(launch);
    Launcher(kernel, *program).run();
    return kernel;
}

} // namespace discern::programs
