// Status flags against another account of them (small_format.hpp), and by examples.
#include "models/flags.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/vectors.hpp"
#include "small_format.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace discern::tests {
namespace {

Unit multiply_add(const std::string& format, Rounding mode) {
    return parse_unit(format + "*" + format + "+" + format + "->" + format + " K=1 : round[" + format + " " +
                      std::string(name(mode)) + "](fuse[exact](p*, c))");
}

StatusFlags flags_of(const Unit& unit, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                     Tininess tininess = Tininess::after) {
    return flags_exactly(unit, {.a = {&a, 1}, .b = {&b, 1}, .sa = {}, .sb = {}, .c = c}, tininess);
}

constexpr StatusFlags invalid = bits_of(StatusFlag::invalid), overflow = bits_of(StatusFlag::overflow),
                      underflow = bits_of(StatusFlag::underflow), inexact = bits_of(StatusFlag::inexact);

TEST(Flags, OfAllInputsAreThoseOfTheNeighbours) {
    for (const std::string name : {"e2m2ieee", "e3m1ieee"}) {
        const FormatId id = format_from_name(name).value();
        const SmallFormat small(id);
        StatusFlags seen = 0;
        std::size_t tininess_counts = 0;
        for (std::size_t m = 0; m < rounding_names.size(); ++m) {
            const auto mode = static_cast<Rounding>(m);
            const Unit unit = multiply_add(name, mode);
            for (std::uint64_t bits = 0; bits < 1ull << (3 * small.of().width); ++bits) {
                const std::uint64_t mask = small.of().mask(), a = bits & mask, b = bits >> small.of().width & mask,
                                    c = bits >> (2 * small.of().width);
                StatusFlags got[2];
                for (const Tininess tininess : {Tininess::after, Tininess::before}) {
                    const StatusFlags flags = flags_of(unit, a, b, c, tininess);
                    ASSERT_EQ(flags, flags_of_operation(small, id, a, id, b, std::pair{id, c}, mode, tininess))
                        << to_string(unit) << " on " << a << " " << b << " " << c;
                    got[static_cast<int>(tininess)] = flags;
                    seen |= flags;
                }
                tininess_counts += got[0] != got[1] ? 1 : 0;
            }
        }
        EXPECT_EQ(seen, invalid | overflow | underflow | inexact);
        EXPECT_GT(tininess_counts, 0u);
    }
}

TEST(Flags, OfInvalidOperations) {
    const Unit unit = multiply_add("f16", Rounding::rne);
    constexpr std::uint64_t zero = 0x8000, one = 0x3c00, inf = 0x7c00, quiet = 0x7e01, signalling = 0xfc01;
    EXPECT_EQ(flags_of(unit, inf, zero, one), invalid);
    EXPECT_EQ(flags_of(unit, zero, inf, one), invalid);
    EXPECT_EQ(flags_of(unit, zero, inf, quiet), invalid); // as Berkeley SoftFloat, Arm and RISC-V have it
    EXPECT_EQ(flags_of(unit, inf, one, inf | 0x8000), invalid);
    EXPECT_EQ(flags_of(unit, inf, one, inf), 0);
    EXPECT_EQ(flags_of(unit, quiet, inf, inf | 0x8000), 0);
    EXPECT_EQ(flags_of(unit, quiet, one, one), 0);
    EXPECT_EQ(flags_of(unit, signalling, one, one), invalid);
    EXPECT_EQ(flags_of(unit, one, signalling, quiet), invalid);
    EXPECT_EQ(flags_of(unit, quiet, zero, signalling), invalid);
    EXPECT_EQ(flags_of(unit, inf, inf, one), 0);
}

TEST(Flags, OfSeveralOperationsAreThoseOfAny) {
    // Rounded products that are added one by one: the first product is inexact, the second addition overflows.
    const Unit unit =
        parse_unit("f16*f16+f16->f16 K=2 L=1 : round[f16 rne](fuse[exact](c, round[f16 rne](fuse[exact](p*))))");
    const auto flags = [&](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c) {
        return flags_exactly(unit, {.a = a, .b = b, .sa = {}, .sb = {}, .c = c}, Tininess::after);
    };
    EXPECT_EQ(flags({0x3c01, 0x3c00}, {0x3c01, 0x3c00}, 0), inexact);
    EXPECT_EQ(flags({0x3c00, 0x7bff}, {0x3c00, 0x3c00}, 0x7bff), overflow | inexact);
    EXPECT_EQ(flags({0x7c00, 0x3c00}, {0, 0x3c00}, 0), invalid); // the NaN that it made is quiet
    EXPECT_EQ(flags({0x3c00, 0x3c00}, {0x3c00, 0x3c00}, 0x3c00), 0);
}

TEST(Flags, OfRiscVsBulkNormalisedDotProductAreTwo) {
    const Unit unit = resolve_unit("riscv/bna.f32.bf16.bf16");
    EXPECT_EQ(defined_flags(unit).raised, invalid | overflow);
    EXPECT_EQ(defined_flags(resolve_unit("riscv/bna.f32.e4m3.e5m2{K=16}")).raised, invalid | overflow);
    constexpr std::uint64_t one = 0x3f80, big = 0x7f00, inf = 0x7f80, quiet = 0x7fc0, signalling = 0x7f81;
    const auto flags = [&](std::uint64_t a0, std::uint64_t b0, std::uint64_t a1, std::uint64_t b1, std::uint64_t c) {
        std::vector<std::uint64_t> a(8), b(8);
        a[0] = a0, b[0] = b0, a[1] = a1, b[1] = b1;
        return flags_exactly(unit, {.a = a, .b = b, .sa = {}, .sb = {}, .c = c}, Tininess::after);
    };
    EXPECT_EQ(flags(one, one, 0x0080, 0x0080, 0x3f800000), 0); // inexact, and so small that it would be tiny
    EXPECT_EQ(flags(big, big, 0, 0, 0), overflow);
    EXPECT_EQ(flags(inf, 0, 0, 0, 0), invalid);
    EXPECT_EQ(flags(inf, one, inf, one | 0x8000, 0), invalid);
    EXPECT_EQ(flags(inf, one, 0, 0, 0xff800000), invalid);
    EXPECT_EQ(flags(quiet, one, 0, 0, 0), 0);
    EXPECT_EQ(flags(signalling, one, 0, 0, 0), invalid);
    EXPECT_EQ(flags(one, one, 0, 0, 0x7f800001), invalid);
    // NaN of 8 bits are quiet there, and of two kinds in an operation of IEEE 754.
    std::vector<std::uint64_t> a(8), b(8);
    a[0] = 0x7d, b[0] = 0x3c;
    const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0};
    EXPECT_EQ(flags_exactly(resolve_unit("riscv/bna.f32.e5m2.e5m2"), inputs, Tininess::after), 0);
    EXPECT_EQ(flags_of(multiply_add("e5m2", Rounding::rne), 0x7d, 0x3c, 0), invalid);
}

TEST(Flags, AreNotDefinedOfOtherSums) {
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {"hopper/wgmma.m64n8k16.f32.f16.f16", "a rounding that flushes, saturates or drops a sign"},
             {"f16*f16+f32->f32 K=2 : round[f32 rne](fuse[exact](p*, c))", "a sum of more than two terms"},
             {"f32*f32+f32->f32 K=1 : round[f32 rne ftz=result](fuse[exact](p*, c))", "a rounding that flushes"},
             {"f32*f32+f32->f32 K=1 : round[f32 rne](fuse[exact](p0[ftz], c))", "a way of its own"},
             {"f32*f32+f32->f32 K=1 : round[f32 rne](fuse[F=24 rz](p*, c))", "a sum that is not exact"},
             {"e4m3*e4m3+e4m3->e4m3 K=1 : round[e4m3 rne](fuse[exact](p*, c))", "no format of IEEE 754's kind"}}) {
        const DefinedFlags defined = defined_flags(resolve_unit(text));
        EXPECT_NE(defined.why_not.find(why), std::string::npos) << text << ": " << defined.why_not;
        EXPECT_EQ(defined.raised, 0) << text;
    }
}

TEST(Flags, AreWrittenInTwoDigits) {
    EXPECT_EQ(flag_digits(invalid | inexact), "11");
    EXPECT_EQ(flag_digits(0), "00");
    EXPECT_EQ(names_of_flags(overflow | inexact), "overflow, inexact");
    EXPECT_EQ(names_of_flags(0), "none");
    for (unsigned flags = 0; flags <= all_status_flags; ++flags)
        EXPECT_EQ(flags_of_digits(flag_digits(static_cast<StatusFlags>(flags))), flags);
    for (const char* wrong : {"", "20", "001", "x1", "-1", " 1"})
        EXPECT_EQ(flags_of_digits(wrong), std::nullopt) << wrong;
}

} // namespace
} // namespace discern::tests
