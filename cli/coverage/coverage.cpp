// `discern coverage`: which events of a unit's tree the vectors of a file hit, and vectors for the others.
#include "analysis/coverage/missing.hpp"

#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace discern::cli {

namespace {

using coverage::Bin;
using coverage::Conditions;
using coverage::Filled;

struct CoverageSettings {
    std::string unit, file, out;
    DataOptions data;
    bool missing = false, json = false;
    std::uint64_t seed = 1;
    double timeout = std::numeric_limits<double>::infinity();
};

/// What is known of one bin.
struct CountedBin {
    Bin bin;
    std::uint64_t count = 0, line = 0; ///< vectors that hit it, and the line of the first one
    std::optional<Filled> filled;      ///< with --missing, of a bin that none hits
};

/// Counts the vectors of the file. @return how many there are
std::uint64_t count_hits(std::vector<CountedBin>& rows, const Unit& unit, VectorFile& file, const Interrupt& interrupt,
                         const Streams& io) {
    std::map<Bin, std::size_t> index;
    for (std::size_t i = 0; i < rows.size(); ++i) index[rows[i].bin] = i;
    Counter counter(io, "covered");
    Vector vector;
    std::uint64_t vectors = 0;
    while (!interrupt.stopped() && file.next(vector)) {
        counter.at(vectors++);
        for (const Bin& bin : coverage::hits(explain::trace(unit, vector.inputs()))) {
            const auto found = index.find(bin);
            if (found == index.end())
                throw Error("internal error, please report it: a vector hits " + coverage::name(bin, unit) +
                            ", which is no bin of the unit");
            CountedBin& row = rows[found->second];
            if (row.count++ == 0) row.line = file.line();
        }
    }
    return vectors;
}

/// Asks for the bins that no vector hits.
void fill_missing(std::vector<CountedBin>& rows, const Unit& unit, const Conditions& conditions,
                  const CoverageSettings& options, const Interrupt& interrupt, const Streams& io) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].count == 0) wanted.push_back(i);
    Counter counter(io, "asked", wanted.size());
    coverage::FillOptions fill;
    fill.seed = options.seed;
    fill.limit = Limit::after(options.timeout, interrupt.token());
    fill.progress = [&](std::size_t done) { counter.at(done); };
    std::vector<Filled> filled = coverage::fill(unit, conditions, wanted, fill);
    for (std::size_t i = 0; i < wanted.size(); ++i) rows[wanted[i]].filled = std::move(filled[i]);
}

std::string_view answer_of(const CountedBin& row) {
    if (row.count > 0) return "hit";
    if (!row.filled) return "not hit";
    switch (row.filled->outcome) {
    case Outcome::sat: return "a vector";
    case Outcome::unsat: return "impossible";
    case Outcome::unknown: break;
    }
    return "open";
}

std::uint64_t number_of(const std::vector<CountedBin>& rows, std::string_view answer) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(rows, [&](const CountedBin& row) { return answer_of(row) == answer; }));
}

void print_coverage_json(const std::vector<CountedBin>& rows, const CoverageSettings& options, const Unit& unit,
                         std::uint64_t vectors, std::ostream& out) {
    Json bins = Json::array();
    for (const CountedBin& row : rows) {
        Json one = {{"bin", coverage::name(row.bin, unit)},
                    {"block", row.bin.block},
                    {"node", row.bin.node},
                    {"term", row.bin.term.empty() ? Json() : Json(row.bin.term)},
                    {"event", coverage::name(row.bin.event)},
                    {"meaning", coverage::meaning(row.bin.event)},
                    {"count", row.count},
                    {"first", row.count > 0 ? Json(row.line) : Json()},
                    {"answer", answer_of(row)}};
        if (row.filled && row.filled->vector) one["vector"] = json_of(shape_of(unit), *row.filled->vector);
        bins.push_back(std::move(one));
    }
    out << fmt::format("{{\"unit\":{},\"vectors\":{},\"hit\":{},\"impossible\":{},\"bins\":{}}}\n",
                       to_text(options.unit), vectors, number_of(rows, "hit"), number_of(rows, "impossible"),
                       to_lines(bins));
}

void print_coverage(const std::vector<CountedBin>& rows, const Unit& unit, std::uint64_t vectors, std::ostream& out) {
    std::size_t width = 0;
    for (const CountedBin& row : rows) width = std::max(width, coverage::name(row.bin, unit).size());
    for (const CountedBin& row : rows) {
        const std::string label = fmt::format("{:<{}}  ", coverage::name(row.bin, unit), width);
        const std::string subject = row.bin.term.empty() ? "" : row.bin.term + " ";
        // "alignment takes bits" has a subject of its own.
        const std::string meaning = row.bin.event == coverage::Event::cut
                                        ? fmt::format("alignment takes bits of {} that are set", row.bin.term)
                                        : subject + std::string(coverage::meaning(row.bin.event));
        if (row.count > 0)
            out << fmt::format("{}{:>9}  first in line {}: {}\n", label, row.count, row.line, meaning);
        else
            out << fmt::format("{}{:>9}  {}: {}\n", label, "-", answer_of(row), meaning);
    }
    const std::uint64_t hit = number_of(rows, "hit");
    out << fmt::format("{} vectors hit {} of {} bins", vectors, hit, rows.size());
    if (rows.size() > hit) {
        std::string rest;
        for (const char* answer : {"a vector", "impossible", "open"})
            if (const std::uint64_t n = number_of(rows, answer); n > 0)
                rest += fmt::format("{}{} {}", rest.empty() ? "; of the others: " : ", ", n,
                                    std::string_view(answer) == "a vector" ? "have a vector" : answer);
        out << rest;
    }
    out << '\n';
}

/// A vector each, those that are given for several bins once.
void write_coverage_vectors(const std::vector<CountedBin>& rows, const Unit& unit, const CoverageSettings& options,
                            const std::string& command, const Streams& io) {
    OutputFile output(options.out, io, options.file);
    Header header;
    header.unit = options.unit;
    header.other.emplace_back("command", to_text(command));
    VectorWriter writer(output.stream(), shape_of(unit), header);
    std::vector<const Vector*> written;
    for (const CountedBin& row : rows) {
        if (!row.filled || !row.filled->vector) continue;
        const Vector& vector = *row.filled->vector;
        if (std::ranges::any_of(written, [&](const Vector* other) { return other->same_inputs(vector); })) continue;
        writer.write(vector);
        written.push_back(&vector);
    }
    output.finish();
}

int run_coverage(const Command& self, Arguments arguments, const Streams& io) {
    CoverageSettings options;
    CommandLine line(self);
    line.add_option("UNIT", options.unit, "the unit").required();
    line.add_option("FILE", options.file, "a file of vectors, a table, or - for standard input; results are not read")
        .required();
    line.add_flag("--missing", options.missing,
                  "for each bin that is not hit a vector that hits it, or that none can, by a solver");
    line.add_shared("--formats", options.data.formats, "of FILE, where UNIT is a product alone, as A100");
    line.add_shared("--scale", options.data.scale);
    add_data_options(line, options.data, {.formats = true});
    line.add_shared("--seed", options.seed);
    line.add_shared("--timeout", options.timeout, "bins that were not asked for by then are open");
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out, "with --missing: the vectors that were found; the report is still printed");
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (!options.out.empty() && !options.missing)
        throw Error("coverage: -o is of the vectors that --missing finds, and --missing is not given");

    const Unit unit = resolve_unit(options.unit);
    require_formats(options.unit, shape_of(unit), options.data);
    Interrupt interrupt(io, options.timeout);
    const Conditions conditions(unit);
    std::vector<CountedBin> rows;
    for (const Bin& bin : conditions.bins) rows.push_back({.bin = bin, .filled = {}});
    VectorFile file(options.file, ReadAs{.unit = options.unit, .shape = shape_of(unit)}, options.data, io);
    const std::uint64_t vectors = count_hits(rows, unit, file, interrupt, io);
    if (options.missing) fill_missing(rows, unit, conditions, options, interrupt, io);
    interrupt.work_is_done();
    if (interrupt.stopped()) io.err << fmt::format("discern: {}; this is what is known\n", interrupt.reason());
    if (options.json)
        print_coverage_json(rows, options, unit, vectors, io.out);
    else
        print_coverage(rows, unit, vectors, io.out);
    if (!options.out.empty()) write_coverage_vectors(rows, unit, options, quoted_command("coverage", arguments), io);
    return interrupt.stopped() || number_of(rows, "open") > 0 ? status::unknown : status::done;
}

} // namespace

extern constinit const Command coverage_command{
    .name = "coverage",
    .usage = "UNIT FILE|-",
    .summary = "which events of a unit's tree vectors hit, and vectors for the others",
    .example = "  discern coverage volta/mma.m8n8k4.f32.f16.f16.f32 regression.jsonl\n"
               "      which truncations, carries, ties and special cases the vectors of a regression have shown\n"
               "  discern coverage x86/fma.f32 regression.jsonl --missing -o more.jsonl\n"
               "      and a vector for each of the others that can be, written to more.jsonl",
    .run = run_coverage,
    .docs = {.group = "Questions", .page = "coverage", .schemas = {"coverage"}}};

} // namespace discern::cli
