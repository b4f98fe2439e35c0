// See edge_vectors.hpp.
#include "edge_vectors.hpp"

#include "models/unit/tree_shape.hpp"

#include <algorithm>

namespace discern {

namespace {

void collect(const Node& tree, std::vector<int>& edges, std::vector<int>& fractions) {
    for_each_node(tree, [&](const Node& node, const Child* child) {
        if (child != nullptr && child->zero.kind == ZeroExponent::Kind::constant) edges.push_back(child->zero.value);
        if (child != nullptr && child->F) fractions.push_back(*child->F);
        if (const auto* round = std::get_if<Round>(&node.kind)) edges.push_back(format(round->format).emin());
        if (const auto* fuse = std::get_if<Fuse>(&node.kind); fuse != nullptr && fuse->floor)
            edges.push_back(*fuse->floor);
    });
}

} // namespace

EdgeVectors::EdgeVectors(const Unit& unit, std::uint64_t seed) : unit_(unit), random_(seed) {
    collect(unit.tree, edges_, fractions_);
    edges_.push_back(format(unit.d).emin());
    if (fractions_.empty()) fractions_.push_back(format(unit.d).mantissa_bits);
}

/// ±2^exponent, as near to it as the format has powers of two.
std::uint64_t EdgeVectors::power(const Format& f, int exponent, bool negative) const {
    exponent = std::clamp(exponent, f.last_place(), f.emax());
    Decoded x;
    x.negative = negative && f.is_signed;
    x.exponent = std::max(exponent, f.emin());
    x.significand = 1ull << (f.mantissa_bits - (x.exponent - exponent));
    return pack(f, x);
}

/// One more term, a product or c.
void EdgeVectors::place(Vector& v, int exponent, bool negative) {
    const Format &a = format(unit_.a), &b = format(unit_.b);
    if (v.c && *v.c == 0 && random_.one_in(4)) {
        v.c = power(format(*unit_.c), exponent, negative);
        return;
    }
    const int k = random_.below(unit_.K);
    const auto at = static_cast<std::size_t>(k);
    int own = exponent;
    if (unit_.scale) {
        const auto i = static_cast<std::size_t>(k / unit_.scale->block);
        own -= decode(format(unit_.scale->format), v.sa[i]).exponent +
               decode(format(unit_.scale->format), v.sb[i]).exponent;
    }
    own = std::clamp(own, a.last_place() + b.last_place(), a.emax() + b.emax());
    const int ea = random_.between(std::max(a.last_place(), own - b.emax()), std::min(a.emax(), own - b.last_place()));
    v.a[at] = power(a, ea, negative);
    v.b[at] = power(b, own - ea, false);
}

Vector EdgeVectors::next() {
    const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
    Vector v;
    v.a.assign(K, 0);
    v.b.assign(K, 0);
    const int edge = edges_[static_cast<std::size_t>(random_.below(static_cast<int>(edges_.size())))];
    const int F = fractions_[static_cast<std::size_t>(random_.below(static_cast<int>(fractions_.size())))];
    const Format& d = format(unit_.d);
    // The largest term lies around an edge, or anywhere; scales take it there as far as operands cannot.
    const int reach = format(unit_.a).emax() + format(unit_.b).emax();
    const int top =
        random_.one_in(4) ? random_.between(d.last_place(), std::min(reach, d.emax())) : edge + random_.between(-20, 3);
    if (unit_.scale) {
        const Format& f = format(unit_.scale->format);
        const int both = std::clamp(top - random_.between(-4, 4), 2 * f.emin(), 2 * f.emax());
        const int one = std::clamp(both / 2, f.emin(), f.emax());
        v.sa.assign(scales, power(f, one, false));
        v.sb.assign(scales, power(f, both - one, false));
    }
    if (unit_.c) v.c = pack(format(*unit_.c), {.negative = random_.one_in(8)});
    const bool sign = random_.one_in(2);
    const int half = std::max(top, d.emin()) - d.mantissa_bits - 1;
    if (random_.below(4) != 0) place(v, top, sign);
    if (random_.below(4) != 0) place(v, half, random_.one_in(4) ? !sign : sign);
    // One bit or a few where somebody cuts: F places below the largest exponent, or below the edge.
    const int cut = (random_.one_in(2) ? std::max(top, edge) : std::max(half, edge)) - F;
    for (int n = 1 + random_.below(3); n > 0; --n) place(v, cut + random_.between(-3, 1), random_.one_in(2));
    return v;
}

} // namespace discern
