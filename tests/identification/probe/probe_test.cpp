// The probes against units whose features are known.
#include "identification/probe/probe.hpp"

#include "models/catalogue.hpp"
#include "models/overrides.hpp"
#include "models/random.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>

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

ProbeReport classic(const std::string& text) {
    const Unit unit = resolve_unit(text);
    return probe_classic(shape_of(unit), asking(unit));
}

// Khattak & Mikaitis (2025), §V-A: a custom unit, fp16 to fp32, on which the classic vectors give width 1 and
// truncation.
TEST(Probe, ReadsTheCustomUnitOnWhichTheClassicVectorsFail) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L=8,F=23,round=f32:rne}";
    EXPECT_EQ(value(classic(unit), "T_blk_fma_width"), "1");
    EXPECT_EQ(value(classic(unit), "T_rnd_dir"), "truncate");
    EXPECT_EQ(value(classic(unit), "T_3_bits_fin_rnd"), "0");
    const ProbeReport report = probed(unit);
    EXPECT_EQ(value(report, "block_width"), "8");
    EXPECT_EQ(value(report, "output_rounding"), "rne");
    EXPECT_EQ(value(report, "extra_bits"), "0");
}

// The same section: one extra bit, rounding up.
TEST(Probe, ReadsTheSecondCustomUnit) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L=8,F=24,round=f32:ru}";
    EXPECT_EQ(value(classic(unit), "T_blk_fma_width"), "≥ 16");
    EXPECT_EQ(value(classic(unit), "T_rnd_dir"), "up");
    EXPECT_EQ(value(classic(unit), "T_3_bits_fin_rnd"), "1");
    const ProbeReport report = probed(unit);
    EXPECT_EQ(value(report, "block_width"), "8");
    EXPECT_EQ(value(report, "output_rounding"), "ru");
    EXPECT_EQ(value(report, "extra_bits"), "1");
}

/// A row of Li et al., Table III, and the units of ours that it is read from.
struct PublishedRow {
    const char* gpu;
    const char* unit;                     ///< gives all columns but the next
    const char* half_unit;                ///< with a 16-bit output; nullptr: our catalogue has none
    std::array<const char*, 6> published; ///< in the order of table_row(); "" where we differ, see below
    const char* half_rounding;
};

/// Where our catalogue's models differ from the table, as docs/probe.md explains.
const std::map<std::string, std::string> different = {
    {"A100 TF32: rounding mode", "truncate"},  // published: RTN-TE
    {"A100 FP64: order controllable", "N.A."}, // published: no
    {"H100 FP64: order controllable", "N.A."}, // published: no
};

constexpr std::array<PublishedRow, 16> table_3 = {{
    {"V100 FP16",
     "volta/mma.m8n8k4.f32.f16.f16.f32",
     "volta/mma.m8n8k4.f16.f16.f16.f16",
     {"yes", "yes", "0", "truncate", "4", "no"},
     "RTN-TE"},
    {"A100 FP16",
     "ampere/mma.m16n8k16.f32.f16.f16.f32",
     "ampere/mma.m16n8k16.f16.f16.f16.f16",
     {"yes", "yes", "1", "truncate", "8", "no"},
     "RTN-TE"},
    {"H100 FP16",
     "hopper/mma.m16n8k16.f32.f16.f16.f32",
     "hopper/mma.m16n8k16.f16.f16.f16.f16",
     {"yes", "yes", "≥ 2", "truncate", "≥ 16", "no"},
     "RTN-TE"},
    {"MI100 FP16", "cdna1/v_mfma_f32_16x16x16f16", nullptr, {"yes", "yes", "3", "RTN-TE", "4", "no"}, ""},
    {"MI250X FP16", "cdna2/v_mfma_f32_16x16x16f16", nullptr, {"no", "no", "3", "RTN-TE", "1", "N.A."}, ""},
    {"A100 BF16", "ampere/mma.m16n8k16.f32.bf16.bf16.f32", nullptr, {"yes", "yes", "1", "truncate", "8", "no"}, ""},
    {"H100 BF16",
     "hopper/mma.m16n8k16.f32.bf16.bf16.f32",
     nullptr,
     {"yes", "yes", "≥ 2", "truncate", "≥ 16", "no"},
     ""},
    {"MI100 BF16", "cdna1/v_mfma_f32_16x16x8bf16", nullptr, {"yes", "yes", "3", "RTN-TE", "2", "no"}, ""},
    {"MI250X BF16", "cdna2/v_mfma_f32_16x16x16bf16_1k", nullptr, {"no", "no", "3", "RTN-TE", "1", "N.A."}, ""},
    {"A100 TF32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32", nullptr, {"yes", "yes", "1", "RTN-TE", "4", "no"}, ""},
    {"H100 TF32", "hopper/mma.m16n8k4.f32.tf32.tf32.f32", nullptr, {"yes", "yes", "≥ 2", "truncate", "4", "no"}, ""},
    {"MI100 FP32", "cdna1/v_mfma_f32_16x16x4f32", nullptr, {"yes", "yes", "3", "RTN-TE", "1", "N.A."}, ""},
    {"MI250X FP32", "cdna2/v_mfma_f32_16x16x4f32", nullptr, {"yes", "yes", "3", "RTN-TE", "1", "N.A."}, ""},
    {"A100 FP64", "ampere/mma.m8n8k4.f64.f64.f64.f64", nullptr, {"yes", "yes", "3", "RTN-TE", "1", "no"}, ""},
    {"H100 FP64", "hopper/mma.m8n8k4.f64.f64.f64.f64", nullptr, {"yes", "yes", "3", "RTN-TE", "1", "no"}, ""},
    {"MI250X FP64", "cdna2/v_mfma_f64_16x16x4f64", nullptr, {"yes", "yes", "3", "RTN-TE", "1", "N.A."}, ""},
}};

constexpr std::string_view at_least = "≥ ";

int number(const std::string& text) {
    return std::stoi(text.starts_with(at_least) ? text.substr(at_least.size()) : text);
}

/// The table's "3" bits are guard, round and sticky: what is rounded like the exact sum has them and more. Where it
/// says "≥", its authors could not test further.
bool agrees(const std::string& published, const std::string& ours) {
    if (published == ours) return true;
    if (published == "3" && ours.starts_with(at_least)) return number(ours) >= 3;
    if (published.starts_with(at_least) && ours != "?") return number(ours) >= number(published);
    return false;
}

TEST(Probe, ReproducesTableIII) {
    for (const PublishedRow& row : table_3) {
        SCOPED_TRACE(row.gpu);
        const Unit unit = resolve_unit(row.unit);
        const auto ours = table_row(shape_of(unit), probed(row.unit));
        ASSERT_GE(ours.size(), row.published.size());
        for (std::size_t i = 0; i < row.published.size(); ++i) {
            const auto found = different.find(std::string(row.gpu) + ": " + std::string(ours[i].first));
            if (found != different.end()) {
                EXPECT_EQ(ours[i].second, found->second);
                EXPECT_FALSE(agrees(row.published[i], ours[i].second));
            } else {
                EXPECT_TRUE(agrees(row.published[i], ours[i].second))
                    << ours[i].first << ": " << row.published[i] << " and " << ours[i].second;
            }
        }
        if (row.half_unit == nullptr) continue;
        const auto half = table_row(shape_of(resolve_unit(row.half_unit)), probed(row.half_unit));
        EXPECT_EQ(half[6].second, row.half_rounding);
    }
}

/// A variant of a truncated sum, and what is true of it.
struct Variant {
    std::string text;
    int L, F;
    std::string align, round, c, product;
    bool early = false, late = false;
    bool flush_in = false, flush_c = false, flush_out = false;
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
    v.align = rounding_names[static_cast<std::size_t>(random.below(static_cast<int>(rounding_names.size())))];
    v.round = rounding_names[static_cast<std::size_t>(random.below(static_cast<int>(rounding_names.size())))];
    v.c = places[static_cast<std::size_t>(random.below(3))];
    v.product = normalisations[static_cast<std::size_t>(random.below(3))];
    v.text = std::string(base.name) + "{K=" + std::to_string(K) + ",L=" + std::to_string(v.L) +
             ",F=" + std::to_string(v.F) + ",align=" + v.align + ",round=f32:" + v.round + ",c=" + v.c +
             ",product=" + v.product;
    v.flush_in = random.one_in(3);
    v.flush_c = random.one_in(3);
    v.flush_out = random.one_in(3);
    std::string flushed;
    for (const auto& [ftz, what] : {std::pair(v.flush_in, "in"), {v.flush_c, "c"}, {v.flush_out, "out"}})
        if (ftz) flushed += (flushed.empty() ? "" : "+") + std::string(what);
    v.text += ",ftz=" + (flushed.empty() ? "none" : flushed) + "}";
    v.early = v.c == "early";
    v.late = v.c == "late";
    if (v.c == "last" && K == v.L) v.c = "late"; // the same
    if (v.L == 1 && v.c != "last") v.c = "each product";
    return v;
}

/// Whether a value is right: the same, or a bound that holds.
bool holds(const std::string& text, int truth) {
    if (text.starts_with(at_least)) return truth >= number(text);
    return text == std::to_string(truth);
}

TEST(Probe, IsRightOnRandomVariants) {
    const int count = tests::sweep(60);
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
        const auto flush_is = [&](std::string_view key, bool truth, bool other) {
            return is(key, truth ? "flushed" : "kept") ||
                   (value(report, key) == "flushed in c or d" && (truth || other));
        };
        EXPECT_TRUE(is("subnormal_a", v.flush_in ? "flushed" : "kept"));
        EXPECT_TRUE(is("subnormal_b", v.flush_in ? "flushed" : "kept"));
        if (v.early) { // else a last addition of c, which flushes nothing, comes after what flushes
            EXPECT_TRUE(flush_is("subnormal_c", v.flush_c, v.flush_out));
            EXPECT_TRUE(flush_is("subnormal_d", v.flush_out, v.flush_c));
        }
        EXPECT_EQ(value(report, "block_width"), std::to_string(v.L));
        EXPECT_EQ(value(report, "interleave"), "consecutive");
        EXPECT_EQ(value(report, "c_place"), v.c);
        const bool only_late = v.c == "each product" && v.late; // the only sum is that of c, an IEEE addition
        if (value(report, "alignment_bits") == "?")
            ++unknown["alignment_bits"];
        else
            EXPECT_TRUE(holds(value(report, "alignment_bits"), only_late ? 64 : v.F));
        if (only_late)
            EXPECT_EQ(value(report, "alignment_rounding"), "?");
        else
            EXPECT_TRUE(is("alignment_rounding", v.align));
        EXPECT_TRUE(is("output_rounding", only_late ? "rne" : v.round));
        EXPECT_TRUE(is("product_normalisation", v.product));
    }
    for (const auto& [key, number] : unknown) std::printf("cannot tell %s: %d of %d\n", key.c_str(), number, count);
}

/// The five modes of Xie et al. that few units have: each row of a sum with them is told.
TEST(Probe, TellsRareModes) {
    for (const char* const mode : {"ra", "rnu", "rnd", "rnz", "rno"}) {
        const std::string unit =
            std::string("hopper/wgmma.m64n8k16.f32.f16.f16{align=") + mode + ",round=f32:" + mode + "}";
        const ProbeReport report = probed(unit);
        SCOPED_TRACE(unit + "\n" + row(report));
        EXPECT_EQ(value(report, "alignment_bits"), "25");
        EXPECT_EQ(value(report, "alignment_rounding"), mode);
        EXPECT_EQ(value(report, "output_precision"), "23");
        EXPECT_EQ(value(report, "output_rounding"), mode);
    }
}

/// Answers of something that is no unit of ours.
ProbeReport probed_as(const std::string& text,
                      const std::function<std::uint64_t(const Inputs&, std::uint64_t)>& change) {
    const Unit unit = resolve_unit(text);
    const AskTarget ask = [evaluate = std::make_shared<Evaluator>(unit), &change](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> answers;
        for (const Inputs& inputs : batch) answers.emplace_back(change(inputs, (*evaluate)(inputs)));
        return answers;
    };
    return probe_features(shape_of(unit), ask);
}

TEST(Probe, SaysThatItCannotTellWhereNoReadingFits) {
    const std::string unit = "hopper/wgmma.m64n8k16.f32.f16.f16";
    Random random(5);
    const auto noise = [&](const Inputs&, std::uint64_t) { return random.bits() & 0xbfffffff; };
    const auto nothing = [](const Inputs&, std::uint64_t) { return std::uint64_t{0}; };
    const auto dead_lane = [&](const Inputs& inputs, std::uint64_t d) { return inputs.a[3] == 0 ? d : 0; };
    const auto blurred = [](const Inputs&, std::uint64_t d) { return d == 0 ? 0 : d | 1; };
    for (const std::function<std::uint64_t(const Inputs&, std::uint64_t)>& change :
         {std::function<std::uint64_t(const Inputs&, std::uint64_t)>(noise), {nothing}, {dead_lane}, {blurred}}) {
        const ProbeReport report = probed_as(unit, change);
        SCOPED_TRACE(row(report));
        for (const std::string_view key :
             {"block_width", "interleave", "order", "alignment_bits", "extra_bits", "alignment_rounding",
              "output_precision", "output_rounding", "product_normalisation"})
            EXPECT_EQ(value(report, key), "?") << key;
    }
}

/// Overrides' keys and the features that tell them.
struct Told {
    std::string_view key, feature;
};

// What the catalogue says of every truncated sum, as far as the formats let one see it.
TEST(Probe, IsRightOnTheCatalogue) {
    std::set<std::uint64_t> seen;
    std::map<std::string, int> told;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!entry.family.starts_with("T-FDPA") || !seen.insert(arithmetic_hash(entry.unit)).second) continue;
        const ProbeReport report = probed(entry.name);
        SCOPED_TRACE(entry.name + "\n" + row(report));
        std::map<std::string, std::string> truth;
        for (const auto& [key, text] : parameters(entry.unit)) truth[std::string(key)] = text;
        if (truth["c"] == "last" && entry.unit.K == entry.unit.L) truth["c"] = "late";
        truth["round"] = truth["round"].substr(truth["round"].find(':') + 1);
        const std::string runs = truth["interleave"];
        truth["interleave"] = runs == "0" ? "consecutive" : "interleaved by " + runs;
        for (const auto& [key, feature] : {Told{"L", "block_width"},
                                           {"interleave", "interleave"},
                                           {"c", "c_place"},
                                           {"F", "alignment_bits"},
                                           {"align", "alignment_rounding"},
                                           {"round", "output_rounding"},
                                           {"product", "product_normalisation"}}) {
            const std::string text = value(report, feature), right = truth[std::string(key)];
            if (text == "?") continue;
            ++told[std::string(feature)];
            EXPECT_TRUE(text == right || (key == "F" && holds(text, std::stoi(right)))) << feature << " is " << right;
        }
    }
    // Only e3m2, e2m3 and e2m1 reach too few bits.
    EXPECT_GE(told["block_width"], 40);
    EXPECT_GE(told["alignment_bits"], 40);
    EXPECT_GE(told["output_rounding"], 40);
}

// ------------------------------------------------------------------------------ a table is held against what was seen

ProbeReport checked(const std::string& text) {
    const Unit unit = resolve_unit(text);
    return probe_checked(shape_of(unit), asking(unit), 60);
}

std::string plus(const std::string& x, const std::string& y, const std::string& format = "f32") {
    return "round[" + format + " rne](fuse[exact](" + x + ", " + y + "))";
}
std::string alone(int lane) { return "round[f32 rne](p" + std::to_string(lane) + ")"; }
const std::string of_eight = "f16*f16+f32->f32 K=8 L=8 : ";

// The three units that were once misread: as a sum of neighbours, as blocks of 1 1 1 1 4, as sums of 23 bits.
TEST(Probe, ReadsWhatProgramsAddUp) {
    const auto four = [&](int i) { return plus(alone(i), alone(i + 4)); };
    const ProbeReport halves = checked(of_eight + plus("c", plus(plus(four(0), four(2)), plus(four(1), four(3)))));
    EXPECT_EQ(value(halves, "order"), "halving strides") << row(halves);
    EXPECT_EQ(value(halves, "block_width"), "8");
    EXPECT_TRUE(halves.unit);
    EXPECT_EQ(halves.fresh, 10'000u);

    std::string even = "c", odd = alone(1), wide = "c";
    for (int i = 0; i < 8; i += 2) even = plus("p" + std::to_string(i), even);
    for (int i = 3; i < 8; i += 2) odd = plus("p" + std::to_string(i), odd);
    const ProbeReport chains = checked(of_eight + plus(even, odd));
    EXPECT_EQ(value(chains, "order"), "two chains") << row(chains);
    EXPECT_EQ(value(chains, "interleave"), "even, odd");
    EXPECT_TRUE(chains.unit);

    for (int i = 0; i < 8; ++i) wide = plus("p" + std::to_string(i), wide, "f64");
    const ProbeReport doubles = checked(of_eight + "round[f32 rne](" + wide + ")");
    EXPECT_EQ(value(doubles, "output_precision"), "52") << row(doubles);
    EXPECT_EQ(value(doubles, "block_width"), "1");
    EXPECT_TRUE(doubles.unit);
    // Neighbours are still neighbours.
    const auto two = [&](int i) { return plus(alone(i), alone(i + 1)); };
    EXPECT_EQ(value(checked(of_eight + plus("c", plus(plus(two(0), two(2)), plus(two(4), two(6))))), "order"), "pairs");
}

TEST(Probe, TakesBackWhatNoUnitExplains) {
    // Two lanes alone, the others in one sum: none of the known ways to add.
    const ProbeReport odd = checked(of_eight + plus("c", plus("p0", plus("p5", "p1, p2, p3, p4, p6, p7"))));
    for (const std::string_view key : {"block_width", "interleave", "c_place", "order", "output_precision"}) {
        EXPECT_EQ(value(odd, key), "?") << key;
        EXPECT_EQ(odd.find(key)->why, "none of the known readings gives all answers") << key;
    }
    EXPECT_FALSE(odd.unit);
    // A unit that is right in every probe, and wrong in one vector of a hundred.
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    const Evaluator evaluate(unit);
    const AskTarget ask = [&](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> answers;
        for (const Inputs& v : batch) {
            const bool wrong = (v.a[0] & 0x3f) == 0x25 && v.a[1] != 0 && v.a[2] != 0 && v.a[3] != 0;
            answers.emplace_back(evaluate(v) ^ static_cast<std::uint64_t>(wrong));
        }
        return answers;
    };
    EXPECT_NE(value(probe_features(shape_of(unit), ask), "order"), "?");
    EXPECT_EQ(value(probe_checked(shape_of(unit), ask, 60), "order"), "?");
}

// CDNA3: products are summed first, and c is a term of another sum (Xie et al., Algorithms 10 and 11); the probes of
// the structure see one sum of all, which is not what gives the answers.
TEST(Probe, SaysOfSumsOfSumsThatTheyAre) {
    const ProbeReport f16 = checked("cdna3/v_mfma_f32_32x32x8_f16");
    EXPECT_EQ(value(f16, "order"), "sums of sums");
    EXPECT_EQ(value(f16, "c_place"), "outer sum");
    EXPECT_EQ(value(f16, "sum_alignment"), "F=32 rd");
    const ProbeReport fp8 = checked("cdna3/v_mfma_f32_32x32x16_fp8_fp8");
    EXPECT_EQ(value(fp8, "order"), "sums of sums");
    EXPECT_NE(fp8.find("order")->why.find("one of lanes 1 3 5 7"), std::string::npos) << fp8.find("order")->why;
    EXPECT_EQ(value(fp8, "sum_alignment"), "F=24 rd, F=32 rd");
    const ProbeReport one = checked("hopper/wgmma.m64n8k16.f32.f16.f16");
    EXPECT_EQ(value(one, "order"), "fused");
    EXPECT_EQ(one.find("sum_alignment"), nullptr);
}

TEST(Probe, KeepsWhatTheCatalogueIs) {
    // Where the catalogue has no such unit, one of identify's space explains the table.
    for (const char* const name : {"volta/mma.m8n8k4.f32.f16.f16.f32", "x86/vdpbf16ps", "x86/dpps",
                                   "cdna1/v_mfma_f32_16x16x16f16", "volta/mma.m8n8k4.f32.f16.f16.f32{F=20}"}) {
        const ProbeReport before = probed(name), after = checked(name);
        EXPECT_EQ(row(before), row(after)) << name;
        EXPECT_TRUE(after.unit) << name;
    }
}

} // namespace
} // namespace discern
