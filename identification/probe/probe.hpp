// The feature table of an unknown unit, read from its answers to vectors made for the purpose.
//
// Li et al. ("FTTN", 2024) and Khattak & Mikaitis (2025) determine a unit's features by such vectors, each of which is
// read on the assumption that other features have usual values; where they have not, the reading is wrong. Here each
// probe isolates its feature (large terms cancel, so that nothing but the alignment of a small one is seen), uses what
// earlier probes have settled, and gives a value only if the answers fit exactly one reading.
#pragma once

#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// Answers a batch of vectors of one shape, in order: d, or nothing where there is no answer.
using AskTarget = std::function<std::vector<std::optional<std::uint64_t>>(std::span<const Inputs>)>;

struct Feature {
    std::string_view key;                ///< as in JSON: "block_width"
    std::string_view title;              ///< as in the table: "block width"
    std::optional<std::string> value;    ///< nothing: not determined
    std::string why;                     ///< what the value means, or why there is none
    std::vector<std::size_t> decided_by; ///< indices into ProbeReport::asked
};

struct ProbeReport {
    std::vector<Feature> features;
    std::vector<Vector> asked; ///< in order; d is empty where there was no answer
    /// A unit that has this table and gives all that was observed, fresh vectors included, in the notation; nothing if
    /// it was not looked for, no feature has a value, or no unit was found in time.
    std::optional<std::string> unit{};
    std::size_t fresh = 0;     ///< vectors that were asked to hold it against
    bool is_undecided = false; ///< the time was over: the table was not held against a unit

    /// The feature of that key, or nullptr.
    const Feature* find(std::string_view key) const;
    /// The value of that feature; the other text if it has none.
    std::string value_of(std::string_view key, std::string_view otherwise = "") const;
};

/// Our own probes.
ProbeReport probe_features(const Shape& shape, const AskTarget& ask);

/// The same, but only what a unit explains: one that has these features is built and held against all answers and
/// 10,000 fresh vectors. Where there is none, the features of the sum are "none of the known readings".
/// @param seconds  for that, about
ProbeReport probe_checked(const Shape& shape, const AskTarget& ask, double seconds, std::stop_token stop = {});

/// The tests of Li et al., Table III and §III, read as they read them. Their assumptions may be wrong for the unit:
/// this is for comparison.
ProbeReport probe_classic(const Shape& shape, const AskTarget& ask);

/// The features as the columns of Li et al., Table III, in its order and words, for one kind of input: title and value,
/// "?" where there is none.
std::vector<std::pair<std::string_view, std::string>> table_row(const Shape& shape, const ProbeReport& report);

} // namespace discern
