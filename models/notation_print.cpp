// Printing of the notation. The plain form leaves defaults out; the canonical form, which is hashed, spells every
// alignment out and sorts the children of a fuse, whose sum is exact and so has no order.
#include "error.hpp"
#include "notation.hpp"
#include "tree_names.hpp"

#include <algorithm>

namespace discern {

namespace {

struct Style {
    bool sorted = false;    ///< sort the children of every fuse
    bool explicit_ = false; ///< every child spells its own alignment
};

std::string which_text(const Selection& which) {
    if (which.step == 0) return std::to_string(which.first);
    if (which == Selection{0, 1}) return "*";
    return "(" + std::to_string(which.first) + "::" + std::to_string(which.step) + ")";
}

std::string align_text(const Child& child) {
    return (child.F ? "F=" + std::to_string(*child.F) + " " : std::string("exact ")) +
           std::string(name(child.rounding));
}

/// Collects attributes and prints them in brackets, or nothing if there are none.
class Attributes {
  public:
    void add(const std::string& text) { text_ += (text_.empty() ? "" : " ") + text; }
    std::string bracketed() const { return text_.empty() ? "" : "[" + text_ + "]"; }

  private:
    std::string text_;
};

std::string print(const Node& node, const Style& style);

std::string print(const Product& p, const Style&) {
    Attributes attributes;
    if (p.normalisation != Normalisation::raw)
        attributes.add(std::string(name_in(normalisation_names, p.normalisation)));
    if (p.limit) attributes.add("limit=" + std::to_string(*p.limit) + (p.limit_yields ? "" : ":counts"));
    if (p.flush) attributes.add(p.flush_keeps_sign ? "ftz" : "ftz=pos");
    return "p" + which_text(p.which) + attributes.bracketed();
}

std::string print(const Group& g, const Style&) {
    return "g" + which_text(g.which) + "[G=" + std::to_string(g.size) + "]";
}

std::string print(const Accumulator& c, const Style&) {
    Attributes attributes;
    if (c.as) attributes.add("as=" + std::string(format(*c.as).name));
    if (c.flush) attributes.add(c.flush_keeps_sign ? "ftz" : "ftz=pos");
    return "c" + attributes.bracketed();
}

ZeroExponent default_zero(const Node& node) {
    return is_leaf(node) ? ZeroExponent{} : ZeroExponent{ZeroExponent::Kind::own, 0};
}

std::string print(const Fuse& fuse, const Style& style) {
    // What the brackets say for all children: the first child's alignment, the first leaf's zero exponent.
    const Child& model = fuse.children.front();
    const auto leaf =
        std::find_if(fuse.children.begin(), fuse.children.end(), [](const Child& c) { return is_leaf(c.get()); });
    const ZeroExponent zero = leaf == fuse.children.end() || style.explicit_ ? ZeroExponent{} : leaf->zero;
    Attributes attributes;
    if (!style.explicit_) attributes.add(!model.F && model.rounding == Rounding::rz ? "exact" : align_text(model));
    if (zero != ZeroExponent{}) attributes.add("zero=" + to_string(zero));
    if (fuse.floor) attributes.add("floor=" + std::to_string(*fuse.floor));
    if (fuse.carry) attributes.add("carry=" + std::to_string(*fuse.carry));
    std::vector<std::string> children;
    for (const Child& child : fuse.children) {
        Attributes own;
        if (style.explicit_) {
            own.add(child.F ? align_text(child) : "exact"); // the mode of an exact child says nothing
        } else {
            if (child.F != model.F) own.add(child.F ? "F=" + std::to_string(*child.F) : "exact");
            if (child.rounding != model.rounding) own.add(std::string(name(child.rounding)));
        }
        const ZeroExponent expected = is_leaf(child.get()) ? zero : default_zero(child.get());
        if (child.zero != expected) own.add("zero=" + to_string(child.zero));
        if (child.drop) own.add("drop=" + std::to_string(*child.drop));
        const std::string brackets = own.bracketed();
        children.push_back(print(child.get(), style) + (brackets.empty() ? "" : " @" + brackets));
    }
    if (style.sorted) std::sort(children.begin(), children.end());
    std::string text = "fuse" + attributes.bracketed() + "(";
    for (std::size_t i = 0; i < children.size(); ++i) text += (i > 0 ? ", " : "") + children[i];
    return text + ")";
}

std::string print(const Round& round, const Style& style) {
    Attributes attributes;
    attributes.add(std::string(format(round.format).name) + " " + std::string(name(round.mode)));
    if (round.overflow != Overflow::ieee)
        attributes.add("overflow=" + std::string(name_in(overflow_names, round.overflow)));
    if (round.flush != Flush::none)
        attributes.add("ftz=" + std::string(name_in(flush_names, round.flush)) +
                       (round.flush_keeps_sign ? "" : ":pos"));
    if (!round.zero_sign_ieee) attributes.add("zsign=pos");
    if (!round.underflow_keeps_sign) attributes.add("usign=pos");
    return "round" + attributes.bracketed() + "(" + print(round.get(), style) + ")";
}

std::string print(const Node& node, const Style& style) {
    return std::visit([&style](const auto& n) { return print(n, style); }, node.kind);
}

std::string print(const Unit& unit, const Node& tree, const Style& style) {
    const auto format_name = [](FormatId id) { return std::string(format(id).name); };
    std::string text = format_name(unit.a) + "*" + format_name(unit.b);
    if (unit.c) text += "+" + format_name(*unit.c);
    text += "->" + format_name(unit.d) + " K=" + std::to_string(unit.K) + " L=" + std::to_string(unit.L);
    if (unit.scale) text += " scale=" + format_name(unit.scale->format) + "/" + std::to_string(unit.scale->block);
    if (unit.interleave != 0) text += " interleave=" + std::to_string(unit.interleave);
    if (unit.place == AccumulatorPlace::last) text += " c=last";
    text += " nan=" + to_string(unit.nan, unit.d);
    return text + " : " + print(tree, style);
}

} // namespace

std::string to_string(const Unit& unit) { return print(unit, unit.tree, {}); }

std::string to_string(const Node& node) { return print(node, {}); }

std::string canonical_text(const Unit& unit) {
    const bool ordered = unit.nan.kind == NanRule::Kind::propagate;
    return print(unit, expand(unit), {.sorted = !ordered, .explicit_ = true});
}

} // namespace discern
