// The sweep over gates, with answers that are right by trying all inputs: what it merges is equal, what it keeps apart
// differs, and it ends as soon as a vector shows the difference.
#include "solver/sweep/merger.hpp"

#include "models/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>

namespace discern::certificate {
namespace {

constexpr std::size_t inputs = 6;

/// All vectors of six inputs are the 64 of one word.
std::vector<std::uint64_t> all_vectors() {
    std::vector<std::uint64_t> words(inputs);
    for (std::size_t v = 0; v < 64; ++v)
        for (std::size_t i = 0; i < inputs; ++i) words[i] |= ((v >> i) & 1u) << v;
    return words;
}

Netlist random_netlist(Random& random, int gates) {
    Netlist n(inputs);
    for (int i = 0; i < gates; ++i) {
        const auto any = [&] { return static_cast<Literal>(random.below(static_cast<int>(2 * n.nodes().size()))); };
        static constexpr std::array kinds = {Gate::and_, Gate::xor_, Gate::mux, Gate::majority};
        const Gate kind = kinds[static_cast<std::size_t>(random.below(4))];
        const Literal x = any(), y = any(), z = any();
        n.make(kind, x, y, z);
    }
    return n;
}

/// Answers by the values on all vectors; some questions are left open.
class AllInputs : public GateAnswers {
  public:
    AllInputs(const Netlist& netlist, int open_once_in)
        : values_(simulate(netlist, all_vectors())), open_once_in_(open_once_in) {}

    void add(std::uint32_t gate) override { added.push_back(gate); }
    std::optional<std::uint32_t> twin(std::uint32_t) override { return std::nullopt; }
    Answer merge(std::uint32_t gate, Literal earlier) override {
        ++asked;
        if (open_once_in_ != 0 && random_.one_in(open_once_in_)) return Answer::open;
        const std::uint64_t differ = values_[gate] ^ value_of(values_, earlier);
        if (differ == 0) {
            merged[gate] = earlier;
            return Answer::same;
        }
        found_ = static_cast<std::size_t>(std::countr_zero(differ));
        return Answer::different;
    }
    void keep(std::uint32_t node) override { kept.push_back(node); }
    std::optional<bool> value_found(std::size_t input) override { return ((found_ >> input) & 1u) != 0; }

    const std::vector<std::uint64_t>& values() const { return values_; }
    std::map<std::uint32_t, Literal> merged;
    std::vector<std::uint32_t> added, kept;
    int asked = 0;

  private:
    std::vector<std::uint64_t> values_;
    int open_once_in_;
    std::size_t found_ = 0;
    Random random_{5};
};

std::uint64_t everywhere(std::span<const std::uint64_t>) { return ~0ull; }

void place_all(GateMerger& merger, const Netlist& netlist) {
    merger.keep_inputs();
    for (std::size_t i = inputs + 1; i < netlist.nodes().size(); ++i) merger.place(static_cast<std::uint32_t>(i));
}

TEST(GateMerger, MergesWhatIsEqualAndNothingElse) {
    Random random(1);
    std::size_t merged = 0, refuted = 0;
    for (int round = 0; round < 200; ++round) {
        const Netlist netlist = random_netlist(random, 60);
        AllInputs answers(netlist, 0);
        Signatures signatures(netlist.nodes(), inputs);
        SweepVectors vectors(signatures, no, everywhere, 1);
        vectors.add(std::vector<std::uint64_t>(inputs)); // one vector: all gates look like constants
        GateMerger merger(signatures, vectors, answers, {.is_over = [] { return false; }});
        place_all(merger, netlist);
        merged += merger.count().merged;
        refuted += merger.count().refuted;
        EXPECT_EQ(answers.added.size() + inputs + 1, netlist.nodes().size());
        EXPECT_EQ(answers.merged.size() + answers.kept.size(), netlist.nodes().size());
        for (const auto& [gate, earlier] : answers.merged) {
            EXPECT_LT(node_of(earlier), gate);
            EXPECT_EQ(answers.values()[gate], value_of(answers.values(), earlier));
        }
        // A counterexample stays: no two that were kept are equal, nor one to the other's negation.
        for (std::size_t i = 0; i < answers.kept.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const std::uint64_t x = answers.values()[answers.kept[i]], y = answers.values()[answers.kept[j]];
                EXPECT_TRUE(x != y && x != ~y) << answers.kept[i] << " " << answers.kept[j];
            }
    }
    EXPECT_GT(merged, 500U);
    EXPECT_GT(refuted, 500U);
}

TEST(GateMerger, AGateIsGivenUpAfterAnOpenQuestion) {
    Random random(2);
    const Netlist netlist = random_netlist(random, 200);
    AllInputs answers(netlist, 1);
    Signatures signatures(netlist.nodes(), inputs);
    SweepVectors vectors(signatures, no, everywhere, 1);
    vectors.add(std::vector<std::uint64_t>(inputs));
    GateMerger merger(signatures, vectors, answers, {.most_open = 7, .is_over = [] { return false; }});
    place_all(merger, netlist);
    EXPECT_EQ(answers.asked, 7);
    EXPECT_EQ(merger.count().open, 7U);
    EXPECT_EQ(merger.count().merged, 0U);
}

/// Shows only that a gate is the one before it.
class OnlyTheGateBefore : public AllInputs {
  public:
    OnlyTheGateBefore(const Netlist& netlist, Answer otherwise) : AllInputs(netlist, 0), otherwise_(otherwise) {}
    Answer merge(std::uint32_t gate, Literal earlier) override {
        asked_about.push_back(node_of(earlier));
        return node_of(earlier) + 1 == gate ? AllInputs::merge(gate, earlier) : otherwise_;
    }
    std::vector<std::uint32_t> asked_about;

  private:
    Answer otherwise_;
};

TEST(GateMerger, AfterAnOpenQuestionTheLastGateThatAgreesIsAskedAbout) {
    Netlist netlist(inputs);
    const Literal x = netlist.input(0), y = netlist.input(1), both = netlist.make_and(x, y);
    for (int i = 0; i < 3; ++i) netlist.make_and(both, x); // all of them are x and y
    const std::uint32_t first = node_of(both), last = first + 3;
    using Answer = GateAnswers::Answer;
    struct Row {
        Answer otherwise;
        bool asks_last;
        std::vector<std::uint32_t> asked;
        std::size_t merged;
    };
    const Row rows[] = {
        {Answer::open, false, {first}, 0},
        {Answer::open, true, {first, last - 1}, 1},
        {Answer::far, false, {first, last - 1}, 1},
    };
    for (const Row& row : rows) {
        OnlyTheGateBefore answers(netlist, row.otherwise);
        Signatures signatures(netlist.nodes(), inputs);
        SweepVectors vectors(signatures, no, everywhere, 1);
        vectors.add(all_vectors());
        GateMerger merger(signatures, vectors, answers, {.asks_last = row.asks_last, .is_over = [] { return false; }});
        merger.keep_inputs();
        for (std::uint32_t i = first; i < last; ++i) merger.place(i, false);
        merger.place(last);
        EXPECT_EQ(answers.asked_about, row.asked);
        EXPECT_EQ(merger.count().merged, row.merged);
    }
}

TEST(GateMerger, OnlyVectorsThatSatisfyTheConditionCount) {
    Netlist netlist(inputs);
    const Literal x = netlist.input(0), y = netlist.input(1);
    const Literal both = netlist.make_and(x, y);
    Signatures signatures(netlist.nodes(), inputs);
    // x is 1: then the gate is y.
    SweepVectors vectors(
        signatures, no, [](std::span<const std::uint64_t> words) { return words[0]; }, 1);
    vectors.add(std::vector<std::uint64_t>(inputs));
    vectors.add(all_vectors());
    const auto like = [&] {
        for (std::uint32_t i = 0; i <= inputs; ++i) signatures.enter(i);
        return signatures.like(node_of(both), {});
    }();
    ASSERT_TRUE(like.has_value());
    EXPECT_EQ(*like, node_of(y));
}

TEST(GateMerger, AVectorThatShowsTheDifferenceIsKept) {
    Netlist netlist(inputs);
    const Literal x = netlist.input(0), y = netlist.input(1), z = netlist.input(2);
    const Literal pair = netlist.make_and(x, y), differ = netlist.make_and(pair, invert(z));
    Signatures signatures(netlist.nodes(), inputs);
    SweepVectors vectors(signatures, differ, everywhere, 1);
    vectors.add(std::vector<std::uint64_t>(inputs));
    EXPECT_TRUE(vectors.telling().empty());
    vectors.add(all_vectors());
    ASSERT_EQ(vectors.telling().size(), inputs);
    EXPECT_EQ(vectors.telling()[0], 1U);
    EXPECT_EQ(vectors.telling()[1], 1U);
    EXPECT_EQ(vectors.telling()[2], 0U);
}

} // namespace
} // namespace discern::certificate
