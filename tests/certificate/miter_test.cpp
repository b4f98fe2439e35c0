// The formula and the AIGER file of a claim against what they are made from: evaluators on all or many inputs.
#include "certificate/aiger.hpp"
#include "reference_unit.hpp"

#include "models/error.hpp"
#include "models/random.hpp"
#include "tests/encodings/written_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace discern::tests {
namespace {

using namespace certificate;

/// A reader of binary AIGER without latches.
struct Aiger {
    std::size_t inputs = 0;
    std::uint32_t output = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> gates;
    std::string symbols;

    explicit Aiger(const std::string& text) {
        std::istringstream in(text);
        std::string magic;
        std::size_t most = 0, latches = 0, outputs = 0, count = 0;
        in >> magic >> most >> inputs >> latches >> outputs >> count >> output;
        in.get();
        EXPECT_EQ(magic, "aig");
        EXPECT_EQ(most, inputs + count);
        const auto number = [&] {
            std::uint32_t x = 0;
            for (int shift = 0;; shift += 7) {
                const int byte = in.get();
                x |= static_cast<std::uint32_t>(byte & 127) << shift;
                if ((byte & 128) == 0) return x;
            }
        };
        for (std::size_t i = 0; i < count; ++i) {
            const auto left = static_cast<std::uint32_t>(2 * (inputs + 1 + i));
            const std::uint32_t x = left - number(), y = x - number();
            EXPECT_LT(x, left);
            EXPECT_LE(y, x);
            gates.emplace_back(x, y);
        }
        symbols.assign(std::istreambuf_iterator<char>(in), {});
    }

    bool operator()(std::uint64_t in) const {
        std::vector<bool> values = {false};
        for (std::size_t i = 0; i < inputs; ++i) values.push_back(((in >> i) & 1u) != 0);
        const auto value = [&](std::uint32_t x) { return values[x / 2] != ((x & 1u) != 0); };
        for (const auto& [x, y] : gates) values.push_back(value(x) && value(y));
        return value(output);
    }
};

/// Whether a pattern of an operand is one that the limits leave.
bool is_within(const Limits& limits, std::string_view operand, const Format& f, std::uint64_t pattern) {
    const Decoded x = decode(f, pattern);
    const bool finite = x.number_class == NumberClass::finite;
    bool good = finite || !limits.finite;
    if (limits.no_subnormals && finite && !x.is_zero() && x.significand >> f.mantissa_bits == 0) good = false;
    for (const auto& range : limits.ranges)
        if (range.operand == operand)
            good = good && finite && (x.is_zero() || (range.low <= x.exponent && x.exponent <= range.high));
    for (const auto& range : limits.numbers)
        if (range.operand == operand)
            good = good && finite && to_double(f, range.low) <= to_double(f, pattern) &&
                   to_double(f, pattern) <= to_double(f, range.high);
    return good;
}

TEST(Miter, OfManyUnitsAndWithinLimits) {
    // The last has the gates of the first for another result. One with nan=any has another NaN, and one is NaN where
    // the first is the largest number.
    std::vector<Unit> units;
    for (const char* text :
         {"nan=ff : round[e4m3 rne overflow=max](fuse[F=1](p*, c))",
          "nan=any : round[e4m3 rne overflow=max](fuse[F=1](p*, c))", "nan=any : round[e4m3 rne](fuse[F=1](p*, c))",
          "nan=ff : round[e4m3 rne overflow=max](fuse[F=2](p*, c))",
          "nan=ff : round[e4m3 rz overflow=max](fuse[F=1](p*, c))"})
        units.push_back(parse_unit("e3m2*e2m1+e4m3->e4m3 K=1 " + std::string(text)));
    std::vector<Evaluator> evaluators(units.begin(), units.end());
    const Format &fa = format(units[0].a), &fb = format(units[0].b), &fc = format(*units[0].c);
    // a from −3 to 2.5, b from 0 on, c from −0.25 to 0.
    const Limits all[] = {{},
                          {.no_subnormals = true},
                          {.numbers = {{"a", 0x32, 0x11}}},
                          {.finite = true, .numbers = {{"b", 0, 7}, {"c", 0xa8, 0}}},
                          {.no_subnormals = true, .ranges = {{"a", 0, 2}}, .numbers = {{"a", 0x31, 0x1f}}}};
    for (const Limits& limits : all) {
        const Miter plain = make_miter(units, limits), shared = make_miter(units, limits, true);
        EXPECT_LT(shared.netlist.nodes().size(), plain.netlist.nodes().size() / 2);
        int outside = 0, differences = 0;
        for (std::uint64_t in = 0; in < 1 << 18; in += 29) {
            const std::uint64_t a = in & 63u, b = (in >> 6) & 15u, c = in >> 10;
            const bool allowed =
                is_within(limits, "a", fa, a) && is_within(limits, "b", fb, b) && is_within(limits, "c", fc, c);
            const Inputs inputs{std::span(&a, 1), std::span(&b, 1), {}, {}, c};
            std::vector<std::uint64_t> words;
            for (int i = 0; i < 18; ++i) words.push_back((in >> i) & 1u);
            std::vector<bool> same;
            for (std::size_t i = 0; i < units.size(); ++i) {
                const std::uint64_t first = evaluators[0](inputs), d = evaluators[i](inputs);
                same.push_back(d == first ||
                               (units[i].nan.kind == NanRule::Kind::any && same_result(units[i], d, first)));
            }
            const bool differ = std::find(same.begin(), same.end(), false) != same.end();
            outside += allowed ? 0 : 1;
            for (const Miter* miter : {&plain, &shared}) {
                const auto values = simulate(miter->netlist, words);
                for (std::size_t i = 0; i < units.size(); ++i)
                    ASSERT_EQ((value_of(values, miter->same[i]) & 1u) != 0, same[i]) << in << ", unit " << i;
                ASSERT_EQ((value_of(values, miter->allowed) & 1u) != 0, allowed) << in;
                ASSERT_EQ((value_of(values, miter->different) & 1u) != 0, allowed && differ) << in;
                differences += allowed && differ ? 1 : 0;
            }
        }
        EXPECT_GT(differences, 0);
        EXPECT_EQ(outside > 0, limits != Limits{});
    }
    EXPECT_THROW(make_miter(units, {.numbers = {{"c", 0, 0x7f}}}), Error); // NaN
    EXPECT_THROW(make_miter(units, {.numbers = {{"b", 0, 0x17}}}), Error); // five bits
    EXPECT_THROW(make_miter(units, {.numbers = {{"sb", 0, 0}}}), Error);
}

/// An operand of a unit, and its patterns in a vector.
struct Row {
    const char* operand;
    const Format* format;
    std::vector<std::uint64_t> InputBuffer::*patterns; ///< of c nothing
};

TEST(Miter, LimitsOfEveryOperand) {
    Random random(5);
    for (const char* scale : {"ue4m3", "ue5m3", "e8m0"}) {
        // a and b have infinities, b has places that do not count, one scale has no zero.
        const Unit unit = parse_unit("e2m1ieee*tf32+e5m2->f16 K=2 scale=" + std::string(scale) +
                                     "/1 : round[f16 rne](fuse[F=4](p*, c))");
        const Row rows[] = {{"a", &format(unit.a), &InputBuffer::a},
                            {"b", &format(unit.b), &InputBuffer::b},
                            {"sa", &format(unit.scale->format), &InputBuffer::sa},
                            {"sb", &format(unit.scale->format), &InputBuffer::sb},
                            {"c", &format(*unit.c), nullptr}};
        const InputBits inputs(unit);
        std::vector<InputBuffer> vectors(192);
        for (InputBuffer& x : vectors) inputs.edges(random, x);
        const auto patterns = [](const Row& row, const InputBuffer& x) {
            return row.patterns != nullptr ? x.*row.patterns : std::vector<std::uint64_t>{x.c};
        };
        std::vector<Limits> all = {{.finite = true}, {.no_subnormals = true}};
        for (const Row& row : rows) {
            const Format& f = *row.format;
            all.push_back({.ranges = {{row.operand, f.emin() + 1, f.emax() - 1}}});
            for (int i = 0; i < 4; ++i) { // numbers between those of two vectors
                std::vector<std::uint64_t> bounds;
                while (bounds.size() < 2) {
                    const auto some = patterns(row, vectors[static_cast<std::size_t>(random.below(192))]);
                    if (decode(f, some[0]).number_class == NumberClass::finite) bounds.push_back(some[0]);
                }
                if (to_double(f, bounds[0]) > to_double(f, bounds[1])) std::swap(bounds[0], bounds[1]);
                all.push_back({.numbers = {{row.operand, bounds[0], bounds[1]}}});
            }
        }
        std::string symbols;
        int within = 0, outside = 0, next = 0;
        for (const Row& row : rows)
            for (std::size_t k = 0; k < patterns(row, vectors[0]).size(); ++k)
                for (int bit = 0; bit < row.format->width; ++bit)
                    symbols += 'i' + std::to_string(next++) + ' ' + row.operand +
                               (row.patterns != nullptr ? std::to_string(k) : "") + '[' + std::to_string(bit) + "]\n";
        for (const Limits& limits : all) {
            const Miter miter = make_miter({unit, unit}, limits, true);
            EXPECT_EQ(Aiger(to_aiger(miter, unit)).symbols, symbols + "o0 different\n");
            for (const InputBuffer& x : vectors) {
                std::vector<std::uint64_t> words(inputs.count());
                put_vector(unit, x, 0, words);
                bool allowed = true;
                for (const Row& row : rows)
                    for (const std::uint64_t pattern : patterns(row, x))
                        allowed = allowed && is_within(limits, row.operand, *row.format, pattern);
                ++(allowed ? within : outside);
                ASSERT_EQ((value_of(simulate(miter.netlist, words), miter.allowed) & 1u) != 0, allowed);
            }
        }
        EXPECT_GT(within, 100);
        EXPECT_GT(outside, 100);
    }
}

TEST(Miter, FormulaAndCircuitSayWhetherTheUnitsDiffer) {
    const Unit one = parse_unit("e2m1*e2m1+e2m1->e4m3 K=1 nan=any : round[e4m3 rne](fuse[F=1](p*, c))");
    const Unit other = parse_unit("e2m1*e2m1+e2m1->e4m3 K=1 nan=7f : round[e4m3 rne](fuse[F=2](p*, c))");
    const Limits limits{.finite = true, .ranges = {{"a", 1, 2}, {"c", 0, 1}}};
    const Miter miter = make_miter({one, other}, limits);
    const Formula formula = to_formula(miter);
    EXPECT_EQ(formula.variables + 1, miter.netlist.nodes().size());
    const Aiger aiger(to_aiger(miter, one));
    EXPECT_EQ(aiger.symbols.substr(0, 9), "i0 a0[0]\n");
    EXPECT_NE(aiger.symbols.find("\ni11 c[3]\no0 different\n"), std::string::npos);
    const Evaluator first(one), second(other);
    int differences = 0;
    for (std::uint64_t in = 0; in < 4096; ++in) {
        const std::uint64_t a = in & 15u, b = (in >> 4) & 15u, c = in >> 8;
        const Inputs inputs{std::span(&a, 1), std::span(&b, 1), {}, {}, c};
        const auto exponent = [](std::uint64_t x) { return decode(format(FormatId::e2m1), x).exponent; };
        const bool allowed = ((a & 7u) == 0 || exponent(a) >= 1) && ((c & 7u) == 0 || exponent(c) <= 1);
        const bool differ = allowed && first(inputs) != second(inputs);
        differences += differ ? 1 : 0;
        ASSERT_EQ(aiger(in), differ) << in;
        std::vector<std::uint64_t> words;
        for (int i = 0; i < 12; ++i) words.push_back((in >> i) & 1u);
        const auto values = simulate(miter.netlist, words);
        // Every clause holds of the values that the gates have, but for the last, which says that the units differ.
        for (std::size_t i = 0; i < formula.size(); ++i) {
            const bool holds = std::any_of(formula[i].begin(), formula[i].end(), [&](std::int32_t x) {
                return ((values[static_cast<std::size_t>(std::abs(x))] & 1u) != 0) == (x > 0);
            });
            ASSERT_EQ(holds, i + 1 < formula.size() || differ) << in << ", clause " << i + 1;
        }
    }
    EXPECT_GT(differences, 0);
    Formula small;
    small.variables = 2;
    small.add(std::vector<std::int32_t>{1, -2});
    small.add({});
    EXPECT_EQ(to_dimacs(small), "p cnf 2 2\n1 -2 0\n0\n");
    EXPECT_THROW(make_miter({one, other}, {.ranges = {{"sa", 0, 1}}}), Error);
    EXPECT_THROW(make_miter({one, parse_unit("e2m1*e2m1->e4m3 K=1 : round[e4m3 rne](p0)")}, {}), Error);
}

} // namespace
} // namespace discern::tests
