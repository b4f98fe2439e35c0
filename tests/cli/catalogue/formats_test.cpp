// discern formats: the largest number of each format is what no other pattern of it exceeds.
#include "cli/program.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace discern::testing {
namespace {

using nlohmann::json;

TEST(Formats, LargestIsTheLargestOfAllPatterns) {
    const json all = json::parse(discern({"formats", "--json"}).out);
    ASSERT_EQ(all.size(), formats().size());
    int tried = 0;
    for (const json& said : all) {
        const Format& f = format(*format_from_name(said["format"].get<std::string>()));
        EXPECT_EQ(said["bits"], f.width);
        EXPECT_EQ(said["bias"], f.bias);
        const auto pattern = parse_pattern(f, said["largest"]["pattern"].get<std::string>());
        ASSERT_TRUE(pattern) << f.name;
        const double largest = std::strtod(said["largest"]["value"].get<std::string>().c_str(), nullptr);
        EXPECT_EQ(to_double(f, *pattern), largest) << f.name;
        if (f.width > 16) continue;
        double most = 0;
        for (std::uint64_t bits = 0; bits <= f.mask(); ++bits)
            if (const double x = to_double(f, bits); std::isfinite(x)) most = std::max(most, x);
        EXPECT_EQ(most, largest) << f.name;
        ++tried;
    }
    EXPECT_GE(tried, 10);
}

TEST(Formats, TableHasARowOfEach) {
    const Outcome outcome = discern({"formats"});
    EXPECT_EQ(outcome.status, 0);
    const auto rows = lines(outcome.out);
    ASSERT_EQ(rows.size(), formats().size() + 1);
    for (std::size_t i = 0; i < formats().size(); ++i) {
        EXPECT_TRUE(rows[i + 1].starts_with(formats()[i].name)) << rows[i + 1];
        EXPECT_TRUE(rows[i + 1].ends_with(formats()[i].source)) << rows[i + 1];
    }
    EXPECT_EQ(discern({"formats", "f16"}).status, 2) << "it takes no argument";
}

} // namespace
} // namespace discern::testing
