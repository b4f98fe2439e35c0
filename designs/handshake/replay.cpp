// The simulator prints the outputs before each edge; what they mean is judged here, and not by its bench.
#include "replay.hpp"

#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"

namespace discern::rtl {

Replayed judge(const DesignQuestion& question, const HandshakeRun& run, const Simulated& outputs) {
    Replayed result;
    result.by = outputs.by;
    const Evaluator unit(question.unit);
    const Handshake& ports = *question.connection.handshake;
    Scoreboard board(question.connection.cycles);
    std::size_t results = 0;
    for (std::size_t i = 0; i < run.offers.size(); ++i) {
        const std::string& digits = outputs.d[i]; // ready of operands, valid of the result, and d
        const auto ready_in = known(digits.substr(0, 1)), valid_out = known(digits.substr(1, 1));
        if (!ready_in || !valid_out) {
            result.undefined = sentence("port ", ready_in ? ports.valid_out : ports.ready_in, " is x after ",
                                        counted(i, "edge"), " from the reset");
            return result;
        }
        result.edge = i;
        result.fault = board.edge(run.offers[i], *ready_in != 0, *valid_out != 0);
        if (board.took_operands()) result.taken.push_back(i);
        result.operation = results;
        if (result.fault == Fault::late) {
            // Of those that wait the first that has no edge left.
            for (std::size_t k = 0; k < board.left().size() && board.left()[k] > 0; ++k) ++result.operation;
            if (board.took_result()) ++result.operation;
        }
        if (result.fault) return result;
        if (!board.took_result()) continue;
        const Vector& v = run.operands[result.taken.at(results)];
        const auto d = known(digits.substr(2));
        if (!d) {
            result.undefined = sentence("the result of operation ", results + 1, " is x");
            return result;
        }
        if (!same_result(question.unit, unit(v.inputs()), *d)) {
            result.fault = Fault::wrong;
            result.d = d;
            return result;
        }
        ++results;
    }
    const std::size_t end = run.offers.size();
    if (run.waits > 0 && (result.taken.empty() || result.taken.back() + run.waits < end)) result.fault = Fault::stuck;
    return result;
}

std::optional<Simulated> simulate_run(const DesignQuestion& question, const Sources& sources, const HandshakeRun& run,
                                      const std::function<bool()>& must_stop, std::string& why_not) {
    std::vector<std::pair<bool, bool>> offers;
    for (const Offer& offer : run.offers) offers.emplace_back(offer.valid, offer.ready);
    return simulate_offers(sources, question.design, question.connection, offers, run.operands, must_stop, why_not);
}

Replayed replay(const DesignQuestion& question, const Sources& sources, const HandshakeRun& run,
                const std::function<bool()>& must_stop, std::string& why_not) {
    const auto simulated = simulate_run(question, sources, run, must_stop, why_not);
    return simulated ? judge(question, run, *simulated) : Replayed{};
}

} // namespace discern::rtl
