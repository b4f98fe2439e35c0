#include "cubin.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <cstring>
#include <string>

namespace discern {

namespace {

using Bytes = std::span<const std::uint8_t>;

/// The number at that byte. @throws Error if the file is shorter
template <typename Number>
Number number_at(Bytes file, std::uint64_t at) {
    Number number = 0;
    if (at > file.size() || sizeof number > file.size() - at)
        throw Error("the code that the driver made is no whole cubin: it ends too early");
    for (std::size_t i = 0; i < sizeof number; ++i)
        number = static_cast<Number>(number | static_cast<Number>(static_cast<Number>(file[at + i]) << (8 * i)));
    return number;
}

Bytes part_of(Bytes file, std::uint64_t at, std::uint64_t size) {
    if (at > file.size() || size > file.size() - at)
        throw Error("the code that the driver made is no whole cubin: a section lies beyond its end");
    return file.subspan(at, size);
}

// ELF64: offsets in the file header and in a section's header.
constexpr std::uint64_t header_sections = 0x28, header_section_size = 0x3a, header_section_count = 0x3c,
                        header_names = 0x3e;
constexpr std::uint64_t section_name = 0x00, section_offset = 0x18, section_size = 0x20;

std::string text_at(Bytes strings, std::uint64_t at) {
    std::string text;
    for (; at < strings.size() && strings[at] != 0; ++at) text += static_cast<char>(strings[at]);
    return text;
}

} // namespace

Bytes kernel_code(Bytes cubin, std::string_view kernel) {
    if (cubin.size() < 6 || std::memcmp(cubin.data(),
                                        "\x7f"
                                        "ELF\x02\x01",
                                        6) != 0)
        throw Error("the code that the driver made is no cubin: it is no ELF file of 64 bits");
    const auto sections = number_at<std::uint64_t>(cubin, header_sections);
    const std::uint64_t each = number_at<std::uint16_t>(cubin, header_section_size);
    const std::uint64_t count = number_at<std::uint16_t>(cubin, header_section_count);
    const auto contents = [&](std::uint64_t index) {
        const std::uint64_t header = sections + index * each;
        return part_of(cubin, number_at<std::uint64_t>(cubin, header + section_offset),
                       number_at<std::uint64_t>(cubin, header + section_size));
    };
    const std::string wanted = sentence(".text.", kernel);
    const Bytes names = contents(number_at<std::uint16_t>(cubin, header_names));
    for (std::uint64_t i = 0; i < count; ++i)
        if (text_at(names, number_at<std::uint32_t>(cubin, sections + i * each + section_name)) == wanted)
            return contents(i);
    throw Error(sentence("the code that the driver made has no kernel ", kernel));
}

std::vector<MachineCode> count_matrix_code(Bytes code) {
    std::vector<MachineCode> found;
    for (const MatrixOpcode& opcode : matrix_opcodes()) {
        int count = 0;
        for (std::size_t at = 0; at + 16 <= code.size(); at += 16)
            if ((number_at<std::uint16_t>(code, at) & 0xfff) == opcode.opcode) ++count;
        if (count > 0) found.push_back({opcode.opcode, count});
    }
    return found;
}

} // namespace discern
