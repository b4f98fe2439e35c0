// Printing of the notation. The plain form leaves defaults out; the canonical form, which is hashed, spells every
// alignment out and sorts the children of a fuse, whose sum is exact and so has no order.
#include "models/notation.hpp"
#include "nan_rule.hpp"
#include "parameters.hpp"

#include <algorithm>

namespace discern {

namespace {

using parametric::ConstOwner;
using parametric::Form;
using parametric::OwnerKind;

struct Style {
    bool sorted = false;    ///< sort the children of every fuse
    bool explicit_ = false; ///< every child spells its own alignment
};

std::string which_text(const Selection& which) {
    if (which.step == 0) return std::to_string(which.first);
    if (which == Selection{0, 1}) return "*";
    return "(" + std::to_string(which.first) + "::" + std::to_string(which.step) + ")";
}

std::string align_text(const Child& child, bool with_mode) {
    const std::string bits = child.F ? "F=" + std::to_string(*child.F) : "exact";
    return with_mode ? bits + " " + std::string(name(child.rounding)) : bits;
}

/// Collects attributes and prints them in brackets, or nothing if there are none.
class Attributes {
  public:
    void add(const std::string& text) { text_ += (text_.empty() ? "" : " ") + text; }
    /// Adds the parameters of a part that differ from the usual ones.
    void add(OwnerKind kind, const ConstOwner& part, const ConstOwner& usual) {
        bool before = false;
        for (const parametric::Parameter* p : parametric::parameters_of(kind)) {
            const int value = p->get(part);
            const bool shown = p->form == Form::first || value != p->get(usual);
            if (shown && p->form != Form::suffix) add(p->attribute(value));
            if (shown && p->form == Form::suffix && before) text_ += p->attribute(value);
            before = shown;
        }
    }
    std::string bracketed() const { return text_.empty() ? "" : "[" + text_ + "]"; }

  private:
    std::string text_;
};

std::string print(const Node& node, const Style& style);

/// What differs from the usual in a part, in brackets, after `first`.
template <typename Part>
std::string in_brackets(OwnerKind kind, const Part& part, const std::string& first = "") {
    static const Part usual;
    Attributes attributes;
    if (!first.empty()) attributes.add(first);
    attributes.add(kind, &part, &usual);
    return attributes.bracketed();
}

std::string print(const Product& p, const Style&) {
    return "p" + which_text(p.which) + in_brackets(OwnerKind::product, p);
}

std::string print(const Group& g, const Style&) {
    return "g" + which_text(g.which) + in_brackets(OwnerKind::group, g, "G=" + std::to_string(g.size));
}

std::string print(const Accumulator& c, const Style&) { return "c" + in_brackets(OwnerKind::accumulator, c); }

std::string print(const Fuse& fuse, const Style& style) {
    // The brackets hold the values of all children: the first child's alignment, the first leaf's zero exponent.
    static const Fuse usual;
    static const Child plain{};
    Child model = plain;
    Attributes attributes;
    if (!style.explicit_) {
        const auto leaf =
            std::find_if(fuse.children.begin(), fuse.children.end(), [](const Child& c) { return is_leaf(c.get()); });
        model.F = fuse.children.front().F;
        model.rounding = fuse.children.front().rounding;
        if (leaf != fuse.children.end()) model.zero = leaf->zero;
        attributes.add(align_text(model, model.F || model.rounding != Rounding::rz));
        Child aligned = model;
        aligned.zero = plain.zero;
        attributes.add(OwnerKind::child, &model, &aligned);
    }
    attributes.add(OwnerKind::fuse, &fuse, &usual);
    std::vector<std::string> children;
    for (const Child& child : fuse.children) {
        Child expected = model;
        if (!is_leaf(child.get())) expected.zero = {ZeroExponent::Kind::own, 0};
        Attributes own;
        if (style.explicit_) {
            own.add(align_text(child, child.F.has_value())); // the mode of an exact child says nothing
            expected.F = child.F;
            expected.rounding = child.rounding;
        }
        own.add(OwnerKind::child, &child, &expected);
        const std::string brackets = own.bracketed();
        children.push_back(print(child.get(), style) + (brackets.empty() ? "" : " @" + brackets));
    }
    if (style.sorted) std::sort(children.begin(), children.end());
    std::string text = "fuse" + attributes.bracketed() + "(";
    for (std::size_t i = 0; i < children.size(); ++i) text += (i > 0 ? ", " : "") + children[i];
    return text + ")";
}

std::string print(const Round& round, const Style& style) {
    return "round" + in_brackets(OwnerKind::round, round) + "(" + print(round.get(), style) + ")";
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
    const bool ordered = unit.nan.keeps_operands();
    return print(unit, expand(unit), {.sorted = !ordered, .explicit_ = true});
}

} // namespace discern
