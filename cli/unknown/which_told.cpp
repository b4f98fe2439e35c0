#include "which_told.hpp"

#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "models/error.hpp"
#include "models/import/number.hpp"
#include "models/kernel.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::size_t classes_for_people = 20; ///< that a person reads; --json has all

/// For people: where an observation is.
std::string place(const Observations& all, std::size_t number) {
    return all.lines.empty() ? fmt::format("observation {}", number + 1) : fmt::format("line {}", all.lines[number]);
}

std::vector<std::string> texts_of(std::span<const Member> units, const std::vector<std::size_t>& which) {
    std::vector<std::string> texts;
    for (const std::size_t unit : which) texts.push_back(units[unit].text);
    return texts;
}

/// A format of matrix units of which all a and b are, where they are in f32 or f64; empty if there is none.
std::string narrower_format(const Observations& all) {
    if (all.shape.a != all.shape.b || (all.shape.a != FormatId::f32 && all.shape.a != FormatId::f64)) return "";
    const Format& own = format(all.shape.a);
    for (const FormatId id : {FormatId::e4m3, FormatId::e5m2, FormatId::f16, FormatId::bf16}) {
        const auto fits = [&](const std::vector<std::uint64_t>& patterns) {
            return std::ranges::all_of(patterns, [&](std::uint64_t bits) {
                try {
                    return number_pattern(format(id), fmt::format("{:a}", to_double(own, bits)), std::nullopt).exact;
                } catch (const Error&) { // it has no such number
                    return false;
                }
            });
        };
        if (std::ranges::all_of(all.vectors, [&](const Vector& vector) { return fits(vector.a) && fits(vector.b); }))
            return std::string(format(id).name);
    }
    return "";
}

/// What refutes the units: each vector once, with what they give in its place.
void print_refutations(std::ostream& out, const Observations& all, const KnownUnits& known,
                       const std::vector<NearUnit>& near) {
    const Format& d = format(all.shape.d);
    std::map<std::size_t, std::vector<std::pair<std::uint64_t, std::string>>> by_observation;
    for (const NearUnit& unit : near)
        for (const Refutation& one : unit.first) {
            auto& given = by_observation[one.observation];
            const auto same = std::ranges::find(given, one.expected, [](const auto& result) { return result.first; });
            if (same == given.end())
                given.emplace_back(one.expected, known.names[unit.unit]);
            else
                same->second += ", " + known.names[unit.unit];
        }
    for (const auto& [observation, given] : by_observation) {
        const Vector& vector = all.vectors[observation];
        out << fmt::format("  {}: observed {}\n    {}\n", place(all, observation), described(d, vector.d.front()),
                           to_json(all.shape, vector));
        for (const auto& [result, units] : given) out << fmt::format("    {} gives {}\n", units, described(d, result));
    }
}

/// How the flags that were observed agree with those of the first unit that fits and has flags.
struct FlagsSeen {
    std::size_t compared = 0;                               ///< 0: nothing could be
    std::array<std::size_t, tininess_names.size()> other{}; ///< vectors with other flags, by the Tininess
};

FlagsSeen flags_seen(const Observations& all, const std::vector<Member>& units, const WhichAnswer& answer) {
    FlagsSeen seen;
    for (const auto& same : answer.consistent)
        for (const std::size_t index : same) {
            if (has_schedule(units[index].text)) continue;
            const Unit& unit = units[index].unit;
            if (!defined_flags(unit).why_not.empty()) continue;
            for (const Vector& vector : all.vectors) {
                if (!vector.flags) continue;
                ++seen.compared;
                for (std::size_t t = 0; t < seen.other.size(); ++t)
                    seen.other[t] +=
                        flags_exactly(unit, vector.inputs(), static_cast<Tininess>(t)) != *vector.flags ? 1 : 0;
            }
            return seen;
        }
    return seen;
}

/// "as IEEE 754 has them in all of 30, with results that are tiny after rounding"
std::string in_words(const FlagsSeen& seen) {
    const auto tiny = [](std::size_t t) { return sentence("tiny ", tininess_names[t], " rounding"); };
    const auto& [after, before] = seen.other;
    if (after == 0 && before == 0) return sentence("as IEEE 754 has them in all of ", seen.compared);
    for (std::size_t t = 0; t < seen.other.size(); ++t)
        if (seen.other[t] == 0)
            return sentence("as IEEE 754 has them in all of ", seen.compared, ", with results that are ", tiny(t));
    return sentence("not as IEEE 754 has them in ", after, " of ", seen.compared, " with results that are ", tiny(0),
                    ", and in ", before, " with ", tiny(1));
}

} // namespace

bool all_c_are_zero(const Observations& all) {
    return all.ranges.c.empty() &&
           std::ranges::all_of(all.vectors, [](const Vector& vector) { return vector.c.value_or(0) == 0; });
}

void print_text(std::ostream& out, const Observations& all, const KnownUnits& known, const WhichAnswer& answer,
                Tried tried, const Colours& colours) {
    const std::size_t results = all.vectors.size() - all.unanswered;
    out << fmt::format("{}: {}", to_string(all.shape), counted(results, "result"));
    if (all.unanswered > 0) out << fmt::format(" ({} not answered)", all.unanswered);
    out << fmt::format(", {}{}{}\n", counted(tried.units, "unit"),
                       tried.kernels == 0 ? "" : fmt::format(", {}", counted(tried.kernels, "kernel")),
                       answer.complete ? "" : ", not all of them looked at");
    if (!all.about_digits.empty()) out << all.about_digits << '\n';
    for (const std::string& assumed : known.assumed) out << "assumed: " << assumed << '\n';
    const std::size_t shown = std::min(answer.consistent.size(), classes_for_people);
    for (std::size_t c = 0; c < shown; ++c) {
        if (answer.consistent.size() > 1) out << colours.good(fmt::format("consistent {}:", c + 1)) << '\n';
        const auto& same = answer.consistent[c];
        for (std::size_t i = 0; i < same.size(); ++i)
            out << (answer.consistent.size() > 1 ? "  "
                    : i == 0                     ? colours.good("consistent with") + " "
                                                 : "        same as ")
                << known.names[same[i]] << '\n';
        for (const std::size_t unit : same)
            if (known.names[unit] != known.units[unit].text) {
                out << "        as a UNIT: " << known.units[unit].text << '\n';
                break;
            }
        const std::string sold = products_in_words(texts_of(known.units, same));
        if (!sold.empty())
            out << (answer.consistent.size() > 1 ? "  products: " : "        products: ") << sold << '\n';
    }
    if (answer.consistent.size() > shown)
        out << fmt::format("and {} more, which --json has; more results, or of a wider type, tell more of them apart\n",
                           answer.consistent.size() - shown);
    if (const FlagsSeen seen = flags_seen(all, known.units, answer); seen.compared > 0)
        out << "flags: " << in_words(seen) << '\n';
    if (!answer.consistent.empty()) return;
    out << (known.units.empty() ? "no unit of the catalogue has these formats"
                                : colours.bad("consistent with none of them"))
        << '\n';
    for (const NearUnit& near : answer.near)
        out << fmt::format("near: {}, which gives {} of {} otherwise\n", known.names[near.unit], near.mismatches,
                           results);
    print_refutations(out, all, known, answer.near);
    if (const std::string narrower = narrower_format(all); !narrower.empty())
        out << fmt::format(
            "all a and b are numbers of {0} too; if the unit multiplies those, --formats {0},{0},{1},{2} is right\n",
            narrower, all.shape.c ? format(*all.shape.c).name : "-", format(all.shape.d).name);
}

Json as_json(const Observations& all, const KnownUnits& known, const WhichAnswer& answer) {
    const std::vector<Member>& units = known.units;
    const auto refuted_by = [&](const Refutation& one) {
        return json_with_expected(all.shape, all.vectors[one.observation], one.expected);
    };
    Json object = {{"consistent", list_of(answer.consistent,
                                          [&](const auto& same) {
                                              return list_of(same, [&](std::size_t unit) { return units[unit].text; });
                                          })},
                   {"near", list_of(answer.near,
                                    [&](const NearUnit& one) {
                                        return Json{{"unit", units[one.unit].text},
                                                    {"mismatches", one.mismatches},
                                                    {"refuted_by", list_of(one.first, refuted_by)}};
                                    })},
                   {"vectors", all.vectors.size() - all.unanswered},
                   {"complete", answer.complete}};
    std::vector<std::string> named;
    for (const auto& same : answer.consistent)
        for (std::string& text : texts_of(units, same)) named.push_back(std::move(text));
    object["products"] = json_of_products(named);
    if (const FlagsSeen seen = flags_seen(all, units, answer); seen.compared > 0)
        object["flags"] = {{"compared", seen.compared},
                           {"other_if_tiny_after", seen.other[0]},
                           {"other_if_tiny_before", seen.other[1]}};
    if (!known.assumed.empty()) object["assumed"] = known.assumed;
    if (!all.ranges.d.empty()) object["digits"] = all.ranges.d_digits;
    return object;
}

} // namespace discern::cli
