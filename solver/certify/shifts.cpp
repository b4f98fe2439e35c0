#include "shifts.hpp"

#include "certificate/reference.hpp"

namespace discern::certificate {

namespace {

/// Notes whether any bit is set, stage by stage.
class Stages : public GateDomain {
  public:
    using GateDomain::GateDomain;

    Bits any_bits;

    Shifted shift_right(const Bits& x, const Bits& amount) {
        any_bits.push_back(any(x));
        Bits word = x;
        for (int stage = 0; stage < width(amount); ++stage) {
            word = GateDomain::shift_right(word, concat(Bits{bit(amount, stage)}, constant(0, stage))).word;
            any_bits.push_back(any(word));
        }
        return GateDomain::shift_right(x, amount);
    }
};

static_assert(circuit::Domain<Stages>);

} // namespace

Lemmas any_bits_of_shifts(const Unit& unit) {
    Netlist n(input_bits(unit), true);
    Stages d(n);
    const Operands plain = operands(n, unit);
    const circuit::Operands<Stages> in{plain.a, plain.b, plain.sa, plain.sb, plain.c};
    circuit::NoObserver<Stages> observer;
    circuit::unit_circuit(d, unit, in, observer);
    Netlist circuit = without_unused(n, d.any_bits);
    return {std::move(circuit), std::move(d.any_bits)};
}

} // namespace discern::certificate
