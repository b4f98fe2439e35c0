// JSON as commands write it: what nlohmann's own writer would say otherwise.
#include "cli/base/distance.hpp"
#include "cli/base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace discern::cli {

TEST(Json, NumbersHaveTheDigitsOfTheirFormat) {
    EXPECT_EQ(to_text(number(0.5, "{:.4f}")), "0.5000");
    EXPECT_EQ(to_text(number(1.0 / 3)), "0.333333");
    EXPECT_EQ(to_text(number(3)), "3");
    EXPECT_EQ(to_text(0.1), "0.1");
}

TEST(Json, WhatIsNoNumberIsNull) {
    EXPECT_EQ(to_text(number(std::numeric_limits<double>::infinity(), "{:.4f}")), "null");
    EXPECT_EQ(to_text(number(std::nan(""))), "null");
}

TEST(Json, MembersStandInTheOrderInWhichTheyWerePut) {
    const Json object = {{"z", {1, "two", nullptr}}, {"a", Json::object()}, {"m", Json::array()}, {"n", number(1.5)}};
    EXPECT_EQ(to_text(object), R"({"z":[1,"two",null],"a":{},"m":[],"n":1.5})");
}

TEST(Json, TextThatIsNoUtf8IsReplacedAndDoesNotEndTheCommand) {
    EXPECT_EQ(to_text({{"name", "a\xff\"b"}}), "{\"name\":\"a\xef\xbf\xbd\\\"b\"}");
    EXPECT_EQ(to_text({{"a\xff", 1}}), "{\"a\xef\xbf\xbd\":1}");
}

TEST(Json, AListCanHaveALineForEachItem) {
    EXPECT_EQ(to_lines(Json::array({{{"a", 1}}, {{"a", 2}}}), " "), "[\n {\"a\":1},\n {\"a\":2}\n]");
    EXPECT_EQ(to_lines(Json::array()), "[\n]");
}

// The relative error of a result that should be zero is infinite, which JSON cannot say.
TEST(Json, DistancesAreJsonWhateverTheyAre) {
    Distances distances(format(FormatId::f32));
    distances.add(0x7f800000, 0x3f800000);
    distances.add(0, 0x00000001);
    EXPECT_TRUE(Json::accept(to_text(distances.json()))) << to_text(distances.json());
}

} // namespace discern::cli
