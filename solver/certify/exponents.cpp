#include "exponents.hpp"

#include "proof/parts.hpp"

#include "certificate/reference.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace discern::certificate {

namespace {

constexpr std::size_t most_cases = 8;

/// A sum as far as it matters here.
struct Sum {
    Integer E;
    int top; ///< the weight of the highest bit of its magnitude is 2^(E + top)
};

/// Notes the sums of a circuit in their order.
class SumsOf : public circuit::NoObserver<GateDomain> {
  public:
    void sum(const Fuse&, const circuit::SumStages<GateDomain>& stages) { enter(stages.result); }
    void last(const circuit::SumStages<GateDomain>& stages, const circuit::RoundStages<GateDomain>&) {
        enter(stages.result);
    }
    std::vector<Sum> sums;

  private:
    void enter(const Number& x) { sums.push_back({x.base, GateDomain::width(x.magnitude) - 1 - x.fraction_bits}); }
};

std::vector<Sum> sums_of(Netlist& n, const Unit& unit) {
    GateDomain d(n);
    SumsOf seen;
    circuit::unit_circuit(d, unit, operands(n, unit), seen);
    return std::move(seen.sums);
}

/// Of a sum, by how much its exponent is above that of the other unit's sum, and by how much more leading zeros it has.
struct Difference {
    int E = 0, zeros = 0;
};

/// The gates of a unit, and beside those of its sums what another unit has there whose exponents are lower.
class Lowered : public GateDomain {
  public:
    Lowered(Netlist& n, const std::vector<Difference>& sums) : GateDomain(n), n_(n), sums_(sums) {}

    Bits lemmas; ///< what helps to show what the other unit has,
    Bits beside; ///< … and this

    Maximum maximum(const std::vector<Bits>& words, const Bits& takes_part) {
        amount_ = sum_ < sums_.size() ? sums_[sum_].E : 0; // until the terms of the sum are added
        ++sum_;
        return GateDomain::maximum(words, takes_part);
    }
    Total total(int width) {
        amount_ = 0;
        return GateDomain::total(width);
    }
    /// An amount is E less a term's exponent, and then a constant more. The last two are those of the next shift.
    Bits subtract(const Bits& x, const Bits& y) { return last_difference_ = GateDomain::subtract(x, y); }
    Bits add(const Bits& x, const Bits& y) {
        last_addend_ = y;
        return GateDomain::add(x, y);
    }
    /// The number that is rounded next is the last sum, or none.
    void begin_number(bool is_sum) { zeros_ = is_sum && sum_ <= sums_.size() ? sums_[sum_ - 1].zeros : 0; }

    Shifted shift_right(const Bits& x, const Bits& amount) {
        if (amount_ == 0) return GateDomain::shift_right(x, amount);
        if (width(last_difference_) == width(amount) && width(last_addend_) == width(amount)) {
            // The same constant less: before the other one is added, and after that.
            const Bits less = constant(static_cast<std::uint64_t>(-static_cast<std::int64_t>(amount_)), width(amount));
            const Bits before = GateDomain::add(last_difference_, less);
            for (const Bits& word : {before, GateDomain::add(before, last_addend_), GateDomain::add(amount, less)})
                lemmas.insert(lemmas.end(), word.begin(), word.end());
        }
        Shifted result{x, no};
        Literal borrow = no;
        for (int stage = 0; stage < width(amount); ++stage) {
            const Bits one = {bit(amount, stage)};
            Shifted next = GateDomain::shift_right(result.word, concat(one, constant(0, stage)));
            result = {std::move(next.word), n_.make_or(result.sticky, next.sticky)};
            borrow = lower_bit(one.front(), amount_, stage, borrow);
            const int by = stage < 30 ? std::min(1 << (stage + 1), width(x)) : width(x);
            note(mux(borrow, slice(result.word, by, width(x)), result.word));
        }
        return result;
    }

    Normalised normalise(const Bits& x) {
        const int zeros = std::exchange(zeros_, 0), w = width(x);
        if (zeros == 0) return GateDomain::normalise(x);
        const int stages = x.empty() ? 0 : bits_for(w - 1);
        Normalised result{x, constant(0, stages)};
        for (int stage = stages; stage-- > 0;) {
            const int by = 1 << stage;
            const Literal shifts = invert(any(slice(result.word, w - by, by)));
            result.word = mux(shifts, slice(result.word, -by, w), result.word);
            result.leading_zeros[static_cast<std::size_t>(stage)] = shifts;
            // Whether the other's number of zeros is in a lower multiple of 2^stage.
            const int rest = zeros & (by - 1);
            const Literal borrow = any(slice(result.word, w - rest, rest));
            for (int i = 0; i < std::min(by, w); ++i) lemmas.push_back(n_.make_and(borrow, bit(result.word, i)));
            note(mux(borrow, slice(result.word, by - rest, w), slice(result.word, -rest, w)));
        }
        Literal borrow = no;
        for (int stage = 0; stage < stages; ++stage)
            borrow = lower_bit(bit(result.leading_zeros, stage), zeros, stage, borrow);
        return result;
    }

  private:
    static int bits_for(int most) { return circuit::bits_for(most); }

    /// A bit of a number less a constant. @return whether the subtraction borrows from the next one
    Literal lower_bit(Literal own, int constant, int stage, Literal borrow) {
        const Literal of_constant = stage < 31 && ((constant >> stage) & 1) != 0 ? yes : no;
        lemmas.push_back(n_.make_xor(n_.make_xor(own, of_constant), borrow));
        const Literal next = n_.make_majority(invert(own), of_constant, borrow);
        lemmas.push_back(next);
        return next;
    }
    void note(const Bits& word) { beside.insert(beside.end(), word.begin(), word.end()); }

    Netlist& n_;
    const std::vector<Difference>& sums_;
    std::size_t sum_ = 0;
    Bits last_difference_, last_addend_;
    int amount_ = 0, zeros_ = 0;
};

static_assert(circuit::Domain<Lowered>);

/// Notes which gates subtract exponents from those of sums.
class Differences : public GateDomain {
  public:
    explicit Differences(Netlist& n) : GateDomain(n), n_(n) {}

    std::vector<bool> marked; ///< by node

    Maximum maximum(const std::vector<Bits>& words, const Bits& takes_part) {
        Maximum result = GateDomain::maximum(words, takes_part);
        begin();
        return result;
    }
    Shifted shift_right(const Bits& x, const Bits& amount) {
        marked.resize(n_.nodes().size(), begun_);
        Shifted result = GateDomain::shift_right(x, amount);
        if (begun_) begin();
        return result;
    }
    Total total(int width) {
        begun_ = false;
        return GateDomain::total(width);
    }

  private:
    void begin() {
        marked.resize(n_.nodes().size());
        begun_ = true;
    }
    Netlist& n_;
    bool begun_ = false;
};

class WhatIsRounded : public circuit::NoObserver<Lowered> {
  public:
    explicit WhatIsRounded(Lowered& d) : d_(d) {}
    void product(int, int, const circuit::ProductStages<Lowered>&) { d_.begin_number(false); }
    void group(int, const Group&, const circuit::GroupStages<Lowered>&) { d_.begin_number(false); }
    void accumulator(const circuit::AccumulatorStages<Lowered>&) { d_.begin_number(false); }
    void sum(const Fuse&, const circuit::SumStages<Lowered>&) { d_.begin_number(true); }
    void round(const Round&, const circuit::RoundStages<Lowered>&) { d_.begin_number(false); }

  private:
    Lowered& d_;
};

/// @param lemmas  what is compared with other gates, or else all
Netlist lowered_circuit(const Unit& unit, const std::vector<Difference>& sums, bool lemmas) {
    Netlist n(input_bits(unit), true);
    Lowered d(n, sums);
    WhatIsRounded observer(d);
    const Operands plain = operands(n, unit);
    const circuit::Operands<Lowered> in{plain.a, plain.b, plain.sa, plain.sb, plain.c};
    Bits roots = circuit::unit_circuit(d, unit, in, observer);
    const Bits& more = lemmas ? d.lemmas : d.beside;
    roots.insert(roots.end(), more.begin(), more.end());
    return without_unused(n, roots);
}

/// By node of a miter of two units: whether it is a gate that subtracts exponents.
std::vector<bool> differences_of_exponents(const Unit& one, const Unit& other, bool shared) {
    Netlist n(input_bits(one), shared);
    Differences d(n);
    const Operands plain = operands(n, one);
    const circuit::Operands<Differences> in{plain.a, plain.b, plain.sa, plain.sb, plain.c};
    circuit::NoObserver<Differences> observer;
    Bits results;
    for (const Unit* unit : {&one, &other}) {
        const Bits result = circuit::unit_circuit(d, *unit, in, observer);
        results.insert(results.end(), result.begin(), result.end());
    }
    d.marked.resize(n.nodes().size());
    return marks_without_unused(d.marked, results, n);
}

/// The values of an exponent in 64 vectors.
std::vector<int> values_of(const Integer& x, std::span<const std::uint64_t> values) {
    std::vector<int> list(64, x.low);
    for (std::size_t bit = 0; bit < x.bits.size(); ++bit)
        for (std::size_t v = 0; v < 64; ++v)
            list[v] += static_cast<int>((value_of(values, x.bits[bit]) >> v) & 1u) << bit;
    return list;
}

/// How often which differences occur, sum by sum: first minus second.
std::map<std::vector<int>, std::size_t> differences(const Netlist& n, const std::vector<Sum>& first,
                                                    const std::vector<Sum>& second,
                                                    const std::vector<std::vector<std::uint64_t>>& vectors) {
    std::map<std::vector<int>, std::size_t> seen;
    for (const auto& words : vectors) {
        const std::vector<std::uint64_t> values = simulate(n, std::span(words).first(n.inputs()));
        std::vector<std::vector<int>> rows(64);
        for (std::size_t s = 0; s < first.size(); ++s) {
            const std::vector<int> a = values_of(first[s].E, values), b = values_of(second[s].E, values);
            for (std::size_t v = 0; v < 64; ++v) rows[v].push_back(a[v] - b[v]);
        }
        for (const auto& row : rows) ++seen[row];
    }
    return seen;
}

/// Whether lower + by == upper.
Literal is_lower_by(GateDomain& d, const Integer& lower, const Integer& upper, int by) {
    const int width = circuit::bits_for(std::max(lower.high, upper.high) - std::min(lower.low, upper.low - by));
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(upper.low) - by - lower.low);
    const Bits right = d.add(d.resize(upper.bits, width), d.constant(offset, width));
    Bits equal;
    for (int i = 0; i < width; ++i)
        equal.push_back(d.bit_not(d.bit_xor(d.bit(d.resize(lower.bits, width), i), d.bit(right, i))));
    return d.all(equal);
}

} // namespace

bool is_exact(const Node& node) {
    if (const auto* round = std::get_if<Round>(&node.kind)) return is_exact(round->get());
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    return fuse == nullptr || std::all_of(fuse->children.begin(), fuse->children.end(),
                                          [](const Child& child) { return !child.F && is_exact(child.get()); });
}

std::vector<Case> cases_of_exponents(const Unit& one, const Unit& other,
                                     const std::vector<std::vector<std::uint64_t>>& vectors, bool shared) {
    if (!is_exact(one.tree) || !is_exact(other.tree)) return {};
    Netlist both(input_bits(one), true);
    const std::vector<Sum> first = sums_of(both, one), second = sums_of(both, other);
    if (first.size() != second.size() || first.empty()) return {};
    std::vector<Case> cases;
    const auto seen = differences(both, first, second, vectors);
    if (seen.size() > most_cases) return {};
    const std::vector<bool> of_exponents = differences_of_exponents(one, other, shared);
    for (const auto& [apart, count] : seen) {
        const auto [least, most] = std::minmax_element(apart.begin(), apart.end());
        if (*least == *most && *least == 0) continue;
        if (*least < 0 && *most > 0) continue;
        const bool second_is_above = *least < 0;
        const auto &lower = second_is_above ? first : second, &upper = second_is_above ? second : first;
        Netlist n = both;
        GateDomain d(n);
        Bits hold;
        std::vector<Difference> of_sums;
        for (std::size_t s = 0; s < apart.size(); ++s) {
            const int by = std::abs(apart[s]);
            hold.push_back(is_lower_by(d, lower[s].E, upper[s].E, by));
            of_sums.push_back({by, std::max(0, by + upper[s].top - lower[s].top)});
        }
        Bits root = {d.all(hold)};
        Case next{without_unused(n, root), no};
        next.holds = root.front();
        const Unit& above = second_is_above ? other : one;
        next.between = {2, [above, of_sums](std::size_t i) { return lowered_circuit(above, of_sums, i == 0); }};
        next.between.exchanges = false;
        next.between.of_sums = of_exponents;
        next.between.from_last = second_is_above;
        cases.push_back(std::move(next));
    }
    return cases;
}

} // namespace discern::certificate
