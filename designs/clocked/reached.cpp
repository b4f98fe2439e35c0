// Simulates from the reset, guesses invariants of registers, and removes those that induction does not prove.
#include "reached.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/random.hpp"
#include "solver/backend/backend.hpp"

#include <algorithm>
#include <set>

namespace discern::rtl {

namespace {

constexpr std::size_t longest_course = 256; ///< states
constexpr int simulated_runs = 6, simulated_periods = 48;
constexpr int most_rounds = 200; ///< of guessing again

using Registers = std::set<std::size_t>;

int bits_for(std::size_t count) {
    int bits = 0;
    while ((std::size_t{1} << bits) < count) ++bits;
    return bits;
}

class Finding {
  public:
    Finding(const Design& design, const Connection& connection, const Unit& unit, std::uint64_t seed,
            const Limit& limit)
        : design_(design), connection_(connection), unit_(unit), limit_(limit), random_(seed),
          roots_(observed_nets(design, connection)) {}

    Reached run() {
        find_course();
        find_ties();
        return std::move(reached_);
    }

  private:
    /// A machine that was reset, and one at the beginning of an operation and at that of the next.
    struct Step {
        Terms t;
        InputTerms inputs;
        Machine fresh, machine;
        Start begin;
        std::map<std::size_t, Term> after; ///< what registers hold at the next beginning

        Step(Finding& f, const Reached& reached)
            : inputs(input_variables(t, f.unit_)), fresh(t, f.design_, f.connection_, f.roots_, "reset"),
              machine(t, f.design_, f.connection_, f.roots_) {
            fresh.reset();
            begin = start(t, machine, reached);
            const bool hold = f.connection_.hold;
            const int edges = hold ? std::max(1, f.connection_.cycles) : 1;
            for (int i = 0; i < edges; ++i) machine.step({.reset = false, .operands = hold ? &inputs : nullptr});
            for (const std::size_t r : machine.registers()) after[r] = machine.state(r);
        }
        std::vector<Term> roots() const {
            std::vector<Term> all;
            for (const std::size_t r : machine.registers()) {
                all.push_back(after.at(r));
                all.push_back(fresh.state(r));
            }
            return all;
        }
    };

    // ---- registers that count by themselves

    void find_course() {
        const Step step(*this, {});
        std::map<std::uint32_t, std::size_t> register_of;
        for (const auto& [r, variables] : step.begin.variables)
            for (const Term variable : variables) register_of[variable.id] = r;
        std::map<std::size_t, Registers> needs;
        for (const auto& [r, next] : step.after) {
            if (!step.t.is_constant(step.fresh.state(r))) continue;
            Registers of;
            bool alone = true;
            for (const Term x : step.t.cone(std::span(&next, 1))) {
                if (step.t.op(x) != Op::variable) continue;
                const auto found = register_of.find(x.id);
                alone = alone && found != register_of.end();
                if (alone) of.insert(found->second);
            }
            if (alone) needs[r] = std::move(of);
        }
        for (bool removed = true; removed;) {
            removed = false;
            for (auto it = needs.begin(); it != needs.end();) {
                const bool closed =
                    std::all_of(it->second.begin(), it->second.end(), [&](std::size_t r) { return needs.contains(r); });
                removed = removed || !closed;
                it = closed ? std::next(it) : needs.erase(it);
            }
        }
        Registers kept;
        for (const auto& [r, of] : needs) {
            Registers more = kept;
            std::vector<std::size_t> left = {r};
            while (!left.empty()) {
                const std::size_t next = left.back();
                left.pop_back();
                if (more.insert(next).second) left.insert(left.end(), needs[next].begin(), needs[next].end());
            }
            if (more.size() > kept.size() && follow(step, more)) kept = std::move(more);
        }
    }

    /// Sets the course of these registers, if it comes back in time.
    bool follow(const Step& step, const Registers& registers) {
        std::vector<Term> next;
        std::vector<Bits> state;
        for (const std::size_t r : registers) {
            next.push_back(step.after.at(r));
            state.push_back(step.t.value(step.fresh.state(r)));
        }
        TermEvaluator evaluator(step.t, next);
        std::vector<std::vector<Bits>> course;
        while (std::find(course.begin(), course.end(), state) == course.end()) {
            if (course.size() == longest_course || limit_.reached()) return false;
            course.push_back(state);
            std::size_t i = 0;
            for (const std::size_t r : registers) set(evaluator, step.begin.variables.at(r), state[i++]);
            evaluator.run();
            for (i = 0; i < next.size(); ++i) state[i] = evaluator.value(next[i]);
        }
        reached_.timed.assign(registers.begin(), registers.end());
        comes_back_to_ = static_cast<std::size_t>(std::find(course.begin(), course.end(), state) - course.begin());
        reached_.course = std::move(course);
        return true;
    }

    static void set(TermEvaluator& evaluator, const std::vector<Term>& variables, const Bits& value) {
        for (std::size_t i = 0; i < variables.size(); ++i) evaluator.set(variables[i], value.words()[i]);
    }

    // ---- bits of the others

    void find_ties() {
        const Step step(*this, reached_);
        if (step.begin.variables.empty()) return;
        simulate(step);
        for (int round = 0; round < most_rounds && !limit_.reached(); ++round) {
            guess();
            if (reached_.ties.empty()) return;
            const Outcome outcome = refute();
            if (outcome == Outcome::unsat) return; // proved
            if (outcome == Outcome::unknown) break;
        }
        reached_.ties.clear();
    }

    /// Values of a register's bits on which the guess is based.
    void sample(std::size_t r, const Bits& value) {
        for (int i = 0; i < value.width(); ++i) seen_[{r, i}] += value.bit(i) ? '1' : '0';
    }

    void simulate(const Step& step) {
        TermEvaluator evaluator(step.t, step.roots());
        for (int run = 0; run < simulated_runs && !limit_.reached(); ++run) {
            draw(step, evaluator);
            std::map<std::size_t, Bits> state;
            for (const auto& [r, variables] : step.begin.variables)
                state.emplace(r, evaluator.value(step.fresh.state(r)));
            std::size_t at = 0; // in the course
            for (int i = 0; i < simulated_periods && !limit_.reached(); ++i) {
                for (const auto& [r, value] : state) sample(r, value);
                for (const Term variable : step.t.variables()) evaluator.set(variable, random_.bits());
                if (step.begin.selector) evaluator.set(*step.begin.selector, at);
                for (const auto& [r, variables] : step.begin.variables) set(evaluator, variables, state.at(r));
                evaluator.run();
                for (auto& [r, value] : state) value = evaluator.value(step.after.at(r));
                if (++at >= reached_.course.size()) at = comes_back_to_;
            }
        }
    }

    void draw(const Step& step, TermEvaluator& evaluator) {
        for (const Term variable : step.t.variables()) evaluator.set(variable, random_.bits());
        evaluator.run();
    }

    void guess() {
        reached_.ties.clear();
        std::map<std::string, std::pair<Reached::Bit, bool>> first; // with the bit's first value
        for (const auto& [bit, values] : seen_) {
            const bool begin = values.front() == '1';
            if (values.find(begin ? '0' : '1') == std::string::npos) {
                reached_.ties[bit] = {.is_constant = true, .to = {}, .inverted = begin};
                continue;
            }
            std::string normal = values;
            if (begin)
                for (char& c : normal) c = c == '1' ? '0' : '1';
            const auto [found, is_new] = first.try_emplace(normal, bit, begin);
            if (!is_new)
                reached_.ties[bit] = {
                    .is_constant = false, .to = found->second.first, .inverted = found->second.second != begin};
        }
    }

    /// Whether a state in which the ties hold is followed by one in which they do not, or comes after the reset without
    /// them. If so, what was seen grows by it.
    Outcome refute() {
        Step step(*this, reached_);
        Terms& t = step.t;
        Term broken = t.truth(false);
        const auto look = [&](const auto& state) {
            for (const auto& [bit, tie] : reached_.ties) {
                const Term is = t.bit(state(bit.first), bit.second);
                const Term other = tie.is_constant ? t.truth(tie.inverted) : t.bit(state(tie.to.first), tie.to.second);
                const Term as = !tie.is_constant && tie.inverted ? t.bvnot(other) : other;
                broken = t.bvor(broken, t.bvxor(is, as));
            }
        };
        const auto fresh = [&](std::size_t r) { return step.fresh.state(r); };
        const auto after = [&](std::size_t r) { return step.after.at(r); };
        look(fresh);
        look(after);
        if (broken == t.truth(false)) return Outcome::unsat;
        if (backends().empty()) return Outcome::unknown;
        const auto backend = backends().front().make(t, 0);
        backend->require(broken);
        const Outcome outcome = backend->check(limit_);
        if (outcome != Outcome::sat) return outcome;
        TermEvaluator evaluator(t, step.roots());
        for (const Term variable : t.variables()) evaluator.set(variable, backend->value(variable).low());
        evaluator.run();
        for (const auto& [r, variables] : step.begin.variables) {
            sample(r, evaluator.value(fresh(r)));
            sample(r, evaluator.value(after(r)));
        }
        return outcome;
    }

    const Design& design_;
    const Connection& connection_;
    const Unit& unit_;
    const Limit& limit_;
    Random random_;
    std::vector<Net> roots_;
    Reached reached_;
    std::size_t comes_back_to_ = 0; ///< the step of the course that follows the last one
    std::map<Reached::Bit, std::string> seen_;
};

} // namespace

Start start(Terms& t, Machine& machine, const Reached& reached) {
    Start begin;
    const auto why = [&](std::size_t r) {
        return machine.name_of_register(r) + " still counts with what it held before the operands";
    };
    for (const std::size_t r : machine.registers()) {
        if (std::find(reached.timed.begin(), reached.timed.end(), r) != reached.timed.end()) continue;
        const std::size_t before = machine.open().size();
        machine.set_state(r, machine.any(machine.width_of(r), Open::Kind::state, why(r)));
        for (std::size_t i = before; i < machine.open().size(); ++i)
            begin.variables[r].push_back(machine.open()[i].variable);
    }
    std::map<std::size_t, Term> plain;
    for (const auto& [r, variables] : begin.variables) plain[r] = machine.state(r);
    for (const auto& [bit, tie] : reached.ties) {
        const auto& [r, place] = bit;
        const auto found = plain.find(r);
        if (found == plain.end() || (!tie.is_constant && !plain.contains(tie.to.first))) continue;
        Term value = tie.is_constant ? t.truth(tie.inverted) : t.bit(plain.at(tie.to.first), tie.to.second);
        if (!tie.is_constant && tie.inverted) value = t.bvnot(value);
        machine.set_bits(r, place, value);
    }
    for (std::size_t i = 0; i < reached.timed.size(); ++i) {
        const std::size_t r = reached.timed[i];
        if (std::find(machine.registers().begin(), machine.registers().end(), r) == machine.registers().end()) continue;
        if (!begin.selector && reached.course.size() > 1)
            begin.selector = machine.any(bits_for(reached.course.size()), Open::Kind::state, why(r));
        Term value = t.constant(reached.course.back()[i]);
        for (std::size_t k = reached.course.size() - 1; k-- > 0;)
            value = t.ite(t.eq(*begin.selector, t.constant(t.width(*begin.selector), k)),
                          t.constant(reached.course[k][i]), value);
        machine.set_state(r, value);
    }
    return begin;
}

Reached find_reached(const Design& design, const Connection& connection, const Unit& unit, std::uint64_t seed,
                     const Limit& limit) {
    if (!connection.has_reset || connection.once) return {};
    return Finding(design, connection, unit, seed, limit).run();
}

} // namespace discern::rtl
