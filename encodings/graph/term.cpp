// The store of the term graph: hash-consing, traversal, substitution, and the meaning of each operation. The folding
// that happens when a term is built is in fold.cpp.
#include "term.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

Terms::Terms(Order order) : order_(order), table_(1024) {}

std::span<const Term> Terms::Operands::kept(std::span<const Term> args) {
    constexpr std::size_t block = 4096;
    if (args.empty()) return {};
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < args.size())
        blocks_.emplace_back().reserve(std::max(block, args.size()));
    std::vector<Term>& last = blocks_.back();
    last.insert(last.end(), args.begin(), args.end());
    return std::span(last).last(args.size());
}

std::uint32_t Terms::hash_of(const Node& n) const {
    std::uint64_t h = static_cast<std::uint64_t>(n.op) * 131 + static_cast<std::uint64_t>(n.width);
    const auto mix = [&h](std::uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15ull + (h >> 31); };
    mix(n.op == Op::constant ? constants_[static_cast<std::size_t>(n.low)].hash() : static_cast<std::uint64_t>(n.low));
    for (const Term a : n.args) mix(a.id);
    return static_cast<std::uint32_t>(h ^ (h >> 32));
}

bool Terms::are_equal(const Node& x, const Node& y) const {
    if (x.hash != y.hash || x.op != y.op || x.width != y.width) return false;
    if (x.op == Op::constant)
        return constants_[static_cast<std::size_t>(x.low)] == constants_[static_cast<std::size_t>(y.low)];
    return x.low == y.low && std::equal(x.args.begin(), x.args.end(), y.args.begin(), y.args.end());
}

std::size_t Terms::place_of(const Node& wanted) const {
    const std::size_t mask = table_.size() - 1; // its size is a power of two
    std::size_t at = wanted.hash & mask;
    while (table_[at] != 0 && !are_equal(nodes_[table_[at] - 1], wanted)) at = (at + 1) & mask;
    return at;
}

// Adds the node, or finds the equal one that is there already.
Term Terms::node(Op op, int width, std::span<const Term> args, int low) {
    if (++until_asked_ % 256 == 0) keep_to_time();
    Node wanted{op, width, low, 0, args};
    wanted.hash = hash_of(wanted);
    const std::size_t at = place_of(wanted);
    if (table_[at] != 0) return {table_[at] - 1};
    wanted.args = operands_.kept(args);
    nodes_.push_back(wanted);
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    table_[at] = count;
    if (2 * nodes_.size() > table_.size()) {
        table_.assign(2 * table_.size(), 0);
        for (std::uint32_t i = 0; i < count; ++i) table_[place_of(nodes_[i])] = i + 1;
    }
    return {count - 1};
}

Term Terms::constant(const Bits& value) {
    constants_.push_back(value);
    const std::size_t before = nodes_.size();
    const Term t = node(Op::constant, value.width(), {}, static_cast<int>(constants_.size()) - 1);
    if (nodes_.size() == before) constants_.pop_back();
    return t;
}

Term Terms::constant(int width, std::uint64_t value) { return constant(Bits(width, value)); }

Term Terms::variable(const std::string& name, int width) {
    if (const auto it = by_name_.find(name); it != by_name_.end()) {
        if (this->width(it->second) != width)
            throw std::logic_error("Terms: variable " + name + " was made with another width");
        return it->second;
    }
    names_.push_back(name);
    const Term t = node(Op::variable, width, {}, static_cast<int>(names_.size()) - 1);
    by_name_.emplace(name, t);
    variables_.push_back(t);
    return t;
}

const Bits& Terms::value(Term t) const {
    if (op(t) != Op::constant) throw std::logic_error("Terms: value() of a term that is not a constant");
    return constants_[static_cast<std::size_t>(nodes_[t.id].low)];
}

const std::string& Terms::name(Term t) const {
    if (op(t) != Op::variable) throw std::logic_error("Terms: name() of a term that is not a variable");
    return names_[static_cast<std::size_t>(nodes_[t.id].low)];
}

std::vector<Term> Terms::cone(std::span<const Term> roots) const {
    // Operands are always older than their node, so the order of ids is a topological order.
    std::vector<bool> wanted(nodes_.size(), false);
    std::uint32_t last = 0;
    for (const Term r : roots) {
        wanted[r.id] = true;
        last = std::max(last, r.id);
    }
    for (std::uint32_t id = last + 1; id-- > 0;)
        if (wanted[id])
            for (const Term a : nodes_[id].args) wanted[a.id] = true;
    std::vector<Term> result;
    for (std::uint32_t id = 0; id <= last && id < wanted.size(); ++id)
        if (wanted[id]) result.push_back({id});
    return result;
}

Term Terms::substitute(Term root, const std::unordered_map<std::uint32_t, Term>& with) {
    std::unordered_map<std::uint32_t, Term> copy;
    const std::vector<Term> nodes = cone(std::span(&root, 1));
    for (const Term t : nodes) {
        if (const auto it = with.find(t.id); it != with.end()) {
            same_width(t, it->second, "substitute");
            copy.emplace(t.id, it->second);
            continue;
        }
        bool changed = false;
        std::vector<Term> operands;
        for (const Term a : args(t)) {
            operands.push_back(copy.at(a.id));
            changed = changed || operands.back() != a;
        }
        copy.emplace(t.id, changed ? rebuild(op(t), width(t), operands, low(t)) : t);
    }
    return copy.at(root.id);
}

Term Terms::rebuild(Op op, int width, std::span<const Term> args, int low) {
    switch (op) {
    case Op::constant:
    case Op::variable: break;
    case Op::bvnot: return bvnot(args[0]);
    case Op::bvand: return bvand(args[0], args[1]);
    case Op::bvor: return bvor(args[0], args[1]);
    case Op::bvxor: return bvxor(args[0], args[1]);
    case Op::bvneg: return bvneg(args[0]);
    case Op::bvadd: return bvadd(args);
    case Op::bvmul: return bvmul(args[0], args[1]);
    case Op::bvumax: return bvumax(args);
    case Op::bvshl: return bvshl(args[0], args[1]);
    case Op::bvlshr: return bvlshr(args[0], args[1]);
    case Op::bvashr: return bvashr(args[0], args[1]);
    case Op::bvult: return bvult(args[0], args[1]);
    case Op::eq: return eq(args[0], args[1]);
    case Op::ite: return ite(args[0], args[1], args[2]);
    case Op::concat: return concat(args[0], args[1]);
    case Op::extract: return extract(args[0], low, width);
    case Op::zero_extend: return zero_extend(args[0], width);
    case Op::sign_extend: return sign_extend(args[0], width);
    }
    throw std::logic_error("Terms: a leaf cannot be rebuilt");
}

Bits apply(Op op, int width, std::span<const Bits* const> args, int low) {
    const auto arg = [&args](std::size_t i) -> const Bits& { return *args[i]; };
    switch (op) {
    case Op::constant:
    case Op::variable: break;
    case Op::bvnot: return bvnot(arg(0));
    case Op::bvand: return bvand(arg(0), arg(1));
    case Op::bvor: return bvor(arg(0), arg(1));
    case Op::bvxor: return bvxor(arg(0), arg(1));
    case Op::bvneg: return bvneg(arg(0));
    case Op::bvadd: {
        Bits sum = arg(0);
        for (std::size_t i = 1; i < args.size(); ++i) sum = bvadd(sum, arg(i));
        return sum;
    }
    case Op::bvmul: return bvmul(arg(0), arg(1));
    case Op::bvumax: {
        const Bits* largest = args[0];
        for (const Bits* a : args.subspan(1))
            if (bvult(*largest, *a)) largest = a;
        return *largest;
    }
    case Op::bvshl: return bvshl(arg(0), arg(1));
    case Op::bvlshr: return bvlshr(arg(0), arg(1));
    case Op::bvashr: return bvashr(arg(0), arg(1));
    case Op::bvult: return Bits(1, bvult(arg(0), arg(1)) ? 1 : 0);
    case Op::eq: return Bits(1, arg(0) == arg(1) ? 1 : 0);
    case Op::ite: return arg(0).is_zero() ? arg(2) : arg(1);
    case Op::concat: return concat(arg(0), arg(1));
    case Op::extract: return extract(arg(0), low, width);
    case Op::zero_extend: return zero_extend(arg(0), width);
    case Op::sign_extend: return sign_extend(arg(0), width);
    }
    throw std::logic_error("apply: a leaf has no operands");
}

} // namespace discern
