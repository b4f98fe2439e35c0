#include "swamping.hpp"

#include "identification/identify/zeros.hpp"
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

int terms_of(const Shape& shape) { return shape.scale ? shape.scales() : shape.K; }

Swamping::Swamping(const Shape& shape, const Ask& ask, int precision, bool subnormals, bool directed,
                   const Epilogue* then)
    : shape_(&shape), ask_(&ask), terms_(terms_of(shape)) {
    const Format &a = format(shape.a), &b = format(shape.b), &d = format(shape.d);
    const Format* scale = shape.scale ? &format(shape.scale->format) : nullptr;
    const int of_scales = scale != nullptr ? 2 * scale->emax() : 0;
    large_ = std::min(a.emax() + b.emax() + of_scales, d.emax() - 2);
    if (shape.c) large_ = std::min(large_, format(*shape.c).emax() - 1);
    constexpr int room_of_sums = 12; // all units of 4096 products together
    // Half of a result's bits hold what a directed rounding leaves of M.
    lsb_ = directed ? std::min(room_of_sums, d.mantissa_bits / 2) : 0;
    const int wanted = large_ - precision - (directed ? lsb_ : room_of_sums + 16); // the last for sums with guard bits
    const int least = subnormals ? a.lsb() + b.lsb() : a.emin() + b.emin();
    unit_ = std::max({wanted, d.emin(), least + (scale != nullptr ? 2 * scale->lsb() : 0)});
    if (then != nullptr) {
        count_behind(*then, precision);
    } else {
        const int gap = large_ - unit_;
        const int exact = std::min(directed ? lsb_ - 2 : d.mantissa_bits, gap - precision - 1);
        if (directed && gap != precision + lsb_) unit_ = large_; // no room
        count_ = exact < 1 ? 0 : std::min(1 << std::min(exact, 20), terms_);
        if (scale != nullptr && count_ > 0) in_passes(count_);
    }
    units_.assign(static_cast<std::size_t>(terms_) + 1, 0);
    for (int i = 0; i < count_; ++i) // evenly
        units_[static_cast<std::size_t>(std::int64_t{i} * terms_ / count_)] = static_cast<char>(1 + i % passes_);
    if (count_ < 1) unit_ = large_;
}

/// The smallest units of which results show the largest number.
void Swamping::count_behind(const Epilogue& then, int precision) {
    constexpr int most_bits = 12;
    int best = 0, best_unit = large_;
    for (int unit = unit_; unit < large_ - precision - 1; ++unit) {
        int n = 0;
        std::unordered_map<std::uint64_t, int> seen;
        for (; n <= 1 << std::min(most_bits, large_ - precision - 1 - unit); ++n)
            if (!seen.emplace(then(std::ldexp(static_cast<float>(n), unit)), n).second) break;
        if (n - 1 <= best) continue;
        best = n - 1;
        best_unit = unit;
        if (best >= terms_) break;
    }
    unit_ = best_unit;
    for (int n = 0; n <= best; ++n) behind_.emplace(then(std::ldexp(static_cast<float>(n), unit_)), n);
    if (best > 0) in_passes(best);
}

/// All terms are units, so many of them in each pass, if that takes no more vectors than it should.
void Swamping::in_passes(int each) {
    constexpr int most_vectors = 1 << 15, most_passes = 100; // of a row
    passes_ = std::clamp((terms_ + each - 1) / each, 1, std::clamp(most_vectors / terms_, 1, most_passes));
    count_ = std::min(each * passes_, terms_);
}

void Swamping::put_scaled(Vector& v, int term, int exponent, bool negative) const {
    const Format &scale = format(shape_->scale->format), &a = format(shape_->a), &b = format(shape_->b);
    const auto t = static_cast<std::size_t>(term), k = t * static_cast<std::size_t>(shape_->scale->block);
    const int of_scales = std::clamp(exponent, 2 * scale.lsb(), 2 * scale.emax()), rest = exponent - of_scales;
    const int of_sa = std::clamp(of_scales / 2, scale.lsb(), scale.emax());
    const int of_a = std::clamp(rest / 2, a.lsb(), a.emax());
    v.a[k] = power_of_two(a, of_a, negative);
    v.b[k] = power_of_two(b, rest - of_a, false);
    v.sa[t] = power_of_two(scale, of_sa, false);
    v.sb[t] = power_of_two(scale, of_scales - of_sa, false);
}

void Swamping::put(Vector& v, int term, int exponent, bool negative) const {
    if (term == terms_) {
        v.c = power_of_two(format(*shape_->c), exponent, negative);
        return;
    }
    if (shape_->scale) {
        put_scaled(v, term, exponent, negative);
        return;
    }
    const Format &a = format(shape_->a), &b = format(shape_->b);
    int of_a = std::clamp(exponent / 2, std::max(a.emin(), exponent - b.emax()), a.emax());
    if (exponent - of_a < b.emin()) of_a = std::clamp(exponent - b.emin(), a.lsb(), a.emax());
    const int of_b = std::max(exponent - of_a, b.lsb());
    v.a[static_cast<std::size_t>(term)] = power_of_two(a, exponent - of_b, negative);
    v.b[static_cast<std::size_t>(term)] = power_of_two(b, of_b, false);
}

std::optional<int> Swamping::count_in(std::uint64_t d, int present) const {
    if (!behind_.empty()) {
        const auto found = behind_.find(d);
        if (found == behind_.end() || found->second > present) return std::nullopt;
        return found->second;
    }
    double left = std::ldexp(to_double(format(shape_->d), d), -unit_);
    if (const double ulp = std::ldexp(1, lsb_); lsb_ > 0) left -= ulp * std::floor(left / ulp);
    if (left >= 0 && left <= present && left == std::floor(left)) return static_cast<int>(left);
    return std::nullopt;
}

std::vector<std::optional<int>> Swamping::lost(std::span<const Pair> pairs) {
    std::vector<std::optional<int>> result(pairs.size(), 0);
    for (int pass = 1; pass <= passes_; ++pass) {
        Vector base = identify::zeros_of(*shape_);
        const auto is_there = [&](int k) { return units_[static_cast<std::size_t>(k)] == pass; };
        int all = 0;
        for (int k = 0; k < terms_; ++k)
            if (is_there(k)) {
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
                const int present = all - (is_there(part[i].first) ? 1 : 0) - (is_there(part[i].second) ? 1 : 0);
                auto& sum = result[first + i];
                const auto left = answers[i] ? count_in(*answers[i], present) : std::nullopt;
                if (sum) sum = left ? std::optional(*sum + present - *left) : std::nullopt;
            }
        }
    }
    return result;
}

} // namespace discern::kernels
