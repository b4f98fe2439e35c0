// Stimulus: vectors of the families, within limits, for whatever is to be tested.
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/files/target.hpp"
#include "cli/options/input_limits.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

struct GenerateSettings {
    std::string unit, formats, scale, out;
    std::vector<std::string> families;
    int K = 0;
    std::uint64_t n = 1000, seed = 1;
    LimitWords limits;
    double timeout = std::numeric_limits<double>::infinity();
    bool results = false, text = false, binary = false;
};

/// A unit is a kernel of one instruction.
Kernel kernel_of(const GenerateSettings& options) {
    const bool spelled_out =
        !options.formats.empty() || (options.K != 0 && options.unit.empty()) || !options.scale.empty();
    if (options.unit.empty() == !spelled_out)
        throw Error(
            "generate: a UNIT is needed, or --formats and --K, as in --formats f16,f16,f32,f32 --K 16; not both");
    if (!options.unit.empty())
        return resolve_kernel(options.unit, options.K == 0 ? std::nullopt : std::optional(options.K));
    const Shape shape = shape_of_words(options.formats, options.K, options.scale);
    if (options.results) throw Error("generate: --results needs a UNIT, whose results they are");
    return {.unit = unit_of_shape(shape), .K = options.K, .schedule = {}};
}

Header header_of(const GenerateSettings& options, const Kernel& kernel, const std::string& command) {
    Header header;
    if (options.unit.empty())
        header.shape = shape_of(kernel);
    else
        header.unit = options.K == 0 ? options.unit : with_length(options.unit, options.K);
    header.other.emplace_back("seed", std::to_string(options.seed));
    header.other.emplace_back("command", json_string(command));
    return header;
}

int run_generate(const Command& self, Arguments arguments, const Streams& io) {
    GenerateSettings options;
    CommandLine line(self);
    line.add_option("UNIT", options.unit, "for which the vectors are; the families aim at its parameters");
    line.add_shared("--formats", options.formats, "instead of UNIT");
    line.add_shared("--K", options.K, "with --formats, or of a kernel UNIT@[SCHEDULE]");
    line.add_shared("--scale", options.scale);
    line.add_shared("-n", options.n);
    add_families(line, options.families, "taken in turn", "all but corners");
    add_stimulus_limits(line, options.limits);
    line.add_shared("--seed", options.seed);
    line.add_shared("--timeout", options.timeout);
    line.add_flag("--results", options.results, "with d, as the unit gives it");
    line.add_flag("--text", options.text, "write plain text, a line a vector, without header");
    line.add_flag("--binary", options.binary,
                  "write records of little-endian words behind the header; needs --results");
    line.add_shared("-o", options.out);
    std::vector<std::string> launches;
    line.add_shared("--launch", launches);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (options.text && options.binary) throw Error("generate: --text and --binary are two forms; one can be written");
    if (options.binary && !options.results)
        throw Error("generate: --binary has a result in each record; --results is missing");

    put_schedules(std::array{&options.unit}, launches, io);
    const Kernel kernel = kernel_of(options);
    const Shape shape = shape_of(kernel);
    Stimulus stimulus(chain_of(kernel), options.families, limits_of_stimulus(options.limits), options.seed);
    const KernelEvaluator evaluate(kernel);
    const Interrupt interrupt(io, options.timeout);
    OutputFile output(options.out, io);
    VectorWriter writer(output.stream(), shape, header_of(options, kernel, quoted_command("generate", arguments)),
                        options.binary ? VectorWriter::Form::binary
                        : options.text ? VectorWriter::Form::text
                                       : VectorWriter::Form::json_lines);
    InputBuffer buffer;
    Counter counter(io, "generated", options.n);
    for (std::uint64_t i = 0; i < options.n && !interrupt.stopped(); ++i) {
        stimulus.next(buffer);
        counter.at(i);
        Vector vector = vector_of(shape, buffer.inputs());
        if (options.results) vector.d = {evaluate(buffer.inputs())};
        writer.write(vector);
        output.require_good();
    }
    counter.clear();
    if (interrupt.stopped()) {
        io.err << fmt::format("discern: {}\n", interrupt.reason());
        return status::unknown; // a file is kept only if it is whole
    }
    output.finish();
    return status::done;
}

} // namespace

extern constinit const Command generate_command{
    .name = "generate",
    .usage = "UNIT",
    .summary = "vectors of all kinds of input, for tests",
    .example =
        "  discern generate hopper/wgmma.m64n8k16.f32.f16.f16 -n 1e5 --results -o stimulus.jsonl\n"
        "      vectors of all families, with what the unit gives for them\n"
        "  discern generate --formats bf16,bf16,f32,f32 --K 8 --family corners --values a:-1..1,b:-1..1 --finite\n"
        "      corner values within limits, for a unit of which only the formats are known",
    .run = run_generate,
    .docs = {.group = "Vectors", .page = "generate", .in_python = true}};

} // namespace discern::cli
