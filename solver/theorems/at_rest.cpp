// The order in which the rules are applied: where one makes another apply, it comes before. The theorems are in
// rest_results.cpp and rest_exponents.cpp.
#include "at_rest.hpp"

#include "nested_sums.hpp"
#include "normal_form.hpp"
#include "ranges.hpp"
#include "rest_common.hpp"
#include "rest_exponents.hpp"
#include "rest_results.hpp"

namespace discern {

Unit at_rest(const Unit& original) {
    if (has_sticky(original.tree)) return original; // no equality here was stated for it
    Unit unit = normal_form(original);
    const Ranges ranges(unit);
    const RestResults results(unit, ranges);
    const RestExponents exponents(unit, ranges);

    results.flush_c_or_results();
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* round = std::get_if<Round>(&node.kind)) {
            results.small_results(*round);
            results.overflows(*round);
        }
        if (auto* product = std::get_if<Product>(&node.kind)) results.limits(*product);
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) {
            exponents.registers(*fuse);
            exponents.zeros_as_floor(*fuse);
            exponents.always_there(*fuse);
        }
    });
    exponents.never_cut();
    exponents.alignment();
    join_nested_sums(unit, ranges);
    exponents.two_terms();
    const RestResults of_exact_sums(unit, ranges); // what is no longer cut may no longer overflow
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* round = std::get_if<Round>(&node.kind)) of_exact_sums.overflows(*round);
    });
    leave_out_idle_roundings(unit, ranges, results.magnitudes());
    exponents.alignment();
    results.small_c_is_cut();
    exponents.flatten_sums();
    exponents.too_small_to_show(unit.tree, false);
    results.begins_with_plus_zero();
    results.signs();
    return unit;
}

} // namespace discern
