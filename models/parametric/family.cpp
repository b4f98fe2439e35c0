#include "family.hpp"
namespace discern::parametric {
namespace {
struct B {
    Structure& s;
    Slot slot(Meaning m, int v) {
        s.variables.push_back({"x", m, {v}});
        return s.variables.size() - 1;
    }
    int opt(const std::optional<int>& o) { return o ? *o : none; }
    ParametricNode node(const Node& n) {
        ParametricNode r;
        using K = ParametricNode::Kind;
        if (auto* p = std::get_if<Product>(&n.kind)) {
            r.kind = K::product;
            r.which = p->which;
            r.normalisation = slot(Meaning::normalisation, static_cast<int>(p->normalisation));
            r.limit = slot(Meaning::limit, opt(p->limit));
            r.yields = slot(Meaning::truth, p->limit_yields);
            r.flush = slot(Meaning::operand_flush, !p->flush ? 0 : p->flush_keeps_sign ? 1 : 2);
        } else if (auto* g = std::get_if<Group>(&n.kind)) {
            r.kind = K::group;
            r.which = g->which;
            r.size = g->size;
        } else if (auto* c = std::get_if<Accumulator>(&n.kind)) {
            r.kind = K::accumulator;
            r.as = slot(Meaning::optional_format, c->as ? static_cast<int>(*c->as) : none);
            r.flush = slot(Meaning::operand_flush, !c->flush ? 0 : c->flush_keeps_sign ? 1 : 2);
        } else if (auto* f = std::get_if<Fuse>(&n.kind)) {
            r.kind = K::fuse;
            for (auto& e : f->children) {
                ParametricNode::Edge edge;
                edge.node = {node(e.get())};
                edge.F = slot(Meaning::fraction, e.F ? *e.F : exact);
                edge.mode = slot(Meaning::mode, static_cast<int>(e.rounding));
                edge.zero = slot(Meaning::zero, e.zero.kind == ZeroExponent::Kind::ignore ? ignore
                                                : e.zero.kind == ZeroExponent::Kind::own  ? own
                                                                                          : e.zero.value);
                edge.drop = slot(Meaning::drop, opt(e.drop));
                r.edges.push_back(std::move(edge));
            }
            r.floor = slot(Meaning::floor, opt(f->floor));
            r.carry = slot(Meaning::carry, opt(f->carry));
        } else {
            auto& d = std::get<Round>(n.kind);
            r.kind = K::round;
            r.format = slot(Meaning::format, static_cast<int>(d.format));
            r.mode = slot(Meaning::mode, static_cast<int>(d.mode));
            r.overflow = slot(Meaning::overflow, static_cast<int>(d.overflow));
            r.flush = slot(Meaning::result_flush,
                           d.flush == Flush::none ? 0 : 2 * static_cast<int>(d.flush) - (d.flush_keeps_sign ? 1 : 0));
            r.zero_sign = slot(Meaning::truth, d.zero_sign_ieee);
            r.underflow = slot(Meaning::truth, d.underflow_keeps_sign);
            r.child = {node(d.get())};
        }
        return r;
    }
};
} // namespace
Structure structure_of(const Unit& unit) {
    Structure s;
    s.frame = unit;
    s.name = "unit";
    s.tree = B{s}.node(unit.tree);
    return s;
}
} // namespace discern::parametric
