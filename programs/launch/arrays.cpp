#include "arrays.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

std::vector<Code> codes_of(const ArraySpec& array, NodeId first) {
    std::vector<Code> codes(array.extent(), unwritten_byte);
    for (std::uint64_t i = 0; i < array.elements(); ++i)
        for (unsigned byte = 0; byte < array.element; ++byte)
            codes[array.offset_of(i) + byte] = code_of(static_cast<NodeId>(first + i), byte);
    return codes;
}

} // namespace

void LaunchMemory::fail(std::string_view why) const { throw Error(sentence(kernel_.file, ": ", why)); }

void LaunchMemory::make_arrays() {
    std::vector<NodeId> first(launch_.arrays.size(), 0);
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
        const ArraySpec& array = launch_.arrays[i];
        if (!array.is_result)
            first[i] = kernel_.graph.leaves(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(array.elements()),
                                            array.element);
    }
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
        const ArraySpec& array = launch_.arrays[i];
        if (!array.is_result)
            memory.add(array.name, codes_of(array, first[i]));
        else if (array.initial.empty() || array.initial == "zero")
            memory.add(array.name, std::vector<Code>(array.extent(), array.initial.empty() ? unwritten_byte : 0));
        else
            memory.add(array.name, codes_of(array, first[operand(array)]));
    }
}

/// The operand that a result holds before the launch.
std::size_t LaunchMemory::operand(const ArraySpec& result) const {
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
        const ArraySpec& array = launch_.arrays[i];
        if (array.name == result.initial && !array.is_result && array.shape == result.shape &&
            array.element == result.element)
            return i;
    }
    fail(sentence("the launch has no matrix ", excerpt(result.initial), " of the shape and format of ", result.name));
}

std::vector<std::uint8_t> LaunchMemory::bytes_of(const ArgumentSpec& argument) {
    std::uint64_t address = 0;
    switch (argument.kind) {
    case ArgumentSpec::Kind::bytes: return structure_of(argument);
    case ArgumentSpec::Kind::tensor_map: return {};
    case ArgumentSpec::Kind::array: address = memory[argument.array].base; break;
    case ArgumentSpec::Kind::pointer: address = memory[argument.array].base + argument.offset; break;
    case ArgumentSpec::Kind::zeros: address = scratch(argument.zeros); break;
    }
    return little_endian(address, 8);
}

std::uint64_t LaunchMemory::scratch(std::uint64_t zeros) {
    return memory[memory.add("scratch memory", std::vector<Code>(zeros, 0))].base;
}

/// What is passed by value, with its pointers put in.
std::vector<std::uint8_t> LaunchMemory::structure_of(const ArgumentSpec& argument) {
    std::vector<std::uint8_t> bytes = argument.bytes;
    for (const InnerPointer& pointer : argument.inner) {
        if (pointer.map) continue; // which is asked for by its address
        const std::uint64_t address =
            pointer.zeros > 0 ? scratch(pointer.zeros) : memory[pointer.array].base + pointer.offset;
        std::ranges::copy(little_endian(address, 8), bytes.begin() + static_cast<std::ptrdiff_t>(pointer.at));
    }
    return bytes;
}

void LaunchMemory::require_size(std::size_t i, std::size_t bytes, std::uint64_t size) const {
    const ArgumentSpec& argument = launch_.arguments[i];
    const bool is_number = argument.kind == ArgumentSpec::Kind::bytes && !argument.is_hex;
    if (bytes > size || (is_number && bytes != size))
        fail(sentence("argument ", i + 1, " (from 1) has ", bytes, " bytes, and the parameter ", size));
}

Result LaunchMemory::result_of(std::size_t number) {
    const ArraySpec& array = launch_.arrays[number];
    const Buffer& buffer = memory[number];
    if (!buffer.is_written) fail(sentence("the launch does not write ", array.name));
    Result result{.array = number, .elements = {}};
    result.elements.reserve(array.elements());
    for (std::uint64_t i = 0; i < array.elements(); ++i)
        result.elements.push_back(
            kernel_.graph.of_codes(std::span(buffer.codes).subspan(array.offset_of(i), array.element)));
    return result;
}

void LaunchMemory::collect() {
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i)
        if (launch_.arrays[i].is_result) kernel_.results.push_back(result_of(i));
}

} // namespace discern::programs
