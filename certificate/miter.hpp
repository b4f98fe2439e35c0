// The formula of a claim "these units, and designs, give the same result": a circuit that says whether they differ, as
// clauses in a fixed order, as DIMACS.
#pragma once

#include "limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern::certificate {

/// Circuits of several units, and then designs, with the same inputs. Unused gates are left out.
struct Miter {
    Netlist netlist;
    std::vector<Bits> results;
    Bits same;         ///< of each unit, whether its result is that of the first: bits, or, where one of the two has
                       ///< nan=any, NaN both. Where the first has nan=any, a unit without it is held against the first
                       ///< one without it, since two that are the same as the first need not be the same
    Literal allowed;   ///< the inputs are within the limits
    Literal different; ///< allowed, and some two units do not give the same result
};

/// Whether a unit leaves it open which NaN it gives: then every NaN equals every other.
inline bool is_any_nan(const Unit& unit) { return unit.nan.kind == NanRule::Kind::any; }

/// A result, and whether any NaN is as good as that which it is.
struct Result {
    Bits d;
    bool any_nan;
};

/// Whether two results are the same: the same bits, or, where one of them has nan=any, two NaN.
Literal same_result(Netlist& n, const Format& f, const Result& one, const Result& other);

/// @param units   two or more
/// @param shared  gates that are there already are not made again (netlist.hpp)
/// @throws Error if the units have different shapes, or as require_inputs
Miter make_miter(const std::vector<Unit>& units, const Limits& limits, bool shared = false);

/// The same of units and designs, two or more together. A design beside a unit with nan=any may give any NaN where that
/// does; two designs have to give the same bits.
/// @param shape    a unit that has the formats of all: the first one, or any where there are only designs
/// @param designs  over the inputs of that unit, with as many outputs as its d has bits. A design may have more inputs,
/// which are the miter's last ones: what it leaves open. The results have to be the same whatever is on them
Miter make_miter(const Unit& shape, const std::vector<Unit>& units, const std::vector<AndCircuit>& designs,
                 const Limits& limits, bool shared = false);

/// A condition of the inputs, as a circuit over as many as the miter has.
struct Condition {
    Netlist circuit;
    Literal holds;
};

/// One of the outputs of a circuit over the operands, for a miter with that many inputs. Unused gates are left out.
Condition condition_of(const AndCircuit& circuit, std::size_t output, std::size_t inputs);

/// The miter whose results may differ where the condition does not hold.
Miter restricted(const Miter& miter, const Condition& condition);

/// What says that the outputs of a circuit are cases that together are all inputs: as a miter without results, which
/// is `different` if inputs within the limits are of no case.
Miter make_cover(const Unit& shape, const AndCircuit& cases, const Limits& limits);

/// Clauses one after the other. Variables are 1, 2, …; a negative number is the negation of a variable.
class Formula {
  public:
    std::size_t variables = 0;

    std::size_t size() const { return ends_.size(); }
    std::span<const std::int32_t> operator[](std::size_t i) const {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return {literals_.data() + begin, ends_[i] - begin};
    }
    void add(std::span<const std::int32_t> clause) {
        literals_.insert(literals_.end(), clause.begin(), clause.end());
        ends_.push_back(literals_.size());
    }

  private:
    std::vector<std::int32_t> literals_;
    std::vector<std::size_t> ends_;
};

/// Appends the clauses of a gate (gate_clauses).
void add_gate_clauses(Formula& formula, Gate gate, std::int32_t output, std::span<const std::int32_t> in);

/// A literal as a formula writes it; not of the constant. The variable of a node has its number.
constexpr std::int32_t in_formula(Literal x) {
    const auto variable = static_cast<std::int32_t>(node_of(x));
    return is_inverted(x) ? -variable : variable;
}

/// The clauses of all gates in their order, and last that the results differ. Unsatisfiable: they never do.
Formula to_formula(const Miter& miter);
/// These, then the clauses of the condition's gates, whose variables follow, and last that it holds. Unsatisfiable:
/// results never differ where it does.
Formula to_formula(const Miter& miter, const Condition& condition);

std::string to_dimacs(const Formula& formula);

} // namespace discern::certificate
