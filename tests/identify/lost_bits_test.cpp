// The largest exponent of a floor, or of a zero c, that at_rest drops from a sum with scales changes nothing, and the
// next one mostly does: on vectors whose sums are the smallest result but for one bit far below.
#include "identify/probes.hpp"
#include "solver/theorems/at_rest.hpp"

#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>

namespace discern {
namespace {

class ScaledUnits {
  public:
    explicit ScaledUnits(std::uint64_t seed) : random_(seed) {}

    /// Without a floor, and with no exponent of a zero c.
    Unit next() {
        using enum FormatId;
        Unit unit;
        unit.a = pick({e2m1, e2m3, e3m2, e4m3, e5m2, e4m3fnuz});
        unit.b = pick({e2m1, e2m3, e3m2, e4m3, e5m2, e5m2fnuz});
        unit.c = unit.d = pick({f32, bf16, f32});
        unit.L = unit.K = pick({2, 4, 8, 8, 16, 16});
        unit.scale = Scale{e8m0, std::max(1, pick({unit.L, unit.L, unit.L / 2, unit.L / 4}))};
        Round round;
        round.format = unit.d;
        round.mode = pick({Rounding::rz, Rounding::rne});
        round.overflow = Overflow::infinity;
        round.zero_sign_ieee = round.underflow_keeps_sign = false;
        Fuse fuse;
        Child terms, c;
        terms.F = c.F = random_.between(6, 40);
        if (random_.one_in(2)) {
            Group group;
            group.which = {0, 1};
            group.size = pick({1, unit.scale->block});
            terms.node = {Node{group}};
            terms.zero.kind = pick({ZeroExponent::Kind::own, ZeroExponent::Kind::ignore});
        } else {
            Product product;
            product.which = {0, 1};
            product.normalisation = random_.one_in(4) ? Normalisation::full : Normalisation::raw;
            terms.node = {Node{product}};
        }
        c.node = {Node{Accumulator{}}};
        fuse.children = {terms, c};
        round.child = {Node{fuse}};
        unit.tree = Node{round};
        validate(unit);
        return unit;
    }

    template <typename T>
    T pick(std::initializer_list<T> list) {
        return list.begin()[random_.below(static_cast<int>(list.size()))];
    }

  private:
    Random random_;
};

Unit with(Unit unit, bool as_floor, int f) {
    Fuse& fuse = std::get<Fuse>(std::get<Round>(unit.tree.kind).get().kind);
    if (as_floor)
        fuse.floor = f;
    else
        fuse.children.back().zero = {ZeroExponent::Kind::constant, f};
    return unit;
}

/// A vector on which the units differ, as text; empty if none is found.
std::string difference(const Unit& one, const Unit& other, std::uint64_t seed, int vectors) {
    identify::ProbeMaker probes(shape_of(one), seed);
    const Evaluator first(one), second(other);
    for (int i = 0; i < vectors; ++i) {
        const auto probe = i % 8 == 7 ? identify::Probe::floors : identify::Probe::boundary;
        const InputBuffer v = probes.make(probe, i % 2 == 0 ? one : other);
        const std::uint64_t x = first(v.inputs()), y = second(v.inputs());
        if (x != y) return to_json(shape_of(one), vector_of(shape_of(one), v.inputs()));
    }
    return "";
}

TEST(LostBits, NeverShowUpToTheLastExponentThatIsDropped) {
    const std::uint64_t seed = 51;
    const char* const sweep = std::getenv("DISCERN_SWEEP");
    const int count = sweep != nullptr ? std::atoi(sweep) : 100;
    ScaledUnits units(seed);
    int dropped = 0, sharp = 0;
    for (int i = 0; i < count; ++i) {
        const Unit plain = units.next();
        const bool as_floor = units.pick({false, true});
        const std::string rest = canonical_text(at_rest(plain));
        int f = -300;
        while (f < -100 && canonical_text(at_rest(with(plain, as_floor, f + 1))) == rest) ++f;
        if (f == -300 || f == -100) continue;
        ++dropped;
        const Unit last = with(plain, as_floor, f), next = with(plain, as_floor, f + 1);
        const std::string found = difference(plain, last, seed + static_cast<std::uint64_t>(i), 3000);
        ASSERT_EQ(found, "") << "seed " << seed << ", unit " << i << "\n" << to_string(last);
        if (!difference(plain, next, seed + static_cast<std::uint64_t>(i), 3000).empty()) ++sharp;
    }
    std::printf("%d of %d sharp\n", sharp, dropped);
    EXPECT_GT(dropped, count / 2);
    EXPECT_GT(sharp, dropped / 3);
}

} // namespace
} // namespace discern
