// Walks the tree block by block. See encode.hpp.
#include "encode.hpp"

#include "leaves.hpp"
#include "nodes.hpp"

#include <stdexcept>
#include <string>

namespace discern {

namespace {

std::vector<int> selected(const Selection& which, int count) {
    std::vector<int> indices;
    for (int i = which.first; i < count; i += which.step) {
        indices.push_back(i);
        if (which.step == 0) break;
    }
    return indices;
}

class Encoder {
  public:
    Encoder(Terms& t, const Unit& unit, const InputTerms& inputs) : t_(t), unit_(unit), inputs_(inputs) {}

    Term run() {
        const bool last = unit_.place == AccumulatorPlace::last;
        const Format& d = format(unit_.d);
        if (unit_.c && !last)
            accumulator_ = {decode_term(t_, format(*unit_.c), *inputs_.c), &format(*unit_.c)};
        else
            accumulator_ = {decode_term(t_, d, t_.constant(d.width, 0)), &d};
        Term result = t_.constant(d.width, 0);
        for (block_ = 0; block_ < unit_.blocks(); ++block_) {
            result = rounded(std::get<Round>(unit_.tree.kind), unit_.nan);
            accumulator_ = {decode_term(t_, d, result), &d};
        }
        return unit_.c && last ? plus_c() : result;
    }

  private:
    struct Decoded {
        Number number;
        const Format* format = nullptr;
    };

    // One addition as IEEE 754 has it, to nearest.
    Term plus_c() {
        const Summand both[] = {{accumulator_.number, {}}, {decode_term(t_, format(*unit_.c), *inputs_.c), {}}};
        Round nearest;
        nearest.format = unit_.d;
        return round_term(t_, nearest, fuse_term(t_, both, std::nullopt, std::nullopt), unit_.nan);
    }

    Factors factors(int l) const {
        const auto k = static_cast<std::size_t>(unit_.element(block_, l));
        Factors f{
            decode_term(t_, format(unit_.a), inputs_.a[k]), decode_term(t_, format(unit_.b), inputs_.b[k]), {}, {}};
        if (unit_.scale) {
            const std::size_t s = k / static_cast<std::size_t>(unit_.scale->block);
            f.scale_a = decode_term(t_, format(unit_.scale->format), inputs_.sa[s]);
            f.scale_b = decode_term(t_, format(unit_.scale->format), inputs_.sb[s]);
            // The NaN of a scale has no payload that a result could carry.
            f.scale_a->carried.present = f.scale_b->carried.present = t_.truth(false);
        }
        return f;
    }

    // The numbers that a node stands for: several for a leaf that selects several elements.
    std::vector<Number> numbers(const Node& node) {
        if (const auto* p = std::get_if<Product>(&node.kind)) {
            std::vector<Number> result;
            for (const int l : selected(p->which, unit_.L)) result.push_back(product_term(t_, *p, factors(l)));
            return result;
        }
        if (const auto* g = std::get_if<Group>(&node.kind)) {
            std::vector<Number> result;
            for (const int i : selected(g->which, unit_.L / g->size)) {
                std::vector<Factors> elements;
                for (int l = 0; l < g->size; ++l) elements.push_back(factors(i * g->size + l));
                result.push_back(group_term(t_, elements));
            }
            return result;
        }
        if (const auto* c = std::get_if<Accumulator>(&node.kind))
            return {accumulator_term(t_, *c, accumulator_.number, *accumulator_.format)};
        if (const auto* fuse = std::get_if<Fuse>(&node.kind)) return {fused(*fuse)};
        const auto& round = std::get<Round>(node.kind);
        NanRule inner = unit_.nan; // a fixed pattern is d's; inside, any NaN will do
        if (inner.kind == NanRule::Kind::pattern) inner.kind = NanRule::Kind::any;
        return {decode_term(t_, format(round.format), rounded(round, inner))};
    }

    Number fused(const Fuse& fuse) {
        if (fuse.sticky) throw std::logic_error("encode: there is no term yet of a fuse with a sticky place");
        std::vector<Summand> summands;
        for (const Child& child : fuse.children)
            for (Number& n : numbers(child.get()))
                summands.push_back({std::move(n), {child.F, child.rounding, child.zero, child.drop}});
        return fuse_term(t_, summands, fuse.floor, fuse.carry);
    }

    Term rounded(const Round& round, const NanRule& nan) {
        const std::vector<Number> value = numbers(round.get());
        if (value.size() != 1) throw std::logic_error("encode: a round must have exactly one child");
        return round_term(t_, round, value.front(), nan);
    }

    Terms& t_;
    const Unit& unit_;
    const InputTerms& inputs_;
    Decoded accumulator_;
    int block_ = 0;
};

std::vector<Term> row(Terms& t, const std::string& name, int count, FormatId id) {
    std::vector<Term> terms;
    for (int i = 0; i < count; ++i) terms.push_back(t.variable(name + std::to_string(i), format(id).width));
    return terms;
}

void set_row(TermEvaluator& evaluator, std::span<const Term> terms, std::span<const std::uint64_t> values) {
    if (terms.size() != values.size()) throw std::logic_error("set_inputs: wrong number of patterns");
    for (std::size_t i = 0; i < terms.size(); ++i) evaluator.set(terms[i], values[i]);
}

} // namespace

InputTerms input_variables(Terms& t, const Unit& unit) {
    InputTerms inputs;
    inputs.a = row(t, "a", unit.K, unit.a);
    inputs.b = row(t, "b", unit.K, unit.b);
    if (unit.scale) {
        inputs.sa = row(t, "sa", unit.scales(), unit.scale->format);
        inputs.sb = row(t, "sb", unit.scales(), unit.scale->format);
    }
    if (unit.c) inputs.c = t.variable("c", format(*unit.c).width);
    return inputs;
}

void set_inputs(TermEvaluator& evaluator, const InputTerms& terms, const Inputs& inputs) {
    set_row(evaluator, terms.a, inputs.a);
    set_row(evaluator, terms.b, inputs.b);
    set_row(evaluator, terms.sa, inputs.sa);
    set_row(evaluator, terms.sb, inputs.sb);
    if (terms.c) evaluator.set(*terms.c, inputs.c);
}

Term encode(Terms& t, const Unit& unit, const InputTerms& inputs) { return Encoder(t, unit, inputs).run(); }

Term is_nan(Terms& t, const Format& f, Term pattern) { return decode_term(t, f, pattern).nan; }

Term results_differ(Terms& t, const Unit& first, const Unit& second, Term d1, Term d2) {
    const Term differ = t.bvnot(t.eq(d1, d2));
    if (first.nan.kind != NanRule::Kind::any && second.nan.kind != NanRule::Kind::any) return differ;
    const Format& f = format(first.d);
    return t.bvand(differ, t.bvnot(t.bvand(is_nan(t, f, d1), is_nan(t, f, d2))));
}

} // namespace discern
