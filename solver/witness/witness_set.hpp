// Witnesses that were replayed and simplified, one of each kind.
#pragma once

#include "kinds.hpp"
#include "solver/backend/limit.hpp"
#include "solver/question/replay.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace discern {

class WitnessSet {
  public:
    /// Replays a proposed vector; does not return if the vector is no witness.
    using Check = std::function<Replay(const Vector& vector, const std::string& by)>;

    /// @param pair    must outlive the object
    /// @param wanted  witnesses, at least 1
    /// @param shrink  whether they are simplified
    WitnessSet(const Pair& pair, std::size_t wanted, bool shrink, Check check)
        : pair_(pair), wanted_(wanted), shrink_(shrink), check_(std::move(check)) {}

    bool enough() const { return kept_.size() >= wanted_; }
    bool empty() const { return kept_.empty(); }
    /// Keeps the vector if, simplified, it has a profile that none has; else it is remembered for fill().
    /// @return whether it was kept
    bool offer(Vector vector, const std::string& by);
    /// Adds what was remembered and is of other kinds, until there is enough: first vectors that are of another kind
    /// when simplified as far as possible, then others, simplified as far as their kind stays another.
    void fill(const Limit& limit);
    /// Keeps a vector of a new kind, simplified as far as its kind stays new.
    /// @param new_profile  and as far as even its profile stays new
    /// @return whether it was of a new kind, or profile
    bool take(Vector vector, const std::string& by, bool new_profile);

    const std::set<Profile>& profiles() const { return profiles_; }
    const std::vector<Vector>& witnesses() const { return kept_; }

  private:
    struct Found {
        Vector vector;
        std::string by;
    };
    Kind kind(const Vector& v) const { return kind_of(pair_.first(), v.inputs()); }
    bool is_new(const Vector& v, bool profile) const;
    void keep(Vector vector, const std::string& by);

    const Pair& pair_;
    std::size_t wanted_;
    bool shrink_;
    Check check_;
    std::vector<Vector> kept_;
    std::set<Kind> kinds_;       ///< of those kept
    std::set<Profile> profiles_; ///< likewise
    std::vector<Found> spare_;   ///< simplified, of a known profile
    std::vector<Found> raw_;     ///< as found, of those that were not kept, one of each kind
    std::set<Kind> raw_kinds_;   ///< theirs
};

} // namespace discern
