// How small terms are truncated beside large ones, and how sums are rounded to the output.
#pragma once

#include "models/rounding.hpp"
#include "structure.hpp"

namespace discern::probe {

/// How many bits of a small term are kept beside a large one.
struct Alignment {
    /// Fraction bits that are kept relative to the largest exponent; nothing: unknown.
    std::optional<int> F;
    /// No term was truncated, however small; F is then the largest distance that was tried.
    bool lossless = false;
    std::optional<Rounding> mode; ///< nothing: unknown, or nothing was truncated
    bool operator==(const Alignment&) const = default;
};

/// Reports the features alignment_bits, extra_bits, alignment_rounding, c_alignment_bits and c_alignment_rounding.
/// @return the alignment of products beside products, as far as it is known
Alignment probe_alignment(Session& session, const Structure& structure);

/// Reports the features of probe_alignment, with what was asked since `first`; those of a small c, or all others.
/// @param why  the reason for features without a value
void report_alignment(Session& session, const Alignment& found, bool of_c, std::size_t first, const std::string& why);

/// Reports output_precision and output_rounding; and where the alignment could not be seen by itself, because no sum
/// has three terms, the features of probe_alignment as well.
Alignment probe_output(Session& session, const Structure& structure, const Alignment& alignment);

/// Reports product_normalisation and product_rounding.
void probe_products(Session& session, const Structure& structure, const Alignment& alignment);

/// The value of the large terms of a ladder, and its exponent.
struct Large {
    int top;
    std::optional<std::pair<Amount, Amount>> factors{}; ///< of their products; nothing: powers of two
};

/// Two large terms that cancel and a small one, all of one sum.
struct Ladder {
    int plus, minus, small; ///< positions (scene.hpp)
    /// How many of the exponents below the large terms' value survive; see Alignment. F counts from the exponent of
    /// the value of the large terms.
    Alignment climb(Session& session, const Large& large) const;
};

/// Three positions of the first block whose terms are added in one lossy sum; nothing if there are not so many.
/// @param small_c  c is to be the small term
std::optional<Ladder> ladder_of(const Structure& structure, bool small_c, bool other_lanes);

} // namespace discern::probe
