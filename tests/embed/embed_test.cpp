// The C interface against the exact oracle, which shares no arithmetic with what it calls; the shared library itself is
// what is linked here, so that what it does not export is not there.
#include "discern.h"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/kernel.hpp"
#include "models/shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace discern {

namespace {

std::size_t word_of(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

void append(std::vector<std::byte>& bytes, std::uint64_t bits, int width) {
    const auto* const word = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), word, word + word_of(width));
}

std::uint64_t word_at(const std::vector<std::byte>& bytes, std::size_t index, int width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + index * word_of(width), word_of(width));
    return bits;
}

using Owned = std::unique_ptr<discern_unit, void (*)(discern_unit*)>;
Owned unit_of(const char* text, std::array<char, 300>& why) {
    return {discern_unit_new(text, why.data(), why.size()), discern_unit_free};
}

} // namespace

TEST(Embed, DotsAreThoseOfTheOracle) {
    for (const char* name : {"volta/mma.m8n8k4.f32.f16.f16.f32", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
                             "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", "A100/f64"}) {
        SCOPED_TRACE(name);
        std::array<char, 300> why{};
        const Owned unit = unit_of(name, why);
        ASSERT_NE(unit, nullptr) << why.data();
        discern_shape shape{};
        discern_unit_shape(unit.get(), &shape);
        const Unit own = resolve_unit(name);
        ASSERT_EQ(shape.K, own.K);
        std::vector<std::byte> a, b, c, sa, sb;
        std::vector<std::uint64_t> expected;
        constexpr std::size_t count = 200;
        InputBuffer buffer;
        InputGenerator generator(own, Family::uniform_bits, 1);
        for (std::size_t i = 0; i < count; ++i) {
            generator.next(buffer);
            const Inputs inputs = buffer.inputs();
            for (const std::uint64_t bits : inputs.a) append(a, bits, shape.a_bits);
            for (const std::uint64_t bits : inputs.b) append(b, bits, shape.b_bits);
            for (const std::uint64_t bits : inputs.sa) append(sa, bits, shape.scale_bits);
            for (const std::uint64_t bits : inputs.sb) append(sb, bits, shape.scale_bits);
            append(c, inputs.c, shape.c_bits);
            expected.push_back(evaluate_exactly(own, inputs));
        }
        std::vector<std::byte> d(count * word_of(shape.d_bits));
        ASSERT_EQ(discern_dots(unit.get(), count, a.data(), b.data(), c.data(), sa.data(), sb.data(), d.data(),
                               why.data(), why.size()),
                  0)
            << why.data();
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_TRUE(same_result(own, word_at(d, i, shape.d_bits), expected[i])) << "vector " << i;
    }
}

/// A product is a chain of instructions, and so is a kernel that adds up in order.
TEST(Embed, ProductsAreChainsOfDots) {
    std::array<char, 300> why{};
    const Owned unit = unit_of("ampere/mma.m16n8k16.f32.f16.f16.f32", why);
    const Owned kernel = unit_of("ampere/mma.m16n8k16.f32.f16.f16.f32@[K=32]", why);
    ASSERT_NE(unit, nullptr);
    ASSERT_NE(kernel, nullptr) << why.data();
    std::vector<std::uint16_t> a(32), b(32);
    for (std::size_t i = 0; i < 32; ++i)
        a[i] = static_cast<std::uint16_t>(0x3c01 + 37 * i), b[i] = static_cast<std::uint16_t>(0xb555 + 11 * i);
    float c = 3, first = 0, second = 0, product = 0, whole = 0, dot = 0;
    const auto one = [&](std::size_t from, const float& in, float& out) {
        return discern_dots(unit.get(), 1, a.data() + from, b.data() + from, &in, nullptr, nullptr, &out, why.data(),
                            why.size());
    };
    ASSERT_EQ(one(0, c, first), 0);
    ASSERT_EQ(one(16, first, second), 0);
    ASSERT_EQ(
        discern_gemm(unit.get(), 1, 1, 32, a.data(), b.data(), &c, nullptr, nullptr, &product, why.data(), why.size()),
        0);
    ASSERT_EQ(
        discern_gemm(kernel.get(), 1, 1, 32, a.data(), b.data(), &c, nullptr, nullptr, &whole, why.data(), why.size()),
        0);
    ASSERT_EQ(discern_dots(kernel.get(), 1, a.data(), b.data(), &c, nullptr, nullptr, &dot, why.data(), why.size()), 0);
    EXPECT_EQ(product, second);
    EXPECT_EQ(whole, second);
    EXPECT_EQ(dot, second);
    EXPECT_NE(first, second);
    EXPECT_EQ(
        discern_gemm(kernel.get(), 1, 1, 16, a.data(), b.data(), &c, nullptr, nullptr, &whole, why.data(), why.size()),
        -1);
    EXPECT_STREQ(why.data(), "the kernel computes products of k = 32, and k is 16");
}

TEST(Embed, ErrorsAreSentences) {
    std::array<char, 300> why{};
    EXPECT_EQ(unit_of("volta/mma.m8n8k4.f32.f16.f16.f3", why), nullptr);
    EXPECT_NE(std::string(why.data()).find("volta/mma.m8n8k4.f32.f16.f16.f32"), std::string::npos) << why.data();
    EXPECT_EQ(discern_unit_new(nullptr, nullptr, 0), nullptr);
    std::array<char, 6> cut{'x', 'x', 'x', 'x', 'x', 'x'};
    EXPECT_EQ(discern_unit_new("?", cut.data(), cut.size()), nullptr);
    EXPECT_EQ(std::strlen(cut.data()), 5U);
    const Owned unit = unit_of("blackwell/tcgen05.mma.m64n8k32.f32.e2m1.e2m1", why);
    ASSERT_NE(unit, nullptr) << why.data();
    std::array<std::uint8_t, 32> a{}, b{};
    float c = 0, d = 0;
    b[3] = 0x10; // five bits
    EXPECT_EQ(discern_dots(unit.get(), 1, a.data(), b.data(), &c, nullptr, nullptr, &d, why.data(), why.size()), -1);
    EXPECT_STREQ(why.data(), "b: element 3 is no pattern of e2m1, which has 4 bits, one element a word");
    EXPECT_EQ(discern_dots(unit.get(), 1, nullptr, b.data(), &c, nullptr, nullptr, &d, why.data(), why.size()), -1);
    EXPECT_STREQ(why.data(), "a is missing; the unit reads 32 patterns of e2m1");
}

TEST(Embed, CommandsAnswerAsTheProgramDoes) {
    std::array<char, 300> why{};
    char* output = nullptr;
    const char* const differ[] = {"synth", "V100/f16", "A100/f16", "--json"};
    EXPECT_EQ(discern_command(differ, 4, &output, why.data(), why.size()), 1) << why.data();
    EXPECT_NE(std::string(output).find("\"verdict\""), std::string::npos) << output;
    discern_free(output);
    const char* const nothing[] = {"nothing"};
    EXPECT_EQ(discern_command(nothing, 1, &output, why.data(), why.size()), 2);
    EXPECT_EQ(output, nullptr);
    EXPECT_NE(std::string(why.data()).find("nothing"), std::string::npos);
    EXPECT_EQ(discern_command(nullptr, 0, &output, why.data(), why.size()), 2);
}

TEST(Embed, ExplanationsAreThoseOfTheCommand) {
    std::array<char, 300> why{};
    const Owned unit = unit_of("volta/mma.m8n8k4.f32.f16.f16.f32", why);
    ASSERT_NE(unit, nullptr);
    const std::array<std::uint16_t, 4> a{0xf000, 0, 0, 0x4000}, b{0x6400, 0, 0, 0x3400};
    const float c = 8388608;
    char* const own = discern_explain(unit.get(), a.data(), b.data(), &c, nullptr, nullptr, why.data(), why.size());
    ASSERT_NE(own, nullptr) << why.data();
    char* asked = nullptr;
    const char* const words[] = {"explain",
                                 "volta/mma.m8n8k4.f32.f16.f16.f32",
                                 "--json",
                                 "--a",
                                 "f000,0000,0000,4000",
                                 "--b",
                                 "6400,0000,0000,3400",
                                 "--c",
                                 "4b000000"};
    EXPECT_EQ(discern_command(words, 9, &asked, why.data(), why.size()), 0) << why.data();
    EXPECT_STREQ(own, asked);
    discern_free(asked);
    discern_free(own);
}

} // namespace discern
