// `discern identify`: an unknown unit in a closed loop.
#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/target.hpp"
#include "cli/question/certify.hpp"
#include "cli/unknown/unsteady.hpp"
#include "cli/unknown/words.hpp"
#include "identification/identify/question.hpp"
#include "identify_kernel.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/products.hpp"
#include "models/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <thread>

namespace discern::cli {

namespace {

using discern::identify::Conclusion;
using discern::identify::Identified;
using discern::identify::NamedClasses;
using discern::identify::NearNamed;
using discern::identify::Observation;
using discern::identify::Question;
using discern::identify::Recording;

struct Options {
    TargetChoice choice;
    discern::identify::Options identify;
    std::string out, certificate;
    std::vector<std::string> spaces;
    bool json = false, kernel = false;
};

std::string first_ones(const std::vector<std::string>& texts, std::size_t most) {
    std::string text = fmt::format("{}", fmt::join(std::span(texts).first(std::min(most, texts.size())), ", "));
    if (texts.size() > most) text += fmt::format(", … ({} in all)", texts.size());
    return text;
}

/// What is open: the first, each on a line that can be read, and how many there are.
void print_open(const std::vector<std::string>& texts, std::ostream& out) {
    constexpr std::size_t most = 3, longest = 200;
    const std::size_t shown = std::min(most, texts.size());
    for (std::size_t i = 0; i < shown; ++i) {
        std::string text = texts[i];
        if (text.size() > longest) {
            std::size_t end = text.rfind(' ', longest);
            text.resize(end == std::string::npos ? longest : end);
            text += " …";
        }
        out << "open: " << text << '\n';
    }
    if (texts.size() > shown) out << fmt::format("… {} in all are open; --json has them\n", texts.size());
}

/// Names of units, one of each architecture before any second one.
std::vector<std::string> one_of_each_first(const std::vector<std::string>& names) {
    std::vector<std::string> first, rest;
    std::set<std::string> seen;
    for (const std::string& name : names)
        (seen.insert(name.substr(0, name.find('/'))).second ? first : rest).push_back(name);
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

/// Units of the catalogue that are this one but for their NaN, as "x86/fma.f32 (nan=x86)".
std::vector<std::string> same_but_for_nan(const Unit& unit, const std::vector<std::string>& names) {
    std::vector<std::string> others;
    for (const CatalogueEntry& entry : catalogue()) {
        if (std::ranges::find(names, entry.name) != names.end() || entry.unit.nan == unit.nan) continue;
        Unit other = entry.unit;
        other.nan = unit.nan;
        if (other != unit) continue;
        for (const auto& [key, value] : parameters(entry.unit))
            if (key == "nan") others.push_back(fmt::format("{} (nan={})", entry.name, value));
    }
    return others;
}

std::vector<std::string> boxes_in_words(std::vector<std::string> boxes) {
    for (std::string& box : boxes) box = box_in_words(box);
    return boxes;
}

std::string observation_numbers(const std::vector<std::size_t>& list) {
    std::vector<std::string> texts;
    for (const std::size_t n : list) texts.push_back(std::to_string(n + 1));
    return first_ones(texts, 8);
}

/// What is known of each parameter: {"F":{"value":…,"also":[…],"observations":[…]},…}.
Json as_json(const std::vector<discern::identify::Finding>& findings) {
    Json object = Json::object();
    for (const discern::identify::Finding& f : findings)
        object[f.name] = {{"value", f.value}, {"also", f.also}, {"observations", from_one(f.observations)}};
    return object;
}

/// "zero sign 11, other 1": how often in which way, behind a word that separates it if there is any.
template <typename Counts>
std::string in_kinds(const Counts& kinds, std::string_view before) {
    std::string text;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i] != 0)
            text +=
                fmt::format("{}{} {}", text.empty() ? before : ", ", discern::identify::difference_names[i], kinds[i]);
    return text;
}

/// "12 of 20000 random vectors, zero sign 11, other 1"
std::string failures(const discern::identify::Near& near) {
    std::string text = fmt::format("{} of {} random vectors", near.mismatches, near.of);
    text += in_kinds(near.kinds, ", ");
    if (near.lane) text += fmt::format("; only where product {} takes part", *near.lane);
    return text;
}

/// The nearest units of the space, with the numbers of the observations that they fail, and those that have names; the
/// one that fails on the smallest share of its vectors comes first, as not all are compared on equally many.
Json near_of(const discern::identify::Result& r, std::span<const NearNamed> named) {
    std::vector<Json> all;
    for (const auto& near : r.near) {
        const std::string text = to_string(near.unit);
        Json object = {{"unit", text},
                       {"tree", text},
                       {"fails", from_one(near.fails)},
                       {"mismatches", near.mismatches},
                       {"of", near.of},
                       {"kinds", counts_of(discern::identify::difference_names, near.kinds)}};
        if (near.lane) object["product"] = *near.lane;
        all.push_back(object);
    }
    for (const NearNamed& near : named)
        all.push_back({{"unit", near.text},
                       {"mismatches", near.mismatches},
                       {"of", near.of},
                       {"kinds", counts_of(discern::identify::difference_names, near.kinds)}});
    const auto fails = [](const Json& near) {
        return near["mismatches"].get<double>() / std::max(1.0, near["of"].get<double>());
    };
    std::ranges::stable_sort(all, {}, fails);
    return all;
}

Json as_json(const Identified& all, const Shape& shape) {
    const discern::identify::Result& r = all.result;
    Json object;
    object["unit"] = nullptr;
    if (r.unit) object["unit"] = r.names.empty() ? to_string(*r.unit) : all.known.text_of(r.names.front());
    object["names"] = r.names;
    object["consistent"] = all.consistent;
    object["products"] = json_of_products(r.names);
    object["tree"] = r.unit ? Json(to_string(*r.unit)) : Json(nullptr);
    object["structure"] = r.structure;
    object["observations"] = r.observations.size();
    object["validated"] = r.validated;
    object["verdict"] = name(r.conclusion);
    object["proved"] = r.proved;
    object["by"] = r.by;
    put_ground(object, weakest(weakest_of(r.grounds), weakest_of(r.grounds_of_names)));
    object["grounds"] = {{"proved", json_of(r.grounds)}, {"names", json_of(r.grounds_of_names)}};
    object["open"] = r.open;
    object["wanted"] = list_of(r.wanted, [&](const Observation& o) { return json_of(shape, o.vector); });
    object["features"] = as_json(r.findings);
    object["unanswered"] = r.unanswered;
    if (r.unsteady) object["unsteady"] = json_of(shape, *r.unsteady);
    if (r.unsteady_nan) object["unsteady_nan"] = json_of(shape, *r.unsteady_nan);
    if (!all.near.empty() || !r.near.empty()) object["near"] = near_of(r, all.near);
    if (!r.order.empty()) object["order"] = r.order;
    object["seconds"] = number(r.seconds, "{:.3f}");
    return object;
}

void print_unexplained(const Identified& all, const Shape& shape, std::ostream& out) {
    const discern::identify::Result& r = all.result;
    const Format& d = format(shape.d);
    if (r.unsteady) {
        out << said_of(shape, *r.unsteady);
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
    for (const NearNamed& near : all.near)
        out << fmt::format("near: {}, which gives {} of {} otherwise{}\n", near.text, near.mismatches, near.of,
                           in_kinds(near.kinds, ": "));
    if (!r.order.empty()) out << "order of summation: " << r.order << '\n';
}

/// The classes: "A, B (5 in all); or C".
std::string in_words(const NamedClasses& classes) {
    constexpr std::size_t most = 3; // of both
    std::string text;
    for (std::size_t i = 0; i < classes.size() && i < most; ++i)
        text += (i == 0 ? "" : "; or ") + first_ones(classes[i], most);
    return classes.size() > most ? fmt::format("{}; or others ({} classes in all)", text, classes.size()) : text;
}

void print_text(const Identified& all, const Shape& shape, const Colours& colours, std::ostream& out) {
    const discern::identify::Result& r = all.result;
    const std::string consistent =
        r.names.empty() && !all.consistent.empty() ? "consistent with: " + in_words(all.consistent) : "";
    if (r.conclusion == Conclusion::unexplained) print_unexplained(all, shape, out);
    if (!consistent.empty()) out << consistent << '\n';
    if (r.conclusion != Conclusion::unexplained) {
        if (r.unit) {
            const std::string named = !r.names.empty()                   ? first_ones(one_of_each_first(r.names), 6)
                                      : consistent.empty()               ? "not in the catalogue"
                                      : r.conclusion == Conclusion::open ? "one of several"
                                                                         : "the catalogue's are not proved to be it";
            out << "unit:      " << named << '\n';
            out << "tree:      " << to_string(*r.unit) << '\n';
        } else {
            out << "unit:      none is named\n";
        }
        if (const auto others = r.unit ? same_but_for_nan(*r.unit, r.names) : std::vector<std::string>();
            !others.empty())
            out << "but for NaN: " << first_ones(one_of_each_first(others), 6) << '\n';
        out << "structure: " << r.structure << '\n';
        if (r.unsteady_nan)
            out << fmt::format("NaN:       any: for one vector it gave {} and then {}\n  {}\n",
                               to_hex(format(shape.d), r.unsteady_nan->first),
                               to_hex(format(shape.d), r.unsteady_nan->second), to_json(shape, r.unsteady_nan->vector));
        if (const std::string sold = products_in_words(r.names); !sold.empty()) out << "products:  " << sold << '\n';
        for (const discern::identify::Finding& f : r.findings) {
            out << fmt::format("  {:<22} {:<8}", feature_in_words(f.name), value_in_words(f.name, f.value));
            for (std::size_t i = 0; i < f.also.size() && i < 6; ++i)
                out << (i == 0 ? " or " : "; or ") << value_in_words(f.name, f.also[i]);
            if (!f.observations.empty()) out << "  (observations " << observation_numbers(f.observations) << ")";
            out << '\n';
        }
        if (!r.proved.empty())
            out << fmt::format("proved the same: {} (by {})\n", first_ones(boxes_in_words(r.proved), 12),
                               fmt::join(r.by, "; "));
        print_open(boxes_in_words(r.open), out);
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

int run_identify(const Command& self, Arguments arguments, const Streams& io) {
    Options options;
    options.identify.threads = std::max(1u, std::thread::hardware_concurrency());
    CommandLine line(self);
    options.choice.timeout = options.identify.timeout;
    add_target_options(line, options.choice);
    line.add_shared("--space", options.spaces, "to look among, instead of the default space");
    line.add_whole("--validate", options.identify.validate, "random vectors at the end, at most");
    line.add_shared("--seed", options.identify.seed, "where proofs run out of time, the answer may change");
    line.add_shared("--threads", options.identify.threads,
                    "besides the target, and of exec: so many programs; likewise");
    line.add_shared("--finite", options.identify.finite, "nothing is asked or said about others");
    line.add_flag("--kernel", options.kernel,
                  "a kernel: in which order it adds over k, and then which unit it is made of");
    line.add_shared("--json", options.json, "one object");
    add_certificate_option(line, options.certificate);
    line.add_shared("-o", options.out, "the vectors that were asked, with what was observed");
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (line.was_given("--threads")) options.choice.programs = options.identify.threads;
    options.choice.at_every_place_first = false; // that it is no function of a vector is an answer here
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

    Question question;
    question.shape = shape;
    question.spaces = options.spaces;
    question.recording = recorded(options.choice.target);
    question.timeout = options.choice.timeout;
    question.timeout_is_own = line.was_given("--timeout");
    question.options = options.identify;
    if (progress.is_wanted())
        question.first = [&](const NamedClasses& classes) {
            progress.show("consistent with " + in_words(classes) + "; is it anything else");
        };
    const Identified found = discern::identify::identify(std::move(question), std::ref(asker));
    const discern::identify::Result& result = found.result;
    interrupt.work_is_done();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());
    progress.clear();
    if (!options.out.empty() && interrupt.requested()) {
        io.err << fmt::format("discern: {} is not written\n", options.out);
    } else if (!options.out.empty()) {
        OutputFile file(options.out, io, input_of(options.choice));
        VectorWriter writer(file.stream(), shape,
                            observation_header(options.choice, *target, quoted_command("identify", arguments)));
        for (const Observation& o : result.observations) writer.write(o.vector);
        file.finish();
    }
    if (options.json && io.host != nullptr && io.host->said != nullptr)
        print_text(found, shape, Colours(false), *io.host->said);
    if (options.json)
        print_line(io.out, as_json(found, shape));
    else
        print_text(found, shape, Colours::of(io), io.out);
    const bool certified =
        options.certificate.empty() ||
        certify_classes(options.certificate, {result.same, result.same_unlisted}, {.finite = options.identify.finite},
                        options.identify.seed, deadline, interrupt.token(), io);
    static constexpr int statuses[] = {status::done, status::done, status::unknown, status::different};
    return certified ? statuses[static_cast<std::size_t>(result.conclusion)] : status::unknown;
}

} // namespace

extern constinit const Command identify_command{
    .name = "identify",
    .usage = "TARGET",
    .summary = "which unit a target is",
    .example = "  discern identify x86/vdpbf16ps\n"
               "      what this CPU's instruction computes\n"
               "  discern identify 'exec:./simulator --fast' --formats f16,f16,f32,f32 --K 16 -o asked.jsonl\n"
               "      what a program computes that reads vectors from a pipe, and the vectors that showed it\n"
               "  discern identify 'exec:./dot' --formats f32,f32,f32,f32 --K 256 --kernel\n"
               "      in which order a long dot product is added up, and by which instruction",
    .run = of_a_machine<run_identify>,
    .docs = {
        .group = "Unknown units", .page = "identify", .schemas = {"identify", "identify-kernel"}, .in_python = true}};

} // namespace discern::cli
