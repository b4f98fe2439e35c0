// Vectors are printed as a vector file whose d are lists; with --json everything is one object.
#include "question.hpp"

#include "certified.hpp"
#include "certify.hpp"
#include "checker.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/files/vector_table.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/rtl/waves.hpp"
#include "common.hpp"
#include "designs/target.hpp"
#include "hwrunner/kinds.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"
#include "solver/certify/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace discern::cli {

namespace {

std::string solver_names() {
    std::string names = "portfolio, random";
    for (const BackendKind& kind : backends()) names += fmt::format(", {}", kind.name);
    return names;
}

Header header_of(const QuestionOptions& options, const std::string& command) {
    Header header;
    header.other.emplace_back("units", to_text(Json::array({options.first, options.second})));
    header.other.emplace_back("command", json_string(command));
    return header;
}

Json as_json(const Stage& stage) {
    return {{"name", stage.name}, {"outcome", stage.outcome}, {"seconds", number(stage.seconds, "{:.4f}")}};
}

/// What an answer is printed with.
struct About {
    const std::string& missing;              ///< what a certificate lacks that was to be checked
    const std::vector<std::string>& assumed; ///< of units of different shapes
    const std::vector<std::string>& read_as; ///< lines of the notation that read the vectors; empty: the units do
};

Json as_json(const Answer& answer, const Shape& shape, const About& about) {
    const auto vectors = [&](const std::vector<Vector>& list) {
        return list_of(list, [&](const Vector& v) { return json_of(shape, v); });
    };
    const std::string& lacking = about.missing.empty() ? answer.missing : about.missing;
    Json object = {{"verdict", name(answer.verdict)},
                   {"same_tree", answer.same_tree},
                   {"vectors", vectors(answer.witnesses)},
                   {"by", answer.by}};
    put_ground(object, answer.ground);
    object["challenged"] = answer.challenged;
    put_assumed(object, about.assumed);
    if (!about.assumed.empty()) object["read_as"] = about.read_as;
    if (!lacking.empty()) object["missing"] = lacking;
    object["stages"] = list_of(answer.stages, [](const Stage& stage) { return as_json(stage); });
    object["seconds"] = number(answer.seconds, "{:.4f}");
    if (answer.cases) object["cases"] = {{"proved", answer.cases->proved}, {"open", answer.cases->open}};
    if (answer.cross_check)
        object["cross_check"] = {{"solver", answer.cross_check->solver},
                                 {"confirmed", answer.cross_check->confirmed},
                                 {"unconfirmed", answer.cross_check->unconfirmed}};
    if (!answer.sequence.empty()) object["sequence"] = vectors(answer.sequence);
    if (answer.stalls)
        object["stalls"] = {
            {"wrong", answer.stalls->wrong}, {"valid", answer.stalls->valid}, {"ready", answer.stalls->ready}};
    return object;
}

/// The vectors as a table, with the units' names as they were written.
void print_table(const Answer& answer, const std::array<NamedResult, 2>& units, const Shape& shape,
                 const Colours& colours, std::ostream& out) {
    for (std::size_t i = 0; i < answer.witnesses.size(); ++i)
        print_vector(out, shape, units, answer.witnesses[i], answer.witnesses.size() > 1 ? i + 1 : 0, colours);
    out << colours.bad("different") << fmt::format(": found by {} in {:.1f} s\n", answer.by, answer.seconds);
}

void print_text(const Answer& answer, const QuestionOptions& options, const Shape& shape, const std::string& command,
                const About& about, const Colours& colours, std::ostream& out) {
    const std::string& missing = about.missing;
    const std::string checked =
        answer.ground == by_certificate ? "; discern-check accepts the certificate that was made" : "";
    if (answer.verdict == Verdict::different) {
        Header header = header_of(options, command);
        if (!about.assumed.empty()) {
            header.other.emplace_back("assumed", to_text(Json(about.assumed)));
            header.other.emplace_back("read_as", to_text(Json(about.read_as)));
        }
        header.shape = shape;
        VectorWriter writer(out, shape, header);
        // Of a design: where the result depends on operations before it, all of them from the reset on.
        for (const Vector& v : answer.sequence.empty() ? answer.witnesses : answer.sequence) writer.write(v);
    } else if (answer.verdict == Verdict::unknown && !missing.empty()) {
        out << colours.open("unknown")
            << fmt::format(": the units were found to be the same{} by {}, but there is no certificate of it that is "
                           "accepted: {}\n",
                           options.limits.any() ? " on these inputs" : "", answer.by, missing);
    } else if (answer.verdict == Verdict::unknown) {
        const bool unconfirmed = answer.cross_check && answer.cross_check->unconfirmed > 0;
        out << colours.open("unknown")
            << fmt::format(": neither a difference nor a{} proof within {:.1f} s{}\n", unconfirmed ? " confirmed" : "",
                           answer.seconds, answer.missing.empty() ? "" : "; " + answer.missing);
    } else if (answer.same_tree) {
        // Terms that fold under limits need not fold without them.
        const bool within = options.limits.any() && answer.ground.kind != Ground::Kind::structure;
        out << colours.good("equivalent")
            << fmt::format("{}{}: both units are the same computation of the inputs{}{}\n",
                           within ? " on these inputs" : "",
                           options.design.once ? " in the first operation after each reset" : "",
                           answer.by == "terms" ? "" : ", by " + answer.by, checked);
    } else {
        out << colours.good("equivalent")
            << fmt::format("{}{}: proved by {}{}{}\n", options.limits.any() ? " on these inputs" : "",
                           options.design.once ? " in the first operation after each reset" : "", answer.by,
                           answer.cross_check ? ", confirmed by " + answer.cross_check->solver : "", checked);
    }
}

// Of a second solver, whose name may be left out: a unit that follows must not be taken for it.
std::string why_not_confirming(const std::string& name) {
    if (name == QuestionOptions::no_cross_check) return "";
    const std::string why = error_of([&] { require_backend(name); });
    return why.empty() ? "" : why + "; --cross-check without a name stands behind the units";
}

/// All that a question cannot be because of what its sides are.
/// @param options  in order
/// @throws Error
void require_possible(const QuestionOptions& options) {
    const bool of_design = is_design(options.second), of_designs = is_design(options.first);
    const struct {
        bool is_refused;
        const char* why;
    } rows[] = {
        {!of_design && options.design.any(),
         "--top, --map, --set, --parameter, --equal, --cycles, --clock, --reset, --state, --valid, --ready, --hold, "
         "--once and --by-cases are of a design, rtl:FILE.sv, and neither unit is one"},
        {of_designs && (!options.design.equal.empty() || options.design.by_cases),
         "--equal and --by-cases are of a design beside a unit, and not of two designs"},
        {of_design && options.cross_check != QuestionOptions::no_cross_check,
         "--cross-check: a second solver is not asked about designs; --solver NAME asks another one"},
        {of_design && options.solving.threads != 0, "--threads: a design is not asked about by a portfolio"},
        {!of_designs && (!options.formats.empty() || !options.scale.empty()),
         "--formats and --scale are of two designs; units have formats of their own"},
        {of_designs && (options.formats.empty() || options.K == 0),
         "which formats and K have the two designs? --formats f16,f16,f32,f32 --K 16 says so, for a, b, c and d"},
        {of_design && !(options.d + options.sa + options.sb).empty(),
         "--d, --sa and --sb are of two units, and not of a design, whose operands are those of the unit beside it"},
        {options.table && options.json, "--table and --json are two forms; one can be written"},
    };
    for (const auto& [is_refused, why] : rows)
        if (is_refused) throw Error(why);
}

/// Of a unit and a design the unit is first; kernels are written out as units.
QuestionOptions in_order(QuestionOptions options, const Streams& io) {
    put_schedules(std::array{&options.first, &options.second}, options.launches, io);
    if (is_design(options.first) && !is_design(options.second)) std::swap(options.first, options.second);
    require_possible(options);
    require_wave(options.wave, is_design(options.second));
    if (options.K != 0)
        for (std::string* const unit : {&options.first, &options.second})
            if (!is_design(*unit)) *unit = with_length(*unit, options.K);
    if (!is_design(options.second)) decide_products(std::array{&options.first, &options.second});
    return options;
}

/// Two units as they are asked about, of one shape.
struct Sides {
    std::pair<Unit, Unit> units;
    std::optional<CommonForm> common{};     ///< if they are of different shapes as they are
    std::optional<rtl::FlagsAsked> flags{}; ///< of a unit and a design: they are asked about in place of d
};

/// A unit and a design whose flags are asked about: d is then five bits.
Sides sides_of_flags(const QuestionOptions& options, const Unit& unit) {
    if (const DefinedFlags defined = defined_flags(unit); !defined.why_not.empty())
        throw Error(sentence("--flags-port: the flags of ", options.first, " are not defined: ", defined.why_not));
    if (options.checked || !options.certificate.empty())
        throw Error("--flags-port: certificates are of d; there are none of flags");
    Shape shape = shape_of(unit);
    shape.d = fixed_point(static_cast<int>(status_flag_names.size()), 0).value();
    const Unit any = rtl::any_unit_of(shape);
    return {.units = {any, any}, .flags = rtl::FlagsAsked{unit, tininess_from_name(options.design.tininess).value()}};
}

/// Scales that are constants: limits where both units have scales; where one has none, they must do nothing.
void fix_scales(const QuestionOptions& options, CommonForm& form, LimitWords& limits) {
    int exponent = 0; // of their product
    bool is_power = true;
    for (const auto& [name, text] : {std::pair("sa", &options.sa), std::pair("sb", &options.sb)}) {
        if (text->empty()) continue;
        const auto scaled = std::find_if(form.own.begin(), form.own.end(),
                                         [](const Kernel& own) { return own.unit.scale.has_value(); });
        if (scaled == form.own.end()) throw Error(sentence("--", name, ": neither unit has scales"));
        const Format& of = format(scaled->unit.scale->format);
        const auto pattern = parse_pattern(of, *text);
        if (!pattern) throw Error(sentence("--", name, ": ", pattern_complaint(of, *text)));
        const Decoded scale = decode(of, *pattern);
        if (scale.number_class != NumberClass::finite)
            throw Error(sentence("--", name, ": ", *text, " is NaN; a number is right"));
        exponent += scale.exponent;
        is_power = is_power && scale.significand == 1ull << of.mantissa_bits;
        const double number = to_double(of, *pattern);
        if (form.shape.scale)
            limits.values += fmt::format("{}{}:{:a}..{:a}", limits.values.empty() ? "" : ",", name, number, number);
    }
    if (form.shape.scale || options.sa.empty() + options.sb.empty() == 2) return;
    if (!is_power || exponent != 0)
        throw Error("--sa and --sb: one of the units has no scales, as if they were 1; powers of two, none of them "
                    "subnormal, whose product is 1 are right");
    form.assumed.emplace_back("--sa and --sb: their product is 1, and the scales do what scales of 1 do");
}

/// Units in their common form. @param options  gets limits of scales that are constants
Sides in_common(QuestionOptions& options, const std::vector<std::pair<std::string, Unit>>& units) {
    CommonUnits common = common_units(units, conversion_of(options.d));
    fix_scales(options, common.form, options.limits);
    Sides sides{{common.units.front(), common.units.back()}};
    if (!common.form.assumed.empty()) sides.common = std::move(common.form);
    return sides;
}

/// The units that are asked about. A design has the shape of the unit beside it, or that which the options say.
Sides sides_of(QuestionOptions& options) {
    if (is_design(options.first)) {
        if (!options.design.flags_port.empty())
            throw Error("--flags-port: a unit must say which flags are right, and here are two designs; of these, "
                        "--map d=PORT compares any output");
        Unit any = rtl::any_unit_of(shape_from_text(options.formats, options.K, options.scale));
        return {{any, any}};
    }
    Unit first = resolve_unit(options.first);
    if (is_design(options.second) && !options.design.flags_port.empty()) return sides_of_flags(options, first);
    if (is_design(options.second)) return {{first, first}};
    return in_common(options, {{options.first, first}, {options.second, resolve_unit(options.second)}});
}

DesignsAsked ask(const Sides& sides, const QuestionOptions& options, const DiscriminateOptions& solving) {
    const auto& units = sides.units;
    std::vector<std::string> designs;
    for (const std::string& side : {options.first, options.second})
        if (is_design(side)) designs.push_back(side);
    if (designs.empty()) return {{}, discriminate(units.first, units.second, solving)};
    return ask_about_designs(units.first, designs, options.design, solving, sides.flags);
}

/// For the table: a unit, or a design, which is read again.
NamedResult named(const std::string& name, const Unit& unit, const Sides& sides, QuestionOptions options,
                  const DiscriminateOptions& solving) {
    if (!is_design(name) && sides.flags)
        return {name, nullptr, [asked = *sides.flags](const Inputs& inputs) {
                    return flags_exactly(asked.unit, inputs, asked.tininess);
                }};
    if (!is_design(name)) return {name, &unit};
    if (sides.flags) options.design = with_flags_as_d(options.design);
    const std::shared_ptr<Target> target =
        design_target(name, options.design, shape_of(unit), solving.timeout, solving.stop);
    return {name, nullptr, [target](const Inputs& inputs) {
                std::vector<TargetAnswer> answers;
                target->run(std::span(&inputs, 1), answers);
                return answers.front().d;
            }};
}

/// Prints the answer as it was wanted.
/// @param missing  what a certificate lacks that was to be checked
void print(const Answer& answer, const std::string& missing, const QuestionOptions& options, const Sides& sides,
           const DiscriminateOptions& solving, const std::string& command, OutputFile& output, const Streams& io) {
    const std::pair<Unit, Unit>& units = sides.units;
    const std::vector<std::string> assumed = sides.common ? sides.common->assumed : std::vector<std::string>(),
                                   read_as = {to_string(units.first), to_string(units.second)};
    const About about{missing, assumed, read_as};
    const Shape shape = shape_of(units.first);
    if (answer.verdict == Verdict::different && answer.witnesses.size() < solving.count)
        io.err << fmt::format("discern: {} of {} vectors: no difference of another kind was found\n",
                              answer.witnesses.size(), solving.count);
    if (answer.stalls)
        io.err << fmt::format(
            "discern: {}; edge by edge from the reset, operands are offered (1) and results taken (1): "
            "{} and {}\n",
            answer.stalls->wrong, answer.stalls->valid, answer.stalls->ready);
    const bool to_screen = is_terminal(io) && (options.out.empty() || options.out == "-");
    const Colours colours = to_screen ? Colours::of(io) : Colours(false);
    if (options.json)
        print_line(output.stream(), as_json(answer, shape, about));
    else if (answer.verdict == Verdict::different && answer.sequence.empty() && (options.table || to_screen))
        print_table(answer,
                    {named(options.first, units.first, sides, options, solving),
                     named(options.second, units.second, sides, options, solving)},
                    shape, colours, output.stream());
    else
        print_text(answer, options, shape, command, about, colours, output.stream());
    const bool is_file = answer.verdict == Verdict::different && !(options.table || to_screen);
    if (!options.json && !is_file) print_assumed(output.stream(), assumed);
}

} // namespace

void add_question_options(CommandLine& line, QuestionOptions& options) {
    line.add_option("UNIT", options.first, "the first unit, or a design, rtl:FILE.sv").required();
    line.add_option("UNIT2", options.second, "the second unit, or a design").required();
    line.add_shared("--K", options.K,
                    "of kernels UNIT@[SCHEDULE], which are written out as one tree, and of two designs");
    line.add_shared("--formats", options.formats, "of two designs");
    line.add_shared("--scale", options.scale, "of two designs");
    line.add_shared("--launch", options.launches, "the n-th is that of the n-th").one_each_time();
    line.add_shared("--timeout", options.solving.timeout);
    line.add_shared("--seed", options.solving.seed, "a portfolio may still give another vector");
    line.add_shared("--threads", options.solving.threads,
                    "of a portfolio, at least two; 2 to 4 without it, as the machine has; the verdict is the same");
    line.add_shared("--solver", options.solving.solver, solver_names());
    line.add_option("--cross-check", options.cross_check,
                    "a second solver, which must confirm every unsat that the answer rests on; without a name, the "
                    "first one that does not answer")
        .value_is_optional()
        .type_name("[SOLVER]")
        .check(why_not_confirming);
    add_input_limits(line, options.limits);
    add_result_format(line, options.d);
    line.add_option("--sa", options.sa, "the pattern of all scales of a, where units have scales").type_name("PATTERN");
    line.add_option("--sb", options.sb, "the same of b").type_name("PATTERN");
    line.add_shared("--table", options.table);
    line.add_shared("--json", options.json, "one object, with what was done");
    line.add_shared("-o", options.out);
    add_design_options(line, options.design);
    line.add_shared("--flags-port", options.design.flags_port);
    add_tininess(line, options.design.tininess);
    line.add_shared("--wave", options.wave);
}

int answer_question(const QuestionOptions& given, const std::string& command, const Streams& io) {
    QuestionOptions options = in_order(given, io);
    const Sides sides = sides_of(options);
    const std::pair<Unit, Unit>& units = sides.units;
    if (!options.certificate.empty()) certificate::require_empty_folder(options.certificate);
    const auto deadline = deadline_in(options.solving.timeout);
    const std::filesystem::path checker = options.checked ? checker_program() : std::filesystem::path();
    OutputFile output(options.out, io);
    DiscriminateOptions solving = options.solving;
    solving.limits = limits_of_question(options.limits);
    if (options.cross_check != QuestionOptions::no_cross_check)
        solving.cross_check = options.cross_check.empty() ? "auto" : options.cross_check;
    Interrupt interrupt(io, solving.timeout);
    solving.stop = interrupt.token();
    Progress progress(io);
    if (progress.is_wanted()) solving.progress = [&progress](const std::string& stage) { progress.show(stage); };
    DesignsAsked asked = ask(sides, options, solving);
    Answer& answer = asked.answer;
    if (sides.common)
        for (const Vector& witness : answer.witnesses) require_own_results(*sides.common, witness);
    const bool is_certified = options.checked || !options.certificate.empty();
    CertifiedSides circuits = is_certified && !asked.designs.empty() ? certified(units.first, asked.designs, solving)
                                                                     : certified(units, solving);
    if (sides.common) circuits.what.assumed_of_units = sides.common->assumed;
    const ToCertify to_certify{circuits.what, circuits.why_not, solving.limits, deadline, interrupt};
    if (options.checked && progress.is_wanted()) progress.show("certificate");
    const std::string missing = options.checked ? check(options, to_certify, checker, answer) : "";
    // The answer is printed before a certificate is made, which may take all the time that is left.
    const bool is_certified_later = !options.checked && !options.certificate.empty();
    if (!is_certified_later) interrupt.work_is_done();
    progress.clear();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";
    print(answer, missing, options, sides, solving, command, output, io);
    finish_unless(interrupt.requested(), output, options.out, io);
    write_waves(asked, options.wave, solving.stop, io);
    const std::string no_certificate = is_certified_later ? certify(options, to_certify, answer) : "";
    interrupt.work_is_done();
    if (!no_certificate.empty()) {
        io.err << fmt::format("discern: there is no certificate: {}\n", no_certificate);
        return status::unknown;
    }
    static constexpr int statuses[] = {status::different, status::done, status::unknown}; // in the order of Verdict
    return statuses[static_cast<std::size_t>(answer.verdict)];
}

} // namespace discern::cli
