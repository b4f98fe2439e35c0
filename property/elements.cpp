// See elements.hpp.
#include "elements.hpp"

#include "numbers.hpp"

#include <utility>

namespace discern::property {

std::vector<std::size_t> different_elements(const Unit& unit, Scope scope) {
    std::vector<std::size_t> elements;
    const int blocks = scope == Scope::block ? 1 : unit.blocks();
    Terms t;
    const InputTerms x = input_variables(t, unit);
    const Term d = encode(t, unit, x);
    for (int block = 0; block < blocks; ++block)
        for (int l = 0; l < unit.L; ++l) {
            const std::size_t k = element(unit, block, l);
            if (l > 0 && scale_of(unit, k) == scale_of(unit, element(unit, block, l - 1))) {
                InputTerms y = x;
                std::swap(y.a[k], y.a[element(unit, block, l - 1)]);
                std::swap(y.b[k], y.b[element(unit, block, l - 1)]);
                if (encode(t, unit, y) == d) continue;
            }
            elements.push_back(k);
        }
    return elements;
}

Term alike_accumulator(Terms& t, const Unit& unit, Term c, Statement& statement) {
    const Format& f = format(*unit.c);
    if (f.specials == Specials::fnuz) return c;
    const Term sign = t.variable("sign of c", 1);
    statement.more.push_back(sign);
    const Term zero = is_zero(t, f, c);
    return t.concat(t.ite(zero, sign, t.bit(c, f.width - 1)), t.extract(c, 0, f.width - 1));
}

} // namespace discern::property
