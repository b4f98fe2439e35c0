#include "miter.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/shape.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// x < y for two patterns that are numbers: magnitudes follow each other like their bits, and both zeros are one; in
/// two's complement those of each sign do.
Literal is_below(Netlist& n, const Format& f, const Bits& x, const Bits& y) {
    if (f.is_fixed_point()) return n.choice(n.different(x.back(), y.back()), x.back(), less(n, x, y));
    const int bits = f.mantissa_bits + f.exponent_bits;
    const Bits of_x = part(x, f.padding_bits, bits), of_y = part(y, f.padding_bits, bits);
    const Literal zeros = f.has_zero ? opposite(n.either(any(n, of_x), any(n, of_y))) : no;
    const Literal minus_x = f.is_signed ? x.back() : no, minus_y = f.is_signed ? y.back() : no;
    return n.choice(minus_x, n.choice(minus_y, less(n, of_y, of_x), opposite(zeros)),
                    n.choice(minus_y, no, less(n, of_x, of_y)));
}

/// @throws Error unless the pattern is one of the format's, and a number
Bits bound(const Format& f, std::uint64_t pattern) {
    if ((pattern & ~f.mask()) != 0 || decode(f, pattern).number_class != NumberClass::finite)
        throw Error("a bound of the inputs is no number of the operand's format");
    return constant(pattern, f.width);
}

/// A bound of exponents: beyond those of all formats one is as good as another, and differences of large ones are no
/// int.
int bound(int exponent) {
    constexpr int beyond = 1 << 20;
    return std::clamp(exponent, -beyond, beyond);
}

Literal allowed(Netlist& n, const Limits& limits, const Unit& unit, const Operands& in) {
    Literal good = yes;
    for (const Row& row : rows(unit))
        for (const Bits& pattern : in.*row.patterns) {
            const Format& f = *row.format;
            const Literal finite = opposite(n.either(is_nan(n, f, pattern), is_infinite(n, f, pattern)));
            if (limits.finite) good = n.both(good, finite);
            for (const auto& range : limits.ranges) {
                if (range.operand != row.name) continue;
                const Number x = read(n, f, pattern);
                const Literal outside = n.either(less(n, x.exponent, integer(bound(range.low))),
                                                 less(n, integer(bound(range.high)), x.exponent));
                const Literal zero = opposite(any(n, x.magnitude));
                good = n.both(good, n.both(finite, n.either(zero, opposite(outside))));
            }
            for (const auto& range : limits.numbers) {
                if (range.operand != row.name) continue;
                const Literal outside = n.either(is_below(n, f, pattern, bound(f, range.low)),
                                                 is_below(n, f, bound(f, range.high), pattern));
                good = n.both(good, n.both(finite, opposite(outside)));
            }
            if (limits.no_subnormals && f.has_subnormals()) {
                const Number x = read(n, f, pattern);
                good = n.both(good, n.either(x.magnitude.back(), opposite(any(n, x.magnitude))));
            }
        }
    return good;
}

template <typename T>
void require_operands(const std::vector<Limits::Range<T>>& ranges, const std::vector<Row>& operands) {
    for (const auto& range : ranges)
        if (std::none_of(operands.begin(), operands.end(), [&](const Row& x) { return x.name == range.operand; }))
            throw Error("a range is of operand '" + range.operand + "', which the units do not have");
}

/// The result is the first one's.
Literal same_result(Netlist& n, const Unit& first, const Unit& unit, const Bits& d_first, const Bits& d) {
    Literal same = yes;
    for (std::size_t i = 0; i < d.size(); ++i) same = n.both(same, opposite(n.different(d_first[i], d[i])));
    if (first.nan.kind != NanRule::Kind::any && unit.nan.kind != NanRule::Kind::any) return same;
    const Format& f = format(unit.d);
    return n.either(same, n.both(is_nan(n, f, d_first), is_nan(n, f, d)));
}

} // namespace

Miter make_miter(const std::vector<Unit>& units, const Limits& limits, bool shared) {
    const Unit& first = units.front();
    Netlist n(input_bits(first), shared);
    const Operands in = operands(n, first);
    require_operands(limits.ranges, rows(first));
    require_operands(limits.numbers, rows(first));

    Bits roots; // the results, which of them are the first one's, and last two more
    for (const Unit& unit : units) {
        if (const std::string what = difference(shape_of(first), shape_of(unit)); !what.empty())
            throw Error("the units have different " + what + "; only units of one shape can be compared");
        const Bits d = plain_circuit(n, unit, in);
        roots.insert(roots.end(), d.begin(), d.end());
    }
    const Literal good = allowed(n, limits, first, in);
    const int places = format(first.d).width, count = static_cast<int>(units.size());
    Literal all_same = yes;
    for (int i = 0; i < count; ++i) {
        const Unit& unit = units[static_cast<std::size_t>(i)];
        const Bits d = part(roots, i * places, places);
        roots.push_back(i == 0 ? yes : same_result(n, first, unit, part(roots, 0, places), d));
        all_same = n.both(all_same, roots.back());
    }
    roots.push_back(good);
    roots.push_back(n.both(good, opposite(all_same)));
    Miter miter{without_unused(n, roots), {}, {}, no, no};
    for (int i = 0; i < count; ++i) miter.results.push_back(part(roots, i * places, places));
    miter.same = part(roots, count * places, count);
    miter.allowed = roots[roots.size() - 2];
    miter.different = roots.back();
    return miter;
}

void add_gate_clauses(Formula& formula, Gate gate, std::int32_t g, std::span<const std::int32_t> in) {
    const auto add = [&](std::initializer_list<std::int32_t> clause) { formula.add({clause.begin(), clause.size()}); };
    const std::int32_t x = in[0], y = in[1], z = in.size() > 2 ? in[2] : 0;
    switch (gate) {
    case Gate::both:
        add({-g, x});
        add({-g, y});
        add({g, -x, -y});
        break;
    case Gate::different:
        add({-g, x, y});
        add({-g, -x, -y});
        add({g, -x, y});
        add({g, x, -y});
        break;
    case Gate::choice:
        add({-g, -x, y});
        add({g, -x, -y});
        add({-g, x, z});
        add({g, x, -z});
        break;
    case Gate::majority:
        add({-g, x, y});
        add({-g, x, z});
        add({-g, y, z});
        add({g, -x, -y});
        add({g, -x, -z});
        add({g, -y, -z});
        break;
    case Gate::input: break;
    }
}

Formula to_formula(const Miter& miter) {
    Formula formula;
    const auto& nodes = miter.netlist.nodes();
    formula.variables = nodes.size() - 1;
    for (std::size_t i = miter.netlist.inputs() + 1; i < nodes.size(); ++i) {
        std::array<std::int32_t, 3> in{};
        const std::size_t count = inputs_of(nodes[i].gate);
        for (std::size_t k = 0; k < count; ++k) in[k] = in_formula(nodes[i].in[k]);
        add_gate_clauses(formula, nodes[i].gate, static_cast<std::int32_t>(i), std::span(in.data(), count));
    }
    const std::int32_t different = miter.different <= yes ? 0 : in_formula(miter.different);
    if (miter.different == no) formula.add({});
    if (different != 0) formula.add(std::span(&different, 1));
    return formula;
}

std::string to_dimacs(const Formula& formula) {
    std::string text = "p cnf " + std::to_string(formula.variables) + ' ' + std::to_string(formula.size()) + '\n';
    for (std::size_t i = 0; i < formula.size(); ++i) {
        for (const std::int32_t literal : formula[i]) text += std::to_string(literal) + ' ';
        text += "0\n";
    }
    return text;
}

} // namespace discern::certificate
