#include "own_data.hpp"

#include "analysis/measure/vector_errors.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/products.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/import/decimal.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"
#include "solver/question/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::string_view endings[] = {".csv", ".tsv", ".txt", ".jsonl", ".npz", ".npy", ".bin"};

/// Numbers of d's format from the middle of a range to its end.
std::int64_t half(const PlaceRange& range) { return (range.last - range.first + 1) / 2; }

/// What is said of results with few digits: the errors are those of the numbers nearest to what was printed.
std::string about_digits(const VectorFile& file, std::int64_t most) {
    if (most == 0) return "";
    const int digits = file.ranges().d_digits;
    const Format& d = format(file.shape().d);
    return fmt::format("discern: {}: d has {} ({} needs {}); what was printed may be up to {} ulp away from the number "
                       "that is measured\n",
                       file.name(), digits == 0 ? "few digits" : counted(static_cast<std::size_t>(digits), "digit"),
                       d.name, digits_needed(d), most);
}

} // namespace

std::string take_file(std::vector<std::string>& words) {
    if (words.empty()) return "";
    const std::string& last = words.back();
    const bool is_file = last == "-" || is_there(last);
    if (!is_file && std::ranges::any_of(endings, [&](std::string_view ending) { return last.ends_with(ending); }))
        throw Error(sentence("measure: there is no file ", excerpt(last, 200)));
    if (!is_file) return "";
    std::string path = last;
    words.pop_back();
    return path;
}

MeasureReport measure_own_data(const OwnData& data, std::vector<std::string> units, const Interrupt& interrupt,
                               const Streams& io) {
    std::optional<Table> table;
    if (data.path.empty()) {
        table = vectors_of_matrices(data.matrices, data.options, io);
        for (std::string& name : units)
            if (is_product_alone(name)) name = with_unit_of_product(name, table->shape);
    } else {
        decide_products_by_file(each_word(units), data.path, data.options, io);
    }
    std::vector<Unit> resolved;
    std::vector<Evaluator> evaluators;
    for (const std::string& name : units) {
        resolved.push_back(resolve_unit(name));
        require_comparable(resolved.front(), resolved.back());
        evaluators.emplace_back(resolved.back());
    }
    std::optional<ReadAs> as;
    if (!units.empty()) as = ReadAs{.unit = units.front(), .shape = shape_of(resolved.front())};
    const auto opened = table ? std::make_unique<VectorFile>("the matrices", std::move(*table))
                              : std::make_unique<VectorFile>(data.path, as, data.options, io);
    VectorFile& file = *opened;
    const Shape shape = file.shape();
    if (!units.empty())
        if (const std::string what = difference(shape_of(resolved.front()), shape); !what.empty())
            throw Error(sentence("measure: ", units.front(), " and ", file.name(), " differ in ", what));

    MeasureReport report{.units = {}, .shape = shape, .chain = 1, .families = {}};
    std::optional<measure::VectorErrors> errors;
    NotObserved not_observed;
    bool has_d = false;
    std::int64_t most_half = 0;
    std::vector<std::uint64_t> results;
    Counter counter(io, "measured");
    Vector vector;
    for (std::uint64_t done = 0; !interrupt.stopped() && file.next(vector); ++done) {
        counter.at(done);
        if (not_observed.count(vector)) continue;
        if (!errors) {
            has_d = !vector.d.empty() && !vector.d_is_list;
            if (!has_d && units.empty())
                throw Error(file.at_line("there is no d, and no UNIT is named; one of them has errors to measure"));
            if (has_d) report.units.push_back("d of " + file.name());
            report.units.insert(report.units.end(), units.begin(), units.end());
            errors.emplace(shape, file.name(), report.units.size());
        }
        results.clear();
        if (has_d) {
            results.push_back(require_observation(file, vector, "measure takes"));
            most_half = std::max(most_half, half(file.d_range(results.front())));
        }
        for (const Evaluator& evaluate : evaluators) results.push_back(evaluate(vector.inputs()));
        errors->add(vector.inputs(), results);
    }
    counter.clear();
    if (!errors)
        throw Error(file.name() + " has no vectors" + not_observed.but_those() + "; there is nothing to measure");
    io.err << about_digits(file, has_d ? most_half : 0) << not_observed.summary();
    report.families.push_back(errors->measured());
    return report;
}

} // namespace discern::cli
