// The constructs on which simulation and synthesis part, in one table for all readers.
//
// Whatever reads a design (yosys' own reader, slang, sv2v) and whatever finds a construct (the walk over syntax trees,
// the scanner of texts, the comparison of two readings), the construct is a row here: its sentence, the rule of the
// language that says what a simulator does, and what is done about it. docs/rtl.md shows the same rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace discern::rtl {

enum class Construct : std::uint8_t {
    unlisted_signal,
    nothing_read,
    read_before_given,
    stale_in_always_comb,
    two_kinds,
    race,
    initial_value,
    kept_by_function,
    no_result,
    foreign_variable,
    not_an_argument,
    delay,
    event_within,
    specify,
    fork,
    other_module,
    signed_parameter,
    computed_label,
    overlap,
    index_outside,
};

/// What is done about a construct.
enum class Remedy : std::uint8_t {
    refused,      ///< by every reader
    other_reader, ///< yosys' own reader reads it otherwise than the standard: the next one is asked
    compared,     ///< a second netlist has what a simulator does; the two must be proved to be the same
};

struct ConstructRow {
    Construct construct;
    const char* name;     ///< of the row of docs/rtl.md
    const char* sentence; ///< with {0}, {1} for names
    const char* clause;   ///< of IEEE 1800-2017
    Remedy remedy;
};

std::span<const ConstructRow> constructs();
const ConstructRow& row_of(Construct construct);
/// The sentence with these names in it, and the clause.
std::string sentence_of(Construct construct, std::initializer_list<std::string_view> names = {});

} // namespace discern::rtl
