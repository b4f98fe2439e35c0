// Whether anything that remains differs from the unit that identify would name: one question for each structure, by
// vectors, by folding and by solvers.
#pragma once

#include "candidates.hpp"
#include "identify.hpp"
#include "offers.hpp"
#include "solver/decide/decide.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace discern::identify {

class Doubts {
  public:
    /// @param limit  after it nothing more is asked; it outlives this, as the others do
    Doubts(const Shape& shape, const Options& options, const Limit& limit)
        : shape_(shape), options_(options), limit_(limit) {}

    /// What may be asked, and how.
    struct Asking {
        std::function<bool(const Vector&)> finds;                      ///< whether a search may find it
        std::function<bool(Vector, const std::string& purpose)> asked; ///< whether the target answered it
        /// Whether vectors are searched for: before anything is proved, or after what folding proves.
        std::function<bool(bool before_proofs)> searches;
        std::function<void(const std::string&)> progress;
    };

    /// What is cheap comes first for all structures, since a vector that it finds spares the proofs.
    /// @param word  receives what was proved and what is open
    /// @return false if a distinguishing vector was found and asked
    bool settle(const Unit& named, const std::vector<Remaining>& remaining, const Asking& asking, ProbeMaker& probes,
                Random& random, LastWord& word);

  private:
    /// Why all that is left of a structure is equivalent to the unit.
    struct Same {
        std::string by;
        Ground ground;
    };

    bool is_settled(const Remaining& rest, Decision decision, const Asking& asking);
    bool report_same(const Unit& named, const Remaining& one, LastWord& word) const;
    Decision decided(const Unit& named, const Remaining& rest, const std::string& solver, double part) const;

    const Shape& shape_;
    const Options& options_;
    const Limit& limit_;
    /// Structures of which all that was left was proved equivalent to that unit. What is left later is some of it.
    std::map<std::size_t, Same> same_;
    std::optional<Unit> same_as_;
};

} // namespace discern::identify
