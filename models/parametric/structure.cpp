#include "structure.hpp"

#include "models/format.hpp"
#include "models/tree_names.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern::parametric {

namespace {

std::string text_of(Meaning meaning, int value) {
    switch (meaning) {
    case Meaning::fraction: return value == exact ? "exact" : std::to_string(value);
    case Meaning::mode: return std::string(discern::name(static_cast<Rounding>(value)));
    case Meaning::zero: return value == ignore ? "ignore" : value == own ? "emin" : std::to_string(value);
    case Meaning::carry: return value == none ? "wide" : std::to_string(value);
    case Meaning::floor:
    case Meaning::limit:
    case Meaning::drop: return value == none ? "none" : std::to_string(value);
    case Meaning::normalisation: return std::string(name_in(normalisation_names, static_cast<Normalisation>(value)));
    case Meaning::truth: return value != 0 ? "yes" : "no";
    case Meaning::overflow: return std::string(name_in(overflow_names, static_cast<Overflow>(value)));
    case Meaning::operand_flush: return value == 0 ? "none" : value == 1 ? "keep" : "pos";
    case Meaning::result_flush: {
        if (value == 0) return "none";
        const auto flush = static_cast<Flush>((value + 1) / 2);
        return std::string(name_in(flush_names, flush)) + (value % 2 == 0 ? ":pos" : "");
    }
    case Meaning::format: return std::string(discern::format(static_cast<FormatId>(value)).name);
    case Meaning::optional_format:
        return value == none ? "none" : std::string(discern::format(static_cast<FormatId>(value)).name);
    }
    throw std::logic_error("a variable without meaning");
}

/// Puts the values of an assignment into a tree.
class Builder {
  public:
    Builder(const Structure& structure, const Assignment& assignment)
        : variables_(structure.variables), assignment_(assignment) {}

    Node build(const ParametricNode& node) const {
        switch (node.kind) {
        case ParametricNode::Kind::product: return {product(node)};
        case ParametricNode::Kind::group: return {Group{node.which, node.size}};
        case ParametricNode::Kind::accumulator: return {accumulator(node)};
        case ParametricNode::Kind::fuse: return {fuse(node)};
        case ParametricNode::Kind::round: return {round(node)};
        }
        throw std::logic_error("a node without kind");
    }

  private:
    int value(Slot slot) const { return variables_[slot].values[assignment_[slot]]; }
    std::optional<int> optional(Slot slot) const {
        const int v = value(slot);
        return v == none ? std::nullopt : std::optional(v);
    }

    Product product(const ParametricNode& node) const {
        Product p;
        p.which = node.which;
        p.normalisation = static_cast<Normalisation>(value(node.normalisation));
        p.limit = optional(node.limit);
        p.limit_yields = !p.limit || value(node.yields) != 0;
        p.flush = value(node.flush) != 0;
        p.flush_keeps_sign = value(node.flush) != 2;
        return p;
    }
    Accumulator accumulator(const ParametricNode& node) const {
        Accumulator c;
        if (const auto as = optional(node.as)) c.as = static_cast<FormatId>(*as);
        c.flush = value(node.flush) != 0;
        c.flush_keeps_sign = value(node.flush) != 2;
        return c;
    }
    Fuse fuse(const ParametricNode& node) const {
        Fuse f;
        f.floor = optional(node.floor);
        bool all_aligned = true;
        for (const auto& edge : node.edges) {
            Child child;
            child.node = {build(edge.node.front())};
            child.F = optional(edge.F);
            all_aligned = all_aligned && child.F;
            child.rounding = child.F ? static_cast<Rounding>(value(edge.mode)) : Rounding::rz;
            const int zero = value(edge.zero);
            child.zero = zero == ignore ? ZeroExponent{ZeroExponent::Kind::ignore, 0}
                         : zero == own  ? ZeroExponent{ZeroExponent::Kind::own, 0}
                                        : ZeroExponent{ZeroExponent::Kind::constant, zero};
            child.drop = optional(edge.drop);
            f.children.push_back(std::move(child));
        }
        if (all_aligned) f.carry = optional(node.carry);
        return f;
    }
    Round round(const ParametricNode& node) const {
        Round r;
        r.format = static_cast<FormatId>(value(node.format));
        r.mode = static_cast<Rounding>(value(node.mode));
        r.overflow = static_cast<Overflow>(value(node.overflow));
        const int flush = value(node.flush);
        r.flush = static_cast<Flush>((flush + 1) / 2);
        r.flush_keeps_sign = flush == 0 || flush % 2 != 0;
        r.zero_sign_ieee = value(node.zero_sign) != 0;
        r.underflow_keeps_sign = value(node.underflow) != 0;
        r.child = {build(node.child.front())};
        return r;
    }

    const std::vector<Variable>& variables_;
    const Assignment& assignment_;
};

} // namespace

std::string Variable::text(std::size_t index) const { return text_of(meaning, values[index]); }

Box Structure::box(std::size_t index) const {
    Box box{index, {}};
    for (const Variable& v : variables) box.sets.push_back(ValueSet::all(v.values.size()));
    return box;
}

Unit Structure::member(const Assignment& assignment) const {
    Unit unit = frame;
    unit.tree = Builder(*this, assignment).build(tree);
    return unit;
}

Assignment Structure::first_of(const Box& box) {
    Assignment member;
    for (const ValueSet& set : box.sets) member.push_back(set.first());
    return member;
}

bool Space::is_unit() const {
    return boxes.size() == 1 && std::all_of(boxes.front().sets.begin(), boxes.front().sets.end(),
                                            [](const ValueSet& set) { return set.is_single(); });
}

} // namespace discern::parametric
