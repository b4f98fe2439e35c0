// Terms as statements of PTX: straight-line integer code that every NVIDIA GPU computes with the same result.
//
// A datapath (encodings/datapath/) is words and wires; here every wire becomes a register. Nothing is left to floating
// point, so no rounding mode, flush or contraction of a machine can matter.
//
// Source of what the instructions mean: PTX ISA 6.0, the oldest that has sm_70. It clamps amounts of shifts: 32 bits
// shifted by 32 or more are 0.
#pragma once

#include "encodings/graph/term.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::gpu {

/// A word of up to 32 bits is one register of 32; a wider one as many of 64 as it needs, the lowest first. A part that
/// is constant is a number instead of a register. Bits above the width are zeros.
struct Word {
    int width = 1;
    std::vector<std::string> parts;
};

/// Writes terms of one graph. Its registers are %r… (32 bits), %w… (64 bits) and %p… (predicates).
class Words {
  public:
    /// @param prefix  of the names of its registers
    explicit Words(const Terms& terms, std::string prefix = "") : t_(terms), prefix_(std::move(prefix)) {}

    /// The variable is in these registers from now on.
    void bind(Term variable, Word word) { words_[variable.id] = std::move(word); }
    /// Writes what `root` takes, and has not been written yet. @return where it is
    /// @throws std::logic_error of an operation that no datapath has
    Word print(Term root);
    /// A statement with a new register of that many bits. @return the register
    std::string make(int bits, std::string_view operation, std::initializer_list<std::string_view> operands);
    /// A statement as it stands, without its semicolon.
    void statement(const std::string& text);

    const std::string& text() const { return text_; }
    std::size_t statements() const { return statements_; }
    /// Of all registers, for the beginning of a kernel. @param indent  before each line
    std::string declarations() const;

    /// Bits of the registers of a word: 32 or 64.
    static int register_bits(int width) { return width <= 32 ? 32 : 64; }

  private:
    struct Shift { ///< an amount as whole registers and a rest below 64
        std::string amount, count, other;
        std::uint64_t most;
    };

    Word word(Term x) const;
    Word operation(Term x);
    std::string predicate(Term condition);
    Word truth(Term x, const std::string& predicate);

    std::string truncated(std::string part, int bits, int width);
    Word truncated(Word word);
    std::string part64(const Word& x, std::size_t i);
    std::string bits64(const Word& x, int first);
    std::string either(const std::string& x, const std::string& y, int bits);
    Word each(std::string_view operation, Term x);
    Word sum(const Word& x, const Word& y);
    Word negated(const Word& x);
    Word times(const Word& x, const Word& y);
    Word chosen(const std::string& predicate, const Word& x, const Word& y);
    Word less(Term x);
    Word equal(Term x);
    Word joined(const Word& high, const Word& low, int width);
    Word taken(const Word& x, int low, int width);
    Word widened(const Word& x, int width);
    Word extended(const Word& x, int width);
    Word shifted_left(const Word& x, Term by);
    Word shifted_right(const Word& x, Term by);
    Word shifted_with_sign(const Word& x, Term by);
    std::string amount(Term x) const;
    Shift shift(Term by);
    std::string moved(std::string_view operation, const std::string& part, const std::string& by);
    std::vector<std::string> by_registers(std::vector<std::string> parts, const Shift& by, bool left);

    std::string next_register(int bits);
    std::string next_predicate() { return "%" + prefix_ + "p" + std::to_string(conditions_++); }

    const Terms& t_;
    std::string prefix_, text_;
    std::size_t statements_ = 0;
    std::unordered_map<std::uint32_t, Word> words_;
    std::unordered_map<std::uint32_t, std::string> predicates_;
    int narrow_ = 0, wide_ = 0, conditions_ = 0;
};

} // namespace discern::gpu
