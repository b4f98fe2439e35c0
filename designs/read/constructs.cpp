#include "constructs.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>

namespace discern::rtl {

namespace {

constexpr auto table = std::to_array<ConstructRow>({
    {Construct::unlisted_signal, "a list that is not complete",
     "a process reads {0}, which is not in its list: a simulator does not run it when that changes", "9.4.2",
     Remedy::refused},
    {Construct::nothing_read, "always @* that reads nothing",
     "an always @* reads nothing that changes, so a simulator never runs it", "9.4.2.2", Remedy::refused},
    {Construct::read_before_given, "a value that is read before the process gives it",
     "a process reads {0} before it gives it a value: a simulator reads the one of its last run", "6.21",
     Remedy::refused},
    {Construct::stale_in_always_comb, "<= in always_comb for what the process reads",
     "a process reads {0}, to which it assigns with <=: a simulator reads the value of its last run, and does not run "
     "always_comb again when that changes",
     "9.2.2.2.1", Remedy::refused},
    {Construct::two_kinds, "= and <= for one variable in one process",
     "{0} is assigned with = and with <= in one process: the value of <= comes last in simulation, wherever it stands",
     "10.4.2", Remedy::refused},
    {Construct::race, "= in a clocked process for what is read outside of it",
     "{0} is assigned with = in a clocked process and read outside of it: whether at the same edge the old value is "
     "read "
     "or the new one is open in simulation; <= is not",
     "4.7", Remedy::refused},
    {Construct::initial_value, "an initial value that is not constant",
     "the initial value of {0} reads {1}: a simulator takes it once, before anything runs; an assign follows it always",
     "6.8", Remedy::refused},
    {Construct::kept_by_function, "a variable that a function reads before it gives it a value",
     "{0} {1} reads {2} before it gives it a value: a simulator keeps the one of the call before", "13.4.2",
     Remedy::refused},
    {Construct::no_result, "a function without a result on every path",
     "function {0} does not give a result on every path: a simulator keeps the one of the call before", "13.4.2",
     Remedy::refused},
    {Construct::foreign_variable, "a function that assigns to what is not its own",
     "{0} {1} gives {2} a value, which is not its own", "13.4", Remedy::refused},
    {Construct::not_an_argument, "a function that reads what it is not given",
     "{0} reads {1}, which it is not given: a simulator does not call it again when that changes", "9.4.2.2",
     Remedy::refused},
    {Construct::delay, "a delay", "the design has a delay, which counts in simulation alone", "9.4.1", Remedy::refused},
    {Construct::event_within, "an event within a process",
     "the design has a delay or an event within a process, which counts in simulation alone", "9.4.5", Remedy::refused},
    {Construct::specify, "specify", "the design has a specify block, whose delays count in simulation alone", "30",
     Remedy::refused},
    {Construct::fork, "fork", "the design has a fork", "9.3.2", Remedy::refused},
    {Construct::other_module, "= to a signal of another module",
     "the design has an assignment to a signal of another module", "23.6", Remedy::refused},
    {Construct::signed_parameter, "a signed parameter without a range that gets an unsigned value",
     "parameter {0} is signed and has no range, and its value is unsigned: it is that value as a signed one, and yosys "
     "leaves it unsigned; 'parameter signed [7:0]' or a signed value is clear",
     "6.20.2", Remedy::other_reader},
    {Construct::computed_label, "a label of a case that is computed from narrow numbers",
     "a label of a case is computed: it is computed as wide as the widest of the labels and what they are compared "
     "with, and yosys computes it as wide as its own numbers; a number, such as 8'shf8, is clear",
     "12.5.1", Remedy::other_reader},
    {Construct::overlap, "unique, unique0 and parallel_case",
     "where two items of a case hold at once a simulator takes the first; synthesis is told by unique or parallel_case "
     "that this does not happen",
     "12.5.3", Remedy::compared},
    {Construct::index_outside, "an index of a memory, or a part-select that is written, partly outside",
     "an index of {0} may lie outside: a simulator writes only what is inside, and reads x; yosys does not; an index "
     "of as "
     "many bits as there are elements, or a test of it, is clear",
     "7.4.5 and 11.5.1", Remedy::compared},
});

} // namespace

std::span<const ConstructRow> constructs() { return table; }

const ConstructRow& row_of(Construct construct) {
    return *std::find_if(table.begin(), table.end(),
                         [&](const ConstructRow& row) { return row.construct == construct; });
}

std::string sentence_of(Construct construct, std::initializer_list<std::string_view> names) {
    const ConstructRow& row = row_of(construct);
    std::string text = row.sentence;
    std::size_t number = 0;
    for (const std::string_view name : names) {
        const std::string place = "{" + std::to_string(number++) + "}";
        if (const auto at = text.find(place); at != std::string::npos) text.replace(at, place.size(), name);
    }
    return sentence(text, " (IEEE 1800-2017, ", row.clause, ")");
}

} // namespace discern::rtl
