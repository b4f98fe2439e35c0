// How far units are from the exact result: errors of many dot products, by family of input.
#include "analysis/measure/measure.hpp"

#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/options.hpp"
#include "cli/rtl/design_model.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/patterns.hpp"
#include "own_data.hpp"
#include "report.hpp"
#include "solver/question/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

namespace discern::cli {

namespace {

struct MeasureSettings {
    std::vector<std::string> units;
    OwnData data;
    std::string out, svg, spread;
    LimitWords limits;
    measure::MeasureOptions measure;
    double timeout = std::numeric_limits<double>::infinity();
    DesignOptions design; ///< of rtl:FILE
    bool json = false;

    bool has_designs() const { return std::ranges::any_of(units, is_design); }
};

/// Designs on the inputs of units.
class DesignSubject final : public measure::Subject {
  public:
    explicit DesignSubject(std::unique_ptr<DesignModel> model) : model_(std::move(model)) {}
    void compute(const measure::Tile& tile, MutablePatterns d) const override {
        const auto all = [](const Patterns& words) { return patterns_at(words, 0, words.size()); };
        const std::vector<std::uint64_t> a = all(tile.a), b = all(tile.b), c = all(tile.c), sa = all(tile.sa),
                                         sb = all(tile.sb);
        const auto row = [](const std::vector<std::uint64_t>& from, std::size_t i, std::size_t length) {
            return std::span(from).subspan(i * length, length);
        };
        const auto scales = static_cast<std::size_t>(model_->shape().scales());
        std::vector<Inputs> batch;
        for (std::size_t i = 0; i < tile.rows; ++i)
            for (std::size_t j = 0; j < tile.columns; ++j) {
                const std::size_t of_b = tile.combined ? j : i;
                batch.push_back({.a = row(a, i, tile.K),
                                 .b = row(b, of_b, tile.K),
                                 .sa = row(sa, i, scales),
                                 .sb = row(sb, of_b, scales),
                                 .c = model_->shape().c ? c[i * tile.columns + j] : 0});
            }
        const std::vector<std::uint64_t> results = (*model_)(batch);
        for (std::size_t i = 0; i < results.size(); ++i)
            std::memcpy(static_cast<std::byte*>(d.data()) + i * d.word(), &results[i], d.word()); // little-endian
    }

  private:
    std::unique_ptr<DesignModel> model_;
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
    decide_products(each_word(options.units));
    for (const std::string& name : options.units) units.push_back(resolve_unit(name));
    for (const Unit& unit : units) require_comparable(units.front(), unit);
    Counter counter(io, "measured", options.measure.n * options.measure.families.size());
    options.measure.progress = [&](std::uint64_t done) { counter.at(done); };
    MeasureReport report{options.units, shape_of(units.front()), options.measure.chain,
                         measure::measure(units, options.measure)};
    counter.clear();
    return report;
}

/// Units and designs on the same random inputs.
MeasureReport measure_designs(MeasureSettings& options, const Streams& io) {
    if (options.measure.chain != 1) throw Error("measure: --chain is of units, and not of designs");
    std::optional<Unit> inputs;
    DataOptions data = options.data.options;
    for (const std::string& name : options.units) {
        if (is_design(name)) continue;
        const Unit unit = resolve_unit(name);
        if (inputs) require_comparable(*inputs, unit);
        inputs = unit;
    }
    measure::Subjects subjects;
    for (const std::string& name : options.units) {
        if (!is_design(name)) {
            subjects.push_back(std::make_unique<measure::UnitSubject>(resolve_unit(name)));
            continue;
        }
        auto model = inputs ? std::make_unique<DesignModel>(name, options.design, shape_of(*inputs), options.timeout)
                            : design_model(name, options.design, "", data, options.timeout, io);
        if (!inputs) inputs = model->any_unit();
        subjects.push_back(std::make_unique<DesignSubject>(std::move(model)));
    }
    Counter counter(io, "measured", options.measure.n * options.measure.families.size());
    options.measure.progress = [&](std::uint64_t done) { counter.at(done); };
    MeasureReport report{options.units, shape_of(*inputs), 1, measure::measure(subjects, *inputs, options.measure)};
    counter.clear();
    return report;
}

int run_measure(const Command& self, Arguments arguments, const Streams& io) {
    MeasureSettings options;
    std::vector<std::string> families;
    CommandLine line(self);
    line.add_option("UNIT", options.units,
                    "the unit, or a design, rtl:FILE.sv; several, of the same formats and K, get the same inputs; "
                    "last, perhaps, a FILE of vectors, "
                    "whose inputs they get instead of random ones, and whose results are measured too");
    line.add_shared("-n", options.measure.n, "of each family");
    add_families(line, families, "each by itself", "normal");
    line.add_shared("--spread", options.spread);
    line.add_whole("--chain", options.measure.chain,
                   "instructions of a dot product, each one's c the d of the one before", {.least = 1, .most = 4096});
    add_stimulus_limits(line, options.limits);
    line.add_shared("--seed", options.measure.seed);
    options.measure.threads = std::max(1u, std::thread::hardware_concurrency());
    line.add_shared("--threads", options.measure.threads, "the results are the same");
    line.add_shared("--timeout", options.timeout);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("--svg", options.svg, "of how the errors are distributed").check(why_no_svg);
    line.add_shared("-o", options.out);
    add_data_options(line, options.data.options, {});
    options.data.matrices.add_to(line);
    add_design_options(line, options.design, DesignUse::simulated);
    std::vector<std::string> launches;
    line.add_shared("--launch", launches, "the n-th is that of the n-th").one_each_time();
    if (const auto ended = line.read(arguments, io)) return *ended;

    options.data.path = take_file(options.units);
    put_schedules(each_word(options.units), launches, io);
    if (options.data.is_given()) {
        if (!options.data.path.empty() && options.data.matrices.any())
            throw Error("measure: the results are in a file or in matrices, not in both");
        for (const char* random : {"-n", "--family", "--spread", "--chain", "--values", "--no-subnormals", "--finite",
                                   "--seed", "--threads"})
            if (line.was_given(random))
                throw Error(fmt::format("measure: {} is of random inputs; those of a file are what they are", random));
    } else if (options.units.empty()) {
        throw Error("measure: a UNIT is missing, or a FILE with results, or both");
    } else if (!options.has_designs() && (line.was_given("--formats") || line.was_given("--K"))) {
        throw Error("measure: --formats and --K are of a FILE, and none is given");
    }
    if (options.has_designs() && options.data.is_given())
        throw Error("measure: a design is measured on random inputs, not on those of a file; 'discern run' gives its "
                    "results for them, and these are measured as a FILE");
    if (!options.has_designs() && options.design.any())
        throw Error(design_options_alone(options.units.empty() ? options.data.path : options.units.front()));
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
                           : options.has_designs() ? measure_designs(options, io)
                                                   : measure_random(options, io);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    interrupt.work_is_done();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());

    if (!options.svg.empty())
        write_picture(options.svg, io, [&](std::ostream& out) { print_measured_svg(report, out); });
    if (options.json)
        print_measured_json(report, output.stream());
    else
        print_measured(report, output.stream());
    output.finish();
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command measure_command{
    .name = "measure",
    .usage = "UNIT…",
    .summary = "how far units are from the exact result: errors by family of input",
    .example = "  discern measure hopper/wgmma.m64n8k16.f32.f16.f16 cdna3/v_mfma_f32_16x16x16_f16 -n 1e8\n"
               "      errors of both on the same inputs, in ulp and relative\n"
               "  discern measure cdna3/v_mfma_f32_32x32x8_f16 --spread a:1000,b:1000 --svg bias.svg\n"
               "      a and b of 1000*N(0,1), c of N(0,1), and the distribution of the errors as a picture\n"
               "  discern measure a100.csv --formats f16,f16,f32,f32\n"
               "      errors of the results in a file; with a UNIT before it, those of the unit on the same inputs too",
    .run = run_measure,
    .units_and_files = true,
    .docs = {.group = "Questions", .page = "measure", .schemas = {"measure"}, .in_python = true}};

} // namespace discern::cli
