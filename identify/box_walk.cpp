// The walk over the blocks of a unit (docs/notation.md, "What a tree computes"), for all members of a box: from each
// block a result with the members that give it goes to the next, and members that give the same are joined.
#include "box_walk.hpp"

#include "block_walk.hpp"

#include <map>
#include <tuple>

namespace discern::identify {

namespace {

using integer::SpecialSum;
using integer::Term;
using integer::ZeroSigns;

/// One IEEE addition, RNE, in d's format.
template <typename Int>
Decoded add_last(const Unit& frame, const Decoded& d, const Decoded& c) {
    const Format& f = format(frame.d);
    const Term<Int> terms[] = {integer::operand_term<Int>(f, d), integer::operand_term<Int>(format(*frame.c), c)};
    SpecialSum specials;
    ZeroSigns signs;
    int lsb = INT_MAX;
    for (const auto& term : terms) {
        specials.add(term);
        signs.add(term);
        signs.aligned(!wide::is_zero(term.value));
        if (!wide::is_zero(term.value)) lsb = std::min(lsb, term.lsb);
    }
    Term<Int> sum = integer::finite_term<Int>(false, 0, lsb == INT_MAX ? 0 : lsb, 0);
    if (specials.any()) {
        sum = specials.template result<Int>();
    } else {
        for (const auto& term : terms) sum.value = wide::add(sum.value, moved_left(term.value, term.lsb - sum.lsb));
        sum.zero_sign = signs.of_zero_sum();
    }
    Round ieee;
    ieee.format = f.id;
    return integer::round_term(ieee, f, sum);
}

/// What goes from a block to the next, and the members for which it does.
struct State {
    Decoded c;
    std::vector<ValueSet> sets;
};

/// Joins the members that give the same c, where they make a box.
void join(std::size_t structure, std::vector<State>& states) {
    if (states.size() < 2) return;
    std::map<std::tuple<NumberClass, bool, int, std::uint64_t>, std::vector<Box>> by_c;
    for (State& s : states) {
        const bool is_nan = s.c.number_class == NumberClass::nan;
        const bool finite = s.c.number_class == NumberClass::finite;
        by_c[{s.c.number_class, !is_nan && s.c.negative, finite ? s.c.exponent : 0, finite ? s.c.significand : 0}]
            .push_back({structure, std::move(s.sets)});
    }
    states.clear();
    for (auto& [key, boxes] : by_c) {
        merge(boxes);
        const auto [number_class, negative, exponent, significand] = key;
        for (Box& box : boxes)
            states.push_back({{.number_class = number_class,
                               .negative = negative,
                               .significand = significand,
                               .exponent = exponent,
                               .payload = 0},
                              std::move(box.sets)});
    }
}

template <typename Int>
std::optional<std::vector<Leaf>> walk(const Structure& structure, const Box& box, const Operands& operands,
                                      std::size_t most) {
    const Unit& u = structure.frame;
    const Format& d = format(u.d);
    const bool last = u.place == AccumulatorPlace::last;
    const bool first_is_c = u.c && !last;
    Decoded start;
    start.exponent = d.emin();
    std::vector<State> states = {{first_is_c ? operands.c() : start, box.sets}};
    const Format* c_format = first_is_c ? &format(*u.c) : &d;
    // As much work as for so many evaluations of all blocks.
    std::size_t steps = most * static_cast<std::size_t>(u.blocks());
    for (int block = 0; block < u.blocks(); ++block) {
        std::vector<State> next;
        for (const State& state : states) {
            const Box here{box.structure, state.sets};
            Chooser chooser(here);
            Asking asking(structure, chooser);
            do {
                if (steps-- == 0) return std::nullopt;
                Rounded r = BlockWalk<Int>(asking, operands, block, state.c, *c_format).run();
                // e8m13 and tf32 are stored in fp32: the same number with more fraction bits.
                r.value.significand <<= d.mantissa_bits - r.format->mantissa_bits;
                next.push_back({r.value, chooser.sets()});
            } while (chooser.next());
        }
        join(box.structure, next);
        if (next.size() > most) return std::nullopt;
        states = std::move(next);
        c_format = &d;
    }
    std::vector<Leaf> leaves;
    for (State& state : states) {
        const Decoded c = last && u.c ? add_last<Int>(u, state.c, operands.c()) : state.c;
        const bool is_nan = c.number_class == NumberClass::nan;
        leaves.push_back({is_nan ? quiet_nan(d) : pack(d, c), {box.structure, std::move(state.sets)}});
    }
    return leaves;
}

} // namespace

std::optional<std::vector<Leaf>> evaluate(const Structure& structure, const Box& box, const Inputs& inputs,
                                          std::size_t most) {
    const Operands operands(structure.frame, inputs);
    try {
        return walk<wide::i128>(structure, box, operands, most);
    } catch (const TooNarrow&) {
    }
    try {
        return walk<wide::Medium>(structure, box, operands, most);
    } catch (const TooNarrow&) {
    }
    return walk<wide::Big>(structure, box, operands, most);
}

std::uint64_t without_nan_bits(FormatId d, std::uint64_t bits) {
    const Format& f = format(d);
    return decode(f, bits).number_class == NumberClass::nan ? quiet_nan(f) : bits;
}

} // namespace discern::identify
