// Vectors on which two units differ.
#include "cli/question/question.hpp"

namespace discern::cli {

namespace {

int run_synth(const Command& self, Arguments arguments, const Streams& io) {
    QuestionOptions options;
    CommandLine line(self);
    add_question_options(line, options);
    line.add_shared("-n", options.solving.count, "at most, each of another kind: other terms, signs, exponents");
    bool raw = false;
    line.add_flag("--raw", raw, "vectors as they were found, not simplified");
    if (const auto ended = line.read(arguments, io)) return *ended;
    options.solving.shrink = !raw;
    return answer_question(options, quoted_command("synth", arguments), io);
}

} // namespace

extern constinit const Command synth_command{
    .name = "synth",
    .usage = "UNIT UNIT",
    .summary = "vectors on which two units differ",
    .example = "  discern synth volta/mma.m8n8k4.f32.f16.f16.f32 'turing/mma.m16n8k8.f32.f16.f16.f32{K=4}'\n"
               "      prints a vector on which they differ, with both results, and exits with 1;\n"
               "      0 means proved equal, 3 means neither was found in time",
    .run = run_synth,
    .docs = {.group = "Questions", .page = "questions", .schemas = {"prove"}, .in_python = true}};

} // namespace discern::cli
