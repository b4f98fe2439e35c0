// The conditions on terms that correspond to kinds.cpp's functions on numbers.
#include "kind_conditions.hpp"

namespace discern {

KindConditions::KindConditions(Circuit& circuit, const Unit& unit) : t_(circuit.terms), unit_(unit) {
    const InputTerms& in = circuit.inputs;
    const auto number = [&](FormatId id, Term pattern) { return decode_term(t_, format(id), pattern); };
    for (std::size_t k = 0; k < in.a.size(); ++k) {
        const Number a = number(unit.a, in.a[k]), b = number(unit.b, in.b[k]);
        if (!unit.scale) {
            elements_.push_back(element({a, b}));
            continue;
        }
        const std::size_t s = k / static_cast<std::size_t>(unit.scale->block);
        elements_.push_back(
            element({a, b, number(unit.scale->format, in.sa[s]), number(unit.scale->format, in.sb[s])}));
    }
    if (unit.c) elements_.push_back(element({number(*unit.c, *in.c)}));
}

KindConditions::Element KindConditions::element(std::initializer_list<Number> factors) {
    Element e{t_.truth(false), t_.truth(false), t_.truth(false), t_.truth(false), ranged_constant(t_, 0)};
    for (const Number& x : factors) {
        const Term special[] = {e.special, x.nan, x.positive, x.negative};
        e.special = t_.any_of(special);
        e.zero = t_.bvor(e.zero, x.zero);
        e.negative = t_.bvxor(e.negative, x.sign);
        e.exponent = add(t_, e.exponent, x.exponent);
    }
    e.zero = t_.bvand(e.zero, t_.bvnot(e.special));
    const Term ordinary = t_.bvnot(t_.bvor(e.zero, e.special));
    e.positive = t_.bvand(ordinary, t_.bvnot(e.negative));
    e.negative = t_.bvand(ordinary, e.negative);
    return e;
}

Term KindConditions::counted(const std::vector<Term>& flags, int count) {
    const int width = bits_for(static_cast<int>(flags.size()));
    std::vector<Term> summands = {t_.constant(width, 0)};
    for (const Term flag : flags) summands.push_back(t_.zero_extend(flag, width));
    return t_.eq(t_.bvadd(summands), t_.constant(width, static_cast<std::uint64_t>(count)));
}

Term KindConditions::is(const Profile& profile) {
    std::vector<Term> conditions;
    const auto require = [&](const std::vector<const Element*>& elements, const Profile::Counts& counts) {
        for (const auto& [flag, count] :
             {std::pair(&Element::positive, counts.positive), std::pair(&Element::negative, counts.negative),
              std::pair(&Element::special, counts.special)}) {
            std::vector<Term> flags;
            for (const Element* e : elements) flags.push_back(e->*flag);
            conditions.push_back(counted(flags, count));
        }
    };
    for (int i = 0; i < unit_.blocks(); ++i) {
        std::vector<const Element*> block;
        for (int l = 0; l < unit_.L; ++l) block.push_back(&elements_[static_cast<std::size_t>(unit_.element(i, l))]);
        require(block, profile.blocks[static_cast<std::size_t>(i)]);
    }
    if (unit_.c) require({&elements_.back()}, profile.c);
    return t_.all_of(conditions);
}

Term KindConditions::like(const Inputs& inputs) {
    const auto terms = kind_terms(unit_, inputs);
    std::vector<Term> conditions;
    const Element* top = nullptr; // a term of the largest exponent
    for (std::size_t i = 0; i < elements_.size(); ++i)
        if (terms[i] && !terms[i]->special && terms[i]->gap == 0) top = &elements_[i];
    for (std::size_t i = 0; i < elements_.size(); ++i) {
        const Element& e = elements_[i];
        if (!terms[i]) {
            conditions.push_back(e.zero);
        } else if (terms[i]->special) {
            conditions.push_back(e.special);
        } else {
            conditions.push_back(terms[i]->negative ? e.negative : e.positive);
            if (&e == top) continue;
            const Ranged other = top->exponent - terms[i]->gap;
            conditions.push_back(t_.bvnot(t_.bvor(less(t_, e.exponent, other), less(t_, other, e.exponent))));
        }
    }
    return t_.all_of(conditions);
}

} // namespace discern
