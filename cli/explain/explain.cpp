// Why a unit gives what it gives: its evaluation step by step; of two units, the first step at which they part.
#include "cli/base/interrupt.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/products.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/programs/ptx.hpp"
#include "cli/question/common.hpp"
#include "cli/rtl/design_explained.hpp"
#include "cli/rtl/design_model.hpp"
#include "designs/target.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace discern::cli {

namespace {

struct ExplainSettings {
    std::vector<std::string> words;
    OneVector one;
    DataOptions data;
    std::uint64_t at = 0;
    int K = 0;
    double timeout = std::numeric_limits<double>::infinity();
    bool json = false;
    std::string html, svg, out, d;
    DesignOptions design; ///< of rtl:FILE
    std::vector<std::string> launches;
};

/// What is explained: one unit or two, a design, or a unit and a design; and the file whose vector it is, unless one
/// vector is given.
struct Subject {
    std::vector<std::string> names; ///< of the units
    std::vector<Unit> units;        ///< of a design alone: any of its shape
    std::string design, path;       ///< empty: none
    std::vector<std::string> assumed = {};
};

Explained explained(const std::string& name, const Unit& unit, const Vector& vector) {
    Explained one{name, unit, explain::trace(unit, vector.inputs()), {}};
    one.exactness = explain::exactness(shape_of(unit), vector.inputs(), one.trace.d);
    const std::uint64_t exactly = evaluate_exactly(unit, vector.inputs());
    if (!same_result(unit, one.trace.d, exactly) || one.trace.d != Evaluator(unit)(vector.inputs()))
        throw std::logic_error("the recorded evaluation gives another result than the evaluators: " + to_string(unit));
    return one;
}

/// Whether both units call these results different: any NaN may be as good as another.
bool differ(const std::vector<Unit>& units, std::uint64_t one, std::uint64_t other) {
    return !same_result(units.front(), one, other) && !same_result(units.back(), one, other);
}

/// The vector of the file that is asked for; else the first on which the units, or a unit and the design, differ; or
/// the first.
Vector from_file(const std::string& path, const std::vector<std::string>& names, const std::vector<Unit>& units,
                 const ExplainedDesign* design, const ExplainSettings& options, std::string& where,
                 const Interrupt& interrupt, const Streams& io) {
    const std::uint64_t at = options.at;
    const auto is_difference = [&](const std::vector<Evaluator>& evaluators, const Inputs& inputs) {
        const std::uint64_t one = evaluators.front()(inputs);
        return design != nullptr ? !same_result(units.front(), one, (*design)(inputs))
                                 : units.size() == 1 || differ(units, one, evaluators.back()(inputs));
    };
    VectorFile file(path,
                    ReadAs{.unit = names.empty() ? "the design" : names.front(), .shape = shape_of(units.front())},
                    options.data, io);
    std::vector<Evaluator> evaluators;
    for (const Unit& unit : units) evaluators.emplace_back(unit);
    Vector vector, first;
    std::uint64_t count = 0;
    for (; file.next(vector); ++count) {
        if (interrupt.stopped())
            throw Error(
                sentence("explain: ", interrupt.reason(), " after ", counted(count, "vector"), " of ", file.name()));
        const bool is_it = at != 0 ? count + 1 == at : names.empty() || is_difference(evaluators, vector.inputs());
        if (count == 0) first = vector;
        if (!is_it) continue;
        where = sentence(file.name(), ": vector ", count + 1);
        return vector;
    }
    if (at != 0) throw Error(sentence("explain: --at ", at, ", but ", file.name(), " has ", counted(count, "vector")));
    if (count == 0) throw Error(file.name() + " has no vectors; there is nothing to explain");
    where = sentence(file.name(), ": vector 1; the units differ on none of ", counted(count, "vector"));
    return first;
}

void add_options(CommandLine& line, ExplainSettings& options) {
    line.add_option("UNIT", options.words,
                    "the unit, perhaps a second one, or a design, rtl:FILE.sv, and a file of vectors, or -, unless one "
                    "vector is given by --a, --b, …")
        .required();
    options.one.add_to(line, std::nullopt, options.data);
    line.add_shared("--formats", options.data.formats,
                    "of FILE, where UNITs are products alone, as A100, or of a design");
    line.add_shared("--scale", options.data.scale, "of a design");
    add_data_options(line, options.data, {.formats = true, .numbers = true});
    line.add_shared("--K", options.K, "of kernels UNIT@[SCHEDULE]");
    line.add_whole("--at", options.at,
                   "which vector of the file, from 1; the first on which two units differ without it", {.least = 1});
    add_result_format(line, options.d);
    line.add_shared("--timeout", options.timeout);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("--svg", options.svg, "of the sum that matters").check(why_no_svg);
    line.add_shared("--html", options.html, "with all sums");
    line.add_shared("-o", options.out);
    add_design_options(line, options.design, DesignUse::simulated);
    line.add_shared("--launch", options.launches, "the n-th is that of the n-th").one_each_time();
}

/// The words of the command: names, of kernels and designs too, and a file of vectors.
Subject words_of(const CommandLine& line, ExplainSettings& options) {
    Subject subject{.names = options.words, .units = {}, .design = {}, .path = {}};
    if (!OneVector::is_given(line)) {
        if (subject.names.size() < 2)
            throw Error(
                "explain: a FILE of vectors is missing (- for standard input), or one vector as --a … --b … --c …");
        subject.path = subject.names.back();
        subject.names.pop_back();
    }
    if (subject.names.size() > 2)
        throw Error(
            sentence("explain: ", subject.names.size(), " units were given; it explains one, or how two differ"));
    if (subject.path.empty() && options.at != 0)
        throw Error("explain: --at is of a file of vectors, and none is given");
    return subject;
}

/// Takes the design out of the names.
void take_design(Subject& subject, const ExplainSettings& options) {
    const auto found = std::ranges::find_if(subject.names, is_design);
    if (found == subject.names.end()) {
        if (options.design.any()) throw Error(design_options_alone(subject.names.front()));
        return;
    }
    subject.design = *found;
    subject.names.erase(found);
    if (std::ranges::any_of(subject.names, is_design)) throw Error("explain: one design is looked into at a time");
    if (!options.svg.empty() || !options.html.empty())
        throw Error("explain: --svg and --html draw the sums of units, and those of a design are not known");
}

/// Looks up the units, and two in what they have in common.
void resolve(Subject& subject, ExplainSettings& options, const Streams& io) {
    const std::vector<std::string*> named = each_word(subject.names);
    put_schedules(named, options.launches, io);
    decide_products_by_file(named, subject.path, options.data, io);
    for (std::string& name : subject.names) {
        if (options.K != 0) name = with_length(name, options.K);
        subject.units.push_back(resolve_unit(name));
    }
    if (subject.units.size() == 2) {
        CommonUnits common =
            common_units({{subject.names.front(), subject.units.front()}, {subject.names.back(), subject.units.back()}},
                         conversion_of(options.d));
        subject.units = std::move(common.units);
        subject.assumed = std::move(common.form.assumed);
    } else if (!options.d.empty()) {
        throw Error("explain: --d is of two units");
    }
    if (subject.path.empty() && subject.design.empty() && !options.data.formats.empty())
        throw Error("explain: --formats is of FILE, and none is given");
    if (!subject.units.empty()) {
        require_formats(subject.names.front(), shape_of(subject.units.front()), options.data);
    } else { // a design alone
        options.data.K = options.K;
        subject.units.push_back(rtl::any_unit_of(design_shape(subject.design, subject.path, options.data, io)));
    }
}

/// A design that no unit is beside.
void print_design(const ExplainedDesign& design, const Explanation& all, const Shape& shape, const std::string& command,
                  bool json, const Colours& colours, std::ostream& out) {
    if (json) {
        Vector inputs = all.vector;
        inputs.clear_results();
        Json object = design.json();
        object["vector"] = json_of(shape, inputs);
        object["command"] = command;
        print_line(out, object);
        return;
    }
    if (!all.where.empty()) out << all.where << '\n';
    design.print(std::nullopt, colours, out);
}

void print_units(const ExplainedDesign* design, const Explanation& all, const std::string& command, bool json,
                 const Colours& colours, std::ostream& out) {
    if (json) {
        print_json(all, command, out, design != nullptr ? design->json() : Json());
        return;
    }
    print_text(all, colours, out);
    print_assumed(out, all.assumed);
    if (design != nullptr) design->print(all.units.front().trace.d, colours, out);
}

int run_explain(const Command& self, Arguments arguments, const Streams& io) {
    ExplainSettings options;
    CommandLine line(self);
    add_options(line, options);
    if (const auto ended = line.read(arguments, io)) return *ended;

    Subject subject = words_of(line, options);
    if (std::ranges::all_of(subject.names, programs::is_kernel_file) && is_kernel_vector(subject.path)) {
        if (options.at != 0 || !options.svg.empty() || !options.html.empty())
            throw Error("explain: --at, --svg and --html are of vectors of units");
        return explain_ptx({subject.names, options.launches, subject.path, options.out, options.json}, io);
    }
    take_design(subject, options);
    resolve(subject, options, io);
    const std::vector<Unit>& units = subject.units;
    const bool alone = subject.names.empty();
    std::optional<ExplainedDesign> design;
    if (!subject.design.empty()) design.emplace(subject.design, options.design, units.front(), !alone, options.timeout);
    ExplainedDesign* const has_design = design ? &*design : nullptr;

    Interrupt interrupt(io, options.timeout);
    Explanation all;
    all.vector = subject.path.empty()
                     ? options.one.vector(shape_of(units.front()), options.data, io)
                     : from_file(subject.path, subject.names, units, has_design, options, all.where, interrupt, io);
    if (design) design->explain(all.vector);
    if (!alone)
        for (std::size_t i = 0; i < units.size(); ++i)
            all.units.push_back(explained(subject.names[i], units[i], all.vector));
    if (all.units.size() == 2 && differ(units, all.units[0].trace.d, all.units[1].trace.d))
        all.parting = explain::parting(all.units[0].trace, all.units[1].trace, "A", "B");
    all.assumed = std::move(subject.assumed);

    interrupt.work_is_done();
    const std::string command = quoted_command("explain", arguments);
    if (!options.svg.empty()) write_picture(options.svg, io, [&](std::ostream& out) { print_svg(all, out); });
    if (!options.html.empty()) write_file(options.html, io, [&](std::ostream& out) { print_html(all, command, out); });
    OutputFile output(options.out, io, subject.path);
    const Colours colours = options.out.empty() ? Colours::of(io) : Colours(false);
    if (alone)
        print_design(*design, all, shape_of(units.front()), command, options.json, colours, output.stream());
    else
        print_units(has_design, all, command, options.json, colours, output.stream());
    output.finish();
    return status::done;
}

} // namespace

extern constinit const Command explain_command{
    .name = "explain",
    .usage = "UNIT [UNIT] FILE|-",
    .summary = "why a unit gives what it gives, bit by bit, and where two part",
    .example = "  discern explain volta/mma.m8n8k4.f32.f16.f16.f32 turing/mma.m16n8k8.f32.f16.f16.f32{K=4} \\\n"
               "      --numbers --a=-8192,0,0,2 --b 1024,0,0,0.25 --c 8388608\n"
               "      why a V100 and a T4 give different results: the sums bit by bit, and where they part\n"
               "  discern explain hopper/wgmma.m64n8k16.f32.f16.f16 observed.jsonl --at 17 --svg sum.svg\n"
               "      the 17th vector of a file, and a picture of the sum",
    .run = run_explain,
    .units_and_files = true,
    .docs = {.group = "Questions", .page = "explain", .schemas = {"explain"}, .in_python = true}};

} // namespace discern::cli
