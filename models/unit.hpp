// A unit: operand formats, how K is divided into blocks, and the accumulation tree of one block.
#pragma once

#include "tree.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace discern {

/// Scale factors: one of `a` and one of `b` for every `block` consecutive elements.
struct Scale {
    FormatId format = FormatId::e8m0;
    int block = 32;
    bool operator==(const Scale&) const = default;
};

/// Where c enters.
enum class AccumulatorPlace : std::uint8_t {
    chained, ///< c is the accumulator of the first block
    last,    ///< blocks chain from +0; c is added to the last block's d by one IEEE addition, RNE, in d's format
};

/// Which NaN a unit returns. NaN is made by a NaN input, infinity times zero, or infinities of opposite sign.
struct NanRule {
    enum class Kind : std::uint8_t {
        pattern,   ///< always `bits`
        any,       ///< unspecified: compares equal to every NaN; shown as the canonical quiet NaN of d's format
        propagate, ///< x86: the first NaN among a, b, c of each operation, quieted, sign and payload kept; an invalid
                   ///< operation gives the quiet NaN with the sign bit set. In the notation: x86.
        rdna,      ///< AMD RDNA3 and RDNA4: NaN of three kinds, in this order of precedence: of a factor, made by an
                   ///< invalid operation, kept of an accumulator (docs/notation.md, "NaN").
    };
    Kind kind = Kind::any;
    std::uint64_t bits = 0;
    bool operator==(const NanRule&) const = default;
    /// Whether a NaN of d depends on those of the operands.
    bool keeps_operands() const { return kind == Kind::propagate || kind == Kind::rdna; }
};

struct Unit {
    FormatId a = FormatId::f16, b = FormatId::f16;
    std::optional<FormatId> c; ///< nothing: the unit has no accumulator input (x86/dpps)
    FormatId d = FormatId::f32;
    std::optional<Scale> scale;
    int K = 16; ///< products of one element of D
    int L = 16; ///< products of one block; blocks are chained through the accumulator
    /// 0: block i holds elements i·L … i·L+L−1. n: each two consecutive blocks share 2L elements, dealt in runs of n.
    int interleave = 0;
    AccumulatorPlace place = AccumulatorPlace::chained;
    NanRule nan;
    Node tree;

    bool operator==(const Unit&) const = default;

    int blocks() const { return K / L; }
    /// Scale factors of one operand: ceil(K / block), 0 without scales.
    int scales() const { return scale ? (K + scale->block - 1) / scale->block : 0; }
    /// Index in 0…K−1 of the l-th element of a block.
    int element(int block, int l) const {
        if (interleave == 0) return block * L + l;
        const int pair = block / 2, side = block % 2;
        return pair * 2 * L + (l / interleave) * 2 * interleave + side * interleave + l % interleave;
    }
};

/// Checks everything that evaluators rely on: L divides K, runs fit, each element of a block occurs in exactly one
/// leaf, c occurs where blocks are chained, formats can be stored in each other, F and exponents within [0, 64] and
/// ±2500, the root is a round.
/// @throws Error with a sentence that names the parameter and what would be right.
void validate(const Unit& unit);

/// The same tree with every leaf standing for exactly one element or group (of a block of L elements).
Node expand(const Unit& unit);

/// A stable hash of what the unit computes: the same on every platform and in every version with the same notation.
/// Children of a fuse are sorted first (their sum is exact), except where NaN keep those of operands, and leaves are
/// expanded, so two instructions with the same arithmetic have the same hash.
std::uint64_t arithmetic_hash(const Unit& unit);

} // namespace discern
