// What follows a sum: computed as hardware computes f32, found from what is seen of it, and kernels behind it.
#include "box.hpp"
#include "sweep.hpp"

#include "identification/kernel/epilogue.hpp"

#include "models/format.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>

namespace discern::kernels {
namespace {

using Then = std::function<std::uint64_t(float)>;

std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// f32 to bf16 as programs do it: with integers.
std::uint64_t to_bf16(float x) {
    const auto word = static_cast<std::uint32_t>(bits(x));
    return x != x ? 0x7fff : (word + 0x7fff + ((word >> 16) & 1)) >> 16;
}

/// f32 to e4m3: the nearest of all numbers, ties to even; beyond 448 it is that.
std::uint64_t to_e4m3(float x) {
    if (x != x) return 0x7f;
    std::uint64_t best = 0;
    const double magnitude = std::fabs(static_cast<double>(x));
    double least = magnitude;
    for (std::uint64_t code = 0; code < 0x7f; ++code) {
        const double away = std::fabs(to_double(format(FormatId::e4m3), code) - magnitude);
        if (away < least || (away == least && code % 2 == 0)) best = code, least = away;
    }
    return best | (std::signbit(x) ? 0x80 : 0);
}

/// The kernel behind something, without C: from zero.
struct Behind {
    Box box;
    Shape shape;
    Ask ask;

    Behind(std::string_view kernel, FormatId d, const Then& then)
        : box(resolve_kernel(kernel)), shape(box.shape), ask([this, then](std::span<const Inputs> batch) {
              std::vector<Inputs> from_zero(batch.begin(), batch.end());
              for (Inputs& inputs : from_zero) inputs.c = 0;
              auto answers = box.ask(from_zero);
              for (auto& answer : answers) answer = then(std::bit_cast<float>(static_cast<std::uint32_t>(*answer)));
              return answers;
          }) {
        shape.c.reset();
        shape.d = d;
    }
    /// @param timeout  seconds; of those that there are, some searches take a share
    KernelResult identify(double timeout = 30) {
        KernelOptions options;
        options.timeout = timeout;
        options.validate_seconds = 1;
        return identify_kernel(shape, ask, options);
    }
    /// Whether what was found is the kernel and what follows it, on fresh vectors.
    void expect(const KernelResult& r) {
        ASSERT_TRUE(r.kernel) << r.trouble;
        Finished found{*r.kernel, r.then ? std::optional(r.then->epilogue) : std::nullopt};
        const KernelEvaluator evaluate(found.kernel);
        for (const Family family : families) {
            InputGenerator generator(chain_of(found.kernel), family, 4711);
            InputBuffer x;
            for (int i = 0; i < 40; ++i) {
                generator.next(x);
                const std::vector<Inputs> one(1, x.inputs());
                ASSERT_TRUE(same_result(found, *ask(one).front(), found.of_sum(evaluate(x.inputs()))))
                    << name(family) << " " << i;
            }
        }
    }
};

/// Whether the schedule was found, or is one of those that are the same there.
bool has(const KernelResult& r, const std::string& schedule) {
    return to_string(r.kernel->schedule) == schedule ||
           std::find(r.also.begin(), r.also.end(), schedule) != r.also.end();
}

constexpr std::string_view hopper_fp8 = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3";
/// With half of a part behind the first one, or in a sweep behind two.
const std::string promoted =
    std::string(hopper_fp8) + (tests::sweeping() ? "@[K=320" : "@[K=192") + " promote=128:f32:rne from=zero]";

/// y = RN(sum · alpha + bias), one multiply-add of f32.
float fused(float sum, float alpha, float bias) { return std::fma(sum, alpha, bias); }

TEST(Epilogue, ThePowerOfTwoOfOneScaleATensor) {
    Behind target(promoted, FormatId::f32, [](float s) {
        const float y = fused(s, 0x1p-9F, 0);
        return y != y ? 0x7fffffff : bits(y);
    });
    const KernelResult r = target.identify();
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    EXPECT_TRUE(has(r, "promote=128:f32:rne")) << to_string(r.kernel->schedule);
    EXPECT_EQ(r.then->epilogue.alpha, 0x1p-9F);
}

TEST(Epilogue, WhichScheduleIsOnlyThereTheSameAnotherLengthShows) {
    const auto power = [](float s) {
        const float y = fused(s, 0x1p-9F, 0);
        return y != y ? 0x7fffffff : bits(y);
    };
    const auto kernel = [](int K) {
        return std::string(hopper_fp8) + "@[K=" + std::to_string(K) + " promote=128:f32:rne from=zero]";
    };
    Behind target(kernel(256), FormatId::f32, power);
    KernelOptions options;
    options.timeout = 30;
    options.validate_seconds = 1;
    options.at_length = [&](int K) -> std::optional<AtLength> {
        if (K > 1024) return std::nullopt;
        const auto longer = std::make_shared<Behind>(kernel(K), FormatId::f32, power);
        return AtLength{longer->ask, {}, longer};
    };
    const KernelResult r = identify_kernel(target.shape, target.ask, options);
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(to_string(r.kernel->schedule), "promote=128:f32:rne");
    EXPECT_TRUE(has(r, "split=2 reduce=order:f32:rne"));
}

TEST(Epilogue, AScaleThatRounds) {
    Behind target(promoted, FormatId::f32, [](float s) {
        const float y = fused(s, 0.3F, 0);
        return y != y ? 0x7fffffff : bits(y);
    });
    const KernelResult r = target.identify();
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    EXPECT_TRUE(has(r, "promote=128:f32:rne")) << to_string(r.kernel->schedule);
    EXPECT_EQ(r.then->epilogue.alpha, 0.3F);
    EXPECT_EQ(r.then->least, r.then->greatest);
    EXPECT_EQ(r.then->epilogue.addition, Addition::fused);
}

TEST(Epilogue, ASecondRoundingAndABias) {
    Behind target(promoted, FormatId::bf16, [](float s) { return to_bf16(fused(s, 0.0123F, 1.5F)); });
    const KernelResult r = target.identify(120);
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    EXPECT_TRUE(has(r, "promote=128:f32:rne")) << to_string(r.kernel->schedule);
    EXPECT_EQ(r.then->epilogue.bias, 1.5F);
    EXPECT_LE(r.then->least, 0.0123F);
    EXPECT_GE(r.then->greatest, 0.0123F);
}

TEST(Epilogue, ABiasAfterARounding) {
    Behind target(std::string(hopper_fp8) + "@[K=128 split=2]", FormatId::f32, [](float s) {
        const float y = static_cast<float>(static_cast<double>(s) * 0.7F);
        const float z = static_cast<float>(static_cast<double>(y) + 0.1F);
        return z != z ? 0x7fffffff : bits(z);
    });
    const KernelResult r = target.identify();
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    EXPECT_EQ(to_string(r.kernel->schedule), "split=2 reduce=order:f32:rne");
    EXPECT_EQ(r.then->epilogue.addition, Addition::after);
    EXPECT_EQ(r.then->epilogue.bias, 0.1F);
}

TEST(Epilogue, AScaleARowAndAColumn) {
    Behind target(std::string(hopper_fp8) + "@[K=128]", FormatId::f32, [](float s) {
        const float y = static_cast<float>(static_cast<double>(s) * 0.3F);
        const float z = static_cast<float>(static_cast<double>(y) * 0.9F) + 0.0F;
        return z != z ? 0x7fffffff : bits(z);
    });
    const KernelResult r = target.identify(120);
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    ASSERT_TRUE(r.then->epilogue.second);
}

TEST(Epilogue, ResultsOfFp8ThatSaturate) {
    Behind target(std::string(hopper_fp8) + "@[K=128 split=2 reduce=order:f32:rne]", FormatId::e4m3,
                  [](float s) { return to_e4m3(static_cast<float>(static_cast<double>(fused(s, 0.25F, 0)) * 0.1F)); });
    const KernelResult r = target.identify();
    ASSERT_NO_FATAL_FAILURE(target.expect(r));
    EXPECT_EQ(r.unit_name, hopper_fp8);
    EXPECT_TRUE(r.then->epilogue.saturates);
    EXPECT_EQ(r.conclusion, identify::Conclusion::open);
}

TEST(Epilogue, AWrongHypothesisIsRefuted) {
    // Sums that are truncated to bf16, which no way of rounding here gives.
    Behind target(std::string(hopper_fp8) + "@[K=128]", FormatId::bf16, [](float s) { return bits(s * 0.3F) >> 16; });
    const KernelResult r = target.identify(10);
    EXPECT_FALSE(r.kernel);
    EXPECT_EQ(r.conclusion, identify::Conclusion::unexplained);
    EXPECT_NE(r.trouble.find("not what scales, a bias and roundings give"), std::string::npos) << r.trouble;
}

TEST(Epilogue, ExpressionsOfProgramsAndTheModelAgree) {
    Random random(3);
    Epilogue bf16{
        .alpha = 0.3F, .second = {}, .addition = Addition::fused, .bias = 0.7F, .d = FormatId::bf16, .nan = 0x7fff};
    Epilogue e4m3{.alpha = 0.5F, .second = 0.7F, .saturates = true, .d = FormatId::e4m3, .nan = 0x7f};
    for (int i = 0; i < 200'000; ++i) {
        const auto word = static_cast<std::uint32_t>(random.bits());
        const float s = std::bit_cast<float>(word);
        ASSERT_EQ(bf16(s), to_bf16(fused(s, 0.3F, 0.7F))) << s;
        if (i % 50 != 0) continue; // the other way looks at all numbers of e4m3
        const float y = static_cast<float>(static_cast<double>(s * 0.5F) * 0.7F);
        ASSERT_EQ(e4m3(s), to_e4m3(y)) << s;
    }
}

TEST(Epilogue, NearestIsThatOfF16) {
    const Format& f = format(FormatId::f16);
    for (std::uint64_t x = 0; x < 0x7bff; ++x) {
        const double low = to_double(f, x), high = to_double(f, x + 1), middle = (low + high) / 2;
        ASSERT_EQ(nearest(f, low, false), x);
        ASSERT_EQ(nearest(f, middle, false), x + x % 2);
        ASSERT_EQ(nearest(f, std::nextafter(middle, high), false), x + 1);
        ASSERT_EQ(nearest(f, -std::nextafter(middle, low), false), x | 0x8000);
    }
    EXPECT_EQ(nearest(f, 65519.9, false), 0x7bffu);
    EXPECT_EQ(nearest(f, 65520, false), 0x7c00u);
    EXPECT_EQ(nearest(f, 1e9, true), 0x7bffu);
}

TEST(Epilogue, SumsBeforeAreTheOnlyOnes) {
    const Epilogue e{.alpha = 0.3F, .addition = Addition::fused};
    int found = 0;
    for (int i = 0; i < 4096; ++i) {
        const float s = 1 + static_cast<float>(i) * 0x1p-23F;
        const auto before = sum_before(e, e(s), -18);
        if (!before) continue;
        ++found;
        ASSERT_EQ(*before, bits(s));
        ASSERT_NE(e(std::nextafter(s, 2.0F)), e(s));
        ASSERT_NE(e(std::nextafter(s, 0.0F)), e(s));
    }
    EXPECT_GT(found, 1000);
}

} // namespace
} // namespace discern::kernels
