#include "plain.hpp"

#include "models/format.hpp"

#include <cstddef>

namespace discern::certificate {

namespace {

/// One block: its elements, and the number that chains it to the block before.
class Block {
  public:
    Block(Netlist& n, const Unit& unit, const Operands& in, int index, const Format& format, const Bits& pattern)
        : n_(n), unit_(unit), in_(in), index_(index), c_format_(format), c_(pattern) {}

    /// The numbers that a node stands for: one for each element or group that a leaf selects, else one.
    std::vector<Number> numbers(const Node& node) {
        return std::visit([this](const auto& kind) { return all(kind); }, node.kind);
    }

  private:
    /// One number for each of the selected leaves.
    template <typename Leaf>
    static std::vector<Number> selected(const Selection& which, int count, Leaf leaf) {
        std::vector<Number> list;
        for (int i = which.first; i < count; i += which.step) {
            list.push_back(leaf(i));
            if (which.step == 0) break;
        }
        return list;
    }

    std::vector<Number> all(const Product& p) {
        return selected(p.which, unit_.L, [&](int l) { return product(n_, unit_, in_, p, unit_.element(index_, l)); });
    }
    std::vector<Number> all(const Group& g) {
        return selected(g.which, unit_.L / g.size,
                        [&](int i) { return group(n_, unit_, in_, g, unit_.element(index_, i * g.size)); });
    }
    std::vector<Number> all(const Accumulator& c) { return {accumulator(n_, c_format_, c_, c)}; }
    std::vector<Number> all(const Fuse& f) {
        std::vector<Term> terms;
        for (const Child& child : f.children)
            for (Number& x : numbers(child.get())) terms.push_back({std::move(x), &child});
        return {fuse(n_, f, terms)};
    }
    std::vector<Number> all(const Round& r) {
        return {read(n_, format(r.format), round(n_, r, numbers(r.get()).front()))};
    }

    Netlist& n_;
    const Unit& unit_;
    const Operands& in_;
    int index_;
    const Format& c_format_;
    const Bits& c_;
};

/// A result as d: the unit's rule says which NaN it is.
Bits with_nan_rule(Netlist& n, const Unit& unit, const Bits& pattern) {
    if (unit.nan.kind == NanRule::Kind::propagate) return pattern;
    const Format& d = format(unit.d);
    if (!d.has_nan()) return pattern;
    const std::uint64_t nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(d);
    return choose(n, is_nan(n, d, pattern), constant(nan, d.width), pattern);
}

/// The accumulator added at the end: one IEEE addition, to nearest even, in d's format.
Bits added_last(Netlist& n, const Unit& unit, const Bits& d, const Bits& c) {
    const Fuse exact; // no floor, no register
    const Child child{.node = {}, .F = {}, .rounding = Rounding::rz, .zero = {}, .drop = {}};
    const Number total = fuse(n, exact, {{read(n, format(unit.d), d), &child}, {read(n, format(*unit.c), c), &child}});
    Round ieee;
    ieee.format = unit.d;
    return round(n, ieee, total);
}

} // namespace

std::vector<Row> rows(const Unit& unit) {
    std::vector<Row> list = {{"a", &Operands::a, &format(unit.a), unit.K},
                             {"b", &Operands::b, &format(unit.b), unit.K}};
    if (unit.scale) {
        list.push_back({"sa", &Operands::sa, &format(unit.scale->format), unit.scales()});
        list.push_back({"sb", &Operands::sb, &format(unit.scale->format), unit.scales()});
    }
    if (unit.c) list.push_back({"c", &Operands::c, &format(*unit.c), 1});
    return list;
}

std::size_t input_bits(const Unit& unit) {
    std::size_t bits = 0;
    for (const Row& row : rows(unit))
        bits += static_cast<std::size_t>(row.count) * static_cast<std::size_t>(row.format->width);
    return bits;
}

Operands operands(const Netlist& netlist, const Unit& unit) {
    Operands in;
    std::size_t next = 0;
    for (const Row& row : rows(unit))
        for (int k = 0; k < row.count; ++k) {
            Bits& pattern = (in.*row.patterns).emplace_back();
            for (int i = 0; i < row.format->width; ++i) pattern.push_back(netlist.input(next++));
        }
    return in;
}

Bits plain_circuit(Netlist& n, const Unit& unit, const Operands& in) {
    validate(unit);
    const Format& d = format(unit.d);
    const auto& root = std::get<Round>(unit.tree.kind);
    const bool c_first = unit.c && unit.place == AccumulatorPlace::chained;
    const Format* accumulator_format = c_first ? &format(*unit.c) : &d;
    Bits accumulator = c_first ? in.c.front() : constant(0, d.width); // +0
    for (int i = 0; i < unit.blocks(); ++i) {
        Block block(n, unit, in, i, *accumulator_format, accumulator);
        accumulator = with_nan_rule(n, unit, round(n, root, block.numbers(root.get()).front()));
        accumulator_format = &d;
    }
    if (unit.c && !c_first) accumulator = with_nan_rule(n, unit, added_last(n, unit, accumulator, in.c.front()));
    return accumulator;
}

} // namespace discern::certificate
