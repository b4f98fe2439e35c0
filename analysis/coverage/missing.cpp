// One solver with the circuit in it, asked for one bin after another.
#include "missing.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "solver/question/solution.hpp"

#include <algorithm>

namespace discern::coverage {

std::vector<Filled> fill(const Unit& unit, const Conditions& conditions, const std::vector<std::size_t>& wanted,
                         const FillOptions& options) {
    std::vector<Filled> all(wanted.size());
    const Evaluator evaluate(unit);
    const auto solver = backends().front().make(conditions.terms, options.seed);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (options.progress) options.progress(i);
        if (all[i].outcome != Outcome::unknown || options.limit.reached()) continue;
        Limit limit = Limit::after(options.seconds_each, options.limit.stop);
        limit.end = std::min(limit.end, options.limit.end);
        const Term asked[] = {conditions.hit[wanted[i]]};
        all[i].outcome = solver->check(limit, asked);
        if (all[i].outcome != Outcome::sat) continue;
        Vector vector = solution(*solver, conditions.inputs);
        const std::uint64_t d = evaluate(vector.inputs()), exact = evaluate_exactly(unit, vector.inputs());
        std::vector<Bin> hit = hits(explain::trace(unit, vector.inputs()));
        std::sort(hit.begin(), hit.end());
        const auto is_hit = [&](std::size_t w) {
            return std::binary_search(hit.begin(), hit.end(), conditions.bins[w]);
        };
        if (!is_hit(wanted[i]) || !same_result(unit, d, exact))
            throw Error(sentence("internal error, please report it: a vector for the bin ",
                                 name(conditions.bins[wanted[i]], unit), " of ", to_string(unit),
                                 " does not hit it: ", to_json(shape_of(unit), vector)));
        vector.d = {d};
        for (std::size_t j = i; j < wanted.size(); ++j)
            if (all[j].outcome == Outcome::unknown && is_hit(wanted[j])) all[j] = {Outcome::sat, vector};
        all[i].vector = std::move(vector);
    }
    return all;
}

} // namespace discern::coverage
