#include "run.hpp"

#include "arrays.hpp"
#include "blocks.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/ptx/parse.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// Lays out what a launch needs, and runs its blocks one after the other.
class Launcher {
  public:
    Launcher(RunKernel& kernel, const Program& program)
        : kernel_(kernel), program_(program), launch_(kernel.launch), arrays_(kernel) {}

    void run(FragmentOrder order) {
        const DecodedProgram code = decoded(program_, kernel_.graph);
        Machine machine{
            .program = program_, .code = code, .graph = kernel_.graph, .memory = arrays_.memory, .grid = launch_.grid};
        machine.dynamic_shared = launch_.shared;
        machine.fragment_order = order;
        machine.most_steps = launch_.most_steps;
        size_block(machine, launch_.block);
        size_cluster(machine, launch_.cluster);
        arrays_.make_arrays();
        place_parameters(machine);
        place_variables(machine);
        run_blocks(machine);
        kernel_.steps = machine.steps;
        kernel_.uses_atomic_results = machine.uses_atomic_results;
        kernel_.lines = std::move(machine.lines);
        kernel_.assumptions = std::move(machine.assumptions);
        kernel_.fragments = std::move(machine.fragments);
        kernel_.unwaited = std::move(machine.unwaited);
        arrays_.collect();
    }

  private:
    [[noreturn]] void fail(std::string_view why) const { throw Error(sentence(program_.file, ": ", why)); }

    TensorMap map_of(std::size_t array, const MapSpec& said) const {
        const unsigned element = launch_.arrays[array].element;
        TensorMap map{.buffer = array, .start = said.offset, .element = element, .swizzle = said.swizzle};
        for (std::size_t i = said.shape.size(); i-- > 0;) {
            map.lengths.push_back(said.shape[i]);
            map.strides.push_back(said.strides[i] * element);
            map.box.push_back(said.box[i]);
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
            std::vector<std::uint8_t> bytes = arrays_.bytes_of(argument);
            if (argument.kind == ArgumentSpec::Kind::tensor_map) {
                // A descriptor, or a pointer to one.
                std::uint64_t address = parameter_window + at;
                if (size == 8) bytes = little_endian(address = arrays_.scratch(MapSpec::bytes), 8);
                machine.maps[address] = map_of(argument.array, argument.map);
            }
            for (const InnerPointer& inner : argument.inner)
                if (inner.map) machine.maps[parameter_window + at + inner.at] = map_of(inner.array, *inner.map);
            arrays_.require_size(i, bytes.size(), size);
            std::copy(bytes.begin(), bytes.end(), machine.parameters.begin() + static_cast<std::ptrdiff_t>(at));
        }
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

RunKernel run_kernel(std::string ptx, const std::string& file, Launch launch, FragmentOrder order) {
    RunKernel kernel;
    const auto program = parse_ptx(std::move(ptx), file, launch.entry);
    kernel.file = file;
    kernel.launch = std::move(launch);
    Launcher(kernel, *program).run(order);
    return kernel;
}

} // namespace discern::programs
