// Sets of possible values, and the boxes made of them: what is still possible of an unknown unit.
//
// A space of units is far too large to list (10^10 members for one structure). It is a product: a tree whose parameters
// are variables, each with a table of values. A box gives each variable the set of values that are still possible.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace discern::parametric {

/// A set of indices 0 … 127 into a variable's table of values.
class ValueSet {
  public:
    static constexpr std::size_t capacity = 128;

    static ValueSet all(std::size_t n) {
        ValueSet set;
        for (std::size_t i = 0; i < n; ++i) set.insert(i);
        return set;
    }
    static ValueSet single(std::size_t i) {
        ValueSet set;
        set.insert(i);
        return set;
    }

    void insert(std::size_t i) { words_[i / 64] |= 1ull << (i % 64); }
    bool contains(std::size_t i) const { return ((words_[i / 64] >> (i % 64)) & 1) != 0; }
    std::size_t count() const { return static_cast<std::size_t>(std::popcount(words_[0]) + std::popcount(words_[1])); }
    /// Without count(), which is a call on processors that may lack the instruction.
    bool is_single() const {
        const auto at_most_one = [](std::uint64_t word) { return (word & (word - 1)) == 0; };
        return (words_[0] == 0) != (words_[1] == 0) && at_most_one(words_[0] | words_[1]);
    }
    bool empty() const { return (words_[0] | words_[1]) == 0; }
    /// The smallest index; the set must not be empty.
    std::size_t first() const {
        return static_cast<std::size_t>(words_[0] != 0 ? std::countr_zero(words_[0])
                                                       : 64 + std::countr_zero(words_[1]));
    }
    /// The n-th smallest index, from 0.
    std::size_t nth(std::size_t n) const {
        ValueSet rest = *this;
        for (; n > 0; --n) rest.erase(rest.first());
        return rest.first();
    }
    void erase(std::size_t i) { words_[i / 64] &= ~(1ull << (i % 64)); }
    std::uint64_t word(std::size_t i) const { return words_[i]; }
    bool operator==(const ValueSet&) const = default;
    ValueSet operator|(const ValueSet& o) const {
        return combined(o, [](auto x, auto y) { return x | y; });
    }
    ValueSet operator&(const ValueSet& o) const {
        return combined(o, [](auto x, auto y) { return x & y; });
    }

    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }

  private:
    template <typename Op>
    ValueSet combined(const ValueSet& o, Op op) const {
        ValueSet result;
        for (std::size_t w = 0; w < words_.size(); ++w) result.words_[w] = op(words_[w], o.words_[w]);
        return result;
    }

    std::array<std::uint64_t, 2> words_{};
};

/// One index a variable.
using Assignment = std::vector<std::size_t>;

/// A part of the space: a structure, and for each of its variables the values still possible.
struct Box {
    std::size_t structure = 0;
    std::vector<ValueSet> sets;

    bool operator==(const Box&) const = default;
    /// log2 of the number of members.
    double bits() const;
    bool contains(const Assignment& member) const;
};

/// Joins boxes that differ in the set of one variable, until no two do.
void merge(std::vector<Box>& boxes);

} // namespace discern::parametric
