// Two files of observations of the same vectors: where they differ.
#include "cli/base/distance.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/import/npy.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace discern::cli {

namespace {

/// Which input of the two vectors differs.
std::string_view different_input(const Vector& one, const Vector& other) {
    if (one.a != other.a) return "a";
    if (one.b != other.b) return "b";
    if (one.sa != other.sa) return "sa";
    if (one.sb != other.sb) return "sb";
    return "c";
}

/// What the results of a file belong to, for the head of the report.
std::string origin(const VectorFile& file) {
    const Header& header = file.header();
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

/// Whether two results with few digits may be prints of one number.
bool may_be_same(const Format& d, const VectorFile& first, const VectorFile& second, std::uint64_t d1,
                 std::uint64_t d2) {
    if (!first.has_ranges() && !second.has_ranges()) return false;
    for (const std::uint64_t one : {d1, d2})
        if (decode(d, one).number_class == NumberClass::nan) return false;
    const PlaceRange one = first.d_range(d1), other = second.d_range(d2);
    return one.first <= other.last && other.first <= one.last;
}

/// Whether the inputs differ in c alone, which is printed with few digits, and may be one number.
bool may_be_same_inputs(const VectorFile& first, const VectorFile& second, const Vector& vector, Vector other) {
    if (!vector.c || !other.c || (first.ranges().c.empty() && second.ranges().c.empty())) return false;
    const PlaceRange one = first.c_range(*vector.c), two = second.c_range(*other.c);
    other.c = vector.c;
    return vector.same_inputs(other) && one.first <= two.last && two.first <= one.last;
}

bool is_array(const std::string& path) { return path.ends_with(".npy"); }

struct MatrixDiff {
    std::string first, second, out;
    std::uint64_t show;
    bool json;
};

/// Two results of a product, element by element.
int diff_matrices(const MatrixDiff& what, const DataOptions& data, const Streams& io) {
    const auto read = [&](const std::string& path) {
        InputFile file(path, io);
        return read_npy(array_file(file.stream()), path);
    };
    const Array one = read(what.first), other = read(what.second);
    if (one.shape != other.shape)
        throw Error(what.first + " and " + what.second + " have different sizes; diff compares element by element");
    const auto given = shape_of_options(data);
    const auto id = given ? std::optional(given->d) : format_of(one);
    if (!id)
        throw Error(sentence(what.first, " has elements of type '", one.type, "', which does not say their format; ",
                             "--formats does, whose last one is d's"));
    const TableOptions reading = table_options(data);
    const Format& d = format(*id);
    const auto patterns = [&](const Array& array) {
        return array_patterns(array, d, reading.cells, reading.rounding).bits;
    };
    const auto first = patterns(one), second = patterns(other);
    if (first.empty()) throw Error(what.first + " has no elements; there is nothing to compare");
    OutputFile output(what.out, io, what.first);
    Distances distances(d);
    Json shown = Json::array();
    std::uint64_t different = 0;
    const std::size_t columns = one.shape.size() < 2 ? first.size() : one.shape.back();
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] == second[i]) continue;
        distances.add(first[i], second[i]);
        if (++different > what.show) continue;
        const std::size_t row = i / columns, column = i % columns;
        if (what.json)
            shown.push_back({{"row", row}, {"column", column}, {"d", {to_hex(d, first[i]), to_hex(d, second[i])}}});
        else
            output.stream() << fmt::format("row {}, column {} (from 0): {} and {}\n", row, column,
                                           described(d, first[i]), described(d, second[i]));
    }
    if (what.json) {
        print_line(
            output.stream(),
            {{"compared", first.size()}, {"different", different}, {"first", shown}, {"apart", distances.json()}});
    } else {
        distances.print(output.stream());
        output.stream() << fmt::format("compared {}, different {}\n", first.size(), different);
    }
    output.finish();
    return different == 0 ? status::done : status::different;
}

int run_diff(const Command& self, Arguments arguments, const Streams& io) {
    std::string first_path, second_path, unit, out, explain;
    Json first_json = Json::array();
    bool json = false;
    DataOptions data;
    std::uint64_t show = std::numeric_limits<std::uint64_t>::max();
    CommandLine line(self);
    line.add_option("FILE", first_path, "a file of vectors with results, a table, or -; or a matrix, as .npy")
        .required();
    line.add_option("FILE2", second_path, "another with the same inputs, or -").required();
    line.add_shared("--unit", unit);
    add_data_options(line, data, {});
    line.add_shared("--show", show, "differences");
    line.add_shared("--json", json, "one object");
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (first_path == "-" && second_path == "-") throw Error("diff: only one of the files can be standard input");

    if (is_array(first_path) && is_array(second_path))
        return diff_matrices({first_path, second_path, out, show, json}, data, io);
    std::optional<ReadAs> as = read_as(unit);
    VectorFile first(first_path, as, data, io);
    if (!as) as = ReadAs{.unit = first.name(), .shape = first.shape()};
    VectorFile second(second_path, as, data, io);
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
            throw Error(sentence((more ? second : first).name(), " ends after ", counted(compared, "vector"), ", but ",
                                 (more ? first : second).name(),
                                 " goes on; diff compares results of the same vectors"));
        if (!one.same_inputs(other) && !may_be_same_inputs(first, second, one, other))
            throw Error(
                second.at_line(sentence("field ", different_input(one, other), ": differs from that of ", first.name(),
                                        ":", first.line(), "; diff compares results of the same vectors")));
        if (not_observed.count(one) || not_observed.count(other)) continue;
        const std::uint64_t d1 = require_observation(first, one, "diff compares");
        const std::uint64_t d2 = require_observation(second, other, "diff compares");
        ++compared;
        if (same_observation(d, nan_any, d1, d2) || may_be_same(d, first, second, d1, d2)) continue;
        distances.add(d1, d2);
        if (different == 0) {
            Vector asked = one;
            asked.clear_results();
            explain =
                explaining(first.shape(), {unit.empty() ? first.header().unit : unit, second.header().unit}, asked);
        }
        if (different++ == 0 && !json) output.stream() << "--- " << origin(first) << "\n+++ " << origin(second) << '\n';
        if (different > show) continue;
        one.d = {d1, d2};
        one.d_is_list = true;
        if (json)
            first_json.push_back(json_of(first.shape(), one));
        else
            output.stream() << fmt::format("line {}: {} and {}\n  {}\n", first.line(), described(d, d1),
                                           described(d, d2), to_json(first.shape(), one));
        output.require_good();
    }
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: interrupted; {} vectors were compared\n", compared);
    else if (compared == 0)
        throw Error(first.name() + " has no vectors" + not_observed.but_those() + "; there is nothing to compare");
    if (json) {
        print_line(
            output.stream(),
            {{"compared", compared}, {"different", different}, {"first", first_json}, {"apart", distances.json()}});
    } else {
        for (const VectorFile* file : {&first, &second})
            if (const std::string about = file->about_digits(); !about.empty())
                output.stream() << file->name() << ": " << about << '\n';
        output.stream() << not_observed.summary();
        distances.print(output.stream());
        if (!explain.empty()) output.stream() << "how units get there, the first of them: " << explain << '\n';
        output.stream() << fmt::format("compared {}, different {}\n", compared, different);
    }
    output.finish();
    if (different > 0) return status::different;
    return interrupt.stopped() ? status::unknown : status::done;
}

} // namespace

extern constinit const Command diff_command{.name = "diff",
                                            .usage = "FILE FILE",
                                            .summary = "where two files of observations of the same vectors differ",
                                            .example = "  discern diff H100.jsonl simulator.jsonl\n"
                                                       "      the vectors on which the two gave different results",
                                            .run = run_diff,
                                            .docs = {.group = "Vectors", .page = "vectors", .schemas = {"diff"}}};

} // namespace discern::cli
