// What a question is reduced to, and that it says as much.
#include "solver/decide/part.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "solver/decide/decide.hpp"
#include "solver/decide/discriminate.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::part_test {
namespace {

std::optional<Part> part_of(const std::string& first, const std::string& second) {
    return smallest_part(resolve_unit(first), resolve_unit(second));
}

TEST(Part, OneBlockOfAChain) {
    const auto part = part_of("volta/mma.m8n8k4.f32.f16.f16.f32{K=16}", "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,F=22}");
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->smaller);
    EXPECT_EQ(to_string(part->first), to_string(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32")));
    EXPECT_EQ(to_string(part->second), to_string(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32{F=22}")));
    EXPECT_FALSE(part_of("volta/mma.m8n8k4.f32.f16.f16.f32", "volta/mma.m8n8k4.f32.f16.f16.f32{F=22}")->smaller);
}

const std::string late = "f16*f16+f32->f32 K=8 L=2 interleave=1 nan=7fffffff : "
                         "round[f32 rz](fuse[exact](round[f32 rd](fuse[F=39 odd](p*)), c))";

std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Part, WhatIsRoundedInside) {
    const auto part = part_of(late, with(late, "F=39", "F=12"));
    ASSERT_TRUE(part);
    EXPECT_EQ(to_string(part->first), "f16*f16->f32 K=2 L=2 nan=any : round[f32 rd](fuse[F=39 odd](p*))");
    EXPECT_EQ(to_string(part->second), "f16*f16->f32 K=2 L=2 nan=any : round[f32 rd](fuse[F=12 odd](p*))");
    // Formats of results alone are stored in a wider one.
    const std::string short_sum = with(late, "f32 rd", "e8m13 rd");
    const auto stored = part_of(short_sum, with(short_sum, "F=39", "F=12"));
    ASSERT_TRUE(stored);
    EXPECT_EQ(to_string(stored->first), "f16*f16->f32 K=2 L=2 nan=any : round[e8m13 rd](fuse[F=39 odd](p*))");
    const std::string ada = "ada/mma.m16n8k32.f32.e4m3.e4m3.f32";
    EXPECT_TRUE(part_of(ada, ada + "{F=12}")->smaller);
    // A difference outside as well: the part is the block.
    const auto both = part_of(late, with(with(late, "F=39", "F=12"), "f32 rz", "f32 ru"));
    ASSERT_TRUE(both);
    EXPECT_EQ(both->first.K, 2);
    EXPECT_EQ(both->first.tree, resolve_unit(late).tree);
}

TEST(Part, NothingWhereABlockDoesNotTellAll) {
    EXPECT_FALSE(part_of("x86/vdpbf16ps{K=4}", "x86/vdpbf16ps{K=4,round=rz}")); // which NaN is passed on
    const std::string narrow = "e4m3*e4m3+f16->f32 K=8 L=4 nan=any : round[f32 rz](fuse[F=13](p*, c))";
    EXPECT_FALSE(part_of(narrow, with(narrow, "F=13", "F=14"))); // c is f16 at first, and then f32
}

/// The block of a chain as the part sees it.
InputBuffer block_of(const Unit& unit, const Inputs& v, int block, std::uint64_t c) {
    InputBuffer result;
    for (int l = 0; l < unit.L; ++l) {
        const auto k = static_cast<std::size_t>(unit.element(block, l));
        result.a.push_back(v.a[k]);
        result.b.push_back(v.b[k]);
        if (!unit.scale) continue;
        const auto size = static_cast<std::size_t>(unit.scale->block);
        if (static_cast<std::size_t>(l) % size != 0) continue;
        result.sa.push_back(v.sa[k / size]);
        result.sb.push_back(v.sb[k / size]);
    }
    result.c = c;
    return result;
}

TEST(Part, BlocksOneAfterTheOtherAreTheUnit) {
    std::set<std::uint64_t> seen;
    int units = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit& unit = entry.unit;
        if (unit.blocks() == 1 || unit.place == AccumulatorPlace::last || !seen.insert(arithmetic_hash(unit)).second)
            continue;
        Unit other = unit;
        std::get<Round>(other.tree.kind).mode = Rounding::ru;
        const auto part = smallest_part(unit, other);
        if (!part) continue;
        ++units;
        for (const Family family : families) {
            InputGenerator generator(unit, family, 5);
            InputBuffer v;
            for (int i = 0; i < 20; ++i) {
                generator.next(v);
                std::uint64_t d = v.c;
                for (int block = 0; block < unit.blocks(); ++block)
                    d = Evaluator(part->first)(block_of(unit, v.inputs(), block, d).inputs());
                EXPECT_TRUE(same_result(unit, d, Evaluator(unit)(v.inputs()))) << entry.name;
            }
        }
    }
    EXPECT_GT(units, 20);
}

TEST(Part, AVectorOfThePartIsOneOfTheUnit) {
    const Unit first = resolve_unit(late), second = resolve_unit(with(late, "F=39", "F=12"));
    const auto part = smallest_part(first, second);
    DiscriminateOptions options;
    options.solver = "random";
    const Answer answer = discriminate(part->first, part->second, options);
    ASSERT_EQ(answer.verdict, Verdict::different);
    int visited = 0, told = 0;
    visit_in_unit(first, part->first, answer.witnesses.front(), [&](const Vector& v) {
        ++visited;
        told += Evaluator(first)(v.inputs()) != Evaluator(second)(v.inputs()) ? 1 : 0;
        return true;
    });
    EXPECT_EQ(visited, 4);
    EXPECT_GT(told, 0);
}

TEST(Part, AProofAboutAPartIsAnAnswer) {
    const std::string narrow = "e4m3*e4m3+f32->f32 K=4 L=2 nan=any : "
                               "round[f32 rz](fuse[exact](round[f32 rd](fuse[F=28 rd carry=0](p*)), c))";
    const Question question{resolve_unit(narrow), resolve_unit(with(narrow, "F=28 rd", "F=29 rd")), {}};
    const Decision same = decide(as_spaces(question), {});
    ASSERT_EQ(same.verdict, Verdict::equivalent);
    EXPECT_NE(same.by.find("one block"), std::string::npos);
    const Answer other = discriminate(resolve_unit(late), resolve_unit(with(late, "F=39 odd", "F=39 rz")), {});
    EXPECT_EQ(other.verdict, Verdict::different);
}

} // namespace
} // namespace discern::part_test
