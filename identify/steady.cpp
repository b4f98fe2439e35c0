// See steady.hpp.
#include "steady.hpp"

#include <numeric>

namespace discern::identify {

namespace {

std::optional<Unsteady> two_answers(const std::vector<Observation>& observations, const std::vector<std::size_t>& order,
                                    const Ask& ask) {
    std::vector<Inputs> batch;
    for (const std::size_t o : order) batch.push_back(observations[o].vector.inputs());
    const auto again = ask(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Vector& v = observations[order[i]].vector;
        if (again[i] && *again[i] != v.d.front()) return Unsteady{v, v.d.front(), *again[i]};
    }
    return std::nullopt;
}

} // namespace

std::optional<Unsteady> two_answers(const std::vector<Observation>& observations, const Ask& ask) {
    std::vector<std::size_t> order(observations.size());
    if (order.empty()) return std::nullopt;
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (const auto found = two_answers(observations, order, ask)) return found;
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.insert(order.begin(), 2, order.back());
    return two_answers(observations, order, ask);
}

} // namespace discern::identify
