// Kinds of witnesses as terms, so that a solver can be asked for another one.
#pragma once

#include "kinds.hpp"
#include "solver/question/circuit.hpp"

#include "encodings/number/number.hpp"

#include <initializer_list>

namespace discern {

class KindConditions {
  public:
    /// @param circuit  is extended by what kinds depend on; must outlive the object
    KindConditions(Circuit& circuit, const Unit& unit);
    /// Whether the inputs have this profile (1 bit).
    Term is(const Profile& profile);
    /// Whether every term by itself is of the same sign and at the same distance from the others as in this vector
    /// (1 bit). Such inputs are of the vector's kind; inputs of its kind with exchanged terms are not such.
    Term like(const Inputs& inputs);

  private:
    struct Element {
        Term zero, special, negative, positive; // one of them is 1
        Ranged exponent;
    };
    Element element(std::initializer_list<Number> factors);
    Term counted(const std::vector<Term>& flags, int count);

    Terms& t_;
    const Unit& unit_;
    std::vector<Element> elements_; ///< products, and then c where there is one
};

} // namespace discern
