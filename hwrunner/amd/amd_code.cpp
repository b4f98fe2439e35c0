#include "amd_code.hpp"

#include "models/error.hpp"

#include <cstring>

namespace discern {

namespace {

constexpr std::uint16_t machine_amdgpu = 224;
constexpr std::uint32_t encoding = 0x1a7;   ///< VOP3P, in the nine high bits
constexpr std::uint8_t first_matrix = 0x3e; ///< before it, packed arithmetic and dot products
constexpr std::uint8_t accumulator_read = 0x58, accumulator_write = 0x59; ///< v_accvgpr_*, same encoding

/// A number at an offset; 0 beyond the end, which no valid file asks for.
template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
    Number value = 0;
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
        std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    return offset > bytes.size() ? std::string_view() : bytes.substr(offset, size);
}

/// The ELF file for an AMD GPU that begins in the bytes; empty if there is none.
std::string_view find_elf(std::string_view bytes) {
    static constexpr std::string_view magic = "\x7f"
                                              "ELF";
    for (std::size_t at = bytes.find(magic); at != std::string_view::npos; at = bytes.find(magic, at + 1)) {
        const std::string_view elf = bytes.substr(at);
        if (number_at<std::uint16_t>(elf, 18) == machine_amdgpu) return elf;
    }
    return {};
}

/// The contents of the section .text.
std::string_view text_of(std::string_view elf) {
    const auto table = number_at<std::uint64_t>(elf, 40);
    const auto entry = number_at<std::uint16_t>(elf, 58), count = number_at<std::uint16_t>(elf, 60),
               names = number_at<std::uint16_t>(elf, 62);
    const auto section = [&](std::size_t i) { return part(elf, table + i * entry, entry); };
    const auto contents = [&](std::string_view header) {
        return part(elf, number_at<std::uint64_t>(header, 24), number_at<std::uint64_t>(header, 32));
    };
    const std::string_view strings = contents(section(names));
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = number_at<std::uint32_t>(section(i), 0);
        if (part(strings, name, 6) == std::string_view(".text\0", 6)) return contents(section(i));
    }
    return {};
}

} // namespace

std::vector<std::uint8_t> matrix_opcodes(std::string_view object) {
    const std::string_view elf = find_elf(object);
    if (elf.empty()) throw Error("the compiled code is no ELF file for an AMD GPU");
    const std::string_view text = text_of(elf);
    std::vector<std::uint8_t> opcodes;
    for (std::size_t at = 0; at + 8 <= text.size(); at += 4) {
        const auto word = number_at<std::uint32_t>(text, at);
        const auto opcode = static_cast<std::uint8_t>((word >> 16) & 0x7f);
        if (word >> 23 != encoding || opcode < first_matrix || opcode == accumulator_read ||
            opcode == accumulator_write)
            continue;
        opcodes.push_back(opcode);
        at += 4; // the instruction's second word
    }
    return opcodes;
}

} // namespace discern
