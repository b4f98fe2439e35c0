// Two programs around one unit: is one never farther from the exact result than the other, and how far are they?
#include "analysis/compare/compare.hpp"

#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/measure/report.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/values.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

namespace discern::cli {

namespace {

constexpr std::uint64_t longest_question = 64; ///< elements, beyond which solvers are not asked

struct CompareSettings {
    std::vector<std::string> programs;
    std::string on, inputs = "f32", arithmetic = "f32", out;
    std::uint64_t length = 0;
    LimitWords limits;
    std::vector<std::string> families;
    std::string spread;
    measure::MeasureOptions measure;
    double timeout = 60;
    bool list = false, json = false;
};

struct ComparisonReport {
    std::array<std::string, 2> names; ///< as they were written
    std::array<compare::Program, 2> programs;
    std::string unit;
    compare::Setting setting;
    FormatId d = FormatId::f32;
    std::array<compare::NeverFarther, 2> answers;
    std::vector<measure::Measured> measured;
    double seconds = 0;
};

constexpr const char* letters[] = {"A", "B"};

std::string ulps(double error) { return std::isfinite(error) ? fmt::format("{:.4g} ulp", error) : "infinitely far"; }

void print_answer(const ComparisonReport& report, std::size_t which, const Colours& colours, std::ostream& out) {
    const compare::NeverFarther& answer = report.answers[which];
    const std::string verdict = fmt::format("{:<8}", property::name(answer.verdict));
    out << fmt::format("{}  {} is never farther from the exact result than {}{}\n",
                       answer.verdict == property::Verdict::proved    ? colours.good(verdict)
                       : answer.verdict == property::Verdict::refuted ? colours.bad(verdict)
                                                                      : colours.open(verdict),
                       letters[which], letters[1 - which],
                       answer.verdict == property::Verdict::proved ? "; by " + answer.by : "");
    if (!answer.vector) return;
    out << "    " << shown_inputs(report.setting.shape(report.d), *answer.vector) << '\n';
    for (std::size_t i = 0; i < 2; ++i)
        out << fmt::format("        {} gives {}, {} off\n", letters[i],
                           described(format(report.d), answer.vector->d[i]), ulps(answer.errors[i]));
}

Json as_json(const ComparisonReport& report, const compare::NeverFarther& answer) {
    Json object = {{"verdict", property::name(answer.verdict)}, {"vector", nullptr}, {"errors", nullptr}};
    if (answer.vector) {
        object["vector"] = json_of(report.setting.shape(report.d), *answer.vector);
        object["errors"] = Json::array({number(answer.errors[0]), number(answer.errors[1])});
    }
    object["by"] = answer.by;
    put_ground(object, answer.ground);
    object["seconds"] = number(answer.seconds, "{:.4f}");
    return object;
}

void print_comparison(const ComparisonReport& report, const Colours& colours, std::ostream& out) {
    const compare::Setting& setting = report.setting;
    for (std::size_t i = 0; i < 2; ++i) out << fmt::format("{}  {}\n", letters[i], report.names[i]);
    out << fmt::format("on {}: {} elements, a {}, b {}, c {}, arithmetic in {}\n", report.unit, setting.length,
                       format(setting.a).name, format(setting.b).name, format(setting.c).name,
                       format(setting.arithmetic).name);
    for (const std::size_t which : {0, 1}) print_answer(report, which, colours, out);
    for (const measure::Measured& one : report.measured) {
        out << fmt::format("{}: {} dot products\n", one.family, one.units.front().dots);
        for (std::size_t i = 0; i < 2; ++i) out << fmt::format("  {}\n{}", letters[i], errors_text(one.units[i]));
        out << fmt::format("  nearer to the exact result: the first in {}\n", nearer_text(one.nearer));
    }
}

void print_comparison_json(const ComparisonReport& report, std::ostream& out) {
    const compare::Setting& setting = report.setting;
    Json programs = Json::array();
    for (std::size_t i = 0; i < 2; ++i)
        programs.push_back({{"algorithm", report.names[i]},
                            {"program", report.programs[i].text},
                            {"never_farther", as_json(report, report.answers[i])}});
    print_line(out, {{"unit", report.unit},
                     {"length", setting.length},
                     {"inputs", {format(setting.a).name, format(setting.b).name, format(setting.c).name}},
                     {"arithmetic", format(setting.arithmetic).name},
                     {"d", format(report.d).name},
                     {"algorithms", programs},
                     {"families", json_of(report.measured, "algorithm", {report.names[0], report.names[1]})},
                     {"seconds", number(report.seconds, "{:.3f}")}});
}

void print_list(std::ostream& out) {
    for (const compare::NamedProgram& one : compare::named_programs()) {
        out << fmt::format("{}: {}\n  {}\n", one.name, one.says, one.source);
        std::istringstream text{std::string(one.text)};
        for (std::string line; std::getline(text, line);) out << "    " << line << '\n';
    }
}

compare::Setting setting_of(const CompareSettings& options) {
    compare::Setting setting;
    setting.unit = resolve_unit(options.on);
    compare::read_inputs(setting, options.inputs);
    setting.arithmetic = require_format(options.arithmetic, "--arithmetic");
    setting.length = options.length != 0 ? options.length : static_cast<std::size_t>(setting.unit.K);
    return setting;
}

int run_compare(const Command& self, Arguments arguments, const Streams& io) {
    CompareSettings options;
    options.measure.n = 100'000;
    CommandLine line(self);
    line.add_option("ALGORITHM", options.programs,
                    "two algorithms: names, which --list has, or programs such as 'mma(word(a), word(b), c)'");
    line.add_option("--on", options.on, "the unit").type_name("UNIT");
    line.add_flag("--list", options.list, "the algorithms that have names, as programs");
    line.add_option("--operands", options.inputs, "the formats of a, b and c, or one for all (f32)")
        .type_name("FORMATS");
    line.add_option("--arithmetic", options.arithmetic, "the format in which programs compute, to nearest (f32)")
        .type_name("FORMAT");
    line.add_whole("--length", options.length, "elements of a and b; those of one instruction without it",
                   {.least = 1, .most = 4094});
    line.add_shared("-n", options.measure.n, "of each family, for which errors are measured");
    const auto names = stimulus_family_names();
    add_families(line, options.families, "each by itself", "normal").one_of({names.begin(), names.end()});
    line.add_shared("--spread", options.spread);
    add_input_limits(line, options.limits);
    line.add_shared("--timeout", options.timeout, "of the questions; 60 without it");
    line.add_shared("--seed", options.measure.seed);
    options.measure.threads = std::max(1u, std::thread::hardware_concurrency());
    line.add_shared("--threads", options.measure.threads, "of measuring; the results are the same");
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out);
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (options.list) {
        write_file(options.out, io, print_list);
        return status::done;
    }
    if (options.programs.size() != 2)
        throw Error(sentence("compare: ", counted(options.programs.size(), "algorithm"),
                             " given; it takes two (--list has their names), and --on UNIT"));
    if (options.on.empty()) throw Error("compare: --on UNIT is missing, the unit on which both run");
    if (!options.spread.empty() && !options.families.empty())
        throw Error("compare: --spread makes inputs of its own; it does not go with --family");

    ComparisonReport report;
    report.unit = options.on;
    report.setting = setting_of(options);
    for (std::size_t i = 0; i < 2; ++i) {
        report.names[i] = options.programs[i];
        report.programs[i] = compare::resolve_program(options.programs[i]);
    }
    report.d = compare::common_result(report.programs, report.setting);
    if (!options.families.empty()) options.measure.families = options.families;
    if (!options.spread.empty()) options.measure.spread = measure::parse_spread(options.spread);
    compare::CompareOptions asking;
    asking.seed = options.measure.seed;
    asking.limits = limits_of_question(options.limits);
    options.limits.exponents.clear(); // of questions alone
    options.measure.limits = limits_of_stimulus(options.limits);
    options.measure.limits.finite = true;

    OutputFile output(options.out, io);
    Interrupt interrupt(io);
    asking.timeout = options.timeout;
    asking.stop = options.measure.stop = interrupt.token();
    asking.ask_solvers = report.setting.length <= longest_question;
    const auto start = std::chrono::steady_clock::now();
    Progress progress(io);
    if (progress.is_wanted()) progress.show("asking");
    report.answers = compare::compare(report.programs, report.setting, asking);
    progress.clear();
    Counter counter(io, "measured", options.measure.n * options.measure.families.size());
    options.measure.progress = [&](std::uint64_t done) { counter.at(done); };
    report.measured = compare::measure_programs(report.programs, report.setting, options.measure);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    interrupt.work_is_done();
    counter.clear();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";

    if (options.json)
        print_comparison_json(report, output.stream());
    else
        print_comparison(report, options.out.empty() ? Colours::of(io) : Colours(false), output.stream());
    output.finish();
    const auto is = [&](std::size_t i, property::Verdict verdict) { return report.answers[i].verdict == verdict; };
    if (is(0, property::Verdict::proved) || is(1, property::Verdict::proved)) return status::done;
    const bool each_wins = is(0, property::Verdict::refuted) && is(1, property::Verdict::refuted);
    return each_wins ? status::different : status::unknown;
}

} // namespace

extern constinit const Command compare_command{
    .name = "compare",
    .usage = "ALGORITHM ALGORITHM",
    .summary = "two programs around a unit: which is nearer to the exact result",
    .example =
        "  discern compare markidis ootomo-yokota --on volta/mma.m8n8k4.f32.f16.f16.f32\n"
        "      two ways to multiply f32 numbers by f16 words: inputs on which each is nearer to the exact result\n"
        "  discern compare 'mma(word(a), word(b), c)' promote-128 --on hopper/wgmma.m64n8k32.f32.e4m3.e4m3 --length "
        "1024\n"
        "      a program of one's own against one of a name, on long vectors",
    .run = run_compare,
    .docs = {.group = "Questions", .page = "compare", .schemas = {"compare"}, .in_python = true}};

} // namespace discern::cli
