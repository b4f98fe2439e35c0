// Finds pairs of sums by simulation, proves each with a solver, and replaces one of the two.
#include "lemmas.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace discern::property {

namespace {

constexpr int patterns = 24;
constexpr double seconds_a_lemma = 5;

enum class Relation : std::uint8_t { same, negative };

using Values = std::vector<Bits>; ///< of one term, a pattern after the other

bool related(const Values& x, const Values& y, Relation how) {
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] != (how == Relation::same ? y[i] : bvneg(y[i]))) return false;
    return true;
}

class Lemmas {
  public:
    Lemmas(Terms& t, const LemmaQuestion& question, const Limit& limit) : t_(t), q_(question), limit_(limit) {
        for (int i = 0; i < 40 * patterns && valuations_.size() < patterns; ++i) {
            auto values = q_.pattern();
            if (evaluated(q_.assume, values)) valuations_.push_back(std::move(values));
        }
    }

    Term run(Term root, std::size_t& count) {
        if (valuations_.size() < 4) return root;
        Term second = q_.second;
        std::unordered_set<std::uint32_t> tried;
        while (!limit_.reached()) {
            const auto found = next(second, tried);
            if (!found) break;
            const std::unordered_map<std::uint32_t, Term> with = {{found->first.id, found->second}};
            second = t_.substitute(second, with);
            root = t_.substitute(root, with);
            ++count;
        }
        return root;
    }

  private:
    bool evaluated(Term term, const Valuation& values) {
        TermEvaluator evaluator(t_, {term});
        for (const auto& [variable, value] : values) evaluator.set(variable, value);
        evaluator.run();
        return evaluator.low(term) != 0;
    }

    std::vector<Term> sums_of(Term root) const {
        std::vector<Term> sums;
        const Term roots[] = {root};
        for (const Term term : t_.cone(roots))
            if (t_.op(term) == Op::bvadd && t_.args(term).size() > 2) sums.push_back(term);
        return sums;
    }

    /// The lowest sum of the second circuit that is one of the first and was not tried, with what it is.
    std::optional<std::pair<Term, Term>> next(Term second, std::unordered_set<std::uint32_t>& tried) {
        const std::vector<Term> ours = sums_of(q_.first);
        std::vector<Term> theirs = sums_of(second);
        std::erase_if(theirs,
                      [&](Term sum) { return tried.contains(sum.id) || std::ranges::find(ours, sum) != ours.end(); });
        if (ours.empty() || theirs.empty()) return std::nullopt;
        const auto values = evaluate(q_.first, second, ours, theirs);
        for (const Term sum : theirs) {
            tried.insert(sum.id);
            for (const Term own : ours)
                for (const Relation how : {Relation::same, Relation::negative})
                    if (t_.width(own) == t_.width(sum) && related(values.at(sum.id), values.at(own.id), how) &&
                        operands_match(sum, own, how, values))
                        return std::pair(sum, how == Relation::same ? own : t_.bvneg(own));
            if (limit_.reached()) break;
        }
        return std::nullopt;
    }

    std::unordered_map<std::uint32_t, Values> evaluate(Term first, Term second, const std::vector<Term>& ours,
                                                       const std::vector<Term>& theirs) {
        std::unordered_map<std::uint32_t, Values> values;
        TermEvaluator evaluator(t_, {first, second});
        for (const auto& valuation : valuations_) {
            for (const auto& [variable, value] : valuation) evaluator.set(variable, value);
            evaluator.run();
            std::unordered_set<std::uint32_t> seen;
            const auto keep = [&](Term term) {
                if (seen.insert(term.id).second) values[term.id].push_back(evaluator.value(term));
            };
            for (const auto* sums : {&ours, &theirs})
                for (const Term sum : *sums) {
                    keep(sum);
                    for (const Term operand : t_.args(sum)) keep(operand);
                }
        }
        return values;
    }

    bool operands_match(Term sum, Term own, Relation how, const std::unordered_map<std::uint32_t, Values>& values) {
        const std::vector<Term> theirs(t_.args(sum).begin(), t_.args(sum).end());
        std::vector<Term> left(t_.args(own).begin(), t_.args(own).end());
        if (theirs.size() != left.size()) return false;
        for (const Term operand : theirs) {
            const auto match = std::ranges::find_if(left, [&](Term other) {
                return related(values.at(operand.id), values.at(other.id), how) && is_related(operand, other, how);
            });
            if (match == left.end()) return false;
            left.erase(match);
        }
        return true;
    }

    bool is_related(Term x, Term y, Relation how) {
        const Term differ = t_.bvnot(t_.eq(x, how == Relation::same ? y : t_.bvneg(y)));
        const Limit limit = limit_.within(seconds_a_lemma);
        const auto says_unsat = [&](const BackendKind& kind) {
            const auto backend = kind.make(t_, q_.seed);
            backend->require(differ);
            backend->require(q_.assume);
            return backend->check(limit) == Outcome::unsat;
        };
        return says_unsat(backends().front()) && (q_.second_solver == nullptr || says_unsat(*q_.second_solver));
    }

    Terms& t_;
    const LemmaQuestion& q_;
    const Limit& limit_;
    std::vector<Valuation> valuations_;
};

} // namespace

Term with_equal_sums(Terms& t, const LemmaQuestion& question, Term root, const Limit& limit, std::size_t& count) {
    return Lemmas(t, question, limit).run(root, count);
}

} // namespace discern::property
