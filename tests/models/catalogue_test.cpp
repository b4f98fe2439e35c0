// The catalogue: complete, consistent, and found by name.
#include "models/catalogue.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace discern {
namespace {

std::string error_of_unit(const std::string& unit) {
    try {
        resolve_unit(unit);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Catalogue, NamesAreUniqueAndFound) {
    std::set<std::string> names;
    for (const CatalogueEntry& entry : catalogue()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_EQ(find_entry(entry.name), &entry);
        EXPECT_EQ(entry.name, entry.architecture + "/" + entry.instruction);
        EXPECT_FALSE(entry.family.empty());
        EXPECT_NO_THROW(Evaluator{entry.unit}) << entry.name;
        const CatalogueEntry* same = entry_of(entry.unit);
        ASSERT_NE(same, nullptr);
        EXPECT_EQ(arithmetic_hash(same->unit), arithmetic_hash(entry.unit));
    }
}

TEST(Catalogue, HasTheInstructionsOfEachArchitecture) {
    std::map<std::string, int> count;
    for (const CatalogueEntry& entry : catalogue()) ++count[entry.architecture];
    // AMD: the matrix instructions that a compiler knows for gfx908, gfx90a and gfx942.
    EXPECT_EQ(count["cdna1"], 15);
    EXPECT_EQ(count["cdna2"], 23); // and V_DOT2
    EXPECT_EQ(count["cdna3"], 27);
    EXPECT_EQ(count["cdna5"], 42);
    EXPECT_EQ(count["volta"], 3);
    EXPECT_EQ(count["turing"], 5);
    EXPECT_EQ(count["x86"], 11);
    EXPECT_EQ(count["riscv"], 5);
    EXPECT_EQ(count["rdna3"], 6);
    EXPECT_EQ(count["rdna35"], 2);
    EXPECT_EQ(count["rdna4"], 18);
    EXPECT_EQ(count["apple"], 5);
    EXPECT_EQ(count["vortex"], 4);
}

/// Xie et al., Tables 4 to 7, in the words of overrides.
TEST(Catalogue, ParametersOfThePapersTables) {
    struct Case {
        const char* name;
        std::map<std::string, std::string> expected;
    };
    const Case cases[] = {
        {"volta/mma.m8n8k4.f32.f16.f16.f32", {{"L", "4"}, {"F", "23"}, {"round", "f32:rz"}, {"floor", "none"}}},
        {"volta/mma.m8n8k4.f16.f16.f16.f16", {{"L", "4"}, {"F", "23"}, {"round", "f16:rne"}, {"floor", "-19"}}},
        {"turing/mma.m16n8k8.f32.f16.f16.f32", {{"L", "8"}, {"F", "24"}, {"round", "f32:rz"}, {"floor", "-132"}}},
        {"ampere/mma.m16n8k8.f32.tf32.tf32.f32", {{"L", "4"}, {"F", "24"}, {"floor", "-132"}}},
        {"ampere/mma.m16n8k16.f16.f16.f16.f16", {{"L", "8"}, {"F", "24"}, {"round", "f16:rne"}, {"floor", "-20"}}},
        {"ada/mma.m16n8k32.f32.e4m3.e5m2.f32", {{"L", "16"}, {"F", "13"}, {"round", "e8m13:rz"}, {"floor", "none"}}},
        {"hopper/wgmma.m64n8k8.f32.tf32.tf32", {{"L", "8"}, {"F", "25"}, {"floor", "-133"}}},
        {"hopper/wgmma.m64n8k16.f16.f16.f16", {{"L", "16"}, {"F", "25"}, {"round", "f16:rne"}, {"floor", "-21"}}},
        {"hopper/wgmma.m64n8k32.f16.e5m2.e5m2", {{"L", "32"}, {"F", "13"}, {"round", "f16:rne"}}},
        {"hopper/mma.m16n8k32.f32.e4m3.e4m3.f32", {{"L", "16"}, {"F", "25"}, {"interleave", "2"}, {"c", "last"}}},
        {"hopper/mma.m16n8k16.f32.e4m3.e4m3.f32", {{"L", "8"}, {"interleave", "2"}, {"c", "last"}}},
        {"blackwell/tcgen05.mma.m64n8k32.f32.e2m1.e3m2", {{"L", "32"}, {"F", "25"}, {"round", "f32:rz"}}},
        {"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
         {{"L", "64"}, {"F", "35"}, {"G", "16"}, {"zero", "emin, c -139"}, {"empty", "-139"}, {"floor", "none"}}},
        {"turing/mma.m8n8k4.f16.f16.f16.f16", {{"L", "4"}, {"F", "23"}, {"round", "f16:rne"}, {"floor", "-19"}}},
        {"turing/mma.m8n8k4.f32.f16.f16.f32", {{"L", "4"}, {"F", "23"}, {"round", "f32:rz"}, {"floor", "none"}}},
        {"rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e2m1.f32.ue8m0", {{"L", "32"}, {"F", "25"}, {"floor", "-133"}}},
        {"cdna1/v_mfma_f32_16x16x16f16", {{"L", "4"}, {"F", "exact"}, {"round", "f32:rne"}, {"usign", "keep"}}},
        {"cdna1/v_mfma_f32_16x16x8bf16", {{"L", "2"}}},
        {"cdna2/v_mfma_f32_16x16x8bf16", {{"P", "2"}, {"ftz", "in+c+out"}, {"fsign", "out"}, {"zin", "pos"}}},
        {"cdna2/v_mfma_f32_16x16x16bf16_1k", {{"P", "4"}}},
        {"cdna3/v_mfma_f32_16x16x8_xf32",
         {{"L", "4"},
          {"F", "24"},
          {"F2", "31"},
          {"sum", "rd"},
          {"limit", "128"},
          {"oinf", "counts"},
          {"zero", "ignore, c emin"}}},
        {"cdna3/v_mfma_f32_16x16x32_fp8_bf8", {{"L", "16"}, {"drop", "25"}, {"nan", "any"}}},
        {"hopper/mma.m16n8k16.f64.f64.f64.f64", {{"K", "16"}, {"L", "1"}, {"F", "exact"}, {"nan", "any"}}},
    };
    for (const Case& c : cases) {
        ASSERT_NE(find_entry(c.name), nullptr) << c.name;
        std::map<std::string, std::string> values;
        for (const auto& [key, value] : parameters(find_entry(c.name)->unit)) values[std::string(key)] = value;
        for (const auto& [key, value] : c.expected) EXPECT_EQ(values[key], value) << c.name << " " << key;
    }
}

TEST(Catalogue, EveryParameterHasEvidence) {
    for (const CatalogueEntry& entry : catalogue()) {
        EXPECT_EQ(evidence_of(entry).size(), parameters(entry.unit).size()) << entry.name;
        for (const ParameterEvidence& row : evidence_of(entry))
            EXPECT_FALSE(row.source.empty()) << entry.name << " " << row.parameter;
    }
    const auto evidence = [](const char* name, const std::string& key) {
        for (const ParameterEvidence& row : evidence_of(*find_entry(name)))
            if (row.parameter == key) return row.evidence;
        throw std::logic_error(key);
    };
    EXPECT_EQ(evidence("hopper/wgmma.m64n8k16.f32.bf16.bf16", "floor"), Evidence::silicon);
    EXPECT_EQ(evidence("hopper/wgmma.m64n8k16.f32.f16.f16", "floor"), Evidence::toolbox);
    EXPECT_EQ(evidence("turing/mma.m16n8k8.f32.f16.f16.f32", "floor"), Evidence::toolbox);
    EXPECT_EQ(evidence("rtxblackwell/mma.m16n8k16.f32.f16.f16.f32", "floor"), Evidence::toolbox);
    EXPECT_EQ(evidence("hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "floor"), Evidence::open);
    EXPECT_EQ(evidence("volta/mma.m8n8k4.f32.f16.f16.f32", "F"), Evidence::silicon);
    EXPECT_EQ(evidence("volta/mma.m8n8k4.f32.f16.f16.f32", "zero"), Evidence::open);
    EXPECT_EQ(evidence("hopper/mma.m16n8k32.f32.e4m3.e4m3.f32", "interleave"), Evidence::assembler);
    EXPECT_EQ(evidence("cdna3/v_mfma_f32_16x16x16_f16", "F2"), Evidence::toolbox);
    EXPECT_EQ(evidence("cdna3/v_mfma_f32_16x16x32_fp8_fp8", "F2"), Evidence::silicon);
    EXPECT_EQ(evidence("cdna3/v_mfma_f32_16x16x16_bf16", "oinf"), Evidence::open);
    EXPECT_EQ(evidence("cdna2/v_mfma_f32_16x16x16f16", "zin"), Evidence::toolbox);
    EXPECT_EQ(evidence("turing/mma.m8n8k4.f32.f16.f16.f32", "F"), Evidence::toolbox);
    const char* const nvfp4 = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3";
    EXPECT_EQ(evidence(nvfp4, "empty"), Evidence::toolbox);
}

/// Two sources that disagree are both named.
TEST(Catalogue, DisagreeingSourcesAreBothNamed) {
    const struct {
        const char *name, *parameter;
    } cases[] = {{"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", "empty"},
                 {"blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", "floor"},
                 {"cdna2/v_mfma_f32_16x16x16f16", "zin"},
                 {"cdna3/v_mfma_f32_16x16x16_f16", "F2"},
                 {"cdna3/v_mfma_f32_16x16x16_bf16", "oinf"},
                 {"cdna3/v_mfma_f32_16x16x16_bf16", "zero"}};
    for (const auto& c : cases)
        for (const ParameterEvidence& row : evidence_of(*find_entry(c.name))) {
            if (row.parameter != c.parameter) continue;
            EXPECT_NE(row.source.find("simulator 2.1.1"), std::string::npos) << c.name << " " << c.parameter;
            EXPECT_NE(row.source.find("paper"), std::string::npos) << c.name << " " << c.parameter;
        }
}

TEST(Catalogue, EmulatedInstructionsSaySo) {
    for (const CatalogueEntry& entry : catalogue()) {
        const bool via_f16 = entry.unit.interleave != 0 && !entry.name.ends_with(".wave32"); // which is no emulation
        EXPECT_EQ(entry.remark.find("emulated") != std::string::npos, via_f16) << entry.name;
    }
}

TEST(Catalogue, AnyLegalShapeOfWgmmaAndTcgen05) {
    const CatalogueEntry* shown = find_entry("hopper/wgmma.m64n8k16.f32.f16.f16");
    EXPECT_EQ(find_entry("hopper/wgmma.m64n256k16.f32.f16.f16"), shown);
    EXPECT_EQ(find_entry("hopper/wgmma.m64n24k16.f32.f16.f16"), shown);
    EXPECT_EQ(find_entry("hopper/wgmma.m64n12k16.f32.f16.f16"), nullptr);
    EXPECT_EQ(find_entry("hopper/wgmma.m64n264k16.f32.f16.f16"), nullptr);
    EXPECT_EQ(find_entry("blackwell/tcgen05.mma.m128n64k16.f32.f16.f16"),
              find_entry("blackwell/tcgen05.mma.m64n8k16.f32.f16.f16"));
    EXPECT_NE(find_entry("blackwell/tcgen05.mma.m128n64k16.f32.f16.f16"), nullptr);
    EXPECT_EQ(find_entry("blackwell/tcgen05.mma.m96n64k16.f32.f16.f16"), nullptr);
}

TEST(Catalogue, WrongNamesNameTheNearest) {
    const struct {
        const char *unit, *says;
    } cases[] = {
        {"hoper/wgmma.m64n8k16.f32.f16.f16", "did you mean hopper"},
        {"hopper/wgmma.m64n8k16.f32.f16.f61", "hopper/wgmma.m64n8k16.f32.f16.f16"},
        {"hopper/v_mfma_f32_16x16x16f16", "there is no unit"},
        {"cdna3/v_mfma_f32_16x16x17f16", "there is no unit"},
        {"wgmma.m64n8k16.f32.f16.f61", "hopper/wgmma.m64n8k16.f32.f16.f16"},
        {"", "the unit is empty"},
        {"{F=24}", "there is no unit"},
        {"f16*f16+f32", "there is no unit"},
    };
    for (const auto& c : cases)
        EXPECT_NE(error_of_unit(c.unit).find(c.says), std::string::npos) << c.unit << "\n" << error_of_unit(c.unit);
}

TEST(Catalogue, ResolvesNamesOverridesAndNotation) {
    const Unit unit = resolve_unit("  hopper/wgmma.m64n8k16.f32.f16.f16 {F=24} ");
    EXPECT_EQ(resolve_unit(to_string(unit)), unit);
    EXPECT_EQ(entry_of(unit), nullptr);
    const CatalogueEntry* back = entry_of(resolve_unit(to_string(unit) + "{F=25}"));
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(arithmetic_hash(back->unit), arithmetic_hash(resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16")));
}

} // namespace
} // namespace discern
