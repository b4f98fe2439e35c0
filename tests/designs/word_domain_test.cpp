// The operations of the reference circuit are the same in gates and in words, on all values of small widths, 0
// included.
#include "encodings/datapath/word_domain.hpp"

#include "certificate/circuit/gates.hpp"
#include "encodings/graph/term_eval.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace discern::rtl::testing {
namespace {

using circuit::Bit;

/// Every operation, of two words of one width, an amount and two bits.
template <circuit::Domain D>
std::vector<circuit::Word<D>> results(D& d, const circuit::Word<D>& x, const circuit::Word<D>& y,
                                      const circuit::Word<D>& amount, Bit<D> p, Bit<D> q) {
    std::vector<circuit::Word<D>> list;
    const int width = d.width(x);
    const auto add_bit = [&](Bit<D> bit) { list.push_back(d.repeat(bit, 1)); };
    add_bit(d.bit_not(p));
    add_bit(d.bit_and(p, q));
    add_bit(d.bit_or(p, q));
    add_bit(d.bit_or(d.bit_and(p, q), d.bit_and(p, d.bit_not(q))));
    add_bit(d.bit_or(d.bit_and(q, p), d.bit_and(d.bit_not(p), q)));
    add_bit(d.bit_or(d.bit_and(q, p), d.bit_and(d.bit_not(p), d.bit_not(q))));
    add_bit(d.bit_xor(p, q));
    add_bit(d.mux(p, q, d.one()));
    for (int i = 0; i < width; ++i) add_bit(d.bit(x, i));
    list.push_back(d.constant(0xb, width));
    list.push_back(d.repeat(p, width));
    for (const int lsb : {-3, -1, 0, 1, 5})
        for (const int count : {0, 1, 3, 6}) list.push_back(d.slice(x, lsb, count));
    for (const int wanted : {0, 2, 7}) list.push_back(d.resize(x, wanted));
    list.push_back(d.concat(x, amount));
    add_bit(d.any(x));
    add_bit(d.all(x));
    list.push_back(d.word_or(x, y));
    list.push_back(d.mux(p, x, y));
    list.push_back(d.mask(p, x));
    list.push_back(d.add(x, y));
    list.push_back(d.subtract(x, y));
    list.push_back(d.increment(x, p));
    list.push_back(d.negate_if(p, x));
    add_bit(d.less(x, y));
    list.push_back(d.multiply(x, y));
    list.push_back(d.shift_left(x, amount));
    const circuit::Shifted<D> shifted = d.shift_right(x, amount);
    list.push_back(shifted.word);
    add_bit(shifted.sticky);
    const circuit::Normalised<D> normal = d.normalise(x); // of a zero: anything
    list.push_back(d.mask(d.any(x), normal.word));
    list.push_back(d.mask(d.any(x), normal.leading_zeros));
    // If none of them takes part, no word is smaller than the maximum.
    const circuit::Maximum<D> maximum = d.maximum({x, y}, {p, q});
    list.push_back(d.mask(d.bit_or(p, q), maximum.word));
    add_bit(d.bit_or(d.bit_or(p, q), d.bit_or(d.less(x, maximum.word), d.less(y, maximum.word))));
    circuit::Total<D> total = d.total(width + 4);
    d.add_signed(total, x, p, 1);
    list.push_back(d.word(total));
    d.add_signed(total, y, q, 0);
    d.add_word(total, d.resize(amount, width + 4));
    list.push_back(d.word(total));
    return list;
}

/// The value of each result, of gates and of words, on every value of the operands; the first one that differs.
std::string difference(int width, int amount_width) {
    const int bits = 2 * width + amount_width + 2;
    certificate::Netlist netlist(static_cast<std::size_t>(bits));
    certificate::GateDomain gates(netlist);
    certificate::Bits inputs;
    for (int i = 0; i < bits; ++i) inputs.push_back(netlist.input(static_cast<std::size_t>(i)));
    const auto gate_word = [&](int first, int count) { return certificate::GateDomain::slice(inputs, first, count); };
    const auto in_gates =
        results(gates, gate_word(0, width), gate_word(width, width), gate_word(2 * width, amount_width),
                inputs[static_cast<std::size_t>(bits - 2)], inputs[static_cast<std::size_t>(bits - 1)]);

    Terms terms(Terms::Order::as_written);
    WordDomain words(terms);
    const Term input = terms.variable("in", bits);
    const auto term_word = [&](int first, int count) { return words.slice(words.word(input), first, count); };
    const auto in_words =
        results(words, term_word(0, width), term_word(width, width), term_word(2 * width, amount_width),
                terms.bit(input, bits - 2), terms.bit(input, bits - 1));
    if (in_gates.size() != in_words.size()) return "not as many results";
    std::vector<Term> roots = {input};
    for (const WordDomain::Word& word : in_words)
        if (word.width > 0) roots.push_back(word.term);
    TermEvaluator evaluator(terms, roots);
    for (std::uint64_t value = 0; value < std::uint64_t{1} << bits; ++value) {
        std::vector<std::uint64_t> values;
        for (int i = 0; i < bits; ++i) values.push_back((value >> i) & 1u);
        const auto nodes = certificate::simulate(netlist, values);
        evaluator.set(input, value);
        evaluator.run();
        for (std::size_t i = 0; i < in_gates.size(); ++i) {
            if (static_cast<int>(in_gates[i].size()) != in_words[i].width)
                return "result " + std::to_string(i) + " has another width";
            std::uint64_t number = 0;
            for (std::size_t k = 0; k < in_gates[i].size(); ++k)
                number |= (certificate::value_of(nodes, in_gates[i][k]) & 1u) << k;
            if (in_words[i].width > 0 && evaluator.low(in_words[i].term) != number)
                return "result " + std::to_string(i) + " on " + std::to_string(value);
        }
    }
    return "";
}

TEST(WordDomain, ComputesWhatGatesDo) {
    for (int width = 0; width <= 4; ++width)
        for (int amount = 0; amount <= 3; ++amount)
            EXPECT_EQ(difference(width, amount), "") << "width " << width << ", amount of " << amount << " bits";
}

} // namespace
} // namespace discern::rtl::testing
