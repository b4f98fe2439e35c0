// Two programs around one unit: is one never farther from the exact result than the other, and how far are they?
#include "analysis/compare/compare.hpp"

#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/options.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
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

void print_list(std::ostream& out) {
    for (const compare::NamedProgram& one : compare::named_programs()) {
        out << fmt::format("{}: {}\n  {}\n", one.name, one.says, one.source);
        std::string_view text = one.text;
        for (std::size_t end = 0; end != std::string_view::npos;) {
            end = text.find('\n');
            out << "    " << text.substr(0, end) << '\n';
            if (end != std::string_view::npos) text.remove_prefix(end + 1);
        }
    }
}

std::vector<std::string> family_list() {
    std::vector<std::string> names;
    for (const std::string_view name : stimulus_family_names()) names.emplace_back(name);
    return names;
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
    line.add_option("--family", options.families,
                    fmt::format("which vectors, once or more, each by itself: {}; normal without it",
                                fmt::join(stimulus_family_names(), ", ")))
        .type_name("NAME")
        .one_of(family_list())
        .one_each_time();
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
        OutputFile output(options.out, io);
        print_list(output.stream());
        output.finish();
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
