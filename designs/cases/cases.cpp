// A tree of cases, the leaves of which are asked by several threads. A case that is hard is split once more; one that
// cannot be split is asked again in the end, with all the time that is left.
#include "cases.hpp"

#include "models/parallel.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace discern::rtl {

namespace {

using Kind = Quantity::Kind;

/// Parts of a distance (Quantity::starts) that stay together in a case of three numbers.
constexpr std::size_t parts_together = 2;

struct Node {
    Case bounds;
    bool is_last = false; ///< it cannot be split any more
    bool is_hard = false; ///< it was asked, or what it is a part of, without an answer
    /// Whether the leading zeros of factors are split, too: all inputs of which a factor is subnormal, of a case that
    /// has an answer without them.
    bool by_leading = false;
    /// Of a case of normal factors alone: the case that was hard, of which it is a part.
    std::optional<Case> whole = {};
    bool was_tried = false; ///< whether that case was asked, and hard as well
};

class Cases {
  public:
    Cases(const Unit& unit, const InputLimits& limits, const CasesOptions& options, const AskCase& ask,
          const Limit& limit)
        : limits_(limits), options_(options), ask_(ask), quantities_(quantities_of(unit)), limit_(limit) {
        waiting_.push_back({});
    }

    SplitResult run() {
        {
            const std::vector<std::jthread> workers = helpers(std::max(options_.threads, 1U) - 1, [this] { work(); });
            work();
        }
        if (failure_) std::rethrow_exception(failure_);
        if (result_.outcome == Outcome::sat) return std::move(result_);
        for (const Node& node : waiting_) result_.open.push_back(in_words(node));
        if (result_.open.empty()) result_.outcome = Outcome::unsat;
        return std::move(result_);
    }

  private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return !waiting_.empty() || busy_ == 0 || is_over(); });
            if (waiting_.empty() || is_over()) break;
            const Node node = waiting_.front();
            waiting_.pop_front();
            ++busy_;
            lock.unlock();
            take(node);
            lock.lock();
            --busy_;
            changed_.notify_all();
        }
        changed_.notify_all();
    }

    /// What is open with it.
    std::string in_words(const Node& node) const { return text(quantities_, node.whole.value_or(node.bounds)); }

    bool is_over() const { return result_.outcome == Outcome::sat || failure_ || limit_.reached(); }

    void take(const Node& node) {
        if (is_coarse(node)) {
            split(node);
            return;
        }
        try {
            ask(node);
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            failure_ = std::current_exception();
        }
    }

    void ask(const Node& node) {
        const Outcome outcome = ask_(node.bounds, work_of(node));
        if (outcome == Outcome::unknown && !node.is_last && !limit_.reached()) {
            after_hard(node);
            return;
        }
        const std::scoped_lock lock(mutex_);
        if (outcome == Outcome::sat) result_.outcome = Outcome::sat;
        if (outcome == Outcome::unknown) result_.open.push_back(in_words(node));
        if (outcome != Outcome::unsat) return;
        ++result_.proved;
        if (node.whole) add_subnormal(node);
        if (options_.progress) options_.progress(result_.proved, waiting_.size() + busy_ - 1);
    }

    /// A design that normalises subnormal factors is hard where the reference circuit multiplies them as they are, and
    /// not where factors are normal: this is asked first, and the others are split by their leading zeros only if it
    /// has an answer. Of other designs that would make many cases of no help.
    void after_hard(const Node& node) {
        Node hard = node;
        hard.is_hard = true;
        if (node.whole) {
            hard.bounds = *std::exchange(hard.whole, std::nullopt);
            hard.was_tried = true;
            const std::scoped_lock lock(mutex_);
            ++leading_failed_;
        } else if (!node.by_leading && !node.was_tried && leads(node)) {
            hard.whole = node.bounds;
            for (std::size_t i = 0; i < quantities_.size(); ++i)
                if (quantities_[i].kind == Kind::leading) hard.bounds.push_back({i, 0, 0});
            const std::scoped_lock lock(mutex_);
            if (leading_failed_ == 0 || leading_helped_ > 0) {
                waiting_.push_front(std::move(hard));
                changed_.notify_all();
                return;
            }
            hard.bounds = *std::exchange(hard.whole, std::nullopt);
        }
        split(std::move(hard));
    }

    /// Whether leading zeros can be split: not of special inputs and zeros.
    bool leads(const Node& node) const {
        return !limits_.no_subnormals && std::any_of(quantities_.begin(), quantities_.end(), [&](const Quantity& q) {
            return q.kind == Kind::leading && !says_nothing(node, q);
        });
    }

    /// What is left of a case after its normal factors: the first, or the second, … factor is subnormal, and those
    /// before it are not.
    void add_subnormal(const Node& normal) {
        ++leading_helped_;
        Node rest{.bounds = *normal.whole, .is_hard = true, .by_leading = true};
        for (std::size_t i = 0; i < quantities_.size(); ++i) {
            if (quantities_[i].kind != Kind::leading) continue;
            waiting_.push_back(part(rest, i, 1, quantities_[i].high));
            rest = part(rest, i, 0, 0);
        }
        changed_.notify_all();
    }

    /// Until a case is split further; one that cannot be split has all the time.
    std::optional<SweepRound> work_of(const Node& node) const {
        if (node.is_last) return std::nullopt;
        return has_three_ && !node.is_hard ? options_.large : options_.small;
    }

    /// A part of a case, in which one quantity is known better.
    static Node part(const Node& node, std::size_t quantity, int low, int high) {
        Node smaller = node;
        const auto known = std::find_if(smaller.bounds.begin(), smaller.bounds.end(),
                                        [&](const Bound& bound) { return bound.quantity == quantity; });
        if (known == smaller.bounds.end())
            smaller.bounds.push_back({quantity, low, high});
        else
            *known = {quantity, low, high};
        return smaller;
    }

    /// Where to split: a quantity, and the first number of the upper part.
    struct Split {
        std::size_t quantity;
        int at;
        std::size_t parts = 0; ///< of a distance in the case (Quantity::starts), if it is split between two of them
    };

    /// Bounds of a quantity in a case.
    Bound bound_of(const Node& node, std::size_t quantity) const {
        for (const Bound& bound : node.bounds)
            if (bound.quantity == quantity) return bound;
        return {quantity, quantities_[quantity].low, quantities_[quantity].high};
    }

    /// First what is special and what is zero, then which exponent is larger; then the distance of which most is open,
    /// in the middle of its parts; then leading zeros, if they matter; then signs; then distances in the middle.
    std::optional<Split> where(const Node& node) const {
        std::optional<Split> distance, leading, sign, far;
        std::size_t most = 0;
        int widest = 0;
        for (std::size_t i = 0; i < quantities_.size(); ++i) {
            const Quantity& q = quantities_[i];
            const Bound bound = bound_of(node, i);
            if (bound.low == bound.high || says_nothing(node, q)) continue;
            if (q.kind == Kind::special || q.kind == Kind::zero) return Split{i, 1};
            if (q.kind == Kind::opposed) {
                if (!sign) sign = Split{i, 1};
                continue;
            }
            if (q.kind == Kind::leading) {
                const int middle = bound.low + (bound.high - bound.low + 1) / 2;
                if (node.by_leading && !leading) leading = Split{i, bound.low == 0 ? 1 : middle};
                continue;
            }
            if (bound.low < 0 && bound.high >= 0) return Split{i, 0};
            std::vector<int> inside;
            for (const int start : q.starts)
                if (start > bound.low && start <= bound.high) inside.push_back(start);
            if (inside.size() > most) {
                most = inside.size();
                distance = Split{i, inside[inside.size() / 2], inside.size() + 1};
            }
            if (bound.high - bound.low > widest) {
                widest = bound.high - bound.low;
                far = Split{i, bound.low + (widest + 1) / 2};
            }
        }
        if (distance) return distance;
        return leading ? leading : sign ? sign : far;
    }

    /// Whether it is to be split before it is asked. Of three numbers it has to be known which is the largest; of two
    /// their distance, since otherwise little is alike, and the product may be that of long significands. Where three
    /// numbers were hard, their distances are, too: a case with few of them takes less time than those between, of
    /// which most have no answer.
    bool is_coarse(const Node& node) const {
        const std::optional<Split> next = where(node);
        if (!next) return false;
        const Kind kind = quantities_[next->quantity].kind;
        const Bound bound = bound_of(node, next->quantity);
        const std::size_t together = !has_three_ ? 1 : node.is_hard ? parts_together : next->parts;
        return kind == Kind::special || kind == Kind::zero || kind == Kind::leading ||
               (kind == Kind::distance && (next->parts > together || (bound.low < 0 && bound.high >= 0)));
    }

    void split(Node node) {
        const std::optional<Split> next = where(node);
        const std::scoped_lock lock(mutex_);
        if (next) {
            const Bound bound = bound_of(node, next->quantity);
            waiting_.push_back(part(node, next->quantity, bound.low, next->at - 1));
            waiting_.push_back(part(node, next->quantity, next->at, bound.high));
        } else {
            node.is_last = true;
            waiting_.push_back(std::move(node));
        }
        changed_.notify_all();
    }

    /// Special inputs need no further split; of a zero, sign and exponent are no matter.
    bool says_nothing(const Node& node, const Quantity& q) const {
        const auto holds = [&](Kind kind, std::size_t of) {
            return std::any_of(node.bounds.begin(), node.bounds.end(), [&](const Bound& bound) {
                const Quantity& other = quantities_[bound.quantity];
                return other.kind == kind && other.of == of && bound.low == 1;
            });
        };
        if (q.kind == Kind::special) return false;
        if (holds(Kind::special, 0)) return true;
        if (q.kind == Kind::zero) return false;
        if (q.kind == Kind::leading) return holds(Kind::zero, q.of);
        for (std::size_t before = 0; before < q.from; ++before)
            if (!holds(Kind::zero, before)) return true;
        return holds(Kind::zero, q.of) || holds(Kind::zero, q.from);
    }

    const InputLimits& limits_;
    const CasesOptions& options_;
    const AskCase& ask_;
    const std::vector<Quantity> quantities_;
    /// Whether three numbers are added.
    const bool has_three_ = std::count_if(quantities_.begin(), quantities_.end(),
                                          [](const Quantity& q) { return q.kind == Kind::distance; }) > 1;
    const Limit& limit_;
    std::mutex mutex_; // of all below
    std::condition_variable changed_;
    std::deque<Node> waiting_;
    std::size_t busy_ = 0;
    std::size_t leading_helped_ = 0, leading_failed_ = 0; ///< cases with an answer, and without, for normal factors
    SplitResult result_;
    std::exception_ptr failure_;
};

} // namespace

SplitResult split_into_cases(const Unit& unit, const InputLimits& limits, const CasesOptions& options,
                             const AskCase& ask, const Limit& limit) {
    return Cases(unit, limits, options, ask, limit).run();
}

unsigned threads_for_cases(unsigned asked_for) {
    return asked_for != 0 ? asked_for : std::max(1u, std::thread::hardware_concurrency());
}

CasesResult ask_by_cases(const DesignQuestion& question, const std::vector<CutPoint>& cuts, const CasesOptions& options,
                         const Limit& limit) {
    const std::vector<Quantity> quantities = quantities_of(question.operation());
    CasesResult all;
    std::mutex mutex; // of the result
    const auto ask = [&](const Case& one, std::optional<SweepRound> work) {
        DesignCircuit circuit(question, Reading::reference, cuts);
        Terms& t = circuit.terms;
        const Term is_case = is_of(t, question.unit, circuit.inputs, quantities, one);
        DesignPatterns patterns(circuit, question.unit, options.seed + 7);
        Steering steering(question.unit, quantities, one, options.seed + 9);
        const GateSweepResult result =
            sweep_gates({t,
                         circuit.first.d,
                         circuit.design.d,
                         t.bvand(is_case, circuit.differ),
                         t.bvand(is_case, circuit.assume),
                         circuit.variables(),
                         [&] { return patterns.next([&](InputBuffer& inputs) { steering(inputs); }); },
                         options.seed,
                         Layout::chained,
                         {},
                         work},
                        limit);
        const std::scoped_lock lock(mutex);
        if (result.outcome == Outcome::sat && !all.solution) {
            all.solution = found_from(circuit, value_in(result.solution));
            all.facts = t.facts();
        }
        if (result.outcome == Outcome::unsat) all.facts.insert(t.facts().begin(), t.facts().end());
        return result.outcome;
    };
    static_cast<SplitResult&>(all) = split_into_cases(question.operation(), question.limits, options, ask, limit);
    return all;
}

} // namespace discern::rtl
