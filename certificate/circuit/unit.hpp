// The reference circuit of a unit: docs/notation.md read literally, in bits and words.
//
// It is written to be compared with the page and not to be small: terms are aligned relative to E in registers that
// hold everything, truncated, added, normalised and rounded. It shares the notation with the evaluators and the
// encoder, and nothing else. Its domains say what a bit is.
#pragma once

#include "fuse.hpp"
#include "leaves.hpp"
#include "round.hpp"

#include <cstddef>

namespace discern::circuit {

/// An observer sees the stages of a circuit in the order in which they are made, and may name their wires; so the
/// arithmetic knows no names. This one looks away, and says what an observer has.
template <Domain D>
struct NoObserver {
    void begin_block(int) {}
    /// @param l  the leaf's number within the block
    /// @param k  the element's index in the unit
    void product(int /* l */, int /* k */, const ProductStages<D>&) {}
    /// @param i  the group's number within the block
    void group(int /* i */, const Group&, const GroupStages<D>&) {}
    void accumulator(const AccumulatorStages<D>&) {}
    /// A sum of the tree.
    void sum(const Fuse&, const SumStages<D>&) {}
    /// A rounding of the tree, the root included.
    void round(const Round&, const RoundStages<D>&) {}
    /// What a block hands on.
    void end_block(const Word<D>&) {}
    /// The addition of c after all blocks.
    void last(const SumStages<D>&, const RoundStages<D>&) {}
};

/// One block: its elements, and the number that chains it to the block before.
template <Domain D, class Observer>
class Block {
  public:
    /// @param format   of the accumulator
    /// @param pattern  its pattern
    Block(D& d, Observer& observer, const Unit& unit, const Operands<D>& in, int index, const Format& format,
          const Word<D>& pattern)
        : d_(d), observer_(observer), unit_(unit), in_(in), index_(index), c_format_(format), c_(pattern) {}

    /// The pattern of the block's root.
    Word<D> result(const Round& root) { return result(root, numbers(root.get()).front()); }

  private:
    Word<D> result(const Round& root, const Number<D>& x) {
        RoundStages<D> stages = circuit::round(d_, root, x);
        observer_.round(root, stages);
        return std::move(stages.pattern);
    }

    /// The numbers that a node stands for: one for each element or group that a leaf selects, else one.
    std::vector<Number<D>> numbers(const Node& node) {
        return std::visit([this](const auto& kind) { return this->all(kind); }, node.kind);
    }

    /// One number for each of the selected leaves.
    template <typename Leaf>
    static std::vector<Number<D>> selected(const Selection& which, int count, Leaf leaf) {
        std::vector<Number<D>> list;
        for (int i = which.first; i < count; i += which.step) {
            list.push_back(leaf(i));
            if (which.step == 0) break;
        }
        return list;
    }

    std::vector<Number<D>> all(const Product& p) {
        return selected(p.which, unit_.L, [&](int l) {
            const int k = unit_.element(index_, l);
            ProductStages<D> stages = product(d_, unit_, in_, p, k);
            observer_.product(l, k, stages);
            return std::move(stages.result);
        });
    }
    std::vector<Number<D>> all(const Group& g) {
        return selected(g.which, unit_.L / g.size, [&](int i) {
            GroupStages<D> stages = group(d_, unit_, in_, g, unit_.element(index_, i * g.size));
            observer_.group(i, g, stages);
            return std::move(stages.result);
        });
    }
    std::vector<Number<D>> all(const Accumulator& c) {
        AccumulatorStages<D> stages = accumulator(d_, c_format_, c_, c);
        observer_.accumulator(stages);
        return {kept(d_, unit_, std::move(stages.result))};
    }
    std::vector<Number<D>> all(const Fuse& f) {
        std::vector<SumTerm<D>> terms;
        for (const Child& child : f.children)
            for (Number<D>& x : numbers(child.get())) {
                if (std::holds_alternative<Round>(child.get().kind)) x = kept(d_, unit_, std::move(x));
                if (child.scaled != Scaled::no)
                    x = scaled(d_, unit_, in_, std::move(x), unit_.element(index_, first_element(child.get()).value()),
                               child.scaled);
                terms.push_back({std::move(x), &child});
            }
        SumStages<D> stages = fuse(d_, f, terms);
        observer_.sum(f, stages);
        return {std::move(stages.result)};
    }
    std::vector<Number<D>> all(const Round& r) {
        const Number<D> x = numbers(r.get()).front();
        Number<D> y = read(d_, format(r.format), result(r, x));
        if (x.nan_kind) { // another round keeps the kind of a NaN
            const Bit<D> invalid = is_invalid(d_, x);
            y.nan_kind = {d_.bit_and(y.special.nan, x.nan_kind->factor), d_.bit_and(y.special.nan, invalid),
                          x.nan_kind->invalid_as_of_factor};
        }
        return {std::move(y)};
    }

    D& d_;
    Observer& observer_;
    const Unit& unit_;
    const Operands<D>& in_;
    int index_;
    const Format& c_format_;
    const Word<D>& c_;
};

/// A result as d: the unit's rule says which NaN it is.
template <Domain D>
Word<D> with_nan_rule(D& d, const Unit& unit, const Word<D>& pattern) {
    if (unit.nan.keeps_operands()) return pattern;
    const Format& f = format(unit.d);
    if (!f.has_nan()) return pattern;
    const std::uint64_t nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(f);
    return d.mux(is_nan(d, f, pattern), d.constant(nan, f.width), pattern);
}

/// The accumulator added at the end: one IEEE addition, to nearest even, in d's format.
template <Domain D, class Observer>
Word<D> added_last(D& d, Observer& observer, const Unit& unit, const Word<D>& result, const Word<D>& c) {
    const Fuse exact; // no floor, no register
    const Child child{.node = {}, .F = {}, .rounding = Rounding::rz, .zero = {}, .drop = {}};
    const Number<D> sum = kept(d, unit, read(d, format(unit.d), result));
    const Number<D> last = kept(d, unit, read(d, format(*unit.c), c));
    const SumStages<D> total = fuse<D>(d, exact, {{sum, &child}, {last, &child}});
    Round ieee;
    ieee.format = unit.d;
    const RoundStages<D> rounded = circuit::round(d, ieee, total.result);
    observer.last(total, rounded);
    return rounded.pattern;
}

/// Adds the circuit of a unit to a domain.
/// @return the bits of d
/// @throws Error if the unit is wrong
template <Domain D, class Observer>
Word<D> unit_circuit(D& d, const Unit& unit, const Operands<D>& in, Observer& observer) {
    validate(unit);
    const Format& f = format(unit.d);
    const auto& root = std::get<Round>(unit.tree.kind);
    const bool c_first = unit.c && unit.place == AccumulatorPlace::chained;
    const Format* accumulator_format = c_first ? &format(*unit.c) : &f;
    Word<D> accumulator = c_first ? in.c.front() : d.constant(0, f.width); // +0
    for (int i = 0; i < unit.blocks(); ++i) {
        observer.begin_block(i);
        Block<D, Observer> block(d, observer, unit, in, i, *accumulator_format, accumulator);
        accumulator = with_nan_rule(d, unit, block.result(root));
        observer.end_block(accumulator);
        accumulator_format = &f;
    }
    if (unit.c && !c_first)
        accumulator = with_nan_rule(d, unit, added_last(d, observer, unit, accumulator, in.c.front()));
    return accumulator;
}

} // namespace discern::circuit
