// Point 9 of a good first hour: the names of cards lead to the units.
#include "models/evaluate/products.hpp"

#include "models/catalogue.hpp"

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

} // namespace
} // namespace discern
