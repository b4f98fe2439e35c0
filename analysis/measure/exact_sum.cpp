// Double-double sums with a check of what they lose; the exact oracle computes the rest.
#include "exact_sum.hpp"

#include "models/stimulus/stimulus.hpp"

#include <bit>
#include <cmath>

namespace discern::measure {

namespace {

/// x becomes x + y as it is rounded; returns what that lost.
inline double add(double& x, double y) {
    const double sum = x + y, of_y = sum - x, lost = (x - (sum - of_y)) + (y - of_y);
    x = sum;
    return lost;
}

Unit exact_unit(const Shape& shape) {
    Shape in_f64 = shape;
    in_f64.d = FormatId::f64;
    Unit unit = unit_of_shape(in_f64);
    std::get<Round>(unit.tree.kind).mode = Rounding::odd;
    std::get<Round>(unit.tree.kind).overflow = Overflow::infinity;
    validate(unit);
    return unit;
}

/// Products of a, b and their scales fit into a double, and none is so small or large that it would not.
bool are_doubles(const Unit& unit) {
    const Format &a = format(unit.a), &b = format(unit.b);
    int bits = a.mantissa_bits + b.mantissa_bits + 2, low = a.lsb() + b.lsb(), high = a.emax() + b.emax();
    if (unit.scale) {
        const Format& s = format(unit.scale->format);
        bits += 2 * (s.mantissa_bits + 1);
        low += 2 * s.lsb();
        high += 2 * s.emax();
    }
    return bits <= 53 && low >= -1000 && high <= 1000;
}

} // namespace

double rounded_to_odd(double high, double low) {
    const double lost = add(high, low);
    if (lost == 0 || !std::isfinite(high)) return high;
    const auto bits = std::bit_cast<std::uint64_t>(high);
    if ((bits & 1) != 0) return high;
    // The exact number is between this one and its neighbour on the side of what was lost, which is odd.
    const bool away_from_zero = (lost > 0) == (high > 0);
    return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

ExactSums::Numbers::Numbers(const Format& format) : format_(&format) {
    if (format.width > 16) return;
    table_.resize(std::size_t{1} << format.width);
    for (std::size_t bits = 0; bits < table_.size(); ++bits) table_[bits] = to_double(format, bits);
}

ExactSums::ExactSums(const Shape& shape)
    : exact_(exact_unit(shape)), evaluator_(exact_), K_(static_cast<std::size_t>(exact_.K)),
      scales_(static_cast<std::size_t>(exact_.scales())),
      block_(exact_.scale ? static_cast<std::size_t>(exact_.scale->block) : 1), a_(format(exact_.a)),
      b_(format(exact_.b)), c_(format(exact_.c.value_or(FormatId::f32))),
      scale_(format(exact_.scale ? exact_.scale->format : FormatId::e8m0)), products_are_doubles_(are_doubles(exact_)) {
}

void ExactSums::line(const Numbers& numbers, std::span<const std::uint64_t> patterns,
                     std::span<const std::uint64_t> scales, double* values, std::size_t stride) const {
    for (std::size_t k = 0; k < K_; ++k) {
        const double value = numbers(patterns[k]);
        values[k * stride] = scales.empty() ? value : value * scale_(scales[k / block_]);
    }
}

void ExactSums::tile(std::size_t rows, std::size_t columns, const Operands& x, std::span<double> sums) {
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
            high[j] = exact_.c ? c_(x.c[i * columns + j]) : 0.0;
            low[j] = lost[j] = 0;
        }
        if (products_are_doubles_)
            for (std::size_t k = 0; k < K_; ++k) {
                const double of_a = left_[k];
                const double* of_b = right_.data() + k * columns;
                for (std::size_t j = 0; j < columns; ++j) {
                    const double error = add(high[j], of_a * of_b[j]);
                    lost[j] += std::fabs(add(low[j], error));
                }
            }
        for (std::size_t j = 0; j < columns; ++j) {
            double& sum = sums[i * columns + j];
            if (products_are_doubles_ && lost[j] == 0 && std::isfinite(high[j])) {
                sum = rounded_to_odd(high[j], low[j]);
                continue;
            }
            ++asked_;
            const Inputs one{a, row_of(x.b, j, K_), sa, row_of(x.sb, j, scales_), exact_.c ? x.c[i * columns + j] : 0};
            sum = std::bit_cast<double>(evaluator_(one));
        }
    }
}

double ExactSums::operator()(const Inputs& inputs) {
    double sum = 0;
    const std::uint64_t c[] = {inputs.c};
    tile(1, 1, {inputs.a, inputs.b, c, inputs.sa, inputs.sb}, {&sum, 1});
    return sum;
}

} // namespace discern::measure
