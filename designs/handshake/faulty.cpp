// Edges are left out as in delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input",
// 2002): parts of half the run, of a quarter, … and single ones; 32 candidates are run at once.
#include "faulty.hpp"

#include "stepper.hpp"

#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern::rtl {

namespace {

/// Up to 32 of them.
std::vector<Simulated> simulate_some(Stepper& stepper, std::span<const HandshakeRun> runs, int width) {
    std::vector<Simulated> all(runs.size());
    std::size_t longest = 0;
    for (const HandshakeRun& run : runs) longest = std::max(longest, run.offers.size());
    stepper.reset();
    for (std::size_t edge = 0; edge < longest; ++edge) {
        Lanes valid = 0, ready = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (edge >= runs[i].offers.size()) continue;
            stepper.set_operands(both(Lanes{1} << i), runs[i].operands[edge].inputs());
            if (runs[i].offers[edge].valid) valid |= both(Lanes{1} << i);
            if (runs[i].offers[edge].ready) ready |= both(Lanes{1} << i);
        }
        stepper.set_offers(valid, ready);
        stepper.evaluate();
        const auto digit = [&](Lanes word, std::size_t i) {
            const bool one = ((word >> i) & 1u) != 0, other = ((word >> (i + pairs)) & 1u) != 0;
            return one != other ? 'x' : one ? '1' : '0';
        };
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (edge >= runs[i].offers.size()) continue;
            std::string text = {digit(stepper.ready_in(), i), digit(stepper.valid_out(), i)};
            const std::uint64_t d = stepper.d(i), differs = d ^ stepper.d(i + pairs);
            for (int bit = width; bit-- > 0;)
                text += ((differs >> bit) & 1u) != 0 ? 'x' : ((d >> bit) & 1u) != 0 ? '1' : '0';
            all[i].d.push_back(std::move(text));
        }
        stepper.edge();
    }
    for (Simulated& one : all) one.by = "the netlist";
    return all;
}

/// The runs that a stepper judges.
class Judge {
  public:
    explicit Judge(const DesignQuestion& question) : question_(question), stepper_(question, 1) {}

    std::vector<Replayed> operator()(std::span<const HandshakeRun> runs) {
        std::vector<Replayed> all;
        for (const Simulated& one : outputs(runs)) all.push_back(judge(question_, runs[all.size()], one));
        return all;
    }
    std::vector<Simulated> outputs(std::span<const HandshakeRun> runs) {
        std::vector<Simulated> all;
        for (std::size_t i = 0; i < runs.size(); i += pairs)
            for (Simulated& one : simulate_some(stepper_, runs.subspan(i, std::min(pairs, runs.size() - i)),
                                                format(question_.unit.d).width))
                all.push_back(std::move(one));
        return all;
    }

  private:
    const DesignQuestion& question_;
    Stepper stepper_;
};

void cut(HandshakeRun& run, const Replayed& replayed) {
    if (replayed.fault == Fault::stuck) return;
    run.offers.resize(replayed.edge + 1);
    run.operands.resize(replayed.edge + 1);
}

/// The run without some of its edges.
HandshakeRun without(const HandshakeRun& run, std::size_t first, std::size_t count) {
    HandshakeRun shorter = run;
    const auto erase = [&](auto& list) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
                   list.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    erase(shorter.offers);
    erase(shorter.operands);
    return shorter;
}

} // namespace

std::vector<Simulated> simulate_netlist(const DesignQuestion& question, std::span<const HandshakeRun> runs) {
    return Judge(question).outputs(runs);
}

HandshakeRun shortened(const DesignQuestion& question, HandshakeRun run, const Limit& limit) {
    Judge judge(question);
    const auto is_wrong = [](const Replayed& r) { return r.fault && r.undefined.empty(); };
    /// The first candidate that is wrong, too, becomes the run.
    const auto take_one = [&](const std::vector<HandshakeRun>& candidates) {
        for (std::size_t i = 0; i < candidates.size() && !limit.reached(); i += pairs) {
            const auto some = std::span(candidates).subspan(i, std::min(pairs, candidates.size() - i));
            const std::vector<Replayed> judged = judge(some);
            const auto found = std::ranges::find_if(judged, is_wrong);
            if (found == judged.end()) continue;
            run = some[static_cast<std::size_t>(found - judged.begin())];
            cut(run, *found);
            return true;
        }
        return false;
    };
    if (!take_one({run})) return run;
    for (std::size_t part = std::max<std::size_t>(run.offers.size() / 2, 1); part > 0; part /= 2)
        for (bool again = true; again;) {
            std::vector<HandshakeRun> candidates;
            const std::size_t end = run.offers.size() - std::min(run.waits, run.offers.size());
            for (std::size_t first = 0; first < end && run.offers.size() > part; first += part)
                candidates.push_back(without(run, first, std::min(part, end - first)));
            again = take_one(candidates);
        }
    for (bool again = true; again;) {
        std::vector<HandshakeRun> candidates;
        for (std::size_t i = 0; i + run.waits < run.offers.size(); ++i) {
            if (!run.offers[i].valid) continue;
            candidates.push_back(run);
            candidates.back().offers[i].valid = false;
        }
        again = take_one(candidates);
    }
    return run;
}

std::string digits(const Offers& offers, bool Offer::*which) {
    std::string text;
    for (const Offer& offer : offers) text += offer.*which ? '1' : '0';
    return text;
}

std::string in_words(const Offers& offers) {
    return sentence("with operands offered ", digits(offers, &Offer::valid), " and results taken ",
                    digits(offers, &Offer::ready), " at the edges from the reset on");
}

void show(Answer& answer, const DesignQuestion& question, HandshakeRun run, const Replayed& replayed,
          const std::string& by) {
    run.offers.resize(replayed.edge + 1);
    run.operands.resize(replayed.edge + 1);
    const Evaluator unit(question.unit);
    const auto with_result = [&](Vector v) {
        v.d = {evaluate_exactly(question.unit, v.inputs())};
        if (v.d.front() != unit(v.inputs()))
            throw std::logic_error("the models of the unit contradict each other on a vector of a handshake");
        v.d_is_list = true;
        return v;
    };
    answer.verdict = Verdict::different;
    answer.same_tree = false;
    answer.by = sentence(by, ", replayed by ", replayed.by);
    answer.missing.clear();
    answer.witnesses.clear();
    answer.sequence.clear();
    for (const std::size_t i : replayed.taken) answer.sequence.push_back(with_result(run.operands[i]));
    std::size_t shown = replayed.operation;
    if (replayed.fault == Fault::wrong) answer.sequence.at(shown).d.push_back(*replayed.d);
    const bool is_of_one = *replayed.fault == Fault::late || *replayed.fault == Fault::wrong;
    const std::string number = is_of_one ? sentence(" (operation ", shown + 1, ")") : "";
    // A result without operands: what is on the ports at that edge stands for them.
    if (shown >= answer.sequence.size()) {
        if (answer.sequence.empty()) answer.sequence.push_back(with_result(run.operands[replayed.edge]));
        shown = answer.sequence.size() - 1;
    }
    answer.witnesses.push_back(answer.sequence[shown]);
    answer.stalls = {.wrong = sentence(what(*replayed.fault), number, " after ", counted(replayed.edge, "edge")),
                     .valid = digits(run.offers, &Offer::valid),
                     .ready = digits(run.offers, &Offer::ready),
                     .operands = run.operands};
}

} // namespace discern::rtl
