// The probes against units whose features are known.
#include "solver/probe.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>

namespace discern {
namespace {

AskTarget asking(const Unit& unit) {
    return [evaluate = std::make_shared<Evaluator>(unit)](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> answers;
        for (const Inputs& inputs : batch) answers.emplace_back((*evaluate)(inputs));
        return answers;
    };
}

ProbeReport probed(const std::string& text) {
    const Unit unit = resolve_unit(text);
    return probe_features(shape_of(unit), asking(unit));
}

std::string value(const ProbeReport& report, std::string_view key) {
    const Feature* const feature = report.find(key);
    return feature == nullptr ? "not there" : feature->value.value_or("?");
}

std::string row(const ProbeReport& report) {
    std::string text;
    for (const Feature& feature : report.features)
        text += std::string(feature.key) + "=" + feature.value.value_or("?") + " ";
    return text;
}

TEST(Probe, Scratch) {
    for (const char* unit :
         {"volta/mma.m8n8k4.f32.f16.f16.f32", "ampere/mma.m16n8k16.f32.f16.f16.f32",
          "hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f16.f16.f16", "ampere/mma.m16n8k8.f32.bf16.bf16.f32",
          "ampere/mma.m8n8k4.f64.f64.f64.f64", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32",
          "cdna1/v_mfma_f32_16x16x16f16", "cdna1/v_mfma_f32_16x16x8bf16", "cdna2/v_mfma_f32_16x16x16f16", "cdna2/v_mfma_f32_16x16x8bf16", "cdna2/v_mfma_f32_16x16x4f32",
          "cdna3/v_mfma_f32_16x16x16_f16", "x86/dpps", "x86/vdpbf16ps", "x86/fma.f32"}) {
        const ProbeReport report = probed(unit);
        std::printf("%s: %zu\n   %s\n", unit, report.asked.size(), row(report).c_str());
    }
}

/// A variant of a truncated sum, and what is true of it.
struct Variant {
    std::string text;
    int L, F;
    std::string align, round, c, product;
};

Variant random_variant(Random& random) {
    struct Base {
        const char* name;
        int most_F; ///< what products and c can show
    };
    static constexpr std::array<Base, 5> bases = {{{"hopper/wgmma.m64n8k16.f32.f16.f16", 40},
                                                   {"ampere/mma.m16n8k16.f32.bf16.bf16.f32", 50},
                                                   {"hopper/wgmma.m64n8k8.f32.tf32.tf32", 50},
                                                   {"hopper/wgmma.m64n8k32.f32.e5m2.e5m2", 40},
                                                   {"hopper/wgmma.m64n8k32.f32.e4m3.e4m3", 26}}};
    static constexpr std::array<const char*, 3> places = {"early", "late", "last"};
    static constexpr std::array<const char*, 3> normalisations = {"raw", "carry", "full"};
    const Base& base = bases[static_cast<std::size_t>(random.below(bases.size()))];
    Variant v;
    const int K = 1 << random.between(2, 5);
    v.L = std::min(K, 1 << random.between(0, 5));
    v.F = random.between(8, base.most_F);
    v.align = rounding_names[static_cast<std::size_t>(random.below(6))];
    v.round = rounding_names[static_cast<std::size_t>(random.below(6))];
    v.c = places[static_cast<std::size_t>(random.below(3))];
    v.product = normalisations[static_cast<std::size_t>(random.below(3))];
    v.text = std::string(base.name) + "{K=" + std::to_string(K) + ",L=" + std::to_string(v.L) +
             ",F=" + std::to_string(v.F) + ",align=" + v.align + ",round=f32:" + v.round + ",c=" + v.c +
             ",product=" + v.product + "}";
    if (v.c == "last" && K == v.L) v.c = "late"; // the same
    if (v.L == 1 && v.c != "last") v.c = "each product";
    return v;
}

/// Whether a value is right: the same, or a bound that holds.
bool holds(const std::string& text, int truth) {
    constexpr std::string_view at_least = "≥ ";
    if (text.starts_with(at_least)) return truth >= std::stoi(text.substr(at_least.size()));
    return text == std::to_string(truth);
}

TEST(Probe, IsRightOnRandomVariants) {
    const char* const sweep = std::getenv("DISCERN_SWEEP");
    const int count = sweep != nullptr ? std::atoi(sweep) : 60;
    constexpr std::uint64_t seed = 11;
    Random random(seed);
    std::map<std::string, int> unknown;
    for (int i = 0; i < count; ++i) {
        const Variant v = random_variant(random);
        const ProbeReport report = probed(v.text);
        SCOPED_TRACE(v.text + "\n" + row(report));
        const auto is = [&](std::string_view key, const std::string& truth) {
            const std::string seen = value(report, key);
            if (seen == "?") ++unknown[std::string(key)];
            return seen == "?" || seen == truth;
        };
        EXPECT_EQ(value(report, "block_width"), std::to_string(v.L));
        EXPECT_EQ(value(report, "interleave"), "consecutive");
        EXPECT_EQ(value(report, "c_place"), v.c);
        if (value(report, "alignment_bits") == "?")
            ++unknown["alignment_bits"];
        else
            EXPECT_TRUE(holds(value(report, "alignment_bits"), v.F));
        EXPECT_TRUE(is("alignment_rounding", v.align));
        EXPECT_TRUE(is("output_rounding", v.round));
        EXPECT_TRUE(is("product_normalisation", v.product));
    }
    for (const auto& [key, number] : unknown) std::printf("cannot tell %s: %d of %d\n", key.c_str(), number, count);
}

} // namespace
} // namespace discern
