// What every verdict on a space rests on: one term for all of its members, which with the parameters of a member is
// that member. `suite`, `identify`, `audit` and `synth` ask solvers about that term; where random vectors have already
// distinguished members, a wrong term may stay unnoticed for long.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"

#include "encodings/space_circuit.hpp"
#include "models/hex.hpp"

namespace discern::claims {

namespace {

Case drawn_spaces(Random& random) {
    Case asked;
    asked.units = {draw_space(random, any_of(random, small_and_large), 64)};
    return asked;
}

Compared compared_spaces(const Case& asked) {
    Compared result;
    const std::string space = asked.units[0].text();
    result.command = command_line({"suite", "--space", space});
    for (const std::vector<Unit>& units : by_skeleton(members_of(space))) {
        const auto family = parametric::family_of(units);
        if (!family) continue;
        tests::SpaceCircuit circuit(*family);
        const AllInputs inputs(units.front(), 8, units);
        for (std::size_t i = 0; i < units.size() && result.wrong.empty(); ++i) {
            ++result.claims;
            const Evaluator evaluate(units[i]);
            inputs.for_each([&](const Inputs& x) {
                const auto found = circuit(i, x);
                const std::uint64_t expected = evaluate(x);
                if (found && same_result(units[i], *found, expected)) return true;
                result.wrong = "the space's term of " + WrittenUnit{units[i], ""}.text() +
                               (found ? " gives " + to_hex(format(units[i].d), *found) : " has no such member") +
                               " where the unit gives " + result_text(units[i], x) + ", for " + as_options(units[i], x);
                return false;
            });
        }
    }
    return result;
}

} // namespace

Kind terms_of_spaces() {
    return {"spaces", "the term of a space is each of its members, against the models", drawn_spaces, compared_spaces};
}

} // namespace discern::claims
