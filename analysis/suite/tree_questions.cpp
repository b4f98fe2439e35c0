// Members with one tree share one question; its answer is looked up in the store, or asked and kept.
#include "tree_questions.hpp"

#include "models/notation.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <map>

namespace discern {

PartitionOptions TreeQuestions::partition_options(std::function<void(const std::string&)> progress) {
    PartitionOptions partition;
    partition.cells.seed = options_.solving.seed;
    partition.cells.limit = limit_;
    partition.cells.inputs = options_.solving.limits;
    partition.cells.ask = [this](std::size_t one, std::span<const std::size_t> others) { return ask(one, others); };
    partition.threads = options_.threads;
    partition.progress = std::move(progress);
    if (options_.store != nullptr) {
        partition.known = [this](const Cell& cell) { return known(cell); };
        partition.keep = [this](const Cell& cell, const CellOutcome& outcome) { keep(cell, outcome); };
    }
    return partition;
}

Answer TreeQuestions::ask(std::size_t one, std::span<const std::size_t> others) {
    const auto question = [&](std::size_t other) {
        return Question{trees_[one], trees_[other], options_.solving.limits};
    };
    std::vector<std::size_t> asked;
    Answer known;
    known.verdict = Verdict::equivalent;
    for (const std::size_t other : others) {
        const auto answer = options_.store != nullptr ? options_.store->find(question(other)) : std::nullopt;
        if (answer) ++stored_;
        if (answer && answer->verdict == Verdict::different) return *answer;
        if (answer)
            also(known, answer->by, answer->ground);
        else
            asked.push_back(other);
    }
    if (asked.empty()) return known;
    DiscriminateOptions solving = options_.solving;
    solving.count = 1;
    solving.stop = limit_.stop;
    solving.timeout = std::min(solving.timeout, std::max(limit_.seconds_left(), 0.0));
    Answer answer = discriminate(trees_[one], units_of(asked), solving);
    if (options_.store != nullptr && (asked.size() == 1 || answer.verdict == Verdict::equivalent))
        for (const std::size_t other : asked) options_.store->keep(question(other), answer);
    if (answer.verdict == Verdict::equivalent && !known.by.empty()) also(answer, known.by, known.ground);
    return answer;
}

std::vector<const Unit*> TreeQuestions::units_of(std::span<const std::size_t> cell) const {
    std::vector<const Unit*> units;
    for (const std::size_t tree : cell) units.push_back(&trees_[tree]);
    return units;
}

std::optional<CellOutcome> TreeQuestions::known(const Cell& cell) {
    auto answer = options_.store->find(units_of(cell), options_.solving.limits);
    if (!answer) return std::nullopt;
    CellOutcome outcome;
    for (auto& one : answer->classes) {
        for (std::size_t& position : one) position = cell[position];
        outcome.classes.push_back(std::move(one));
    }
    outcome.vectors = std::move(answer->vectors);
    outcome.grounds = std::move(answer->grounds);
    outcome.terms = answer->terms;
    outcome.by = std::move(answer->by);
    return outcome;
}

void TreeQuestions::keep(const Cell& cell, const CellOutcome& outcome) {
    if (!outcome.open.empty()) return; // the next run has more time
    CellAnswer answer{outcome.classes, outcome.grounds, outcome.vectors, outcome.terms, outcome.by};
    for (auto& one : answer.classes)
        for (std::size_t& unit : one)
            unit = static_cast<std::size_t>(std::lower_bound(cell.begin(), cell.end(), unit) - cell.begin());
    options_.store->keep(units_of(cell), options_.solving.limits, answer);
}

Trees trees_of(std::span<const Member> units) {
    Trees trees;
    std::map<std::string, std::size_t> numbers;
    for (const Member& member : units) {
        const auto [at, is_new] = numbers.try_emplace(canonical_text(member.unit), numbers.size());
        if (is_new) trees.trees.push_back(member.unit);
        trees.tree_of.push_back(at->second);
    }
    return trees;
}

std::vector<std::vector<Member>> by_shape(std::span<const Member> units, const InputLimits& limits) {
    std::vector<std::vector<Member>> groups;
    std::map<std::string, std::size_t> numbers;
    for (const Member& member : units) {
        const auto [at, is_new] = numbers.try_emplace(to_string(shape_of(member.unit)), groups.size());
        if (is_new) {
            groups.emplace_back();
            require_operands(limits, member.unit);
        }
        groups[at->second].push_back(member);
    }
    return groups;
}

} // namespace discern
