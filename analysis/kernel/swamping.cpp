#include "swamping.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <cmath>

namespace discern::kernels {

namespace {

constexpr std::size_t batch_size = 128; ///< vectors under way: of long ones each has many words

std::uint64_t power_of_two(const Format& f, int exponent, bool negative) {
    const int below = std::max(f.emin() - exponent, 0); // a subnormal number has so many leading zeros
    return pack(f,
                {.negative = negative, .significand = 1ull << (f.mantissa_bits - below), .exponent = exponent + below});
}

} // namespace

Swamping::Swamping(const Shape& shape, const Ask& ask, int precision, bool subnormals, bool directed)
    : shape_(&shape), ask_(&ask) {
    const Format &a = format(shape.a), &b = format(shape.b), &d = format(shape.d);
    large_ = std::min(a.emax() + b.emax(), d.emax() - 2);
    if (shape.c) large_ = std::min(large_, format(*shape.c).emax() - 1);
    constexpr int room_of_sums = 12; // all units of 4096 products together
    // Half of a result's bits hold what a directed rounding leaves of M.
    lsb_ = directed ? std::min(room_of_sums, d.mantissa_bits / 2) : 0;
    const int wanted = large_ - precision - (directed ? lsb_ : room_of_sums + 16); // the last for sums with guard bits
    unit_ = std::max({wanted, d.emin(), subnormals ? a.lsb() + b.lsb() : a.emin() + b.emin()});
    const int gap = large_ - unit_;
    const int exact = std::min(directed ? lsb_ - 2 : d.mantissa_bits, gap - precision - 1);
    if (directed && gap != precision + lsb_) unit_ = large_; // no room
    count_ = exact < 1 ? 0 : std::min(1 << std::min(exact, 20), shape.K);
    units_.assign(static_cast<std::size_t>(shape.K) + 1, 0);
    for (int i = 0; i < count_; ++i) // evenly
        units_[static_cast<std::size_t>(std::int64_t{i} * shape.K / count_)] = 1;
    if (count_ < 1) unit_ = large_;
}

void Swamping::put(Vector& v, int term, int exponent, bool negative) const {
    if (term == shape_->K) {
        v.c = power_of_two(format(*shape_->c), exponent, negative);
        return;
    }
    const Format &a = format(shape_->a), &b = format(shape_->b);
    int of_a = std::clamp(exponent / 2, std::max(a.emin(), exponent - b.emax()), a.emax());
    if (exponent - of_a < b.emin()) of_a = std::clamp(exponent - b.emin(), a.lsb(), a.emax());
    const int of_b = std::max(exponent - of_a, b.lsb());
    v.a[static_cast<std::size_t>(term)] = power_of_two(a, exponent - of_b, negative);
    v.b[static_cast<std::size_t>(term)] = power_of_two(b, of_b, false);
}

std::vector<std::optional<int>> Swamping::lost(std::span<const Pair> pairs) {
    std::vector<std::optional<int>> result;
    const Format& d = format(shape_->d);
    const auto K = static_cast<std::size_t>(shape_->K);
    Vector base;
    base.a.assign(K, 0);
    base.b.assign(K, 0);
    if (shape_->c) base.c = 0;
    int all = 0;
    for (int k = 0; k < shape_->K; ++k)
        if (is_unit(k)) {
            put(base, k, unit_, false);
            ++all;
        }
    for (std::size_t first = 0; first < pairs.size(); first += batch_size) {
        const auto part = pairs.subspan(first, std::min(batch_size, pairs.size() - first));
        std::vector<Vector> vectors(part.size(), base);
        std::vector<Inputs> batch;
        for (std::size_t i = 0; i < part.size(); ++i) {
            put(vectors[i], part[i].first, large_, false);
            put(vectors[i], part[i].second, large_, true);
            batch.push_back(vectors[i].inputs());
        }
        const auto answers = (*ask_)(batch);
        asked_ += batch.size();
        for (std::size_t i = 0; i < part.size(); ++i) {
            const int present = all - (is_unit(part[i].first) ? 1 : 0) - (is_unit(part[i].second) ? 1 : 0);
            result.emplace_back();
            if (!answers[i]) continue;
            double left = std::ldexp(to_double(d, *answers[i]), -unit_);
            if (const double ulp = std::ldexp(1, lsb_); lsb_ > 0) left -= ulp * std::floor(left / ulp);
            if (left >= 0 && left <= present && left == std::floor(left))
                result.back() = present - static_cast<int>(left);
        }
    }
    return result;
}

} // namespace discern::kernels
