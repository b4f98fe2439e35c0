// One property of one unit: asked as a command line would, with the truth that it is compared with.
#pragma once

#include "claim.hpp"

#include "analysis/property/truth.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::claims {

/// Whether the largest sum of the unit's products is about as large as its largest result.
bool barely_overflows(const Unit& unit);

/// Of three units, how many are such that …
struct Aims {
    int overflow = 1; ///< results are about as large as the formats go,
    int products = 0; ///< products do something with infinities, zeros and subnormal numbers.
};

/// A unit of which properties are asked: operands and results are floating point.
/// @param wanted  drawn again some times while it says no
Unit draw_unit_of_properties(Random& random, const Aims& aims, const std::function<bool(const Unit&)>& wanted);

/// What is true of a unit, of all of its inputs or of many that aim at its edges.
class TruthOf {
  public:
    explicit TruthOf(const Unit& unit);
    const property::Truth& operator*() const { return *truth_; }
    const property::Truth* operator->() const { return &*truth_; }

  private:
    std::vector<Vector> some_;
    std::optional<property::Truth> truth_;
};

/// `property UNIT NAME --json`: the answer about the one property, and its exit status.
struct PropertyAnswer {
    nlohmann::json said;
    std::string command;
    std::string wrong; ///< if the verdict is not that of the exit status, or a vector's result is not the unit's
    /// What it shows; nothing if there is none.
    std::optional<Vector> vector;

    bool is(std::string_view verdict) const { return said.at("verdict") == verdict; }
};
/// Nothing: the property says nothing of the unit.
std::optional<PropertyAnswer> ask_property(const Case& asked, const std::string& name, double seconds);

/// "--a … --b …" of a vector of the unit.
std::string as_options(const Unit& unit, const Vector& v);

} // namespace discern::claims
