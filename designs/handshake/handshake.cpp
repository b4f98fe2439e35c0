// Breadth first, so that what is found wrong is wrong after as few edges as possible.
#include "handshake.hpp"

#include "designs/clocked/patterns.hpp"
#include "split_conditions.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_set>

namespace discern::rtl {

namespace {

constexpr std::size_t most_states = 20'000;
constexpr int most_splits = 64;           ///< of one edge, by conditions on operands
constexpr int least_waits = 16;           ///< edges shown at which no operands are taken any more
constexpr int slot_of_others = 1'000'000; ///< names what is on the ports and of no operation

/// The nets of the ports of a handshake; none: it is always 1.
std::vector<Net> nets_of_port(const Design& design, const std::string& port) {
    return port.empty() ? std::vector<Net>{net::one} : design.find(port)->bits;
}

void rename(Renaming& renaming, const InputTerms& from, const InputTerms& to) {
    const std::vector<Term> one = from.all(), other = to.all();
    for (std::size_t i = 0; i < one.size(); ++i) renaming.emplace(one[i].id, other[i]);
}

class Exploring {
  public:
    Exploring(Terms& t, const DesignQuestion& question, const InputTerms& inputs, const Limit& limit, bool splits)
        : t_(t), q_(question), inputs_(inputs), limit_(limit),
          machine_(t, question.design, question.connection, observed_nets(question.design, question.connection),
                   splits ? "split" : "handshake"),
          valid_out_(nets_of_port(question.design, question.connection.handshake->valid_out)),
          ready_in_(nets_of_port(question.design, question.connection.handshake->ready_in)),
          result_nets_(result_nets(question.design, question.connection)), forgotten_(t, machine_),
          conditions_(t, limit) {
        conditions_.note_operands(inputs, t.truth(true)); // which may be anything where they are not taken
        found_.is_split = splits;
    }

    Explored run() {
        machine_.reset();
        State first;
        std::vector<Term> after_reset;
        for (const std::size_t r : machine_.registers()) after_reset.push_back(machine_.state(r));
        first.registers = forgotten_(after_reset, {});
        add(std::move(first));
        find_latency();
        for (std::size_t i = 0; i < states_.size() && found_.missing.empty(); ++i) {
            if (states_.size() > most_states || limit_.reached()) return done(false, states_[i].depth);
            for (const bool valid : {true, false})
                for (const bool ready : {true, false}) {
                    if (!ready && q_.connection.handshake->ready_out.empty()) continue;
                    look(i, {valid, ready});
                    if (is_cut_) return done(false, states_[i].depth);
                    if (found_.wrong) return done(false, states_[i].depth);
                }
        }
        if (found_.missing.empty()) find_stuck();
        return done(found_.missing.empty(), states_.back().depth);
    }

  private:
    struct State {
        std::vector<Term> registers; ///< in the order of the machine's
        std::vector<int> left;       ///< of operations on their way
        std::size_t before = 0;
        Offer offer; ///< that led here from the one before
        int depth = 0;
        std::vector<Term> when = {}; ///< conditions on operations on their way, under which it is this state
        /// The states after an edge at which operands are offered and results taken, and whether it takes operands.
        std::vector<std::pair<std::size_t, bool>> onward = {};
    };
    struct Step {
        Term ready_in, valid_out, d;
        std::vector<Term> registers; ///< after the edge
    };

    Explored done(bool complete, int edges) {
        found_.complete = complete;
        found_.edges = edges;
        found_.states = states_.size();
        found_.undefined = forgotten_.undefined();
        return std::move(found_);
    }

    const InputTerms& slot(int i) {
        const auto found = slots_.find(i);
        if (found != slots_.end()) return found->second;
        const InputTerms& made = slots_.emplace(i, numbered(t_, inputs_, i)).first->second;
        conditions_.note_operands(made, allowed(t_, q_.limits, q_.unit, made));
        return made;
    }

    Step step(const State& state, Offer offer) {
        std::size_t i = 0;
        for (const std::size_t r : machine_.registers()) machine_.set_state(r, state.registers[i++]);
        machine_.evaluate({.reset = false, .operands = &inputs_, .valid = offer.valid, .ready = offer.ready});
        Step step{machine_.word(ready_in_), machine_.word(valid_out_), machine_.word(result_nets_), {}};
        machine_.edge();
        for (const std::size_t r : machine_.registers()) step.registers.push_back(machine_.state(r));
        return step;
    }

    bool is_one(Term port) const { return t_.value(port).bit(0); }

    /// The first operation after the reset, with nothing that waits.
    void find_latency() {
        State state = states_.front();
        for (int cycle = 0; cycle <= q_.connection.cycles; ++cycle) {
            Step one = step(state, {true, true});
            if (!t_.is_constant(one.ready_in) || !t_.is_constant(one.valid_out)) return;
            if (cycle == 0 && !is_one(one.ready_in)) {
                if (!found_.is_split) found_.missing = "operands are not taken at the first edge";
                return;
            }
            if (is_one(one.valid_out)) {
                found_.latency = cycle;
                return;
            }
            state.registers = std::move(one.registers);
        }
    }

    void look(std::size_t from, Offer offer) {
        const State state = states_[from]; // which moves as others come
        branch(from, offer, step(state, offer), state.when, 0);
    }

    /// Splits the operands by conditions until it is known what is valid and what is taken.
    void branch(std::size_t from, Offer offer, const Step& step, const std::vector<Term>& when, int splits) {
        for (const Term port : {step.ready_in, step.valid_out}) {
            if (t_.is_constant(port)) continue;
            const std::optional<Term> condition = conditions_.in(port);
            if (!condition || splits == most_splits) {
                const auto& ports = *q_.connection.handshake;
                found_.missing = sentence("after ", counted(static_cast<std::size_t>(states_[from].depth), "edge"),
                                          " port ", port == step.ready_in ? ports.ready_in : ports.valid_out,
                                          condition ? " depends on too many conditions on operands"
                                                    : " depends on what registers held before the reset, or on x");
                return;
            }
            if (!found_.is_split) {
                found_.missing = "its latency depends on operands";
                return;
            }
            return split(*condition, step, when, [&](const Step& one, const std::vector<Term>& also) {
                branch(from, offer, one, also, splits + 1);
            });
        }
        arrive(from, offer, step, when, splits);
    }

    /// For both values of a condition that it can have, if it can have them.
    template <typename Then>
    void split(Term condition, const Step& step, const std::vector<Term>& when, const Then& then) {
        for (const bool value : {true, false}) {
            // In doubt all can hold, and that doubles with each condition.
            if (is_cut_ = is_cut_ || limit_.reached(); is_cut_) return;
            std::vector<Term> also = when;
            also.push_back(value ? condition : t_.bvnot(condition));
            if (!conditions_.are_possible(also)) continue;
            const Renaming known = {{condition.id, t_.truth(value)}};
            Step one{t_.substitute(step.ready_in, known), t_.substitute(step.valid_out, known), step.d, {}};
            for (const Term r : step.registers) one.registers.push_back(t_.substitute(r, known));
            then(one, also);
            if (found_.wrong || !found_.missing.empty()) return;
        }
    }

    void arrive(std::size_t from, Offer offer, const Step& step, const std::vector<Term>& when, int splits,
                bool is_noted = false) {
        const State state = states_[from];
        Scoreboard board(q_.connection.cycles, state.left);
        const auto fault = board.edge(offer, is_one(step.ready_in), is_one(step.valid_out));
        if (fault) {
            found_.wrong = {*fault, way(from, offer), 0};
            return;
        }
        const auto before = static_cast<int>(state.left.size());
        if (board.took_result() && !is_noted) note_result(step.d, when, before > 0, from, offer);
        // What stays is renamed, by the place in which its result comes.
        const int taken = board.took_result() ? 1 : 0;
        Renaming stays;
        for (int k = taken; k < before; ++k) rename(stays, slot(k), slot(k - taken));
        if (board.took_operands() && before - taken >= 0) rename(stays, inputs_, slot(before - taken));
        if (found_.is_split && splits < most_splits)
            if (const auto condition = conditions_.of_registers(step.registers, stays, forgotten_.undefined()))
                return split(*condition, step, when, [&](const Step& one, const std::vector<Term>& also) {
                    arrive(from, offer, one, also, splits + 1, true);
                });
        State next{{}, board.left(), from, offer, state.depth + 1};
        next.when = renamed(when, stays);
        next.registers = forgotten_(step.registers, stays);
        const std::size_t onward = add(std::move(next));
        if (offer.valid && offer.ready) states_[from].onward.emplace_back(onward, board.took_operands());
    }

    /// Conditions on what stays; of the others nothing is known any more.
    std::vector<Term> renamed(const std::vector<Term>& when, const Renaming& stays) {
        std::vector<Term> kept;
        for (const Term x : when) {
            const std::vector<Term> cone = t_.cone(std::span(&x, 1));
            if (std::ranges::all_of(cone, [&](Term y) { return t_.op(y) != Op::variable || stays.contains(y.id); }))
                kept.push_back(t_.substitute(x, stays));
        }
        std::ranges::sort(kept);
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        return kept;
    }

    /// The first state from which no operands are taken any more, though they are offered and results are taken.
    void find_stuck() {
        std::vector<std::vector<std::size_t>> before(states_.size());
        std::vector<std::size_t> open(states_.size()), left; // ways on that take no operands, as far as is known
        for (std::size_t i = 0; i < states_.size(); ++i) {
            for (const auto& [next, takes] : states_[i].onward)
                if (!takes) {
                    before[next].push_back(i);
                    ++open[i];
                }
            if (open[i] == 0) left.push_back(i);
        }
        while (!left.empty()) {
            const std::size_t at = left.back();
            left.pop_back();
            for (const std::size_t i : before[at])
                if (--open[i] == 0) left.push_back(i);
        }
        const auto is_open = [](std::size_t count) { return count > 0; };
        const auto stuck = static_cast<std::size_t>(std::ranges::find_if(open, is_open) - open.begin());
        if (stuck == open.size()) return;
        // Up to where a state comes again.
        const int cycles = q_.connection.cycles;
        std::unordered_set<std::size_t> seen;
        std::size_t at = stuck;
        while (seen.size() < static_cast<std::size_t>(edges_until_stuck(cycles)) && seen.insert(at).second)
            at = std::ranges::find_if(states_[at].onward, [&](const auto& way) {
                     return !way.second && open[way.first] > 0;
                 })->first;
        Offers offers;
        if (stuck != 0) offers = way(states_[stuck].before, states_[stuck].offer);
        const std::size_t waits =
            std::max(seen.size(), static_cast<std::size_t>(edges_until_stuck(cycles, least_waits)));
        offers.insert(offers.end(), waits, Offer{true, true});
        found_.wrong = {Fault::stuck, std::move(offers), waits};
    }

    void note_result(Term d, std::vector<Term> when, bool is_of_slot, std::size_t from, Offer offer) {
        Renaming own;
        rename(own, is_of_slot ? slot(0) : inputs_, inputs_);
        when = renamed(when, own);
        if (is_of_slot) {
            Renaming renaming = own;
            rename(renaming, inputs_, slot(slot_of_others));
            d = t_.substitute(d, renaming);
        }
        std::vector<std::uint32_t> key = {d.id};
        for (const Term x : when) key.push_back(x.id);
        if (seen_results_.insert(key).second) found_.results.push_back({d, way(from, offer), std::move(when)});
    }

    Offers way(std::size_t state, Offer last) const {
        Offers offers = {last};
        for (std::size_t i = state; i != 0; i = states_[i].before) offers.push_back(states_[i].offer);
        std::ranges::reverse(offers);
        return offers;
    }

    /// @return its index
    std::size_t add(State state) {
        std::vector<std::uint32_t> key;
        for (const Term x : state.registers) key.push_back(x.id);
        for (const int left : state.left) key.push_back(static_cast<std::uint32_t>(left));
        for (const Term x : state.when) key.push_back(x.id);
        const auto [known, is_new] = known_.emplace(std::move(key), states_.size());
        if (is_new) states_.push_back(std::move(state));
        return known->second;
    }

    Terms& t_;
    const DesignQuestion& q_;
    const InputTerms& inputs_; ///< on the ports
    const Limit& limit_;
    Machine machine_;
    std::vector<Net> valid_out_, ready_in_, result_nets_;
    std::map<int, InputTerms> slots_; ///< variables of operations on their way, the oldest first
    std::vector<State> states_;
    std::map<std::vector<std::uint32_t>, std::size_t> known_;
    std::set<std::vector<std::uint32_t>> seen_results_; ///< d, and when
    Forgetting forgotten_;
    SplitConditions conditions_;
    bool is_cut_ = false; ///< the time was over within an edge
    Explored found_;
};

} // namespace

Explored explore(Terms& t, const DesignQuestion& question, const InputTerms& inputs, const Limit& limit) {
    Explored explored = Exploring(t, question, inputs, limit, false).run();
    if (explored.missing.empty()) return explored;
    return Exploring(t, question, inputs, limit, true).run();
}

Followed follow(Terms& t, const DesignQuestion& question, const InputTerms& like, const Offers& offers) {
    Machine machine(t, question.design, question.connection, observed_nets(question.design, question.connection),
                    "followed");
    const auto is_one = [&](const std::string& port) {
        const Term term = machine.word(nets_of_port(question.design, port));
        return t.is_constant(term) && t.value(term).bit(0);
    };
    machine.reset();
    Followed followed;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        followed.operands.push_back(numbered(t, like, static_cast<int>(i)));
        machine.evaluate({.reset = false,
                          .operands = &followed.operands.back(),
                          .valid = offers[i].valid,
                          .ready = offers[i].ready});
        if (offers[i].valid && is_one(question.connection.handshake->ready_in)) followed.taken.push_back(i);
        if (i + 1 == offers.size())
            followed.d = machine.word(result_nets(question.design, question.connection));
        else if (offers[i].ready && is_one(question.connection.handshake->valid_out))
            ++followed.result;
        machine.edge();
    }
    return followed;
}

} // namespace discern::rtl
