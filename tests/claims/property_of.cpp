#include "property_of.hpp"

#include "ask.hpp"
#include "draw.hpp"
#include "inputs.hpp"
#include "verdict.hpp"

#include "models/hex.hpp"
#include "models/unit/tree_shape.hpp"

namespace discern::claims {

namespace {

/// The largest exponent that a sum of the unit's products may about have.
int top_of(const Unit& unit) {
    int top = format(unit.a).emax() + format(unit.b).emax();
    for (int n = unit.K; n > 0; n /= 2) ++top;
    return top;
}

/// A result, and inner ones, whose largest number is about as large as the products: there is overflow then, barely.
/// And what becomes of that.
void aim_at_overflow(Random& random, Unit& unit) {
    const int top = top_of(unit) + random.between(-3, 1), m = random.between(1, 6);
    const auto specials = static_cast<Specials>(random.below(3));
    for (int e = 2; e <= 5; ++e) {
        const auto id = format_of_fields(e, m, specials);
        if (!id || format(*id).emax() < top) continue;
        Unit aimed = unit;
        for (Round* round : all_rounds(aimed))
            if (round->format == unit.d) round->format = *id;
        if (aimed.c == unit.d) aimed.c = *id;
        aimed.d = *id;
        aimed.nan = {};
        if (random.one_in(2)) {
            const auto overflow = static_cast<Overflow>(random.below(3));
            const auto mode = static_cast<Rounding>(random.below(static_cast<int>(rounding_names.size())));
            for (Round* round : all_rounds(aimed)) {
                round->overflow = overflow;
                if (overflow == Overflow::ieee) round->mode = mode;
            }
        }
        if (is_valid(aimed) && input_bits(aimed) <= 20) unit = std::move(aimed);
        return;
    }
}

} // namespace

Unit draw_unit_of_properties(Random& random, const std::function<bool(const Unit&)>& wanted) {
    Unit unit;
    for (int tries = 0; tries < 30; ++tries) {
        Size size;
        size.most_bits = random.one_in(4) ? 20 : 16;
        unit = draw_unit(random, size);
        const auto is_fixed = [](FormatId id) { return format(id).is_fixed_point(); };
        if (is_fixed(unit.a) || is_fixed(unit.b) || is_fixed(unit.d) || is_fixed(unit.c.value_or(unit.d))) {
            --tries;
            continue;
        }
        if (random.one_in(3)) aim_at_overflow(random, unit);
        if (unit.c && random.one_in(6)) { // a chain, or a sum, that begins at +0
            Unit from_zero = unit;
            from_zero.c.reset();
            from_zero.place = AccumulatorPlace::chained;
            if (is_valid(from_zero)) unit = std::move(from_zero);
        }
        if (wanted(unit)) break;
    }
    return reread(unit);
}

TruthOf::TruthOf(const Unit& unit) {
    const AllInputs inputs(unit, 16);
    if (inputs.complete() && !unit.scale) {
        truth_.emplace(unit);
        return;
    }
    const Shape shape = shape_of(unit);
    inputs.for_each([&](const Inputs& x) {
        some_.push_back(vector_of(shape, x));
        return true;
    });
    truth_.emplace(unit, some_);
}

std::optional<PropertyAnswer> ask_property(const Case& asked, const std::string& name, double seconds) {
    const Unit& unit = asked.units.front().unit;
    std::vector<std::string> words = {"property",  asked.units.front().text(),          name, "--json",
                                      "--timeout", std::to_string(seconds).substr(0, 4)};
    append(words, asked.options);
    PropertyAnswer answer;
    answer.command = command_line(words);
    const Answer printed = ask(words);
    if (printed.status == 2 && printed.err.find("says nothing of") != std::string::npos) return std::nullopt;
    answer.said = printed.json().at("properties").at(0);
    const int status = answer.is("refuted") ? 1 : answer.is("proved") ? 0 : 3;
    if (printed.status != status)
        answer.wrong =
            answer.said.at("verdict").get<std::string>() + ", with the exit status " + std::to_string(printed.status);
    const auto& shown = answer.said.at("vector");
    if (shown.is_null()) return answer;
    answer.vector = vector_of(shape_of(unit), inputs_of(unit, shown).inputs());
    const auto d = parse_pattern(format(unit.d), shown.at("d").get<std::string>());
    if (!d || !same_result(unit, *d, evaluate_exactly(unit, answer.vector->inputs())))
        answer.wrong = "shown with a result that is not the unit's: " + shown.dump();
    return answer;
}

std::string as_options(const Unit& unit, const Vector& v) { return as_options(unit, v.inputs()); }

} // namespace discern::claims
