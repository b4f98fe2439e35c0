// A table of yosys' cells with the term of each.
#include "cells.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace discern::rtl {

namespace {

int size(const std::vector<Net>& bits) { return static_cast<int>(bits.size()); }

/// The cell's operands, widened as the language says.
struct Operands {
    const CellInputs& in;
    Terms& t = in.t;
    int y_width = size(in.cell.pin("Y"));

    bool is_signed(const char* pin) const { return in.cell.is_set(std::string(pin) + "_SIGNED"); }
    bool both_signed() const { return is_signed("A") && is_signed("B"); }
    Term fitted(Term x, int width, bool with_sign) const {
        if (t.width(x) >= width) return t.extract(x, 0, width);
        return with_sign ? t.sign_extend(x, width) : t.zero_extend(x, width);
    }
    Term word(const char* pin) const { return in.pin(pin); }
    Term word(const char* pin, int width, bool with_sign) const { return fitted(word(pin), width, with_sign); }
    /// The operand of an operation on one word.
    Term a() const { return word("A", y_width, is_signed("A")); }
    /// The operands of an operation on two words of the result's width.
    Term left() const { return word("A", y_width, both_signed()); }
    Term right() const { return word("B", y_width, both_signed()); }
    /// A bit as the result.
    Term truth(Term bit) const { return fitted(bit, y_width, false); }
    Term is_true(const char* pin) const { return t.bvnot(t.is_zero(word(pin))); }
};

using Compute = Term (*)(const Operands& o);

/// An operation on the two words of the result's width.
template <typename Operation>
Term on_both(const Operands& o, Operation operation) {
    const Term right = o.right();
    const Term left = o.left();
    return operation(left, right);
}

/// An operation on whether the two words are other than zero.
template <typename Operation>
Term of_truths(const Operands& o, Operation operation) {
    const Term right = o.is_true("B");
    const Term left = o.is_true("A");
    return o.truth(operation(left, right));
}

/// A comparison, at the width of the wider operand.
template <typename Compare>
Term compared(const Operands& o, Compare compare) {
    const Term a = o.word("A"), b = o.word("B");
    const int width = std::max(o.t.width(a), o.t.width(b));
    const Term right = o.fitted(b, width, o.both_signed());
    const Term left = o.fitted(a, width, o.both_signed());
    return o.truth(compare(left, right));
}
Term less(const Operands& o, Term x, Term y) { return o.both_signed() ? o.t.bvslt(x, y) : o.t.bvult(x, y); }

/// The left operand of a shift, at the width in which the language shifts it.
Term shifted_operand(const Operands& o, int extra = 0) {
    const bool with_sign = o.is_signed("A");
    return o.word("A", std::max(o.t.width(o.word("A")), o.y_width) + extra, with_sign);
}

Term shifted_left(const Operands& o) {
    const Term x = shifted_operand(o), by = o.word("B");
    return o.t.extract(o.t.bvshl(x, by), 0, o.y_width);
}

Term parity(Terms& t, Term x) {
    Term odd = t.bit(x, 0);
    for (int i = 1; i < t.width(x); ++i) odd = t.bvxor(odd, t.bit(x, i));
    return odd;
}

Term all_bits(Terms& t, Term x) { return t.eq(x, t.constant(Bits::ones(t.width(x)))); }

/// The number of the first variable on which a word depends; that of a constant is larger than all others.
std::uint32_t first_variable(const Terms& t, Term x) {
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (const Term y : t.cone(std::span(&x, 1)))
        if (t.op(y) == Op::variable) first = std::min(first, y.id);
    return first;
}

/// Where operands stay as they are written, a's factor is the first one, as in the reference circuit.
Term product(const Operands& o) {
    const Term x = o.left(), y = o.right();
    if (o.t.order() == Terms::Order::as_written && first_variable(o.t, y) < first_variable(o.t, x))
        return o.t.bvmul(y, x);
    return o.t.bvmul(x, y);
}

/// A shift to the right; with a negative amount, to the left.
Term shift(const Operands& o) {
    Terms& t = o.t;
    const Term x = shifted_operand(o), by = o.word("B");
    const Term right = t.extract(t.bvlshr(x, by), 0, o.y_width);
    if (!o.is_signed("B")) return right;
    const Term left = t.extract(t.bvshl(x, t.bvneg(by)), 0, o.y_width);
    return t.ite(t.bit(by, t.width(by) - 1), left, right);
}

/// Bits of a word from a computed position on. Bits beyond the word are open.
Term part_select(const Operands& o) {
    Terms& t = o.t;
    const Term x = o.word("A"), by = o.word("B");
    const int n = t.width(x), shift = t.width(by) - (o.is_signed("B") ? 1 : 0);
    const bool reaches_beyond = shift >= 31 || (1ll << shift) - 1 + o.y_width > n;
    if (!reaches_beyond && !o.is_signed("B")) return t.extract(t.bvlshr(x, by), 0, o.y_width);
    const std::string why = "the index of a part-select lies beyond the word " + o.in.cell.at();
    const Term beyond = o.in.any(o.y_width, why);
    const Term inside = t.extract(t.bvlshr(t.concat(o.in.any(o.y_width, why), x), by), 0, o.y_width);
    const int wide = std::max(t.width(by), 33);
    const Term end = t.constant(wide, static_cast<std::uint64_t>(n));
    const Term above = t.bvult(end, t.zero_extend(by, wide));
    const Term at_or_above = t.ite(above, beyond, inside);
    if (!o.is_signed("B")) return at_or_above;
    // Below the word: its lowest bits come higher, and what is below them is open.
    const Term back = t.bvneg(by), low = o.in.any(o.y_width, why);
    const Term high = o.in.any(o.y_width, why);
    Term word = t.extract(t.concat(high, x), 0, o.y_width);
    word = t.extract(t.bvshl(t.concat(word, low), back), o.y_width, o.y_width);
    const Term most = t.constant(wide, static_cast<std::uint64_t>(o.y_width));
    const Term far = t.bvult(most, t.zero_extend(back, wide));
    const Term below = t.ite(far, beyond, word);
    return t.ite(t.bit(by, t.width(by) - 1), below, at_or_above);
}

/// Division and remainder by a constant power of two; there is no other use for them in such units.
Term divided(const Operands& o, bool remainder) {
    Terms& t = o.t;
    const Term by = o.word("B");
    const bool fits = t.is_constant(by) && t.value(by).is_power_of_two() && !o.both_signed();
    if (!fits)
        throw Error(sentence("the design divides ", o.in.cell.at(),
                             "; only unsigned division by a constant power of two is read"));
    const int width = std::max(t.width(o.word("A")), o.y_width), shift = t.value(by).top();
    const Term x = o.word("A", width, false);
    Term result = t.bvlshr(x, t.constant(32, static_cast<std::uint64_t>(shift)));
    if (remainder)
        result = shift == 0 ? t.constant(width, 0) : shift >= width ? x : t.zero_extend(t.extract(x, 0, shift), width);
    return t.extract(result, 0, o.y_width);
}

/// One of several words, by a bit each. If two of the bits are set the language leaves the result open.
Term one_of_several(const Operands& o) {
    Terms& t = o.t;
    const Term words = o.word("B"), choices = o.word("S");
    Term result = o.word("A"), seen = t.truth(false), two = t.truth(false);
    for (int i = 0; i < t.width(choices); ++i) {
        const Term chosen = t.bit(choices, i);
        result = t.ite(chosen, t.extract(words, i * o.y_width, o.y_width), result);
        two = t.bvor(two, t.bvand(seen, chosen));
        seen = t.bvor(seen, chosen);
    }
    // Cases that are different constants exclude each other.
    std::vector<Term> selectors, constants;
    for (int i = 0; i < t.width(choices); ++i) {
        const Term chosen = t.bit(choices, i);
        if (t.op(chosen) != Op::eq) break;
        const auto args = t.args(chosen);
        const std::size_t constant = t.is_constant(args[0]) ? 0 : 1;
        if (!t.is_constant(args[constant])) break;
        if (!selectors.empty() && selectors.front() != args[1 - constant]) break;
        selectors.push_back(args[1 - constant]);
        constants.push_back(args[constant]);
    }
    std::sort(constants.begin(), constants.end());
    const bool exclusive = static_cast<int>(constants.size()) == t.width(choices) &&
                           std::adjacent_find(constants.begin(), constants.end()) == constants.end();
    if (exclusive || two == t.truth(false)) return result;
    return t.ite(two, o.in.any(o.y_width, "two cases of a parallel case hold at once " + o.in.cell.at()), result);
}

/// A power. Of 2 it is a shift; the others are of constants.
Term power(const Operands& o) {
    Terms& t = o.t;
    const Term base = o.word("A", o.y_width, o.is_signed("A")), exponent = o.word("B");
    const Term one = t.constant(o.y_width, 1);
    const Term negative = o.is_signed("B") ? t.bit(exponent, t.width(exponent) - 1) : t.truth(false);
    if (base == t.constant(o.y_width, 2) && o.y_width > 1) {
        const Term shifted = t.bvshl(one, exponent);
        return t.ite(negative, t.constant(o.y_width, 0), shifted);
    }
    constexpr int most = 64;
    const bool fits = negative == t.truth(false) && t.is_constant(exponent) && t.value(exponent).top() < 7 &&
                      t.value(exponent).low() <= most;
    if (!fits)
        throw Error(sentence("the design has a power ", o.in.cell.at(), "; only those of 2, and to constants up to ",
                             most, ", are read"));
    Term result = one;
    for (std::uint64_t i = 0; i < t.value(exponent).low(); ++i) result = t.bvmul(result, base);
    return result;
}

/// One of 2^n words, by a number.
Term word_of_many(const Operands& o) {
    Terms& t = o.t;
    const int width = size(o.in.cell.pin("Y"));
    std::vector<Term> words;
    const Term all = o.word("A"), number = o.word("S");
    for (int i = 0; i < t.width(all); i += width) words.push_back(t.extract(all, i, width));
    for (int i = 0; i < t.width(number); ++i) {
        std::vector<Term> half;
        for (std::size_t w = 0; w + 1 < words.size(); w += 2)
            half.push_back(t.ite(t.bit(number, i), words[w + 1], words[w]));
        words = std::move(half);
    }
    return words.front();
}

/// A word in one of 2^n places, by a number; the others are 0.
Term one_place_of_many(const Operands& o) {
    Terms& t = o.t;
    const Term word = o.word("A"), number = o.word("S"), zero = t.constant(t.width(word), 0);
    Term all = t.ite(t.is_zero(number), word, zero);
    for (std::uint64_t i = 1; t.width(all) < o.y_width; ++i)
        all = t.concat(t.ite(t.eq(number, t.constant(t.width(number), i)), word, zero), all);
    return all;
}

struct Kind {
    const char* type;
    std::array<const char*, 3> pins; ///< that are read
    Compute compute;
};

constexpr auto kinds = std::to_array<Kind>({
    {"$pos", {"A"}, [](const Operands& o) { return o.a(); }},
    {"$not", {"A"}, [](const Operands& o) { return o.t.bvnot(o.a()); }},
    {"$neg", {"A"}, [](const Operands& o) { return o.t.bvneg(o.a()); }},
    {"$add", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvadd(x, y); }); }},
    {"$sub", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvsub(x, y); }); }},
    {"$mul", {"A", "B"}, product},
    {"$div", {"A", "B"}, [](const Operands& o) { return divided(o, false); }},
    {"$mod", {"A", "B"}, [](const Operands& o) { return divided(o, true); }},
    {"$and", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvand(x, y); }); }},
    {"$or", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvor(x, y); }); }},
    {"$xor", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvxor(x, y); }); }},
    {"$xnor", {"A", "B"}, [](const Operands& o) { return on_both(o, [&](Term x, Term y) { return o.t.bvnot(o.t.bvxor(x, y)); }); }},
    {"$reduce_and", {"A"}, [](const Operands& o) { return o.truth(all_bits(o.t, o.word("A"))); }},
    {"$reduce_or", {"A"}, [](const Operands& o) { return o.truth(o.is_true("A")); }},
    {"$reduce_bool", {"A"}, [](const Operands& o) { return o.truth(o.is_true("A")); }},
    {"$reduce_xor", {"A"}, [](const Operands& o) { return o.truth(parity(o.t, o.word("A"))); }},
    {"$reduce_xnor", {"A"}, [](const Operands& o) { return o.truth(o.t.bvnot(parity(o.t, o.word("A")))); }},
    {"$logic_not", {"A"}, [](const Operands& o) { return o.truth(o.t.bvnot(o.is_true("A"))); }},
    {"$logic_and", {"A", "B"}, [](const Operands& o) { return of_truths(o, [&](Term x, Term y) { return o.t.bvand(x, y); }); }},
    {"$logic_or", {"A", "B"}, [](const Operands& o) { return of_truths(o, [&](Term x, Term y) { return o.t.bvor(x, y); }); }},
    {"$eq", {"A", "B"}, [](const Operands& o) { return compared(o, [&](Term x, Term y) { return o.t.eq(x, y); }); }},
    {"$ne",
     {"A", "B"},
     [](const Operands& o) { return compared(o, [&](Term x, Term y) { return o.t.bvnot(o.t.eq(x, y)); }); }},
    {"$lt", {"A", "B"}, [](const Operands& o) { return compared(o, [&](Term x, Term y) { return less(o, x, y); }); }},
    {"$gt", {"A", "B"}, [](const Operands& o) { return compared(o, [&](Term x, Term y) { return less(o, y, x); }); }},
    {"$ge",
     {"A", "B"},
     [](const Operands& o) { return compared(o, [&](Term x, Term y) { return o.t.bvnot(less(o, x, y)); }); }},
    {"$le",
     {"A", "B"},
     [](const Operands& o) { return compared(o, [&](Term x, Term y) { return o.t.bvnot(less(o, y, x)); }); }},
    {"$shl",
     {"A", "B"},
     [](const Operands& o) { return shifted_left(o); }},
    {"$sshl",
     {"A", "B"},
     [](const Operands& o) { return shifted_left(o); }},
    {"$shr",
     {"A", "B"},
     [](const Operands& o) { 
         const Term x = shifted_operand(o), by = o.word("B");
         return o.t.extract(o.t.bvlshr(x, by), 0, o.y_width);
     }},
    {"$sshr",
     {"A", "B"},
     [](const Operands& o) {
         const Term x = shifted_operand(o), by = o.word("B");
         return o.t.extract(o.is_signed("A") ? o.t.bvashr(x, by) : o.t.bvlshr(x, by), 0, o.y_width);
     }},
    {"$shift", {"A", "B"}, shift},
    {"$shiftx", {"A", "B"}, part_select},
    {"$mux", {"A", "B", "S"}, [](const Operands& o) { 
         const Term a = o.word("A"), b = o.word("B"), s = o.word("S");
         return o.t.ite(s, b, a);
     }},
    {"$pmux", {"A", "B", "S"}, one_of_several},
    {"$bmux", {"A", "S"}, word_of_many},
    {"$demux", {"A", "S"}, one_place_of_many},
    {"$bwmux", {"A", "B", "S"}, [](const Operands& o) {
         const Term s = o.word("S");
         const Term b = o.t.bvand(o.word("B"), s);
         return o.t.bvor(o.t.bvand(o.word("A"), o.t.bvnot(s)), b);
     }},
    {"$pow", {"A", "B"}, power},
});

/// Types of cells that are refused, and why; each is a prefix.
struct Refused {
    const char* type;
    const char* why;
};
constexpr auto refused = std::to_array<Refused>({
    {"$dlatch", "a latch"},
    {"$adlatch", "a latch"},
    {"$sr", "a latch"},
    {"$dffsr", "a register that is set and reset asynchronously"},
    {"$aldff", "a register that is loaded asynchronously"},
    {"$mem", "a memory"},
    {"$tribuf", "a tristate driver"},
    {"$any", "a free variable of formal verification"},
    {"$all", "a free variable of formal verification"},
    {"$initstate", "a formal construct"},
});

const Kind* kind_of(const Cell& cell) {
    const auto* const found =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return cell.type == kind.type; });
    return found == kinds.end() ? nullptr : found;
}

} // namespace

Term cell_term(const CellInputs& in) { return kind_of(in.cell)->compute(Operands{in}); }

std::vector<std::string> inputs_of(const Cell& cell) {
    std::vector<std::string> pins;
    for (const char* const pin : kind_of(cell)->pins)
        if (pin != nullptr) pins.emplace_back(pin);
    return pins;
}

bool is_register(const Cell& cell) { return cell.type == "$dff" || cell.type == "$adff"; }

void require_known(const Cell& cell, const std::string& drives) {
    const std::string what = drives.empty() ? "" : ", which drives " + excerpt(drives);
    if (!cell.type.starts_with("$"))
        throw Error(sentence("the design has an instance of module ", excerpt(cell.type), " ", cell.at(),
                             ", which is a black box; give the file that defines it"));
    for (const Refused& row : refused)
        if (cell.type.starts_with(row.type))
            throw Error(sentence("the design has ", row.why, " ", cell.at(), what, "; this is not read"));
    for (const auto& [pin, bits] : cell.pins)
        if (bits.empty())
            throw Error(sentence("the design has a word without bits ", cell.at(), what, "; this is not read"));
    if (kind_of(cell) == nullptr && !is_register(cell))
        throw Error(sentence("the design has a cell of type ", cell.type, " ", cell.at(), what,
                             "; cells of this type are not read"));
}

} // namespace discern::rtl
