// A unit prepared for the integer evaluator: the expanded tree as a flat array, formats looked up, and the proof of
// which integers are wide enough.
#pragma once

#include "unit.hpp"

#include <vector>

namespace discern::integer {

enum class NodeKind : std::uint8_t { product, group, accumulator, fuse, round };

struct PlanChild {
    std::size_t node;
    bool exact;
    int F;
    Rounding rounding;
    ZeroExponent zero;
    bool has_drop;
    int drop;
};

struct PlanNode {
    NodeKind kind;
    int index = 0; ///< product, group: which one of the block
    Product product;
    Group group;
    Accumulator accumulator;
    Fuse fuse;                       ///< without children
    Round round;                     ///< without child
    std::vector<PlanChild> children; ///< of fuse; round: the one child's node
    const Format* format = nullptr;  ///< of round; of accumulator: the format it is converted to
    int max_F = 0;                   ///< fuse without exact children: fraction bits of the register of the sum
    bool exact = false;              ///< fuse: some child is exact
    /// Fuse: a truncated sum of products as they are multiplied, and perhaps c, all aligned alike (T-FDPA and the first
    /// sum of TR- and GTR-FDPA): the elements, and whether c is a term. Empty: another shape.
    std::vector<std::size_t> plain_products;
    bool plain_with_c = false;
};

/// The narrowest integers that provably hold every term and every aligned sum. Exact sums are checked vector by vector,
/// and go to the next wider ones if they do not fit.
enum class Width : std::uint8_t {
    i64, ///< and there are no exact sums
    i128,
    medium, ///< wide::Medium
    big,    ///< wide::Big
};

/// decode() of one format, with the normal numbers out of the way first.
class Decoder {
  public:
    explicit Decoder(const Format& f)
        : format_(&f), mantissa_mask_((1ull << f.mantissa_bits) - 1), hidden_(1ull << f.mantissa_bits),
          top_((1u << f.exponent_bits) - 1), padding_(f.padding_bits), exponent_at_(f.padding_bits + f.mantissa_bits),
          sign_at_(f.width - 1), bias_(f.bias) {}

    Decoded operator()(std::uint64_t bits) const {
        const auto field = static_cast<unsigned>(bits >> exponent_at_) & top_;
        if (field == 0 || field == top_) return decode(*format_, bits);
        return {.number_class = NumberClass::finite,
                .negative = ((bits >> sign_at_) & 1) != 0,
                .significand = ((bits >> padding_) & mantissa_mask_) | hidden_,
                .exponent = static_cast<int>(field) - bias_,
                .payload = 0};
    }

  private:
    const Format* format_;
    std::uint64_t mantissa_mask_, hidden_;
    unsigned top_;
    int padding_, exponent_at_, sign_at_, bias_;
};

struct Plan {
    explicit Plan(const Unit& unit); ///< validates

    Unit unit;
    const Format *a, *b, *c, *d; ///< c: nullptr without accumulator input
    const Format* scale;         ///< nullptr without scales
    std::vector<PlanNode> nodes; ///< children before parents; the root is last
    Width width;
    std::vector<std::size_t> order; ///< the elements 0…K−1 in the order of blocks
    Decoder decode_a, decode_b;     ///< operands are signed formats
};

} // namespace discern::integer
