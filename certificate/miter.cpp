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

Literal allowed(Netlist& n, const Limits& limits, const std::vector<Named>& operands) {
    Literal good = yes;
    for (const Named& operand : operands)
        for (const Bits& pattern : operand.patterns) {
            const Format& f = *operand.format;
            const Literal finite = opposite(n.either(is_nan(n, f, pattern), is_infinite(n, f, pattern)));
            if (limits.finite) good = n.both(good, finite);
            for (const Limits::Range& range : limits.ranges) {
                if (range.operand != operand.name) continue;
                const Number x = read(n, f, pattern);
                const Literal outside =
                    n.either(less(n, x.exponent, integer(range.low)), less(n, integer(range.high), x.exponent));
                const Literal zero = opposite(any(n, x.magnitude));
                good = n.both(good, n.both(finite, n.either(zero, opposite(outside))));
            }
        }
    return good;
}

bool names_an_operand(const Limits::Range& range, const std::vector<Named>& operands) {
    return std::any_of(operands.begin(), operands.end(), [&](const Named& x) { return x.name == range.operand; });
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

Miter make_miter(const Unit& one, const Unit& other, const Limits& limits) {
    if (const std::string what = difference(shape_of(one), shape_of(other)); !what.empty())
        throw Error("the two units have different " + what + "; only units of one shape can be compared");
    Netlist n(input_bits(one));
    const Operands in = operands(n, one);
    const std::vector<Named> operands = named(one, in);
    for (const Limits::Range& range : limits.ranges)
        if (!names_an_operand(range, operands))
            throw Error("a range is of operand '" + range.operand + "', which the units do not have");

    const Bits d_one = plain_circuit(n, one, in), d_other = plain_circuit(n, other, in);
    const Literal good = allowed(n, limits, operands);
    Literal same = yes;
    for (std::size_t i = 0; i < d_one.size(); ++i) same = n.both(same, opposite(n.different(d_one[i], d_other[i])));
    if (one.nan.kind == NanRule::Kind::any || other.nan.kind == NanRule::Kind::any) {
        const Format& d = format(one.d);
        same = n.either(same, n.both(is_nan(n, d, d_one), is_nan(n, d, d_other)));
    }

    Bits roots = d_one;
    roots.insert(roots.end(), d_other.begin(), d_other.end());
    roots.push_back(good);
    roots.push_back(n.both(good, opposite(same)));
    Netlist used = without_unused(n, roots);
    const int places = width(d_one);
    return {std::move(used), part(roots, 0, places), part(roots, places, places), roots[roots.size() - 2],
            roots.back()};
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
