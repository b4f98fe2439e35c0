// The question whether two units differ, or a unit and a design, as SMT-LIB 2, for any other solver.
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/read_design.hpp"
#include "cli/question/common.hpp"
#include "encodings/graph/smtlib.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "solver/question/circuit.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <sstream>

namespace discern::cli {

namespace {

struct Smt2Wanted {
    std::string first, second, out, d;
    LimitWords limits;
    DesignOptions design;
    bool values = false;
    int K = 0;
    double timeout = std::numeric_limits<double>::infinity();
};

/// A question that can be written.
struct Smt2Question {
    std::string comment;
    std::shared_ptr<const void> circuit; ///< which has the terms
    const Terms* terms;
    Term differ;
};

void refuse_what_is_no_question(const Smt2Wanted& wanted) {
    if (!is_design(wanted.second)) {
        if (wanted.design.any()) throw Error(design_options_alone(wanted.second));
        return;
    }
    if (is_design(wanted.first))
        throw Error("smt2: here are two designs; a unit and a design, or two units, are right");
    if (!wanted.d.empty())
        throw Error("--d is of two units, and not of a design, whose operands are those of the unit beside it");
    if (!wanted.design.valid.empty() || !wanted.design.ready.empty())
        throw Error("smt2: a design with a handshake is stalled in many ways, which are not one question; --clock and "
                    "--cycles N, without --valid and --ready, ask about the result after N edges");
}

Smt2Question question_of_units(const Smt2Wanted& wanted) {
    std::string first_name = wanted.first, second_name = wanted.second;
    if (wanted.K != 0)
        for (std::string* name : {&first_name, &second_name}) *name = with_length(*name, wanted.K);
    decide_products(std::array{&first_name, &second_name});
    const CommonUnits common = common_units(
        {{first_name, resolve_unit(first_name)}, {second_name, resolve_unit(second_name)}}, conversion_of(wanted.d));
    const Unit &first = common.units.front(), &second = common.units.back();
    const Question question{first, second, limits_of_question(wanted.limits)};
    require_operands(question.limits, first);
    const auto circuit = std::make_shared<const Circuit>(question);
    std::ostringstream comment;
    comment << "Are there inputs on which these units differ?\n"
            << to_string(first) << '\n'
            << to_string(second) << '\n';
    print_assumed(comment, common.form.assumed);
    return {comment.str(), circuit, &circuit->terms, circuit->differ};
}

/// The unit as the encoder writes it, beside the term that the design was read as.
Smt2Question question_of_design(const Smt2Wanted& wanted, const Interrupt& interrupt) {
    const Unit unit = resolve_unit(wanted.K != 0 ? with_length(wanted.first, wanted.K) : wanted.first);
    DiscriminateOptions solving;
    solving.limits = limits_of_question(wanted.limits);
    solving.timeout = std::min(wanted.timeout, longest_reading);
    solving.stop = interrupt.token();
    require_operands(solving.limits, unit);
    const ReadDesign read = read_design(unit, wanted.second, wanted.design, solving);
    const auto circuit = std::make_shared<const rtl::DesignCircuit>(read.question);
    std::string comment = sentence("Are there inputs on which this unit and this design differ?\n", to_string(unit),
                                   "\n", wanted.second, ", read by ", read.question.reader, "\n");
    for (const rtl::Open& open : circuit->open())
        comment += sentence(circuit->terms.name(open.variable), ", which the operands do not define: ", open.why, "\n");
    return {comment, circuit, &circuit->terms, circuit->differ};
}

int run_smt2(const Command& self, Arguments arguments, const Streams& io) {
    Smt2Wanted wanted;
    CommandLine line(self);
    line.add_option("UNIT", wanted.first, "the first unit").required();
    line.add_option("UNIT2", wanted.second, "the second unit, or a design, rtl:FILE.sv").required();
    line.add_shared("--K", wanted.K, "of kernels UNIT@[SCHEDULE]");
    add_input_limits(line, wanted.limits);
    add_result_format(line, wanted.d);
    line.add_flag("--solution", wanted.values,
                  "ask for the values of a solution too (an error in most solvers if there is none)");
    line.add_shared("--timeout", wanted.timeout);
    line.add_shared("-o", wanted.out);
    add_design_options(line, wanted.design, DesignUse::simulated);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (is_design(wanted.first) && !is_design(wanted.second)) std::swap(wanted.first, wanted.second);
    refuse_what_is_no_question(wanted);
    Interrupt interrupt(io, wanted.timeout);
    Progress progress(io);
    if (progress.is_wanted()) progress.show("making the circuits of both sides");
    const Smt2Question question =
        is_design(wanted.second) ? question_of_design(wanted, interrupt) : question_of_units(wanted);
    progress.clear();
    if (interrupt.stopped()) {
        io.err << "discern: " << interrupt.reason() << "; the question is not written\n";
        return status::unknown;
    }
    interrupt.work_is_done();
    const std::string comment = question.comment + quoted_command("smt2", arguments);
    write_file(wanted.out, io, [&](std::ostream& out) {
        write_smtlib(out, *question.terms, {&question.differ, 1}, comment, wanted.values);
    });
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
