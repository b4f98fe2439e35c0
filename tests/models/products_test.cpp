// Point 9 of a good first hour: the names of cards lead to the units.
#include "models/products.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace discern {
namespace {

TEST(Products, HaveUnitsAndSources) {
    std::set<std::string_view> names;
    for (const SoldProduct& product : products()) {
        EXPECT_TRUE(names.insert(product.name).second) << product.name;
        EXPECT_FALSE(product.source.empty() || product.capability.empty()) << product.name;
        EXPECT_TRUE(std::any_of(catalogue().begin(), catalogue().end(), [&](const CatalogueEntry& entry) {
            return entry.architecture == product.architecture;
        })) << product.name;
        EXPECT_EQ(find_product(product.name), &product);
    }
}

TEST(Products, AreFoundAsPeopleWriteThem) {
    for (const auto& [text, architecture] : {std::pair{"H100", "hopper"},
                                             {"h100", "hopper"},
                                             {"NVIDIA A100", "ampere"},
                                             {"rtx4090", "ada"},
                                             {"GeForce RTX 4090", "ada"},
                                             {"RTX-5090", "rtxblackwell"},
                                             {"MI300X", "cdna3"},
                                             {"AMD Instinct MI300X", "cdna3"},
                                             {"b200", "blackwell"},
                                             {"Tesla V100", "volta"},
                                             {"L40S", "ada"},
                                             {"L40", "ada"},
                                             {"t4", "turing"}}) {
        const SoldProduct* const product = find_product(text);
        ASSERT_NE(product, nullptr) << text;
        EXPECT_EQ(product->architecture, architecture) << text;
    }
    for (const char* text : {"", "H1000", "RTX", "hopper", "nvidia"}) EXPECT_EQ(find_product(text), nullptr) << text;
}

TEST(Products, NameUnitsWithAFormat) {
    for (const auto& [text, name] : {std::pair{"A100/f16", "ampere/mma.m16n8k16.f32.f16.f16.f32"},
                                     {"a100/F16.f16", "ampere/mma.m16n8k16.f16.f16.f16.f16"},
                                     {"A100/tf32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32"},
                                     {"A100/f64", "ampere/mma.m8n8k4.f64.f64.f64.f64"},
                                     {"H100/e4m3", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"},
                                     {"h100/fp16", "hopper/wgmma.m64n8k16.f32.f16.f16"},
                                     {"NVIDIA H100/f16.f16", "hopper/wgmma.m64n8k16.f16.f16.f16"},
                                     {"RTX 4090/bf16", "ada/mma.m16n8k16.f32.bf16.bf16.f32"},
                                     {"rtx4090/e4m3.f16", "ada/mma.m16n8k32.f16.e4m3.e4m3.f16"},
                                     {"T4/f16", "turing/mma.m16n8k8.f32.f16.f16.f32"},
                                     {"MI300X/f16", "cdna3/v_mfma_f32_16x16x16_f16"}}) {
        EXPECT_EQ(unit_of_product(text), name) << text;
        EXPECT_EQ(resolve_unit(text), resolve_unit(name)) << text;
        EXPECT_EQ(resolve_unit(std::string(text) + "{nan=any}"), resolve_unit(std::string(name) + "{nan=any}"));
    }
    EXPECT_EQ(unit_of_product("hopper/wgmma.m64n8k16.f32.f16.f16"), std::nullopt);
    // Every product, whatever units its architecture has, and each in the formats that its name says.
    for (const SoldProduct& product : products()) {
        const auto names = names_of_units(product);
        EXPECT_FALSE(names.empty()) << product.name;
        for (const std::string& name : names) {
            const auto unit = unit_of_product(name);
            ASSERT_TRUE(unit) << name;
            EXPECT_EQ(find_entry(*unit)->architecture, product.architecture);
            const Unit& found = find_entry(*unit)->unit;
            EXPECT_EQ(found.a, found.b);
            EXPECT_NE(name.find("/" + std::string(format(found.a).name)), std::string::npos) << name;
        }
    }
}

TEST(Products, AloneGetTheShapeOfWhatGoesWithThem) {
    const Shape f16 = shape_of(resolve_unit("H100/f16")), short_f16 = shape_of(resolve_unit("V100/f16"));
    EXPECT_EQ(with_unit_of_product("A100", f16), "ampere/mma.m16n8k16.f32.f16.f16.f32");
    EXPECT_EQ(with_unit_of_product("a100{F=20}", f16), "ampere/mma.m16n8k16.f32.f16.f16.f32{F=20}");
    EXPECT_EQ(with_unit_of_product("A100", short_f16), "ampere/mma.m16n8k16.f32.f16.f16.f32{K=4}");
    EXPECT_EQ(resolve_unit(with_unit_of_product("A100{F=20}", short_f16)).K, 4);
    EXPECT_EQ(with_unit_of_product("volta/mma.m8n8k4.f32.f16.f16.f32", f16), "volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_TRUE(is_product_alone(" H100 "));
    EXPECT_TRUE(is_product_alone("H100@[split=2]"));
    EXPECT_FALSE(is_product_alone("H100/f16"));
    const auto complaint = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint([&] {
                  with_unit_of_product("V100", shape_of(resolve_unit("H100/e4m3")));
              }).find("V100 has no unit of e4m3*e4m3+f32->f32 K=32; its units are V100/f16.f16, V100/f16"),
              std::string::npos);
    EXPECT_NE(
        complaint([] { resolve_unit("A100"); }).find("its formats are not said; its units are A100/f16.f16, A100/f16"),
        std::string::npos);
    EXPECT_NE(complaint([] { resolve_unit("A100/e4m3"); }).find("A100 has no unit of 'e4m3'"), std::string::npos);
    EXPECT_NE(complaint([] { resolve_unit("H1000/f16"); }).find("did you mean H100"), std::string::npos);
}

TEST(Products, AreKnownByTheirArchitecture) {
    for (const auto& [text, architecture] : {std::pair{"MI350X", "cdna4"},
                                             {"MI355X", "cdna4"},
                                             {"Radeon RX 7900 XTX", "rdna3"},
                                             {"RX 7900", "rdna3"},
                                             {"rx9070", "rdna4"},
                                             {"Ryzen AI (gfx1151)", "rdna35"},
                                             {"gfx1151", "rdna35"}}) {
        ASSERT_NE(find_product(text), nullptr) << text;
        EXPECT_EQ(find_product(text)->architecture, architecture);
    }
    const std::vector<std::string> units = {"ampere/mma.m16n8k16.f32.f16.f16.f32", "no/unit",
                                            "volta/mma.m8n8k4.f32.f16.f16.f32"};
    EXPECT_TRUE(products_in_words(units).starts_with("A100, A30, A40 and ")) << products_in_words(units);
    EXPECT_TRUE(products_in_words(units).ends_with("; V100, Titan V, Quadro GV100 and 2 more (volta)"))
        << products_in_words(units);
}

TEST(Products, OfAKernelOfSeveralInstructions) {
    const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const auto sold = [&](const std::string& text) { return !products_in_words(std::vector{volta + text}).empty(); };
    EXPECT_TRUE(sold(""));
    EXPECT_TRUE(sold("@[K=64 split=2]"));
    EXPECT_TRUE(sold("{K=64}@[K=64 d=f16:rne]"));
    EXPECT_TRUE(sold("{K=4}@[K=64]"));
    // A part of an instruction is none that a product has, and another arithmetic is none of its units.
    for (const std::string text :
         {"{K=2}@[K=2]", "{F=24}@[K=64]", "{K=64,F=24}@[K=64]", "{K=64", "{K=}@[K=64]", "{K=64}"})
        EXPECT_FALSE(sold(text)) << text;
}

} // namespace
} // namespace discern
