// Asks earlier vectors again, and compares the results.
#include "steadiness.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

std::optional<Unsteady> changed(const std::vector<const Vector*>& observed, const Ask& ask) {
    std::vector<Inputs> batch;
    for (const Vector* v : observed) batch.push_back(v->inputs());
    const auto again = ask(batch);
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (again[i] && *again[i] != observed[i]->d.front())
            return Unsteady{*observed[i], observed[i]->d.front(), *again[i]};
    return std::nullopt;
}

} // namespace

std::optional<Unsteady> changed_answer(const std::vector<Observation>& observations, const Ask& ask) {
    std::vector<const Vector*> order;
    for (const Observation& o : observations) order.insert(order.begin(), &o.vector);
    if (order.empty()) return std::nullopt;
    if (auto found = changed(order, ask)) return found;
    std::reverse(order.begin(), order.end());
    order.insert(order.begin(), 2, order.back());
    return changed(order, ask);
}

} // namespace discern::identify
