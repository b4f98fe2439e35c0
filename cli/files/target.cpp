#include "target.hpp"

#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/unit/sentence.hpp"
#include "programs/reading/target.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace discern::cli {

void add_target_options(CommandLine& line, TargetChoice& choice, const std::string& name, const std::string& text,
                        bool required) {
    Option target = line.add_option(name, choice.target, text);
    if (required) target.required();
    line.add_shared("--formats", choice.formats, "of exec");
    line.add_shared("--K", choice.K, "of exec, with --formats, and of model:UNIT@[…]");
    line.add_shared("--scale", choice.scale, "of exec");
    line.add_shared("--answer-timeout", choice.answer_timeout);
    line.add_shared("--timeout", choice.timeout);
    line.add_shared("--launch", choice.launch);
    add_design_options(line, choice.design, DesignUse::simulated);
}

namespace {

bool shape_is_given(const std::string& target) { return target == callable_target || kind_of(target).shape_is_given; }

constexpr std::string_view model_prefix = "model:";

bool is_kernel(const TargetChoice& choice) {
    return choice.target.starts_with(model_prefix) && has_schedule(choice.target);
}

} // namespace

Shape shape_of_words(const std::string& formats, int K, const std::string& scale) {
    if (formats.empty() || K == 0)
        throw Error("--formats and --K belong together, as in --formats f16,f16,f32,f32 --K 16");
    return shape_from_text(formats, K, scale);
}

bool needs_shape(const TargetChoice& choice) { return shape_is_given(choice.target) && choice.formats.empty(); }

std::string unit_of_target(const TargetChoice& choice) {
    const auto unit = choice.target == callable_target ? nullptr : kind_of(choice.target).unit;
    if (unit != nullptr) return unit();
    if (programs::is_kernel_file(choice.target)) return programs::schedule_in_file(choice.target, choice.launch);
    throw Error("UNIT is missing: it is not known what " + choice.target + " should compute");
}

std::unique_ptr<Target> start_target(const TargetChoice& choice, const std::optional<Shape>& known,
                                     std::stop_token stop, const Streams& io) {
    if (is_kernel(choice) && choice.K != 0) {
        TargetChoice whole = choice;
        whole.target = sentence(model_prefix, with_length(choice.target.substr(model_prefix.size()), choice.K));
        whole.K = 0;
        return start_target(whole, known, std::move(stop), io);
    }
    const bool given = !choice.formats.empty() || choice.K != 0 || !choice.scale.empty();
    if (given && !shape_is_given(choice.target))
        throw Error("--formats, --K and --scale are for exec targets and designs; " + choice.target + " has its own");
    TargetOptions options;
    options.answer_timeout = choice.answer_timeout;
    options.programs = choice.programs;
    options.at_every_place_first = choice.at_every_place_first;
    options.stop = std::move(stop);
    options.shape = given ? shape_of_words(choice.formats, choice.K, choice.scale) : known;
    if (!is_design(choice.target) && choice.design.any()) throw Error(design_options_alone(choice.target));
    options.design = [&](const std::string&, const Shape& shape) {
        return design_target(choice.target, choice.design, shape, std::min(choice.timeout, longest_reading),
                             options.stop);
    };
    options.kernel = [&](const std::string&) {
        return programs::kernel_target(programs::files_of(choice.target, choice.launch), known);
    };
    if (choice.target == callable_target) {
        if (io.host == nullptr || !io.host->target)
            throw Error("callable is the target of programs that call discern, such as Python's");
        if (!options.shape) throw Error("callable: its formats and K must be given");
        return io.host->target(*options.shape);
    }
    return make_target(choice.target, options);
}

std::vector<std::optional<std::uint64_t>> Asker::operator()(std::span<const Inputs> batch) {
    std::vector<TargetAnswer> answers;
    try {
        target.run(batch, answers);
    } catch (const Stopped& stopped) {
        answers.resize(batch.size(), {.d = 0, .error = stopped.what()});
    }
    std::vector<std::optional<std::uint64_t>> results;
    for (const TargetAnswer& answer : answers) {
        if (!answer.ok() && first_error.empty()) first_error = answer.error;
        results.push_back(answer.ok() ? std::optional(answer.d) : std::nullopt);
    }
    return results;
}

std::string input_of(const TargetChoice& choice) {
    for (const std::string_view prefix : {std::string_view("replay:"), programs::ptx_prefix, programs::llir_prefix})
        if (choice.target.starts_with(prefix)) return choice.target.substr(prefix.size());
    return "";
}

Header observation_header(const TargetChoice& choice, const Target& target, const std::string& command) {
    Header header;
    header.shape = target.shape();
    header.target = choice.target;
    for (const auto& [field, value] : target.identity()) header.other.emplace_back(field, json_string(value));
    header.other.emplace_back("date",
                              json_string(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))));
    header.other.emplace_back("command", json_string(command));
    return header;
}

} // namespace discern::cli
