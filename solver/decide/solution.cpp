// See solution.hpp.
#include "solution.hpp"

namespace discern {

Vector solution(Backend& backend, const InputTerms& inputs) {
    const auto values = [&](std::span<const Term> row) {
        std::vector<std::uint64_t> patterns;
        for (const Term t : row) patterns.push_back(backend.value(t).low());
        return patterns;
    };
    Vector v;
    v.a = values(inputs.a);
    v.b = values(inputs.b);
    v.sa = values(inputs.sa);
    v.sb = values(inputs.sb);
    if (inputs.c) v.c = backend.value(*inputs.c).low();
    return v;
}

} // namespace discern
