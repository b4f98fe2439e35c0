// Double-double sums with a check of what they lose; long integers for the rest.
#include "exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::measure {

namespace {

/// What numbers of a format are multiples of and below: 2^low and 2^high, of so many bits.
struct Extent {
    int low, high, bits;
    Extent operator*(const Extent& o) const { return {low + o.low, high + o.high, bits + o.bits}; }
};

Extent extent_of(const Format& f) { return {f.lsb(), f.emax() + 2, f.significand_bits()}; }

/// Of the products with their scales.
Extent extent_of_products(const Shape& shape) {
    const Extent products = extent_of(format(shape.a)) * extent_of(format(shape.b));
    if (!shape.scale) return products;
    const Extent scale = extent_of(format(shape.scale->format));
    return products * scale * scale;
}

Term operator*(const Term& x, const Term& y) { return {x.significand * y.significand, x.exponent + y.exponent}; }

/// A number of which only the sign counts beside infinities and NaN: 1 for all finite ones but 0.
double sign_of(double x) { return std::isfinite(x) && x != 0 ? std::copysign(1.0, x) : x; }

} // namespace

ExactSums::Numbers::Numbers(const Format& format) : format_(&format) {
    if (format.width > 16) return;
    table_.resize(std::size_t{1} << format.width);
    for (std::size_t bits = 0; bits < table_.size(); ++bits) table_[bits] = to_double(format, bits);
}

Term ExactSums::Numbers::term(std::uint64_t bits) const {
    const Decoded x = decode(*format_, bits);
    const auto significand = static_cast<wide::i128>(x.significand);
    return {x.negative ? -significand : significand, x.exponent - format_->mantissa_bits};
}

ExactSums::ExactSums(const Shape& shape)
    : has_c_(shape.c.has_value()), K_(static_cast<std::size_t>(shape.K)),
      scales_(static_cast<std::size_t>(shape.scales())),
      block_(shape.scale ? static_cast<std::size_t>(shape.scale->block) : 1), a_(format(shape.a)), b_(format(shape.b)),
      c_(format(shape.c.value_or(FormatId::f32))), scale_(format(shape.scale ? shape.scale->format : FormatId::e8m0)) {
    const Extent products = extent_of_products(shape), c = extent_of(c_.format());
    products_are_doubles_ = products.bits <= 53 && products.low >= -1000 && products.high <= 1000;
    lowest_ = has_c_ ? std::min(products.low, c.low) : products.low;
    const int highest = std::max(products.high, c.high) + static_cast<int>(std::bit_width(K_ + 1));
    is_narrow_ = highest - lowest_ < 639;
}

void ExactSums::line(const Numbers& numbers, std::span<const std::uint64_t> patterns,
                     std::span<const std::uint64_t> scales, double* values, std::size_t stride) const {
    for (std::size_t k = 0; k < K_; ++k) {
        const double value = numbers(patterns[k]);
        values[k * stride] = scales.empty() ? value : value * scale_(scales[k / block_]);
    }
}

void ExactSums::tile(std::size_t rows, std::size_t columns, const Operands& x, std::span<ExactSum> sums) {
    left_.resize(K_);
    right_.resize(K_ * columns);
    high_.resize(columns);
    low_.resize(columns);
    lost_.resize(columns);
    const auto row_of = [](std::span<const std::uint64_t> all, std::size_t i, std::size_t size) {
        return all.empty() ? all : all.subspan(i * size, size);
    };
    for (std::size_t j = 0; j < columns; ++j)
        line(b_, row_of(x.b, j, K_), row_of(x.sb, j, scales_), right_.data() + j, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto a = row_of(x.a, i, K_), sa = row_of(x.sa, i, scales_);
        line(a_, a, sa, left_.data(), 1);
        double *high = high_.data(), *low = low_.data(), *lost = lost_.data();
        for (std::size_t j = 0; j < columns; ++j) {
            high[j] = has_c_ ? c_(x.c[i * columns + j]) : 0.0;
            low[j] = lost[j] = 0;
        }
        if (products_are_doubles_)
            for (std::size_t k = 0; k < K_; ++k) {
                const double of_a = left_[k];
                const double* of_b = right_.data() + k * columns;
                for (std::size_t j = 0; j < columns; ++j) {
                    const double error = two_sum(high[j], of_a * of_b[j]);
                    lost[j] += std::fabs(two_sum(low[j], error));
                }
            }
        for (std::size_t j = 0; j < columns; ++j) {
            ExactSum& sum = sums[i * columns + j];
            if (products_are_doubles_ && !std::isfinite(high[j])) {
                sum = {high[j], 0};
                continue;
            }
            if (products_are_doubles_ && lost[j] == 0) {
                sum.high = high[j];
                sum.low = two_sum(sum.high, low[j]);
                continue;
            }
            ++long_sums_;
            const Inputs one{a, row_of(x.b, j, K_), sa, row_of(x.sb, j, scales_), has_c_ ? x.c[i * columns + j] : 0};
            sum = by_integers(one);
        }
    }
}

ExactSum ExactSums::by_integers(const Inputs& x) {
    terms_.clear();
    double of_signs = has_c_ ? sign_of(c_(x.c)) : 0; // is finite if all numbers are
    if (has_c_ && std::isfinite(of_signs)) terms_.push_back(c_.term(x.c));
    for (std::size_t k = 0; k < K_; ++k) {
        double sign = sign_of(a_(x.a[k])) * sign_of(b_(x.b[k]));
        if (scales_ != 0) sign *= sign_of(scale_(x.sa[k / block_])) * sign_of(scale_(x.sb[k / block_]));
        of_signs += sign;
        if (!std::isfinite(of_signs)) continue;
        terms_.push_back(a_.term(x.a[k]) * b_.term(x.b[k]));
        if (scales_ != 0)
            terms_.back() = terms_.back() * (scale_.term(x.sa[k / block_]) * scale_.term(x.sb[k / block_]));
    }
    if (!std::isfinite(of_signs)) return {of_signs, 0};
    return long_sum(terms_, lowest_, is_narrow_);
}

ExactSum ExactSums::operator()(const Inputs& inputs) {
    ExactSum sum;
    const std::uint64_t c[] = {inputs.c};
    tile(1, 1, {inputs.a, inputs.b, c, inputs.sa, inputs.sb}, {&sum, 1});
    return sum;
}

} // namespace discern::measure
