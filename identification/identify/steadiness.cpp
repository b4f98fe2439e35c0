// Asks earlier vectors again, and compares the results.
#include "steadiness.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

std::optional<Unsteady> changed(const Format& d, const std::vector<const Vector*>& observed, const Ask& ask,
                                std::optional<Unsteady>& nan) {
    std::vector<Inputs> batch;
    for (const Vector* v : observed) batch.push_back(v->inputs());
    const auto again = ask(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::uint64_t before = observed[i]->d.front();
        if (!again[i] || *again[i] == before) continue;
        const Unsteady answers{*observed[i], before, *again[i]};
        if (!are_nan(d, before, *again[i])) return answers;
        if (!nan) nan = answers;
    }
    return std::nullopt;
}

} // namespace

bool are_nan(const Format& d, std::uint64_t one, std::uint64_t other) {
    return decode(d, one).number_class == NumberClass::nan && decode(d, other).number_class == NumberClass::nan;
}

std::optional<Unsteady> changed_answer(const Format& d, const std::vector<Observation>& observations, const Ask& ask,
                                       std::optional<Unsteady>& nan) {
    std::vector<const Vector*> order;
    for (const Observation& o : observations) order.insert(order.begin(), &o.vector);
    if (order.empty()) return std::nullopt;
    if (auto found = changed(d, order, ask, nan)) return found;
    std::reverse(order.begin(), order.end());
    order.insert(order.begin(), 2, order.back());
    return changed(d, order, ask, nan);
}

} // namespace discern::identify
