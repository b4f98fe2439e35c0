// The kinds of claims, one a file of kinds/.
#pragma once

#include "claim.hpp"

namespace discern::claims {

Kind same_units();          // kinds/same.cpp
Kind classes_of_spaces();   // kinds/classes.cpp
Kind identified_units();    // kinds/identify.cpp
Kind consistent_units();    // kinds/which.cpp
Kind properties_of_units(); // kinds/property.cpp
Kind compared_programs();   // kinds/compare.cpp
Kind errors_of_units();     // kinds/error.cpp

} // namespace discern::claims
