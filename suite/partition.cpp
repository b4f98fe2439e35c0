// Cells of units with equal results on all vectors so far, refined until nothing is left to ask. See partition.hpp.
#include "partition.hpp"

#include "cell_vectors.hpp"

#include "solver/decide/decide.hpp"
#include "solver/decide/random_search.hpp"

#include "models/batch.hpp"
#include "models/evaluate.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace discern {

namespace {

// Vectors in succession that split a cell no further before a solver is asked, divided by K: some 10 ms for two units.
constexpr std::uint64_t fruitless_products = 400'000;
// Units of a cell from whose point of view vectors are drawn; of all units, before cells are looked at one by one.
constexpr std::size_t points_of_view = 4, first_points_of_view = 64;
// Vectors in succession that split no cell before cells are looked at one by one, and units that are run on them.
constexpr std::uint64_t first_fruitless = 200, first_results = 20'000'000;

// Vectors that are run at once on units that none has told apart for long; units of which kernels are kept.
constexpr std::size_t batch = 256, most_batches = 64;

class Refinement {
  public:
    Refinement(std::span<const Unit> units, const PartitionOptions& options)
        : units_(units), options_(options), d_(format(units.front().d)) {
        Cell exact, any;
        for (std::size_t i = 0; i < units.size(); ++i) {
            evaluators_.emplace_back(units[i]);
            any_.push_back(units[i].nan.kind == NanRule::Kind::any);
            (any_.back() ? any : exact).push_back(i);
            merged_into_.push_back(i);
        }
        folded_.resize(units.size());
        for (Cell* cell : {&exact, &any})
            if (!cell->empty()) cells_.push_back(std::move(*cell));
    }

    Partition run() {
        search_all();
        for (std::size_t at = 0; at < cells_.size() && !stopped(); ++at) {
            if (at % 64 == 0) say("terms, " + std::to_string(cells_.size()) + " classes");
            if (cells_[at].size() > 1) fold(at);
        }
        for (const Cell& cell : cells_) out_.terms += cell.size();
        search();
        ask();
        ask_across();
        return finished();
    }

  private:
    using Cell = std::vector<std::size_t>; ///< units, ascending; those proved equal to another have left it
    using Question = std::pair<std::size_t, std::size_t>;

    void say(const std::string& what) const {
        if (options_.progress) options_.progress(what);
    }

    bool stopped() { return out_.interrupted = out_.interrupted || options_.limit.reached(); }

    std::uint64_t label(std::size_t unit, const Inputs& inputs) const {
        return counted_result(d_, any_[unit], evaluators_[unit](inputs));
    }

    // ---- random vectors

    bool splits(const Cell& cell, const Inputs& inputs) const {
        return std::any_of(cell.begin() + 1, cell.end(), [&, first = label(cell.front(), inputs)](std::size_t unit) {
            return label(unit, inputs) != first;
        });
    }

    /// Splits a cell by one vector; the first part stays in place, the others go to `more`.
    bool split(Cell& cell, const Inputs& inputs, std::vector<Cell>& more) {
        labels_.clear();
        for (const std::size_t unit : cell) labels_.push_back(label(unit, inputs));
        if (std::all_of(labels_.begin(), labels_.end(), [this](auto l) { return l == labels_.front(); })) return false;
        // Parts in the order of the units: nothing depends on a hash.
        std::unordered_map<std::uint64_t, std::size_t> part_of;
        std::vector<Cell> parts;
        for (std::size_t i = 0; i < cell.size(); ++i) {
            const auto [at, is_new] = part_of.try_emplace(labels_[i], parts.size());
            if (is_new) parts.emplace_back();
            parts[at->second].push_back(cell[i]);
        }
        cell = std::move(parts.front());
        for (std::size_t i = 1; i < parts.size(); ++i) more.push_back(std::move(parts[i]));
        return true;
    }

    void search() {
        // Cells are appended while they are split, and each is searched until it is no longer.
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            if (at % 64 == 0) say("random vectors, " + std::to_string(cells_.size()) + " classes");
            if (!search(at)) return;
        }
    }

    /// Vectors for all cells at once: most of what differs needs no more.
    void search_all() {
        std::vector<const Unit*> views(std::min(first_points_of_view, units_.size()));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = &units_[i * units_.size() / views.size()];
        InputMixture mixture(views, options_.seed);
        InputBuffer buffer;
        std::uint64_t in_vain = 0;
        for (std::uint64_t i = 0; in_vain < first_fruitless && i * units_.size() < first_results; ++i, ++in_vain) {
            if (i % 256 == 0) {
                say("random vectors, " + std::to_string(cells_.size()) + " classes");
                if (stopped()) return;
            }
            mixture.next(buffer);
            if (allowed(buffer.inputs()) && refine(vector_of(shape_of(units_.front()), buffer.inputs()))) in_vain = 0;
        }
    }

    bool search(std::size_t at) {
        const auto K = static_cast<std::uint64_t>(units_.front().K);
        const std::uint64_t most = std::max<std::uint64_t>(fruitless_products / K, 1000);
        std::uint64_t in_vain = 0;
        while (cells_[at].size() > 1 && in_vain < most) {
            const std::size_t size = cells_[at].size();
            CellVectors vectors(points_of_view_of(cells_[at]), options_.seed + 1000003 * pool_size());
            std::deque<Vector> ahead; // not yet looked at
            std::size_t wanted = 1;   // at once: the more, the longer none has split the cell
            // As long as the cell shrinks fast its points of view are drawn anew.
            while (in_vain < most && 2 * cells_[at].size() > size) {
                if (stopped()) return false;
                while (ahead.size() < std::min<std::uint64_t>(wanted, most - in_vain)) ahead.push_back(vectors.next());
                const std::size_t fruitless = first_that_splits(cells_[at], ahead);
                in_vain += fruitless;
                ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(fruitless));
                wanted = std::min<std::size_t>(2 * wanted, batch);
                if (ahead.empty()) continue;
                refine(std::move(ahead.front())); // what splits one cell often splits others
                ahead.pop_front();
                in_vain = 1;
                wanted = 1;
                if (cells_[at].size() < 2) break;
            }
        }
        return true;
    }

    /// How many of the vectors come before the first that is allowed and on which the units of the cell differ.
    std::size_t first_that_splits(const Cell& cell, const std::deque<Vector>& vectors) {
        std::vector<Inputs> inputs;
        std::vector<std::size_t> numbers;
        for (std::size_t n = 0; n < vectors.size(); ++n) {
            if (!allowed(vectors[n].inputs())) continue;
            inputs.push_back(vectors[n].inputs());
            numbers.push_back(n);
        }
        if (inputs.size() < 16 || cell.size() > most_batches) { // not worth the kernels
            for (std::size_t n = 0; n < inputs.size(); ++n)
                if (splits(cell, inputs[n])) return numbers[n];
            return vectors.size();
        }
        std::size_t first = inputs.size();
        std::vector<std::uint64_t> of_front(inputs.size()), of_unit(inputs.size());
        for (const std::size_t unit : cell) {
            const bool is_front = unit == cell.front();
            auto& d = is_front ? of_front : of_unit;
            batch_of(unit)(inputs, d);
            for (std::size_t n = 0; n < first; ++n) {
                d[n] = counted_result(d_, any_[unit], d[n]);
                if (!is_front && d[n] != of_front[n]) first = n;
            }
        }
        return first == inputs.size() ? vectors.size() : numbers[first];
    }

    /// Kept for the units of the cell that is searched.
    BatchEvaluator& batch_of(std::size_t unit) {
        if (batches_.size() > most_batches) batches_.clear();
        const auto [at, is_new] = batches_.try_emplace(unit, units_[unit]);
        return at->second;
    }

    std::vector<const Unit*> points_of_view_of(const Cell& cell) const {
        const std::size_t views = std::min(points_of_view, cell.size());
        std::vector<const Unit*> units;
        for (std::size_t view = 0; view < views; ++view) units.push_back(&units_[cell[view * cell.size() / views]]);
        return units;
    }

    std::uint64_t pool_size() const { return out_.pool.size(); }

    bool allowed(const Inputs& inputs) const {
        return options_.inputs.none() || allows(options_.inputs, units_.front(), inputs);
    }

    // ---- questions

    Verdict question(std::size_t one, const Cell& others) {
        if (stopped()) return Verdict::unknown;
        say("question " + std::to_string(out_.questions + 1) + ", " + std::to_string(cells_.size()) + " classes");
        const Answer answer = options_.ask(one, others);
        ++out_.questions;
        if (answer.verdict == Verdict::equivalent) {
            ++out_.proofs;
            out_.by.insert(answer.by);
        }
        if (answer.verdict == Verdict::unknown && !stopped() && others.size() == 1)
            unknown_.insert({one, others.front()});
        if (answer.verdict == Verdict::different && !refine(answer.witnesses.at(0)))
            out_.pool.push_back(answer.witnesses.at(0)); // it separates units of different cells (ask_across)
        return answer.verdict;
    }

    /// A vector, whoever found it, is good for all cells; false if it splits none.
    bool refine(Vector vector) {
        vector.d.clear();
        vector.d_is_list = false;
        std::vector<Cell> more;
        for (Cell& cell : cells_)
            if (cell.size() > 1) split(cell, vector.inputs(), more);
        if (more.empty()) return false;
        for (Cell& cell : more) cells_.push_back(std::move(cell));
        out_.pool.push_back(std::move(vector));
        return true;
    }

    void ask() {
        for (std::size_t at = 0; at < cells_.size(); ++at)
            while (!ask(at)) {
            }
    }

    void leave(std::size_t at, std::size_t unit, std::size_t same) {
        merged_into_[unit] = same;
        auto& left = cells_[at];
        left.erase(std::find(left.begin(), left.end(), unit));
    }

    /// Units of the cell that are one term become one.
    void fold(std::size_t at) {
        const Cell cell = cells_[at];
        if (std::all_of(cell.begin(), cell.end(), [this](std::size_t unit) { return folded_[unit]; })) return;
        std::vector<const Unit*> units;
        for (const std::size_t unit : cell) units.push_back(&units_[unit]);
        std::map<std::size_t, std::size_t> first; // by term
        const FoldedTerms terms = folded_terms(units);
        for (std::size_t i = 0; i < cell.size(); ++i) {
            folded_[cell[i]] = true;
            const auto [same, is_new] = first.try_emplace(terms.number[i], cell[i]);
            if (is_new) continue;
            leave(at, cell[i], same->second);
            out_.by.insert(terms.by);
        }
    }

    /// False if the cell was split, and is to be looked at again.
    bool ask(std::size_t at) {
        if (cells_[at].size() > 1) fold(at);
        Cell rest = cells_[at];
        while (rest.size() > 1) {
            const std::size_t representative = rest.front();
            rest.erase(rest.begin());
            Cell others;
            for (const std::size_t unit : rest)
                if (!unknown_.contains({representative, unit})) others.push_back(unit);
            if (!others.empty() && !ask(at, representative, others)) return false;
            std::erase_if(rest, [this](std::size_t unit) { return merged_into_[unit] != unit; });
        }
        return true;
    }

    /// All others at once, or by halves. False if the cell was split.
    bool ask(std::size_t at, std::size_t representative, const Cell& others) {
        const Verdict verdict = question(representative, others);
        if (verdict == Verdict::different) return false;
        if (verdict == Verdict::equivalent) {
            for (const std::size_t unit : others) leave(at, unit, representative);
            return true;
        }
        if (others.size() == 1 || stopped()) return true;
        const auto half = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
        return ask(at, representative, {others.begin(), half}) && ask(at, representative, {half, others.end()});
    }

    // Units with nan=any are compared with the others only here, since that relation is not transitive: two NaN that
    // differ both equal any NaN.
    void ask_across() {
        if (std::find(any_.begin(), any_.end(), true) == any_.end()) return;
        if (std::find(any_.begin(), any_.end(), false) == any_.end()) return;
        for (bool again = true; again;) {
            again = false;
            for (const auto& [one, other] : pairs_across()) {
                if (equal_across_.contains({one, other})) continue;
                if (unknown_.contains({one, other})) continue;
                const Verdict verdict = question(one, {other});
                if (verdict == Verdict::equivalent) equal_across_.insert({one, other});
                if (verdict == Verdict::different) {
                    again = true; // the witness may separate other pairs too
                    break;
                }
            }
        }
    }

    /// Pairs of a unit with nan=any and one without that have the same results on the whole pool.
    std::vector<Question> pairs_across() const {
        std::map<std::vector<std::uint64_t>, std::array<Cell, 2>> same;
        for (const Cell& cell : cells_)
            for (const std::size_t unit : cell) {
                std::vector<std::uint64_t> row;
                for (const Vector& v : out_.pool)
                    row.push_back(counted_result(d_, true, evaluators_[unit](v.inputs())));
                same[std::move(row)][any_[unit] ? 1 : 0].push_back(unit);
            }
        std::vector<Question> pairs;
        for (const auto& [row, units] : same)
            for (const std::size_t exact : units[0])
                for (const std::size_t any : units[1]) pairs.emplace_back(std::minmax(exact, any));
        std::sort(pairs.begin(), pairs.end());
        return pairs;
    }

    // ---- the result

    Partition finished() {
        // A class with nan=any that equals exactly one class without joins it.
        std::map<std::size_t, std::vector<std::size_t>> partners;
        for (const auto& [one, other] : equal_across_) {
            partners[any_[one] ? one : other].push_back(any_[one] ? other : one);
        }
        for (const auto& [any, exact] : partners)
            if (exact.size() == 1) merged_into_[any] = exact.front();
        std::map<std::size_t, std::size_t> class_of; // by the unit that stands for the class
        out_.class_of.resize(units_.size());
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            const auto [at, is_new] = class_of.try_emplace(root(unit), class_of.size());
            if (is_new) out_.representative.push_back(root(unit));
            out_.class_of[unit] = at->second;
        }
        for (const Cell& cell : cells_)
            for (std::size_t i = 0; i < cell.size(); ++i)
                for (std::size_t j = i + 1; j < cell.size(); ++j) add(out_.open, cell[i], cell[j]);
        if (const bool mixed = std::find(any_.begin(), any_.end(), !any_.front()) != any_.end(); mixed)
            for (const auto& [one, other] : pairs_across())
                add(equal_across_.contains({one, other}) ? out_.equal : out_.open, one, other);
        for (auto* pairs : {&out_.open, &out_.equal}) {
            std::sort(pairs->begin(), pairs->end());
            pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
        }
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

    std::span<const Unit> units_;
    const PartitionOptions& options_;
    const Format& d_;
    std::vector<Evaluator> evaluators_;
    std::map<std::size_t, BatchEvaluator> batches_; ///< of some units
    std::vector<bool> any_;
    std::vector<Cell> cells_;
    std::vector<bool> folded_;             ///< whether a unit is no term of another of its cell
    std::vector<std::size_t> merged_into_; ///< of a unit that is proved equal to another, that one; else itself
    std::set<Question> unknown_, equal_across_;
    std::vector<std::uint64_t> labels_;
    Partition out_;
};

} // namespace

std::uint64_t counted_result(const Format& d, bool any, std::uint64_t result) {
    if (!any || !d.has_nan()) return result;
    return decode(d, result).number_class == NumberClass::nan ? quiet_nan(d) : result;
}

Partition partition(std::span<const Unit> units, const PartitionOptions& options) {
    if (units.empty()) throw std::logic_error("partition: there is no unit");
    for (const Unit& unit : units) require_comparable(units.front(), unit);
    return Refinement(units, options).run();
}

} // namespace discern
