// Breadth first, so that what is found wrong is wrong after as few edges as possible.
#include "handshake.hpp"

#include "patterns.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace discern::rtl {

const char* what(Fault fault) {
    return fault == Fault::no_operands ? "a result comes for which there were no operands"
           : fault == Fault::late      ? "a result is lost, or late"
           : fault == Fault::stuck     ? "operands are never taken again, though they are offered and results are taken"
                                       : "a result is wrong";
}

std::optional<Fault> Scoreboard::edge(Offer offer, bool ready_in, bool valid_out) {
    took_operands_ = offer.valid && ready_in;
    took_result_ = valid_out && offer.ready;
    std::size_t older = left_.size();
    if (took_operands_) left_.push_back(cycles_ + static_cast<int>(older));
    if (took_result_) {
        if (left_.empty()) return Fault::no_operands;
        left_.erase(left_.begin());
        if (older > 0) --older;
    }
    if (!offer.ready) return std::nullopt;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        if (i < older) --left_[i];
        if (left_[i] <= 0) return Fault::late;
    }
    return std::nullopt;
}

namespace {

constexpr std::size_t most_states = 20'000;
constexpr std::size_t least_waits = 16, most_waits = 256; ///< edges shown at which no operands are taken any more
constexpr int slot_of_others = 1'000'000;                 ///< names what is on the ports and of no operation

/// The nets of the ports of a handshake; none: it is always 1.
std::vector<Net> nets_of_port(const Design& design, const std::string& port) {
    return port.empty() ? std::vector<Net>{net::one} : design.find(port)->bits;
}

std::vector<Term> operands_of(const InputTerms& inputs) {
    std::vector<Term> all;
    for (const auto* row : {&inputs.a, &inputs.b, &inputs.sa, &inputs.sb})
        all.insert(all.end(), row->begin(), row->end());
    if (inputs.c) all.push_back(*inputs.c);
    return all;
}

using Renaming = std::unordered_map<std::uint32_t, Term>;

void rename(Renaming& renaming, const InputTerms& from, const InputTerms& to) {
    const std::vector<Term> one = operands_of(from), other = operands_of(to);
    for (std::size_t i = 0; i < one.size(); ++i) renaming.emplace(one[i].id, other[i]);
}

class Exploring {
  public:
    Exploring(Terms& t, const DesignQuestion& question, const InputTerms& inputs, const Limit& limit)
        : t_(t), q_(question), inputs_(inputs), limit_(limit),
          machine_(t, question.design, question.connection, observed_nets(question.design, question.connection),
                   "handshake"),
          valid_out_(nets_of_port(question.design, question.connection.handshake->valid_out)),
          ready_in_(nets_of_port(question.design, question.connection.handshake->ready_in)),
          result_nets_(result_nets(question.design, question.connection)) {}

    Explored run() {
        machine_.reset();
        State first;
        first.registers = forgotten({});
        add(std::move(first));
        find_latency();
        for (std::size_t i = 0; i < states_.size() && found_.missing.empty(); ++i) {
            if (states_.size() > most_states || limit_.reached()) return done(false, states_[i].depth);
            for (const bool valid : {true, false})
                for (const bool ready : {true, false}) {
                    if (!ready && q_.connection.handshake->ready_out.empty()) continue;
                    look(i, {valid, ready});
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
        std::size_t onward = 0; ///< the state after an edge at which operands are offered and results taken …
        bool takes = false;     ///< … and whether it takes operands
    };
    struct Step {
        bool ready_in = false, valid_out = false;
        Term d;
    };

    Explored done(bool complete, int edges) {
        found_.complete = complete;
        found_.edges = edges;
        found_.states = states_.size();
        return std::move(found_);
    }

    const InputTerms& slot(int i) {
        const auto found = slots_.find(i);
        return found != slots_.end() ? found->second : slots_.emplace(i, numbered(t_, inputs_, i)).first->second;
    }

    /// Nothing: it depends on something.
    std::optional<Step> step(const State& state, Offer offer) {
        std::size_t i = 0;
        for (const std::size_t r : machine_.registers()) machine_.set_state(r, state.registers[i++]);
        machine_.evaluate({.reset = false, .operands = &inputs_, .valid = offer.valid, .ready = offer.ready});
        Step step;
        for (const auto& [nets, value] : {std::pair(&ready_in_, &step.ready_in), {&valid_out_, &step.valid_out}}) {
            const Term term = machine_.word(*nets);
            if (!t_.is_constant(term)) {
                const auto& ports = *q_.connection.handshake;
                found_.missing = sentence("after ", counted(static_cast<std::size_t>(state.depth), "edge"), " port ",
                                          nets == &ready_in_ ? ports.ready_in : ports.valid_out,
                                          " depends on operands, or on what registers held before the reset; a "
                                          "handshake is decided where it depends on handshakes alone");
                return std::nullopt;
            }
            *value = t_.value(term).bit(0);
        }
        step.d = machine_.word(result_nets_);
        machine_.edge();
        return step;
    }

    /// The first operation after the reset, with nothing that waits.
    void find_latency() {
        State state = states_.front();
        for (int cycle = 0; cycle <= q_.connection.cycles; ++cycle) {
            const auto one = step(state, {true, true});
            if (!one) return;
            if (cycle == 0 && !one->ready_in)
                throw Error(sentence("--ready: port ", excerpt(q_.connection.handshake->ready_in),
                                     " is 0 after the reset, when no operation is on its way; the first edge after a "
                                     "reset must take operands"));
            if (one->valid_out) {
                found_.latency = cycle;
                return;
            }
            std::size_t i = 0;
            for (const std::size_t r : machine_.registers()) state.registers[i++] = machine_.state(r);
        }
    }

    void look(std::size_t from, Offer offer) {
        const State state = states_[from];
        const auto one = step(state, offer);
        if (!one) return;
        Scoreboard board(q_.connection.cycles, state.left);
        const auto fault = board.edge(offer, one->ready_in, one->valid_out);
        if (fault) {
            found_.wrong = {*fault, way(from, offer), 0};
            return;
        }
        const auto before = static_cast<int>(state.left.size());
        if (board.took_result()) note_result(one->d, before > 0, from, offer);
        // What stays is renamed, by the place in which its result comes.
        const int taken = board.took_result() ? 1 : 0;
        Renaming stays;
        for (int k = taken; k < before; ++k) rename(stays, slot(k), slot(k - taken));
        if (board.took_operands() && before - taken >= 0) rename(stays, inputs_, slot(before - taken));
        State next{forgotten(stays), board.left(), from, offer, state.depth + 1};
        const std::size_t onward = add(std::move(next));
        if (offer.valid && offer.ready) {
            states_[from].onward = onward;
            states_[from].takes = board.took_operands();
        }
    }

    /// The first state from which no operands are taken any more, though they are offered and results are taken.
    void find_stuck() {
        std::vector<std::vector<std::size_t>> before(states_.size());
        std::vector<bool> takes(states_.size());
        std::vector<std::size_t> left;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            before[states_[i].onward].push_back(i);
            if (states_[i].takes) left.push_back(i);
        }
        while (!left.empty()) {
            const std::size_t at = left.back();
            left.pop_back();
            if (takes[at]) continue;
            takes[at] = true;
            left.insert(left.end(), before[at].begin(), before[at].end());
        }
        const auto stuck = static_cast<std::size_t>(std::ranges::find(takes, false) - takes.begin());
        if (stuck == takes.size()) return;
        // Up to where a state comes again.
        std::unordered_set<std::size_t> seen;
        std::size_t at = stuck;
        while (seen.size() < most_waits && seen.insert(at).second) at = states_[at].onward;
        Offers offers;
        if (stuck != 0) offers = way(states_[stuck].before, states_[stuck].offer);
        const std::size_t waits = std::max(seen.size(), least_waits);
        offers.insert(offers.end(), waits, Offer{true, true});
        found_.wrong = {Fault::stuck, std::move(offers), waits};
    }

    void note_result(Term d, bool is_of_slot, std::size_t from, Offer offer) {
        if (is_of_slot) {
            Renaming renaming;
            rename(renaming, slot(0), inputs_);
            rename(renaming, inputs_, slot(slot_of_others));
            d = t_.substitute(d, renaming);
        }
        if (seen_results_.insert(d.id).second) found_.results.push_back({d, way(from, offer)});
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
        const auto [known, is_new] = known_.emplace(std::move(key), states_.size());
        if (is_new) states_.push_back(std::move(state));
        return known->second;
    }

    void flatten(Term word, std::vector<Term>& highest_first) const {
        if (t_.op(word) != Op::concat) return highest_first.push_back(word);
        for (const Term part : t_.args(word)) flatten(part, highest_first);
    }

    /// The registers, renamed; parts of them that depend on anything else are anything.
    std::vector<Term> forgotten(Renaming stays) {
        for (; noted_open_ < machine_.open().size(); ++noted_open_)
            if (const Open& open = machine_.open()[noted_open_]; open.kind == Open::Kind::x)
                found_.undefined.insert(open.variable.id);
        std::size_t numbered = 0; // what is undefined, in the order in which it comes
        std::vector<Term> registers;
        for (const std::size_t r : machine_.registers())
            registers.push_back(forgotten(machine_.state(r), r, stays, numbered));
        return registers;
    }

    Term forgotten(Term whole, std::size_t r, Renaming& stays, std::size_t& numbered) {
        std::vector<Term> highest_first;
        flatten(whole, highest_first);
        std::optional<Term> word;
        int low = 0;
        for (std::size_t i = highest_first.size(); i-- > 0;) {
            Term part = highest_first[i];
            const int width = t_.width(part);
            if (!t_.is_constant(part))
                part = stays_whole(part, stays, numbered) ? t_.substitute(part, stays) : anything(r, low, width);
            word = word ? t_.concat(part, *word) : part;
            low += width;
        }
        return *word;
    }

    /// Whether it depends on operations on their way and on x alone. What is x stays, with another number.
    bool stays_whole(Term part, Renaming& stays, std::size_t& numbered) {
        std::vector<Term> new_undefined;
        for (const Term x : t_.cone(std::span(&part, 1))) {
            if (t_.op(x) != Op::variable || stays.contains(x.id)) continue;
            if (!found_.undefined.contains(x.id)) return false;
            new_undefined.push_back(x);
        }
        for (const Term x : new_undefined) stays.emplace(x.id, undefined(numbered++, t_.width(x)));
        return true;
    }

    Term undefined(std::size_t number, int width) {
        const Term term = t_.variable(sentence("handshake x ", number, " of ", width), width);
        found_.undefined.insert(term.id);
        return term;
    }

    Term anything(std::size_t r, int low, int width) {
        const auto key = std::tuple(r, low, width);
        const auto found = anything_.find(key);
        if (found != anything_.end()) return found->second;
        const Term term = machine_.any(width, Open::Kind::state, machine_.name_of_register(r));
        return anything_.emplace(key, term).first->second;
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
    std::map<std::tuple<std::size_t, int, int>, Term> anything_;
    std::unordered_set<std::uint32_t> seen_results_;
    std::size_t noted_open_ = 0; ///< of the machine's open values
    Explored found_;
};

} // namespace

Explored explore(Terms& t, const DesignQuestion& question, const InputTerms& inputs, const Limit& limit) {
    return Exploring(t, question, inputs, limit).run();
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
