#include "prover.hpp"

#include <algorithm>

namespace discern::certificate {

Prover::Prover(std::size_t variables, ProofLog& log) : log_(log) { grow(variables); }

void Prover::grow(std::size_t variables) {
    watches_.resize(2 * variables + 2);
    for (auto* list : {&values_, &phases_, &found_}) list->resize(variables + 1);
    levels_.resize(variables + 1);
    reasons_.resize(variables + 1, none);
    positions_.resize(variables + 1);
    units_.resize(variables + 1);
    activity_.resize(variables + 1);
    may_branch_.resize(variables + 1);
    seen_.resize(variables + 1);
}

void Prover::drop(Index index) {
    clauses_[index].forgotten = true;
    clauses_[index].literals = {};
}

Prover::Index Prover::store(std::vector<std::int32_t> literals, ClauseId id, bool learned) {
    const auto index = static_cast<Index>(clauses_.size());
    if (literals.size() > 1)
        for (std::size_t i = 0; i < 2; ++i) watches_[slot(literals[i])].push_back(index);
    clauses_.push_back({std::move(literals), id});
    if (learned) recent_.push_back(index);
    return index;
}

void Prover::add(std::span<const std::int32_t> clause, ClauseId id) {
    back_to(0);
    if (refuted_ != 0) return;
    std::vector<std::int32_t> literals(clause.begin(), clause.end());
    // Those that are not false first: they are watched.
    std::stable_partition(literals.begin(), literals.end(), [this](std::int32_t x) { return value(x) >= 0; });
    if (of_clause_.size() <= id) of_clause_.resize(id + 1, none);
    const Index index = store(literals, id, false);
    of_clause_[id] = index;
    const auto open = std::count_if(literals.begin(), literals.end(), [this](std::int32_t x) { return value(x) >= 0; });
    if (open == 0) learn(index);
    if (open == 1 && value(literals.front()) == 0) make_true(literals.front(), index);
}

void Prover::forget(std::span<const ClauseId> ids) {
    for (const ClauseId id : ids)
        if (id < of_clause_.size() && of_clause_[id] != none) drop(of_clause_[id]);
}

void Prover::make_true(std::int32_t x, Index reason) {
    const std::uint32_t v = variable(x);
    values_[v] = x > 0 ? 1 : -1;
    levels_[v] = level();
    reasons_[v] = reason;
    positions_[v] = static_cast<std::uint32_t>(trail_.size());
    trail_.push_back(x);
    if (level() > 0) return;
    // For good: its unit clause becomes a step of the proof.
    const Clause& why = clauses_[reason];
    if (why.literals.size() == 1) {
        units_[v] = why.id;
        return;
    }
    hints_.clear();
    for (const std::int32_t y : why.literals)
        if (y != x) resolve(-y);
    units_[v] = derived(std::span(&x, 1), why.id);
}

Prover::Index Prover::propagate() {
    while (propagated_ < trail_.size()) {
        const std::int32_t dead = -trail_[propagated_++];
        std::vector<Index>& list = watches_[slot(dead)];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Index index = list[i];
            if (clauses_[index].forgotten) continue;
            std::vector<std::int32_t>& literals = clauses_[index].literals;
            if (literals[0] == dead) std::swap(literals[0], literals[1]);
            list[kept++] = index;
            if (value(literals[0]) > 0) continue;
            const auto other =
                std::find_if(literals.begin() + 2, literals.end(), [this](std::int32_t x) { return value(x) >= 0; });
            if (other != literals.end()) {
                std::swap(literals[1], *other);
                watches_[slot(literals[1])].push_back(index);
                --kept;
                continue;
            }
            if (value(literals[0]) == 0) {
                make_true(literals[0], index);
                continue;
            }
            for (++i; i < list.size(); ++i) list[kept++] = list[i];
            list.resize(kept);
            return index;
        }
        list.resize(kept);
    }
    return none;
}

void Prover::back_to(int to) {
    if (level() <= to) return;
    const std::size_t begin = level_begins_[static_cast<std::size_t>(to)];
    for (std::size_t i = trail_.size(); i-- > begin;) {
        const std::uint32_t v = variable(trail_[i]);
        phases_[v] = values_[v];
        values_[v] = 0;
        if (may_branch_[v]) order_.emplace(activity_[v], v);
    }
    trail_.resize(begin);
    level_begins_.resize(static_cast<std::size_t>(to));
    propagated_ = begin;
}

void Prover::bump(std::uint32_t v) {
    activity_[v] += activity_step_;
    if (activity_[v] > 1e100) {
        for (double& x : activity_) x *= 1e-100;
        activity_step_ *= 1e-100;
    }
    if (may_branch_[v] && values_[v] == 0) order_.emplace(activity_[v], v);
}

std::int32_t Prover::branch() {
    while (!order_.empty()) {
        const std::uint32_t v = order_.top().second;
        order_.pop();
        if (values_[v] == 0 && may_branch_[v]) {
            const auto x = static_cast<std::int32_t>(v);
            return phases_[v] > 0 ? x : -x;
        }
    }
    return 0;
}

void Prover::resolve(std::int32_t x) {
    const std::uint32_t v = variable(x);
    if (levels_[v] == 0)
        hints_.emplace_back(positions_[v], units_[v]);
    else
        hints_.emplace_back(positions_[v], clauses_[reasons_[v]].id);
}

ClauseId Prover::derived(std::span<const std::int32_t> clause, std::optional<ClauseId> last) {
    for (const std::uint32_t v : seen_list_) seen_[v] = false;
    seen_list_.clear();
    std::sort(hints_.begin(), hints_.end());
    hints_.erase(std::unique(hints_.begin(), hints_.end()), hints_.end());
    std::vector<ClauseId> ids;
    for (const auto& [position, id] : hints_) ids.push_back(id);
    if (last) ids.push_back(*last);
    return log_.add(clause, ids);
}

void Prover::learn(Index conflict) {
    hints_.clear();
    learned_.assign(1, 0); // its first literal comes last
    int open = 0;          // literals of this level still to be resolved
    const auto look_at = [&](const Clause& clause, std::int32_t except) {
        for (const std::int32_t x : clause.literals) {
            const std::uint32_t v = variable(x);
            if (x == except || seen_[v]) continue;
            seen_[v] = true;
            seen_list_.push_back(v);
            if (levels_[v] == 0) {
                resolve(-x);
                continue;
            }
            bump(v);
            if (levels_[v] == level())
                ++open;
            else
                learned_.push_back(x);
        }
    };
    look_at(clauses_[conflict], 0);
    const ClauseId last = clauses_[conflict].id;
    if (level() == 0) {
        refuted_ = derived({}, last);
        return;
    }
    for (std::size_t i = trail_.size(); i-- > 0;) {
        const std::int32_t x = trail_[i];
        if (!seen_[variable(x)] || levels_[variable(x)] != level()) continue;
        if (--open == 0) {
            learned_.front() = -x;
            break;
        }
        resolve(x);
        look_at(clauses_[reasons_[variable(x)]], x);
    }
    // A literal that others imply is left out.
    const auto implied = [&](std::int32_t x) {
        const Index reason = reasons_[variable(x)];
        if (reason == none) return false;
        const auto& literals = clauses_[reason].literals;
        return std::all_of(literals.begin(), literals.end(), [&](std::int32_t y) {
            const std::uint32_t v = variable(y);
            return y == -x || levels_[v] == 0 ||
                   (seen_[v] && std::find(learned_.begin(), learned_.end(), y) != learned_.end());
        });
    };
    std::vector<std::int32_t> shorter = {learned_.front()};
    for (std::size_t i = 1; i < learned_.size(); ++i) {
        if (!implied(learned_[i])) {
            shorter.push_back(learned_[i]);
            continue;
        }
        resolve(-learned_[i]);
        for (const std::int32_t y : clauses_[reasons_[variable(learned_[i])]].literals)
            if (levels_[variable(y)] == 0) resolve(-y);
    }

    const ClauseId id = derived(shorter, last);
    int back = 0;
    for (std::size_t i = 1; i < shorter.size(); ++i)
        if (levels_[variable(shorter[i])] > back) {
            back = levels_[variable(shorter[i])];
            std::swap(shorter[1], shorter[i]);
        }
    const std::int32_t asserted = shorter.front();
    back_to(back);
    const Index index = store(std::move(shorter), id, true);
    make_true(asserted, index);
    activity_step_ *= 1.05;
}

void Prover::explain(std::int32_t assumption, Result& result) {
    hints_.clear();
    result.lemma = {-assumption};
    const auto look_at = [&](const Clause& clause, std::int32_t except) {
        for (const std::int32_t x : clause.literals) {
            if (x == except || seen_[variable(x)]) continue;
            seen_[variable(x)] = true;
            seen_list_.push_back(variable(x));
            if (levels_[variable(x)] == 0) resolve(-x);
        }
    };
    const std::uint32_t first = variable(assumption);
    if (levels_[first] == 0) {
        hints_.emplace_back(0, units_[first]);
    } else {
        seen_[first] = true;
        seen_list_.push_back(first);
        for (std::size_t i = trail_.size(); i-- > level_begins_[0];) {
            const std::int32_t x = trail_[i];
            if (!seen_[variable(x)]) continue;
            if (reasons_[variable(x)] == none) {
                if (x != -assumption) result.lemma.push_back(-x);
                continue;
            }
            resolve(x);
            look_at(clauses_[reasons_[variable(x)]], x);
        }
    }
    result.id = derived(result.lemma, std::nullopt);
}

void Prover::forget_long_ones() {
    if (recent_.size() < 5000) return;
    for (const Index index : recent_)
        if (clauses_[index].literals.size() > 4) drop(index);
    recent_.clear();
}

Prover::Result Prover::solve(std::span<const std::int32_t> assumptions, std::span<const std::uint32_t> branches,
                             int conflicts) {
    back_to(0);
    Result result{Answer::open, {}, 0};
    std::vector<std::pair<double, std::uint32_t>> ordered;
    for (const std::uint32_t v : branches) {
        may_branch_[v] = true;
        ordered.emplace_back(activity_[v], v);
    }
    order_ = decltype(order_)({}, std::move(ordered));
    for (;;) {
        const Index conflict = refuted_ != 0 ? none : propagate();
        if (conflict != none) {
            learn(conflict);
            if (refuted_ == 0 && --conflicts < 0) break;
            if (refuted_ == 0) continue;
        }
        if (refuted_ != 0) {
            result = {Answer::impossible, {}, refuted_};
            break;
        }
        std::int32_t next = 0;
        while (next == 0 && level() < static_cast<int>(assumptions.size())) {
            const std::int32_t x = assumptions[static_cast<std::size_t>(level())];
            if (value(x) < 0) {
                explain(x, result);
                result.answer = Answer::impossible;
                break;
            }
            if (value(x) == 0) next = x;
            if (value(x) > 0) level_begins_.push_back(trail_.size());
        }
        if (result.answer == Answer::impossible) break;
        if (next == 0) next = branch();
        if (next == 0) {
            result.answer = Answer::possible;
            found_ = values_;
            break;
        }
        level_begins_.push_back(trail_.size());
        make_true(next, none);
    }
    back_to(0);
    for (const std::uint32_t v : branches) may_branch_[v] = false;
    forget_long_ones();
    return result;
}

} // namespace discern::certificate
