// Arm's instructions as targets, cross-compiled and emulated; and its units of the catalogue against what does not
// share their notation: that emulator, and the manual's steps written out in exact fractions.
#include "hwrunner/kinds.hpp"

#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace discern::testing {
namespace {

ProcessResult shell(const std::string& command) {
    return run_process(command, "", [] { return false; });
}

std::string what_is_missing() {
    if (!is_program("aarch64-linux-gnu-g++"))
        return "no aarch64-linux-gnu-g++ to be found (Debian: g++-aarch64-linux-gnu)";
    return is_program("qemu-aarch64") ? "" : "no qemu-aarch64 to be found (Debian: qemu-user)";
}

void build(const std::string& source, const std::string& program) {
    const ProcessResult built =
        shell(sentence("aarch64-linux-gnu-g++ -std=c++20 -O1 -static -Wall -Wextra -Werror -I" DISCERN_SOURCES
                       " " DISCERN_SOURCES "/tests/hwrunner/arm/",
                       source, " -o ", program));
    ASSERT_EQ(built.ended, "exit status 0") << built.errors;
}

class ArmCpu : public ::testing::TestWithParam<std::string> {};

// The emulator has its own implementation of the Arm manual's pseudocode: two readings of it agree.
TEST_P(ArmCpu, UnderTheEmulatorIsTheUnit) {
    if (const std::string missing = what_is_missing(); !missing.empty()) GTEST_SKIP() << missing;
    const Folder folder;
    const std::string peer = folder.path("peer");
    build("arm_peer.cpp", peer);
    const std::string unit = kind_of("arm/" + GetParam()).unit();
    const ProcessResult result = shell(DISCERN_PROGRAM " check 'exec:qemu-aarch64 -cpu max " + peer + " " + GetParam() +
                                       "' '" + unit + "' -n 5000 --show 2");
    EXPECT_EQ(result.output, "checked 5000, mismatches 0\n") << result.errors;
}
INSTANTIATE_TEST_SUITE_P(Instructions, ArmCpu, ::testing::Values("bfdot", "bfmmla", "fmla.f32", "fmla.f16"),
                         [](const auto& parameter) {
                             std::string name = parameter.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

TEST(ArmTarget, CompilesForAArch64) {
    if (!is_program("aarch64-linux-gnu-g++"))
        GTEST_SKIP() << "no aarch64-linux-gnu-g++ to be found (Debian: g++-aarch64-linux-gnu)";
    const ProcessResult built = shell(
        "aarch64-linux-gnu-g++ -std=c++20 -Wall -Wextra -Wconversion -Wno-sign-conversion "
        "-Werror -fsyntax-only -I" DISCERN_SOURCES " " DISCERN_SOURCES "/hwrunner/cpu/arm_target.cpp " DISCERN_SOURCES
        "/hwrunner/cpu/x86_target.cpp " DISCERN_SOURCES "/hwrunner/cpu/amx_target.cpp");
    EXPECT_EQ(built.ended, "exit status 0") << built.errors;
}

/// Fields of FPCR, as the peer reads them.
constexpr const char *to_nearest = "0", *up = "400000", *down = "800000", *to_zero = "c00000", *flushing = "1000000",
                     *default_nan = "2000000";

struct Case {
    std::string instruction, control, unit;
};

std::string replaced(std::string text, std::string_view part, std::string_view by) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
        text.replace(at, part.size(), by);
    return text;
}

/// A unit all of whose rounds are to nearest, with another mode in each of them.
std::string rounded(const Unit& unit, std::string_view mode) {
    return replaced(to_string(unit), "f32 rne", sentence("f32 ", mode));
}

// The emulator is of before FEAT_EBF16, and its BFMOPA rounds to odd whatever the modes.
const Case emulated[] = {
    {"bfmlalb", to_nearest, "arm/bfmlalb"},
    {"bfmlalt", to_nearest, "arm/bfmlalt"},
    {"bfmlalt", down, "arm/bfmlalt{round=f32:rd}"},
    {"bfmlalb", default_nan, "arm/bfmlalb{nan=7fc00000}"},
    {"fmlal", to_nearest, "arm/fmlal"},
    {"fmlal2", default_nan, "arm/fmlal2{nan=7fc00000}"},
    {"fmlalb", to_nearest, "arm/fmlalb"},
    {"fmlalt", to_nearest, "arm/fmlalt"},
    {"fmmla.f32", to_nearest, "arm/fmmla.f32"},
    {"fmmla.f64", default_nan, "arm/fmmla.f64{nan=7ff8000000000000}"},
    {"bfmopa", to_nearest, "arm/bfmopa"},
    {"bfmopa", down, "arm/bfmopa"},
    {"bfmopa", flushing, "arm/bfmopa"},
    {"fmopa.f32.f16", to_nearest, "arm/fmopa.f32.f16"},
    {"fmopa.f32.f32", to_nearest, "arm/fmopa.f32.f32"},
    {"fmopa.f32.f32", to_zero, "arm/fmopa.f32.f32{round=f32:rz}"},
    {"fmopa.f64.f64", to_nearest, "arm/fmopa.f64.f64"},
    {"fmopa.f64.f64", up, "arm/fmopa.f64.f64{round=f64:ru}"},
};

TEST(Arm, UnderTheEmulatorIsTheUnit) {
    if (const std::string missing = what_is_missing(); !missing.empty()) GTEST_SKIP() << missing;
    const Folder folder;
    const std::string peer = folder.path("peer");
    build("scalable_peer.cpp", peer);
    const auto check = [&](const Case& one) {
        return shell(sentence(DISCERN_PROGRAM " check 'exec:qemu-aarch64 -cpu max ", peer, " ", one.instruction, " ",
                              one.control, "' '", one.unit, "' -n 5000 --show 2"));
    };
    std::size_t i = 0;
    for (const Case& one : emulated) {
        if (!tests::takes_part(i++, 2)) continue;
        const ProcessResult result = check(one);
        EXPECT_EQ(result.output, "checked 5000, mismatches 0\n")
            << one.instruction << " " << one.control << ": " << result.errors;
    }
    EXPECT_EQ(check({"bfmopa", to_nearest, "arm/bfmopa.ebf"}).ended, "exit status 1") << "the rule of FPCR.EBF = 1";
    // FMOPA of f16 has the steps of BFMOPA with FPCR.EBF = 1.
    for (const auto& [control, mode] : {std::pair(to_nearest, "rne"), {up, "ru"}, {down, "rd"}, {to_zero, "rz"}}) {
        if (!tests::takes_part(i++, 2)) continue;
        const std::string line = replaced(rounded(resolve_unit("arm/bfmopa.ebf"), mode), "bf16", "f16");
        const ProcessResult result = check({"fmopa.f32.f16", control, line});
        EXPECT_EQ(result.output, "checked 5000, mismatches 0\n") << line << ": " << result.errors;
    }
}

/// Random vectors, and those that tell the unit from all that differ from it in one parameter.
void expect_the_steps(const std::string& unit, const std::string& control) {
    const std::string target = "'exec:python3 " DISCERN_SOURCES "/tests/hwrunner/arm/exact_steps.py " + control + "'";
    const ProcessResult result = shell(sentence(DISCERN_PROGRAM " check ", target, " ", unit, " -n 1000 --show 2"));
    EXPECT_EQ(result.output, "checked 1000, mismatches 0\n") << unit << ": " << result.errors;
    const Folder folder;
    const std::string asked = folder.path("asked.jsonl"), answered = folder.path("answered.jsonl");
    // Two of its neighbours may be open in a second; each is told from the unit all the same.
    const ProcessResult around = shell(sentence(DISCERN_PROGRAM " suite --around ", unit, " --question 1 -o ", asked,
                                                "; " DISCERN_PROGRAM " run ", target, " ", asked, " -o ", answered,
                                                " && " DISCERN_PROGRAM " eval ", unit, " ", answered, " --check"));
    EXPECT_EQ(around.ended, "exit status 0") << unit << ": " << around.output << around.errors;
}

TEST(Arm, PairsWithEbfAreTheStepsInExactFractions) {
    if (!is_program("python3")) GTEST_SKIP() << "no python3 to be found";
    std::size_t i = 0; // each of the instructions, modes and rules of subnormal numbers is in every third
    for (const std::string instruction : {"bfdot", "bfmmla"})
        for (const auto& [ours, theirs] : {std::pair("rne", "RN"), {"rz", "RZ"}, {"rd", "RM"}, {"ru", "RP"}})
            for (const auto& [ending, subnormals] : {std::pair("", " keep"), {".fz", " flush"}}) {
                if (!tests::takes_part(i++, 3)) continue;
                const Unit unit = resolve_unit(sentence("arm/", instruction, ".ebf", ending));
                expect_the_steps(sentence("'", rounded(unit, ours), "'"), sentence(theirs, subnormals));
            }
}

TEST(Arm, WhatNoEmulatorHasIsTheStepsInExactFractions) {
    if (!is_program("python3")) GTEST_SKIP() << "no python3 to be found";
    std::size_t i = 0;
    for (const char* unit :
         {"arm/fdot.f32.f16", "arm/fmmla.f32.f16", "arm/fmopa.f32.f16", "arm/fmopa.f16.f16", "arm/bfmopa.bf16.bf16",
          "arm/fmlalb.f16.e5m2.e4m3", "arm/fmlalltt.f32.e4m3.e5m2", "arm/fdot.f32.e4m3.e4m3", "arm/fdot.f16.e5m2.e5m2",
          "arm/fmmla.f32.e5m2.e5m2", "arm/fmmla.f16.e4m3.e4m3"})
        if (tests::takes_part(i++, 3)) expect_the_steps(unit, "RN keep");
}

} // namespace
} // namespace discern::testing
