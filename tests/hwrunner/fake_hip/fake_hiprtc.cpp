// A compiler hiprtc for tests. It looks for the builtin in the source, and gives an ELF file for an AMD GPU with that
// one instruction; the environment variable DISCERN_FAKE_HIP says what goes wrong.
#include "hwrunner/amd/mfma_instructions.hpp"
#include "scenario.hpp"

#include <cstring>
#include <vector>

namespace {

using discern::testing::scenario;

struct Program {
    std::string source, log, code;
};

template <typename Number>
void put(std::string& file, std::size_t offset, Number value) {
    std::memcpy(file.data() + offset, &value, sizeof value);
}

/// ELF header, 64 bytes with the builtin's name, .text, the section names, and three section headers.
std::string elf_file(const std::string& builtin, std::uint32_t instruction) {
    constexpr std::size_t name_at = 64, text_at = 128, text_size = 16, strings_at = text_at + text_size,
                          strings_size = 24, sections_at = strings_at + strings_size;
    std::string file(sections_at + 3 * 64, '\0');
    file.replace(0, 4,
                 "\x7f"
                 "ELF");
    put<std::uint16_t>(file, 18, 224);
    put<std::uint64_t>(file, 40, sections_at);
    put<std::uint16_t>(file, 58, 64);
    put<std::uint16_t>(file, 60, 3);
    put<std::uint16_t>(file, 62, 2);
    file.replace(name_at, builtin.size(), builtin);
    put<std::uint32_t>(file, text_at, 0xbf8c0f70u); // s_waitcnt
    put<std::uint32_t>(file, text_at + 4, instruction);
    const std::string strings("\0.text\0.shstrtab\0", 17);
    file.replace(strings_at, strings.size(), strings);
    const auto section = [&](std::size_t number, std::uint32_t name, std::uint64_t at, std::uint64_t size) {
        put(file, sections_at + number * 64, name);
        put(file, sections_at + number * 64 + 24, at);
        put(file, sections_at + number * 64 + 32, size);
    };
    section(1, 1, text_at, text_size);
    section(2, 7, strings_at, strings_size);
    return file;
}

int compile(Program& program, const std::string& architecture) {
    static const std::string beginning = "__builtin_amdgcn_mfma_";
    const auto cdna = discern::cdna_from_gfx(architecture);
    const std::size_t at = program.source.find(beginning);
    if (scenario() == "compile-failure" || !cdna || at == std::string::npos) {
        program.log = "discern.hip:1:1: error: the fake compiler was told to fail\n";
        return 6;
    }
    const std::size_t begin = at + beginning.size();
    const std::string builtin = program.source.substr(begin, program.source.find('(', begin) - begin);
    for (const discern::MfmaInstruction& instruction : discern::mfma_instructions()) {
        if (instruction.builtin != builtin || !instruction.is_of(*cdna)) continue;
        std::uint32_t word = 0xd3800000u | std::uint32_t{instruction.opcode(*cdna)} << 16;
        if (scenario() == "emulated") word = 0x7e000280u; // v_mov_b32
        if (scenario() == "other-instruction") word ^= 1u << 16;
        program.code = elf_file(builtin, word);
        return 0;
    }
    program.log = "error: no builtin " + builtin;
    return 6;
}

} // namespace

extern "C" {

int hiprtcCreateProgram(void** program, const char* source, const char*, int, const char**, const char**) {
    *program = new Program{.source = source, .log = {}, .code = {}};
    return 0;
}
int hiprtcCompileProgram(void* program, int count, const char** options) {
    static const std::string option = "--offload-arch=";
    for (int i = 0; i < count; ++i)
        if (std::string(options[i]).starts_with(option))
            return compile(*static_cast<Program*>(program), std::string(options[i]).substr(option.size()));
    return 5;
}
int hiprtcGetProgramLogSize(void* program, std::size_t* size) {
    *size = static_cast<Program*>(program)->log.size() + 1;
    return 0;
}
int hiprtcGetProgramLog(void* program, char* log) {
    const Program& from = *static_cast<Program*>(program);
    std::memcpy(log, from.log.c_str(), from.log.size() + 1);
    return 0;
}
int hiprtcGetCodeSize(void* program, std::size_t* size) {
    *size = static_cast<Program*>(program)->code.size();
    return 0;
}
int hiprtcGetCode(void* program, char* code) {
    const Program& from = *static_cast<Program*>(program);
    std::memcpy(code, from.code.data(), from.code.size());
    return 0;
}
int hiprtcDestroyProgram(void** program) {
    delete static_cast<Program*>(*program);
    *program = nullptr;
    return 0;
}
}
