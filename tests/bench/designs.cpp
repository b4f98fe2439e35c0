// How many vectors a second a design computes as a target: units of four f16 products, on random vectors, in processor
// time. What this measures is the netlist in this process; reading the design and the vectors is not in it.
//
//     build/bench/designs [--least N]      exits with 1 if one of the designs computes fewer than N a second
//
// In the root of the repository; yosys has to be installed.
#include "ask.hpp"
#include "programs.hpp"

#include "cli/options/design_options.hpp"
#include "hwrunner/target.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/unit.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace discern::bench {

namespace {

struct Measured {
    const char* unit; ///< that the design is
    const char* word;
    const char* top;
};

constexpr Measured designs[] = {
    {"volta/mma.m8n8k4.f16.f16.f16.f16", "rtl:docs/examples/rtl/tfdpa_f16.sv", "tfdpa_f16"},
    {"hopper/wgmma.m64n8k16.f32.f16.f16{K=4}", "rtl:docs/examples/rtl/tfdpa.sv{K=4}", "tfdpa"},
};

constexpr std::size_t vectors = 4096;
constexpr double least_seconds = 2; ///< of measuring, a design
constexpr std::uint64_t seed = 1;

/// Vectors a second. @throws Error if a result is not the unit's
double rate(const Measured& of) {
    const Unit unit = resolve_unit(of.unit);
    cli::DesignOptions options;
    options.top = of.top;
    const auto target = cli::design_target(of.word, options, shape_of(unit), cli::longest_reading, {});
    InputGenerator generator(unit, Family::normal, seed);
    std::vector<InputBuffer> buffers(vectors);
    std::vector<Inputs> batch;
    for (InputBuffer& buffer : buffers) {
        generator.next(buffer);
        batch.push_back(buffer.inputs());
    }
    std::vector<TargetAnswer> answers;
    std::size_t done = 0;
    const double start = processor_seconds();
    double seconds = 0;
    while (seconds < least_seconds) {
        answers.clear();
        target->run(batch, answers);
        done += batch.size();
        seconds = processor_seconds() - start;
    }
    const Evaluator evaluate(unit);
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (!answers[i].ok() || answers[i].d != evaluate(batch[i]))
            throw Error(std::string(of.word) + " is not its unit");
    return static_cast<double>(done) / seconds;
}

} // namespace

int run_designs(int argc, char** argv) {
    CLI::App app("vectors a second of designs as targets");
    double least = 0;
    app.add_option("--least", least, "vectors a second, of each design");
    CLI11_PARSE(app, argc, argv);
    try {
        bool enough = true;
        for (const Measured& one : designs) {
            const double found = rate(one);
            fmt::print("{:<40} {:>12.0f} vectors a second\n", one.word, found);
            enough = enough && found >= least;
        }
        return enough ? 0 : 1;
    } catch (const Error& error) {
        fmt::print(stderr, "designs: {}\n", error.what());
        return 2;
    }
}

} // namespace discern::bench
