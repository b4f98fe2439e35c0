// Cells of units with equal results on many vectors, settled one by one, and put together. See partition.hpp.
#include "partition.hpp"

#include "models/evaluate.hpp"
#include "models/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace discern {

namespace {

// Vectors that challenge what cells have to say of terms, all cells together: a fifth of a second. Each cell has some.
constexpr std::uint64_t challenging_all = 65'536;

/// The outcomes of all cells as one partition.
class Whole {
  public:
    Whole(const UnitList& units, const PartitionOptions& options, FirstCells first)
        : units_(units), options_(options), cells_(std::move(first.cells)), any_(std::move(first.any)) {
        out_.pool = std::move(first.pool);
        out_.interrupted = first.interrupted;
    }

    Partition run() {
        gather(settled_cells(units_, cells_, options_, &out_.known));
        drop_separated();
        ask_across();
        return finished();
    }

  private:
    using Question = std::pair<std::size_t, std::size_t>; ///< of units

    void gather(std::vector<CellOutcome> outcomes) {
        merged_into_.resize(units_.size);
        for (CellOutcome& outcome : outcomes) {
            for (const auto& [one, other] : outcome.open)
                open_.insert(std::minmax(outcome.classes[one].front(), outcome.classes[other].front()));
            for (const Cell& list : outcome.undecided) {
                Cell& units = undecided_.emplace_back();
                for (const std::size_t c : list) units.push_back(outcome.classes[c].front());
            }
            for (std::size_t c = 0; c < outcome.classes.size(); ++c) {
                const Cell& same = outcome.classes[c];
                for (const std::size_t unit : same) merged_into_[unit] = same.front();
                roots_.push_back(same.front());
                grounds_[same.front()] = outcome.grounds.at(c);
            }
            std::move(outcome.vectors.begin(), outcome.vectors.end(), std::back_inserter(out_.pool));
            out_.add_work(outcome);
        }
    }

    /// Pairs that are open in one cell may be distinguished by a vector of another.
    void drop_separated() {
        std::map<std::size_t, Evaluator> evaluators;
        const auto result = [&](std::size_t unit, const Vector& v) {
            auto known = evaluators.find(unit);
            if (known == evaluators.end()) known = evaluators.emplace(unit, Evaluator(units_[unit])).first;
            return counted_result(format(known->second.unit().d), any_[unit], known->second(v.inputs()));
        };
        std::erase_if(open_, [&](const Question& pair) {
            return std::ranges::any_of(
                out_.pool, [&](const Vector& v) { return result(pair.first, v) != result(pair.second, v); });
        });
    }

    // Units with nan=any are compared with the others only here, since that relation is not transitive: two NaN that
    // differ both equal any NaN.
    void ask_across() {
        const auto any = std::count(any_.begin(), any_.end(), true);
        if (any == 0 || any == static_cast<std::ptrdiff_t>(units_.size)) return;
        for (bool again = true; again;) {
            again = false;
            across_ = pairs_across();
            for (const Question& pair : across_) {
                if (equal_across_.contains(pair) || unknown_.contains(pair)) continue;
                const Verdict verdict = ask(pair);
                again = again || verdict == Verdict::different;
                if (again) break; // the witness may separate other pairs too
            }
        }
    }

    Verdict ask(const Question& pair) {
        out_.interrupted = out_.interrupted || options_.cells.limit.reached();
        if (out_.interrupted) return Verdict::unknown;
        const Answer answer = options_.cells.ask(pair.first, std::vector{pair.second});
        ++out_.questions;
        if (answer.verdict == Verdict::equivalent) {
            ++out_.proofs;
            out_.challenged += answer.challenged;
            out_.by.insert(answer.by);
            equal_across_[pair] = answer.ground;
        }
        if (answer.verdict == Verdict::unknown && !options_.cells.limit.reached()) unknown_.insert(pair);
        if (answer.verdict == Verdict::different) {
            out_.pool.push_back(answer.witnesses.at(0));
            out_.pool.back().clear_results();
        }
        return answer.verdict;
    }

    /// Pairs of a unit with nan=any and one without that have the same results on the whole pool.
    std::vector<Question> pairs_across() const {
        std::map<std::vector<std::uint64_t>, std::array<Cell, 2>> same;
        for (const std::size_t unit : roots_) {
            const Evaluator evaluate(units_[unit]);
            std::vector<std::uint64_t> row; // the same as far as the pool goes, whatever the NaN
            for (const Vector& v : out_.pool)
                row.push_back(counted_result(format(evaluate.unit().d), true, evaluate(v.inputs())));
            same[std::move(row)][any_[unit] ? 1 : 0].push_back(unit);
        }
        std::vector<Question> pairs;
        for (const auto& [row, units] : same)
            for (const std::size_t exact : units[0])
                for (const std::size_t any : units[1]) pairs.emplace_back(std::minmax(exact, any));
        std::ranges::sort(pairs);
        return pairs;
    }

    Partition finished() {
        // A class with nan=any that equals exactly one class without joins it.
        std::map<std::size_t, std::vector<std::size_t>> partners;
        for (const auto& [pair, ground] : equal_across_) {
            const auto& [one, other] = pair;
            partners[any_[one] ? one : other].push_back(any_[one] ? other : one);
        }
        for (const auto& [any, exact] : partners)
            if (exact.size() == 1) {
                merged_into_[any] = exact.front();
                grounds_[exact.front()] = weakest(weakest(grounds_[exact.front()], grounds_[any]),
                                                  equal_across_.at(std::minmax(any, exact.front())));
            }
        std::map<std::size_t, std::size_t> class_of; // by the unit that stands for the class
        out_.class_of.resize(units_.size);
        for (std::size_t unit = 0; unit < units_.size; ++unit) {
            const auto [at, is_new] = class_of.try_emplace(root(unit), class_of.size());
            if (is_new) {
                out_.representative.push_back(root(unit));
                out_.grounds.push_back(grounds_[root(unit)]);
            }
            out_.class_of[unit] = at->second;
        }
        for (const auto& [one, other] : open_) add(out_.open, one, other);
        for (const Cell& units : undecided_) {
            std::vector<std::size_t>& list = out_.undecided.emplace_back();
            for (const std::size_t unit : units) list.push_back(out_.class_of[unit]);
            std::ranges::sort(list);
        }
        for (const auto& pair : across_)
            add(equal_across_.contains(pair) ? out_.equal : out_.open, pair.first, pair.second);
        for (auto* pairs : {&out_.open, &out_.equal}) {
            std::sort(pairs->begin(), pairs->end());
            pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
        }
        std::map<ClassPair, Ground> equal;
        for (const auto& [pair, ground] : equal_across_) {
            Ground& of_classes = equal[std::minmax(out_.class_of[pair.first], out_.class_of[pair.second])];
            of_classes = weakest(of_classes, ground);
        }
        for (const ClassPair& pair : out_.equal) out_.grounds_of_equal.push_back(equal.at(pair));
        return std::move(out_);
    }

    std::size_t root(std::size_t unit) const {
        while (merged_into_[unit] != unit) unit = merged_into_[unit];
        return unit;
    }

    void add(std::vector<ClassPair>& pairs, std::size_t one, std::size_t other) const {
        const std::size_t c1 = out_.class_of[one], c2 = out_.class_of[other];
        if (c1 != c2) pairs.emplace_back(std::minmax(c1, c2));
    }

    const UnitList& units_;
    const PartitionOptions& options_;
    std::vector<Cell> cells_;
    std::vector<bool> any_;                ///< of each unit
    std::vector<std::size_t> merged_into_; ///< of a unit that is proved equal to another, that one; else itself
    std::vector<std::size_t> roots_;       ///< units that are merged into none of their cell
    std::vector<Question> across_;         ///< see pairs_across
    std::set<Question> open_, unknown_;
    std::vector<Cell> undecided_; ///< of units, each pair of which is open
    std::map<Question, Ground> equal_across_;
    std::map<std::size_t, Ground> grounds_; ///< of roots: why what is merged into them is equal
    Partition out_;
};

} // namespace

std::vector<CellOutcome> settled_cells(const UnitList& units, std::span<const Cell> cells,
                                       const PartitionOptions& options, std::size_t* known) {
    std::vector<CellOutcome> outcomes(cells.size());
    // The largest first, so that no thread is left with one at the end.
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [&](std::size_t one, std::size_t other) { return cells[one].size() > cells[other].size(); });
    const std::uint64_t asked =
        options.part_of > 0 ? options.part_of
                            : static_cast<std::uint64_t>(std::count_if(
                                  cells.begin(), cells.end(), [](const Cell& cell) { return cell.size() > 1; }));
    CellOptions each = options.cells;
    each.challenging =
        std::clamp(challenging_all / std::max<std::uint64_t>(asked, 1), fewest_challenging, most_challenging);
    std::atomic<std::size_t> found = 0;
    std::mutex mutex;
    const auto settle = [&](std::size_t at) {
        const Cell& cell = cells[at];
        if (cell.size() == 1) {
            outcomes[at].classes = {cell};
            outcomes[at].grounds = {{}};
            outcomes[at].terms = 1;
            return;
        }
        if (options.known)
            if (auto outcome = options.known(cell, each.challenging)) {
                outcomes[at] = std::move(*outcome);
                ++found;
                return;
            }
        outcomes[at] = settled_cell(units, cell, each);
        if (options.keep && !outcomes[at].interrupted) options.keep(cell, outcomes[at]);
    };
    for_each_index(options.threads, order.size(), [&](std::size_t i) {
        settle(order[i]);
        if (i % 16 != 0 || !options.progress) return;
        const std::lock_guard lock(mutex);
        options.progress("cell " + std::to_string(i + 1) + " of " + std::to_string(order.size()));
    });
    if (known != nullptr) *known = found;
    return outcomes;
}

Partition partition(const UnitList& units, const PartitionOptions& options) {
    if (units.size == 0) throw std::logic_error("partition: there is no unit");
    return partition(units, options, first_cells(units, options));
}

Partition partition(const UnitList& units, const PartitionOptions& options, FirstCells first) {
    return Whole(units, options, std::move(first)).run();
}

} // namespace discern
