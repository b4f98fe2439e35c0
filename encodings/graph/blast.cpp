// Words to gates: ripple-carry adders, barrel shifters, school multiplication. See gates.hpp.
#include "gates.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

const std::vector<Literal>& Blaster::bits(Term root) {
    if (const auto it = words_.find(root.id); it != words_.end()) return it->second;
    for (const Term t : terms_.cone(std::span(&root, 1)))
        if (!words_.contains(t.id)) {
            terms_.keep_to_time();
            words_.emplace(t.id, make(t));
        }
    return words_.at(root.id);
}

Blaster::Word Blaster::add(const Word& a, const Word& b, Literal carry) {
    Word result;
    for (std::size_t i = 0; i < a.size(); ++i) {
        result.push_back(gates_.make_xor(gates_.make_xor(a[i], b[i]), carry));
        carry = gates_.make_majority(a[i], b[i], carry);
    }
    return result;
}

Blaster::Word Blaster::reversed_if(Literal condition, Word word) {
    for (Literal& bit : word) bit = gates_.make_xor(condition, bit);
    return word;
}

std::optional<Blaster::Negated> Blaster::negated(Term t) const {
    const auto args = terms_.args(t);
    const auto is_negation = [&](Term x, Term of) { return terms_.op(x) == Op::bvneg && terms_.args(x)[0] == of; };
    switch (terms_.op(t)) {
    case Op::bvneg: return Negated{GateBuilder::yes, words_.at(args[0].id)};
    case Op::ite:
        if (is_negation(args[1], args[2])) return Negated{words_.at(args[0].id)[0], words_.at(args[2].id)};
        if (is_negation(args[2], args[1]))
            return Negated{GateBuilder::invert(words_.at(args[0].id)[0]), words_.at(args[1].id)};
        return std::nullopt;
    case Op::concat: { // 2^n times as much
        const auto is_zero = [](const Word& w) {
            return std::all_of(w.begin(), w.end(), [](Literal x) { return x == GateBuilder::no; });
        };
        const Word& low = words_.at(args[1].id);
        auto high = is_zero(low) ? negated(args[0]) : std::nullopt;
        if (high) high->word.insert(high->word.begin(), low.begin(), low.end());
        return high;
    }
    case Op::sign_extend: { // of what is no less than −2^(n − 1)
        auto inner = negated(args[0]);
        if (!inner || inner->word.back() != GateBuilder::no) return std::nullopt;
        inner->word.resize(static_cast<std::size_t>(terms_.width(t)), GateBuilder::no);
        return inner;
    }
    default: return std::nullopt;
    }
}

Blaster::Word Blaster::chained_sum(std::span<const Term> operands) {
    Word total;
    for (const Term t : operands) {
        const auto negative = negated(t);
        if (total.empty() && !negative) {
            total = words_.at(t.id);
            continue;
        }
        if (total.empty()) total.assign(negative->word.size(), GateBuilder::no);
        total = negative ? add(total, reversed_if(negative->condition, negative->word), negative->condition)
                         : add(total, words_.at(t.id), GateBuilder::no);
    }
    return total;
}

// In the order of the operands.
Blaster::Word Blaster::balanced_sum(std::vector<Word> words) {
    while (words.size() > 1) {
        std::vector<Word> next;
        for (std::size_t i = 0; i + 1 < words.size(); i += 2)
            next.push_back(add(words[i], words[i + 1], GateBuilder::no));
        if (words.size() % 2 != 0) next.push_back(words.back());
        words = std::move(next);
    }
    return words.front();
}

Literal Blaster::less(const Word& a, const Word& b) {
    Literal result = GateBuilder::no; // what the bits below say, unless this bit says otherwise
    for (std::size_t i = 0; i < a.size(); ++i) result = gates_.make_majority(GateBuilder::invert(a[i]), b[i], result);
    return result;
}

// A balanced tree, in the order of the operands.
Blaster::Word Blaster::maximum(std::vector<Word> words) {
    while (words.size() > 1) {
        std::vector<Word> next;
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
            const Literal second = less(words[i], words[i + 1]);
            Word larger;
            for (std::size_t j = 0; j < words[i].size(); ++j)
                larger.push_back(gates_.make_mux(second, words[i + 1][j], words[i][j]));
            next.push_back(std::move(larger));
        }
        if (words.size() % 2 != 0) next.push_back(words.back());
        words = std::move(next);
    }
    return words.front();
}

// One row of the school method for each bit of one operand.
Blaster::Word Blaster::product(const Word& a, const Word& b) {
    const auto length = [](const Word& w) {
        std::size_t n = w.size();
        while (n > 0 && w[n - 1] == GateBuilder::no) --n;
        return n;
    };
    const bool swap = layout_ == Layout::balanced && length(b) > length(a);
    const Word &row = swap ? b : a, &factor = swap ? a : b;
    Word result(a.size(), GateBuilder::no);
    for (std::size_t i = 0; i < length(factor); ++i) {
        Word summand(a.size(), GateBuilder::no);
        for (std::size_t j = 0; i + j < a.size(); ++j) summand[i + j] = gates_.make_and(factor[i], row[j]);
        result = add(result, summand, GateBuilder::no);
    }
    return result;
}

Blaster::Word Blaster::shifted(Op op, Word a, const Word& amount) {
    const std::size_t n = a.size();
    const Literal fill = op == Op::bvashr ? a.back() : GateBuilder::no;
    for (std::size_t stage = 0; stage < amount.size(); ++stage) {
        const std::size_t by = stage < 32 ? std::size_t{1} << stage : n;
        Word next(n);
        for (std::size_t i = 0; i < n; ++i) {
            Literal moved = fill;
            if (op == Op::bvshl)
                moved = i >= by ? a[i - by] : fill;
            else if (i + by < n)
                moved = a[i + by];
            next[i] = gates_.make_mux(amount[stage], moved, a[i]);
        }
        a = std::move(next);
    }
    return a;
}

Blaster::Word Blaster::make(Term t) {
    const auto args = terms_.args(t);
    const auto width = static_cast<std::size_t>(terms_.width(t));
    const auto arg = [&](std::size_t i) -> const Word& { return words_.at(args[i].id); };
    const auto bitwise = [&](auto gate) {
        Word result;
        for (std::size_t i = 0; i < width; ++i) result.push_back(gate(i));
        return result;
    };
    switch (terms_.op(t)) {
    case Op::constant:
        return bitwise([&](std::size_t i) {
            return terms_.value(t).bit(static_cast<int>(i)) ? GateBuilder::yes : GateBuilder::no;
        });
    case Op::variable: return bitwise([&](std::size_t) { return gates_.input(); });
    case Op::bvnot: return bitwise([&](std::size_t i) { return GateBuilder::invert(arg(0)[i]); });
    case Op::bvand: return bitwise([&](std::size_t i) { return gates_.make_and(arg(0)[i], arg(1)[i]); });
    case Op::bvor: return bitwise([&](std::size_t i) { return gates_.make_or(arg(0)[i], arg(1)[i]); });
    case Op::bvxor: return bitwise([&](std::size_t i) { return gates_.make_xor(arg(0)[i], arg(1)[i]); });
    case Op::bvneg: {
        const Word flipped = bitwise([&](std::size_t i) { return GateBuilder::invert(arg(0)[i]); });
        return add(flipped, Word(width, GateBuilder::no), GateBuilder::yes);
    }
    case Op::bvadd: {
        if (layout_ == Layout::chained) return chained_sum(args);
        std::vector<Word> words;
        for (std::size_t i = 0; i < args.size(); ++i) words.push_back(arg(i));
        return balanced_sum(std::move(words));
    }
    case Op::bvmul: return product(arg(0), arg(1));
    case Op::bvumax: {
        std::vector<Word> words;
        for (std::size_t i = 0; i < args.size(); ++i) words.push_back(arg(i));
        return maximum(std::move(words));
    }
    case Op::bvshl:
    case Op::bvlshr:
    case Op::bvashr: return shifted(terms_.op(t), arg(0), arg(1));
    case Op::bvult: return {less(arg(0), arg(1))};
    case Op::eq: {
        Literal equal = GateBuilder::yes;
        for (std::size_t i = 0; i < arg(0).size(); ++i)
            equal = gates_.make_and(equal, GateBuilder::invert(gates_.make_xor(arg(0)[i], arg(1)[i])));
        return {equal};
    }
    case Op::ite:
        if (const auto one = layout_ == Layout::chained ? negated(t) : std::nullopt)
            return add(reversed_if(one->condition, one->word), Word(width, GateBuilder::no), one->condition);
        return bitwise([&](std::size_t i) { return gates_.make_mux(arg(0)[0], arg(1)[i], arg(2)[i]); });
    case Op::concat: {
        Word result = arg(1);
        result.insert(result.end(), arg(0).begin(), arg(0).end());
        return result;
    }
    case Op::extract: {
        const auto first = arg(0).begin() + terms_.low(t);
        return {first, first + static_cast<std::ptrdiff_t>(width)};
    }
    case Op::zero_extend: {
        Word result = arg(0);
        result.resize(width, GateBuilder::no);
        return result;
    }
    case Op::sign_extend: {
        Word result = arg(0);
        result.resize(width, arg(0).back());
        return result;
    }
    }
    throw std::logic_error("Blaster: unknown kind of term");
}

} // namespace discern
