// What a unit can and cannot do, for all its inputs: a table of properties, each proved or refuted.
//
// A property is one or more claims (claims.hpp). It is refuted by a vector, which is replayed on both evaluators, and
// proved by terms that fold, by a solver, or by a theorem about trees that such a proof brings in reach; everything
// else is unknown. A proof about one block with any accumulator is one about chains of such blocks.
#pragma once

#include "basis.hpp"
#include "claims.hpp"
#include "search.hpp"

#include "models/shape.hpp"
#include "solver/backend/backend.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern::property {

enum class Verdict : std::uint8_t { proved, refuted, unknown };
std::string_view name(Verdict verdict);

struct Finding {
    Verdict verdict = Verdict::unknown;
    /// If refuted, or if there is a vector that shows that the value cannot be better: the vector with its d.
    std::optional<Vector> vector;
    std::optional<Vector> other; ///< the changed one, with its d, if the property speaks of two
    Shape other_shape = {};      ///< of `other`
    std::string what;            ///< "products 0 and 1"; may be empty
    /// exact-region: the n that was proved. max-error: the k that was proved, or if refuted how much the vector shows.
    /// error-of-terms: the k that was proved.
    std::optional<double> value;
    std::optional<double> limit; ///< exact-region: the vector refutes this n; else: the vector shows that much
    std::string by;              ///< what answered: "random", "terms", "cadical, one block", …
    Ground ground;               ///< of what is proved
    double seconds = 0;
};

struct Options {
    double timeout = 60; ///< seconds, of one property
    std::stop_token stop;
    std::uint64_t seed = 0;
    std::uint64_t tries = 60000;         ///< random vectors, within a few seconds
    const BackendKind* second = nullptr; ///< a second solver that has to confirm every unsat
    bool theorems = true;                ///< otherwise terms and solvers alone prove: a check of what the tree proves
};

struct Property {
    std::string_view name;
    std::string_view sentence;
    /// Why it says nothing of this unit; "" if it does.
    std::string (*why_not)(const Unit& unit);
    Finding (*ask)(const Property& property, const Unit& unit, const Options& options);
    Claims (*claims)(const Unit& unit, Scope scope); ///< nullptr: it has a value, and `ask` knows
    bool blocks_inherit;                             ///< what holds of a block holds of chains of it
};

std::span<const Property> properties();
/// @throws Error that names the nearest right one
const Property& require_property(std::string_view name);

/// Bounds beyond this many ulp are as good as none: max-error is then refuted.
inline constexpr std::int64_t largest_error = 1024;

} // namespace discern::property
