// Statements of PTX before they are a text: each is written once, and one whose result nothing reads is left out.
//
// Terms are printed operation by operation, and an operation does not know what its result is for. So the same
// statement is asked for more than once, and some are asked for in vain: the high registers of a product, a mask that
// no later operation needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::gpu {

/// A register of 32 bits, or, if it is a number, that constant.
using Part = std::string;

inline bool is_number(const Part& part) { return part.front() != '%'; }
inline Part constant(std::uint64_t value) { return std::to_string(value & 0xffffffffu); }

/// Registers are %r… (32 bits), %w… (64 bits) and %p… (predicates).
class Code {
  public:
    enum class Kind : char { narrow = 'r', wide = 'w', predicate = 'p' };

    /// @param prefix  of the names of its registers
    explicit Code(std::string prefix) : prefix_(std::move(prefix)) {}

    /// A statement with one result of 32 bits; of constants it is a constant.
    Part make(std::string_view operation, std::initializer_list<std::string_view> operands);
    /// A statement with one result of that kind.
    std::string make(Kind kind, std::string_view operation, std::initializer_list<std::string_view> operands);
    /// Statements that belong together, because one sets the carry that the next one uses. "$0", "$1", … are their
    /// results. @param text  without the last semicolon
    std::vector<std::string> several(const std::string& text, Kind kind, std::size_t results);
    /// Two registers as one of 64 bits, and the reverse.
    std::string pack(const Part& low, const Part& high);
    std::pair<Part, Part> unpack(const std::string& wide);
    /// A statement as it stands, in its place, which is not left out.
    void statement(const std::string& text);
    /// A statement in its place with a result of 32 or 64 bits.
    std::string load(Kind kind, std::string_view operation, std::string_view from);

    /// Those statements that are read by others, or stand as they are.
    std::string text() const;
    /// How many these are.
    std::size_t statements() const;
    /// Of all registers, for the beginning of a kernel.
    std::string declarations() const;

  private:
    struct Statement {
        std::string text;
        std::vector<std::size_t> reads; ///< statements
        std::size_t lines = 1;
        bool stays = false;
    };

    std::string next_register(Kind kind);
    void add(std::string text, bool stays);
    std::vector<bool> read() const;

    std::string prefix_;
    std::vector<Statement> statements_;
    std::unordered_map<std::string, std::vector<std::string>> known_; ///< results by text
    std::unordered_map<std::string, std::size_t> origin_;             ///< the statement of a register
    int narrow_ = 0, wide_ = 0, conditions_ = 0;
};

} // namespace discern::gpu
