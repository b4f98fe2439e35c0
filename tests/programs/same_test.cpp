// Which kernels are one computation, and on which numbers others differ.
#include "kernel_files.hpp"

#include "programs/compare/compare.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

constexpr const char* load_words =
    "mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q1, %q1, %q5;\nadd.s64 %q2, %q2, %q5;\n"
    "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%q1];\nld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%q2];\n";
constexpr const char* store_word = "mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\nst.global.b32 [%q3], %r2;\n";

struct Pair {
    KernelReading one, other;
    TermPair terms;
};

Pair pair_of(const std::string& one, const std::string& other, Terms& terms) {
    KernelReading first = read_entry(load_words + one + store_word, terms),
                  second = read_entry(load_words + other + store_word, terms);
    const auto pairs = pairs_of(first.results[0].folded, second.results[0].folded);
    EXPECT_EQ(pairs.size(), 1u);
    const TermPair found = pairs[0];
    return {std::move(first), std::move(second), found};
}

bool is_one_term(const std::string& one, const std::string& other) {
    Terms terms;
    const Pair pair = pair_of(one, other, terms);
    return pair.terms.one == pair.terms.other;
}

} // namespace

TEST(SameBits, TermsForgetOrderOfTwoOperands) {
    EXPECT_TRUE(is_one_term("add.f32 %r2, %r4, %r5;\n", "add.rn.f32 %r2, %r5, %r4;\n"));
    EXPECT_TRUE(is_one_term("fma.rn.f32 %r2, %r4, %r5, %r6;\n", "fma.rn.f32 %r2, %r5, %r4, %r6;\n"));
    EXPECT_TRUE(is_one_term("max.f32 %r2, %r4, %r5;\nmax.f32 %r2, %r2, %r6;\n",
                            "max.f32 %r2, %r6, %r5;\nmax.f32 %r2, %r4, %r2;\n"));
    EXPECT_TRUE(is_one_term("ex2.approx.f32 %r2, %r4;\n", "ex2.approx.f32 %r2, %r4;\n"));
}

TEST(SameBits, TermsKeepWhatMatters) {
    EXPECT_FALSE(is_one_term("sub.f32 %r2, %r4, %r5;\n", "sub.f32 %r2, %r5, %r4;\n"));
    EXPECT_FALSE(is_one_term("add.f32 %r2, %r4, %r5;\n", "add.ftz.f32 %r2, %r4, %r5;\n"));
    EXPECT_FALSE(is_one_term("add.f32 %r2, %r4, %r5;\n", "add.rz.f32 %r2, %r4, %r5;\n"));
    EXPECT_FALSE(is_one_term("fma.rn.f32 %r2, %r4, %r5, %r6;\n", "fma.rn.f32 %r2, %r6, %r5, %r4;\n"));
    EXPECT_FALSE(is_one_term("max.f32 %r2, %r4, %r5;\n", "max.NaN.f32 %r2, %r4, %r5;\n"));
    EXPECT_FALSE(is_one_term("add.f32 %r2, %r4, %r5;\n", "add.f32 %r2, %r4, %r8;\n"));
}

TEST(SameBits, DifferencesAreFoundAndReplayed) {
    const std::pair<std::string, std::string> cases[] = {
        {"add.f32 %r2, %r4, %r5;\nadd.f32 %r2, %r2, %r6;\n", "add.f32 %r2, %r5, %r6;\nadd.f32 %r2, %r4, %r2;\n"},
        {"fma.rn.f32 %r2, %r4, %r8, %r5;\n", "mul.f32 %r2, %r4, %r8;\nadd.f32 %r2, %r2, %r5;\n"},
        {"max.f32 %r2, %r4, %r5;\n", "min.f32 %r2, %r4, %r5;\n"},
        {"mul.f32 %r2, %r4, %r8;\n", "mul.ftz.f32 %r2, %r4, %r8;\n"},
        {"cvt.rn.f16.f32 %h1, %r4;\ncvt.f32.f16 %r2, %h1;\n", "cvt.rn.bf16.f32 %h1, %r4;\ncvt.f32.bf16 %r2, %h1;\n"},
        {"mul.f32 %r2, %r4, %r8;\nfma.rn.f32 %r2, %r5, %r9, %r2;\nfma.rn.f32 %r2, %r6, %r10, %r2;\n",
         "mul.f32 %r2, %r6, %r10;\nfma.rn.f32 %r2, %r5, %r9, %r2;\nfma.rn.f32 %r2, %r4, %r8, %r2;\n"},
    };
    for (const auto& [one, other] : cases) {
        SCOPED_TRACE(one + "and\n" + other);
        Terms terms;
        const Pair pair = pair_of(one, other, terms);
        ASSERT_NE(pair.terms.one, pair.terms.other);
        LeafFormats formats;
        add_formats(pair.one.kernel.launch, terms, formats);
        std::uint64_t tried = 0;
        const auto found = find_difference(terms, formats, pair.terms.one, pair.terms.other,
                                           {.vectors = 10'000, .seed = 3, .stop = {}}, tried);
        ASSERT_TRUE(found);
        EXPECT_NE(found->d1, found->d2);
        for (const std::uint64_t element : {0, 17}) { // one vector, whichever row it is put into
            EXPECT_EQ(replayed(pair.one.kernel, pair.one.kernel.results[0], element, terms, found->values), found->d1);
            EXPECT_EQ(replayed(pair.other.kernel, pair.other.kernel.results[0], element, terms, found->values),
                      found->d2);
        }
    }
}

TEST(SameBits, PairsThatTheAssemblerMayFuseAreCounted) {
    Terms terms;
    const auto count = [&](const std::string& body) {
        return read_entry(load_words + body + store_word, terms).results[0].contractible;
    };
    EXPECT_EQ(count("mul.f32 %r2, %r4, %r8;\nadd.f32 %r2, %r2, %r5;\n"), 1u);
    EXPECT_EQ(
        read_entry(load_words + std::string("mul.f32 %r2, %r4, %r8;\nadd.f32 %r2, %r2, %r5;\n") + store_word, terms)
            .results[0]
            .contractible_line,
        21);
    EXPECT_EQ(count("mul.f32 %r2, %r4, %r8;\nneg.f32 %r2, %r2;\nadd.f32 %r2, %r2, %r5;\n"), 1u);
    // The first element's sum has .rn; those of other threads, which are the same term, have not.
    EXPECT_NE(count("setp.eq.s32 %p1, %r1, 0;\nmul.f32 %r2, %r4, %r8;\nadd.f32 %r3, %r2, %r5;\n"
                    "@%p1 mul.rn.f32 %r2, %r4, %r8;\n@%p1 add.rn.f32 %r3, %r2, %r5;\nmov.b32 %r2, %r3;\n"),
              0u);
    // Numbers of the launch are not known to the assembler.
    EXPECT_EQ(count("mov.b32 %r2, 0f3DCCCCCD;\nmul.f32 %r2, %r2, %r2;\nadd.f32 %r2, %r2, %r5;\n"), 1u);
    EXPECT_EQ(count("mov.b32 %r2, 0f40400000;\nmul.f32 %r2, %r2, %r2;\nadd.f32 %r2, %r2, %r5;\n"), 0u);
    EXPECT_EQ(count("mul.rn.f32 %r2, %r4, %r8;\nadd.f32 %r2, %r2, %r5;\n"), 0u);
    EXPECT_EQ(count("mul.f32 %r2, %r4, %r8;\nadd.rn.f32 %r2, %r2, %r5;\n"), 0u);
    EXPECT_EQ(count("fma.rn.f32 %r2, %r4, %r8, %r5;\n"), 0u);
}

// Epilogues multiply by alpha = 1 and beta = 0. A NaN of an operand has its own bits, which a product does not keep.
TEST(SameBits, ProductsWithOneAndZeroAreExact) {
    Terms terms;
    const auto term = [&](const std::string& body) {
        return read_entry(load_words + body + store_word, terms).results[0].folded.classes[0].term;
    };
    const NodeId sum = term("add.rn.f32 %r3, %r4, %r5;\nadd.rn.f32 %r2, %r3, %r8;\n");
    EXPECT_EQ(term("add.rn.f32 %r3, %r4, %r5;\nmul.rn.f32 %r3, %r3, 0f3F800000;\nadd.rn.f32 %r2, %r3, %r8;\n"), sum);
    EXPECT_EQ(term("add.rn.f32 %r3, %r4, %r5;\nfma.rn.f32 %r2, 0f3F800000, %r3, %r8;\n"), sum);
    EXPECT_EQ(term("fma.rn.f32 %r2, %r4, 0f80000000, %r8;\n"),
              term("mul.rn.f32 %r3, %r4, 0f80000000;\nadd.rn.f32 %r2, %r3, %r8;\n"));
    EXPECT_NE(term("mul.rn.f32 %r2, %r4, 0f3F800000;\n"), term("mov.b32 %r2, %r4;\n"));
    EXPECT_NE(term("add.rn.f32 %r3, %r4, %r5;\nmul.rn.ftz.f32 %r2, %r3, 0f3F800000;\n"),
              term("add.rn.f32 %r2, %r4, %r5;\n"));
}

TEST(SameBits, SchedulesAreProposedAndProved) {
    // Each is a kernel's own outline as a term, read back.
    for (const char* text :
         {"hopper/wgmma.m64n8k16.f32.f16.f16@[K=64]", "hopper/wgmma.m64n8k16.f32.f16.f16@[K=64 d=f16:rne]",
          "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128 split=4 reduce=order:f32:rne]",
          "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128 split=4 reduce=pairwise:f32:rne]",
          "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128 split=32+96 reduce=order:f32:rne]",
          "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128 slice=2 run=32 reduce=order:f32:rne]",
          "ampere/mma.m16n8k16.f32.bf16.bf16.f32@[K=128 promote=64:f32:rne]"}) {
        SCOPED_TRACE(text);
        const Kernel kernel = resolve_kernel(text);
        const std::string unit = std::string(text).substr(0, std::string(text).find('@'));
        Terms terms;
        const ArraySpec a{.name = "A",
                          .format = "f16",
                          .element = 2,
                          .shape = {64, 128},
                          .axes = "mk",
                          .strides = {128, 1},
                          .initial = {}},
            b{.name = "B",
              .format = "f16",
              .element = 2,
              .shape = {128, 64},
              .axes = "kn",
              .strides = {64, 1},
              .initial = {}};
        const ScheduledOperands operands{terms.leaf_operation(a), terms.leaf_operation(b), terms.graph.constant(0, 4)};
        const NodeId term = term_of(terms, kernel, terms.graph.operation(unit, Kind::unit), operands);
        const auto found = schedule_of(terms, term);
        ASSERT_TRUE(found);
        EXPECT_EQ(term_of(terms, found->kernel, terms.graph.operation(unit, Kind::unit), operands), term);
        EXPECT_EQ(found->text, text);
    }
}

TEST(SameBits, MultiplyAddsOfOperandsAreASchedule) {
    Terms terms;
    const auto schedule = [&](const std::string& body) {
        const auto reading = read_entry(load_words + body + store_word, terms);
        return reading.results[0].schedule ? reading.results[0].schedule->text : "";
    };
    const std::string three =
        "fma.rn.f32 %r2, %r5, %r9, %r2;\nfma.rn.f32 %r2, %r6, %r10, %r2;\nfma.rn.f32 %r2, %r11, %r7, %r2;\n";
    EXPECT_EQ(schedule("fma.rn.f32 %r2, %r4, %r8, 0f00000000;\n" + three), "x86/fma.f32{nan=7fffffff}@[K=4]");
    EXPECT_EQ(schedule("fma.rn.f32 %r2, %r4, %r8, 0f3f800000;\n" + three), "");
    EXPECT_EQ(schedule("fma.rn.f32 %r2, %r4, %r8, 0f00000000;\nfma.rn.f32 %r2, %r5, %r9, %r2;\nfma.rn.f32 %r3, %r6, "
                       "%r10, 0f00000000;\n"
                       "fma.rn.f32 %r3, %r7, %r11, %r3;\nadd.f32 %r2, %r2, %r3;\n"),
              "x86/fma.f32{nan=7fffffff}@[K=4 split=2 reduce=order:f32:rne]");
}

TEST(SameBits, AtomicSumsOfMoreThanTwoDependOnTheirOrder) {
    constexpr const char* launch = R"({"launch":1,"arguments":[
      {"matrix":"A","format":"f32","shape":[32,8],"axes":"mk"},
      {"matrix":"B","format":"f32","shape":[32,8],"axes":"mk"},
      {"result":"D","format":"f32","shape":[32],"axes":"m","initial":"zero"}]})";
    Terms terms;
    const auto read = [&](const std::string& body) {
        return read_kernel(
            entry(load_words + std::string("mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\n") + body), "k.ptx",
            parse_launch(launch, "l.json"), terms);
    };
    const auto two = read("red.global.add.f32 [%q3], %r4;\nred.global.add.f32 [%q3], %r5;\n");
    const auto turned = read("red.global.add.f32 [%q3], %r5;\nred.add.f32 [%q3], %r4;\n");
    EXPECT_FALSE(two.results[0].order_matters);
    EXPECT_EQ(two.results[0].folded.classes[0].term, turned.results[0].folded.classes[0].term);
    const auto three =
        read("red.global.add.f32 [%q3], %r4;\nred.global.add.f32 [%q3], %r5;\nred.global.add.f32 [%q3], %r6;\n");
    EXPECT_TRUE(three.results[0].order_matters);
    // What an atomic operation found is a place in the order of the threads.
    constexpr const char* with_counter = R"({"launch":1,"arguments":[
      {"matrix":"A","format":"f32","shape":[32,8],"axes":"mk"},{"zeros":64},
      {"result":"D","format":"f32","shape":[32],"axes":"m"}]})";
    const auto counted = [&](const std::string& body) {
        return read_kernel(entry("atom.global.add.u32 %r3, [%q2], 1;\n" + body), "k.ptx",
                           parse_launch(with_counter, "l.json"), terms);
    };
    const std::string store = "mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\nst.global.b32 [%q3], ";
    EXPECT_TRUE(counted(store + "%r3;\n").results[0].order_matters);
    EXPECT_FALSE(counted(store + "%r1;\n").results[0].order_matters);
}
