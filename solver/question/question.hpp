// A question about two units, or two spaces of units, and its answer.
#pragma once

#include "ground.hpp"
#include "input_limits.hpp"
#include "models/parametric/structure.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

struct Question {
    Unit first, second; ///< of one shape
    InputLimits limits;
};

/// Is there an input within the limits, and a member of each space, whose results differ?
struct SpaceQuestion {
    parametric::UnitSpace first, second; ///< of one shape
    InputLimits limits;
    /// Only members of the second space count that give these results (d, of which any NaN is one NaN).
    std::vector<Vector> observed;
};

/// A unit is a space of one member.
parametric::UnitSpace space_of(const Unit& unit);
/// @param space  of one member
Unit only_member(const parametric::UnitSpace& space);
SpaceQuestion as_spaces(const Question& question);

enum class Verdict : std::uint8_t {
    different,  ///< there is a vector within the limits on which the results differ
    equivalent, ///< proved: there is none
    unknown,    ///< neither was found within the limits
};

std::string_view name(Verdict verdict);

/// What was done, in order, and what it cost.
struct Stage {
    std::string name;    ///< "terms", "random", "sat", "sat, b powers of two", "sat by sweeping", …
    std::string outcome; ///< "different", "equivalent", "nothing"; of a solver "sat", "unsat", "unknown"
    double seconds = 0;
};

/// How often a second solver was asked about an answer of the first.
struct CrossCount {
    std::size_t confirmed = 0;   ///< it gave the same answer
    std::size_t unconfirmed = 0; ///< it gave none in time; an unsat of the first was then not used

    CrossCount& operator+=(const CrossCount& other) {
        confirmed += other.confirmed;
        unconfirmed += other.unconfirmed;
        return *this;
    }
};

/// What every answer says of itself.
struct Answered {
    Verdict verdict = Verdict::unknown;
    std::vector<Stage> stages;
    std::string by; ///< the stage that answered; empty if none did
    Ground ground;  ///< if equivalent: of all that this rests on, the weakest
    /// If equivalent: vectors that tried to refute it, or what it rests on (challenge.hpp). 0 by structure.
    std::uint64_t challenged = 0;
};

struct Answer : Answered {
    /// Both units are the same term of the inputs, or have the same arithmetic by definition.
    bool same_tree = false;
    /// Vectors on which the units differ; d holds both results, in the order of the units. Each was replayed on both
    /// models of both units.
    std::vector<Vector> witnesses;
    /// Of a design whose result depends on what went before: operations from its reset on, d as in the witness, which
    /// is one of them. Empty otherwise.
    std::vector<Vector> sequence;
    /// Of a design with a handshake: what is wrong, and a digit for each edge from the reset on, of the operands' valid
    /// and the results' ready; d of an operation has the unit's result alone where the design gives none.
    struct Stalls {
        std::string wrong, valid, ready;
        std::vector<Vector> operands = {}; ///< on the ports at each edge, whether they are valid or not
    };
    std::optional<Stalls> stalls;
    std::string missing; ///< if unknown: a sentence on what a proof lacks, where that is known
    /// Of a question that was split into cases.
    struct Cases {
        std::size_t proved = 0;
        std::vector<std::string> open; ///< those without an answer, in words
    };
    std::optional<Cases> cases;
    /// With a second solver: its name, and how often it was asked about an answer on which this one rests.
    struct Check : CrossCount {
        std::string solver;
    };
    std::optional<Check> cross_check;
    double seconds = 0;
};

/// Of an answer that rests on several: what answered is written one after the other, and the weakest ground counts.
void also(Answer& answer, const std::string& by, const Ground& ground);

/// A sentence that says why no vector can be an input of both units, or "".
std::string incomparable(const Unit& first, const Unit& second);

/// @throws Error with that sentence
void require_comparable(const Unit& first, const Unit& second);

} // namespace discern
