// The machine on numbers against NVIDIA's manual of PTX, at the ends of what an instruction takes: what it computes is
// all that the results of kernels for GPUs are believed for.
#include "programs/launch/device.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

using namespace discern;
using namespace discern::programs;

namespace {

/// Runs one statement on %x, %y, %z (32 bits), %u, %v (64 bits). Its result is %d, %e (32 bits) or %w (64 bits).
class Statement {
  public:
    explicit Statement(const std::string& statement) : kernel_(begin + statement + end, "statement.ptx") {}

    struct Result {
        std::uint32_t d, e;
        std::uint64_t w;
    };
    Result operator()(std::uint64_t x, std::uint64_t y = 0, std::uint64_t z = 0) {
        constexpr std::uint64_t address = 0x4000;
        std::array<std::uint64_t, 6> memory = {x, y, z, 0, 0, 0};
        const auto bytes = [](auto& of) { return std::span(reinterpret_cast<std::uint8_t*>(&of), sizeof of); };
        std::uint64_t parameter = address;
        const DeviceArray array{address, bytes(memory)};
        kernel_.launch({.block = {32, 1, 1}, .parameters = bytes(parameter)}, {&array, 1});
        return {static_cast<std::uint32_t>(memory[3]), static_cast<std::uint32_t>(memory[4]), memory[5]};
    }

  private:
    static constexpr const char* begin = ".version 6.0\n.target sm_70\n.address_size 64\n"
                                         ".visible .entry statement(.param .u64 arguments)\n{\n"
                                         "    .reg .b64 %at, %u, %v, %w;\n"
                                         "    .reg .b32 %x, %y, %z, %d, %e, %f;\n"
                                         "    .reg .pred %p, %q, %r;\n"
                                         "    ld.param.u64 %at, [arguments+0];\n"
                                         "    ld.global.u32 %x, [%at];\n"
                                         "    ld.global.u32 %y, [%at+8];\n"
                                         "    ld.global.u32 %z, [%at+16];\n"
                                         "    ld.global.u64 %u, [%at];\n"
                                         "    ld.global.u64 %v, [%at+8];\n"
                                         "    mov.b32 %d, 0;\n"
                                         "    mov.b32 %e, 0;\n"
                                         "    mov.b64 %w, 0;\n    ";
    static constexpr const char* end = ";\n"
                                       "    st.global.u32 [%at+24], %d;\n"
                                       "    st.global.u32 [%at+32], %e;\n"
                                       "    st.global.u64 [%at+40], %w;\n"
                                       "    ret;\n}\n";
    LoadedKernel kernel_;
};

} // namespace

TEST(DeviceMachine, ShiftsOfThirtyTwoBitsClampTheirAmounts) {
    Statement left("shl.b32 %d, %x, %y"), right("shr.u32 %d, %x, %y"), with_sign("shr.s32 %d, %x, %y");
    struct Case {
        std::uint32_t by, left, right, with_sign;
    };
    for (const Case& c : {Case{0, 0x80000001, 0x80000001, 0x80000001}, Case{1, 2, 0x40000000, 0xc0000000},
                          Case{31, 0x80000000, 1, 0xffffffff}, Case{32, 0, 0, 0xffffffff}, Case{63, 0, 0, 0xffffffff},
                          Case{64, 0, 0, 0xffffffff}, Case{0xffffffff, 0, 0, 0xffffffff}}) {
        EXPECT_EQ(left(0x80000001, c.by).d, c.left) << c.by;
        EXPECT_EQ(right(0x80000001, c.by).d, c.right) << c.by;
        EXPECT_EQ(with_sign(0x80000001, c.by).d, c.with_sign) << c.by;
    }
    EXPECT_EQ(with_sign(0x7fffffff, 40).d, 0u);
}

TEST(DeviceMachine, ShiftsOfSixtyFourBitsClampTheirAmounts) {
    Statement left("shl.b64 %w, %u, %y"), right("shr.u64 %w, %u, %y");
    struct Case {
        std::uint32_t by;
        std::uint64_t left, right;
    };
    constexpr std::uint64_t x = 0x8000000100000003;
    for (const Case& c : {Case{0, x, x}, Case{31, 0x8000000180000000, 0x100000002}, Case{32, 0x300000000, 0x80000001},
                          Case{63, 0x8000000000000000, 1}, Case{64, 0, 0}, Case{0xffffffff, 0, 0}}) {
        EXPECT_EQ(left(x, c.by).w, c.left) << c.by;
        EXPECT_EQ(right(x, c.by).w, c.right) << c.by;
    }
}

/// The first operand is the lower half; the amount counts modulo 32.
TEST(DeviceMachine, FunnelShifts) {
    Statement left("shf.l.wrap.b32 %d, %x, %y, %z"), right("shf.r.wrap.b32 %d, %x, %y, %z");
    struct Case {
        std::uint32_t by, left, right;
    };
    for (const Case& c :
         {Case{0, 0x12345678, 0x89abcdef}, Case{4, 0x23456788, 0x889abcde}, Case{31, 0x44d5e6f7, 0x2468acf1},
          Case{32, 0x12345678, 0x89abcdef}, Case{63, 0x44d5e6f7, 0x2468acf1}, Case{64, 0x12345678, 0x89abcdef}}) {
        EXPECT_EQ(left(0x89abcdef, 0x12345678, c.by).d, c.left) << c.by;
        EXPECT_EQ(right(0x89abcdef, 0x12345678, c.by).d, c.right) << c.by;
    }
}

/// How far the highest bit is from the top; of 0 all ones.
TEST(DeviceMachine, FindsTheHighestBit) {
    Statement narrow("bfind.shiftamt.u32 %d, %x"), wide("bfind.shiftamt.u64 %d, %u");
    EXPECT_EQ(narrow(0).d, 0xffffffff);
    EXPECT_EQ(narrow(1).d, 31u);
    EXPECT_EQ(narrow(0x00010000).d, 15u);
    EXPECT_EQ(narrow(0x80000000).d, 0u);
    EXPECT_EQ(narrow(0xffffffff).d, 0u);
    EXPECT_EQ(wide(0).d, 0xffffffff);
    EXPECT_EQ(wide(1).d, 63u);
    EXPECT_EQ(wide(0xffffffff).d, 32u);
    EXPECT_EQ(wide(0x100000000).d, 31u);
    EXPECT_EQ(wide(0x8000000000000000).d, 0u);
}

/// Bit 4a + 2b + c of the table is the result of bits a, b, c.
TEST(DeviceMachine, TablesOfThreeOperands) {
    constexpr std::uint32_t a = 0xf0, b = 0xcc, c = 0xaa;
    for (const std::uint32_t table : {0x00u, 0x01u, 0x80u, 0xcau, 0xe8u, 0xf0u, 0xffu})
        EXPECT_EQ(Statement("lop3.b32 %d, %x, %y, %z, " + std::to_string(table))(a, b, c).d & 0xff, table);
    EXPECT_EQ(Statement("lop3.b32 %d, %x, %y, %z, 202")(0xffff0000, 0x12345678, 0x9abcdef0).d, 0x1234def0u);
}

TEST(DeviceMachine, TwoHalvesAreARegisterOfSixtyFourBits) {
    EXPECT_EQ(Statement("mov.b64 %w, {%x,%y}")(0x11111111, 0x22222222).w, 0x2222222211111111u);
    EXPECT_EQ(Statement("mov.b64 %w, {0,%y}")(0x11111111, 0x22222222).w, 0x2222222200000000u);
    const Statement::Result halves = Statement("mov.b64 {%d,%e}, %u")(0x2222222211111111);
    EXPECT_EQ(halves.d, 0x11111111u);
    EXPECT_EQ(halves.e, 0x22222222u);
}

TEST(DeviceMachine, LargerAndSmallerNumbersAndComplements) {
    EXPECT_EQ(Statement("max.u32 %d, %x, %y")(0x80000000, 1).d, 0x80000000);
    EXPECT_EQ(Statement("max.u32 %d, %x, %y")(0, 0).d, 0u);
    EXPECT_EQ(Statement("max.u32 %d, %x, %y")(5, 0xffffffff).d, 0xffffffff);
    EXPECT_EQ(Statement("min.u32 %d, %x, %y")(0x80000000, 1).d, 1u);
    EXPECT_EQ(Statement("min.u32 %d, %x, %y")(0xffffffff, 0xffffffff).d, 0xffffffff);
    EXPECT_EQ(Statement("not.b32 %d, %x")(0).d, 0xffffffff);
    EXPECT_EQ(Statement("not.b32 %d, %x")(0xfffffffe).d, 1u);
}

TEST(DeviceMachine, Predicates) {
    for (const std::uint32_t x : {0u, 1u})
        for (const std::uint32_t y : {0u, 1u}) {
            const std::string set = "setp.ne.u32 %p, %x, 0;\n    setp.ne.u32 %q, %y, 0;\n    ",
                              get = ";\n    selp.b32 %d, 1, 0, %r";
            EXPECT_EQ(Statement(set + "and.pred %r, %p, %q" + get)(x, y).d, x & y);
            EXPECT_EQ(Statement(set + "or.pred %r, %p, %q" + get)(x, y).d, x | y);
            EXPECT_EQ(Statement(set + "xor.pred %r, %p, %q" + get)(x, y).d, x ^ y);
            EXPECT_EQ(Statement(set + "not.pred %r, %p" + get)(x, y).d, 1 - x);
        }
}

TEST(DeviceMachine, LoadsWithASignFillTheRegister) {
    EXPECT_EQ(Statement("ld.global.s16 %d, [%at]")(0x8000).d, 0xffff8000);
    EXPECT_EQ(Statement("ld.global.s16 %d, [%at]")(0x17fff).d, 0x7fffu);
    EXPECT_EQ(Statement("ld.global.s8 %d, [%at]")(0x80).d, 0xffffff80);
    EXPECT_EQ(Statement("ld.global.u8 %d, [%at]")(0x180).d, 0x80u);
}

/// Over the ends of both widths: what goes on is one more bit of the sum, or one less.
TEST(DeviceMachine, CarriesAndBorrows) {
    Statement sum("add.cc.u32 %d, %x, %y;\n    addc.u32 %e, 0, 0"),
        difference("sub.cc.u32 %d, %x, %y;\n    subc.u32 %e, 0, 0"),
        three("add.cc.u32 %d, %x, %x;\n    addc.cc.u32 %d, %y, %y;\n    addc.u32 %e, %z, %z"),
        borrows("sub.cc.u32 %d, %x, 1;\n    subc.cc.u32 %d, %y, %z;\n    subc.u32 %e, 5, 0"),
        wide("add.cc.u64 %w, %u, %v;\n    addc.u32 %e, 0, 0");
    const std::uint32_t ends[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (const std::uint32_t x : ends)
        for (const std::uint32_t y : ends) {
            const std::uint64_t whole = std::uint64_t(x) + y;
            EXPECT_EQ(sum(x, y).d, static_cast<std::uint32_t>(whole));
            EXPECT_EQ(sum(x, y).e, whole >> 32);
            EXPECT_EQ(difference(x, y).d, x - y);
            EXPECT_EQ(difference(x, y).e, x < y ? 0xffffffffu : 0u);
            for (const std::uint32_t z : ends) {
                const std::uint64_t low = std::uint64_t(x) * 2, high = std::uint64_t(y) * 2 + (low >> 32);
                EXPECT_EQ(three(x, y, z).d, static_cast<std::uint32_t>(high));
                EXPECT_EQ(three(x, y, z).e, z * 2 + static_cast<std::uint32_t>(high >> 32));
                const std::uint64_t taken = std::uint64_t(z) + (x < 1);
                EXPECT_EQ(borrows(x, y, z).d, y - static_cast<std::uint32_t>(taken));
                EXPECT_EQ(borrows(x, y, z).e, 5u - (y < taken));
            }
        }
    EXPECT_EQ(wide(0xffffffffffffffff, 1).e, 1u);
    EXPECT_EQ(wide(0xffffffffffffffff, 0).e, 0u);
    EXPECT_EQ(wide(0xfffffffffffffffe, 1).w, 0xffffffffffffffffu);
}

/// What hardware would take without a word: registers of another size, or that nothing has written, and memory that is
/// not the kernel's.
TEST(DeviceMachine, IsStrict) {
    const auto error = [](const std::string& statement) -> std::string {
        try {
            Statement{statement}(1);
        } catch (const Error& wrong) {
            return wrong.what();
        }
        return "";
    };
    EXPECT_EQ(error("add.u32 %d, %x, %y"), "");
    for (const char* statement :
         {"add.u32 %d, %u, %y", "add.u64 %w, %x, %v", "and.b32 %w, %x, %y", "mul.wide.u32 %d, %x, %y",
          "shl.b64 %w, %u, %v", "setp.lt.u32 %p, %u, 1", "selp.b32 %d, %u, 1, %p", "addc.u32 %w, %x, %y"})
        EXPECT_NE(error(statement).find("bits"), std::string::npos) << statement << ": " << error(statement);
    EXPECT_NE(error("add.u32 %d, %x, %f").find("nothing has written"), std::string::npos)
        << error("add.u32 %d, %x, %f");
    EXPECT_NE(error("ld.global.u32 %d, [%at+48]").find("outside of every buffer"), std::string::npos);
    EXPECT_NE(error("st.global.u32 [%at+46], %x").find("past the end"), std::string::npos);
}
