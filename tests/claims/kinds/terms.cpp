// What "equivalent" with the ground `terms` rests on: that two units fold to one term. No solver is asked, so that many
// more pairs are compared than by `prove`, which is asked for a pair only where they do.
//
// Most rules of the encoder need several things at once: terms that are all aligned in one way, a result without signs
// of zeros, an inner sum that is nearly as precise as the outer one. Half of the pairs are drawn so.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"

#include "encodings/encode.hpp"

#include "models/tree.hpp"

namespace discern::claims {

namespace {

constexpr int variants = 30; ///< of a unit, of which the first is taken that folds to the same term

bool is_one_term(const Unit& one, const Unit& other) {
    Terms t;
    const InputTerms inputs = input_variables(t, one);
    const Term first = encode(t, one, inputs);
    const Term second = encode(t, other, inputs);
    return results_differ(t, one, other, first, second) == t.truth(false);
}

/// The unit with every term aligned in one mode, and every zero result +0; or itself, if that is no unit.
Unit in_one_way(Random& random, const Unit& unit) {
    Unit changed = unit;
    const auto mode = static_cast<Rounding>(random.below(static_cast<int>(rounding_names.size())));
    for (const parametric::Owner& part : owners(changed)) {
        if (auto* const* child = std::get_if<Child*>(&part)) {
            (*child)->rounding = mode;
            if (random.one_in(2)) (*child)->zero = {.kind = ZeroExponent::Kind::own};
        }
        if (auto* const* round = std::get_if<Round*>(&part)) (*round)->zsign_ieee = (*round)->usign_keep = false;
    }
    for (const parametric::Owner& part : owners(changed)) parametric::clear_unused(part);
    return is_valid(changed) ? reread(changed) : unit;
}

Case drawn_terms(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 20 : 16;
    size.large = random.one_in(4);
    for (int tries = 0; tries < 40; ++tries) {
        Unit unit = draw_unit(random, size);
        if (random.one_in(2)) unit = in_one_way(random, unit);
        asked.units = {{unit, ""}, {unit, ""}};
        for (int i = 0; i < variants; ++i) {
            const Unit variant = draw_variant(random, unit);
            if (!is_one_term(unit, variant)) continue;
            asked.units[1].unit = variant;
            return asked;
        }
    }
    return asked;
}

Compared compared_terms(const Case& asked) {
    const Unit &one = asked.units[0].unit, &other = asked.units[1].unit;
    Compared result;
    result.command = command_line({"prove", asked.units[0].text(), asked.units[1].text(), "--solver", "random"});
    if (!is_one_term(one, other)) return result;
    result.claims = 1;
    if (const auto x = first_difference(one, other, AllInputs(one, 16, std::vector{other})))
        result.wrong = "one term, where the units give " + result_text(one, x->inputs()) + " and " +
                       result_text(other, x->inputs()) + ", for " + as_options(one, x->inputs());
    return result;
}

} // namespace

Kind one_term() {
    return {"terms", "two units that fold to one term are the same (the encoder), against all inputs", drawn_terms,
            compared_terms};
}

} // namespace discern::claims
