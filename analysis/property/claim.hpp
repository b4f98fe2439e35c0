// A claim about all inputs of a unit, written as a condition that no input satisfies. It is written twice: for vectors,
// so that a vector found by any means is checked on both evaluators, and for terms, so that a solver can decide it for
// all inputs.
#pragma once

#include "encodings/encode.hpp"
#include "models/random.hpp"
#include "models/vectors.hpp"

#include <functional>
#include <string>
#include <vector>

namespace discern::property {

/// The units that a claim speaks of, ready to run: by the integer evaluator, or by the exact oracle.
class Models {
  public:
    enum class Which : std::uint8_t { evaluator, oracle };
    Models(const std::vector<Unit>& units, Which which) : units_(units) {
        if (which == Which::evaluator)
            for (const Unit& unit : units_) evaluators_.emplace_back(unit);
    }
    const Unit& unit(std::size_t i) const { return units_[i]; }
    Which which() const { return evaluators_.empty() ? Which::oracle : Which::evaluator; }
    std::uint64_t operator()(std::size_t unit, const Vector& v) const {
        return evaluators_.empty() ? evaluate_exactly(units_[unit], v.inputs()) : evaluators_[unit](v.inputs());
    }

  private:
    std::vector<Unit> units_;
    std::vector<Evaluator> evaluators_; ///< none: the oracle
};

/// Two results and the condition that a violation satisfies, as terms.
struct Statement {
    Term first, second;              ///< what is compared
    Term violated;                   ///< 1 bit
    Term assume;                     ///< 1 bit: of which inputs it is said
    std::optional<InputTerms> other; ///< the second vector, if there is one
    std::vector<Term> more;          ///< variables beside the inputs
};

struct Claim {
    std::string what; ///< "products 0 and 1"; may be empty
    std::function<Statement(Terms& t, const InputTerms& x)> state;
    /// Whether the vectors violate it, what is assumed included. y is x where there is no second vector.
    std::function<bool(const Models& models, const Vector& x, const Vector& y)> violated;
    /// The second vector of this first one, near the second one of another; nothing: there is none.
    std::function<Vector(const Models& models, const Vector& x, const Vector& y)> follow = {};
    /// Makes a first vector more interesting, and a second one if there is a choice.
    std::function<void(Vector& x, Vector& y, Random& random)> propose = {};
};

struct Claims {
    std::vector<Unit> units;    ///< the first is the one whose inputs x are
    std::size_t other_unit = 0; ///< whose inputs y are
    std::vector<Claim> all;     ///< together they are the property
};

} // namespace discern::property
