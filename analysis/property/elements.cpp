// Which elements are interchangeable is decided by the canonical text of the tree with two elements exchanged.
#include "elements.hpp"

#include "numbers.hpp"

#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"

namespace discern::property {

bool are_alike(const Unit& unit, int l, int m) {
    Unit one = unit;
    one.nan = {};
    one.tree = expand(unit);
    Unit other = one;
    bool alike = true;
    for_each_node(other.tree, [&](Node& node) {
        if (auto* p = std::get_if<Product>(&node.kind)) {
            int& element = p->which.first;
            element = element == l ? m : element == m ? l : element;
        } // a group adds its elements in no order either
        if (const auto* g = std::get_if<Group>(&node.kind)) alike = alike && l / g->size == m / g->size;
    });
    return alike && canonical_text(one) == canonical_text(other);
}

std::vector<std::size_t> different_elements(const Unit& unit, Scope scope) {
    std::vector<std::size_t> elements;
    const int blocks = scope == Scope::block ? 1 : unit.blocks();
    for (int l = 0; l < unit.L; ++l) {
        const bool like_the_one_before = l > 0 && are_alike(unit, l - 1, l);
        for (int block = 0; block < blocks; ++block) {
            const std::size_t k = element(unit, block, l);
            if (!like_the_one_before || scale_of(unit, k) != scale_of(unit, element(unit, block, l - 1)))
                elements.push_back(k);
        }
    }
    return elements;
}

Term equivalent_accumulator(Terms& t, const Unit& unit, Term c, Statement& statement) {
    const Format& f = format(*unit.c);
    if (f.has_nan_for_minus_zero()) return c;
    const Term sign = t.variable("sign of c", 1);
    statement.more.push_back(sign);
    const Term zero = is_zero(t, f, c);
    return t.concat(t.ite(zero, sign, t.bit(c, f.width - 1)), t.extract(c, 0, f.width - 1));
}

} // namespace discern::property
