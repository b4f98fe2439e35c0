// The shard of a cell depends on the sizes of all cells; a shard settles its cells and keeps the answers in its store.
#include "shard.hpp"

#include "first_phase.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <queue>

namespace discern {

namespace {

constexpr std::size_t weight_of_a_cell = 16; ///< beside its units, in units

} // namespace

std::vector<std::size_t> share(const Shard& shard, std::span<const std::size_t> weights) {
    std::vector<std::size_t> order(weights.size()), mine;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) { return weights[one] > weights[other]; });
    using Load = std::pair<std::uint64_t, std::size_t>; // and whose
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::size_t number = 1; number <= std::min(shard.count, weights.size()); ++number) loads.emplace(0, number);
    for (const std::size_t piece : order) {
        const auto [load, number] = loads.top();
        loads.pop();
        loads.emplace(load + weights[piece], number);
        if (number == shard.index) mine.push_back(piece);
    }
    std::ranges::sort(mine);
    return mine;
}

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

ShardReport work_on(const std::optional<Shard>& shard, const Asked& asked, const SuiteOptions& options) {
    const auto start = Limit::Clock::now();
    const Limit limit = Limit::after(options.timeout, options.solving.stop);
    const FirstPhase phase = first_phase(asked, options, limit);
    ShardReport report;
    report.units = phase.units;
    report.found = phase.found;
    report.cells_seconds = phase.seconds;
    report.interrupted = phase.interrupted();
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
        std::vector<const Cell*> cells; // of more than one tree
        std::vector<std::size_t> weights;
        for (const Cell& cell : phase.cells[g].cells) {
            if (cell.size() < 2) continue;
            cells.push_back(&cell);
            weights.push_back(cell.size() + weight_of_a_cell);
        }
        report.cells += cells.size();
        if (!shard || report.interrupted) continue; // cells that will be others belong to no shard
        std::vector<Cell> mine;
        for (const std::size_t number : share(*shard, weights)) mine.push_back(*cells[number]);
        const UnitList trees = phase.groups[g].trees();
        TreeQuestions questions(trees, options, limit);
        PartitionOptions partition = questions.partition_options(options.progress);
        partition.part_of = cells.size();
        std::size_t known = 0;
        for (const CellOutcome& outcome : settled_cells(trees, mine, partition, &known)) {
            for (const Cell& one : outcome.classes) report.trees += one.size();
            report.classes += outcome.classes.size();
            report.questions += outcome.questions;
            report.open += outcome.open_pairs();
            report.interrupted = report.interrupted || outcome.interrupted;
        }
        report.mine += mine.size();
        report.known += known;
    }
    report.seconds = seconds_since(start);
    return report;
}

} // namespace discern
