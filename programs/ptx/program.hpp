// One entry of a PTX file, as it is written: variables, and instructions with operands whose names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

/// What an operand's word stands for.
struct Atom {
    enum class Kind : std::uint8_t {
        reg,       ///< number `index`
        immediate, ///< `value`
        special,   ///< a register of the machine: %tid.x
        variable,  ///< number `index`: its address, and `value` more
        parameter, ///< number `index`: its address, and `value` more
        label,     ///< instruction `index`, or for brx.idx table `index`
        sink,      ///< `_`
    };
    Kind kind = Kind::immediate;
    std::uint32_t index = 0;
    std::uint64_t value = 0;
    std::string_view text;
};

struct Operand {
    enum class Form : std::uint8_t { value, list, address };
    Form form = Form::value;
    bool is_negated = false;      ///< !p
    std::vector<Atom> atoms;      ///< a list has its own; an address the base, and the coordinates in braces behind it
    std::int64_t offset = 0;      ///< of an address
    std::optional<Atom> second{}; ///< the p of d|p
};

struct Instruction {
    std::string_view opcode;             ///< with its modifiers
    std::vector<std::string_view> parts; ///< of it, at its dots
    std::vector<Operand> operands;
    std::optional<std::uint32_t> guard; ///< the predicate register
    bool guard_is_negated = false;
    int line = 0;
    std::string_view text; ///< as it is written

    /// Whether the opcode has that modifier.
    bool has(std::string_view modifier) const;
    /// Whether it has one that begins so.
    bool has_prefix(std::string_view prefix) const;
};

enum class Space : std::uint8_t { shared, local, constant };

struct Variable {
    std::string_view name;
    Space space = Space::shared;
    unsigned alignment = 16;
    std::uint64_t bytes = 0; ///< 0 of what the launch sizes
    std::vector<std::uint8_t> initial{};
};

struct Parameter {
    std::string_view name;
    std::uint64_t bytes = 0;
};

struct Program {
    std::string file;
    std::string source; ///< what all names are parts of
    std::string entry;
    int sm = 0;                    ///< of .target sm_80
    std::vector<unsigned> block;   ///< .reqntid or .maxntid, if there is one
    std::vector<unsigned> cluster; ///< .reqnctapercluster, if there is one
    std::vector<Parameter> parameters;
    std::vector<Variable> variables;
    std::vector<std::uint8_t> registers; ///< bytes of each; 0: a predicate
    std::vector<Instruction> code;
    std::vector<std::vector<std::uint32_t>> tables; ///< .branchtargets

    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
};

/// "FILE:LINE: INSTRUCTION: why", without an instruction "FILE:LINE: why". Blanks are one, and of what is long only the
/// beginning is said.
std::string refusal(std::string_view file, int line, std::string_view instruction, std::string_view why);
std::string refusal(const Program& program, const Instruction& at, std::string_view why);

/// Bytes of a type, `b32` or `f16x2`; 0 of a predicate; nothing if there is no such type.
std::optional<unsigned> bytes_of_type(std::string_view type);

} // namespace discern::programs
