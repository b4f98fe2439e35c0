// One kernel of a file of LLVM IR for AMDGPU, as it is written: types, globals, and instructions with operands whose
// names are resolved. LLVM 17 and newer, whose pointers have no type of what they point to.
#pragma once

#include "programs/graph/graph.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace discern::programs::llir {

/// A type; equal ones of a module are one.
struct Type {
    enum class Kind : std::uint8_t { nothing, integer, floating, pointer, vector, array, structure, label, metadata };
    Kind kind = Kind::nothing;
    std::uint64_t count = 0;          ///< bits of an integer or a number, address space, elements
    std::string_view name{};          ///< of a floating type: f16, bf16, f32, f64
    std::vector<const Type*> parts{}; ///< of a vector or array the one of its elements; of a structure all
    std::vector<std::uint64_t> at{};  ///< of a structure: where each part begins in memory
    std::uint64_t size = 0;           ///< bytes of a value: its parts side by side
    std::uint64_t stored = 0;         ///< bytes from one to the next in memory
    std::uint64_t alignment = 1;

    bool is(Kind other) const { return kind == other; }
    /// That of one element of a vector; of others itself.
    const Type& element() const { return kind == Kind::vector ? *parts[0] : *this; }
    std::uint64_t elements() const { return kind == Kind::vector ? count : 1; }
    bool is_predicate() const { return kind == Kind::integer && count == 1; }
};

struct Operand {
    enum class Kind : std::uint8_t { value, constant, global };
    Kind kind = Kind::constant;
    const Type* type = nullptr;
    std::uint32_t index = 0;   ///< of the value, or of the global
    std::int64_t offset = 0;   ///< what is added to the address of a global
    bool is_generic = false;   ///< the address of a global is one of all memory
    std::vector<Code> codes{}; ///< of a constant

    /// The number that a constant is. @throws Error if it is none
    std::uint64_t number() const;
};

inline constexpr std::uint32_t no_value = ~0u;
/// An element of a shuffle that is poison.
inline constexpr std::uint32_t no_element = ~0u;

/// What fast-math flags permit besides contraction.
enum Flag : std::uint8_t { may_contract = 1, is_loose = 2, has_accuracy = 4 };

struct Instruction {
    std::string_view name; ///< add, load, call
    std::string_view what; ///< of a call the function, of a comparison its predicate, of an atomic its operation
    std::string_view text; ///< as it is written
    int line = 0;
    const Type* type = nullptr; ///< of what it makes; of a store of what it stores
    std::uint32_t result = no_value;
    std::vector<Operand> operands{};
    std::vector<std::uint32_t> numbers{}; ///< blocks of a branch or phi; indices; the elements of a shuffle
    const Type* from = nullptr;           ///< of an address: what is counted in
    std::uint8_t flags = 0;
};

struct Global {
    std::string_view name;
    const Type* type = nullptr;
    std::uint64_t space = 0, alignment = 1;
    bool is_constant = false;
    std::vector<Code> codes{}; ///< what it holds; nothing if the file does not say
};

struct Parameter {
    const Type* type = nullptr;
    std::uint32_t value = no_value;
    const Type* by_reference = nullptr; ///< the argument is what the pointer points to
};

struct Block {
    std::string_view name;
    std::size_t first = 0, end = 0; ///< of Module::code
};

struct Module {
    std::string file;
    std::string source; ///< what all names are parts of
    std::string entry;
    std::string target;              ///< gfx942; empty if the file does not say
    std::uint64_t most_threads = 0;  ///< of a block; 0: the function does not say
    bool flushes_subnormals = false; ///< of f32
    std::vector<std::unique_ptr<const Type>> types;
    std::vector<Global> globals;
    std::vector<Parameter> parameters;
    std::vector<const Type*> values; ///< the type of each
    std::vector<Block> blocks;
    std::vector<Instruction> code;

    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
};

/// "FILE:LINE: INSTRUCTION: why". Blanks are one, and of what is long only the beginning is said.
std::string refusal(const Module& module, const Instruction& at, std::string_view why);

/// @param entry  the kernel; empty: the only one @throws Error with file and line
std::unique_ptr<const Module> parse_llir(std::string text, std::string file, std::string_view entry);

} // namespace discern::programs::llir
