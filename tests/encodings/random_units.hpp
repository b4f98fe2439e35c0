// Random units and inputs for tests: every field of the tree that the notation has, in small trees of cheap formats,
// and inputs in which special values, equal exponents, cancellation and the ends of the range are frequent.
#pragma once

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace discern::tests {

using Random = std::mt19937_64;

inline int pick(Random& random, int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }
inline bool chance(Random& random, int percent) { return pick(random, 0, 99) < percent; }

template <typename T>
T choose(Random& random, std::initializer_list<T> values) {
    return values.begin()[pick(random, 0, static_cast<int>(values.size()) - 1)];
}

// ------------------------------------------------------------------------------------------------------- inputs

/// How the patterns of one vector are drawn.
struct Style {
    int special_percent = 0, zero_percent = 0, plain_percent = 0;
    int centre = 0; ///< of the exponent fields, in percent of the range
    int spread = 0; ///< how far exponents are apart
    bool full_significands = false, positive = false;
};

inline Style random_style(Random& random) {
    return {choose(random, {0, 0, 0, 3, 15}),
            choose(random, {0, 0, 10, 60, 95}),
            choose(random, {0, 0, 30, 100}),
            choose(random, {0, 0, 30, 50, 50, 50, 70, 100}),
            choose(random, {0, 1, 3, 8, 30}),
            chance(random, 20),
            chance(random, 25)};
}

inline std::uint64_t random_pattern(Random& random, const Format& f, const Style& style) {
    const std::uint64_t plain = random() & f.mask();
    if (chance(random, style.plain_percent)) return plain;
    const std::uint64_t sign = style.positive || !f.is_signed ? 0 : plain & (1ull << (f.width - 1));
    if (chance(random, style.zero_percent)) return sign;
    const int top = (1 << f.exponent_bits) - 1;
    int field = top * style.centre / 100 + pick(random, -style.spread, style.spread);
    if (chance(random, style.special_percent)) field = top;
    field = std::min(std::max(field, 0), top);
    std::uint64_t mantissa = random() & ((1ull << f.mantissa_bits) - 1);
    if (style.full_significands || chance(random, 10)) mantissa = (1ull << f.mantissa_bits) - 1;
    if (chance(random, 20)) mantissa = 0;
    const std::uint64_t padding = f.padding_bits > 0 ? random() & ((1ull << f.padding_bits) - 1) : 0;
    return sign | ((static_cast<std::uint64_t>(field) << f.mantissa_bits | mantissa) << f.padding_bits) | padding;
}

inline Vector random_vector(Random& random, const Unit& unit) {
    const Style style = random_style(random), style_c = chance(random, 50) ? style : random_style(random);
    const auto row = [&](int count, FormatId id, const Style& s) {
        std::vector<std::uint64_t> patterns;
        for (int i = 0; i < count; ++i) patterns.push_back(random_pattern(random, format(id), s));
        return patterns;
    };
    Vector v;
    v.a = row(unit.K, unit.a, style);
    v.b = row(unit.K, unit.b, style);
    if (chance(random, 25)) // cancellation: a second half that is the negative of the first, more or less
        for (std::size_t i = v.a.size() / 2; i < v.a.size(); ++i) {
            v.a[i] = v.a[i - v.a.size() / 2];
            v.b[i] = v.b[i - v.a.size() / 2];
            if (format(unit.a).is_signed) v.a[i] ^= 1ull << (format(unit.a).width - 1);
        }
    if (unit.scale) {
        Style even = style;
        even.centre = 50;
        v.sa = row(unit.scales(), unit.scale->format, chance(random, 50) ? style : even);
        v.sb = row(unit.scales(), unit.scale->format, chance(random, 50) ? style : even);
    }
    if (unit.c) v.c = random_pattern(random, format(*unit.c), style_c);
    return v;
}

// -------------------------------------------------------------------------------------------------------- units

/// Random whole-unit lines. Some of them are not valid; random_unit() tries until one is.
class UnitText {
  public:
    explicit UnitText(Random& random) : random_(random) {}

    std::string operator()() {
        const std::string d = one({"f32", "f16", "bf16", "f32", "f16", "e5m2", "e4m3", "e5m2fnuz"});
        const std::string a = operand(), b = chance(random_, 70) ? a : operand();
        const std::string c = chance(random_, 60) ? d : one({"f16", "f32", "bf16"});
        const bool has_c = chance(random_, 85);
        const bool last = has_c && chance(random_, 12);
        const int length = choose(random_, {1, 2, 3, 4});
        int blocks = has_c ? choose(random_, {1, 1, 2}) : 1;
        std::string settings;
        if (blocks == 2 && chance(random_, 20)) settings += " interleave=1";
        const std::string leaves = one({"p*", "p*", "p*", "parts", "parts", "g"});
        // Left out: which NaN a scale would carry, and the sign of a group that only its zero scale makes zero.
        const bool scaled = chance(random_, 20);
        const std::string scale = leaves == "g" ? "e8m0" : one({"e8m0", "ue4m3"});
        if (scaled) settings += " scale=" + scale + "/" + std::to_string(length);
        if (last) settings += " c=last";
        if (!scaled && chance(random_, 30))
            settings += " nan=x86";
        else if (chance(random_, 40) && d == "f32")
            settings += " nan=7fffffff";
        has_c_ = has_c;
        used_c_ = false;
        length_ = length;
        const std::string tree = "round[" + d + round_attributes() + "](" + fuse(leaves, 0) + ")";
        return a + "*" + b + (has_c ? "+" + c : "") + "->" + d + " K=" + std::to_string(length * blocks) +
               " L=" + std::to_string(length) + settings + " : " + tree;
    }

  private:
    std::string one(std::initializer_list<const char*> values) { return choose(random_, values); }
    std::string operand() {
        return one({"f16", "f16", "bf16", "e5m2", "e4m3", "e4m3fnuz", "e2m1", "e3m2", "tf32", "f32"});
    }
    std::string mode() { return one({"rz", "rd", "ru", "rne", "rna", "odd"}); }

    std::string round_attributes() {
        std::string text = " " + mode();
        if (chance(random_, 50)) text += " overflow=" + one({"inf", "max", "ieee"});
        if (chance(random_, 30)) text += " ftz=" + one({"result", "after", "before"}) + one({"", ":pos"});
        if (chance(random_, 50)) text += " zsign=" + one({"pos", "ieee"});
        if (chance(random_, 50)) text += " usign=" + one({"pos", "keep"});
        return text;
    }

    std::string product(const std::string& which) {
        std::string attributes;
        if (chance(random_, 30)) attributes += " " + one({"carry", "full"});
        if (chance(random_, 20))
            attributes += " limit=" + std::to_string(pick(random_, -10, 20)) + one({"", ":counts"});
        if (chance(random_, 20)) attributes += one({" ftz", " ftz=pos"});
        return "p" + which + (attributes.empty() ? "" : "[" + attributes.substr(1) + "]");
    }

    std::string accumulator() {
        used_c_ = true;
        std::string attributes;
        if (chance(random_, 20)) attributes += one({" ftz", " ftz=pos"});
        if (chance(random_, 20)) attributes += " as=" + one({"f32", "bf16"});
        return "c" + (attributes.empty() ? "" : "[" + attributes.substr(1) + "]");
    }

    std::string align() { return exact_ ? "exact" : "F=" + std::to_string(pick(random_, 0, 30)) + " " + mode(); }
    std::string zero() {
        return chance(random_, 50) ? "ignore" : chance(random_, 50) ? "emin" : std::to_string(pick(random_, -40, 10));
    }

    std::string child(const std::string& node) {
        if (!chance(random_, 35)) return node;
        std::string text = chance(random_, 60) ? " " + (chance(random_, 15) && !carry_ ? "exact" : align()) : "";
        if (chance(random_, 50)) text += " zero=" + zero();
        if (chance(random_, 30)) text += " drop=" + std::to_string(pick(random_, 0, 30));
        return text.empty() ? node : node + " @[" + text.substr(1) + "]";
    }

    std::string inner(const std::string& leaves, int depth) {
        std::string node = fuse(leaves, depth + 1);
        if (chance(random_, 50))
            node = "round[" + one({"f32", "f16", "bf16", "e5m2"}) + round_attributes() + "](" + node + ")";
        return node;
    }

    std::string fuse(const std::string& leaves, int depth) {
        const bool outer_exact = exact_, outer_carry = carry_;
        exact_ = chance(random_, 25);
        carry_ = !exact_ && chance(random_, 15);
        std::string text = "fuse[" + align() + " zero=" + zero();
        if (chance(random_, 20)) text += " floor=" + std::to_string(pick(random_, -40, 10));
        if (carry_) text += " carry=" + std::to_string(pick(random_, 0, 4));
        std::vector<std::string> nodes;
        if (leaves == "p*") {
            nodes.push_back(depth < 2 && chance(random_, 25) ? child(inner("p*", depth)) : child(product("*")));
        } else if (leaves == "g") {
            nodes.push_back(child("g*[G=" + std::to_string(length_) + "]"));
        } else {
            for (int i = 0; i < std::min(2, length_); ++i) {
                const std::string which = length_ == 1 ? "*" : "(" + std::to_string(i) + "::2)";
                nodes.push_back(depth < 2 && chance(random_, 25) ? child(inner("p" + which, depth))
                                                                 : child(product(which)));
            }
        }
        if (leaves.starts_with("p(")) nodes = {child(product(leaves.substr(1)))};
        if (depth == 0 && has_c_ && !used_c_)
            nodes.insert(chance(random_, 50) ? nodes.begin() : nodes.end(), child(accumulator()));
        text += "](";
        for (std::size_t i = 0; i < nodes.size(); ++i) text += (i > 0 ? ", " : "") + nodes[i];
        exact_ = outer_exact;
        carry_ = outer_carry;
        return text + ")";
    }

    Random& random_;
    bool has_c_ = false, used_c_ = false, exact_ = false, carry_ = false;
    int length_ = 1;
};

inline Unit random_unit(Random& random) {
    UnitText text(random);
    for (int tries = 0; tries < 1000; ++tries) {
        try {
            return parse_unit(text());
        } catch (const Error&) { // not every combination is valid
        }
    }
    throw std::logic_error("random_unit: no valid unit in 1000 tries");
}

} // namespace discern::tests
