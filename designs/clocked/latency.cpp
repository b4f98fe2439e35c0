// The same vectors for one number of edges after the other.
#include "latency.hpp"

#include "reached.hpp"

#include "circuit.hpp"
#include "patterns.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <vector>

namespace discern::rtl {

namespace {

constexpr std::size_t vectors_asked = 200;
constexpr int runs_of_each = 2;          ///< of each vector, with other values for what is open
constexpr double seconds_for_states = 2; ///< for what registers can hold, each time

/// Operands with results that say something: no zero and no NaN, which a design may give for any operands, and all
/// different.
struct LatencyVectors {
    std::vector<Vector> vectors;
    std::vector<std::uint64_t> results;
};

LatencyVectors latency_vectors(const Unit& unit) {
    LatencyVectors asked;
    const Evaluator evaluate(unit);
    const Format& d = format(unit.d);
    Stream stream(unit, 17);
    for (int tries = 0; tries < 20'000 && asked.vectors.size() < vectors_asked; ++tries) {
        const Vector vector = vector_of(shape_of(unit), stream.next().inputs());
        const std::uint64_t result = evaluate(vector.inputs());
        const Decoded x = decode(d, result);
        if (x.number_class != NumberClass::finite || x.significand == 0) continue;
        if (std::ranges::count(asked.results, result) > 2) continue; // of small formats there are not more
        asked.vectors.push_back(vector);
        asked.results.push_back(result);
    }
    return asked;
}

/// For which vectors the design gives the unit's result after so many edges.
std::vector<bool> agreement(const Unit& unit, const Design& design, const Connection& connection,
                            const Reached& reached, const LatencyVectors& asked) {
    const DesignQuestion question{unit, design, connection, reached, {}, {}, "", false, false};
    const DesignCircuit circuit(question);
    DesignEvaluator evaluate(circuit);
    Random random(23);
    std::vector<bool> same;
    for (std::size_t i = 0; i < asked.vectors.size(); ++i) {
        bool all = true;
        for (int run = 0; run < runs_of_each; ++run)
            all = all && evaluate(asked.vectors[i].inputs(), random) == asked.results[i];
        same.push_back(all);
    }
    return same;
}

struct Latency {
    int cycles = 0;
    std::vector<bool> same;
    std::size_t count = 0;
};

/// For one number after the other, up to the first that gives all results. @param with_states  what is proved of
/// registers is made use of
std::vector<Latency> all_latencies(const Unit& unit, const Design& design, ConnectionText text,
                                   const LatencyVectors& asked, bool with_states, const Limit& limit) {
    std::vector<Latency> all;
    for (int n = text.state.empty() ? 0 : 1; n <= longest_latency && !limit.reached(); ++n) {
        text.cycles = n;
        const Connection connection = connect(design, shape_of(unit), text);
        Reached reached;
        if (with_states) reached = find_reached(design, connection, unit, 11, limit.within(seconds_for_states));
        Latency one{n, agreement(unit, design, connection, reached, asked), 0};
        one.count = static_cast<std::size_t>(std::ranges::count(one.same, true));
        const bool is_right = one.count == asked.vectors.size();
        all.push_back(std::move(one));
        if (is_right) break; // with --hold all larger numbers are right too
    }
    return all;
}

const Latency* best_latency(const std::vector<Latency>& all) {
    const auto found = std::ranges::max_element(all, {}, &Latency::count);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

int find_latency(const Unit& unit, const Design& design, ConnectionText text, const Limit& limit) {
    if (text.clock.empty()) throw Error("--cycles auto: which port is the clock? --clock names it");
    const LatencyVectors asked = latency_vectors(unit);
    if (asked.vectors.empty()) throw Error("--cycles auto: the unit gives no finite results other than zero");
    std::vector<Latency> all = all_latencies(unit, design, text, asked, false, limit);
    const Latency* best = best_latency(all);
    const auto is_enough = [&] { return best != nullptr && 2 * best->count > asked.vectors.size(); };
    if (!is_enough() && !text.reset.empty()) {
        all = all_latencies(unit, design, text, asked, true, limit);
        best = best_latency(all);
    }
    if (is_enough()) return best->cycles;
    if (limit.reached()) throw Error("--cycles auto: the time was over before a number of edges was found");
    throw Error(sentence("--cycles auto: after no number of edges up to ", longest_latency,
                         " does the design give most "
                         "of the unit's results, whatever came before and comes after; the most are ",
                         best == nullptr ? 0 : best->count, " of ", asked.vectors.size(), " after ",
                         best == nullptr ? 0 : best->cycles,
                         "; --reset PORT excludes states that do not come, --hold keeps the operands, --map says which "
                         "port is which"));
}

} // namespace discern::rtl
