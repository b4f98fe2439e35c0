// The decision to round away from zero, for terms of a sum and for results: models/rounding.hpp lists the modes.
#pragma once

#include "domain.hpp"

#include "models/rounding.hpp"

namespace discern::circuit {

/// The result of truncating a magnitude, and what it loses.
template <Domain D>
struct Truncated {
    Bit<D> negative; ///< the number's sign
    Bit<D> lsb;      ///< the last bit that is kept
    Bit<D> guard;    ///< the first bit that is not
    Bit<D> sticky;   ///< whether a bit below that is set
};

/// Whether the magnitude is incremented by one unit of its lsb.
template <Domain D>
Bit<D> rounds_away(D& d, Rounding mode, const Truncated<D>& x) {
    const Bit<D> inexact = d.bit_or(x.guard, x.sticky);
    const auto tie_away = [&](Bit<D> if_so) { return d.bit_and(x.guard, d.bit_or(x.sticky, if_so)); };
    switch (mode) {
    case Rounding::rz: return d.zero();
    case Rounding::rd: return d.bit_and(x.negative, inexact);
    case Rounding::ru: return d.bit_and(d.bit_not(x.negative), inexact);
    case Rounding::rne: return tie_away(x.lsb);
    case Rounding::rna: return x.guard;
    case Rounding::odd: return d.bit_and(inexact, d.bit_not(x.lsb));
    case Rounding::ra: return inexact;
    case Rounding::rnu: return tie_away(d.bit_not(x.negative));
    case Rounding::rnd: return tie_away(x.negative);
    case Rounding::rnz: return d.bit_and(x.guard, x.sticky);
    case Rounding::rno: return tie_away(d.bit_not(x.lsb));
    }
    return d.zero();
}

} // namespace discern::circuit
