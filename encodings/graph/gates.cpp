// Gates with structural hashing, and their clauses. See gates.hpp.
#include "gates.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace discern {

Gates::Gates() { gates_.push_back({Kind::constant, {0, 0, 0}}); }

std::size_t Gates::Hash::operator()(const Gate& g) const {
    std::size_t h = static_cast<std::size_t>(g.kind);
    for (const Literal x : g.in) h = (h ^ x) * 0x9e3779b97f4a7c15ull + (h >> 32);
    return h;
}

Literal Gates::make(Kind kind, Literal a, Literal b, Literal c) {
    const Gate gate{kind, {a, b, c}};
    const auto [at, is_new] = table_.emplace(gate, static_cast<std::uint32_t>(gates_.size()));
    if (is_new) gates_.push_back(gate);
    return 2 * at->second;
}

Literal Gates::input() {
    gates_.push_back({Kind::input, {0, 0, 0}});
    return 2 * static_cast<Literal>(gates_.size() - 1);
}

Literal Gates::conjunction(Literal a, Literal b) {
    if (a > b) std::swap(a, b);
    if (a == no || a == negate(b)) return no;
    if (a == yes || a == b) return b;
    return make(Kind::conjunction, a, b, 0);
}

Literal Gates::exclusive_or(Literal a, Literal b) {
    const Literal flip = (a ^ b) & 1; // negations move to the output
    a &= ~1u;
    b &= ~1u;
    if (a > b) std::swap(a, b);
    if (a == b) return flip;
    if (a == no) return b ^ flip;
    return make(Kind::exclusive_or, a, b, 0) ^ flip;
}

Literal Gates::choice(Literal c, Literal y, Literal n) {
    if (c == yes || y == n) return y;
    if (c == no) return n;
    if ((c & 1) != 0) return choice(negate(c), n, y);
    if (y == negate(n)) return exclusive_or(c, n);
    if (y == yes || y == c) return disjunction(c, n);
    if (y == no || y == negate(c)) return conjunction(negate(c), n);
    if (n == no || n == c) return conjunction(c, y);
    if (n == yes || n == negate(c)) return disjunction(negate(c), y);
    if (const Gate& different = gates_[c / 2]; different.kind == Kind::exclusive_or) { // p ^ q ? y : p => majority
        const Literal p = different.in[0], q = different.in[1];
        if ((n | 1) == (p | 1) || (n | 1) == (q | 1)) return majority(p ^ (n & 1), q ^ (n & 1), y);
        if ((y | 1) == (p | 1)) return majority(y, negate(q) ^ (y & 1), n);
        if ((y | 1) == (q | 1)) return majority(y, negate(p) ^ (y & 1), n);
    }
    const Literal flip = y & 1;
    return make(Kind::choice, c, y ^ flip, n ^ flip) ^ flip;
}

Literal Gates::majority(Literal a, Literal b, Literal c) {
    std::array<Literal, 3> in = {a, b, c};
    std::sort(in.begin(), in.end());
    std::tie(a, b, c) = std::tuple(in[0], in[1], in[2]);
    if (a == no) return conjunction(b, c);
    if (a == yes) return disjunction(b, c);
    if (a == b || b == c) return b;
    if (a == negate(b)) return c;
    if (b == negate(c)) return a;
    if ((a & 1) + (b & 1) + (c & 1) >= 2) return negate(majority(negate(a), negate(b), negate(c)));
    return make(Kind::majority, a, b, c);
}

void ClauseWriter::define(Literal literal) {
    written_.resize(gates_.size(), false);
    std::vector<std::uint32_t> open = {literal / 2};
    while (!open.empty()) {
        const std::uint32_t g = open.back();
        open.pop_back();
        if (written_[g]) continue;
        written_[g] = true;
        const auto& [kind, in] = gates_.gate(g);
        const int x = dimacs(2 * g), a = dimacs(in[0]), b = dimacs(in[1]), c = dimacs(in[2]);
        switch (kind) {
        case Gates::Kind::constant: clause_({-x}); continue;
        case Gates::Kind::input: continue;
        case Gates::Kind::conjunction:
            clause_({-x, a});
            clause_({-x, b});
            clause_({x, -a, -b});
            break;
        case Gates::Kind::exclusive_or:
            clause_({-x, a, b});
            clause_({-x, -a, -b});
            clause_({x, -a, b});
            clause_({x, a, -b});
            break;
        case Gates::Kind::choice:
            clause_({-x, -a, b});
            clause_({x, -a, -b});
            clause_({-x, a, c});
            clause_({x, a, -c});
            clause_({-x, b, c}); // implied, and lets more propagate
            clause_({x, -b, -c});
            break;
        case Gates::Kind::majority:
            clause_({-x, a, b});
            clause_({-x, a, c});
            clause_({-x, b, c});
            clause_({x, -a, -b});
            clause_({x, -a, -c});
            clause_({x, -b, -c});
            break;
        }
        for (const Literal i : in) open.push_back(i / 2);
    }
}

} // namespace discern
