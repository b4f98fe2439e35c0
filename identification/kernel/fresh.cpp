#include "fresh.hpp"

#include "models/pattern_words.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <utility>

namespace discern::kernels {

namespace {

/// The same with NaN of which only that they are NaN is known.
Kernel without_payloads(Kernel kernel) {
    if (kernel.unit.nan.keeps_operands()) kernel.unit.nan = {};
    return kernel;
}

bool is_nan(FormatId id, std::uint64_t bits) { return decode(format(id), bits).number_class == NumberClass::nan; }

} // namespace

Comparison::Comparison(Finished kernel)
    : kernel_(std::move(kernel)), shape_(shape_of(kernel_)), evaluate_(kernel_.kernel),
      multiply_(without_payloads(kernel_.kernel)) {}

Fresh Comparison::vectors(const Ask& ask, std::uint64_t seed) const {
    const auto count = static_cast<std::size_t>(std::clamp(400'000 / shape_.K, 10, 1000));
    InputMixture mixture(chain_of(kernel_.kernel), seed);
    const std::vector<Inputs> batch = mixture.batch(count);
    const auto answers = ask(batch);
    Fresh fresh;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!answers[i]) continue;
        ++fresh.compared;
        fresh.expected = kernel_.of_sum(evaluate_(batch[i]));
        if (same_result(kernel_, *answers[i], fresh.expected)) continue;
        fresh.wrong = vector_of(shape_, batch[i]);
        fresh.wrong->d = {*answers[i]};
        break;
    }
    return fresh;
}

Fresh Comparison::product(const AskProduct& multiply, std::size_t m, std::size_t n, Family family,
                          std::uint64_t seed) const {
    const auto K = static_cast<std::size_t>(shape_.K);
    InputGenerator generator(chain_of(kernel_.kernel), family, seed);
    std::vector<InputBuffer> rows(m), columns(n);
    for (InputBuffer& row : rows) generator.next(row);
    for (InputBuffer& column : columns) generator.next(column);
    PatternWords a(shape_.a, m * K), b(shape_.b, K * n), c(shape_.c.value_or(shape_.d), m * n), d(shape_.d, m * n),
        want(kernel_.kernel.d(), m * n);
    for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t i = 0; i < m; ++i) a.set(i * K + k, rows[i].a[k]);
        for (std::size_t j = 0; j < n; ++j) b.set(k * n + j, columns[j].b[k]);
    }
    for (std::size_t i = 0; shape_.c && i < m * n; ++i) c.set(i, columns[(i + i / n) % n].c);
    const Patterns from = shape_.c ? c.patterns() : Patterns();
    multiply({m, n, K}, a.patterns(), b.patterns(), from, d.out());
    multiply_({m, n, K}, a.patterns(), b.patterns(), from, want.out());
    const bool payloads = kernel_.kernel.unit.nan.keeps_operands();
    Fresh fresh;
    for (std::size_t i = 0; i < m * n; ++i) {
        ++fresh.compared;
        const Inputs one{rows[i / n].a, columns[i % n].b, {}, {}, shape_.c ? c.at(i) : 0};
        const bool by_vector = payloads && is_nan(kernel_.kernel.d(), want.at(i));
        fresh.expected = kernel_.of_sum(by_vector ? evaluate_(one) : want.at(i));
        if (same_result(kernel_, d.at(i), fresh.expected)) continue;
        fresh.wrong = vector_of(shape_, one);
        fresh.wrong->d = {d.at(i)};
        break;
    }
    return fresh;
}

} // namespace discern::kernels
