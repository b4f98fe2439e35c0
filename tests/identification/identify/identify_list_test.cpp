// A list of units as candidates, which is kept as boxes, against the units themselves.
#include "identification/identify/candidates.hpp"
#include "models/stimulus/probes/probes.hpp"

#include "models/catalogue.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::identify {
namespace {

TEST(IdentifyList, KeepsThoseThatGiveWhatWasObserved) {
    const Unit base = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    std::vector<std::pair<std::string, Unit>> members = {{"another name for it", base}, {"the same", base}};
    for (const char* F : {"22", "23", "24", "25", "exact"})
        for (const char* floor : {"none", "-133", "-20"})
            for (const char* rest : {"", ",round=f32:rne", ",c=late", ",c=last,L=8", ",L=4,ftz=c"}) {
                const std::string braces = "{F=" + std::string(F) + ",floor=" + floor + rest + "}";
                members.emplace_back(braces, with_overrides(base, braces));
            }
    const std::uint64_t seed = 81;
    Random random(seed);
    for (int n = 0; n < 12; ++n) {
        const Unit truth = members[static_cast<std::size_t>(random.below(static_cast<int>(members.size())))].second;
        const Evaluator evaluate(truth);
        Candidates candidates(members);
        ProbeMaker probes(shape_of(base), random.bits());
        auto left = members; // in the order of the list
        std::vector<std::size_t> decisive;
        for (std::size_t i = 0; i < 12; ++i) {
            const InputBuffer v = probes.make(static_cast<Probe>(random.below(probe_kinds)), truth);
            const std::uint64_t d = evaluate(v.inputs());
            const auto before = left.size();
            std::erase_if(left, [&](const auto& one) { return Evaluator(one.second)(v.inputs()) != d; });
            if (left.size() < before) decisive.push_back(i);
            ASSERT_EQ(candidates.observe(v.inputs(), d, Limit{}), Taken::used);
            ASSERT_TRUE(candidates.all_used());
            const auto shortest = std::min_element(
                left.begin(), left.end(), [](const auto& x, const auto& y) { return x.first.size() < y.first.size(); });
            std::vector<std::string> others;
            for (const auto& one : left)
                if (one.first != shortest->first) others.push_back(one.first);
            const std::vector<Finding> findings = candidates.findings();
            ASSERT_EQ(findings.size(), 1u);
            EXPECT_EQ(findings[0].name, "member");
            EXPECT_EQ(findings[0].value, shortest->first) << "seed " << seed << ", " << n;
            EXPECT_EQ(findings[0].also, others) << "seed " << seed << ", " << n;
            EXPECT_EQ(findings[0].observations, decisive) << "seed " << seed << ", " << n;
            EXPECT_EQ(*candidates.preferred(), shortest->second);
            EXPECT_EQ(candidates.nearest(2).size(), std::min<std::size_t>(2, left.size()));
        }
    }
}

} // namespace
} // namespace discern::identify
