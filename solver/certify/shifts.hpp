// Whether anything is left of a number while it is aligned: gates that say so of each stage of the shifter.
#pragma once

#include "solver/certify/proof/sweep.hpp"

#include "models/unit.hpp"

namespace discern::certificate {

/// The gates of a unit that align terms, and for each stage of a shifter whether any bit of the word is set there. That
/// an aligned term is zero only if the number was is one question about all stages, too hard for a sweep; that a stage
/// loses nothing is as many easy ones.
Lemmas any_bits_of_shifts(const Unit& unit);

} // namespace discern::certificate
