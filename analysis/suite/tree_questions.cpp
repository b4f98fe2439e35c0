// Members with one tree share one question; its answer is looked up in the store, or asked and kept.
#include "tree_questions.hpp"

#include "models/notation.hpp"
#include "models/parallel.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace discern {

namespace {

/// What is asked of each unit, by several threads.
struct Looked {
    Shape shape;
    std::size_t hash = 0; ///< of its canonical text
};

class Sorting {
  public:
    Sorting(const Members& units, const InputLimits& limits) : units_(units), limits_(limits), tree_of_(units.size()) {}

    /// @param same_as  the first unit with its tree, this one or one that was added before
    void add(std::size_t unit, const Looked& looked, std::size_t same_as) {
        const auto same = [&](const UnitsOfShape& group) { return group.shape == looked.shape; };
        auto group = std::ranges::find_if(groups_, same);
        if (group == groups_.end()) {
            require_operands(limits_, units_.unit(unit));
            groups_.push_back({looked.shape, {}, {}, {}});
            which_.emplace_back();
            group = groups_.end() - 1;
        }
        const auto number = static_cast<std::size_t>(group - groups_.begin());
        tree_of_[unit] = same_as == unit ? group->first.size() : tree_of_[same_as];
        group->tree_of.push_back(tree_of_[unit]);
        if (same_as == unit) group->first.push_back(group->units.size());
        group->units.add(units_, unit);
        which_[number].push_back(unit);
    }
    std::vector<UnitsOfShape> groups() { return std::move(groups_); }
    std::vector<std::vector<std::size_t>> which() { return std::move(which_); }

  private:
    const Members& units_;
    const InputLimits& limits_;
    std::vector<UnitsOfShape> groups_;
    std::vector<std::size_t> tree_of_; ///< in its group
    std::vector<std::vector<std::size_t>> which_;
};

/// For each unit the first one with its tree. Most of a large space may be trees that it has already, whose texts are
/// compared again: those of one hash by one thread, in their order.
std::vector<std::size_t> first_with_tree(const Members& units, const std::vector<Looked>& looked, unsigned threads) {
    constexpr std::size_t parts = 256;
    std::vector<std::vector<std::size_t>> of_part(parts);
    for (std::size_t i = 0; i < looked.size(); ++i) of_part[looked[i].hash % parts].push_back(i);
    std::vector<std::size_t> first(looked.size());
    for_each_index(threads, parts, [&](std::size_t part) {
        std::unordered_multimap<std::size_t, std::size_t> known; // by the hash of the text
        for (const std::size_t i : of_part[part]) {
            const auto [begin, end] = known.equal_range(looked[i].hash);
            const auto same = std::find_if(begin, end, [&](const auto& one) {
                return canonical_text(units.unit(one.second)) == canonical_text(units.unit(i));
            });
            first[i] = same == end ? i : same->second;
            if (same == end) known.emplace(looked[i].hash, i);
        }
    });
    return first;
}

} // namespace

PartitionOptions TreeQuestions::partition_options(std::function<void(const std::string&)> progress) {
    PartitionOptions partition;
    partition.cells.seed = options_.solving.seed;
    partition.cells.limit = limit_;
    partition.cells.inputs = options_.solving.limits;
    partition.cells.reports = options_.solving.reports;
    partition.cells.ask = [this](std::size_t one, std::span<const std::size_t> others) { return ask(one, others); };
    partition.threads = options_.threads;
    partition.progress = std::move(progress);
    if (options_.store != nullptr) {
        partition.known = [this](const Cell& cell, std::uint64_t challenging) { return known(cell, challenging); };
        partition.keep = [this](const Cell& cell, const CellOutcome& outcome) { keep(cell, outcome); };
    }
    return partition;
}

Answer TreeQuestions::ask(std::size_t one, std::span<const std::size_t> others) {
    const Unit first = trees_[one];
    const auto question = [&](std::size_t other) { return Question{first, trees_[other], options_.solving.limits}; };
    std::vector<std::size_t> asked;
    Answer known;
    known.verdict = Verdict::equivalent;
    for (const std::size_t other : others) {
        const auto answer = options_.store != nullptr ? options_.store->find(question(other)) : std::nullopt;
        if (answer) ++stored_;
        if (answer && answer->verdict == Verdict::different) return *answer;
        if (!answer) {
            asked.push_back(other);
            continue;
        }
        also(known, answer->by, answer->ground);
        known.challenged += answer->challenged;
    }
    if (asked.empty()) return known;
    DiscriminateOptions solving = options_.solving;
    solving.count = 1;
    solving.stop = limit_.stop;
    solving.timeout = std::min(solving.timeout, std::max(limit_.seconds_left(), 0.0));
    const std::vector<Unit> units = units_of(asked);
    Answer answer = discriminate(first, each_of(units), solving);
    if (options_.store != nullptr && (asked.size() == 1 || answer.verdict == Verdict::equivalent))
        for (const std::size_t other : asked) options_.store->keep(question(other), answer);
    if (answer.verdict == Verdict::equivalent && !known.by.empty()) also(answer, known.by, known.ground);
    if (answer.verdict == Verdict::equivalent) answer.challenged += known.challenged;
    return answer;
}

std::vector<Unit> TreeQuestions::units_of(std::span<const std::size_t> cell) const {
    std::vector<Unit> units;
    for (const std::size_t tree : cell) units.push_back(trees_[tree]);
    return units;
}

std::optional<CellOutcome> TreeQuestions::known(const Cell& cell, std::uint64_t challenging) {
    const std::vector<Unit> units = units_of(cell);
    auto answer = options_.store->find(each_of(units), options_.solving.limits, challenging);
    if (!answer) return std::nullopt;
    CellOutcome outcome;
    outcome.classes = std::move(answer->classes);
    for (auto& one : outcome.classes)
        for (std::size_t& position : one) position = cell[position];
    outcome.vectors = std::move(answer->vectors);
    outcome.grounds = std::move(answer->grounds);
    outcome.terms = answer->terms;
    outcome.challenged = answer->challenged;
    outcome.by = std::move(answer->by);
    return outcome;
}

void TreeQuestions::keep(const Cell& cell, const CellOutcome& outcome) {
    if (!outcome.settled()) return; // the next run has more time
    CellAnswer answer{outcome.classes, outcome.grounds, outcome.vectors, outcome.terms, outcome.by, 0};
    for (auto& one : answer.classes)
        for (std::size_t& unit : one)
            unit = static_cast<std::size_t>(std::lower_bound(cell.begin(), cell.end(), unit) - cell.begin());
    const std::vector<Unit> units = units_of(cell);
    options_.store->keep(each_of(units), options_.solving.limits, answer);
}

UnitList UnitsOfShape::trees() const {
    return {first.size(), [this](std::size_t tree) { return units.unit(first[tree]); }};
}

std::vector<UnitsOfShape> by_shape(const Members& units, const InputLimits& limits, unsigned threads,
                                   std::vector<std::vector<std::size_t>>* which) {
    constexpr std::size_t together = 256;
    Sorting sorting(units, limits);
    std::vector<Looked> looked(units.size());
    for_each_index(threads, (units.size() + together - 1) / together, [&](std::size_t part) {
        for (std::size_t i = part * together; i < std::min((part + 1) * together, units.size()); ++i) {
            const Unit unit = units.unit(i);
            looked[i] = {shape_of(unit), std::hash<std::string>{}(canonical_text(unit))};
        }
    });
    const std::vector<std::size_t> first = first_with_tree(units, looked, threads);
    for (std::size_t i = 0; i < units.size(); ++i) sorting.add(i, looked[i], first[i]);
    if (which != nullptr) *which = sorting.which();
    return sorting.groups();
}

} // namespace discern
