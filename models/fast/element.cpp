#include "element.hpp"

#include "models/fast/operands/accumulators.hpp"

#include "models/error.hpp"

namespace discern::fast {

namespace {

/// The unit whose accumulator is a result of the unit, if there is one.
std::optional<Evaluator> chained(Unit unit) {
    if (unit.c) unit.c = unit.d;
    try {
        return Evaluator(unit);
    } catch (const Error&) {
        return std::nullopt;
    }
}

} // namespace

Elements::Scratch::Scratch(const Unit& unit)
    : a(static_cast<std::size_t>(unit.K)), b(a.size()), sa(static_cast<std::size_t>(unit.scales())), sb(sa.size()) {}

std::uint64_t scale_of_one(const Unit& unit) {
    if (!unit.scale) return 0;
    const Format& f = format(unit.scale->format);
    return static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
}

Elements::Elements(const Unit& unit) : first_(unit), rest_(chained(unit)), one_(scale_of_one(unit)) {}

std::uint64_t Elements::operator()(const Source& left, const Source& right, std::size_t i, std::size_t j,
                                   std::uint64_t c, bool from_c, Scratch& s) const {
    const std::size_t K = s.a.size(), of_step = s.sa.size(), count = (left.k + K - 1) / K;
    for (std::size_t step = 0; step < count; ++step) {
        for (std::size_t l = 0; l < K; ++l) {
            const std::size_t k = step * K + l;
            s.a[l] = k < left.k ? pattern_at(left.values, i * left.line_stride + k * left.k_stride) : 0;
            s.b[l] = k < left.k ? pattern_at(right.values, j * right.line_stride + k * right.k_stride) : 0;
        }
        for (std::size_t l = 0; l < of_step; ++l) {
            const std::size_t k = step * of_step + l;
            const bool inside = k < left.scales_per_line;
            s.sa[l] = inside ? pattern_at(left.scales, i * left.scale_line_stride + k * left.scale_stride) : one_;
            s.sb[l] = inside ? pattern_at(right.scales, j * right.scale_line_stride + k * right.scale_stride) : one_;
        }
        c = (step == 0 && from_c ? first_ : rest_.value())({.a = s.a, .b = s.b, .sa = s.sa, .sb = s.sb, .c = c});
    }
    return c;
}

} // namespace discern::fast
