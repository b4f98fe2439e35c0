// Two files of observations of the same vectors: where they differ.
#include "cli/files/files.hpp"
#include "cli/files/json.hpp"
#include "cli/files/observations.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "distance.hpp"
#include "interrupt.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace discern::cli {

namespace {

constexpr std::string_view example = "  discern diff H100.jsonl simulator.jsonl\n"
                                     "      the vectors on which the two gave different results";

/// Which input of the two vectors differs.
std::string_view different_input(const Vector& one, const Vector& other) {
    if (one.a != other.a) return "a";
    if (one.b != other.b) return "b";
    if (one.sa != other.sa) return "sa";
    if (one.sb != other.sb) return "sb";
    return "c";
}

/// What the results of a file belong to, for the head of the report.
std::string origin(const InputFile& file, const Header& header) {
    if (!header.target.empty()) return file.name() + ": " + header.target;
    if (!header.unit.empty()) return file.name() + ": " + header.unit;
    return file.name();
}

/// The command that explains a vector: by the units that the files are of, if they name any, both if they name two that
/// can be compared.
std::string explaining(const Shape& shape, const std::array<std::string, 2>& named, const Vector& vector) {
    std::vector<std::string> units;
    for (const std::string& unit : named) {
        try {
            if (!unit.empty() && std::ranges::find(units, unit) == units.end() && shape_of(resolve_unit(unit)) == shape)
                units.push_back(unit);
        } catch (const Error&) { // the file calls something a unit that is none of ours
        }
    }
    return units.empty() ? "" : quoted_command("explain", units) + " " + as_options(shape, vector);
}

} // namespace

int diff(Arguments arguments, const Streams& io) {
    std::string first_path, second_path, unit, out, explain;
    Json first_json = Json::array();
    bool json = false;
    std::uint64_t show = std::numeric_limits<std::uint64_t>::max();
    CommandLine line("diff", example);
    line.add_option("FILE", first_path, "a file of vectors with results, or -").required();
    line.add_option("FILE2", second_path, "another with the same inputs, or -").required();
    line.add_shared("--unit", unit);
    line.add_shared("--show", show, "differences");
    line.add_shared("--json", json, "one object");
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (first_path == "-" && second_path == "-") throw Error("diff: only one of the files can be standard input");

    std::optional<ReadAs> as = read_as(unit);
    InputFile first_file(first_path, io), second_file(second_path, io);
    VectorReader first(first_file.stream(), first_file.name(), as);
    if (!as) as = ReadAs{.unit = first_file.name(), .shape = first.shape()};
    VectorReader second(second_file.stream(), second_file.name(), as);
    OutputFile output(out, io, first_path);
    const Format& d = format(first.shape().d);
    const bool nan_any = first.nan_any() || second.nan_any();
    Distances distances(d);
    std::uint64_t compared = 0, different = 0;
    NotObserved not_observed;
    Vector one, other;
    Counter counter(io, "compared");
    const Interrupt interrupt(io);
    while (true) {
        counter.at(compared);
        const bool more = first.next(one), more_other = second.next(other);
        if (interrupt.stopped()) break;
        if (!more && !more_other) break;
        if (more != more_other)
            throw Error(sentence((more ? second_file : first_file).name(), " ends after ", counted(compared, "vector"),
                                 ", but ", (more ? first_file : second_file).name(),
                                 " goes on; diff compares results of the same vectors"));
        if (!one.same_inputs(other))
            throw Error(second.at_line(sentence("field ", different_input(one, other), ": differs from that of ",
                                                first_file.name(), ":", first.line(),
                                                "; diff compares results of the same vectors")));
        if (not_observed.count(one) || not_observed.count(other)) continue;
        const std::uint64_t d1 = require_observation(first, one, "diff compares");
        const std::uint64_t d2 = require_observation(second, other, "diff compares");
        ++compared;
        if (same_observation(d, nan_any, d1, d2)) continue;
        distances.add(d1, d2);
        if (different == 0) {
            Vector asked = one;
            asked.clear_results();
            explain =
                explaining(first.shape(), {unit.empty() ? first.header().unit : unit, second.header().unit}, asked);
        }
        if (different++ == 0 && !json)
            output.stream() << "--- " << origin(first_file, first.header()) << "\n+++ "
                            << origin(second_file, second.header()) << '\n';
        if (json) {
            one.d = {d1, d2};
            one.d_is_list = true;
            if (different <= show) first_json.push_back(json_of(first.shape(), one));
            continue;
        }
        if (different > show) continue;
        one.d = {d1, d2};
        one.d_is_list = true;
        output.stream() << fmt::format("line {}: {} and {}\n  {}\n", first.line(), described(d, d1), described(d, d2),
                                       to_json(first.shape(), one));
        output.require_good();
    }
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: interrupted; {} vectors were compared\n", compared);
    else if (compared == 0)
        throw Error(first_file.name() + " has no vectors" + not_observed.but_those() + "; there is nothing to compare");
    if (json) {
        output.stream() << to_text({{"compared", compared},
                                    {"different", different},
                                    {"first", first_json},
                                    {"apart", distances.json()}})
                        << '\n';
    } else {
        output.stream() << not_observed.summary();
        distances.print(output.stream());
        if (!explain.empty()) output.stream() << "how units get there, the first of them: " << explain << '\n';
        output.stream() << fmt::format("compared {}, different {}\n", compared, different);
    }
    output.finish();
    if (different > 0) return status::different;
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace discern::cli
