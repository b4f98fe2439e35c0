#include "run.hpp"

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
    explicit Launcher(RunKernel& kernel) : kernel_(kernel), program_(*kernel.program), launch_(kernel.launch) {}

    void run(FragmentOrder order) {
        const DecodedProgram code = decoded(program_, kernel_.graph);
        Machine machine{
            .program = program_, .code = code, .graph = kernel_.graph, .memory = memory_, .grid = launch_.grid};
        machine.dynamic_shared = launch_.shared;
        machine.fragment_order = order;
        machine.most_steps = launch_.most_steps;
        size_block(machine, launch_.block);
        make_arrays();
        place_parameters(machine);
        place_variables(machine);
        run_blocks(machine);
        kernel_.steps = machine.steps;
        kernel_.uses_atomic_results = machine.uses_atomic_results;
        kernel_.lines = std::move(machine.lines);
        kernel_.assumptions = std::move(machine.assumptions);
        kernel_.fragments = std::move(machine.fragments);
        kernel_.unwaited = std::move(machine.unwaited);
        for (std::size_t i = 0; i < launch_.arrays.size(); ++i)
            if (launch_.arrays[i].is_result) kernel_.results.push_back(result_of(i));
    }

  private:
    [[noreturn]] void fail(std::string_view why) const { throw Error(sentence(program_.file, ": ", why)); }

    std::vector<Code> codes_of(const ArraySpec& array, NodeId first) const {
        std::vector<Code> codes(array.extent(), unwritten_byte);
        for (std::uint64_t i = 0; i < array.elements(); ++i)
            for (unsigned byte = 0; byte < array.element; ++byte)
                codes[array.offset_of(i) + byte] = code_of(static_cast<NodeId>(first + i), byte);
        return codes;
    }

    void make_arrays() {
        std::vector<NodeId> first(launch_.arrays.size(), 0);
        for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
            const ArraySpec& array = launch_.arrays[i];
            if (!array.is_result)
                first[i] = kernel_.graph.leaves(static_cast<std::uint32_t>(i),
                                                static_cast<std::uint32_t>(array.elements()), array.element);
        }
        for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
            const ArraySpec& array = launch_.arrays[i];
            if (!array.is_result)
                memory_.add(array.name, codes_of(array, first[i]));
            else if (array.initial.empty() || array.initial == "zero")
                memory_.add(array.name, std::vector<Code>(array.extent(), array.initial.empty() ? unwritten_byte : 0));
            else
                memory_.add(array.name, codes_of(array, first[operand(array)]));
        }
    }

    /// The operand that a result holds before the launch.
    std::size_t operand(const ArraySpec& result) const {
        for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
            const ArraySpec& array = launch_.arrays[i];
            if (array.name == result.initial && !array.is_result && array.shape == result.shape &&
                array.element == result.element)
                return i;
        }
        fail(sentence("the launch has no matrix ", excerpt(result.initial), " of the shape and format of ",
                      result.name));
    }

    /// The bytes that are passed for an argument.
    std::vector<std::uint8_t> bytes_of(const ArgumentSpec& argument) {
        std::uint64_t address = 0;
        switch (argument.kind) {
        case ArgumentSpec::Kind::bytes: return structure_of(argument);
        case ArgumentSpec::Kind::tensor_map: return {};
        case ArgumentSpec::Kind::array: address = memory_[argument.array].base; break;
        case ArgumentSpec::Kind::pointer: address = memory_[argument.array].base + argument.offset; break;
        case ArgumentSpec::Kind::zeros: address = scratch(argument.zeros); break;
        }
        std::vector<std::uint8_t> bytes(8);
        put_address(bytes, 0, address);
        return bytes;
    }

    static constexpr std::uint64_t bytes_of_map = 128;

    static void put_address(std::vector<std::uint8_t>& bytes, std::uint64_t at, std::uint64_t address) {
        for (unsigned i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::uint8_t>(address >> (8 * i));
    }

    std::uint64_t scratch(std::uint64_t zeros) {
        return memory_[memory_.add("scratch memory", std::vector<Code>(zeros, 0))].base;
    }

    std::vector<std::uint8_t> structure_of(const ArgumentSpec& argument) {
        std::vector<std::uint8_t> bytes = argument.bytes;
        for (const InnerPointer& pointer : argument.inner)
            put_address(bytes, pointer.at,
                        pointer.zeros > 0 ? scratch(pointer.zeros) : memory_[pointer.array].base + pointer.offset);
        return bytes;
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
            std::vector<std::uint8_t> bytes = bytes_of(argument);
            if (argument.kind == ArgumentSpec::Kind::tensor_map) {
                // A descriptor, or a pointer to one.
                std::uint64_t address = parameter_window + at;
                if (size == 8) put_address(bytes = std::vector<std::uint8_t>(8), 0, address = scratch(bytes_of_map));
                machine.maps[address] = map_of(argument);
            }
            const bool is_number = argument.kind == ArgumentSpec::Kind::bytes && !argument.is_hex;
            if (bytes.size() > size || (is_number && bytes.size() != size))
                fail(sentence("argument ", i + 1, " (from 1) has ", bytes.size(), " bytes, and the parameter ", size));
            std::copy(bytes.begin(), bytes.end(), machine.parameters.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    Result result_of(std::size_t number) {
        const ArraySpec& array = launch_.arrays[number];
        const Buffer& buffer = memory_[number];
        if (!buffer.is_written) fail(sentence("the launch does not write ", array.name));
        Result result{.array = number, .elements = {}};
        result.elements.reserve(array.elements());
        for (std::uint64_t i = 0; i < array.elements(); ++i)
            result.elements.push_back(
                kernel_.graph.of_codes(std::span(buffer.codes).subspan(array.offset_of(i), array.element)));
        return result;
    }

    RunKernel& kernel_;
    const Program& program_;
    const Launch& launch_;
    Memory memory_;
};

} // namespace

int RunKernel::line_of(NodeId id) const {
    const auto found = std::lower_bound(lines.begin(), lines.end(), std::pair(id, 0));
    return found == lines.end() || found->first != id ? 0 : found->second;
}

RunKernel run_kernel(std::string ptx, const std::string& file, Launch launch, FragmentOrder order) {
    RunKernel kernel;
    kernel.program = parse_ptx(std::move(ptx), file, launch.entry);
    kernel.launch = std::move(launch);
    Launcher(kernel).run(order);
    return kernel;
}

} // namespace discern::programs
