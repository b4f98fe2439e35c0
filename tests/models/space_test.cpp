// Spaces: what is a choice, what is a member, and what the sentences say about what is neither.
#include "models/space.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace discern;

namespace {

const std::string hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";

std::string complaint(const std::string& text) {
    try {
        read_spaces(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

std::vector<Member> all_members(const std::string& text) { return members(read_spaces(text)); }

struct Wrong {
    std::string text, sentence; ///< part of it
};

} // namespace

TEST(Space, APlainUnitIsASpaceOfOne) {
    const auto all = all_members(hopper + "{F=24}");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].text, hopper + "{F=24}");
    EXPECT_EQ(all[0].unit, resolve_unit(hopper + "{F=24}"));
    EXPECT_EQ(Space::parse(hopper).size(), 1U);
    EXPECT_EQ(Space::parse(hopper).member_text({}), hopper);
}

TEST(Space, MembersAreTheUnitsThatTheirTextSays) {
    const Space space =
        Space::parse(hopper + "{F={22..24|exact}, round = {f32:rz|f32:rne},c={early|late},floor={none|-133|-132}}");
    EXPECT_EQ(space.size(), 48U);
    EXPECT_EQ(space.base(), hopper);
    ASSERT_EQ(space.choices().size(), 4U);
    EXPECT_EQ(space.choices()[0].values, (std::vector<std::string>{"22", "23", "24", "exact"}));
    std::set<std::string> texts;
    for (std::uint64_t n = 0; n < space.size(); ++n) {
        const auto picks = space.picks(n);
        const std::string text = space.member_text(picks);
        texts.insert(text);
        const auto unit = space.member(picks);
        ASSERT_TRUE(unit) << text;
        EXPECT_EQ(*unit, resolve_unit(text)) << text;
    }
    EXPECT_EQ(texts.size(), 48U);
    EXPECT_EQ(space.member_text(space.picks(1)), hopper + "{F=22,round=f32:rz,c=early,floor=-133}");
}

TEST(Space, WholeUnitLinesAreBasesToo) {
    const std::string line = "f16*f16+f32->f32 K=8 L=4 : round[f32 rz](fuse[F=23](p*, c))";
    const auto all = all_members(line + " {F={22..24},L={4|8}}");
    ASSERT_EQ(all.size(), 6U);
    for (const Member& member : all) EXPECT_EQ(member.unit, resolve_unit(member.text)) << member.text;
    EXPECT_EQ(all[5].unit.L, 8);
}

TEST(Space, CombinationsThatAreNoUnitAreNotMembers) {
    const auto carry = all_members(hopper + "{F={25|exact},carry={wide|3}}");
    ASSERT_EQ(carry.size(), 3U); // an exact sum has no register
    for (const Member& member : carry) EXPECT_EQ(member.text.find("F=exact,carry=3"), std::string::npos);
    const auto blocks = all_members(hopper + "{L={4|6},K={12|16}}");
    ASSERT_EQ(blocks.size(), 3U); // 6 does not divide 16
}

TEST(Space, GuardBitsFollowK) { // the units of the RISC-V manual: K decides F
    const auto all = all_members("riscv/bna.f32.bf16.bf16{K={4|16}}");
    ASSERT_EQ(all.size(), 2U);
    for (const Member& member : all) EXPECT_EQ(member.unit, resolve_unit(member.text));
    EXPECT_NE(parameters(all[0].unit), parameters(all[1].unit));
}

TEST(Space, FilesAreUnions) {
    const auto file = std::filesystem::path(testing::TempDir()) / "spaces.txt";
    std::ofstream(file) << "# two generations\n\n" << hopper << "{F={24..25}}  # Hopper\nx86/dpps\n";
    const auto all = all_members("@" + file.string());
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[2].text, "x86/dpps");
    std::ofstream(file) << "# nothing\nx86/dpps\nx86/dpp\n";
    EXPECT_NE(complaint("@" + file.string()).find("spaces.txt:3: there is no unit 'x86/dpp' (did you mean x86/dpps"),
              std::string::npos)
        << complaint("@" + file.string());
    std::ofstream(file) << "# nothing\n";
    EXPECT_NE(complaint("@" + file.string()).find("has no space in it"), std::string::npos);
    EXPECT_NE(complaint("@/does/not/exist").find("cannot read the file of spaces '/does/not/exist'"),
              std::string::npos);
}

TEST(Space, SizeSaturates) {
    const std::string large = "{F={0..60},floor={-400..-1},zero={-400..-1},limit={1..400},drop={1..400},carry={1..20}";
    EXPECT_EQ(Space::parse(hopper + large + "}").size(), std::uint64_t{61} * 400 * 400 * 400 * 400 * 20);
    const Space more = Space::parse(hopper + large +
                                    ",L={1|2|4|8|16},K={16|32|64|128|256|512},product={raw|carry|full},"
                                    "align={rz|rd|ru|rne|rna|odd},round={f32:rz|f32:rd|f32:ru|f32:rne|f32:rna|f32:odd},"
                                    "ftz={none|in|c|out|in+c},overflow={inf|max|ieee},nan={any|7fc00000},"
                                    "zsign={pos|ieee},usign={pos|keep},oinf={yields|counts}}");
    EXPECT_EQ(more.size(), ~std::uint64_t{0});
    EXPECT_THROW(members(std::vector{more}), Error);
}

TEST(Space, SentencesForWhatIsWrong) {
    for (const auto& [text, sentence] : std::vector<Wrong>{
             {"", "the unit is empty"},
             {"hoper/wgmma.m64n8k16.f32.f16.f16{F={22..26}}", "did you mean hopper"},
             {hopper + "{F={22..26}", "a brace is not closed"},
             {hopper + "{F={22..26}} x", "at the end of the unit is right"},
             {hopper + "{zero={-4000|-126}}", "zero=-4000 makes no unit"},
             {hopper + "{F={22..26}}}", "a choice is {value|value} or {first..last}"},
             {hopper + "{F={22|{23|24}}}", "holds no other choice"},
             {hopper + "{F=22..26}", "F={value|value} or {first..last} is right"},
             {hopper + "{F={26..22}}", "'26..22'"},
             {hopper + "{F={22..x}}", "a range is two integers"},
             {hopper + "{F={22|}}", "a value is missing"},
             {hopper + "{F={}}", "a value is missing"},
             {hopper + "{F={0..1000000}}", "at most 4096 values"},
             {hopper + "{F={22..24|23}}", "the value 23 is there twice"},
             {hopper + "{F={22,23}}", "separated by '|'"},
             {hopper + "{F={22}23}", "a comma must follow"},
             {hopper + "{F}", "is no setting"},
             {hopper + "{Q={1|2}}", "there is no key 'Q'"},
             {hopper + "{flor={none|-133}}", "did you mean floor"},
             {hopper + "{F={22..24},F=25}", "the key F is given twice"},
             {hopper + "{align={rz|rq}}", "align=rq makes no unit"},
             {hopper + "{F={25|99}}", "F=99 makes no unit"},
             {hopper + "{L={16|7}}", "L=7 makes no unit"},
             {hopper + "{F=99}", "F"},
         })
        EXPECT_NE(complaint(text).find(sentence), std::string::npos) << text << "\n" << complaint(text);
}

TEST(Space, HasTenThousandMembers) {
    const auto all = all_members(hopper + "{F={18..27},align={rz|rd|ru|rne|rna},round={f32:rz|f32:rne|f32:rd},"
                                          "L={4|8|16},c={early|late},zero={ignore|emin},floor={none|-133},"
                                          "product={raw|carry|full}}");
    EXPECT_EQ(all.size(), 10800U);
}
