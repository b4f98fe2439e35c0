#include "plan.hpp"

#include "models/unit/tree_shape.hpp"
#include "wide_int.hpp"

#include <algorithm>
#include <bit>

namespace discern::integer {

namespace {

using parametric::NumberOf;
using parametric::OwnerKind;
using parametric::put_numbers;

int ceil_log2(std::size_t n) { return static_cast<int>(std::bit_width(n - 1)); }

/// Bounds on a node's result, for the proof of the width.
struct Bound {
    int value_bits;   ///< |value| < 2^value_bits in units of the last bit (of an exact sum: 0, unknown)
    int integer_bits; ///< |value| < 2^(exponent + integer_bits)
};

class Builder {
  public:
    explicit Builder(Plan& plan) : plan_(plan) {}

    void build(const Node& tree) {
        const Bound root = add(tree);
        needed_ = std::max(needed_, root.value_bits);
        // One bit for the sign, and one to spare.
        plan_.width = needed_ <= 62 && !any_exact_ ? Width::i64
                      : needed_ <= 126             ? Width::i128
                      : needed_ <= 638             ? Width::medium
                                                   : Width::big;
    }

  private:
    Bound add(const Node& node) {
        PlanNode plan;
        const Bound bound = std::visit([&](const auto& n) { return fill(plan, n); }, node.kind);
        plan_.nodes.push_back(std::move(plan));
        needed_ = std::max(needed_, bound.value_bits);
        return bound;
    }

    /// Bits of the product of two scales' significands, each below 2; without scales none.
    static int scale_bits(const Format* scale) { return scale == nullptr ? 0 : 2 * (scale->mantissa_bits + 1); }
    static int scale_integer_bits(const Format* scale) { return scale == nullptr || scale->mantissa_bits == 0 ? 0 : 2; }

    /// Bits of a significand before the point: two where it may be 2.
    static int integer_bits(const Format& f) { return f.significand_bits() - f.mantissa_bits; }

    Bound fill(PlanNode& plan, const Product& product) const {
        plan.kind = PlanNode::Kind::product;
        plan.index = product.which.first;
        put_numbers(OwnerKind::product, &product, plan.product);
        return {plan_.a->significand_bits() + plan_.b->significand_bits() + scale_bits(plan_.scale),
                integer_bits(*plan_.a) + integer_bits(*plan_.b) + scale_integer_bits(plan_.scale)};
    }

    Bound fill(PlanNode& plan, const Group& group) const {
        plan.kind = PlanNode::Kind::group;
        plan.index = group.which.first;
        plan.size = group.size;
        put_numbers(OwnerKind::group, &group, plan.group);
        // Each product as an integer multiple of the smallest one: significands shifted by up to emax − emin.
        const auto fixed_bits = [](const Format& f) { return f.significand_bits() + f.emax() - f.emin(); };
        const int terms = ceil_log2(static_cast<std::size_t>(group.size));
        return {fixed_bits(*plan_.a) + fixed_bits(*plan_.b) + terms + scale_bits(plan_.scale),
                plan_.a->below() + plan_.b->below() + terms + scale_integer_bits(plan_.scale)};
    }

    Bound fill(PlanNode& plan, const Accumulator& accumulator) const {
        plan.kind = PlanNode::Kind::accumulator;
        put_numbers(OwnerKind::accumulator, &accumulator, plan.accumulator);
        const Format &d = *plan_.d, &c = plan_.c == nullptr ? d : *plan_.c;
        return {std::max(c.significand_bits(), d.significand_bits()), std::max(integer_bits(c), integer_bits(d))};
    }

    Bound fill(PlanNode& plan, const Round& round) {
        const Bound child = add(round.get());
        plan.kind = PlanNode::Kind::round;
        plan.child = plan_.nodes.size() - 1;
        plan.round = round;
        plan.round.child.clear();
        plan.format = &format(round.format);
        // Rounding may carry into one more bit before it is normalised.
        return {std::max(child.value_bits, plan.format->mantissa_bits + 2), integer_bits(*plan.format)};
    }

    Bound fill(PlanNode& plan, const Fuse& fuse) {
        plan.kind = PlanNode::Kind::fuse;
        put_numbers(OwnerKind::fuse, &fuse, plan.fuse);
        Bound sum{0, 0};
        for (const Child& child : fuse.children) {
            Bound bound = add(child.get());
            PlanEdge& edge = plan.edges.emplace_back();
            edge.node = plan_.nodes.size() - 1;
            put_numbers<ChildAttributes<NumberOf>>(OwnerKind::child, &child, edge);
            if (child.scaled != Scaled::no) {
                edge.element = static_cast<std::size_t>(first_element(child.get()).value());
                bound.value_bits += scale_bits(plan_.sum_scale);
                bound.integer_bits += scale_integer_bits(plan_.sum_scale);
                needed_ = std::max(needed_, bound.value_bits);
            }
            plan.max_F = std::max(plan.max_F, child.F.value_or(0));
            plan.exact = plan.exact || !child.F;
            sum.integer_bits = std::max(sum.integer_bits, bound.integer_bits + child.less); // relative to E
        }
        // One bit more than the sum needs: aligning may round a term up by one unit, and inverting it is one more.
        sum.integer_bits += ceil_log2(fuse.children.size()) + 1;
        sum.value_bits = plan.max_F + sum.integer_bits + (fuse.sticky ? 1 : 0);
        if (fuse.carry) sum.value_bits = std::max(sum.value_bits, plan.max_F + *fuse.carry + 3);
        any_exact_ = any_exact_ || plan.exact;
        find_plain_sum(plan, fuse);
        if (plan.exact) sum.value_bits = 0; // checked vector by vector
        return sum;
    }

    /// Multiplied and nothing else; a limit that the formats cannot reach is none.
    bool is_plain(const Product& p) const {
        const bool limited = p.limit && *p.limit < plan_.a->below() + plan_.b->below();
        return p.normalisation == Normalisation::raw && !limited && !p.ftz && !p.as;
    }

    void find_plain_sum(PlanNode& plan, const Fuse& fuse) const {
        if (plan_.scale != nullptr || fuse.carry || fuse.sticky || fuse.step || fuse.frame != SignFrame::none) return;
        std::vector<std::size_t> elements;
        bool with_c = false;
        for (const Child& child : fuse.children) {
            const auto* p = std::get_if<Product>(&child.get().kind);
            const bool is_c = child.get() == Node{Accumulator{}};
            if (!child.F || (!is_c && (p == nullptr || !is_plain(*p)))) return;
            Child truncated; // to the same bit, and nothing else is said of it
            truncated.node = child.node;
            truncated.F = fuse.children.front().F;
            if (child != truncated) return;
            if (is_c)
                with_c = true;
            else
                elements.push_back(static_cast<std::size_t>(p->which.first));
        }
        plan.plain_products = std::move(elements);
        plan.plain_with_c = with_c;
    }

    Plan& plan_;
    int needed_ = 0;
    bool any_exact_ = false;
};

} // namespace

Plan::Plan(const Unit& u) : Frame((validate(u), u)), unit(u) { Builder(*this).build(expand(unit)); }

} // namespace discern::integer
