// A tree of cases, the leaves of which are asked by several threads. A case that is hard is split once more; one that
// cannot be split is asked again in the end, with all the time that is left.
#include "cases.hpp"

#include "solver/decide/sweep/gate_sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace discern::rtl {

namespace {

using Kind = Quantity::Kind;

/// Parts of a distance (Quantity::starts) that stay together in a case of three numbers.
constexpr std::size_t parts_together = 2;

struct Node {
    Case bounds;
    bool is_last = false; ///< it cannot be split any more
    bool is_hard = false; ///< it was asked, or what it is a part of, without an answer
};

class Cases {
  public:
    Cases(const DesignQuestion& question, const std::vector<CutPoint>& cuts, const CasesOptions& options,
          const Limit& limit)
        : question_(question), cuts_(cuts), options_(options), quantities_(quantities_of(question.unit)),
          limit_(limit) {
        waiting_.push_back({});
    }

    CasesResult run() {
        {
            std::vector<std::jthread> workers;
            for (unsigned i = 1; i < options_.threads; ++i) workers.emplace_back([this] { work(); });
            work();
        }
        if (failure_) std::rethrow_exception(failure_);
        if (result_.outcome == Outcome::sat) return std::move(result_);
        for (const Node& node : waiting_) result_.open.push_back(text(quantities_, node.bounds));
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
        DesignCircuit circuit(question_, Reading::reference, cuts_);
        Terms& t = circuit.terms;
        const Term is_case = is_of(t, question_.unit, circuit.inputs, quantities_, node.bounds);
        DesignPatterns patterns(circuit, question_.unit, options_.seed + 7);
        Steering steering(question_.unit, quantities_, node.bounds, options_.seed + 9);
        const GateSweepResult result =
            sweep_gates({t,
                         circuit.d1,
                         circuit.design.d,
                         t.bvand(is_case, circuit.differ),
                         t.bvand(is_case, circuit.assume),
                         circuit.variables(),
                         [&] { return patterns.next([&](InputBuffer& inputs) { steering(inputs); }); },
                         options_.seed,
                         Layout::chained,
                         {},
                         work_of(node)},
                        limit_);
        if (result.outcome == Outcome::unknown && !node.is_last && !limit_.reached()) {
            Node hard = node;
            hard.is_hard = true;
            split(std::move(hard));
            return;
        }
        const std::scoped_lock lock(mutex_);
        if (result.outcome == Outcome::sat && result_.outcome != Outcome::sat) {
            result_.outcome = Outcome::sat;
            result_.solution = found_from(circuit, result.solution);
            result_.facts = t.facts();
        }
        if (result.outcome == Outcome::unknown) result_.open.push_back(text(quantities_, node.bounds));
        if (result.outcome != Outcome::unsat) return;
        ++result_.proved;
        result_.facts.insert(t.facts().begin(), t.facts().end());
        if (options_.progress) options_.progress(result_.proved, waiting_.size() + busy_ - 1);
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
    /// in the middle of its parts; then leading zeros of factors and signs; then distances in the middle.
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
                const Split next{i, bound.low == 0 ? 1 : bound.low + (bound.high - bound.low + 1) / 2};
                // Of a factor that is subnormal all of them, before the next factor.
                if (!leading || bound.low > 0) leading = next;
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
        return kind == Kind::special || kind == Kind::zero || (kind == Kind::leading && bound.low > 0) ||
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

    const DesignQuestion& question_;
    const std::vector<CutPoint>& cuts_;
    const CasesOptions& options_;
    const std::vector<Quantity> quantities_;
    /// Whether three numbers are added.
    const bool has_three_ = std::count_if(quantities_.begin(), quantities_.end(),
                                          [](const Quantity& q) { return q.kind == Kind::distance; }) > 1;
    const Limit& limit_;
    std::mutex mutex_; // of all below
    std::condition_variable changed_;
    std::deque<Node> waiting_;
    std::size_t busy_ = 0;
    CasesResult result_;
    std::exception_ptr failure_;
};

} // namespace

CasesResult ask_by_cases(const DesignQuestion& question, const std::vector<CutPoint>& cuts, const CasesOptions& options,
                         const Limit& limit) {
    return Cases(question, cuts, options, limit).run();
}

} // namespace discern::rtl
