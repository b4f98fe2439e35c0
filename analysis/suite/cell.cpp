// A cell is split by equal terms first, then by random vectors, and at last by questions to a solver.
#include "cell.hpp"

#include "solver/question/input_limits.hpp"

#include "models/batch.hpp"
#include "models/evaluate.hpp"
#include "models/stimulus/aimed_vectors.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

namespace discern {

namespace {

// Vectors in succession that split a cell no further before a solver is asked, divided by K: some 10 ms for two units.
constexpr std::uint64_t fruitless_products = 400'000;
// The number of units of a cell for which vectors are made.
constexpr std::size_t views_of_cell = 4;
// Units whose terms are built side by side, and vectors that divide more units than that.
constexpr std::size_t most_folded = 2048, vectors_before_terms = 128;
// Vectors that are run at once when none has distinguished units for long; units of which kernels are kept.
constexpr std::size_t batch = 256, most_batches = 64;
constexpr std::size_t most_in_pairs = 400; ///< classes, of which each two are open, beyond which they are a list

class Work {
  public:
    Work(const UnitList& units, const Cell& cell, const CellOptions& options)
        : units_(units), options_(options), first_(units[cell.front()]), d_(format(first_.d)),
          any_(first_.nan.kind == NanRule::Kind::any), parts_{cell} {
        for (const std::size_t unit : cell) merged_.try_emplace(unit, Cell{unit});
    }

    CellOutcome run() {
        if (!stopped()) fold();
        out_.terms = parts_.front().size();
        // Parts are appended while they are split, and each is searched until it is no longer.
        for (std::size_t at = 0; at < parts_.size() && search(at); ++at) {
        }
        for (std::size_t at = 0; at < parts_.size(); ++at)
            while (!ask(at)) {
            }
        return finished();
    }

  private:
    bool stopped() { return out_.interrupted = out_.interrupted || options_.limit.reached(); }
    bool allowed(const Inputs& inputs) const {
        return options_.inputs.none() || allows(options_.inputs, first_, inputs);
    }
    // Most units of a cell fold to few terms, and need no evaluator.
    std::uint64_t result(std::size_t unit, const Inputs& inputs) const {
        auto known = evaluators_.find(unit);
        if (known == evaluators_.end()) known = evaluators_.emplace(unit, Evaluator(units_[unit])).first;
        return counted_result(d_, any_, known->second(inputs));
    }

    // ---- terms

    /// The unit is the same as another of its part, which it is to leave.
    void merge(std::size_t unit, std::size_t same, const Ground& ground) {
        Cell& into = merged_.at(same);
        Cell& from = merged_.at(unit);
        into.insert(into.end(), from.begin(), from.end());
        from.clear();
        grounds_[same] = weakest(weakest(grounds_[same], grounds_[unit]), ground);
        evaluators_.erase(unit);
    }

    /// All that are one term with a unit. The units of one term share vectors, and all terms share those of the cell.
    void challenge(const std::map<std::size_t, Cell>& merged, const std::string& by) {
        for (const auto& [same, units] : merged) {
            const UnitList others{units.size(), [&units = units, this](std::size_t i) { return units_[units[i]]; }};
            Claim claim = claim_of(units_[same], others, options_.inputs);
            claim.most = std::max<std::uint64_t>(options_.challenging / merged.size(), fewest_challenging);
            out_.challenged += require_unrefuted(claim, by, options_.reports);
        }
    }

    void fold() {
        const Cell part = parts_.front();
        if (part.size() < 2) return;
        Cell first; // of each term
        for (const Cell& some : folded_together(part)) {
            const UnitList list{some.size(), [&](std::size_t i) { return units_[some[i]]; }};
            const FoldedTerms terms = options_.folded ? options_.folded(list) : folded_terms(list);
            const std::size_t before = first.size();
            std::map<std::size_t, Cell> merged; // into each unit
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (before + terms.number[i] == first.size()) {
                    first.push_back(some[i]);
                    continue;
                }
                merged[first[before + terms.number[i]]].push_back(some[i]);
                out_.by.insert(terms.by);
            }
            challenge(merged, terms.by);
            for (const auto& [same, units] : merged)
                for (const std::size_t unit : units) merge(unit, same, by_terms);
        }
        std::ranges::sort(first);
        parts_.front() = std::move(first);
    }

    /// The units of a cell so that those of one term are together. The terms of a large cell would take gigabytes at
    /// once; units that differ on a vector have different terms, so each group with equal results has its own.
    std::vector<Cell> folded_together(const Cell& part) const {
        if (part.size() <= most_folded) return {part};
        const std::vector<Unit> views = points_of_view_of(part);
        AimedVectors made(views, options_.seed);
        std::vector<Vector> vectors;
        while (vectors.size() < vectors_before_terms) vectors.push_back(made.next());
        std::map<std::uint64_t, Cell> alike; // by a hash of the results: of two groups that share one, nothing is lost
        for (const std::size_t unit : part) {
            const Evaluator evaluate(units_[unit]);
            std::uint64_t hash = 0;
            for (const Vector& v : vectors) {
                hash = (hash ^ counted_result(d_, any_, evaluate(v.inputs()))) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 32;
            }
            alike[hash].push_back(unit);
        }
        std::vector<Cell> together(1);
        for (const auto& [hash, units] : alike) {
            if (!together.back().empty() && together.back().size() + units.size() > most_folded)
                together.emplace_back();
            together.back().insert(together.back().end(), units.begin(), units.end());
        }
        return together;
    }

    // ---- vectors

    bool splits(const Cell& part, const Inputs& inputs) const {
        return std::any_of(part.begin() + 1, part.end(), [&, first = result(part.front(), inputs)](std::size_t unit) {
            return result(unit, inputs) != first;
        });
    }

    /// Splits all parts by a vector; false if it splits none.
    bool refine(Vector vector) {
        vector.clear_results();
        std::vector<Cell> more;
        for (Cell& part : parts_) {
            if (part.size() < 2) continue;
            std::vector<std::uint64_t> results;
            for (const std::size_t unit : part) results.push_back(result(unit, vector.inputs()));
            std::vector<Cell> parts = parts_of(part, results);
            part = std::move(parts.front());
            more.insert(more.end(), parts.begin() + 1, parts.end());
        }
        if (more.empty()) return false;
        parts_.insert(parts_.end(), more.begin(), more.end());
        out_.vectors.push_back(std::move(vector));
        return true;
    }

    /// Until many vectors in succession were fruitless. @return false at the limit
    bool search(std::size_t at) {
        const auto K = static_cast<std::uint64_t>(first_.K);
        const std::uint64_t most = std::max<std::uint64_t>(fruitless_products / K, 1000);
        std::uint64_t in_vain = 0;
        while (parts_[at].size() > 1 && in_vain < most) {
            const std::size_t size = parts_[at].size();
            const std::vector<Unit> views = points_of_view_of(parts_[at]);
            AimedVectors vectors(views, options_.seed + 1000003 * out_.vectors.size());
            std::deque<Vector> ahead; // not yet looked at
            std::size_t wanted = 1;   // at once: the more, the longer none has split the part
            // While the part shrinks fast, the units for which vectors are made are chosen anew.
            while (in_vain < most && 2 * parts_[at].size() > size) {
                if (stopped()) return false;
                while (ahead.size() < std::min<std::uint64_t>(wanted, most - in_vain)) ahead.push_back(vectors.next());
                const std::size_t fruitless = first_that_splits(parts_[at], ahead);
                in_vain += fruitless;
                ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(fruitless));
                wanted = std::min<std::size_t>(2 * wanted, batch);
                if (ahead.empty()) continue;
                refine(std::move(ahead.front())); // what splits one part often splits others
                ahead.pop_front();
                in_vain = 1;
                wanted = 1;
                if (parts_[at].size() < 2) break;
            }
        }
        return true;
    }

    /// How many of the vectors come before the first that is allowed and on which the units of the part differ.
    std::size_t first_that_splits(const Cell& part, const std::deque<Vector>& vectors) {
        std::vector<Inputs> inputs;
        std::vector<std::size_t> numbers;
        for (std::size_t n = 0; n < vectors.size(); ++n) {
            if (!allowed(vectors[n].inputs())) continue;
            inputs.push_back(vectors[n].inputs());
            numbers.push_back(n);
        }
        if (inputs.size() < 16 || part.size() > most_batches) { // not worth the kernels
            for (std::size_t n = 0; n < inputs.size(); ++n)
                if (splits(part, inputs[n])) return numbers[n];
            return vectors.size();
        }
        std::size_t first = inputs.size();
        std::vector<std::uint64_t> of_front(inputs.size()), of_unit(inputs.size());
        for (const std::size_t unit : part) {
            const bool is_front = unit == part.front();
            auto& d = is_front ? of_front : of_unit;
            batch_of(unit)(inputs, d);
            for (std::size_t n = 0; n < first; ++n) {
                d[n] = counted_result(d_, any_, d[n]);
                if (!is_front && d[n] != of_front[n]) first = n;
            }
        }
        return first == inputs.size() ? vectors.size() : numbers[first];
    }

    /// Kept for the units of the part that is searched.
    BatchEvaluator& batch_of(std::size_t unit) {
        if (batches_.size() > most_batches) batches_.clear();
        return batches_.try_emplace(unit, units_[unit]).first->second;
    }

    std::vector<Unit> points_of_view_of(const Cell& part) const {
        const std::size_t views = std::min(views_of_cell, part.size());
        std::vector<Unit> units;
        for (std::size_t view = 0; view < views; ++view) units.push_back(units_[part[view * part.size() / views]]);
        return units;
    }

    // ---- questions

    /// False if the part was split, and is to be looked at again.
    bool ask(std::size_t at) {
        Cell rest = parts_[at];
        while (rest.size() > 1 && !stopped()) {
            const std::size_t representative = rest.front();
            rest.erase(rest.begin());
            Cell others;
            for (const std::size_t unit : rest)
                if (!unknown_.contains({representative, unit})) others.push_back(unit);
            if (!others.empty() && !ask(at, representative, others)) return false;
            std::erase_if(rest, [this](std::size_t unit) { return merged_.at(unit).empty(); });
        }
        return true;
    }

    /// All others at once, or by halves. False if the part was split.
    bool ask(std::size_t at, std::size_t representative, const Cell& others) {
        if (stopped()) return true;
        const Answer answer = options_.ask(representative, others);
        ++out_.questions;
        if (answer.verdict == Verdict::different) {
            if (!refine(answer.witnesses.at(0))) throw std::logic_error("a witness tells no units of its cell apart");
            return false;
        }
        if (answer.verdict == Verdict::equivalent) {
            ++out_.proofs;
            out_.challenged += answer.challenged;
            out_.by.insert(answer.by);
            for (const std::size_t unit : others) merge(unit, representative, answer.ground);
            std::erase_if(parts_[at], [this](std::size_t unit) { return merged_.at(unit).empty(); });
            return true;
        }
        if (others.size() == 1) {
            if (!stopped()) unknown_.insert({representative, others.front()});
            return true;
        }
        const auto half = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
        return ask(at, representative, {others.begin(), half}) && ask(at, representative, {half, others.end()});
    }

    CellOutcome finished() {
        for (const Cell& part : parts_) {
            const bool as_list = part.size() > most_in_pairs;
            if (as_list) {
                out_.undecided.emplace_back(part.size());
                std::iota(out_.undecided.back().begin(), out_.undecided.back().end(), out_.classes.size());
            }
            for (std::size_t i = 0; i < part.size(); ++i) {
                for (std::size_t j = 1; !as_list && i + j < part.size(); ++j)
                    out_.open.emplace_back(out_.classes.size(), out_.classes.size() + j);
                out_.classes.push_back(std::move(merged_.at(part[i])));
                out_.grounds.push_back(grounds_[part[i]]);
            }
        }
        return std::move(out_);
    }

    const UnitList& units_;
    const CellOptions& options_;
    const Unit first_;
    const Format& d_;
    bool any_;
    std::vector<Cell> parts_; ///< not distinguished by any vector, without units that were proved equivalent to another
    std::map<std::size_t, Cell> merged_;    ///< of each unit in a part, those that are proved equal to it, itself first
    std::map<std::size_t, Ground> grounds_; ///< why these are equal
    mutable std::unordered_map<std::size_t, Evaluator> evaluators_; ///< of units whose results were asked for
    std::map<std::size_t, BatchEvaluator> batches_;                 ///< of some units
    std::set<std::pair<std::size_t, std::size_t>> unknown_;
    CellOutcome out_;
};

} // namespace

CellOutcome settled_cell(const UnitList& units, const Cell& cell, const CellOptions& options) {
    return Work(units, cell, options).run();
}

std::size_t Settling::open_pairs() const {
    std::size_t pairs = open.size();
    for (const Cell& list : undecided) pairs += list.size() * (list.size() - 1) / 2;
    return pairs;
}

void Settling::add_work(const Settling& other) {
    questions += other.questions;
    proofs += other.proofs;
    terms += other.terms;
    challenged += other.challenged;
    by.insert(other.by.begin(), other.by.end());
    interrupted = interrupted || other.interrupted;
}

std::vector<Cell> parts_of(const Cell& cell, const std::vector<std::uint64_t>& results) {
    std::unordered_map<std::uint64_t, std::size_t> part_of;
    std::vector<Cell> parts;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const auto [at, is_new] = part_of.try_emplace(results[i], parts.size());
        if (is_new) parts.emplace_back();
        parts[at->second].push_back(cell[i]);
    }
    return parts;
}

std::uint64_t counted_result(const Format& d, bool any, std::uint64_t result) {
    if (!any || !d.has_nan()) return result;
    return decode(d, result).number_class == NumberClass::nan ? quiet_nan(d) : result;
}

} // namespace discern
