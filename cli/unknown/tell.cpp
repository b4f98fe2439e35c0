// `discern tell`: the questions that are open about a real unit, asked of it, and a file that can be sent in.
#include "cli/base/devices.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/target.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "tell_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace discern::cli {

namespace {

constexpr std::string_view read_more = "docs/report-your-gpu.md";

struct TellSettings {
    TargetChoice choice;
    std::string unit, report;
    std::vector<std::string> points;
    bool json = false;
};

using Points = std::vector<const OpenPoint*>;

/// Questions for one target.
struct Round {
    TargetChoice choice;
    Points points;
};

/// Those that --point names, or all.
Points named_points(const std::vector<std::string>& names) {
    Points all;
    std::vector<std::string> known;
    for (const OpenPoint& point : open_points()) {
        known.emplace_back(point.name);
        if (names.empty() || std::ranges::find(names, point.name) != names.end()) all.push_back(&point);
    }
    for (const std::string& name : names)
        if (std::ranges::find(known, name) == known.end())
            throw Error(sentence("tell: there is no question ", excerpt(name), did_you_mean(name, known),
                                 "; generated/questions/README.md lists them"));
    return all;
}

/// Those about units of which that is true.
template <typename IsOne>
Points points_of(Points points, const IsOne& is_one) {
    std::erase_if(points, [&](const OpenPoint* point) { return !is_one(resolve_unit(point->unit)); });
    return points;
}

/// Those about units that compute what this one computes.
Points points_about(const Points& points, const Unit& unit) {
    return points_of(points, [text = to_string(unit)](const Unit& one) { return to_string(one) == text; });
}

/// A device without an instruction, as cuda:0.
bool is_whole_device(const std::string& target) {
    if (target == callable_target) return false;
    const TargetKind& kind = kind_of(target);
    return kind.instances != nullptr && target.find('/') == std::string::npos && target.size() > kind.name.size();
}

/// The instructions of a device about which something is open; of `cuda:all`, those of one device of each model.
std::vector<Round> rounds_of_device(const TellSettings& options, const Points& points, const Streams& io) {
    const TargetKind& kind = kind_of(options.choice.target);
    if (const std::string reason = kind.unavailable(); !reason.empty())
        throw Error(sentence("unavailable: ", options.choice.target, ": ", reason));
    const bool all = options.choice.target == sentence(kind.name, "all");
    std::vector<TargetInstance> instances;
    if (all)
        for (const EqualDevices& group : equal_devices(kind)) {
            instances.insert(instances.end(), group.instances.begin(), group.instances.end());
            if (group.devices.size() > 1)
                io.err << fmt::format("discern: {} is asked; {} {} the same\n", group.devices.front(),
                                      others_in_words(group), group.devices.size() == 2 ? "is" : "are");
        }
    else
        instances = kind.instances();
    std::vector<Round> rounds;
    bool is_there = false;
    for (const TargetInstance& instance : instances) {
        if (instance.target == options.choice.target)
            throw Error(sentence(instance.target, ": ", instance.summary, ", so nothing is asked of it"));
        if (!all && !instance.target.starts_with(options.choice.target + "/")) continue;
        is_there = true;
        if (instance.unit.empty()) continue; // a device that is not in the catalogue
        Round round{.choice = options.choice, .points = points_about(points, resolve_unit(instance.unit))};
        round.choice.target = instance.target;
        if (!round.points.empty()) rounds.push_back(round);
    }
    if (!is_there)
        throw Error(sentence("there is no device ", options.choice.target, "; 'discern targets' lists what there is"));
    return rounds;
}

/// Whether all questions are about units that compute the same.
bool has_one_unit(const Round& round) {
    return points_about(round.points, resolve_unit(round.points.front()->unit)).size() == round.points.size();
}

/// The unit that a target says it is; nothing: it does not say.
std::optional<Unit> unit_of(const TargetChoice& choice, const Target& target) {
    for (const auto& [field, value] : target.identity())
        if (field == "instruction" && find_entry(value) != nullptr) return find_entry(value)->unit;
    static constexpr std::string_view model = "model:";
    if (!choice.target.starts_with(model)) return std::nullopt;
    const std::string name = choice.target.substr(model.size(), choice.target.find('{') - model.size());
    const CatalogueEntry* const entry = find_entry(name);
    return entry == nullptr ? std::nullopt : std::optional(entry->unit);
}

/// The questions for a target that computes one thing.
Round round_of_target(const TellSettings& options, const Points& points, std::stop_token stop, const Streams& io) {
    Round round{.choice = options.choice, .points = points};
    std::optional<Unit> unit;
    if (!options.unit.empty()) unit = resolve_unit(options.unit);
    std::optional<Shape> known;
    if (unit) known = shape_of(*unit);
    if (!known && !options.points.empty()) known = shape_of(resolve_unit(points.front()->unit));
    if (!known && needs_shape(options.choice))
        throw Error(sentence("tell: it is not known what ", options.choice.target,
                             " computes; --about UNIT, --point NAME, or --formats and --K say it"));
    const auto target = start_target(options.choice, known, std::move(stop), io);
    if (!unit && options.points.empty()) unit = unit_of(options.choice, *target);
    if (unit && shape_of(*unit) != target->shape())
        throw Error(sentence("tell: ", options.choice.target, " computes ", to_string(target->shape()), ", and ",
                             options.unit, " is ", to_string(shape_of(*unit))));
    if (unit) round.points = points_about(round.points, *unit);
    if (!unit || (round.points.empty() && options.unit.empty()))
        round.points = points_of(points, [&](const Unit& one) { return shape_of(one) == target->shape(); });
    if (!options.points.empty() && round.points.size() < points.size())
        throw Error(sentence("tell: ", options.choice.target, " computes ", to_string(target->shape()),
                             ", and not every question of --point is about that"));
    if (!options.unit.empty() && round.points.empty())
        throw Error(sentence("tell: no question is open about ", options.unit, "; 'discern show ", options.unit,
                             "' has its parameters"));
    return round;
}

/// A name of a file that is not there yet: an earlier report stays.
std::string free_name() {
    std::string name = "discern-report.jsonl";
    for (int i = 2; is_there(name); ++i) name = fmt::format("discern-report-{}.jsonl", i);
    return name;
}

/// How many are in which state.
struct Count {
    std::size_t questions = 0, settled = 0, none = 0, open = 0, no_vector = 0;

    void take(State state) {
        ++questions;
        ++(state == State::settled     ? settled
           : state == State::none      ? none
           : state == State::no_vector ? no_vector
                                       : open);
    }
    std::string text() const {
        std::string all = counted(questions, "question") + sentence(": ", settled, " settled");
        if (none > 0) all += sentence(", ", none, none == 1 ? " fits" : " fit", " none of the known readings");
        if (open > 0) all += sentence(", ", open, " open");
        if (no_vector > 0) all += sentence(", ", no_vector, " without a vector to ask");
        return all;
    }
};

int run_tell(const Command& self, Arguments arguments, const Streams& io) {
    TellSettings options;
    CommandLine line(self);
    add_target_options(
        line, options.choice, "TARGET",
        "what to ask: cuda:0 or hip:0 for all instructions of a GPU, cuda:all for one GPU of each model, or any "
        "target");
    line.add_option("--about", options.unit, "only the questions about this unit, which the target should compute")
        .type_name("UNIT");
    line.add_option("--point", options.points, "only this question, by its name; once or more")
        .type_name("NAME")
        .one_each_time();
    line.add_option("--report", options.report, "the file to send in (discern-report.jsonl, or with a number)")
        .type_name("FILE");
    line.add_shared("--json", options.json, "one object instead of text");
    if (const auto ended = line.read(arguments, io)) return *ended;

    Interrupt interrupt(io, options.choice.timeout);
    note_input(input_of(options.choice), io);
    const Points points = named_points(options.points);
    std::vector<Round> rounds;
    if (is_whole_device(options.choice.target) && options.unit.empty())
        rounds = rounds_of_device(options, points, io);
    else
        rounds.push_back(round_of_target(options, points, interrupt.token(), io));
    std::size_t questions = 0;
    for (const Round& round : rounds) questions += round.points.size();
    const std::string command = quoted_command("tell", arguments);
    const Json head = {{"report", "discern tell"},
                       {"version", DISCERN_VERSION},
                       {"target", options.choice.target},
                       {"command", command}};
    if (questions == 0) {
        Json none = head;
        none["questions"] = none["controls"] = Json::array();
        io.out << (options.json ? to_text(none) : "no question is open about " + options.choice.target) << '\n';
        return status::done;
    }
    if (options.report.empty()) options.report = free_name();
    OutputFile report(options.report, io);
    print_line(report.stream(), head);
    TellSession session(command, interrupt.token(), io);
    Progress progress(io);
    Count count;
    Json list = Json::array(), controls = Json::array();
    std::map<std::string, std::size_t> unasked; // questions by the reason why no vector of them was answered
    const Colours colours = Colours::of(io);
    for (const Round& round : rounds) {
        for (const OpenPoint* const point : round.points) {
            if (progress.is_wanted())
                progress.show(fmt::format("question {} of {}: {}", count.questions + 1, questions, point->name));
            const Told told = session.ask(round.choice, *point);
            progress.clear();
            count.take(told.judgement.state);
            const Json object = json_of(told);
            print_line(report.stream(), object);
            report.keep();
            if (options.json)
                list.push_back(object);
            else if (const std::string why = only_reason(told); why.empty() || ++unasked[why] == 1)
                print_told(io.out, told, colours);
        }
        const auto control = has_one_unit(round) ? session.control(round.choice, *round.points.front()) : std::nullopt;
        if (!control) continue;
        print_line(report.stream(), {{"control", json_of(*control)}});
        report.keep();
        if (options.json)
            controls.push_back(json_of(*control));
        else
            print_control(io.out, *control, colours);
    }
    interrupt.work_is_done();
    report.finish();
    if (options.json) {
        Json all = head;
        all["questions"] = list;
        all["controls"] = controls;
        print_line(io.out, all);
    } else {
        for (const auto& [why, times] : unasked)
            if (times > 1) io.out << fmt::format("{} more not answered: {}\n", counted(times - 1, "question"), why);
        io.out << count.text() << "; written to " << options.report << '\n'
               << "What this says, and how to send the file in: " << read_more << '\n';
    }
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; what was answered is kept\n", interrupt.reason());
    if (!session.trouble().empty()) throw Error("tell: what was answered is kept, but " + session.trouble());
    if (count.none > 0) return status::different;
    return count.open > 0 || interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command tell_command{
    .name = "tell",
    .usage = "TARGET",
    .summary = "the open questions about a real unit, asked of it; a file to send in",
    .example = "  discern tell cuda:0\n"
               "      the open questions about all instructions of the first NVIDIA GPU; hip:0 for an AMD GPU\n"
               "  discern tell 'exec:./simulator' --about hopper/wgmma.m64n8k16.f32.bf16.bf16\n"
               "      those about one instruction, of a program that should compute it",
    .run = of_a_machine<run_tell>,
    .other_name = "questions",
    .docs = {.group = "Real units", .page = "report-your-gpu", .schemas = {"tell"}}};

} // namespace discern::cli
