// The shard of a cell is a hash of its units; a shard settles its cells and keeps the answers in its store.
#include "shard.hpp"

#include "tree_questions.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>

namespace discern {

namespace {

/// Whether a cell belongs to the shard; it does not depend on the order of the units.
bool is_mine(const Shard& shard, const UnitList& trees, const Cell& cell) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::size_t tree : cell) least = std::min(least, arithmetic_hash(trees[tree]));
    return least % shard.count == shard.index - 1;
}

} // namespace

Shard parse_shard(const std::string& text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto [slash, first] = std::from_chars(text.data(), end, shard.index);
    if (first == std::errc{} && slash != end && *slash == '/') {
        const auto [rest, second] = std::from_chars(slash + 1, end, shard.count);
        if (second == std::errc{} && rest == end && shard.index >= 1 && shard.index <= shard.count) return shard;
    }
    throw Error("--shard: " + excerpt(text) + " is no I/N with 1 <= I <= N, such as 3/8");
}

ShardReport work_on(const Shard& shard, const Members& units, const SuiteOptions& options) {
    if (units.empty()) throw Error("suite: there is no unit");
    const auto start = Limit::Clock::now();
    const Limit limit = Limit::after(options.timeout, options.solving.stop);
    ShardReport report;
    for (const UnitsOfShape& group : by_shape(units, options.solving.limits, options.threads)) {
        const UnitList trees = group.trees();
        TreeQuestions questions(trees, options, limit);
        const PartitionOptions partition = questions.partition_options(options.progress);
        const FirstCells first = first_cells(trees, partition);
        std::vector<Cell> mine;
        for (const Cell& cell : first.cells) {
            if (cell.size() < 2) continue;
            ++report.cells;
            if (is_mine(shard, trees, cell)) mine.push_back(cell);
        }
        std::size_t known = 0;
        for (const CellOutcome& outcome : settled_cells(trees, mine, partition, &known)) {
            for (const Cell& one : outcome.classes) report.trees += one.size();
            report.classes += outcome.classes.size();
            report.questions += outcome.questions;
            report.open += outcome.open.size();
            report.interrupted = report.interrupted || outcome.interrupted;
        }
        report.units += group.units.size();
        report.mine += mine.size();
        report.known += known;
        report.interrupted = report.interrupted || first.interrupted;
    }
    report.seconds = seconds_since(start);
    return report;
}

} // namespace discern
