// Randomised validation of a unit against a target.
#include "cli/base/colour.hpp"
#include "cli/base/distance.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/products.hpp"
#include "cli/files/target.hpp"
#include "cli/files/vector_table.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/options/values.hpp"
#include "cli/rtl/streamed.hpp"
#include "cli/rtl/waves.hpp"
#include "hwrunner/validate.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/products.hpp"
#include "models/unit/printable.hpp"
#include "programs/reading/file.hpp"
#include "solver/witness/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace discern::cli {

namespace {

constexpr std::string_view recording = "replay:"; // a target that answers the vectors of a file alone

struct CheckSettings {
    TargetChoice choice;
    std::string unit, out, wave, nan = "unit";
    ValidateOptions validate;
    LimitWords limits;
    FlagOptions flags;
    std::uint64_t show = 10;
    bool json = false, table = false;
};

/// "the unit gives 3f800000 (1), the target 3f800001 (…)", and what they raise if that is compared.
std::string what_differs(const Shape& shape, const Mismatch& mismatch) {
    const Format& d = format(shape.d);
    std::string text = fmt::format("the unit gives {}, the target {}", described(d, mismatch.expected),
                                   described(d, mismatch.vector.d.front()));
    if (mismatch.expected_flags)
        text += fmt::format("; it raises {}, the target {}", described(*mismatch.expected_flags),
                            described(*mismatch.vector.flags));
    return text;
}

void print_text(std::ostream& out, const Shape& shape, const Mismatch& mismatch) {
    out << fmt::format("vector {} ({}): {}\n  {}\n", mismatch.index + 1, name(mismatch.family),
                       what_differs(shape, mismatch), to_json(shape, mismatch.vector));
}

Json mismatch_json(const Shape& shape, const Mismatch& mismatch) {
    Json object = json_with_expected(shape, mismatch.vector, mismatch.expected);
    if (mismatch.expected_flags) object["expected_flags"] = flag_digits(*mismatch.expected_flags);
    return object;
}

/// A vector like the first that differs, with as few products and as simple numbers as still make a difference: found
/// by asking the target, one vector at a time, for at most ten seconds (Xie et al., §3.1.4, reduce failing cases so).
/// @return nothing if the target fails or does not repeat the difference
std::optional<Mismatch> simplest(Target& target, const Unit& unit, const Mismatch& first,
                                 const ValidateOptions& validate) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const Shape shape = shape_of(unit);
    const Evaluator predict(unit);
    std::optional<Mismatch> found;
    std::vector<TargetAnswer> answers;
    const auto differs = [&](const Vector& vector) {
        if (validate.stop.stop_requested() || std::chrono::steady_clock::now() > deadline) return false;
        if (validate.limit) {
            InputBuffer buffer{vector.a, vector.b, vector.sa, vector.sb, vector.c.value_or(0)};
            validate.limit(buffer);
            if (!vector_of(shape, buffer.inputs()).same_inputs(vector)) return false;
        }
        const std::array batch{vector.inputs()};
        answers.clear();
        target.run(batch, answers);
        const std::uint64_t expected = predict(batch.front());
        const auto raised = validate.flags ? std::optional(validate.flags(batch.front())) : std::nullopt;
        const TargetAnswer& answer = answers.front();
        if (!answer.ok() || (same_result(unit, answer.d, expected) && (!raised || raised == answer.flags)))
            return false;
        found = first;
        found->vector = vector;
        found->vector.d = {answer.d};
        found->vector.flags = answer.flags;
        found->expected = expected;
        found->expected_flags = raised;
        return true;
    };
    try {
        if (!differs(first.vector)) return std::nullopt;
        simplified(unit, first.vector, differs);
    } catch (const Error&) { // it answered the vectors of the check, which count
        return std::nullopt;
    }
    if (!same_result(unit, evaluate_exactly(unit, found->vector.inputs()), found->expected))
        throw std::logic_error("the models of the unit contradict each other on a vector of a check");
    return found;
}

/// A mismatch for people: the terms that matter to the unit and to the target, which is asked once more.
/// @return whether it could be printed; not if the target does not answer again, or another result
bool print_table(std::ostream& out, const Unit& unit, Target& target, const std::string& heading,
                 const Mismatch& mismatch, const Colours& colours) {
    const Shape shape = shape_of(unit);
    const auto ask = [&](const Inputs& inputs) {
        std::vector<TargetAnswer> answers;
        target.run(std::span(&inputs, 1), answers);
        if (answers.empty() || !answers.front().ok()) throw Error("it does not answer again");
        return answers.front().d;
    };
    if (same_result(unit, mismatch.expected, mismatch.vector.d.front())) return false; // only their flags differ
    Vector vector = mismatch.vector;
    vector.d = {mismatch.expected, mismatch.vector.d.front()};
    try {
        std::ostringstream text;
        if (ask(vector.inputs()) != mismatch.vector.d.front()) return false;
        print_vector(text, shape, {{{"the unit", &unit}, {"the target", nullptr, ask}}}, vector, 0, colours);
        out << heading << ":\n" << text.str();
        return true;
    } catch (const Error&) { // which terms matter is then not known
        return false;
    }
}

int run_check(const Command& self, Arguments arguments, const Streams& io) {
    CheckSettings options;
    options.validate.threads = std::max(1u, std::thread::hardware_concurrency());
    CommandLine line(self);
    add_target_options(line, options.choice);
    line.add_option("UNIT", options.unit, "the unit that it is believed to be; by default, that of the instruction");
    line.add_option("--nan", options.nan,
                    "any: any NaN is right where the unit gives one; unit: as the unit says (unit)")
        .type_name("any|unit")
        .one_of({"any", "unit"});
    options.flags.add_to(line, "compared, where the target says them");
    line.add_shared("--values", options.limits.values);
    line.add_shared("--no-subnormals", options.limits.no_subnormals);
    line.add_shared("--finite", options.limits.finite);
    line.add_shared("-n", options.validate.vectors);
    line.add_shared("--seed", options.validate.seed);
    line.add_shared("--threads", options.validate.threads,
                    "besides the target, and of exec: so many programs; the outcome is the same");
    line.add_shared("--show", options.show, "mismatches");
    line.add_shared("--json", options.json, "one object");
    line.add_shared("--table", options.table);
    line.add_shared("-o", options.out);
    line.add_shared("--wave", options.wave);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (line.was_given("--threads")) options.choice.programs = options.validate.threads;

    require_wave(options.wave, is_design(options.choice.target));
    if (options.unit.empty()) options.unit = unit_of_target(options.choice);
    put_schedules(std::array{&options.unit}, {}, io);
    if (has_schedule(options.unit) && options.choice.K != 0) options.unit = with_length(options.unit, options.choice.K);
    if (is_product_alone(options.unit) && !needs_shape(options.choice))
        options.unit = with_unit_of_product(options.unit,
                                            start_target(options.choice, std::nullopt, std::stop_token(), io)->shape());
    Unit unit = resolve_unit(options.unit);
    if (options.nan == "any") unit.nan = {.kind = NanRule::Kind::any};
    const Shape shape = shape_of(unit);
    if (options.flags.wanted && is_design(options.choice.target))
        throw Error(
            "check: --flags: a design gives d alone here; prove UNIT rtl:… --flags-port PORT asks about its flags");
    if (const auto flags = options.flags.model(resolve_kernel(options.unit), options.unit))
        options.validate.flags = [flags](const Inputs& inputs) { return (*flags)(inputs); };
    std::optional<Stimulus> limiting;
    if (options.limits.any()) {
        limiting.emplace(unit, std::vector<std::string>{}, limits_of_stimulus(options.limits), options.validate.seed);
        options.validate.limit = [&](InputBuffer& buffer) { limiting->keep_within(buffer); };
    }
    // A kernel in its own code that has no C stands for its schedule with c = +0.
    if (programs::is_kernel_file(options.choice.target) && shape.c &&
        !start_target(options.choice, std::nullopt, std::stop_token(), io)->shape().c)
        options.validate.limit = [within = options.validate.limit](InputBuffer& buffer) {
            if (within) within(buffer);
            buffer.c = 0;
        };
    Interrupt interrupt(io, options.choice.timeout);
    options.validate.stop = interrupt.token();
    const auto streamed = streamed_check(options.choice, unit, options.validate.seed, interrupt.token());
    const std::unique_ptr<Target> started =
        streamed ? nullptr : start_target(options.choice, shape, interrupt.token(), io);
    Target* const target = streamed ? &streamed->single() : started.get();
    OutputFile output(options.out, io, input_of(options.choice));
    Validation result;
    Distances distances(format(shape.d));
    std::uint64_t shown = 0, faults = 0; // of a handshake, which are no vector's
    Json first = Json::array();
    std::optional<Mismatch> first_mismatch, simple;
    const bool as_table = !options.json && (options.table || (options.out.empty() && is_terminal(io)));
    std::vector<Mismatch> to_table;
    const auto report = [&](const Mismatch& mismatch) {
        if (!first_mismatch && streamed) streamed->keep(mismatch.index);
        if (!first_mismatch) first_mismatch = mismatch;
        distances.add(mismatch.expected, mismatch.vector.d.front(), std::string(name(mismatch.family)));
        if (shown == options.show) return;
        ++shown;
        if (options.json)
            first.push_back(mismatch_json(shape, mismatch));
        else if (as_table)
            to_table.push_back(mismatch);
        else
            print_text(output.stream(), shape, mismatch);
        output.require_good();
    };
    Counter counter(io, "checking", options.validate.vectors);
    options.validate.progress = [&](std::uint64_t done) { counter.at(done); };
    try {
        validate_target(streamed ? streamed->target() : *target, unit, options.validate, report, result);
    } catch (const Stopped&) { // what it answered before counts
    } catch (const rtl::HandshakeFault&) {
        ++result.mismatches;
        ++faults;
    } catch (const Error& error) {
        if (result.checked != 0 || !options.choice.target.starts_with(recording)) throw;
        const std::array words{options.unit, options.choice.target.substr(recording.size())};
        throw Error(fmt::format("{}; {} --check compares those that are", error.what(), quoted_command("eval", words)));
    }
    try {
        if (first_mismatch) simple = simplest(*target, unit, *first_mismatch, options.validate);
        if (streamed && !simple) streamed->find_short_run(interrupt.token());
    } catch (const Stopped&) { // what it answered before counts
    }
    interrupt.work_is_done();
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: {}; {} of {} vectors were checked\n", interrupt.reason(), result.checked,
                              options.validate.vectors);
    else if (result.checked == 0 && result.mismatches == 0)
        throw Error("check: the target answered no vector: " + result.first_error);
    if (options.json) {
        Json object = {{"checked", result.checked},
                       {"mismatches", result.mismatches},
                       {"skipped", result.skipped},
                       {"first", first},
                       {"apart", distances.json()}};
        if (simple) object["simplest"] = mismatch_json(shape, *simple);
        if (streamed) streamed->put(object);
        output.stream() << to_text(object) << '\n';
    } else {
        const Colours colours = options.out.empty() ? Colours::of(io) : Colours(false);
        const auto table = [&](const std::string& heading, const Mismatch& mismatch) {
            return as_table && !interrupt.stopped() &&
                   print_table(output.stream(), unit, *target, heading, mismatch, colours);
        };
        for (const Mismatch& mismatch : to_table)
            if (!table(fmt::format("vector {} ({})", mismatch.index + 1, name(mismatch.family)), mismatch))
                print_text(output.stream(), shape, mismatch);
        if (result.mismatches - faults > shown)
            output.stream() << fmt::format("… and {} more; --show N shows more\n", result.mismatches - faults - shown);
        if (result.skipped > 0)
            output.stream() << fmt::format("skipped {} that the target could not answer, the first because: {}\n",
                                           result.skipped, printable(result.first_error));
        distances.print(output.stream());
        constexpr const char* as_simple = "the first, made as simple as it can be";
        if (simple && !table(as_simple, *simple))
            output.stream() << fmt::format("{}: {}\n  {}\n", as_simple, what_differs(shape, *simple),
                                           to_json(shape, simple->vector));
        if (streamed) streamed->print(output.stream());
        if (first_mismatch && !(streamed && streamed->has_run()))
            output.stream() << "how the unit gets there: " << quoted_command("explain", std::array{options.unit}) << ' '
                            << as_options(shape, (simple ? simple : first_mismatch)->vector) << '\n';
        const std::string all = fmt::format("checked {}, mismatches {}", result.checked, result.mismatches);
        output.stream() << (result.mismatches == 0 ? colours.good(all) : colours.bad(all)) << '\n';
    }
    finish_unless(interrupt.requested(), output, options.out, io);
    if (streamed && streamed->has_run()) {
        streamed->write_wave(options.wave, io);
    } else if (first_mismatch && !options.wave.empty()) {
        DiscriminateOptions solving;
        solving.timeout = longest_reading;
        write_wave(options.choice.target, options.choice.design, unit, first_mismatch->vector, first_mismatch->expected,
                   options.wave, solving, io);
    } else if (!options.wave.empty()) {
        io.err << "discern: --wave: there is no difference to show, and no file was written\n";
    }
    if (result.mismatches > 0) return status::different;
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command check_command{
    .name = "check",
    .usage = "TARGET UNIT",
    .summary = "randomised validation of a unit against a target",
    .example = "  discern check x86/vdpbf16ps x86/vdpbf16ps -n 10000000\n"
               "      whether this CPU does what the catalogue says, on ten million vectors\n"
               "  discern check 'exec:./simulator --fast' hopper/wgmma.m64n8k16.f32.f16.f16\n"
               "      whether a program does; formats and K are the unit's unless given",
    .run = of_a_machine<run_check>,
    .docs = {.group = "Real units", .page = "targets", .schemas = {"check"}, .in_python = true}};

} // namespace discern::cli
