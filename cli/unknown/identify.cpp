// What is it? An unknown unit in a closed loop.
#include "analysis/identify/identify.hpp"
#include "analysis/identify/space.hpp"
#include "analysis/which/which.hpp"
#include "cli/certify.hpp"
#include "cli/files/files.hpp"
#include "cli/files/json.hpp"
#include "cli/files/target.hpp"
#include "cli/interrupt.hpp"
#include "cli/kernel/identify_kernel.hpp"
#include "cli/options/colour.hpp"
#include "cli/progress.hpp"
#include "cli/unknown/known_units.hpp"
#include "cli/unknown/near.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/space.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

namespace discern::cli {

namespace {

using discern::identify::Conclusion;
using discern::identify::Finding;
using discern::identify::Observation;
using discern::identify::Result;

constexpr std::string_view example =
    "  discern identify x86/vdpbf16ps\n"
    "      what this CPU's instruction computes\n"
    "  discern identify 'exec:./simulator --fast' --formats f16,f16,f32,f32 --K 16 -o asked.jsonl\n"
    "      what a program computes that reads vectors from a pipe, and the vectors that showed it\n"
    "  discern identify 'exec:./dot' --formats f32,f32,f32,f32 --K 256 --kernel\n"
    "      in which order a long dot product is added up, and by which instruction";

struct Options {
    TargetChoice choice;
    discern::identify::Options identify;
    std::string out, certificate;
    std::vector<std::string> spaces;
    bool json = false, kernel = false;
};

/// What is known before the loop begins, and at its end: which of the units that have names give all that was observed.
struct Known {
    KnownUnits units;
    std::vector<Vector> observed;                     ///< before the loop, with d where there was an answer
    std::vector<std::vector<std::string>> consistent; ///< names, by classes of the same arithmetic
};

std::string listed(const std::vector<std::string>& texts, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < texts.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + texts[i];
    if (texts.size() > most) text += fmt::format(", … ({} in all)", texts.size());
    return text;
}

std::string numbers(const std::vector<std::size_t>& list) {
    std::vector<std::string> texts;
    for (const std::size_t n : list) texts.push_back(std::to_string(n + 1));
    return listed(texts, 8);
}

/// Of observations, from 1.
std::string json_numbers(const std::vector<std::size_t>& list) {
    std::string text;
    for (const std::size_t n : list) text += fmt::format("{}{}", text.empty() ? "" : ",", n + 1);
    return "[" + text + "]";
}

std::string features_json(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& f : findings) {
        text += fmt::format("{}{}:{{\"value\":{},\"also\":{},\"observations\":{}}}", text.empty() ? "" : ",",
                            json_string(f.name), json_string(f.value), json_list(f.also), json_numbers(f.observations));
    }
    return "{" + text + "}";
}

std::string kinds_json(const discern::identify::Near& near) {
    std::string text;
    for (std::size_t i = 0; i < near.kinds.size(); ++i)
        text += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", discern::identify::difference_names[i], near.kinds[i]);
    return text;
}

/// "12 of 20000 random vectors, zero sign 11, other 1"
std::string failures(const discern::identify::Near& near) {
    std::string text = fmt::format("{} of {} random vectors", near.mismatches, near.of);
    for (std::size_t i = 0; i < near.kinds.size(); ++i)
        if (near.kinds[i] != 0) text += fmt::format(", {} {}", discern::identify::difference_names[i], near.kinds[i]);
    if (near.lane) text += fmt::format("; only where product {} takes part", *near.lane);
    return text;
}

/// The nearest units of the space, with the numbers of the observations that they fail, and those that have names; the
/// one that fails least comes first.
std::string near_json(const Result& r, std::span<const NearUnitOf> named) {
    std::vector<std::pair<std::uint64_t, std::string>> all; // with how often each fails
    for (const auto& near : r.near)
        all.emplace_back(
            near.mismatches,
            fmt::format(
                "{{\"unit\":{0},\"tree\":{0},\"fails\":{1},\"mismatches\":{2},\"of\":{3},\"kinds\":{{{4}}}{5}}}",
                json_string(to_string(near.unit)), json_numbers(near.fails), near.mismatches, near.of, kinds_json(near),
                near.lane ? fmt::format(",\"product\":{}", *near.lane) : ""));
    for (const NearUnitOf& near : named)
        all.emplace_back(near.mismatches, discern::cli::near_json(std::span(&near, 1)));
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::string text;
    for (const auto& [mismatches, json] : all) text += (text.empty() ? "" : ",") + json;
    return text;
}

std::string as_json(const Result& r, const Known& known, std::span<const NearUnitOf> near, const Shape& shape) {
    std::string unit = "null", tree = "null", consistent;
    if (r.unit) {
        tree = json_string(to_string(*r.unit));
        unit = r.names.empty() ? tree : json_string(known.units.text_of(r.names.front()));
    }
    for (const auto& same : known.consistent) consistent += (consistent.empty() ? "" : ",") + json_list(same);
    std::string extra, wanted;
    for (const Observation& o : r.wanted) wanted += (wanted.empty() ? "" : ",") + to_json(shape, o.vector);
    if (r.unsteady)
        extra = fmt::format(R"(,"unsteady":{{"vector":{},"answers":["{}","{}"]}})", to_json(shape, r.unsteady->vector),
                            to_hex(format(shape.d), r.unsteady->first), to_hex(format(shape.d), r.unsteady->second));
    if (!near.empty() || !r.near.empty()) extra += fmt::format(",\"near\":[{}]", near_json(r, near));
    if (!r.order.empty()) extra += fmt::format(",\"order\":{}", json_string(r.order));
    return fmt::format("{{\"unit\":{},\"names\":{},\"consistent\":[{}],\"tree\":{},\"structure\":{},\"observations\":{}"
                       ",\"validated\":{},"
                       "\"verdict\":\"{}\",\"proved\":{},\"by\":{},{},\"grounds\":{{\"proved\":{},\"names\":{}}},"
                       "\"open\":{},\"wanted\":[{}],\"features\":{},"
                       "\"unanswered\":{}{},"
                       "\"seconds\":{:.3f}}}\n",
                       unit, json_list(r.names), consistent, tree, json_string(r.structure), r.observations.size(),
                       r.validated, name(r.conclusion), json_list(r.proved), json_list(r.by),
                       ground_json(weakest(weakest_of(r.grounds), weakest_of(r.grounds_of_names))),
                       grounds_json(r.grounds), grounds_json(r.grounds_of_names), json_list(r.open), wanted,
                       features_json(r.findings), r.unanswered, extra, r.seconds);
}

void print_unexplained(const Result& r, std::span<const NearUnitOf> units, const Shape& shape, std::ostream& out) {
    const Format& d = format(shape.d);
    if (r.unsteady) {
        out << fmt::format("unexplained: the target is not a function: for one vector it gave {} and then {}\n  {}\n",
                           to_hex(d, r.unsteady->first), to_hex(d, r.unsteady->second),
                           to_json(shape, r.unsteady->vector));
        return;
    }
    out << fmt::format("unexplained: no unit of the space gives all {} observations; the last one contradicts what the "
                       "others leave\n  {}\n",
                       r.observations.size(), to_json(shape, r.observations.back().vector));
    for (const auto& near : r.near) {
        out << fmt::format("near: {}\n", to_string(near.unit));
        if (near.of != 0) out << "  fails on " << failures(near) << '\n';
        const Evaluator evaluate(near.unit);
        for (std::size_t i = 0; i < near.fails.size() && i < 3; ++i) {
            const Vector& v = r.observations[near.fails[i]].vector;
            out << fmt::format("  fails at observation {}: gives {}, the target {}\n", near.fails[i] + 1,
                               to_hex(d, evaluate(v.inputs())), to_hex(d, v.d.front()));
        }
    }
    for (const NearUnitOf& near : units) out << fmt::format("near: {}, which gives {}\n", near.name, described(near));
    if (!r.order.empty()) out << "order of summation: " << r.order << '\n';
}

/// The classes: "A, B (5 in all); or C".
std::string in_words(const std::vector<std::vector<std::string>>& classes) {
    constexpr std::size_t most = 3; // of both
    std::string text;
    for (std::size_t i = 0; i < classes.size() && i < most; ++i)
        text += (i == 0 ? "" : "; or ") + listed(classes[i], most);
    return classes.size() > most ? fmt::format("{}; or others ({} classes in all)", text, classes.size()) : text;
}

void print_text(const Result& r, const Known& known, std::span<const NearUnitOf> near, const Shape& shape,
                const Colours& colours, std::ostream& out) {
    const std::string consistent =
        r.names.empty() && !known.consistent.empty() ? "consistent with: " + in_words(known.consistent) : "";
    if (r.conclusion == Conclusion::unexplained) {
        print_unexplained(r, near, shape, out);
        if (!consistent.empty()) out << consistent << '\n';
    } else {
        if (!consistent.empty()) out << consistent << '\n';
        if (r.unit) {
            const std::string named = !r.names.empty()                   ? listed(r.names, 6)
                                      : consistent.empty()               ? "not in the catalogue"
                                      : r.conclusion == Conclusion::open ? "one of several"
                                                                         : "the catalogue's are not proved to be it";
            out << "unit:      " << named << '\n';
            out << "tree:      " << to_string(*r.unit) << '\n';
        } else {
            out << "unit:      none is named\n";
        }
        out << "structure: " << r.structure << '\n';
        for (const Finding& f : r.findings) {
            out << fmt::format("  {:<16} {:<8}", f.name, f.value);
            if (!f.also.empty()) out << " or " << listed(f.also, 6);
            if (!f.observations.empty()) out << "  (observations " << numbers(f.observations) << ")";
            out << '\n';
        }
        if (!r.proved.empty())
            out << fmt::format("proved the same: {} (by {})\n", listed(r.proved, 12), fmt::join(r.by, "; "));
        if (!r.open.empty()) out << "open: " << listed(r.open, 12) << '\n';
        if (!r.wanted.empty())
            out << fmt::format("wanted: {} that the target has no answer to would tell more, such as\n  {}\n",
                               r.wanted.size() == 1 ? "a vector" : fmt::format("{} vectors", r.wanted.size()),
                               to_json(shape, r.wanted.front().vector));
        const std::string verdict(name(r.conclusion));
        out << "verdict:   " << (r.conclusion == Conclusion::open ? colours.open(verdict) : colours.good(verdict))
            << '\n';
    }
    out << fmt::format("observations {}, validated {}, {:.1f} s\n", r.observations.size(), r.validated, r.seconds);
    if (r.unanswered > 0) out << fmt::format("{} vectors that the target could not answer\n", r.unanswered);
}

constexpr std::uint64_t most_members = 200'000;
constexpr double seconds_for_an_explained_recording = 10; ///< unless --timeout says otherwise

/// The default space, or the members of the given ones.
discern::identify::Candidates candidates(const std::vector<std::string>& texts, const Shape& shape) {
    if (texts.empty()) return discern::identify::Candidates(discern::identify::default_space(shape));
    std::vector<Space> spaces;
    for (const std::string& text : texts)
        for (Space& space : read_spaces(text)) spaces.push_back(std::move(space));
    std::vector<std::pair<std::string, Unit>> units;
    for (Member& member : members(spaces, most_members)) {
        if (shape_of(member.unit) != shape)
            throw Error(sentence("--space: ", member.text, " is ", to_string(shape_of(member.unit)), ", the target ",
                                 to_string(shape)));
        units.emplace_back(std::move(member.text), std::move(member.unit));
    }
    if (units.empty()) throw Error("--space: there is no unit in it");
    return discern::identify::Candidates(std::move(units));
}

/// What a recording has of a target: nothing else can be asked.
struct Recording {
    std::vector<Vector> vectors; ///< with d
    bool nan_any = false;
};
std::optional<Recording> recorded(const std::string& target) {
    static constexpr std::string_view prefix = "replay:";
    if (!target.starts_with(prefix)) return std::nullopt;
    const std::string path = target.substr(prefix.size());
    std::ifstream in(path, std::ios::binary);
    VectorReader reader(in, path);
    Recording recording{.vectors = {}, .nan_any = reader.nan_any()};
    for (Vector vector; reader.next(vector);) recording.vectors.push_back(vector);
    return recording;
}

/// The first step: the units that have names, held against the recording, or against answers to vectors that tell them
/// apart. A target that takes long to answer is left to the loop, whose vectors tell more.
void begin_with_which(Known& known, const Shape& shape, const AskWhich& ask,
                      const discern::identify::Options& options) {
    using Clock = std::chrono::steady_clock;
    constexpr double quick = 0.01; // seconds for an answer
    ObserveOptions observing{.most = 1, .seconds = 0.4, .seed = options.seed, .stop = options.stop};
    double slowest = 0;
    const AskWhich timed = [&](std::span<const Inputs> batch) {
        const auto start = Clock::now();
        auto answers = ask(batch);
        slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - start).count());
        return answers;
    };
    known.observed = observe(shape, known.units.units, timed, observing);
    if (slowest > quick) return;
    observing.most = 1000;
    known.observed = observe(shape, known.units.units, ask, observing);
}

/// Holds the units that have names against everything that was observed.
void conclude_which(Known& known, std::span<const Observation> later, bool nan_any) {
    std::vector<Vector> all = known.observed;
    for (const Observation& o : later) all.push_back(o.vector);
    std::erase_if(all, [](const Vector& v) { return v.d.size() != 1; });
    known.observed = std::move(all);
    known.consistent.clear();
    if (known.observed.empty()) return;
    const WhichAnswer answer =
        discern::which(known.observed, nan_any, known.units.units, {.near = 0, .refutations = 0, .stop = {}});
    for (const auto& same : answer.consistent) {
        std::vector<std::string> names;
        for (const std::size_t unit : same) names.push_back(known.units.names[unit]);
        known.consistent.push_back(std::move(names));
    }
}

/// The nearest of the units that have names.
std::vector<NearUnitOf> nearest(const Result& r, const Known& known) {
    constexpr std::size_t most = 5;
    if (r.conclusion != Conclusion::unexplained || r.unsteady) return {};
    return nearest_first(known.units.units, known.observed, most);
}

} // namespace

int identify(Arguments arguments, const Streams& io) {
    Options options;
    options.identify.threads = std::max(1u, std::thread::hardware_concurrency());
    CommandLine line("identify", example);
    options.choice.timeout = options.identify.timeout;
    add_target_options(line, options.choice);
    line.add_shared("--space", options.spaces, "to look among, instead of the default space");
    line.add_whole("--validate", options.identify.validate, "random vectors at the end, at most");
    line.add_shared("--seed", options.identify.seed, "where proofs run out of time, the answer may change");
    line.add_shared("--threads", options.identify.threads, "besides the target; likewise");
    line.add_shared("--finite", options.identify.finite, "nothing is asked or said about others");
    line.add_flag("--kernel", options.kernel,
                  "a kernel: in which order it adds over k, and then which unit it is made of");
    line.add_shared("--json", options.json, "one object");
    add_certificate_option(line, options.certificate);
    line.add_shared("-o", options.out, "the vectors that were asked, with what was observed");
    if (const auto ended = line.read(arguments, io)) return *ended;
    const bool time_is_given = line.was_given("--timeout");
    if (options.kernel) {
        if (!options.spaces.empty() || !options.certificate.empty() || !options.out.empty())
            throw Error("identify: --space, --certificate and -o do not go with --kernel");
        KernelQuestion question{.choice = options.choice, .seed = options.identify.seed};
        if (line.was_given("--validate")) question.validate = options.identify.validate;
        question.finite = options.identify.finite;
        question.json = options.json;
        return identify_kernel(question, io);
    }

    options.identify.list_same = !options.certificate.empty();
    const auto deadline = deadline_in(options.choice.timeout);
    Interrupt interrupt(io, options.choice.timeout);
    const std::unique_ptr<Target> target = start_target(options.choice, std::nullopt, interrupt.token(), io);
    for (const std::string& space : options.spaces) note_space(space, io);
    const Shape shape = target->shape();
    Asker asker{*target};
    options.identify.stop = interrupt.token();
    Progress progress(io);
    if (progress.is_wanted()) options.identify.progress = [&](const std::string& stage) { progress.show(stage); };

    Known known{.units = known_units(shape), .observed = {}, .consistent = {}};
    for (std::size_t i = 0; i < known.units.units.size(); ++i) // of the catalogue it knows those of the very shape
        if (find_entry(known.units.names[i]) == nullptr)
            options.identify.known.emplace_back(known.units.names[i], known.units.units[i].unit);
    std::optional<Recording> recording = recorded(options.choice.target);
    const bool nan_any = recording && recording->nan_any;
    if (recording) {
        known.observed = recording->vectors;
        for (Vector& vector : recording->vectors) vector.d.clear();
        options.identify.only = std::move(recording->vectors);
    } else {
        begin_with_which(known, shape, std::ref(asker), options.identify);
    }
    conclude_which(known, {}, nan_any);
    // What a recording that a unit explains leaves open is mostly what it does not ask.
    if (recording && !known.consistent.empty() && !time_is_given)
        options.choice.timeout = std::min(options.choice.timeout, seconds_for_an_explained_recording);
    if (progress.is_wanted() && !known.consistent.empty())
        progress.show("consistent with " + in_words(known.consistent) + "; is it anything else");

    // What is found is validated within the time, too.
    options.identify.validate_seconds = std::min(options.identify.validate_seconds, options.choice.timeout / 4);
    options.identify.timeout = options.choice.timeout - options.identify.validate_seconds;
    const Result result =
        discern::identify::identify_target(shape, candidates(options.spaces, shape), std::ref(asker), options.identify);
    conclude_which(known, result.observations, nan_any);
    const std::vector<NearUnitOf> near = nearest(result, known);
    interrupt.work_is_done();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());
    progress.clear();
    if (!options.out.empty()) {
        OutputFile file(options.out, io, input_of(options.choice));
        VectorWriter writer(file.stream(), shape,
                            observation_header(options.choice, *target, quoted_command("identify", arguments)));
        for (const Observation& o : result.observations) writer.write(o.vector);
        file.finish();
    }
    if (options.json)
        io.out << as_json(result, known, near, shape);
    else
        print_text(result, known, near, shape, Colours::of(io), io.out);
    const bool certified =
        options.certificate.empty() ||
        certify_classes(options.certificate, {result.same, result.same_unlisted}, {.finite = options.identify.finite},
                        options.identify.seed, deadline, interrupt.token(), io);
    static constexpr int statuses[] = {status::done, status::done, status::unknown, status::different};
    return certified ? statuses[static_cast<std::size_t>(result.conclusion)] : status::unknown;
}

} // namespace discern::cli
