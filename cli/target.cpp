#include "target.hpp"

#include "models/error.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace discern::cli {

void add_target_options(CommandLine& line, TargetChoice& choice) {
    line.add_option("TARGET", choice.target, "what to run; 'discern targets' lists them")->required();
    line.add_option("--formats", choice.formats, "of exec: the formats of a,b,c,d; - for no c");
    line.add_option("--K", choice.K, "of exec: products of a vector");
    line.add_option("--scale", choice.scale, "of exec: FORMAT/BLOCK of scales, as e8m0/32");
    line.add_option("--answer-timeout", choice.answer_timeout,
                    "seconds that a target may be silent while answers are due (10)");
}

bool needs_shape(const TargetChoice& choice) { return kind_of(choice.target).shape_is_given && choice.formats.empty(); }

std::string unit_of_target(const TargetChoice& choice) {
    const TargetKind& kind = kind_of(choice.target);
    if (kind.unit != nullptr) return kind.unit();
    throw Error("UNIT is missing: it is not known what " + choice.target + " should compute");
}

std::unique_ptr<Target> start_target(const TargetChoice& choice, const std::optional<Shape>& known) {
    const bool given = !choice.formats.empty() || choice.K != 0 || !choice.scale.empty();
    if (given && !kind_of(choice.target).shape_is_given)
        throw Error("--formats, --K and --scale are for exec targets; " + choice.target + " has its own");
    if (given && (choice.formats.empty() || choice.K == 0))
        throw Error("--formats and --K belong together, as in --formats f16,f16,f32,f32 --K 16");
    TargetOptions options;
    options.answer_timeout = choice.answer_timeout;
    options.shape = given ? shape_from_text(choice.formats, choice.K, choice.scale) : known;
    return make_target(choice.target, options);
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
