// How far units are from the exact result: errors of many dot products, by family of input.
#include "analysis/measure/measure.hpp"

#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/options.hpp"
#include "cli/progress.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "own_data.hpp"
#include "report.hpp"
#include "solver/decide/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

namespace discern::cli {

namespace {

constexpr std::string_view measure_example =
    "  discern measure hopper/wgmma.m64n8k16.f32.f16.f16 cdna3/v_mfma_f32_16x16x16_f16 -n 1e8\n"
    "      errors of both on the same inputs, in ulp and relative\n"
    "  discern measure cdna3/v_mfma_f32_32x32x8_f16 --spread a:1000,b:1000 --svg bias.svg\n"
    "      a and b of 1000*N(0,1), c of N(0,1), and the distribution of the errors as a picture\n"
    "  discern measure a100.csv --formats f16,f16,f32,f32\n"
    "      errors of the results in a file; with a UNIT before it, those of the unit on the same inputs too";

struct MeasureSettings {
    std::vector<std::string> units;
    OwnData data;
    std::string out, svg, spread;
    LimitWords limits;
    measure::MeasureOptions measure;
    double timeout = std::numeric_limits<double>::infinity();
    bool json = false;
};

/// --family is checked before anything is computed.
void require_families(const std::vector<std::string>& families) {
    const auto names = stimulus_family_names();
    for (const std::string& family : families)
        if (std::find(names.begin(), names.end(), family) == names.end())
            throw Error(fmt::format("--family {} is not known; it must be {}", family, fmt::join(names, ", ")));
}

/// All units on the same random inputs.
MeasureReport measure_random(MeasureSettings& options, const Streams& io) {
    std::vector<Unit> units;
    std::vector<std::string*> named;
    for (std::string& name : options.units) named.push_back(&name);
    decide_products(named);
    for (const std::string& name : options.units) units.push_back(resolve_unit(name));
    for (const Unit& unit : units) require_comparable(units.front(), unit);
    Counter counter(io, "measured", options.measure.n * options.measure.families.size());
    options.measure.progress = [&](std::uint64_t done) { counter.at(done); };
    MeasureReport report{options.units, shape_of(units.front()), options.measure.chain,
                         measure::measure(units, options.measure)};
    counter.clear();
    return report;
}

} // namespace

int measure_units(Arguments arguments, const Streams& io) {
    MeasureSettings options;
    std::vector<std::string> families;
    CommandLine line("measure", measure_example);
    line.add_option(
        "UNIT", options.units,
        "the unit; several, of the same formats and K, get the same inputs; last, perhaps, a FILE of vectors, "
        "whose inputs they get instead of random ones, and whose results are measured too");
    line.add_shared("-n", options.measure.n, "of each family");
    line.add_option("--family", families,
                    fmt::format("which vectors, once or more, each by itself: {}; normal without it",
                                fmt::join(stimulus_family_names(), ", ")))
        .type_name("NAME")
        .one_each_time();
    line.add_shared("--spread", options.spread);
    line.add_whole("--chain", options.measure.chain,
                   "instructions of a dot product, each one's c the d of the one before", {.least = 1, .most = 4096});
    line.add_shared("--values", options.limits.values);
    line.add_shared("--no-subnormals", options.limits.no_subnormals);
    line.add_shared("--finite", options.limits.finite);
    line.add_shared("--seed", options.measure.seed);
    options.measure.threads = std::max(1u, std::thread::hardware_concurrency());
    line.add_shared("--threads", options.measure.threads, "the results are the same");
    line.add_shared("--timeout", options.timeout);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("--svg", options.svg, "of how the errors are distributed");
    line.add_shared("-o", options.out);
    add_data_options(line, options.data.options, {});
    options.data.matrices.add_to(line);
    if (const auto ended = line.read(arguments, io)) return *ended;

    options.data.path = take_file(options.units);
    if (options.data.is_given()) {
        if (!options.data.path.empty() && options.data.matrices.any())
            throw Error("measure: the results are in a file or in matrices, not in both");
        for (const char* random : {"-n", "--family", "--spread", "--chain", "--values", "--no-subnormals", "--finite",
                                   "--seed", "--threads"})
            if (line.was_given(random))
                throw Error(fmt::format("measure: {} is of random inputs; those of a file are what they are", random));
    } else if (options.units.empty()) {
        throw Error("measure: a UNIT is missing, or a FILE with results, or both");
    } else if (line.was_given("--formats") || line.was_given("--K")) {
        throw Error("measure: --formats and --K are of a FILE, and none is given");
    }
    if (!options.spread.empty() && !families.empty())
        throw Error("measure: --spread makes inputs of its own; it does not go with --family");
    require_families(families);
    if (!families.empty()) options.measure.families = families;
    if (!options.spread.empty()) options.measure.spread = measure::parse_spread(options.spread);
    options.measure.limits = limits_of_stimulus(options.limits);
    OutputFile output(options.out, io);
    Interrupt interrupt(io, options.timeout);
    options.measure.stop = interrupt.token();
    const auto start = std::chrono::steady_clock::now();
    MeasureReport report = options.data.is_given() ? measure_own_data(options.data, options.units, interrupt, io)
                                                   : measure_random(options, io);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    interrupt.work_is_done();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());

    if (!options.svg.empty()) {
        OutputFile picture(options.svg, io);
        print_measured_svg(report, picture.stream());
        picture.finish();
    }
    if (options.json)
        print_measured_json(report, output.stream());
    else
        print_measured(report, output.stream());
    output.finish();
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace discern::cli
