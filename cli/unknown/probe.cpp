// The feature table of a target.
#include "identification/probe/probe.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/target.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace discern::cli {

namespace {

constexpr double seconds_to_check = 10; ///< whether the table is true

/// The vectors consist of powers of two that are far apart.
void require_exponents(const Shape& shape) {
    for (const FormatId id : {shape.a, shape.b, shape.c.value_or(shape.d), shape.d})
        if (format(id).is_fixed_point())
            throw Error(sentence("probe: ", format(id).name,
                                 " is fixed point, and the features are those of exponents; formats with exponents are "
                                 "right, or `discern identify` for this target"));
}

struct ProbeSettings {
    TargetChoice choice;
    std::string out, vectors;
    bool json = false, classic = false;
};

/// "3-7, 9": numbers from 1, as of the lines of a file after its header.
std::string line_ranges(const std::vector<std::size_t>& indices) {
    std::string text;
    for (std::size_t i = 0; i < indices.size();) {
        std::size_t end = i + 1;
        while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", indices[i] + 1);
        if (end > i + 1) text += fmt::format("-{}", indices[end - 1] + 1);
        i = end;
    }
    return text;
}

Json as_json(const ProbeSettings& options, const Shape& shape, const ProbeReport& report) {
    Json features = Json::object(), table = Json::object();
    for (const Feature& feature : report.features)
        features[feature.key] = {{"title", feature.title},
                                 {"value", feature.value ? Json(*feature.value) : Json(nullptr)},
                                 {"why", feature.why},
                                 {"vectors", from_one(feature.decided_by)}};
    if (!options.classic)
        for (const auto& [title, value] : table_row(shape, report)) table[title] = value;
    const std::string formats = sentence(format(shape.a).name, ",", format(shape.b).name, ",",
                                         shape.c ? format(*shape.c).name : "-", ",", format(shape.d).name);
    return {{"target", options.choice.target},
            {"shape", to_string(shape)},
            {"formats", formats},
            {"K", shape.K},
            {"scale",
             shape.scale ? Json(sentence(format(shape.scale->format).name, "/", shape.scale->block)) : Json(nullptr)},
            {"features", features},
            {"table", table},
            {"unit", report.unit ? Json(*report.unit) : Json(nullptr)},
            {"fresh", report.fresh},
            {"vectors", list_of(report.asked, [&](const Vector& vector) { return json_of(shape, vector); })}};
}

/// A feature that no answer shows, where a unit is known that gives all answers: what that unit has.
std::string of_tree(const ProbeReport& report, const Feature& feature) {
    struct OfKey {
        std::string_view feature, parameter;
    };
    static constexpr auto keys = std::to_array<OfKey>(
        {{"rounding when aligned", "align"}, {"normalisation of products", "product"}, {"overflow", "overflow"}});
    const auto* const key = std::ranges::find(keys, feature.title, &OfKey::feature);
    if (!report.unit || key == keys.end()) return "cannot tell";
    for (const auto& [parameter, value] : parameters(resolve_unit(*report.unit)))
        if (parameter == key->parameter) return value + " in the unit";
    return "not in the unit";
}

void print_text(std::ostream& out, const ProbeSettings& options, const Shape& shape, const ProbeReport& report) {
    out << fmt::format("{}, {}: {} vectors\n", options.choice.target, to_string(shape), report.asked.size());
    if (!options.classic) {
        out << "as Li et al., Table III\n";
        for (const auto& [title, value] : table_row(shape, report)) out << fmt::format("  {:<28}{}\n", title, value);
    }
    out << (options.classic ? "the tests of Li et al., as they read them\n" : "features\n");
    for (const Feature& feature : report.features)
        out << fmt::format("  {:<28}{:<20}{}{}\n", feature.title, feature.value.value_or(of_tree(report, feature)),
                           feature.why, feature.decided_by.empty() ? "" : " [" + line_ranges(feature.decided_by) + "]");
    if (options.classic) return;
    if (report.unit)
        out << fmt::format("a unit with these features, which gives all answers, also to {} fresh vectors\n  {}\n",
                           report.fresh, *report.unit);
    else if (report.is_undecided)
        out << "not held against a unit with these features: the time was over\n";
}

int run_probe(const Command& self, Arguments arguments, const Streams& io) {
    ProbeSettings options;
    CommandLine line(self);
    add_target_options(line, options.choice);
    line.add_flag("--classic", options.classic, "the tests of Li et al. instead of ours, read as they read them");
    line.add_option("--vectors", options.vectors, "write the vectors that were asked there, with the answers");
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out);
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (needs_shape(options.choice))
        throw Error("probe: " + options.choice.target +
                    " does not say its formats; give them, as in --formats f16,f16,f32,f32 --K 16");
    Interrupt interrupt(io, options.choice.timeout);
    const std::unique_ptr<Target> target = start_target(options.choice, std::nullopt, interrupt.token(), io);
    const Shape shape = target->shape();
    require_exponents(shape);
    OutputFile output(options.out, io, input_of(options.choice));
    Asker asker{*target};
    Counter counter(io, "asked");
    std::uint64_t asked = 0;
    const AskTarget ask = [&](std::span<const Inputs> batch) {
        counter.at(asked += batch.size());
        return asker(batch);
    };
    const ProbeReport report =
        options.classic
            ? probe_classic(shape, ask)
            : probe_checked(shape, ask, std::min(seconds_to_check, options.choice.timeout / 2), interrupt.token());
    interrupt.work_is_done();
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: {}; what was not asked cannot be told\n", interrupt.reason());
    else if (std::ranges::any_of(report.asked, [](const Vector& vector) { return vector.d.empty(); }))
        io.err << fmt::format("discern: the target could not answer some vectors, the first because: {}\n",
                              excerpt(asker.first_error, 200));
    if (!options.vectors.empty()) {
        OutputFile file(options.vectors, io, input_of(options.choice));
        VectorWriter writer(file.stream(), shape,
                            observation_header(options.choice, *target, quoted_command("probe", arguments)));
        for (const Vector& vector : report.asked) writer.write(vector);
        file.finish();
    }
    if (options.json)
        print_line(output.stream(), as_json(options, shape, report));
    else
        print_text(output.stream(), options, shape, report);
    output.finish();
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command probe_command{
    .name = "probe",
    .usage = "TARGET",
    .summary = "a target's feature table",
    .example = "  discern probe model:ampere/mma.m16n8k16.f32.f16.f16.f32\n"
               "      what can be told of a unit from outside\n"
               "  discern probe 'exec:./simulator --fast' --formats f16,f16,f32,f32 --K 16 --vectors asked.jsonl\n"
               "      a program's features, and the vectors that decided them, with its answers",
    .run = of_a_machine<run_probe>,
    .docs = {.group = "Unknown units", .page = "probe", .schemas = {"probe"}, .in_python = true}};

} // namespace discern::cli
