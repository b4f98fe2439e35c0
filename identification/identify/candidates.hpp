// The remaining candidates: boxes of structures, each of which is evaluated once for a vector and filtered by its
// result. A list of units is kept as the boxes that its members form.
#pragma once

#include "box_walk.hpp"

#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"
#include "solver/backend/limit.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::identify {

/// A member drawn from the candidates.
struct Sample {
    Unit unit;
    std::size_t structure = 0; ///< samples of one structure differ only in details
};

/// The final knowledge of one parameter, or of the members of a list.
struct Finding {
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
    std::string what;      ///< the structure, and what it leaves open: "fused sums of 16 {floor=none|-133}"
    std::size_t structure; ///< its number
};

/// The use that was made of an observation.
enum class Taken : std::uint8_t {
    used,       ///< or put off, where it would split the candidates into too many parts
    contradicts ///< every candidate
};

class Candidates {
  public:
    /// Begins with all members of the structures.
    explicit Candidates(std::vector<Structure> space);
    /// @param members  units of one shape by their names, at least one
    explicit Candidates(std::vector<std::pair<std::string, Unit>> members);
    Candidates(Candidates&&) = default; // and no copies: what is named points into it

    /// Sets the number of threads that evaluate observations; it does not change what remains.
    void use_threads(unsigned threads) { threads_ = threads; }

    double bits() const; ///< log2 of about how many candidates remain
    /// The structures that are left, as samples name them.
    std::vector<std::size_t> alive() const;
    /// Up to n members that agree with everything observed. @param focus  mostly of this structure
    std::vector<Sample> draw(std::size_t n, std::optional<std::size_t> focus, Random& random) const;
    /// Whether an answer to this vector can be used at once, instead of being put off.
    /// @param focus  by the members of this structure, at least
    /// @param paths  the most forks of its evaluation; the more, the more features the vector mixes
    /// @param but    so many boxes may put it off
    bool can_observe(const Inputs& inputs, std::optional<std::size_t> focus, std::size_t paths,
                     std::size_t but = 0) const;
    std::size_t boxes() const { return parts_.size(); }
    /// Removes the candidates that contradict the observation; if none would remain, all stay. The n-th call is
    /// observation n, from 0. Work that is not done at the limit is put off.
    Taken observe(const Inputs& inputs, std::uint64_t d, const Limit& limit);
    /// Uses the observations that were put off, as far as time allows.
    Taken use_all(const Limit& limit);
    /// Whether nothing is put off.
    bool all_used() const;
    /// These are reported before all others, the first of them first, where they are candidates. Before any
    /// observation.
    void prefer(const std::vector<Unit>& known);
    /// The preferred member, which is the one to report. Not of an empty set.
    /// @return nothing if so many observations are put off that no member that agrees with all of them is found soon
    std::optional<Unit> preferred() const;
    std::string structure_name() const;
    /// Everything that remains, the space of the preferred member first.
    std::vector<Remaining> remaining() const;
    std::vector<Finding> findings() const;
    /// Up to n members that differ in a reported value.
    std::vector<Unit> nearest(std::size_t n) const;

  private:
    /// A box, and the observations that it has not been filtered by, because they would have split it into too
    /// many.
    struct Part {
        Box box;
        std::vector<std::size_t> put_off;
        double tried_at = 1e9; ///< bits of the box when these were last tried
    };
    /// A unit of the list, as given and as a member of the space.
    struct Listed {
        std::string name;
        Unit unit;
        std::size_t structure;
        Assignment member;
        bool other_nan = false; ///< whether the NaN of an observation is none that its rule gives
    };
    /// A member, and the part that it is of.
    struct Named {
        const Part* part;
        Assignment member;
        bool agrees;                    ///< with all observations
        const Listed* listed = nullptr; ///< if there is a list
    };
    struct Effort {
        std::size_t paths, pieces;
        const Limit& limit; ///< nothing is tried after it
    };
    using Unions = std::map<std::size_t, std::vector<ValueSet>>; ///< by structure, the values that its boxes have
    struct Step {
        std::size_t observation;
        Unions sets;
        double bits;
    };

    Taken keep(std::vector<Part> remaining);
    std::vector<std::size_t> with_other_nan(const Inputs& inputs, std::uint64_t d) const;
    template <class Filter>
    std::vector<Part> filtered_each(const std::vector<Part>& parts, const Filter& filter) const;
    std::optional<std::vector<Box>> filtered(const Box& box, std::size_t number, const Effort& effort) const;
    void filter(const Part& part, const std::vector<std::size_t>& now, const std::vector<std::size_t>& later,
                const Effort& effort, std::vector<Part>& remaining) const;
    bool agrees(const Part& part, const Assignment& member) const;
    Unions unions() const;
    const Part* any_agreeing(std::size_t structure, Assignment& member, Random& random) const;
    std::string description(std::size_t structure, const std::vector<ValueSet>& sets) const;
    static bool may_be(const Listed& one, const Part& part);
    const Part* part_of(const Listed& one) const;
    std::vector<const Listed*> listed() const;
    const Named& named() const;
    Named find_named() const;

    unsigned threads_ = 1;
    std::vector<Structure> space_;
    /// Members that are preferred, by structure.
    std::vector<std::pair<std::size_t, Assignment>> preferred_;
    std::vector<Listed> list_; ///< empty: all members of the space
    std::vector<Part> parts_;
    mutable std::size_t said_no_ = 0;    ///< only saves time
    mutable std::optional<Named> named_; ///< of parts_, where it was asked for
    std::vector<Vector> observations_;   ///< with d, every NaN the canonical one
    std::vector<Step> history_;
};

} // namespace discern::identify
