// `discern which`: the units that give all observed results, within a second.
#include "identification/which/which.hpp"
#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/matrix_vectors.hpp"
#include "cli/files/observations.hpp"
#include "cli/files/target.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/values.hpp"
#include "identification/which/known_kernels.hpp"
#include "models/error.hpp"
#include "models/import/number.hpp"
#include "models/kernel.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

namespace discern::cli {

namespace {

struct WhichSettings {
    TargetChoice choice; ///< or a file
    DataOptions data;
    MatrixPaths matrices;
    std::string out;
    std::vector<std::string> spaces;
    WhichOptions which;
    ObserveOptions observe;
    bool json = false;
};

/// The observations, and their shape.
struct Observations {
    Shape shape;
    std::vector<Vector> vectors;
    bool nan_any = false;
    std::vector<std::uint64_t> lines; ///< of the file, for each vector; empty: not from a file
    std::size_t unanswered = 0;
    PrintedRanges ranges;
    std::string about_digits;
};

/// Whether the argument names a target, and not a file.
bool is_target(const std::string& text) {
    if (text == "-") return false;
    if (text == callable_target) return true;
    const auto is_of = [&](const TargetKind& kind) {
        return kind.has_rest() ? text.starts_with(kind.name) : text == kind.name;
    };
    if (std::ranges::any_of(target_kinds(), is_of)) return true;
    std::error_code ignored;
    if (std::filesystem::exists(text, ignored)) return false;
    throw Error(sentence("which: there is no file ", excerpt(text, 200),
                         ", and no such target; 'discern targets' lists the targets"));
}

Observations read(VectorFile& file) {
    Observations all{.shape = file.shape(),
                     .vectors = {},
                     .nan_any = file.nan_any(),
                     .lines = {},
                     .ranges = file.ranges(),
                     .about_digits = file.about_digits()};
    for (Vector vector; file.next(vector);) {
        if (vector.error.empty())
            require_observation(file, vector, "which compares");
        else
            ++all.unanswered;
        all.vectors.push_back(vector);
        all.lines.push_back(file.line());
    }
    if (all.vectors.size() == all.unanswered) throw Error(file.name() + " has no results; there is nothing to explain");
    return all;
}

/// The units that have names, then those of the spaces.
KnownUnits members_of(const Shape& shape, const std::vector<std::string>& spaces) {
    KnownUnits all = known_units(shape);
    for (Member& member : members_of_spaces(spaces, shape, "what was observed")) {
        all.names.push_back(member.text);
        all.units.push_back(std::move(member));
    }
    return all;
}

/// Whether nothing is added to the products: units of any c can have computed them.
bool all_c_are_zero(const Observations& all) {
    return all.ranges.c.empty() &&
           std::ranges::all_of(all.vectors, [](const Vector& vector) { return vector.c.value_or(0) == 0; });
}

/// Adds kernels that fit to units that do.
void append(KnownUnits& known, WhichAnswer& answer, KernelAnswer more) {
    const std::size_t before = known.units.size();
    std::move(more.known.units.begin(), more.known.units.end(), std::back_inserter(known.units));
    std::move(more.known.names.begin(), more.known.names.end(), std::back_inserter(known.names));
    for (std::vector<std::size_t>& same : more.answer.consistent) {
        for (std::size_t& unit : same) unit += before;
        answer.consistent.push_back(std::move(same));
    }
    for (std::string& one : more.known.assumed)
        if (std::ranges::find(known.assumed, one) == known.assumed.end()) known.assumed.push_back(std::move(one));
    answer.complete = answer.complete && more.answer.complete;
}

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

constexpr int least_of_schedules = 32;         ///< products that libraries divide
constexpr std::size_t classes_for_people = 20; ///< that a person reads; --json has all

/// How many were looked at.
struct Tried {
    std::size_t units = 0, kernels = 0;
};

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

int run_which(const Command& self, Arguments arguments, const Streams& io) {
    WhichSettings options;
    CommandLine line(self);
    options.choice.timeout = 60;
    add_target_options(
        line, options.choice, "FILE|TARGET",
        "results that were observed: a file of vectors, a table or an .npz file; - for standard input; or what "
        "to ask",
        false);
    add_data_options(line, options.data, {.formats = true});
    options.matrices.add_to(line);
    line.add_shared("--space", options.spaces, "besides those of the catalogue");
    line.add_whole("--near", options.which.near, "how many units to show when none fits");
    line.add_shared("--show", options.which.refutations, "vectors that refute each");
    line.add_shared("-n", options.observe.most, "to ask of a target, at most");
    line.add_shared("--seed", options.observe.seed);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out);
    if (const auto ended = line.read(arguments, io)) return *ended;

    Interrupt interrupt(io, options.choice.timeout);
    options.which.stop = options.observe.stop = interrupt.token();
    for (const std::string& space : options.spaces) note_space(space, io);
    Observations all;
    bool is_of_file = true;
    KnownUnits known;
    const std::vector<Member>& units = known.units;
    // A recording is its file: nothing else can be asked.
    const std::string recorded = input_of(options.choice);
    if (!recorded.empty()) options.choice.target = recorded;
    Progress progress(io);
    options.data.formats = options.choice.formats;
    options.data.K = options.choice.K;
    options.data.scale = options.choice.scale;
    if (options.matrices.any()) {
        if (!options.choice.target.empty())
            throw Error("which: the results are in matrices, or in a file, or a target gives them; " +
                        excerpt(options.choice.target, 200) + " is one too many");
        VectorFile file("the matrices", vectors_of_matrices(options.matrices, options.data, io));
        all = read(file);
        known = members_of(all.shape, options.spaces);
    } else if (options.choice.target.empty()) {
        throw Error(
            "which: a FILE of results is missing (- for standard input), a target, or matrices as --a A.npy --b "
            "B.npy --d D.npy");
    } else if (options.choice.target != recorded && is_target(options.choice.target)) {
        if (needs_shape(options.choice))
            throw Error("which: " + options.choice.target +
                        " does not say its formats; give them, as in --formats f16,f16,f32,f32 --K 16");
        const auto target = start_target(options.choice, std::nullopt, interrupt.token(), io);
        all.shape = target->shape();
        is_of_file = false;
        known = members_of(all.shape, options.spaces);
        Asker asker{*target};
        if (progress.is_wanted()) progress.show("asking");
        all.vectors = observe(all.shape, units, std::ref(asker), options.observe);
        all.unanswered = static_cast<std::size_t>(
            std::ranges::count_if(all.vectors, [](const Vector& vector) { return vector.d.empty(); }));
        if (!units.empty() && all.unanswered == all.vectors.size() && !interrupt.stopped())
            throw Error("which: the target answered no vector: " + asker.first_error);
    } else {
        VectorFile file(options.choice.target, std::nullopt, options.data, io);
        all = read(file);
        known = members_of(all.shape, options.spaces);
    }
    OutputFile output(options.out, io);
    options.which.ranges = &all.ranges;
    WhichAnswer answer = discern::which(all.vectors, all.nan_any, units, options.which);
    if (answer.consistent.empty() && answer.complete && is_of_file && all_c_are_zero(all)) {
        KnownUnits rounded = rounded_units(all.shape);
        WhichAnswer second = discern::which(all.vectors, all.nan_any, rounded.units, options.which);
        if (known.units.empty() || !second.consistent.empty()) {
            known = std::move(rounded);
            answer = std::move(second);
        }
    }
    Tried tried{.units = known.units.size()};
    // Rounded results leave more open: other schedules are named beside the chains that fit.
    const bool fit_rounded = !known.assumed.empty() && !answer.consistent.empty();
    if ((answer.consistent.empty() || fit_rounded) && answer.complete && is_of_file && options.spaces.empty() &&
        all.shape.K >= least_of_schedules) {
        if (progress.is_wanted()) progress.show("trying schedules");
        KernelAnswer third =
            which_kernel(all.shape, all.vectors, all_c_are_zero(all), !fit_rounded, all.nan_any, options.which);
        tried.kernels = third.tried;
        if (!fit_rounded && !third.answer.consistent.empty()) {
            known = std::move(third.known);
            answer = std::move(third.answer);
        } else if (fit_rounded) {
            append(known, answer, std::move(third));
        }
    }
    interrupt.work_is_done();
    progress.clear();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());
    if (options.json && io.host != nullptr && io.host->said != nullptr)
        print_text(*io.host->said, all, known, answer, tried, Colours(false));
    if (options.json)
        output.stream() << to_text(as_json(all, known, answer)) << '\n';
    else
        print_text(output.stream(), all, known, answer, tried, options.out.empty() ? Colours::of(io) : Colours(false));
    output.finish();
    if (interrupt.stopped()) return status::unknown;
    return answer.consistent.empty()       ? status::different
           : answer.consistent.size() == 1 ? status::done
                                           : status::unknown;
}

} // namespace

extern constinit const Command which_command{
    .name = "which",
    .usage = "FILE|TARGET",
    .summary = "which units give what was observed",
    .example =
        "  discern which observed.jsonl\n"
        "      the units of the catalogue that give all results in the file, or the nearest and what refutes them\n"
        "  discern which a100.csv --formats f16,f16,f32,f32\n"
        "      the same of a table with columns a0, a1, …, b0, …, c and d, of numbers or bit patterns\n"
        "  discern which 'exec:./simulator --fast' --formats f16,f16,f32,f32 --K 16\n"
        "      the same of a program, which is asked what tells the units apart",
    .run = run_which,
    .docs = {.group = "Unknown units", .page = "which", .schemas = {"which"}, .in_python = true}};

} // namespace discern::cli
