#include "in_products.hpp"

#include "models/pattern_words.hpp"

#include <algorithm>

namespace discern {

std::vector<std::uint64_t> in_products(const Shape& shape, std::span<const Inputs> vectors, std::size_t m,
                                       std::size_t n, std::size_t turn, const Multiply& multiply) {
    const auto K = static_cast<std::size_t>(shape.K), side = std::min(m, n);
    PatternWords a(shape.a, m * K), b(shape.b, K * n), c(shape.c.value_or(shape.d), m * n), d(shape.d, m * n);
    std::vector<std::uint64_t> results;
    for (std::size_t first = 0; first < vectors.size(); first += side, ++turn) {
        const auto part = vectors.subspan(first, std::min(side, vectors.size() - first));
        const auto row = [&](std::size_t i) { return (i + turn / n) % m; };
        const auto column = [&](std::size_t i) { return (i + turn) % n; };
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t k = 0; k < K; ++k) a.set(row(i) * K + k, part[i % part.size()].a[k]);
        for (std::size_t k = 0; k < K; ++k)
            for (std::size_t j = 0; j < n; ++j) b.set(k * n + column(j), part[j % part.size()].b[k]);
        if (shape.c)
            for (std::size_t i = 0; i < side; ++i) c.set(row(i) * n + column(i), part[i % part.size()].c);
        multiply({m, n, K}, a.patterns(), b.patterns(), shape.c ? c.patterns() : Patterns(), d.out());
        for (std::size_t i = 0; i < part.size(); ++i) results.push_back(d.at(row(i) * n + column(i)));
    }
    return results;
}

} // namespace discern
