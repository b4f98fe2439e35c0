// The box evaluator against the units that it stands for.
#include "identify/box_walk.hpp"
#include "identify/probes.hpp"
#include "identify/space.hpp"
#include "random_member.hpp"

#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
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

void make_sticky(ParametricNode& node, Slot sticky) {
    if (node.kind == ParametricNode::Kind::fuse) node.sticky = sticky;
    for (auto& edge : node.edges) make_sticky(edge.node.front(), sticky);
    for (ParametricNode& child : node.child) make_sticky(child, sticky);
}

/// The space with every sum sticky or not, which the default one never asks.
std::vector<Structure> with_sticky(std::vector<Structure> space) {
    for (Structure& s : space) {
        make_sticky(s.tree, s.variables.size());
        s.variables.push_back({"sticky", Meaning::truth, {0, 1}});
    }
    return space;
}

TEST(IdentifyWalk, AgreesWithTheEvaluatorOnMembers) {
    const std::uint64_t seed = 20;
    Random random(seed);
    const char* const sweep = std::getenv("DISCERN_SWEEP");
    const int rounds = sweep != nullptr ? std::atoi(sweep) : 2;
    std::set<std::string> shapes;
    for (const CatalogueEntry& entry : catalogue()) {
        const Shape shape = shape_of(entry.unit);
        if (!shapes.insert(to_string(shape)).second) continue;
        const std::vector<Structure> space = with_sticky(default_space(shape));
        for (std::size_t i = 0; i < space.size(); ++i) {
            const Box all = space[i].box(i);
            for (int n = 0; n < rounds; ++n) {
                const Assignment member = random_member(all, random);
                const Unit unit = space[i].member(member);
                const Box part = around(all, member, random);
                InputGenerator generator(unit, families[static_cast<std::size_t>(random.below(5))], random.bits());
                InputBuffer v;
                generator.next(v);
                const auto leaves = evaluate(space[i], part, v.inputs(), 3000);
                if (!leaves) continue;
                double members = 0, found = 0;
                for (const ValueSet& set : part.sets)
                    members =
                        members == 0 ? static_cast<double>(set.count()) : members * static_cast<double>(set.count());
                const std::uint64_t expected = without_nan_bits(unit.d, Evaluator(unit)(v.inputs()));
                for (const Leaf& leaf : *leaves) {
                    found += std::exp2(leaf.box.bits());
                    const Assignment other = random_member(leaf.box, random);
                    const Unit of_leaf = space[i].member(other);
                    ASSERT_EQ(leaf.d, without_nan_bits(unit.d, Evaluator(of_leaf)(v.inputs())))
                        << "seed " << seed << " " << space[i].name << "\n"
                        << to_string(of_leaf) << "\n"
                        << text_of(v);
                    if (leaf.box.contains(member)) {
                        ASSERT_EQ(leaf.d, expected) << "seed " << seed << " " << to_string(unit) << "\n" << text_of(v);
                    }
                }
                ASSERT_NEAR(found / members, 1, 1e-9) << space[i].name;
            }
        }
    }
}

} // namespace
} // namespace discern::identify
