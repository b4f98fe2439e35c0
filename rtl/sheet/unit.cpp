// Blocks, their trees, and the chain of them. As certificate/plain.cpp.
#include "number.hpp"

#include "models/format.hpp"
#include "models/notation.hpp"

#include <cstddef>

namespace discern::rtl {

namespace {

/// One block: its elements, and the number that chains it to the block before.
class Block {
  public:
    Block(Sheet& s, const Unit& unit, const InputTerms& in, int index, const Format& format, Term pattern)
        : s_(s), unit_(unit), in_(in), index_(index), c_format_(format), c_(pattern),
          block_(unit.blocks() > 1 ? "b" + std::to_string(index) + "_" : "") {}

    /// The pattern of the block's root.
    Term result(const Round& root) {
        const Number x = numbers(root.get()).front();
        return rounded(root, x);
    }

  private:
    /// The numbers that a node stands for: one for each element or group that a leaf selects, else one.
    std::vector<Number> numbers(const Node& node) {
        return std::visit([this](const auto& kind) { return all(kind); }, node.kind);
    }

    /// From now on wires are of this node.
    void begin(const std::string& name, const std::string& heading) {
        s_.set_prefix(block_ + name + "_");
        s_.heading(heading);
    }

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
        return selected(p.which, unit_.L, [&](int l) {
            const int k = unit_.element(index_, l);
            begin("p" + std::to_string(l), "product " + std::to_string(k) + ": a" + std::to_string(k) + " * b" +
                                               std::to_string(k) + ", exact, magnitude * 2^(exponent - fraction bits)");
            return product(s_, unit_, in_, p, k);
        });
    }
    std::vector<Number> all(const Group& g) {
        return selected(g.which, unit_.L / g.size, [&](int i) {
            begin("g" + std::to_string(i), "group " + std::to_string(i) + ": " + std::to_string(g.size) +
                                               " products in fixed point, times their scales");
            return group(s_, unit_, in_, g, unit_.element(index_, i * g.size));
        });
    }
    std::vector<Number> all(const Accumulator& c) {
        begin("c", index_ == 0 ? "the accumulator" : "the accumulator: the block before");
        return {accumulator(s_, c_format_, c_, c)};
    }
    std::vector<Number> all(const Fuse& f) {
        std::vector<Addend> terms;
        for (const Child& child : f.children)
            for (Number& x : numbers(child.get())) terms.push_back({x, &child});
        const int number = fuses_++;
        begin("f" + std::to_string(number), "sum " + std::to_string(number) + ": " + std::to_string(terms.size()) +
                                                " terms aligned at the largest exponent E, cut, and added exactly");
        return {fuse(s_, f, terms)};
    }
    std::vector<Number> all(const Round& r) {
        const Number x = numbers(r.get()).front();
        return {read(s_, format(r.format), rounded(r, x))};
    }

    Term rounded(const Round& r, const Number& x) {
        const int number = rounds_++;
        begin("r" + std::to_string(number),
              "rounding " + std::to_string(number) + " to " + std::string(format(r.format).name));
        return s_.wire("pattern", round(s_, r, x));
    }

    Sheet& s_;
    const Unit& unit_;
    const InputTerms& in_;
    int index_;
    const Format& c_format_;
    Term c_;
    std::string block_;
    int fuses_ = 0, rounds_ = 0;
};

/// A result as d: the unit's rule says which NaN it is.
Term with_nan_rule(Sheet& s, const Unit& unit, Term pattern) {
    if (unit.nan.kind == NanRule::Kind::propagate) return pattern;
    const Format& d = format(unit.d);
    if (!d.has_nan()) return pattern;
    const std::uint64_t nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(d);
    return s.choose(nan_of(s, d, pattern), s.constant(nan, d.width), pattern);
}

/// The accumulator added at the end: one IEEE addition, to nearest even, in d's format.
Term added_last(Sheet& s, const Unit& unit, Term d, Term c) {
    const Fuse exact; // no floor, no register
    const Child child{.node = {}, .F = {}, .rounding = Rounding::rz, .zero = {}, .drop = {}};
    s.set_prefix("last_");
    s.heading("c, added at the end by one IEEE addition");
    const Number total = fuse(s, exact, {{read(s, format(unit.d), d), &child}, {read(s, format(*unit.c), c), &child}});
    Round ieee;
    ieee.format = unit.d;
    s.set_prefix("last_r_");
    return round(s, ieee, total);
}

} // namespace

void draw(UnitSheet& to, const Unit& unit) {
    validate(unit);
    Sheet& s = to.sheet;
    s.keeps_nan = unit.nan.kind == NanRule::Kind::propagate;
    to.inputs = input_variables(s.t, unit);
    const Format& d = format(unit.d);
    const auto& root = std::get<Round>(unit.tree.kind);
    const bool c_first = unit.c && unit.place == AccumulatorPlace::chained;
    const Format* accumulator_format = c_first ? &format(*unit.c) : &d;
    Term accumulator = c_first ? *to.inputs.c : s.constant(0, d.width); // +0
    for (int i = 0; i < unit.blocks(); ++i) {
        Block block(s, unit, to.inputs, i, *accumulator_format, accumulator);
        accumulator = with_nan_rule(s, unit, block.result(root));
        if (unit.blocks() > 1) {
            s.set_prefix("b" + std::to_string(i) + "_");
            s.wire("d", accumulator, "what block " + std::to_string(i) + " hands on");
        }
        accumulator_format = &d;
    }
    if (unit.c && !c_first) accumulator = with_nan_rule(s, unit, added_last(s, unit, accumulator, *to.inputs.c));
    s.set_prefix("");
    to.d = accumulator;
}

} // namespace discern::rtl
