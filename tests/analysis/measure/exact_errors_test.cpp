// Errors against exact arithmetic: c may dominate the products, or be dominated, by any number of bits, and d may have
// nearly as many digits as a double.
#include "analysis/measure/errors.hpp"
#include "analysis/measure/exact_sum.hpp"
#include "analysis/measure/measure.hpp"

#include "models/evaluate/exact_numbers.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace discern::measure {
namespace {

using exact::Dyadic;

Dyadic size(const Dyadic& x) { return {exact::magnitude(x.integer), x.scale}; }

double to_double(const Dyadic& x) { return std::ldexp(static_cast<double>(x.integer), x.scale); }

Dyadic dyadic(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return {exact::Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}

Dyadic value(FormatId id, std::uint64_t bits) { return exact::read(format(id), bits).value; }

Dyadic exact_sum(const Unit& unit, const Inputs& x) {
    Dyadic sum = unit.c ? value(*unit.c, x.c) : Dyadic{};
    for (std::size_t k = 0; k < x.a.size(); ++k) {
        Dyadic product = value(unit.a, x.a[k]) * value(unit.b, x.b[k]);
        if (unit.scale) {
            const std::size_t block = k / static_cast<std::size_t>(unit.scale->block);
            product = product * value(unit.scale->format, x.sa[block]) * value(unit.scale->format, x.sb[block]);
        }
        sum = sum + product;
    }
    return sum;
}

/// Random numbers, each of some exponent of its format.
InputBuffer any_numbers(const Unit& unit, Random& random) {
    InputBuffer buffer;
    const auto number = [&](FormatId id) {
        for (;;)
            if (const std::uint64_t bits = random.bits() & format(id).mask();
                decode(format(id), bits).number_class == NumberClass::finite)
                return bits;
    };
    for (int k = 0; k < unit.K; ++k) {
        buffer.a.push_back(number(unit.a));
        buffer.b.push_back(number(unit.b));
    }
    if (unit.c) buffer.c = number(*unit.c);
    for (int s = 0; s < unit.scales(); ++s) {
        buffer.sa.push_back(number(unit.scale->format));
        buffer.sb.push_back(number(unit.scale->format));
    }
    return buffer;
}

const char* const units[] = {
    "f32*f32+f32->e8m50 K=1 : round[e8m50 rz](fuse[exact](p*, c))",
    "f32*f32+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))",
    "f32*f32+f32->f32 K=3 : round[f32 ru](fuse[exact](p*, c))",
    "f16*f16+f32->f32 K=8 : round[f32 rz](fuse[F=24 rz](p*, c))",
    "bf16*bf16+f32->f32 K=5 : round[f32 rne](fuse[exact](p*, c))",
    "e5m2*e5m2+f16->f16 K=4 : round[f16 rd](fuse[exact](p*, c))",
    "e8m40*e8m40+e8m50->e8m50 K=2 : round[e8m50 rz](fuse[exact](p*, c))",
    "f64*f64+f64->f32 K=2 : round[f32 rz](fuse[exact](p*, c))",
    "e4m3*e4m3+f32->f32 K=4 scale=e8m0/2 : round[f32 rz](fuse[exact](p*, c))",
    "f32*f32+f32->f32 K=4 scale=ue4m3/2 : round[f32 rz](fuse[exact](p*, c))",
    "fix8.4*fix8.4+f32->f32 K=2 : round[f32 rz](fuse[exact](p*, c))",
};

/// −1, 0 or 1, as |x| is less than |y|, the same or more.
int compare_sizes(const Dyadic& x, const Dyadic& y) { return (size(x) - size(y)).integer.sign(); }

/// The cell of Errors::histogram of an error in ulp.
std::size_t cell_of(const Dyadic& error) {
    const Dyadic place =
        exact::rounded(error * Dyadic{Errors::steps, 0}, 0, Rounding::rd) + Dyadic{Errors::reach * Errors::steps, 0};
    if (place.is_negative()) return 0;
    const Dyadic last{Errors::cells, 0};
    return (compare_sizes(place, last) < 0 ? static_cast<std::size_t>(to_double(place)) : Errors::cells) + 1;
}

TEST(ExactErrors, AreThoseOfExactArithmetic) {
    for (const char* const text : units) {
        const Unit unit = parse_unit(text);
        const Format& d_format = format(unit.d);
        const Evaluator evaluate(unit);
        ExactSums sums(shape_of(unit));
        const ErrorCounter counter(d_format);
        Random random(7);
        int counted = 0;
        for (int i = 0; i < 2000; ++i) {
            const InputBuffer buffer = any_numbers(unit, random);
            const Inputs x = buffer.inputs();
            const std::uint64_t d = evaluate(x);
            const ExactSum fast = sums(x);
            Errors errors;
            counter.add(errors, d, fast);
            if (errors.special != 0) continue;
            const Dyadic sum = exact_sum(unit, x), absolute = value(unit.d, d) - sum;
            if (!absolute.is_zero() && exact::log2_floor(absolute) < -1000) continue; // no double: f64 operands only
            ++counted;
            const int exponent = sum.is_zero() ? d_format.emin() : std::max(exact::log2_floor(sum), d_format.emin());
            const Dyadic error = absolute * Dyadic{1, d_format.mantissa_bits - exponent};
            const std::string about = text + (" " + to_json(shape_of(unit), vector_of(shape_of(unit), x)));
            ASSERT_LE(compare_sizes(dyadic(errors.signed_ulp) - error, error * Dyadic{1, -52}), 0)
                << about << ": " << errors.signed_ulp;
            ASSERT_EQ(errors.histogram[cell_of(error)], 1u) << about << ": " << errors.signed_ulp;

            // Against a number on the other side of the exact result, as far away or nearly so.
            const std::int64_t place = place_of(d_format, d);
            const std::uint64_t other = pattern_at_place(d_format, place + (error.is_negative() ? 1 : -1));
            if (decode(d_format, other).number_class != NumberClass::finite) continue;
            NearerCounts nearer;
            nearer.count(d_format, d, other, fast);
            const int order = compare_sizes(absolute, value(unit.d, other) - sum);
            ASSERT_EQ((order < 0 ? nearer.first : order > 0 ? nearer.second : nearer.neither), 1u) << about;
        }
        EXPECT_GT(counted, 100) << text;
    }
}

TEST(ExactErrors, AreBelowAnUlpWhereTheSumIsRoundedAwayFromANumberByNothing) {
    // 1 + 2^-200 is rounded up: less than one ulp, and not the correctly rounded result.
    Errors errors;
    ErrorCounter(format(FormatId::f32)).add(errors, 0x3f800001, {1, 0x1p-200});
    EXPECT_EQ(errors.histogram[1 + 32 + 7], 1u) << "7/8 to 1";
    EXPECT_EQ(errors.correct, 0u);
    // 1 + 2^-200 is rounded to 1.
    Errors small;
    ErrorCounter(format(FormatId::f32)).add(small, 0x3f800000, {1, 0x1p-200});
    EXPECT_EQ(small.most_ulp, 0x1p-177);
    EXPECT_NEAR(small.most_relative, 0x1p-200, 0x1p-250);
    EXPECT_EQ(small.correct, 1u);
}

} // namespace
} // namespace discern::measure
