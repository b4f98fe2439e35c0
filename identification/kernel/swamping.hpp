// Which terms meet where: the probe of summation-tree reconstruction.
//
// Two terms are M and −M, the others small: a unit u, or nothing. What is added to a sum that has M in it is lost, so
// the result counts the units that join after M and −M have met: all units but those below the node where the two meet
// (Xie et al., FPRev; the same in identification/identify/summation_order.hpp for few terms). A sum that is aligned
// loses them too, and so does one that is truncated; units are few enough to be lost everywhere else than in an exact
// sum.
//
// A sum that is rounded to nearest stays M. Directed rounding moves it by one ulp with each unit that is lost, and what
// is left of M and −M is some ulps of M, beside which the units would be lost. For such sums there are other probes, in
// which all units together are less than an ulp of M, but by so little that both fit a result.
//
// Where products have scales, a term is a block of them: one product of 1 · 1, whose scales have the exponent. So
// formats have room that would have none themselves. Behind an epilogue a result shows how many units there are as long
// as no two numbers of units give one result; where it can show only a few, several probes have a part of the units
// each.
#pragma once

#include "epilogue.hpp"
#include "models/shape.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::kernels {

/// Products, or blocks of them that have scales of their own.
int terms_of(const Shape& shape);

/// A pair of terms: 0 … n−1, or c, which is n.
using Pair = std::pair<int, int>;

class Swamping {
  public:
    /// @param precision   bits of the widest accumulator that is reckoned with: units are that far below M
    /// @param subnormals  units may be products of subnormal numbers, which some flush
    /// @param directed    sums may be rounded in a direction; then it is the precision of just these
    /// @param then        what follows the sums; nullptr: nothing
    Swamping(const Shape& shape, const Ask& ask, int precision, bool subnormals, bool directed = false,
             const Epilogue* then = nullptr);

    /// Whether the formats have room for M and units at all.
    bool is_possible() const { return unit_ < large_; }
    /// How many units there are.
    int units() const { return count_; }
    /// Whether term k is a unit, unless it is M or −M; c never is.
    bool is_unit(int k) const { return units_[static_cast<std::size_t>(k)] != 0; }

    /// How many units are lost for each pair, M and −M themselves not counted. Nothing where the answer is no such
    /// number.
    std::vector<std::optional<int>> lost(std::span<const Pair> pairs);
    std::size_t asked() const { return asked_; }

  private:
    void put(Vector& vector, int term, int exponent, bool negative) const;
    void put_scaled(Vector& vector, int term, int exponent, bool negative) const;
    /// The units among so many whose number results show.
    std::optional<int> count_in(std::uint64_t d, int present) const;
    void count_behind(const Epilogue& then, int precision);
    void in_passes(int each);

    const Shape* shape_;
    const Ask* ask_;
    int terms_;
    std::unordered_map<std::uint64_t, int> behind_; ///< numbers of units by what is seen of their sum
    int passes_ = 1;                                ///< in each of which there is a part of the units
    int large_ = 0, unit_ = 0;                      ///< exponents
    int count_ = 0;
    int lsb_ = 0;             ///< directed: an ulp of sums with M is 2 to that many units; else 0
    std::vector<char> units_; ///< of the terms, and c: 0, or in which pass it is, from 1
    std::size_t asked_ = 0;
};

} // namespace discern::kernels
