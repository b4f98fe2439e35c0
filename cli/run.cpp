// Observations: the vectors of a file, run on a target.
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/target.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

constexpr std::size_t batch_size = 256;

/// The header of the observations; what the inputs' header says is only quoted.
Header header_of(const TargetChoice& choice, const Target& target, const Header& inputs, const std::string& command) {
    Header header = observation_header(choice, target, command);
    const bool says_something = !inputs.unit.empty() || !inputs.target.empty() || !inputs.other.empty();
    if (says_something) header.other.emplace_back("inputs", to_json(inputs));
    return header;
}

/// A batch of vectors with the lines that they were read from.
struct Batch {
    std::vector<Vector> vectors = std::vector<Vector>(batch_size);
    std::vector<std::string> places = std::vector<std::string>(batch_size);
    std::vector<Inputs> inputs;

    /// Reads until the batch is full or the program that writes our input may wait for answers. @return false if there
    /// was nothing left
    bool read(VectorReader& reader, InputFile& file) {
        inputs.clear();
        while (inputs.size() < batch_size && reader.next(vectors[inputs.size()])) {
            places[inputs.size()] = sentence(file.name(), ":", reader.line());
            inputs.push_back(vectors[inputs.size()].inputs());
            if (file.stream().rdbuf()->in_avail() <= 0) break;
        }
        return !inputs.empty();
    }
};

int run_target(const Command& self, Arguments arguments, const Streams& io) {
    TargetChoice choice;
    std::string path, out;
    CommandLine line(self);
    add_target_options(line, choice);
    line.add_option("FILE", path, "a file of vectors, or - for standard input").required();
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;

    Interrupt interrupt(io, choice.timeout);
    note_input(input_of(choice), io);
    std::unique_ptr<Target> target;
    std::optional<ReadAs> as;
    if (!needs_shape(choice)) {
        target = start_target(choice, std::nullopt, interrupt.token(), io);
        as = ReadAs{.unit = choice.target, .shape = target->shape()};
    }
    InputFile file(path, io);
    VectorReader reader(file.stream(), file.name(), as);
    if (!target) target = start_target(choice, reader.shape(), interrupt.token(), io);
    OutputFile output(out, io, path);
    VectorWriter writer(output.stream(), reader.shape(),
                        header_of(choice, *target, reader.header(), quoted_command("run", arguments)));
    Batch batch;
    std::vector<TargetAnswer> answers;
    std::uint64_t observed = 0, skipped = 0;
    Counter counter(io, "observed");
    const auto keep = [&] {
        for (std::size_t i = 0; i < answers.size(); ++i) {
            Vector& vector = batch.vectors[i];
            vector.clear_results();
            if (answers[i].ok()) {
                vector.d.assign(1, answers[i].d);
                vector.flags = answers[i].flags;
                ++observed;
            } else {
                vector.error = answers[i].error;
                ++skipped;
                io.err << batch.places[i] << ": skipped: the target could not answer: " << printable(answers[i].error)
                       << '\n';
            }
            writer.write(vector);
        }
        output.keep();
    };
    while (!interrupt.stopped() && batch.read(reader, file)) {
        counter.at(observed + skipped);
        answers.clear();
        try {
            target->run(batch.inputs, answers);
        } catch (const Stopped&) { // reported below
        } catch (const Error&) {
            keep();
            output.finish();
            throw;
        }
        keep();
    }
    interrupt.work_is_done();
    counter.clear();
    output.finish();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; observed {}\n", interrupt.reason(), observed);
    if (skipped > 0) io.err << fmt::format("observed {}, skipped {}\n", observed, skipped);
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command run_command{
    .name = "run",
    .usage = "TARGET FILE|-",
    .summary = "observations of a real unit",
    .example = "  discern run x86/vdpbf16ps vectors.jsonl -o observed.jsonl\n"
               "      what this CPU gives for them\n"
               "  discern run 'exec:./simulator --fast' vectors.jsonl --formats f16,f16,f32,f32 --K 16\n"
               "      what a program gives that reads vectors from a pipe",
    .run = of_a_machine<run_target>,
    .docs = {.group = "Real units", .page = "targets"}};

} // namespace discern::cli
