// What the names of an entry stand for: registers, labels, variables, each in its braces.
#pragma once

#include "program.hpp"

#include <string_view>
#include <unordered_map>

namespace discern::programs {

/// 0f3f800000, 0d…, 0x…, decimal, with U behind it; nothing if it is no number.
std::optional<std::uint64_t> immediate_of(std::string_view text);

class Names {
  public:
    explicit Names(Program& program) : program_(program), scopes_(1) {}

    void open();
    void close();
    void declare_variable(Variable variable);
    void declare_parameter(Parameter parameter);
    /// @param count  of %r<count>; 0: the name alone. @return false if there are too many
    bool declare_registers(std::string_view name, unsigned bytes, std::uint64_t count);
    void declare_label(std::string_view name);
    /// Of the label before it.
    void declare_table(std::vector<std::string_view> labels);

    /// What a word of an operand is. Labels may come later: finish() finds them.
    Atom atom(std::string_view text) const;
    /// An instruction begins. @param root  its opcode without modifiers
    void begin(std::string_view root) { is_jump_ = root == "bra" || root == "brx"; }
    void add(Instruction instruction);
    /// Resolves labels. @throws Error if one is missing
    void finish();

  private:
    struct Registers {
        std::uint32_t first = 0;
        std::uint64_t count = 0;
    };
    struct Scope {
        int parent = -1;
        std::unordered_map<std::string_view, std::uint32_t> registers{}; ///< by name
        std::unordered_map<std::string_view, Registers> numbered{};      ///< by what stands before the number
        std::unordered_map<std::string_view, std::uint32_t> labels{}, tables{};
        std::unordered_map<std::string_view, std::uint32_t> variables{};
    };
    std::optional<std::uint32_t> register_of(std::string_view text) const;
    using Table = std::unordered_map<std::string_view, std::uint32_t>;
    /// What a name stands for in a scope, or in those around it.
    std::optional<std::uint32_t> find(Table Scope::*table, std::string_view name, int scope) const;
    void resolve(Instruction& instruction, int scope);

    Program& program_;
    std::vector<Scope> scopes_;
    int scope_ = 0;
    bool is_jump_ = false;
    std::string_view last_label_;
    std::vector<int> scope_of_; ///< of each instruction
    std::vector<std::pair<int, std::vector<std::string_view>>> tables_;
    std::unordered_map<std::string_view, std::uint32_t> parameters_;
};

} // namespace discern::programs
