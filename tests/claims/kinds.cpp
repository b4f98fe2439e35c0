#include "kinds.hpp"

#include <array>

namespace discern::claims {

std::span<const Kind> kinds() {
    static const std::array table = {
        // One a line, so that a new one is a line of its own.
        same_units(),          //
        one_term(),            //
        claimed_facts(),       //
        classes_of_spaces(),   //
        terms_of_spaces(),     //
        identified_units(),    //
        consistent_units(),    //
        limited_inputs(),      //
        term_of_unit(),        //
        batches(),             //
        damaged_stores(),      //
        measured_errors(),     //
        tables_read(),         //
        same_kernels(),        //
        smt2_files(),          //
        properties_of_units(), //
        errors_of_units(),     //
        compared_programs(),   //
        designs(),             //
        certificates(),        //
        covered_events(),      //
        certified_designs(),   //
        compared_designs(),    //
        kernels_of_ptx(),      //
        pairs_of_shapes(),     //
        traits_read(),         //
        flags_of_designs(),    //
        handshakes(),          //
    };
    return table;
}

} // namespace discern::claims
