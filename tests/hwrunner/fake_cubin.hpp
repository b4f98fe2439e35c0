// The smallest file that passes for a cubin: an ELF header, the code of one kernel, and the sections' names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discern::testing {

inline void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
}

/// @param opcodes  one a word of 16 bytes
inline std::vector<std::uint8_t> fake_cubin(const std::string& kernel, const std::vector<unsigned>& opcodes) {
    constexpr std::size_t header = 64, section = 64, sections = 3;
    const std::string text_name = ".text." + kernel;
    const std::string names = std::string(1, '\0') + ".shstrtab" + '\0' + text_name + '\0';
    const std::size_t code_at = header, names_at = code_at + 16 * opcodes.size(), table_at = names_at + names.size();
    std::vector<std::uint8_t> file(table_at + sections * section);
    const std::uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    for (std::size_t i = 0; i < sizeof magic; ++i) file[i] = magic[i];
    put(file, 0x28, table_at, 8);
    put(file, 0x3a, section, 2);
    put(file, 0x3c, sections, 2);
    put(file, 0x3e, 1, 2);
    for (std::size_t i = 0; i < opcodes.size(); ++i) put(file, code_at + 16 * i, 0xab000 | opcodes[i], 4);
    for (std::size_t i = 0; i < names.size(); ++i) file[names_at + i] = static_cast<std::uint8_t>(names[i]);
    const auto describe = [&](std::size_t index, std::uint64_t name, std::uint64_t at, std::uint64_t size) {
        const std::size_t entry = table_at + index * section;
        put(file, entry, name, 4);
        put(file, entry + 0x18, at, 8);
        put(file, entry + 0x20, size, 8);
    };
    describe(1, 1, names_at, names.size());
    describe(2, 11, code_at, 16 * opcodes.size());
    return file;
}

} // namespace discern::testing
