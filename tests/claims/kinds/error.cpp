// `property UNIT max-error` and `property UNIT error-of-terms`: bounds of errors, which no input exceeds, and what a
// vector is said to come to.
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/property_of.hpp"

#include "analysis/property/property.hpp"
#include "analysis/property/theorems.hpp"
#include "analysis/property/tree/errors.hpp"
#include "analysis/property/tree/sizes.hpp"

#include <fmt/format.h>

namespace discern::claims {

namespace {

using property::Truth;

/// Of which no more is said than this: the last decimal of what is printed, and that sums are known as f64.
constexpr double rounded_off = 1.1e-3;

Case drawn_error(Random& random) {
    const bool in_ulp = random.one_in(3), any = random.one_in(6);
    Case asked;
    const Unit unit = draw_unit_of_properties(random, {}, [&](const Unit& drawn) {
        if (any) return true;
        return in_ulp ? property::most_numbers_off(drawn, property::largest_error).has_value()
                      : property::most_ulps_off(drawn).has_value();
    });
    asked.units = {{unit, ""}};
    asked.texts["name"] = in_ulp ? "max-error" : "error-of-terms";
    if (in_ulp && random.one_in(8)) asked.options.push_back("--no-theorems");
    if (random.one_in(4)) asked.options.push_back("--seed " + std::to_string(random.below(1000)));
    return asked;
}

/// The largest error; nothing: there is no bound.
std::optional<double> error(const Truth& truth, bool in_ulp) {
    return in_ulp ? truth.max_error() : std::optional(truth.error_of_terms());
}

Compared compared_error(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const bool in_ulp = asked.texts.at("name") == "max-error";
    Compared result;
    const auto answer = ask_property(asked, asked.texts.at("name"), in_ulp ? 1 : 0.2);
    if (!answer) return result;
    result.command = answer->command;
    result.wrong = answer->wrong;
    if (!result.wrong.empty()) return result;
    const auto& said = answer->said;
    if (answer->is("proved")) {
        ++result.claims;
        const double k = said.at("value").get<double>();
        const TruthOf truth(unit);
        const auto most = error(*truth, in_ulp);
        if (!most || *most > k)
            result.wrong =
                fmt::format("said to be at most {}; but it is {} of {}", k,
                            most ? fmt::format("{}", *most) : "infinite", as_options(unit, truth->shown_most()));
    }
    if (!answer->vector) return result;
    ++result.claims;
    const std::vector<Vector> shown = {*answer->vector};
    const Truth truth(unit, shown);
    const auto here = error(truth, in_ulp);
    const auto& value = answer->is("refuted") ? said.at("value") : said.at("shown");
    const bool infinite = value.is_null();
    const bool right = infinite ? !here
                                : here && *here >= value.get<double>() - 1e-9 &&
                                      *here <= value.get<double>() + (in_ulp ? 0 : rounded_off);
    if (!right)
        result.wrong =
            fmt::format("a vector is said to show {}; but it shows {}: {}",
                        infinite ? "an infinite error" : fmt::format("{}", value.get<double>()),
                        here ? fmt::format("{}", *here) : "an infinite one", as_options(unit, *answer->vector));
    if (right && answer->is("refuted") && here && *here <= property::largest_error)
        result.wrong = "refuted by an error that is small enough";
    return result;
}

} // namespace

Kind errors_of_units() {
    return {"error", "errors stay within bounds, and a vector comes near them (property), against all inputs",
            drawn_error, compared_error};
}

} // namespace discern::claims
