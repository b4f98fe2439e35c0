// Suites: the classes of a family of units, and a small set of vectors that distinguishes all classes.
#pragma once

#include "analysis/store/store.hpp"
#include "cell.hpp"
#include "cover.hpp"
#include "solver/decide/discriminate.hpp"

#include "models/members.hpp"
#include "models/shape.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace discern {

struct SuiteOptions {
    /// Options of each question: `timeout` is the limit of one, `stop` that of all; `count` and `progress` are not
    /// used.
    DiscriminateOptions solving;
    double timeout = 600;        ///< seconds for everything
    Store* store = nullptr;      ///< where answers are looked up and kept, if there is one
    Store* cells_from = nullptr; ///< where the first cells are looked up besides, if there is one
    unsigned threads = 1;        ///< that work on units; the classes are the same
    std::function<void(const std::string&)> progress;
    std::function<void()> over{}; ///< called where the time is over and nothing is begun any more but the answer
};

/// What a suite is asked about: units that are listed, then all members of spaces.
struct Asked {
    Members listed;
    std::vector<Space> spaces;
    std::function<void(const Member&)> look{};      ///< called with each when it is made
    std::function<void(std::size_t)> look_at_all{}; ///< called with how many there are, then
    unsigned threads = 1;                           ///< that make them

    Asked(Members units = {}) : listed(std::move(units)) {}
    Asked(std::vector<Member> units) : listed(std::move(units)) {}
    /// All of them, which are made once. @throws Error if there are too many, and what is thrown by what looks
    const Members& members() const;

  private:
    mutable std::optional<Members> all_;
};

/// The relation of two units, as far as it is known.
enum class Relation : std::uint8_t {
    same_tree, ///< the trees are the same text
    proved,    ///< other trees, proved equivalent
    different, ///< a vector separates them
    unknown,
};

std::string_view name(Relation relation);

/// No suite of any vectors is smaller than that, and why; 0 for a single class.
struct LowerBound {
    std::size_t vectors = 0;
    std::string reason;
};

/// The suite of the units of one shape. Where many classes are undecided, there are no vectors.
struct Suite : Settling {
    Shape shape;
    Members units;
    std::vector<std::vector<std::size_t>> classes; ///< units, in the order in which they were given
    std::vector<Ground> grounds;                   ///< of each class: why its units are the same
    std::vector<std::size_t> class_of;             ///< of each unit
    std::vector<std::size_t> tree_of;              ///< of each unit: units of one number have the same tree
    std::vector<ClassPair> equal;                  ///< see Partition::equal
    std::vector<Ground> grounds_of_equal;          ///< of these
    std::vector<Vector> vectors;                   ///< d of each class, in their order
    bool smallest_of_pool = false;
    std::size_t pool = 0; ///< vectors among which the suite was chosen
    LowerBound bound;
    std::size_t trees = 0;  ///< different ones
    std::size_t stored = 0; ///< questions that the store answered
    double seconds = 0;

    Relation relation(std::size_t unit, std::size_t other) const;
    /// Why two units of relation same_tree or proved are the same, at least: that of their class. Nothing of others.
    Ground ground(std::size_t unit, std::size_t other) const;
    /// The weakest of all that is said to be the same.
    Ground weakest_ground() const;
    /// The first vector that separates two classes, if one does.
    std::optional<std::size_t> separating(std::size_t one, std::size_t other) const;
};

/// The suites of all units, one for each shape, in the order in which the shapes come up.
/// @throws Error if there is no unit, or the options are wrong for one
std::vector<Suite> make_suites(const Asked& asked, const SuiteOptions& options);

} // namespace discern
