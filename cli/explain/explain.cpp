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

void write(const std::string& path, const Streams& io, const std::function<void(std::ostream&)>& print) {
    OutputFile output(path, io);
    print(output.stream());
    output.finish();
}

int run_explain(const Command& self, Arguments arguments, const Streams& io) {
    ExplainSettings options;
    CommandLine line(self);
    line.add_option("UNIT", options.words,
                    "the unit, perhaps a second one, or a design, rtl:FILE.sv, and a file of vectors, or -, unless one "
                    "vector is given by --a, --b, …")
        .required();
    options.one.add_to(line, std::nullopt, "of FILE, if it is a table, or of the options below");
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
    std::vector<std::string> launches;
    line.add_shared("--launch", launches, "the n-th is that of the n-th").one_each_time();
    if (const auto ended = line.read(arguments, io)) return *ended;

    options.data.numbers = options.one.numbers;
    options.data.round = options.one.round;
    std::vector<std::string>& names = options.words;
    std::string path;
    if (!OneVector::is_given(line)) {
        if (names.size() < 2)
            throw Error(
                "explain: a FILE of vectors is missing (- for standard input), or one vector as --a … --b … --c …");
        path = names.back();
        names.pop_back();
    }
    if (names.size() > 2)
        throw Error(sentence("explain: ", names.size(), " units were given; it explains one, or how two differ"));
    if (path.empty() && options.at != 0) throw Error("explain: --at is of a file of vectors, and none is given");
    if (std::ranges::all_of(names, programs::is_kernel_file) && is_kernel_vector(path)) {
        if (options.at != 0 || !options.svg.empty() || !options.html.empty())
            throw Error("explain: --at, --svg and --html are of vectors of units");
        return explain_ptx({names, launches, path, options.out, options.json}, io);
    }
    std::string design_word;
    if (const auto found = std::ranges::find_if(names, is_design); found != names.end()) {
        design_word = *found;
        names.erase(found);
        if (std::ranges::any_of(names, is_design)) throw Error("explain: one design is looked into at a time");
        if (!options.svg.empty() || !options.html.empty())
            throw Error("explain: --svg and --html draw the sums of units, and those of a design are not known");
    } else if (options.design.any()) {
        throw Error(design_options_alone(names.front()));
    }
    std::vector<Unit> units;
    std::vector<std::string*> named;
    for (std::string& name : names) named.push_back(&name);
    put_schedules(named, launches, io);
    decide_products_by_file(named, path, options.data, io);
    for (std::string& name : names) {
        if (options.K != 0) name = with_length(name, options.K);
        units.push_back(resolve_unit(name));
    }
    std::vector<std::string> assumed;
    if (units.size() == 2) {
        CommonUnits common =
            common_units({{names.front(), units.front()}, {names.back(), units.back()}}, conversion_of(options.d));
        units = std::move(common.units);
        assumed = std::move(common.form.assumed);
    } else if (!options.d.empty()) {
        throw Error("explain: --d is of two units");
    }
    if (path.empty() && design_word.empty() && !options.data.formats.empty())
        throw Error("explain: --formats is of FILE, and none is given");
    std::optional<ExplainedDesign> design;
    if (!design_word.empty() && units.empty()) {
        options.data.K = options.K;
        units.push_back(rtl::any_unit_of(design_shape(design_word, path, options.data, io)));
        design.emplace(design_word, options.design, units.front(), false, options.timeout);
    } else {
        require_formats(names.front(), shape_of(units.front()), options.data);
        if (!design_word.empty()) design.emplace(design_word, options.design, units.front(), true, options.timeout);
    }

    Interrupt interrupt(io, options.timeout);
    Explanation all;
    all.vector = path.empty()
                     ? options.one.vector(shape_of(units.front()), io)
                     : from_file(path, names, units, design ? &*design : nullptr, options, all.where, interrupt, io);
    if (design) design->explain(all.vector);
    if (names.empty()) {
        interrupt.work_is_done();
        OutputFile output(options.out, io, path);
        if (options.json) {
            Json object = design->json();
            all.vector.clear_results();
            object["vector"] = json_of(shape_of(units.front()), all.vector);
            object["command"] = quoted_command("explain", arguments);
            output.stream() << to_text(object) << '\n';
        } else {
            if (!all.where.empty()) output.stream() << all.where << '\n';
            design->print(std::nullopt, options.out.empty() ? Colours::of(io) : Colours(false), output.stream());
        }
        output.finish();
        return status::done;
    }
    for (std::size_t i = 0; i < units.size(); ++i) all.units.push_back(explained(names[i], units[i], all.vector));
    if (units.size() == 2 && differ(units, all.units[0].trace.d, all.units[1].trace.d))
        all.parting = explain::parting(all.units[0].trace, all.units[1].trace, "A", "B");
    all.assumed = std::move(assumed);

    interrupt.work_is_done();
    const std::string command = quoted_command("explain", arguments);
    if (!options.svg.empty()) write(options.svg, io, [&](std::ostream& out) { print_svg(all, out); });
    if (!options.html.empty()) write(options.html, io, [&](std::ostream& out) { print_html(all, command, out); });
    OutputFile output(options.out, io, path);
    const Colours colours = options.out.empty() ? Colours::of(io) : Colours(false);
    if (options.json)
        print_json(all, command, output.stream(), design ? design->json() : Json());
    else
        print_text(all, colours, output.stream()), print_assumed(output.stream(), all.assumed);
    if (design && !options.json) design->print(all.units.front().trace.d, colours, output.stream());
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
