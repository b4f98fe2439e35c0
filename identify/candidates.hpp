// What is still possible, behind one interface: boxes of a parametric space, or a list of units.
#pragma once

#include "box_walk.hpp"

#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"
#include "solver/backend/limit.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace discern::identify {

/// A member drawn from the candidates.
struct Sample {
    Unit unit;
    std::size_t structure = 0; ///< samples of one structure differ only in details
};

/// What is known of one parameter at the end.
struct Feature {
    std::string name;
    std::string value;                     ///< of the unit that is named
    std::vector<std::string> also;         ///< other values that remain, each proved or open
    std::vector<std::size_t> observations; ///< that removed values from it, from 0
};

/// Members that remain, as one space to ask about.
struct Remaining {
    parametric::UnitSpace space;
    /// Observations by which the boxes were not filtered: only members that give them remain.
    std::vector<Vector> put_off;
    std::string what; ///< the structure, and what it leaves open: "fused sums of 16 {floor=none|-133}"
};

/// What became of an observation.
enum class Taken : std::uint8_t {
    used,       ///< or put off, where it would cut the candidates into too many parts
    contradicts ///< every candidate
};

class Candidates {
  public:
    virtual ~Candidates() = default;

    virtual double bits() const = 0; ///< log2 of how many remain, about
    /// The structures that are left, as samples name them.
    virtual std::vector<std::size_t> alive() const = 0;
    /// Up to n members that agree with everything observed. @param focus  mostly of this structure
    virtual std::vector<Sample> draw(std::size_t n, std::optional<std::size_t> focus, Random& random) const = 0;
    /// Whether an answer to this vector can be taken into account at once.
    /// @param focus  by the members of this structure, at least
    /// @param paths  in so many different ways at most: the more, the more features the vector mixes
    virtual bool can_observe(const Inputs& inputs, std::optional<std::size_t> focus, std::size_t paths) const = 0;
    /// Drops what contradicts; if nothing would be left, the candidates stay as they were. The n-th call is observation
    /// n, from 0. After the limit, what is not done is put off.
    virtual Taken observe(const Inputs& inputs, std::uint64_t d, const Limit& limit) = 0;
    /// Uses what was put off, as far as possible in time.
    virtual Taken use_all(const Limit& limit) = 0;
    /// Whether nothing is put off.
    virtual bool all_used() const = 0;
    /// The member that would be named, by the fewest words. Not of an empty set.
    /// @return nothing where too much is put off to find one soon that agrees with all observations
    virtual std::optional<Unit> preferred() const = 0;
    virtual std::string structure_name() const = 0;
    /// Everything that remains, the space of the preferred member first.
    virtual std::vector<Remaining> remaining() const = 0;
    virtual std::vector<Feature> features() const = 0;
    /// Up to n members that differ in what can be told of them.
    virtual std::vector<Unit> nearest(std::size_t n) const = 0;
};

std::unique_ptr<Candidates> box_candidates(std::vector<Structure> space);
/// @param members  of one shape, at least one
std::unique_ptr<Candidates> listed_candidates(std::vector<std::pair<std::string, Unit>> members);

} // namespace discern::identify
