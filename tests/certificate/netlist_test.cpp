// Gates with constant and repeated inputs, and words of few bits, on all values.
#include "certificate/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <stdexcept>

namespace discern::tests::netlist_test {
namespace {

using namespace certificate;
using certificate::Bits; // and not discern::Bits of encodings/

/// The value of a word in one vector.
std::uint64_t value(std::span<const std::uint64_t> values, const Bits& word, int vector) {
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < word.size(); ++i) x |= ((value_of(values, word[i]) >> vector) & 1u) << i;
    return x;
}

/// Checks a circuit of `bits` inputs on all their values.
void on_all_values(int bits, const std::function<Bits(Netlist&, const Bits&)>& make,
                   const std::function<std::uint64_t(std::uint64_t)>& expected) {
    Netlist n(static_cast<std::size_t>(bits));
    Bits inputs;
    for (int i = 0; i < bits; ++i) inputs.push_back(n.input(static_cast<std::size_t>(i)));
    const Bits result = make(n, inputs);
    for (std::size_t i = n.inputs() + 1; i < n.nodes().size(); ++i) {
        const auto& [gate, in] = n.nodes()[i];
        std::set<std::uint32_t> different = {0}; // no constant, and nothing twice
        for (std::size_t k = 0; k < inputs_of(gate); ++k) different.insert(node_of(in[k]));
        ASSERT_EQ(different.size(), inputs_of(gate) + 1);
    }
    for (std::uint64_t x = 0; x < (1ull << bits); ++x) {
        std::vector<std::uint64_t> words;
        for (int i = 0; i < bits; ++i) words.push_back((x >> i) & 1u);
        ASSERT_EQ(value(simulate(n, words), result, 0), expected(x)) << "inputs " << x;
    }
}

TEST(Netlist, GatesWithConstantAndRepeatedInputs) {
    // Every choice of three literals among the constants, x, y, z and their opposites.
    for (Literal i = 0; i < 8; ++i)
        for (Literal j = 0; j < 8; ++j)
            for (Literal k = 0; k < 8; ++k) {
                const auto bit = [](std::uint64_t in, Literal x) {
                    return (x < 2 ? 0u : (in >> (x / 2 - 1)) & 1u) ^ (x & 1u);
                };
                const auto gates = [&](Netlist& n, const Bits&) {
                    return Bits{n.make_and(i, j), n.make_xor(i, j), n.make_mux(i, j, k), n.make_majority(i, j, k),
                                n.make_or(i, j)};
                };
                on_all_values(3, gates, [&](std::uint64_t in) {
                    const std::uint64_t x = bit(in, i), y = bit(in, j), z = bit(in, k);
                    return (x & y) | (x ^ y) << 1 | (x != 0 ? y : z) << 2 | ((x & y) | (x & z) | (y & z)) << 3 |
                           (x | y) << 4;
                });
            }
}

TEST(Netlist, SharedGatesAreMadeOnce) {
    Netlist n(3, true);
    const Literal x = n.input(0), y = n.input(1), z = n.input(2);
    const std::size_t before = n.nodes().size();
    const Bits gates = {n.make_and(x, y), n.make_xor(x, y), n.make_mux(x, y, z), n.make_majority(x, y, z)};
    EXPECT_EQ(n.nodes().size(), before + 4);
    EXPECT_EQ(gates, (Bits{n.make_and(x, y), n.make_xor(x, y), n.make_mux(x, y, z), n.make_majority(x, y, z)}));
    EXPECT_EQ(n.nodes().size(), before + 4);
    // Other kinds, inputs and opposites are other gates.
    const Bits others = {
        n.make_and(x, z),    n.make_and(x, invert(y)),         n.make_xor(y, z),   n.make_mux(x, y, invert(z)),
        n.make_mux(y, x, z), n.make_majority(invert(x), y, z), n.make_mux(z, x, y)};
    EXPECT_EQ(n.nodes().size(), before + 4 + others.size());
    Netlist apart(3);
    EXPECT_NE(apart.make_and(x, y), apart.make_and(x, y));
}

TEST(Netlist, WithoutUnused) {
    Netlist n(2);
    const Literal unused = n.make_majority(n.input(0), n.input(1), n.make_and(n.input(0), n.input(1)));
    Bits root = {invert(n.make_xor(n.input(0), n.input(1)))};
    const Netlist smaller = without_unused(n, root);
    EXPECT_NE(unused, no);
    EXPECT_EQ(smaller.nodes().size(), 4u);
    EXPECT_EQ(root.front(), 7u);
}

TEST(Netlist, InputsBehindGates) {
    Netlist n(1);
    const Literal made = n.make_and(n.input(0), yes);
    const Literal second = n.add_input();
    const Literal both = n.make_and(made, second);
    const Literal third = n.add_input();
    Bits root = {n.make_mux(both, third, second)};
    ASSERT_EQ(n.inputs(), 3u);
    EXPECT_EQ(n.input(2), third);
    const Netlist first = without_unused(n, root); // has its inputs before the gates
    ASSERT_EQ(first.inputs(), 3u);
    for (std::size_t i = 0; i < first.nodes().size(); ++i) EXPECT_EQ(first.is_input(i), i >= 1 && i <= 3);
    const std::uint64_t words[] = {0xf0, 0xcc, 0xaa};
    const std::uint64_t expected = (0xf0 & 0xcc & 0xaa) | (~(0xf0ull & 0xcc) & 0xcc);
    EXPECT_EQ(value_of(simulate(first, words), root.front()), expected);
    EXPECT_EQ(value_of(simulate(n, words), third), 0xaau);
}

TEST(Netlist, HasAsManyNodesAsItMay) {
    Netlist n(2, true, 4); // the constant, two inputs, one gate
    const Literal x = n.make_and(n.input(0), n.input(1));
    for (int again = 0; again < 2; ++again) EXPECT_THROW(n.make_xor(n.input(0), n.input(1)), std::length_error);
    EXPECT_EQ(n.make_and(n.input(0), n.input(1)), x);
    EXPECT_THROW(n.add_input(), std::length_error);
    EXPECT_THROW(Netlist(4, false, 4), std::length_error);
}

TEST(Words, Arithmetic) {
    const auto split = [](const Bits& x) { return std::pair(GateDomain::slice(x, 0, 4), GateDomain::slice(x, 4, 4)); };
    on_all_values(
        8, [&](Netlist& n, const Bits& x) { return GateDomain(n).add(split(x).first, split(x).second); },
        [](std::uint64_t x) { return ((x & 15) + (x >> 4)) & 15; });
    on_all_values(
        8, [&](Netlist& n, const Bits& x) { return GateDomain(n).subtract(split(x).first, split(x).second); },
        [](std::uint64_t x) { return ((x & 15) - (x >> 4)) & 15; });
    on_all_values(
        5, [&](Netlist& n, const Bits& x) { return GateDomain(n).increment(split(x).first, x[4]); },
        [](std::uint64_t x) { return ((x & 15) + (x >> 4)) & 15; });
    on_all_values(
        5, [&](Netlist& n, const Bits& x) { return GateDomain(n).negate_if(x[4], split(x).first); },
        [](std::uint64_t x) { return x < 16 ? x : (0 - x) & 15; });
    on_all_values(
        8, [&](Netlist& n, const Bits& x) { return GateDomain(n).multiply(split(x).first, split(x).second); },
        [](std::uint64_t x) { return (x & 15) * (x >> 4); });
    on_all_values(
        8, [&](Netlist& n, const Bits& x) { return Bits{GateDomain(n).less(split(x).first, split(x).second)}; },
        [](std::uint64_t x) { return (x & 15) < (x >> 4) ? 1u : 0u; });
    on_all_values(
        7,
        [](Netlist& n, const Bits& x) {
            return GateDomain(n).shift_left(GateDomain::slice(x, 0, 4), GateDomain::slice(x, 4, 3));
        },
        [](std::uint64_t x) { return (x & 15) << (x >> 4); });
}

TEST(Words, Shifts) {
    for (int places = 1; places <= 7; ++places) {
        const auto right = [&](Netlist& n, const Bits& x) {
            auto s = GateDomain(n).shift_right(GateDomain::slice(x, 0, places), GateDomain::slice(x, places, 4));
            s.word.push_back(s.sticky);
            return s.word;
        };
        on_all_values(places + 4, right, [&](std::uint64_t x) {
            const std::uint64_t word = x & ((1u << places) - 1), by = x >> places;
            return word >> by | ((word & ((1u << by) - 1)) != 0 ? 1ull << places : 0);
        });
        const auto normal = [&](Netlist& n, const Bits& x) {
            GateDomain d(n);
            const auto s = d.normalise(x);
            return d.mask(d.any(x), GateDomain::concat(s.leading_zeros, s.word));
        };
        on_all_values(places, normal, [&](std::uint64_t x) -> std::uint64_t {
            if (x == 0) return 0;
            const int by = places - static_cast<int>(std::bit_width(x));
            return x << by | static_cast<std::uint64_t>(by) << places;
        });
    }
}

TEST(Words, Integers) {
    // x from −3 to 4 and y from −1 to 6.
    const auto x_of = [](std::uint64_t in) { return static_cast<int>(in & 7) - 3; };
    const auto y_of = [](std::uint64_t in) { return static_cast<int>(in >> 3) - 1; };
    const auto check = [&](const std::function<Integer(GateDomain&, const Integer&, const Integer&)>& make,
                           const std::function<int(int, int)>& expected) {
        int low = 0;
        on_all_values(
            6,
            [&](Netlist& n, const Bits& in) {
                GateDomain d(n);
                const Integer z = make(d, circuit::integer(d, GateDomain::slice(in, 0, 3), -3),
                                       circuit::integer(d, GateDomain::slice(in, 3, 3), -1));
                low = z.low;
                for (int x = -3; x <= 4; ++x)
                    for (int y = -1; y <= 6; ++y) {
                        EXPECT_LE(z.low, expected(x, y));
                        EXPECT_GE(z.high, expected(x, y));
                    }
                return z.bits;
            },
            [&](std::uint64_t in) { return static_cast<std::uint64_t>(expected(x_of(in), y_of(in)) - low); });
    };
    check([](GateDomain& d, const Integer& x, const Integer& y) { return circuit::sum(d, x, y); },
          [](int x, int y) { return x + y; });
    check([](GateDomain& d, const Integer& x, const Integer& y) { return circuit::difference(d, x, y, -9, 5); },
          [](int x, int y) { return x - y; });
    check([](GateDomain& d, const Integer& x, const Integer& y) { return circuit::larger(d, x, y); },
          [](int x, int y) { return std::max(x, y); });
    check([](GateDomain& d, const Integer& x,
             const Integer&) { return circuit::larger(d, circuit::integer(d, 2), circuit::offset_by(x, -1)); },
          [](int x, int) { return std::max(2, x - 1); });
    check([](GateDomain& d, const Integer& x, const Integer& y) { return circuit::plus(d, x, circuit::less(d, y, x)); },
          [](int x, int y) { return x + (y < x ? 1 : 0); });
}

} // namespace
} // namespace discern::tests::netlist_test
