// What claims rest on: the words for it, and which of two grounds is the weaker one.
#include "solver/question/ground.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern {
namespace {

constexpr Ground a_theorem{Ground::Kind::theorem, "rounded-once", false},
    a_bound{Ground::Kind::argument, "losses-of-steps", true};

TEST(Ground, IsWrittenAsProgramsReadIt) {
    EXPECT_EQ(text_of({}), "");
    EXPECT_EQ(text_of(by_structure), "structure");
    EXPECT_EQ(text_of(by_certificate), "certificate");
    EXPECT_EQ(text_of(by_terms), "terms");
    EXPECT_EQ(text_of(by_a_solver), "solver");
    EXPECT_EQ(text_of(a_theorem), "theorem rounded-once");
    EXPECT_EQ(text_of(a_bound), "argument");
    for (const Ground& ground : {Ground{}, by_structure, by_certificate, by_terms, by_a_solver})
        EXPECT_EQ(ground_from(text_of(ground)), ground);
    EXPECT_FALSE(ground_from("theorem rounded-once"));
    EXPECT_FALSE(ground_from("cadical"));
}

TEST(Ground, OfTwoTheWeakerOneCounts) {
    const Ground from_strong_to_weak[] = {{}, by_structure, by_certificate, by_terms, by_a_solver, a_theorem, a_bound};
    for (const Ground& one : from_strong_to_weak)
        for (const Ground& other : from_strong_to_weak)
            EXPECT_EQ(weakest(one, other).kind, std::max(one.kind, other.kind));
    EXPECT_TRUE(weakest(a_bound, {}).alone);
    EXPECT_TRUE(weakest(a_bound, a_bound).alone);
    EXPECT_FALSE(weakest(by_terms, a_bound).alone) << "terms are needed, too";
    EXPECT_EQ(weakest(by_terms, a_bound).name, a_bound.name);
}

} // namespace
} // namespace discern
