// The accumulation tree: what a matrix unit does with the K products and the accumulator of one element.
//
// Every unit in the literature is described by three kinds of leaf and two kinds of inner node (docs/notation.md). The
// tree is plain data: evaluators, encoders and printers read it and share nothing else. Parameters are those of Xie et
// al., "Bit-Accurate Modeling of GPU Matrix Multiply-Accumulate Units", Algorithms 1-11, and of the points that are
// still open in the literature, each of which is a field here and not a decision somewhere in the code.
#pragma once

#include "format.hpp"
#include "rounding.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace discern {

/// The reference exponent of a child whose value is zero.
struct ZeroExponent {
    enum class Kind : std::uint8_t {
        ignore,   ///< does not take part in the maximum
        own,      ///< the one its fields give (emin of the format for c; for a product the sum of both operands')
        constant, ///< `value`
    };
    Kind kind = Kind::ignore;
    int value = 0;
    bool operator==(const ZeroExponent&) const = default;
};

/// Which elements of a block a leaf stands for: `first`, `first+step`, … below the number of elements; step 0: `first`
/// alone.
struct Selection {
    int first = 0;
    int step = 1;
    bool operator==(const Selection&) const = default;
};

/// How an exact product is presented to its parent. Significands of operands are in [1, 2), so the product's is in [1,
/// 4) unless an operand is subnormal.
enum class Normalisation : std::uint8_t {
    raw,   ///< as multiplied; exponent = sum of the operands' exponents
    carry, ///< shifted by one bit when the significand is ≥ 2
    full,  ///< significand in [1, 2), subnormal operands included
};

/// Leaf: the exact products a_k·b_k (times the scales of k, if the unit has scales). The significands are multiplied
/// and the exponents added.
struct Product {
    Selection which{};
    Normalisation normalisation = Normalisation::raw;
    /// A product of magnitude ≥ 2^limit becomes infinite (CDNA3: 128).
    std::optional<int> limit{};
    /// An infinity made by `limit` gives way to any infinity that comes from the inputs; only among themselves do such
    /// infinities of opposite sign make NaN. False: it counts as an infinity like any other.
    bool oinf_yields = true;
    /// a and b are converted to this format first, exactly; it decides only the exponents of subnormal and of zero
    /// ones.
    std::optional<FormatId> as{};
    /// Subnormal a and b are read as zero,
    bool ftz = false;
    /// … which keeps the sign of the operand (else +0).
    bool fsign_keep = true;
    /// Zeros in the input keep their sign. False: −0 is read as +0, as flushed subnormals then are too.
    bool zin_keep = true;
    /// Infinite a and b are read as NaN.
    bool infnan = false;
    /// NaN a and b are read as zeros of their sign, with the exponent that zeros have.
    bool nanzero = false;
    /// Infinity times zero is infinite. False: NaN.
    bool infzero = false;
    bool operator==(const Product&) const = default;
};

/// Leaf: exact fixed-point dot products of `size` consecutive elements that share their scales, times the significands
/// of the scales; the reference exponent is the sum of the scales' exponents (0 without scales). Xie et al.,
/// Algorithm 9. `which` selects groups, not elements.
struct Group {
    Selection which{};
    int size = 16;
    /// The reference exponent of an empty group: one whose products are all zero, or one of whose scales is. `own`:
    /// that of its scales, like that of a group whose products cancel.
    ZeroExponent empty{ZeroExponent::Kind::own, 0};
    bool operator==(const Group&) const = default;
};

/// Leaf: the accumulator: c in the first block (+0 if c comes last), then the previous block's d.
struct Accumulator {
    /// c is converted to this format first, exactly; it decides only the reference exponent of subnormal c.
    std::optional<FormatId> as{};
    bool ftz = false;
    bool fsign_keep = true;
    bool zin_keep = true; ///< as in Product
    bool operator==(const Accumulator&) const = default;
};

struct Node;

/// The sign relative to which a fuse forms its sum: a term of the other sign enters as its one's complement, which is
/// one unit of its last bit further from zero than the negated term (AMD RDNA3.5).
enum class SignFrame : std::uint8_t {
    none,      ///< negative terms enter as their two's complement
    c,         ///< the accumulator's, of a zero too
    c_or_plus, ///< the accumulator's; + if it is zero
    nonzero_c, ///< the accumulator's; if it is zero, no term is of the other sign
};

/// Which of the terms of the other sign are inverted.
enum class Opposed : std::uint8_t {
    all,
    nonzero, ///< those that are not zero
    kept,    ///< those that are not zero once they are aligned
};

/// By which of the two scales of its products a rounded number is multiplied.
enum class Scaled : std::uint8_t { no, both, a, b };

/// @param scale  a or b
constexpr bool multiplies(Scaled scaled, Scaled scale) { return scaled == scale || scaled == Scaled::both; }

/// A child of a fuse, and how it is aligned: rounded to F fractional bits relative to 2^E, where E is the largest
/// reference exponent of all children.
struct Child {
    std::vector<Node> node; ///< exactly one; a vector because Node is incomplete here
    std::optional<int> F{}; ///< nothing: exact
    Rounding rounding = Rounding::rz;
    ZeroExponent zero{};
    /// The child counts as zero when its exponent is below E − drop (it still took part in the maximum).
    std::optional<int> drop{};
    /// The child, zero or not, takes part in the maximum with its exponent less that (AMD RDNA3 and RDNA4). Nothing
    /// else of it changes: `drop` compares its own exponent, and E may be below that.
    int less = 0;
    /// The child's rounded number is multiplied by scales of its elements before it is aligned, and the products below
    /// it are not (has_scaled_sums). If by one of the two, it is multiplied by the other one further up or further
    /// down.
    Scaled scaled = Scaled::no;
    bool operator==(const Child&) const;
    const Node& get() const { return node.front(); }
    Node& get() { return node.front(); }
};

/// Inner node: exact sum of aligned children. The result is not normalised and keeps E as its reference exponent. If no
/// child takes part in the maximum and there is no floor, the result is a zero that takes no part in its parent's.
struct Fuse {
    std::vector<Child> children;
    std::optional<int> floor; ///< lower bound of E
    /// Width of the register of the sum: one sign, `carry` carry, two integer and max(F) fraction bits, wrapping.
    /// Nothing: never wraps. Needs every child to have an F.
    std::optional<int> carry;
    /// The sum has one bit more, below those of max(F): it is set if anything was truncated or dropped that was not
    /// zero, of whatever sign, and belongs to the sum's magnitude; to a zero sum it gives +. Needs every child to have
    /// an F, and no `carry`.
    bool sticky = false;
    /// A sum that is zero is +0, whatever was added. It says nothing of nonzero sums that the parent truncates to zero,
    /// which keep their sign.
    bool plus = false;
    /// Needs c and products as children, each with an F, none with a `drop`, and no `sticky`.
    SignFrame frame = SignFrame::none;
    Opposed opposed = Opposed::all;
    /// E is raised to the next number that is `phase` modulo `step`: terms are shifted by multiples of `step`
    /// (NVDLA), a power of two.
    std::optional<int> step{};
    int phase = 0; ///< below step
    bool operator==(const Fuse&) const = default;
};

/// What a conversion gives when the rounded magnitude exceeds the largest finite number.
enum class Overflow : std::uint8_t {
    infinity,
    largest, ///< the largest finite number
    ieee,    ///< infinity or the largest, as IEEE 754 says for the mode (rz, odd: largest)
};

/// When a result counts as subnormal and is flushed to zero.
enum class Flush : std::uint8_t {
    none,
    result, ///< when the rounded number is subnormal (Xie et al., Algorithm 1)
    after,  ///< when it would be subnormal if rounded with unbounded exponent (IEEE "after rounding"; x86)
    before, ///< when the exact number is below the smallest normal (IEEE "before rounding")
};

/// Inner node: normalises and rounds to a floating-point format.
struct Round {
    FormatId format = FormatId::f32;
    Rounding mode = Rounding::rne;
    Overflow overflow = Overflow::ieee;
    Flush ftz = Flush::none;
    bool fsign_keep = true;
    /// Sign of an exactly zero sum: IEEE 754 §6.3 (true), or always + (false).
    bool zsign_ieee = true;
    /// Sign of a non-zero number that rounds to zero: kept (true), or always + (false).
    bool usign_keep = true;
    std::vector<Node> child; ///< exactly one
    bool operator==(const Round&) const;
    const Node& get() const { return child.front(); }
    Node& get() { return child.front(); }
};

struct Node {
    std::variant<Product, Group, Accumulator, Fuse, Round> kind;
    bool operator==(const Node&) const = default;
};

inline bool Child::operator==(const Child& o) const {
    return node == o.node && F == o.F && rounding == o.rounding && zero == o.zero && drop == o.drop && less == o.less &&
           scaled == o.scaled;
}
inline bool Round::operator==(const Round& o) const {
    return format == o.format && mode == o.mode && overflow == o.overflow && ftz == o.ftz &&
           fsign_keep == o.fsign_keep && zsign_ieee == o.zsign_ieee && usign_keep == o.usign_keep && child == o.child;
}

/// Whether every child has an F, so that the sum has a last bit.
inline bool all_aligned(const Fuse& fuse) {
    for (const Child& child : fuse.children)
        if (!child.F) return false;
    return true;
}

/// Whether the fuse can have a frame.
inline bool can_have_frame(const Fuse& fuse) {
    bool with_c = false;
    for (const Child& child : fuse.children) {
        const bool is_c = std::holds_alternative<Accumulator>(child.get().kind);
        if (child.drop || (!is_c && !std::holds_alternative<Product>(child.get().kind))) return false;
        with_c = with_c || is_c;
    }
    return with_c && all_aligned(fuse) && !fuse.sticky;
}

inline bool is_leaf(const Node& node) { return node.kind.index() <= 2; }

} // namespace discern
