// Members of spaces by number are those that are listed.
#include "models/members.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

using namespace discern;

namespace {

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

// An exact sum has no register that wraps: two of the twelve combinations of the first space are no units.
const std::vector<std::string> spaces = {volta + "{F={22|23|exact},carry={wide|0},round={f32:rz|f32:rne}}",
                                         volta + "{F={23..25}}"};

} // namespace

TEST(Members, AreTheUnitsOfTheirSpaces) {
    std::vector<Space> read;
    for (const std::string& space : spaces) read.push_back(Space::parse(space));
    std::vector<Member> list = {{volta, resolve_unit(volta)}};
    for (Member& member : members(read)) list.push_back(std::move(member));
    std::vector<std::string> seen;
    Members all;
    all.add({volta, resolve_unit(volta)});
    for (const Space& space : read) all.add(space, [&](const Member& member) { seen.push_back(member.text); });
    ASSERT_EQ(all.size(), list.size());
    ASSERT_EQ(all.size(), 1U + 10U + 3U);
    ASSERT_EQ(seen.size() + 1, all.size());
    Members turned; // one by one, from the last
    for (std::size_t i = all.size(); i-- > 0;) turned.add(all, i);
    for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(all.text(i), list[i].text);
        EXPECT_EQ(all.unit(i), list[i].unit) << list[i].text;
        EXPECT_EQ(turned[list.size() - 1 - i].text, list[i].text);
        EXPECT_EQ(turned.unit(list.size() - 1 - i), list[i].unit) << list[i].text;
        if (i > 0) {
            EXPECT_EQ(seen[i - 1], list[i].text);
        }
    }
    EXPECT_EQ(Members(list).text(3), list[3].text);
    EXPECT_TRUE(Members().empty());
}

TEST(Members, AreTheSameWhateverTheNumberOfThreads) {
    // 15,624 combinations, of which some are no units: more than are made at a time.
    const Space space = Space::parse(
        volta + "{F={20..39|exact},carry={wide|0|2},floor={none|-160..-131},zero={ignore|emin},align={rz|rd|rne|rna}}");
    const auto members_by = [&](unsigned threads, std::vector<std::string>& seen) {
        Members all;
        all.add(
            space, [&](const Member& member) { seen.push_back(member.text + " " + to_string(member.unit)); }, threads);
        return all.combinations();
    };
    std::vector<std::string> seen_by_one, seen_by_four;
    EXPECT_EQ(members_by(1, seen_by_one), members_by(4, seen_by_four));
    EXPECT_EQ(seen_by_one, seen_by_four);
    EXPECT_GT(seen_by_one.size(), 4096U);
    EXPECT_LT(seen_by_one.size(), space.size());
    // Who looks may stop at any of them, and sees those before.
    for (const std::size_t most : {1U, 5000U}) {
        std::vector<std::string> seen;
        Members all;
        const auto look = [&](const Member& member) {
            seen.push_back(member.text + " " + to_string(member.unit));
            if (seen.size() == most) throw Error("enough");
        };
        EXPECT_THROW(all.add(space, look, 4), Error);
        EXPECT_TRUE(std::ranges::equal(seen, std::span(seen_by_one).first(most)));
    }
}

TEST(Members, TooManyAreRefused) {
    Members all;
    all.add({volta, resolve_unit(volta)});
    const std::string many = volta + "{F={1..60},c={early|late},drop={none|0..999},floor={none|-1000..999}}";
    EXPECT_THROW(all.add(Space::parse(many)), Error);
    EXPECT_EQ(all.size(), 1U);
}
