// Trees and inputs for tests, built in C++ without the notation, so that a test of an evaluator depends on no parser.
#pragma once

#include "models/evaluate.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace discern::tests {

/// The pattern of a number that the format holds exactly.
inline std::uint64_t pattern(FormatId id, double value) {
    const Format& f = format(id);
    Decoded number;
    number.negative = std::signbit(value);
    if (std::isinf(value)) {
        number.number_class = NumberClass::infinite;
    } else if (value != 0) {
        number.exponent = std::max(std::ilogb(value), f.emin());
        const double significand = std::ldexp(std::abs(value), f.mantissa_bits - number.exponent);
        number.significand = static_cast<std::uint64_t>(significand);
        if (static_cast<double>(number.significand) != significand) throw std::logic_error("pattern: not exact");
    }
    return pack(f, number);
}

inline constexpr double infinite = std::numeric_limits<double>::infinity();

// ------------------------------------------------------------------------------------------------------- trees

inline Node p(Product product) { return {product}; }
inline Node p() { return {Product{}}; }
inline Node p(int first, int step) { return {Product{.which = {first, step}}}; }
inline Node c(Accumulator accumulator = {}) { return {accumulator}; }
inline Node g(int size) { return {Group{.size = size}}; }

inline constexpr ZeroExponent own{ZeroExponent::Kind::own, 0};
inline constexpr ZeroExponent constant(int value) { return {ZeroExponent::Kind::constant, value}; }

/// A child aligned to F fractional bits.
inline Child at(int F, Node node, Rounding mode = Rounding::rz, ZeroExponent zero = {}) {
    Child child;
    child.node.push_back(std::move(node));
    child.F = F;
    child.rounding = mode;
    child.zero = zero;
    return child;
}

/// A child that is not rounded.
inline Child exactly(Node node) {
    Child child = at(0, std::move(node));
    child.F.reset();
    return child;
}

inline Node fuse(std::vector<Child> children, std::optional<int> floor = {}, std::optional<int> carry = {}) {
    return {Fuse{std::move(children), floor, carry}};
}

inline Node round_to(Round round, Node child) {
    round.child = {std::move(child)};
    return {std::move(round)};
}

/// The conversion of a T-FDPA: overflow to infinity, every zero positive.
inline Round rho(FormatId id, Rounding mode) {
    return {.format = id,
            .mode = mode,
            .overflow = Overflow::infinity,
            .zsign_ieee = false,
            .usign_keep = false,
            .child = {}};
}

inline Round ieee(FormatId id, Rounding mode = Rounding::rne) { return {.format = id, .mode = mode, .child = {}}; }

/// IEEE addition of two nodes.
inline Node add(Round round, Node x, Node y) {
    return round_to(std::move(round), fuse({exactly(std::move(x)), exactly(std::move(y))}));
}

/// T-FDPA (Xie et al., Algorithm 7).
inline Node t_fdpa(int F, Round round, std::optional<int> floor = {}) {
    return round_to(std::move(round), fuse({at(F, p()), at(F, c())}, floor));
}

/// E-FDPA (Algorithm 6); with L = 1 the fused multiply-add of Algorithm 3.
inline Node e_fdpa(Round round) { return round_to(std::move(round), fuse({exactly(p()), exactly(c())})); }

/// One block of FTZ-AddMul (Algorithm 2) with P = 2 or 4.
inline Node ftz_add_mul(int P) {
    const Round round{.format = FormatId::f32, .mode = Rounding::rne, .ftz = Flush::result, .child = {}};
    const auto product = [&](int i) { return round_to(round, p({.which = {i, 0}, .ftz = true, .fsign_keep = false})); };
    Node sum = add(round, product(0), product(1));
    if (P == 4) sum = add(round, sum, add(round, product(2), product(3)));
    return add(round, c({.ftz = true, .fsign_keep = false}), sum);
}

/// TR-FDPA (Algorithm 10).
inline Node tr_fdpa(int F, int F2) {
    Round round = ieee(FormatId::f32);
    round.overflow = Overflow::infinity;
    const Node sum = fuse({at(F, p({.limit = 128}))});
    return round_to(round, fuse({at(F2, sum, Rounding::rd, own), at(F, c(), Rounding::rd)}));
}

/// GTR-FDPA (Algorithm 11).
inline Node gtr_fdpa(int F, int F2) {
    Round round = ieee(FormatId::f32);
    round.overflow = Overflow::infinity;
    const auto half = [&](int first) {
        return at(F, fuse({at(F, p({.which = {first, 2}, .limit = 128}))}), Rounding::rd, own);
    };
    Child accumulator = at(F, c(), Rounding::rd);
    accumulator.drop = F + 1;
    return round_to(round, fuse({at(F2, fuse({half(0), half(1)}), Rounding::rd, own), accumulator}));
}

// ------------------------------------------------------------------------------------------------- units, inputs

/// A unit with equal operand formats and one block.
inline Unit unit_of(FormatId ab, FormatId c, FormatId d, int K, Node tree) {
    Unit unit;
    unit.a = unit.b = ab;
    unit.c = c;
    unit.d = d;
    unit.K = unit.L = K;
    unit.tree = std::move(tree);
    return unit;
}

/// The oracle's d for numbers a, b (the rest of the K elements is +0) and c.
inline std::uint64_t exact(const Unit& unit, const std::vector<double>& a, const std::vector<double>& b,
                           double c_value = 0, std::vector<std::uint64_t> sa = {}, std::vector<std::uint64_t> sb = {}) {
    std::vector<std::uint64_t> pa(static_cast<std::size_t>(unit.K)), pb = pa;
    for (std::size_t k = 0; k < a.size(); ++k) pa.at(k) = pattern(unit.a, a[k]);
    for (std::size_t k = 0; k < b.size(); ++k) pb.at(k) = pattern(unit.b, b[k]);
    return evaluate_exactly(unit, {pa, pb, sa, sb, unit.c ? pattern(*unit.c, c_value) : 0});
}

} // namespace discern::tests
