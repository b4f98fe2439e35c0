// `discern which`: the units that give all observed results, within a second.
#include "which_told.hpp"

#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/matrix_vectors.hpp"
#include "cli/files/target.hpp"
#include "cli/files/vector_file.hpp"
#include "identification/which/known_kernels.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace discern::cli {

namespace {

struct WhichSettings {
    TargetChoice choice; ///< or a file
    DataOptions data;
    MatrixPaths matrices;
    std::string out;
    std::vector<std::string> spaces;
    WhichOptions which;
    ObserveOptions observe;
    bool json = false;
};

/// Whether the argument names a target, and not a file.
bool is_target(const std::string& text) {
    if (text == "-") return false;
    if (text == callable_target) return true;
    const auto is_of = [&](const TargetKind& kind) {
        return kind.has_rest() ? text.starts_with(kind.name) : text == kind.name;
    };
    if (std::ranges::any_of(target_kinds(), is_of)) return true;
    if (is_there(text)) return false;
    throw Error(sentence("which: there is no file ", excerpt(text, 200),
                         ", and no such target; 'discern targets' lists the targets"));
}

Observations read(VectorFile& file) {
    Observations all{.shape = file.shape(),
                     .vectors = {},
                     .nan_any = file.nan_any(),
                     .lines = {},
                     .ranges = file.ranges(),
                     .about_digits = file.about_digits()};
    for (Vector vector; file.next(vector);) {
        if (vector.error.empty())
            require_observation(file, vector, "which compares");
        else
            ++all.unanswered;
        all.vectors.push_back(vector);
        all.lines.push_back(file.line());
    }
    if (all.vectors.size() == all.unanswered) throw Error(file.name() + " has no results; there is nothing to explain");
    return all;
}

/// The units that have names, then those of the spaces.
KnownUnits members_of(const Shape& shape, const std::vector<std::string>& spaces) {
    KnownUnits all = known_units(shape);
    for (Member& member : members_of_spaces(spaces, shape, "what was observed")) {
        all.names.push_back(member.text);
        all.units.push_back(std::move(member));
    }
    return all;
}

/// Adds kernels that fit to units that do.
void append(KnownUnits& known, WhichAnswer& answer, KernelAnswer more) {
    const std::size_t before = known.units.size();
    std::move(more.known.units.begin(), more.known.units.end(), std::back_inserter(known.units));
    std::move(more.known.names.begin(), more.known.names.end(), std::back_inserter(known.names));
    for (std::vector<std::size_t>& same : more.answer.consistent) {
        for (std::size_t& unit : same) unit += before;
        answer.consistent.push_back(std::move(same));
    }
    for (std::string& one : more.known.assumed)
        if (std::ranges::find(known.assumed, one) == known.assumed.end()) known.assumed.push_back(std::move(one));
    answer.complete = answer.complete && more.answer.complete;
}

constexpr int least_of_schedules = 32; ///< products that libraries divide

void add_options(CommandLine& line, WhichSettings& options) {
    options.choice.timeout = 60;
    add_target_options(
        line, options.choice, "FILE|TARGET",
        "results that were observed: a file of vectors, a table or an .npz file; - for standard input; or what "
        "to ask",
        false);
    add_data_options(line, options.data, {.formats = true});
    options.matrices.add_to(line);
    line.add_shared("--space", options.spaces, "besides those of the catalogue");
    line.add_whole("--near", options.which.near, "how many units to show when none fits");
    line.add_shared("--show", options.which.refutations, "vectors that refute each");
    line.add_shared("-n", options.observe.most, "to ask of a target, at most");
    line.add_shared("--seed", options.observe.seed);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out);
}

/// What was observed, and the units that it may be of.
struct Observed {
    Observations all;
    KnownUnits known;
    bool is_of_file = true;
};

Observed of_file(VectorFile&& file, const WhichSettings& options) {
    Observed observed{.all = read(file), .known = {}};
    observed.known = members_of(observed.all.shape, options.spaces);
    return observed;
}

Observed of_target(const WhichSettings& options, const Interrupt& interrupt, Progress& progress, const Streams& io) {
    if (needs_shape(options.choice))
        throw Error("which: " + options.choice.target +
                    " does not say its formats; give them, as in --formats f16,f16,f32,f32 --K 16");
    const auto target = start_target(options.choice, std::nullopt, interrupt.token(), io);
    Observed observed{.all = {}, .known = members_of(target->shape(), options.spaces), .is_of_file = false};
    Observations& all = observed.all;
    all.shape = target->shape();
    Asker asker{*target};
    if (progress.is_wanted()) progress.show("asking");
    all.vectors = observe(all.shape, observed.known.units, std::ref(asker), options.observe);
    all.unanswered = static_cast<std::size_t>(
        std::ranges::count_if(all.vectors, [](const Vector& vector) { return vector.d.empty(); }));
    if (!observed.known.units.empty() && all.unanswered == all.vectors.size() && !interrupt.stopped())
        throw Error("which: the target answered no vector: " + asker.first_error);
    return observed;
}

Observed observed_by(const WhichSettings& options, const Interrupt& interrupt, Progress& progress, const Streams& io) {
    // A recording is its file: nothing else can be asked.
    const std::string recorded = input_of(options.choice);
    const std::string& from = recorded.empty() ? options.choice.target : recorded;
    DataOptions data = options.data;
    data.formats = options.choice.formats;
    data.K = options.choice.K;
    data.scale = options.choice.scale;
    if (options.matrices.any()) {
        if (!from.empty())
            throw Error("which: the results are in matrices, or in a file, or a target gives them; " +
                        excerpt(from, 200) + " is one too many");
        return of_file(VectorFile("the matrices", vectors_of_matrices(options.matrices, data, io)), options);
    }
    if (from.empty())
        throw Error(
            "which: a FILE of results is missing (- for standard input), a target, or matrices as --a A.npy --b "
            "B.npy --d D.npy");
    if (recorded.empty() && is_target(from)) return of_target(options, interrupt, progress, io);
    return of_file(VectorFile(from, std::nullopt, data, io), options);
}

/// The units that fit; of results in a file, where none does, units whose result is rounded once more, and schedules.
/// @param observed  whose units become those of the answer
WhichAnswer answer_to(Observed& observed, const WhichOptions& options, bool with_schedules, Tried& tried,
                      Progress& progress) {
    const Observations& all = observed.all;
    KnownUnits& known = observed.known;
    WhichAnswer answer = discern::which(all.vectors, all.nan_any, known.units, options);
    if (answer.consistent.empty() && answer.complete && observed.is_of_file && all_c_are_zero(all)) {
        KnownUnits rounded = rounded_units(all.shape);
        WhichAnswer second = discern::which(all.vectors, all.nan_any, rounded.units, options);
        if (known.units.empty() || !second.consistent.empty()) {
            known = std::move(rounded);
            answer = std::move(second);
        }
    }
    tried.units = known.units.size();
    // Rounded results leave more open: other schedules are named beside the chains that fit.
    const bool fit_rounded = !known.assumed.empty() && !answer.consistent.empty();
    if ((answer.consistent.empty() || fit_rounded) && answer.complete && observed.is_of_file && with_schedules &&
        all.shape.K >= least_of_schedules) {
        if (progress.is_wanted()) progress.show("trying schedules");
        KernelAnswer third =
            which_kernel(all.shape, all.vectors, all_c_are_zero(all), !fit_rounded, all.nan_any, options);
        tried.kernels = third.tried;
        if (!fit_rounded && !third.answer.consistent.empty()) {
            known = std::move(third.known);
            answer = std::move(third.answer);
        } else if (fit_rounded) {
            append(known, answer, std::move(third));
        }
    }
    return answer;
}

int run_which(const Command& self, Arguments arguments, const Streams& io) {
    WhichSettings options;
    CommandLine line(self);
    add_options(line, options);
    if (const auto ended = line.read(arguments, io)) return *ended;

    Interrupt interrupt(io, options.choice.timeout);
    options.which.stop = options.observe.stop = interrupt.token();
    for (const std::string& space : options.spaces) note_space(space, io);
    Progress progress(io);
    Observed observed = observed_by(options, interrupt, progress, io);
    const Observations& all = observed.all;
    OutputFile output(options.out, io);
    options.which.ranges = &all.ranges;
    Tried tried{};
    const WhichAnswer answer = answer_to(observed, options.which, options.spaces.empty(), tried, progress);
    interrupt.work_is_done();
    progress.clear();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());
    const KnownUnits& known = observed.known;
    if (options.json && io.host != nullptr && io.host->said != nullptr)
        print_text(*io.host->said, all, known, answer, tried, Colours(false));
    if (options.json)
        print_line(output.stream(), as_json(all, known, answer));
    else
        print_text(output.stream(), all, known, answer, tried, options.out.empty() ? Colours::of(io) : Colours(false));
    output.finish();
    if (interrupt.stopped()) return status::unknown;
    return answer.consistent.empty()       ? status::different
           : answer.consistent.size() == 1 ? status::done
                                           : status::unknown;
}

} // namespace

extern constinit const Command which_command{
    .name = "which",
    .usage = "FILE|TARGET",
    .summary = "which units give what was observed",
    .example =
        "  discern which observed.jsonl\n"
        "      the units of the catalogue that give all results in the file, or the nearest and what refutes them\n"
        "  discern which a100.csv --formats f16,f16,f32,f32\n"
        "      the same of a table with columns a0, a1, …, b0, …, c and d, of numbers or bit patterns\n"
        "  discern which 'exec:./simulator --fast' --formats f16,f16,f32,f32 --K 16\n"
        "      the same of a program, which is asked what tells the units apart",
    .run = run_which,
    .docs = {.group = "Unknown units", .page = "which", .schemas = {"which"}, .in_python = true}};

} // namespace discern::cli
