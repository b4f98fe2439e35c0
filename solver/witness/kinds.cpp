// The kind of a witness by the signs and exponents of its nonzero terms.
#include "kinds.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <limits>

namespace discern {

namespace {

// A product of decoded factors; `gap` holds its exponent until the largest is known.
std::optional<KindTerm> term_of(std::initializer_list<Decoded> factors) {
    KindTerm term;
    bool zero = false;
    for (const Decoded& x : factors) {
        term.special = term.special || x.number_class != NumberClass::finite;
        zero = zero || x.is_zero();
        term.negative = term.negative != x.negative;
        term.gap += x.exponent;
    }
    if (term.special) return KindTerm{.special = true};
    if (zero) return std::nullopt;
    return term;
}

std::optional<KindTerm> product(const Unit& unit, const Inputs& inputs, std::size_t k) {
    const Decoded a = decode(format(unit.a), inputs.a[k]), b = decode(format(unit.b), inputs.b[k]);
    if (!unit.scale) return term_of({a, b});
    const std::size_t s = k / static_cast<std::size_t>(unit.scale->block);
    const Format& scale = format(unit.scale->format);
    return term_of({a, b, decode(scale, inputs.sa[s]), decode(scale, inputs.sb[s])});
}

} // namespace

std::vector<std::optional<KindTerm>> kind_terms(const Unit& unit, const Inputs& inputs) {
    std::vector<std::optional<KindTerm>> terms;
    for (std::size_t k = 0; k < inputs.a.size(); ++k) terms.push_back(product(unit, inputs, k));
    terms.push_back(unit.c ? term_of({decode(format(*unit.c), inputs.c)}) : std::nullopt);
    int largest = std::numeric_limits<int>::min();
    for (const auto& term : terms)
        if (term && !term->special) largest = std::max(largest, term->gap);
    for (auto& term : terms)
        if (term && !term->special) term->gap = largest - term->gap;
    return terms;
}

Kind kind_of(const Unit& unit, const Inputs& inputs) {
    const auto terms = kind_terms(unit, inputs);
    Kind kind;
    kind.blocks.resize(static_cast<std::size_t>(unit.blocks()));
    for (int i = 0; i < unit.blocks(); ++i) {
        auto& block = kind.blocks[static_cast<std::size_t>(i)];
        for (int l = 0; l < unit.L; ++l)
            if (const auto& term = terms[static_cast<std::size_t>(unit.element(i, l))]) block.push_back(*term);
        std::sort(block.begin(), block.end());
    }
    kind.c = terms.back();
    return kind;
}

Profile profile_of(const Kind& kind) {
    const auto count = [](Profile::Counts& counts, const KindTerm& term) {
        ++(term.special ? counts.special : term.negative ? counts.negative : counts.positive);
    };
    Profile profile;
    for (const auto& block : kind.blocks) {
        Profile::Counts& counts = profile.blocks.emplace_back();
        for (const KindTerm& term : block) count(counts, term);
    }
    if (kind.c) count(profile.c, *kind.c);
    return profile;
}

} // namespace discern
