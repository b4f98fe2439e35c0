// Bins as bits of the reference circuit over words, of which an observer sees the stages.
#include "bins.hpp"

#include "certificate/circuit/unit.hpp"
#include "encodings/datapath/word_domain.hpp"
#include "models/error.hpp"
#include "models/unit/tree_shape.hpp"

#include <map>
#include <type_traits>
#include <utility>

namespace discern::coverage {

namespace {

using rtl::WordDomain;
using Word = WordDomain::Word;
using Special = circuit::Number<WordDomain>::Special;

/// How many terms a child of a fuse stands for.
int terms_of(const Child& child, int L) {
    const auto& kind = child.get().kind;
    if (const auto* product = std::get_if<Product>(&kind)) return count(product->which, L);
    if (const auto* group = std::get_if<Group>(&kind)) return count(group->which, L / group->size);
    return 1;
}

/// Collects the bits of all bins while the circuit is made. Names of sums and of terms are those of `explain`: the
/// skeleton is the recorded walk of any vector, which visits the same sums and roundings in the same order.
class BinBits {
  public:
    BinBits(WordDomain& domain, Terms& terms, const Unit& unit, const explain::Trace& skeleton, Conditions& all)
        : d_(domain), t_(terms), unit_(unit), skeleton_(skeleton), all_(all) {}

    void begin_block(int index) {
        block_ = static_cast<std::size_t>(index);
        at_ = 0;
        leaves_.clear();
        leaf_nan_ = d_.zero();
    }
    void product(int, int k, const circuit::ProductStages<WordDomain>& s) { leaf("p" + std::to_string(k), s.result); }
    void group(int i, const Group& leaf_of, const circuit::GroupStages<WordDomain>& s) {
        leaf("g" + std::to_string((static_cast<int>(block_) * unit_.L) / leaf_of.size + i), s.result);
    }
    void accumulator(const circuit::AccumulatorStages<WordDomain>& s) {
        leaf(skeleton_.blocks[block_].accumulator, s.result);
    }

    void sum(const Fuse& fuse, const circuit::SumStages<WordDomain>& s) {
        const auto& step = std::get<explain::Sum>(skeleton_.blocks[block_].steps[at_++]);
        specials(s.result.special);
        const Term finite = d_.bit_not(d_.bit_or(nan_, infinite_));
        const auto put = [&](const std::string& term, Event event, Term bit) {
            this->put(step.name, term, event, bit);
        };
        const auto when = [&](Term bit) { return d_.bit_and(finite, bit); };

        int F = 0;
        for (const auto& x : s.aligned) F = std::max(F, x.F);
        std::vector<const Child*> children;
        for (const Child& child : fuse.children)
            for (int n = terms_of(child, unit_.L); n > 0; --n) children.push_back(&child);
        const Term total = d_.word(s.total).term;
        const int width = t_.width(total);
        Term any_nonzero = d_.zero(), lost = d_.zero(), digits = t_.constant(width, 0);
        for (std::size_t i = 0; i < s.aligned.size(); ++i) {
            const auto& x = s.aligned[i];
            const std::string& term = step.terms[i].name;
            const Child& child = *children[i];
            const Term kept = d_.any(x.magnitude), nonzero = d_.bit_or(kept, x.changed);
            any_nonzero = d_.bit_or(any_nonzero, nonzero);
            lost = d_.bit_or(lost, x.changed);
            if (x.magnitude.width > 0)
                digits = t_.bvor(digits, d_.resize(d_.concat(x.magnitude, d_.constant(0, F - x.F)), width).term);
            if (child.F || child.drop) {
                put(term, Event::cut, when(x.changed));
                put(term, Event::gone, when(d_.bit_and(nonzero, d_.bit_not(kept))));
            }
            const Term at_top = i < s.maximum.ranks.size() ? t_.eq(s.maximum.ranks[i], s.maximum.word.term) : d_.one();
            put(term, Event::largest, when(d_.bit_and(nonzero, at_top)));
            const auto found = leaves_.find(term);
            if (found == leaves_.end()) continue;
            const circuit::Number<WordDomain>& leaf = found->second;
            const Term is_nan = nan_of(leaf.special), is_infinite = infinite_of(leaf.special);
            leaf_nan_ = d_.bit_or(leaf_nan_, is_nan);
            if (child.zero.kind != ZeroExponent::Kind::ignore)
                put(term, Event::zero_largest,
                    when(d_.bit_and(d_.bit_and(d_.bit_not(nonzero), s.takes_part[i]), at_top)));
            put(term, Event::zero,
                t_.bvand(d_.bit_not(d_.any(leaf.magnitude)), d_.bit_not(d_.bit_or(is_nan, is_infinite))));
            put(term, Event::infinite, d_.bit_and(is_infinite, d_.bit_not(is_nan)));
            put(term, Event::nan, is_nan);
        }
        if (fuse.floor) {
            Term above = d_.one(); // no ranks: all exponents are the floor
            for (std::size_t i = 0; i < s.aligned.size(); ++i) {
                const Term lower =
                    s.maximum.ranks.empty() ? d_.zero() : t_.bvult(s.maximum.ranks[i], s.maximum.ranks.back());
                above = d_.bit_and(above, d_.bit_or(lower, d_.bit_not(s.takes_part[i])));
            }
            put("", Event::floor, when(above));
        }
        put("", Event::all_zero, when(d_.bit_not(any_nonzero)));

        // The first digit of x is above that of y where y < (x and not y).
        const auto above = [&](Term x, Term y) { return t_.bvult(y, t_.bvand(x, t_.bvnot(y))); };
        Term magnitude = d_.negate_if(t_.bit(total, width - 1), {total, width}).term;
        if (fuse.sticky) { // one more digit says that something was lost
            magnitude = t_.concat(magnitude, lost);
            digits = t_.concat(digits, d_.zero());
        }
        const Term some = d_.bit_not(t_.is_zero(digits)), zero = t_.is_zero(magnitude);
        const Term there = when(d_.bit_and(some, d_.bit_not(zero)));
        put("", Event::carry, d_.bit_and(there, above(magnitude, digits)));
        put("", Event::cancel, d_.bit_and(there, above(digits, magnitude)));
        put("", Event::cancelled, when(d_.bit_and(some, zero)));
        if (fuse.carry) put("", Event::wraps, when(d_.bit_not(t_.eq(t_.sign_extend(s.sum.term, width), total))));
    }

    void round(const Round& rule, const circuit::RoundStages<WordDomain>& s) {
        const auto& step = std::get<explain::RoundStep>(skeleton_.blocks[block_].steps[at_++]);
        const Format& f = format(rule.format);
        const int m = f.mantissa_bits;
        const auto put = [&](Event event, Term bit) { this->put(step.name, "", event, bit); };
        const Term finite = d_.bit_not(d_.bit_or(nan_, infinite_));
        const Term number = d_.bit_and(finite, d_.bit_not(s.zero));
        const auto when = [&](Term bit) { return d_.bit_and(number, bit); };
        const Term guard = d_.bit(s.limited, 0), odd = d_.bit(s.limited, 1), rest = s.sticky;
        const Term half = d_.bit_and(guard, d_.bit_not(rest));
        put(Event::exact, when(d_.bit_and(d_.bit_not(guard), d_.bit_not(rest))));
        put(Event::below_half, when(d_.bit_and(d_.bit_not(guard), rest)));
        put(Event::tie_even, when(d_.bit_and(half, d_.bit_not(odd))));
        put(Event::tie_odd, when(d_.bit_and(half, odd)));
        put(Event::above_half, when(d_.bit_and(guard, rest)));
        const Term carried = d_.bit(s.significand, m + 1);
        const Term hidden = d_.any(d_.slice(s.significand, m, 2)), nothing = d_.bit_not(d_.any(s.significand));
        put(Event::next_binade, when(carried));
        const Term left = when(d_.bit_not(d_.bit_or(nothing, s.flushed)));
        if (f.has_subnormals()) {
            put(Event::to_normal, d_.bit_and(left, d_.bit_and(s.tiny, hidden)));
            put(Event::subnormal, d_.bit_and(left, d_.bit_not(hidden)));
        }
        put(Event::underflow, when(nothing));
        put(Event::flushed, when(d_.bit_and(s.flushed, d_.bit_not(nothing))));
        if (!f.is_fixed_point()) put(Event::overflow, when(s.overflow));
        if (f.has_minus_zero()) {
            const Term minus = d_.bit(s.pattern, f.width - 1), exact_zero = d_.bit_and(finite, s.zero);
            put(Event::plus_zero, d_.bit_and(exact_zero, d_.bit_not(minus)));
            put(Event::minus_zero, d_.bit_and(exact_zero, minus));
        }
        const Term certain = d_.bit_and(infinite_, d_.bit_not(nan_));
        put(Event::plus_infinity, d_.bit_and(certain, d_.bit_not(minus_)));
        put(Event::minus_infinity, d_.bit_and(certain, minus_));
        put(Event::operand_nan, nan_);
        if (step.name == "d") put(Event::opposite, d_.bit_and(nan_, d_.bit_not(leaf_nan_)));
        // What a rounding or a sum above reads.
        if (step.name != "d") specials(circuit::read(d_, f, s.pattern).special);
    }

    void end_block(const Word&) {}
    void last(const circuit::SumStages<WordDomain>&, const circuit::RoundStages<WordDomain>&) {}

  private:
    Term nan_of(const Special& s) { return d_.bit_or(s.nan, s.tentative_nan); }
    Term infinite_of(const Special& s) {
        return d_.bit_or(d_.bit_or(s.plus, s.minus), d_.bit_or(s.tentative_plus, s.tentative_minus));
    }
    void specials(const Special& s) {
        nan_ = nan_of(s);
        infinite_ = infinite_of(s);
        minus_ = d_.bit_or(s.minus, s.tentative_minus);
    }
    void leaf(const std::string& name, const circuit::Number<WordDomain>& number) {
        leaves_.insert_or_assign(name, number);
        specials(number.special);
    }
    void put(const std::string& node, const std::string& term, Event event, Term bit) {
        if (bit == t_.truth(false)) return;
        all_.bins.push_back({block_, node, term, event});
        all_.hit.push_back(bit);
    }

    WordDomain& d_;
    Terms& t_;
    const Unit& unit_;
    const explain::Trace& skeleton_;
    Conditions& all_;
    std::size_t block_ = 0, at_ = 0;
    std::map<std::string, circuit::Number<WordDomain>> leaves_;
    Term nan_, infinite_, minus_, leaf_nan_; ///< of the number that was made last
};

} // namespace

Conditions::Conditions(const Unit& unit) : terms(Terms::Order::as_written) {
    validate(unit);
    if (has_scaled_sums(unit.tree)) // whose NaN and infinities are not those of the rounding before
        throw Error(
            "coverage: events of sums that are multiplied by scales after they were rounded are not counted; a unit "
            "without @[scaled] is right");
    inputs = input_variables(terms, unit);
    const std::vector<std::uint64_t> row(static_cast<std::size_t>(unit.K), 0),
        scales(static_cast<std::size_t>(unit.scales()), 0);
    const explain::Trace skeleton = explain::trace(unit, {.a = row, .b = row, .sa = scales, .sb = scales, .c = 0});
    WordDomain domain(terms);
    BinBits observer(domain, terms, unit, skeleton, *this);
    circuit::unit_circuit(domain, unit, operands(domain, inputs), observer);
}

} // namespace discern::coverage
