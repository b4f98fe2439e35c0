#include "miter.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <map>

namespace discern::certificate {

namespace {

/// The operands of a unit by name.
struct Named {
    std::string_view name;
    const Format* format;
    std::span<const Bits> patterns;
};

std::vector<Named> named(const Unit& unit, const Operands& in) {
    std::vector<Named> list = {{"a", &format(unit.a), in.a}, {"b", &format(unit.b), in.b}};
    if (unit.scale) {
        list.push_back({"sa", &format(unit.scale->format), in.sa});
        list.push_back({"sb", &format(unit.scale->format), in.sb});
    }
    if (unit.c) list.push_back({"c", &format(*unit.c), std::span(&in.c, 1)});
    return list;
}

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

Literal allowed(Netlist& n, const Limits& limits, const std::vector<Named>& operands) {
    Literal good = yes;
    for (const Named& operand : operands)
        for (const Bits& pattern : operand.patterns) {
            const Format& f = *operand.format;
            const Literal finite = opposite(n.either(is_nan(n, f, pattern), is_infinite(n, f, pattern)));
            if (limits.finite) good = n.both(good, finite);
            for (const auto& range : limits.ranges) {
                if (range.operand != operand.name) continue;
                const Number x = read(n, f, pattern);
                const Literal outside =
                    n.either(less(n, x.exponent, integer(range.low)), less(n, integer(range.high), x.exponent));
                const Literal zero = opposite(any(n, x.magnitude));
                good = n.both(good, n.both(finite, n.either(zero, opposite(outside))));
            }
            for (const auto& range : limits.numbers) {
                if (range.operand != operand.name) continue;
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
void require_operands(const std::vector<Limits::Range<T>>& ranges, const std::vector<Named>& operands) {
    for (const auto& range : ranges)
        if (std::none_of(operands.begin(), operands.end(), [&](const Named& x) { return x.name == range.operand; }))
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

/// AND gates as AIGER numbers them, for gates of every kind.
class AndGates {
  public:
    AndGates(std::size_t inputs) : next_(static_cast<Literal>(2 * (inputs + 1))) {}

    Literal both(Literal x, Literal y) {
        const Literal output = next_;
        next_ += 2;
        put(output - std::max(x, y));
        put(std::max(x, y) - std::min(x, y));
        return output;
    }
    Literal either(Literal x, Literal y) { return opposite(both(opposite(x), opposite(y))); }
    Literal gate(Gate gate, Literal x, Literal y, Literal z) {
        switch (gate) {
        case Gate::both: return both(x, y);
        case Gate::different: return both(either(x, y), opposite(both(x, y)));
        case Gate::choice: return either(both(x, y), both(opposite(x), z));
        case Gate::majority: return either(both(x, y), both(z, either(x, y)));
        case Gate::input: break;
        }
        return no;
    }
    std::size_t count(std::size_t inputs) const { return next_ / 2 - inputs - 1; }
    const std::string& bytes() const { return bytes_; }

  private:
    void put(Literal x) {
        for (; x >= 128; x >>= 7u) bytes_ += static_cast<char>(x | 128u);
        bytes_ += static_cast<char>(x);
    }

    Literal next_;
    std::string bytes_;
};

} // namespace

Miter make_miter(const std::vector<Unit>& units, const Limits& limits, bool shared) {
    const Unit& first = units.front();
    Netlist n(input_bits(first), shared);
    const Operands in = operands(n, first);
    const std::vector<Named> operands = named(first, in);
    require_operands(limits.ranges, operands);
    require_operands(limits.numbers, operands);

    Bits roots; // the results, which of them are the first one's, and last two more
    for (const Unit& unit : units) {
        if (const std::string what = difference(shape_of(first), shape_of(unit)); !what.empty())
            throw Error("the units have different " + what + "; only units of one shape can be compared");
        const Bits d = plain_circuit(n, unit, in);
        roots.insert(roots.end(), d.begin(), d.end());
    }
    const Literal good = allowed(n, limits, operands);
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

std::string to_aiger(const Miter& miter, const Unit& unit) {
    const Netlist& netlist = miter.netlist;
    const auto& nodes = netlist.nodes();
    AndGates gates(netlist.inputs());
    std::vector<Literal> renamed(nodes.size());
    const auto rename = [&](Literal x) { return opposite_if(is_opposite(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i) renamed[i + 1] = netlist.input(i);
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i)
        renamed[i] = gates.gate(nodes[i].gate, rename(nodes[i].in[0]), rename(nodes[i].in[1]), rename(nodes[i].in[2]));

    const std::size_t count = gates.count(netlist.inputs());
    const auto number = [](std::size_t x) { return std::to_string(x); };
    std::string text = "aig " + number(netlist.inputs() + count) + ' ' + number(netlist.inputs()) + " 0 1 " +
                       number(count) + '\n' + number(rename(miter.different)) + '\n' + gates.bytes();
    std::size_t next = 0;
    const Operands in = operands(netlist, unit);
    for (const Named& operand : named(unit, in))
        for (std::size_t k = 0; k < operand.patterns.size(); ++k)
            for (std::size_t bit = 0; bit < operand.patterns[k].size(); ++bit) {
                const std::string element = operand.name == "c" ? "" : number(k);
                text += 'i' + number(next++) + ' ' + std::string(operand.name) + element + '[' + number(bit) + "]\n";
            }
    return text + "o0 different\n";
}

} // namespace discern::certificate
