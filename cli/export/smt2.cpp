// The question whether two units differ, as SMT-LIB 2, for any other solver.
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/question/common.hpp"
#include "encodings/graph/smtlib.hpp"
#include "models/catalogue.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "solver/question/circuit.hpp"

#include <array>
#include <limits>
#include <sstream>

namespace discern::cli {

namespace {

int run_smt2(const Command& self, Arguments arguments, const Streams& io) {
    std::string first_name, second_name, out, d;
    LimitWords limits;
    bool values = false;
    int K = 0;
    double timeout = std::numeric_limits<double>::infinity();
    CommandLine line(self);
    line.add_option("UNIT", first_name, "the first unit").required();
    line.add_option("UNIT2", second_name, "the second unit").required();
    line.add_shared("--K", K, "of kernels UNIT@[SCHEDULE]");
    add_input_limits(line, limits);
    add_result_format(line, d);
    line.add_flag("--solution", values,
                  "ask for the values of a solution too (an error in most solvers if there is none)");
    line.add_shared("--timeout", timeout);
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (K != 0)
        for (std::string* name : {&first_name, &second_name}) *name = with_length(*name, K);
    decide_products(std::array{&first_name, &second_name});
    const CommonUnits common = common_units(
        {{first_name, resolve_unit(first_name)}, {second_name, resolve_unit(second_name)}}, conversion_of(d));
    const Unit &first = common.units.front(), &second = common.units.back();
    const Question question{first, second, limits_of_question(limits)};
    require_operands(question.limits, first);
    OutputFile output(out, io);
    Interrupt interrupt(io, timeout);
    Progress progress(io);
    if (progress.is_wanted()) progress.show("making the circuits of both units");
    const Circuit circuit(question);
    progress.clear();
    if (interrupt.stopped()) {
        io.err << "discern: " << interrupt.reason() << "; the question is not written\n";
        return status::unknown;
    }
    interrupt.work_is_done();
    const Term conditions[] = {circuit.differ};
    std::ostringstream assumed;
    print_assumed(assumed, common.form.assumed);
    const std::string comment = "Are there inputs on which these units differ?\n" + to_string(first) + "\n" +
                                to_string(second) + "\n" + assumed.str() + quoted_command("smt2", arguments);
    write_smtlib(output.stream(), circuit.terms, conditions, comment, values);
    output.finish();
    return 0;
}

} // namespace

extern constinit const Command smt2_command{
    .name = "smt2",
    .usage = "UNIT UNIT",
    .summary = "the question as SMT-LIB2",
    .example = "  discern smt2 volta/mma.m8n8k4.f32.f16.f16.f32 'turing/mma.m16n8k8.f32.f16.f16.f32{K=4}' -o q.smt2\n"
               "      sat: the units differ on the values of a0, b0, …, c; unsat: they are equivalent",
    .run = run_smt2,
    .docs = {.group = "Questions", .page = "questions"}};

} // namespace discern::cli
