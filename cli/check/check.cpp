// Randomised validation of a unit against a target.
#include "differences.hpp"

#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/files/target.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/rtl/waves.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/products.hpp"
#include "programs/reading/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
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

/// What the unit is, as it is given, or the target's own.
Unit unit_of(CheckSettings& options, const Streams& io) {
    if (options.unit.empty()) options.unit = unit_of_target(options.choice);
    put_schedules(std::array{&options.unit}, {}, io);
    if (has_schedule(options.unit) && options.choice.K != 0) options.unit = with_length(options.unit, options.choice.K);
    if (is_product_alone(options.unit) && !needs_shape(options.choice))
        options.unit = with_unit_of_product(options.unit,
                                            start_target(options.choice, std::nullopt, std::stop_token(), io)->shape());
    Unit unit = resolve_unit(options.unit);
    if (options.nan == "any") unit.nan = {.kind = NanRule::Kind::any};
    return unit;
}

/// The limits of the inputs: those of the options, and +0 for the c that a target has not.
/// @param stimulus  which the limits use, if there are any
std::function<void(InputBuffer&)> limits_of(const CheckSettings& options, const Unit& unit,
                                            std::optional<Stimulus>& stimulus, const Streams& io) {
    std::function<void(InputBuffer&)> within;
    if (options.limits.any()) {
        stimulus.emplace(unit, std::vector<std::string>{}, limits_of_stimulus(options.limits), options.validate.seed);
        within = [&stimulus](InputBuffer& buffer) { stimulus->keep_within(buffer); };
    }
    // A kernel in its own code that has no C stands for its schedule with c = +0.
    if (programs::is_kernel_file(options.choice.target) && shape_of(unit).c &&
        !start_target(options.choice, std::nullopt, std::stop_token(), io)->shape().c)
        return [within](InputBuffer& buffer) {
            if (within) within(buffer);
            buffer.c = 0;
        };
    return within;
}

/// Asks the target; what it answered before it was stopped counts.
Validation validated(const CheckSettings& options, Target& target, const Unit& unit, Differences& differences,
                     OutputFile& output) {
    Validation result;
    const auto report = [&](const Mismatch& mismatch) {
        differences.add(mismatch, output.stream());
        output.require_good();
    };
    try {
        validate_target(target, unit, options.validate, report, result);
    } catch (const Stopped&) {
    } catch (const rtl::HandshakeFault&) {
        ++result.mismatches;
        differences.add_fault();
    } catch (const Error& error) {
        if (result.checked != 0 || !options.choice.target.starts_with(recording)) throw;
        const std::array words{options.unit, options.choice.target.substr(recording.size())};
        throw Error(fmt::format("{}; {} --check compares those that are", error.what(), quoted_command("eval", words)));
    }
    try {
        differences.simplify(options.validate);
    } catch (const Stopped&) {
    }
    return result;
}

/// The waves of what was found, if they are asked for.
void write_waves(const CheckSettings& options, const Unit& unit, const std::optional<Mismatch>& first,
                 const StreamedCheck* streamed, const Streams& io) {
    if (streamed != nullptr && streamed->has_run()) {
        streamed->write_wave(options.wave, io);
    } else if (first && !options.wave.empty()) {
        write_wave(options.choice.target, options.choice.design, unit, first->vector, first->expected, options.wave,
                   io);
    } else if (!options.wave.empty()) {
        io.err << "discern: --wave: there is no difference to show, and no file was written\n";
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
    add_stimulus_limits(line, options.limits);
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
    const Unit unit = unit_of(options, io);
    const Shape shape = shape_of(unit);
    if (options.flags.wanted && is_design(options.choice.target))
        throw Error(
            "check: --flags: a design gives d alone here; prove UNIT rtl:… --flags-port PORT asks about its flags");
    options.validate.flags = options.flags.model(resolve_kernel(options.unit), options.unit);
    std::optional<Stimulus> limiting;
    options.validate.limit = limits_of(options, unit, limiting, io);

    Interrupt interrupt(io, options.choice.timeout);
    options.validate.stop = interrupt.token();
    const auto streamed = streamed_check(options.choice, unit, options.validate.seed, interrupt.token());
    const std::unique_ptr<Target> started =
        streamed ? nullptr : start_target(options.choice, shape, interrupt.token(), io);
    OutputFile output(options.out, io, input_of(options.choice));
    const bool as_table = !options.json && (options.table || (options.out.empty() && is_terminal(io)));
    Differences differences(unit, options.unit, streamed ? streamed->single() : *started, streamed.get(),
                            {.most = options.show, .json = options.json, .table = as_table});
    Counter counter(io, "checking", options.validate.vectors);
    options.validate.progress = [&](std::uint64_t done) { counter.at(done); };
    const Validation result = validated(options, streamed ? streamed->target() : *started, unit, differences, output);
    interrupt.work_is_done();
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: {}; {} of {} vectors were checked\n", interrupt.reason(), result.checked,
                              options.validate.vectors);
    else if (result.checked == 0 && result.mismatches == 0)
        throw Error("check: the target answered no vector: " + result.first_error);

    if (options.json) {
        Json object = {{"checked", result.checked}, {"mismatches", result.mismatches}, {"skipped", result.skipped}};
        differences.put(object);
        print_line(output.stream(), object);
    } else {
        const Colours colours = options.out.empty() ? Colours::of(io) : Colours(false);
        differences.print(result, !interrupt.stopped(), colours, output.stream());
    }
    finish_unless(interrupt.requested(), output, options.out, io);
    write_waves(options, unit, differences.first(), streamed.get(), io);
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
