// The kinds of claims, one a file of kinds/.
#pragma once

#include "claim.hpp"

namespace discern::claims {

Kind same_units();          // kinds/same.cpp
Kind one_term();            // kinds/terms.cpp
Kind claimed_facts();       // kinds/facts.cpp
Kind classes_of_spaces();   // kinds/classes.cpp
Kind terms_of_spaces();     // kinds/spaces.cpp
Kind identified_units();    // kinds/identify.cpp
Kind consistent_units();    // kinds/which.cpp
Kind limited_inputs();      // kinds/limits.cpp
Kind term_of_unit();        // kinds/term.cpp
Kind batches();             // kinds/batch.cpp
Kind damaged_stores();      // kinds/store.cpp
Kind measured_errors();     // kinds/measure.cpp
Kind tables_read();         // kinds/tables.cpp
Kind same_kernels();        // kinds/same_bits.cpp
Kind smt2_files();          // kinds/smt2.cpp
Kind properties_of_units(); // kinds/property.cpp
Kind errors_of_units();     // kinds/error.cpp
Kind compared_programs();   // kinds/compare.cpp
Kind designs();             // kinds/rtl.cpp
Kind certificates();        // kinds/certificate.cpp
Kind covered_events();      // kinds/coverage.cpp
Kind compared_designs();    // kinds/two_designs.cpp
Kind certified_designs();   // kinds/design_certificate.cpp
Kind kernels_of_ptx();      // kinds/ptx.cpp
Kind pairs_of_shapes();     // kinds/shapes.cpp
Kind traits_read();         // designs/traits.cpp
Kind flags_of_designs();    // kinds/flags.cpp
Kind handshakes();          // designs/handshakes.cpp

} // namespace discern::claims
