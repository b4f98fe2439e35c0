// The box evaluator against the units that it stands for.
#include "identification/identify/box_walk.hpp"
#include "identification/identify/space/space.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "random_member.hpp"

#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/parametric/family.hpp"
#include "models/random.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace discern::identify {
namespace {

/// A part of the box that contains the member: one to three values a variable.
Box around(const Box& box, const Assignment& member, Random& random) {
    Box part{box.structure, {}};
    for (std::size_t v = 0; v < member.size(); ++v) {
        ValueSet set = ValueSet::single(member[v]);
        const int more = random.one_in(2) ? 0 : random.below(4);
        for (int i = 0; i < more; ++i)
            set.insert(box.sets[v].nth(static_cast<std::size_t>(random.below(static_cast<int>(box.sets[v].count())))));
        part.sets.push_back(set);
    }
    return part;
}

std::string text_of(const InputBuffer& v) {
    std::string text;
    for (const auto* words : {&v.a, &v.b, &v.sa, &v.sb}) {
        for (const auto w : *words) text += " " + std::to_string(w);
        text += " |";
    }
    return text + " " + std::to_string(v.c);
}

struct Rare {
    std::string_view word;
    Meaning meaning;
    std::vector<int> values;
};
const Rare all_rare[] = {
    {"(sticky ", Meaning::truth, {0, 1}},
    {"(plus ", Meaning::truth, {0, 1}},
    {"(frame ", Meaning::frame, {0, 1, 2, 3}},
    {"(opposed ", Meaning::opposed, {0, 1, 2}},
    {"(step ", Meaning::step, {none, 2, 16}},
    {"(phase ", Meaning::number, {0, 1}},
    {"(infnan ", Meaning::truth, {0, 1}},
    {"(nanzero ", Meaning::truth, {0, 1}},
    {"(infzero ", Meaning::truth, {0, 1}},
    {"(operands ", Meaning::optional_format, {none, static_cast<int>(FormatId::f64)}},
};
/// Whether an operand has no exponents, so that no other format gives it others.
bool in_fixed_point(const Unit& unit) { return format(unit.a).is_fixed_point() || format(unit.b).is_fixed_point(); }
/// The space with what few sums have, and the default one never asks.
std::vector<Structure> with_rare(std::vector<Structure> space) {
    for (Structure& s : space)
        for (Variable& v : s.variables)
            for (const Rare& rare : all_rare)
                if (v.name.find(rare.word) != std::string::npos &&
                    !(rare.word == "(operands " && in_fixed_point(s.frame)))
                    v = {std::string(rare.word), rare.meaning, rare.values};
    return space;
}

/// Holds the leaves of a random part of the structure, for a random vector, against the evaluator.
void expect_agreement(const Structure& s, Random& random) {
    const Box all = s.box(0);
    const Assignment member = random_member(all, random);
    const Unit unit = s.member(member);
    const Box part = around(all, member, random);
    InputGenerator generator(unit, families[static_cast<std::size_t>(random.below(5))], random.bits());
    InputBuffer v;
    generator.next(v);
    const auto leaves = evaluate(s, part, v.inputs(), 3000);
    if (!leaves) return;
    double found = 0;
    const auto given = [&](const Unit& one) { return without_nan_bits(unit.d, Evaluator(one)(v.inputs())); };
    for (const Leaf& leaf : *leaves) {
        found += std::exp2(leaf.box.bits() - part.bits());
        const Unit of_leaf = s.member(random_member(leaf.box, random));
        ASSERT_EQ(leaf.d, given(of_leaf)) << s.name << "\n" << to_string(of_leaf) << "\n" << text_of(v);
        if (leaf.box.contains(member)) {
            ASSERT_EQ(leaf.d, given(unit)) << to_string(unit) << "\n" << text_of(v);
        }
    }
    ASSERT_NEAR(found, 1, 1e-9) << s.name;
}

TEST(IdentifyWalk, AgreesWithTheEvaluatorOnMembers) {
    const std::uint64_t seed = 20;
    Random random(seed);
    std::set<std::string> shapes;
    for (const CatalogueEntry& entry : catalogue()) {
        const Shape shape = shape_of(entry.unit);
        if (!shapes.insert(to_string(shape)).second || !tests::takes_part(shapes.size(), 8)) continue;
        for (const Structure& s : with_rare(default_space(shape, Modes::usual)))
            for (int n = tests::sweep(1); n > 0; --n) {
                expect_agreement(s, random);
                if (HasFatalFailure()) FAIL() << "seed " << seed;
            }
    }
}

/// Sums of sums that no structure of the default space has: groups, roundings and c below another sum.
TEST(IdentifyWalk, AgreesOnWhateverIsBelowASum) {
    const std::uint64_t seed = 21;
    Random random(seed);
    for (const char* tree : {"fuse[F=20](fuse[F=24](g*[G=4]), c)", "fuse[F=20](fuse[F=24](c, p(0::2)), p(1::2))",
                             "fuse[F=20](p(1::2), fuse[F=24](round[f32 rz](fuse[exact](p(0::4))), p(2::4)), c)",
                             "fuse[F=20](fuse[F=24](fuse[F=30](g*[G=8]), c))"}) {
        Structure s = parametric::structure_of(
            parse_unit("e5m2*e4m3+f32->f32 K=16 scale=e8m0/8 : round[f32 rz](" + std::string(tree) + ")"));
        s.name = tree;
        for (Variable& v : s.variables) {
            if (v.meaning == Meaning::fraction) v.values = {8, 10, 13, 16, 20, 24, 30, 40, parametric::exact};
            if (v.meaning == Meaning::floor) v.values = {parametric::none, -30, 0, 20};
            if (v.meaning == Meaning::zero) v.values.insert(v.values.end(), {parametric::own, -10, 10});
        }
        for (int n = tests::sweep(3000); n > 0; --n) {
            expect_agreement(s, random);
            if (HasFatalFailure()) FAIL() << "seed " << seed << ", " << n << " to go";
        }
    }
}

/// Products may be dropped, too, and each may be normalised in a way of its own: no structure of the default space says
/// so.
TEST(IdentifyWalk, AgreesOnProductsThatAreDroppedOrNormalisedEachInItsWay) {
    const std::uint64_t seed = 22;
    Random random(seed);
    for (const char* tree : {"fuse[F=20](p*@[drop=4], c)", "fuse[F=20](p0[full], p(1::2)[carry], p(2::2), c@[drop=3])",
                             "fuse[exact](p(0::2)[carry]@[drop=2], p(1::2)[full]@[drop=1], c)",
                             "fuse[F=20](fuse[F=20](p(0::2)@[less=1], p(1::2)[full]@[less=3]), c@[drop=3 less=1])"}) {
        Structure s =
            parametric::structure_of(parse_unit("e3m2*e2m1+f16->f16 K=4 : round[f16 rz](" + std::string(tree) + ")"));
        s.name = tree;
        for (Variable& v : s.variables) {
            if (v.meaning == Meaning::fraction) v.values = {3, 5, 8, 20, parametric::exact};
            if (v.meaning == Meaning::normalisation) v.values = {0, 1, 2};
            if (v.meaning == Meaning::drop) v.values = {parametric::none, 0, 1, 2, 3, 4, 6};
            if (v.meaning == Meaning::step) v.values = {parametric::none, 4, 8};
            if (v.meaning == Meaning::number) v.values = {0, 1, 3, 5};
        }
        for (int n = tests::sweep(2000); n > 0; --n) {
            expect_agreement(s, random);
            if (HasFatalFailure()) FAIL() << "seed " << seed << ", " << n << " to go";
        }
    }
}

} // namespace
} // namespace discern::identify
