// The kinds of claims, one a file of kinds/.
#pragma once

#include "claim.hpp"

namespace discern::claims {

Kind same_units();        // kinds/same.cpp
Kind classes_of_spaces(); // kinds/classes.cpp
Kind identified_units();  // kinds/identify.cpp
Kind consistent_units();  // kinds/which.cpp
Kind certificates();      // kinds/certificate.cpp

} // namespace discern::claims
