// Operands of instructions: values by their names, constants, and addresses of globals.
#pragma once

#include "types.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace discern::programs::llir {

class Operands {
  public:
    Operands(Module& module, Types& types) : module_(module), types_(types) {}

    /// One of that type. @throws Error
    Operand read(Line& line, const Type* type, unsigned depth = 0);
    /// A type, and one of it.
    Operand typed(Line& line);
    /// The same with attributes between the two, as arguments of calls have them.
    Operand argument(Line& line);

    /// The value that a name stands for. @throws Error if it was used with another type
    std::uint32_t value(std::string_view name, const Type* type);
    /// The same, where it is made. @throws Error if it is made twice
    std::uint32_t define(std::string_view name, const Type* type);
    /// @throws Error if a value is used that nothing makes
    void require_all_defined() const;
    void add_global(std::string_view name, std::uint32_t index) { globals_[name] = index; }

  private:
    Operand group(Line& line, const Type* type, std::string_view closing, unsigned depth);
    Operand expression(Line& line, std::string_view word, const Type* type, unsigned depth);
    Operand element_address(Line& line, const Type* type, unsigned depth);

    Module& module_;
    Types& types_;
    std::unordered_map<std::string_view, std::uint32_t> values_, globals_;
    std::vector<std::string_view> names_;
    std::vector<bool> is_defined_;
};

/// Skips attributes of parameters and arguments. @return the type of byref or byval, or nothing
const Type* skip_attributes(Line& line, Types& types);

/// The bytes of a number as LLVM writes it: 2.5e-1, 0x3FD0000000000000, f0x3E800000, 0xH3400, +nan(0x1).
/// @throws Error
std::vector<Code> number_codes(std::string_view word, const Type& type);

} // namespace discern::programs::llir
