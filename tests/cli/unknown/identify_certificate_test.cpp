// What identify says is the same, with certificates that the checker accepts: of a small unit, and (where DISCERN_SWEEP
// is set) of instructions of several makers.
#include "cli/program.hpp"

#include "certificate/check.hpp"
#include "tests/models/differential.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace discern::testing::identify_certificate_test {
namespace {

struct Target {
    const char *name, *unit;
    const char* space = nullptr; ///< the default space
};
std::ostream& operator<<(std::ostream& out, const Target& target) { return out << target.unit; }

void expect_accepted(const Target& target) {
    const Folder folder;
    std::vector<std::string> command = {"identify",      std::string("model:") + target.unit,
                                        "--certificate", folder.path("certificate"),
                                        "--timeout",     "1500",
                                        "--validate",    "1000"};
    if (target.space != nullptr) command.insert(command.end(), {"--space", target.space});
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = discern(command);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const auto made = std::chrono::steady_clock::now();
    const auto checked = certificate::check_certificate(folder.path("certificate"));
    const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
    EXPECT_STREQ(checked.verdict(), "accepted") << checked.refused;
    EXPECT_TRUE(checked.assumed.empty());
    EXPECT_GT(checked.classes.size(), 0u);
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("certificate")))
        if (entry.is_regular_file()) bytes += entry.file_size();
    EXPECT_LT(bytes, 200'000'000u);
    std::cout << target.unit << ": " << checked.classes.size() << " classes, " << checked.merges << " certificates, "
              << static_cast<double>(bytes) / 1e6 << " MB, identified and made in " << seconds(start, made)
              << " s, checked in " << seconds(made, std::chrono::steady_clock::now()) << " s\n";
}

TEST(IdentifyCertificate, OfASmallUnit) {
    const std::string small = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12](p*))";
    expect_accepted({"Small", small.c_str(), (small + "{F={0..12}}").c_str()});
}

constexpr Target targets[] = {
    {"VoltaF16", "volta/mma.m8n8k4.f16.f16.f16.f16"},    {"VoltaF32", "volta/mma.m8n8k4.f32.f16.f16.f32"},
    {"TuringF16", "turing/mma.m16n8k8.f16.f16.f16.f16"}, {"AmpereF64", "ampere/mma.m8n8k4.f64.f64.f64.f64"},
    {"Cdna1F32", "cdna1/v_mfma_f32_4x4x1f32"},           {"Cdna2F64", "cdna2/v_mfma_f64_4x4x4f64"},
    {"Rdna3F16", "rdna3/v_wmma_f32_16x16x16_f16"},       {"X86Fma", "x86/fma.f32"},
};

class IdentifyCertificates : public ::testing::TestWithParam<Target> {};
TEST_P(IdentifyCertificates, AreAccepted) {
    if (tests::sweep(0) == 0) GTEST_SKIP() << "set DISCERN_SWEEP for units that take minutes";
    expect_accepted(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Units, IdentifyCertificates, ::testing::ValuesIn(targets),
                         [](const auto& x) { return std::string(x.param.name); });

} // namespace
} // namespace discern::testing::identify_certificate_test
