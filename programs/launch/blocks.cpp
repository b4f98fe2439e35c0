#include "blocks.hpp"

#include "models/error.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"
#include "programs/evaluate/evaluate.hpp"
#include "programs/machine/opcodes.hpp"
#include "programs/matrix/tile.hpp"

#include <algorithm>
#include <array>

namespace discern::programs {

namespace {

constexpr std::uint64_t most_blocks = 65536, most_shared = 1 << 20, most_local = 1 << 14, most_variables = 1 << 26;

[[noreturn]] void fail(const Program& program, std::string_view why) { throw Error(sentence(program.file, ": ", why)); }

/// Different trees may be one value, as when each thread of a warp stores the sum of all, in an order of its own. So
/// values are compared, of some random data.
void compare_two_writes(Machine& machine) {
    std::erase_if(machine.two_writes,
                  [](const TwoWrites& two) { return two.one == unwritten_byte || two.other == unwritten_byte; });
    constexpr std::size_t assignments = 4;
    const Graph& graph = machine.graph;
    std::vector<NodeId> roots;
    for (const TwoWrites& two : machine.two_writes)
        for (const Code code : {two.one, two.other})
            if (!is_known(code)) roots.push_back(node_of(code));
    std::vector<std::uint64_t> values;
    if (!roots.empty()) {
        try {
            const Evaluation evaluation(graph, roots);
            Random random(1);
            std::vector<std::uint64_t> given;
            for (const NodeId leaf : evaluation.leaves())
                for (std::size_t i = 0; i < assignments; ++i)
                    given.push_back(graph[leaf].size >= 8 ? random.bits()
                                                          : random.bits() >> (64 - 8 * graph[leaf].size));
            values = evaluation(given, assignments);
        } catch (const Error&) {
            return; // a function without values
        }
    }
    std::size_t next = 0;
    for (const TwoWrites& two : machine.two_writes) {
        std::array<std::array<std::uint64_t, assignments>, 2> bytes{};
        for (std::size_t which = 0; which < 2; ++which) {
            const Code code = which == 0 ? two.one : two.other;
            for (std::size_t i = 0; i < assignments; ++i)
                bytes[which][i] = is_known(code) ? code : values[next * assignments + i] >> (8 * byte_of(code)) & 255;
            next += !is_known(code);
        }
        if (bytes[0] == bytes[1]) continue;
        const auto at = std::find_if(machine.code.steps.begin(), machine.code.steps.end(),
                                     [&](const Step& step) { return step.written->line == two.line_of_other; });
        const std::string why =
            two.one_is_read
                ? sentence("byte ", two.address, " of shared memory is overwritten here, and nothing says ",
                           "that its reader on line ", two.line_of_one, " is done")
                : sentence("byte ", two.address, " of shared memory is written here and on line ", two.line_of_one,
                           " by different threads, with different values, and nothing ", "orders them");
        throw Error(refusal(machine.program, *at->written, why));
    }
}

} // namespace

DecodedProgram decoded(const Program& program, Graph& graph) {
    const std::span<const Opcode> tables[] = {
        control_opcodes(), integer_opcodes(),    number_opcodes(), move_opcodes(), predicate_opcodes(),
        memory_opcodes(),  tensor_map_opcodes(), atomic_opcodes(), mma_opcodes(),  ldmatrix_opcodes(),
        wgmma_opcodes(),   tcgen05_opcodes(),    wmma_opcodes(),   redux_opcodes()};
    return Decoder(program, graph, tables).all();
}

void size_block(Machine& machine, const std::vector<unsigned>& launched) {
    const auto& block = launched.empty() ? machine.program.block : launched;
    if (block.empty()) fail(machine.program, "neither the launch nor the entry says how many threads a block has");
    std::uint64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        machine.block[i] = i < block.size() ? std::max(block[i], 1u) : 1;
        threads = std::min<std::uint64_t>(threads * machine.block[i], 1u << 20); // of more nothing is run
    }
    if (threads % lanes_of_warp != 0 || threads > most_threads_of_block)
        fail(machine.program, sentence("blocks of ", threads, " threads are not run; multiples of 32 up to 1024 are"));
}

void size_cluster(Machine& machine, const std::vector<unsigned>& launched) {
    const auto& cluster = launched.empty() ? machine.program.cluster : launched;
    std::uint64_t ranks = 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(cluster.size(), 3); ++i) {
        machine.cluster[i] = std::max(cluster[i], 1u);
        if (machine.grid[i] % machine.cluster[i] != 0)
            fail(machine.program, sentence("clusters of ", machine.cluster[i], " blocks do not divide a grid of ",
                                           machine.grid[i], " in direction ", i + 1, " (from 1)"));
        ranks = std::min<std::uint64_t>(ranks * machine.cluster[i], 1u << 20);
    }
    const auto& block = machine.block;
    if (ranks > most_ranks || ranks * block[0] * block[1] * block[2] > most_threads)
        fail(machine.program, sentence("clusters of ", ranks, " blocks of ", block[0] * block[1] * block[2],
                                       " threads are not run; up to ", most_ranks, " blocks with ", most_threads,
                                       " threads together are"));
}

void place_variables(Machine& machine) {
    std::uint64_t constants = 0;
    for (const Variable& variable : machine.program.variables) constants += variable.bytes;
    if (constants > most_variables) fail(machine.program, "its variables have more than 64 MiB");
    std::uint64_t shared = 0, local = 0;
    machine.variable_addresses.resize(machine.program.variables.size());
    for (const bool open : {false, true})
        for (std::size_t i = 0; i < machine.program.variables.size(); ++i) {
            const Variable& variable = machine.program.variables[i];
            if ((variable.bytes == 0) != open) continue;
            if (variable.space == Space::constant) {
                std::vector<Code> codes(variable.initial.begin(), variable.initial.end());
                codes.resize(variable.bytes, 0);
                machine.variable_addresses[i] =
                    machine.memory[machine.memory.add(std::string(variable.name), std::move(codes))].base;
                continue;
            }
            const std::uint64_t alignment = std::max<std::uint64_t>(open ? 1024 : variable.alignment, 1);
            std::uint64_t& end = variable.space == Space::shared ? shared : local;
            machine.variable_addresses[i] = (end + alignment - 1) / alignment * alignment;
            // All that the launch sizes are one memory.
            if (!open) end = machine.variable_addresses[i] + variable.bytes;
            machine.shared_bytes =
                std::max(machine.shared_bytes, open ? machine.variable_addresses[i] + machine.dynamic_shared : shared);
        }
    machine.shared_bytes = std::max(machine.shared_bytes, shared);
    machine.local_bytes = local;
    if (machine.shared_bytes > most_shared || local > most_local)
        fail(machine.program, "more shared or local memory is asked for than any GPU has");
}

void run_blocks(Machine& machine) {
    const auto& grid = machine.grid;
    if (*std::max_element(grid.begin(), grid.end()) > most_blocks ||
        std::uint64_t(grid[0]) * grid[1] * grid[2] > most_blocks)
        fail(machine.program, sentence("the launch has more than ", most_blocks, " blocks"));
    const auto& cluster = machine.cluster;
    for (unsigned z = 0; z < grid[2]; z += cluster[2])
        for (unsigned y = 0; y < grid[1]; y += cluster[1])
            for (unsigned x = 0; x < grid[0]; x += cluster[0]) {
                Block(machine, {x, y, z}).run();
                if (!machine.two_writes.empty()) compare_two_writes(machine);
                machine.two_writes.clear();
                if (machine.numbers != nullptr) machine.graph.forget_nodes(); // memory has numbers alone
            }
}

} // namespace discern::programs
