// Whether two units are the same: the question of synth, asked for a proof.
#include "cli/question/question.hpp"

namespace discern::cli {

namespace {

int run_prove(const Command& self, Arguments arguments, const Streams& io) {
    QuestionOptions options;
    CommandLine line(self);
    add_question_options(line, options);
    line.add_shared("--certificate", options.certificate, "without one in time: status 3");
    line.add_flag(
        "--checked", options.checked,
        "\"equivalent\" only if a certificate was made and discern-check, in a process of its own, accepts it "
        "within the time; else status 3, and what is missing");
    if (const auto ended = line.read(arguments, io)) return *ended;
    return answer_question(options, quoted_command("prove", arguments), io);
}

} // namespace

extern constinit const Command prove_command{
    .name = "prove",
    .usage = "UNIT UNIT",
    .summary = "whether two units, or a unit and a design, are the same: a proof",
    .example = "  discern prove 'volta/mma.m8n8k4.f32.f16.f16.f32{carry=3}' volta/mma.m8n8k4.f32.f16.f16.f32\n"
               "      are three carry bits enough for four products and c? exits with 0 if that is proved,\n"
               "      with 1 and a vector if they differ, with 3 if neither was found in time",
    .run = run_prove,
    .docs = {.group = "Questions", .page = "questions", .schemas = {"prove"}, .in_python = true}};

} // namespace discern::cli
