// Units that are in no catalogue, behind another program: the way a simulator or a driver is identified.
#include "cli/program.hpp"

#include "identification/identify/space/space.hpp"
#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include "sweep.hpp"
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

/// A fused sum that no catalogue has: other F, roundings and floors, in blocks or interleaved, c early, late or last.
/// @param whole  other values of any parameter too: normalisation, registers, flushes, overflow, signs of zero
Unit random_tree(const Shape& shape, bool whole, Random& random) {
    std::vector<identify::Structure> space = identify::default_space(shape, identify::Modes::usual);
    std::erase_if(space, [](const identify::Structure& s) {
        return s.name.find("fused sums") != 0 && s.name.find("rounded sums") != 0;
    });
    const identify::Structure& s = space[static_cast<std::size_t>(random.below(static_cast<int>(space.size())))];
    identify::Assignment member;
    for (const identify::Variable& v : s.variables) {
        const bool any = v.name == "F" || v.name == "Fc" || v.name == "align" || v.name == "round" || v.name == "floor";
        member.push_back(any || (whole && random.one_in(3))
                             ? static_cast<std::size_t>(random.below(static_cast<int>(v.values.size())))
                             : 0);
    }
    return s.member(member);
}

std::string formats_of(const Unit& u) {
    std::string text;
    for (const FormatId id : {u.a, u.b, *u.c, u.d}) text += (text.empty() ? "" : ",") + std::string(format(id).name);
    return text;
}

int differences(const Unit& truth, const Unit& named) {
    const Evaluator one(truth), other(named);
    int count = 0;
    for (const Family family : families) {
        InputGenerator generator(truth, family, 4242);
        InputBuffer v;
        for (int i = 0; i < 1000; ++i) {
            generator.next(v);
            if (!same_result(truth, one(v.inputs()), other(v.inputs()))) ++count;
        }
    }
    return count;
}

TEST(IdentifyCommand, RandomTreesBehindAProgram) {
    const int count = tests::sweep(1);
    const std::uint64_t seed = 2026;
    Random random(seed);
    const std::vector<std::string> shapes = {"volta/mma.m8n8k4.f32.f16.f16.f32", "turing/mma.m16n8k8.f32.f16.f16.f32",
                                             "ampere/mma.m16n8k8.f32.bf16.bf16.f32",
                                             "ada/mma.m16n8k16.f16.e4m3.e5m2.f16", "cdna1/v_mfma_f32_32x32x4bf16"};
    int settled = 0;
    for (int i = 0; i < count; ++i) {
        const Unit truth = random_tree(shape_of(resolve_unit(shapes[static_cast<std::size_t>(i) % shapes.size()])),
                                       i % 3 == 2, random);
        const Outcome outcome =
            discern({"identify", "exec:'" + std::string(DISCERN_EXEC_TARGET) + "' '" + to_string(truth) + "'",
                     "--formats", formats_of(truth), "--K", std::to_string(truth.K), "--validate", "2000", "--timeout",
                     tests::sweeping() ? "60" : "8", "--json"});
        const std::string where = "seed " + std::to_string(seed) + ", unit " + std::to_string(i) + ": " +
                                  to_string(truth) + "\n" + outcome.out + outcome.err;
        ASSERT_TRUE(outcome.status == 0 || outcome.status == 3) << where;
        const auto answer = nlohmann::json::parse(outcome.out);
        settled += outcome.status == 0 ? 1 : 0;
        if (outcome.status == 0) {
            EXPECT_EQ(differences(truth, parse_unit(answer["tree"].get<std::string>())), 0) << where;
        }
        EXPECT_LE(answer["observations"], 120) << where;
        std::printf("%s: %s, %zu observations, %.1f s\n", to_string(truth).c_str(),
                    answer["verdict"].get<std::string>().c_str(), answer["observations"].get<std::size_t>(),
                    answer["seconds"].get<double>());
        for (const auto& what : answer["open"]) std::printf("    open: %s\n", what.get<std::string>().c_str());
        std::fflush(stdout);
    }
    std::printf("%d of %d settled\n", static_cast<int>(settled), static_cast<int>(count)); // open is no error
}

} // namespace
} // namespace discern::testing
