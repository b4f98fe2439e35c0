#include "datapath.hpp"

#include "word_domain.hpp"

#include "certificate/circuit/unit.hpp"
#include "encodings/flags.hpp"

namespace discern::rtl {

namespace {

using Word = WordDomain::Word;
using Number = circuit::Number<WordDomain>;
using Integer = circuit::Integer<WordDomain>;

/// Gives names to the wires of each stage of the circuit once it is there.
class NamedWires {
  public:
    NamedWires(WordDomain& domain, const Unit& unit, std::vector<Datapath::Line>& lines)
        : domain_(domain), lines_(lines), has_blocks_(unit.blocks() > 1) {}

    void begin_block(int index) {
        block_ = index;
        in_block_ = has_blocks_ ? "b" + std::to_string(index) + "_" : "";
        sums_ = roundings_ = 0;
    }

    void product(int l, int k, const circuit::ProductStages<WordDomain>& s) {
        const std::string number = std::to_string(k);
        begin("p" + std::to_string(l), "product " + number + ": a" + number + " * b" + number +
                                           ", exact, magnitude * 2^(exponent - fraction bits)");
        wire("a_significand", s.a.magnitude);
        wire("b_significand", s.b.magnitude);
        wire("negative", s.exact.negative);
        wire("magnitude", s.significands);
        count("exponent", s.exact.base);
        wire("nan", s.exact.special.nan);
        wire("plus_infinity", s.exact.special.plus);
        wire("minus_infinity", s.exact.special.minus);
        wire("over", s.over, "the product reaches its limit");
        normal(s.normal);
    }

    void group(int i, const Group& leaf, const circuit::GroupStages<WordDomain>& s) {
        begin("g" + std::to_string(i), "group " + std::to_string(i) + ": " + std::to_string(leaf.size) +
                                           " products in fixed point, times their scales");
        for (std::size_t l = 0; l < s.products.size(); ++l) {
            wire("negative" + std::to_string(l), s.negative[l]);
            wire("product" + std::to_string(l), s.products[l], "in units of 2^" + std::to_string(s.lsb));
        }
        wire("sum", s.total, "two's complement");
        wire("magnitude", s.magnitude);
    }

    void accumulator(const circuit::AccumulatorStages<WordDomain>& s) {
        begin("c", block_ == 0 ? "the accumulator" : "the accumulator: the block before");
        wire("significand", s.operand.magnitude);
        count("exponent", s.operand.base);
        normal(s.normal);
    }

    void sum(const Fuse&, const circuit::SumStages<WordDomain>& s) {
        const std::string number = std::to_string(sums_++);
        begin("f" + number, "sum " + number + ": " + std::to_string(s.aligned.size()) +
                                " terms aligned at the largest exponent E, rounded there, and added exactly");
        sum_wires(s);
    }

    void round(const Round& rule, const circuit::RoundStages<WordDomain>& s) {
        const std::string number = std::to_string(roundings_++);
        begin("r" + number, "rounding " + number + " to " + std::string(format(rule.format).name));
        round_wires(s);
        wire("pattern", s.pattern);
    }

    void end_block(const Word& d) {
        prefix_ = in_block_;
        if (has_blocks_) wire("d", d, "what block " + std::to_string(block_) + " hands on");
    }

    void last(const circuit::SumStages<WordDomain>& s, const circuit::RoundStages<WordDomain>& rounding) {
        in_block_.clear();
        begin("last", "c, added at the end by one IEEE addition");
        sum_wires(s);
        prefix_ = "last_r_";
        round_wires(rounding);
    }

  private:
    /// From now on wires are of this node.
    void begin(const std::string& node, const std::string& heading) {
        prefix_ = in_block_ + node + "_";
        lines_.push_back({"", heading, {}, false});
    }

    void wire(const std::string& name, Term term, const std::string& comment = "") {
        lines_.push_back({prefix_ + name, comment, term, false});
    }
    void wire(const std::string& name, const Word& word, const std::string& comment = "") {
        if (word.width > 0) wire(name, word.term, comment);
    }
    /// A number that counts from its lower bound.
    void count(const std::string& name, const Integer& x, const std::string& what = "") {
        wire(name, x.bits, what + "above " + std::to_string(x.low));
    }
    void normal(const WordDomain::Normalised& x) {
        for (std::size_t i = 0; i < x.stages.size(); ++i)
            wire("normal_by" + std::to_string(1u << (x.stages.size() - 1 - i)), x.stages[i]);
    }

    void sum_wires(const circuit::SumStages<WordDomain>& s) {
        const std::vector<Term>& ranks = s.maximum.ranks;
        for (std::size_t i = 0; i < ranks.size(); ++i) wire("rank" + std::to_string(i), ranks[i]);
        for (std::size_t round = 0; round < s.maximum.rounds.size(); ++round)
            for (std::size_t i = 0; i < s.maximum.rounds[round].size(); ++i)
                wire("most" + std::to_string(round) + "_" + std::to_string(i), s.maximum.rounds[round][i]);
        count("E", s.E, "the largest exponent, ");
        for (std::size_t i = 0; i < s.aligned.size(); ++i) {
            const std::string number = std::to_string(i);
            wire("shift" + number, s.aligned[i].amount, "E − its exponent");
            wire("shifted" + number, s.aligned[i].shifted);
            wire("aligned" + number, s.total.signed_terms[i],
                 "two's complement, in units of 2^(E − " + std::to_string(s.aligned[i].F) + ")");
        }
        wire("sum", domain_.word(s.total), "two's complement");
        lines_.back().begins_stage = true;
        wire("negative", s.result.negative);
        wire("magnitude", s.result.magnitude, "in units of 2^(E − " + std::to_string(s.result.fraction_bits) + ")");
        lines_.back().begins_stage = true;
        wire("plus_zero", s.result.seen_plus, "if it is zero: some term was +");
        wire("minus_zero", s.result.seen_minus, "… some term was −");
        wire("nan", domain_.bit_or(s.result.special.nan, s.result.special.tentative_nan));
    }

    void round_wires(const circuit::RoundStages<WordDomain>& s) {
        wire("zero", s.zero);
        normal(s.normal);
        wire("leading_zeros", s.normal.leading_zeros);
        count("top", s.top, "the highest bit's exponent, ");
        wire("tiny", s.tiny, "below the normal numbers");
        wire("limited", s.limited, "the significand, its lsb limited, and the guard bit");
        wire("rest", s.sticky, "something is below");
        wire("significand", s.significand, "rounded");
        count("exponent", s.exponent);
        wire("flushed", s.flushed);
        wire("overflow", s.overflow);
        wire("infinite", s.infinite);
        wire("finite", s.finite, "the result unless it is infinite or NaN");
    }

    WordDomain& domain_;
    std::vector<Datapath::Line>& lines_;
    bool has_blocks_;
    int block_ = 0, sums_ = 0, roundings_ = 0;
    std::string in_block_, prefix_;
};

} // namespace

Datapath::Datapath(const Unit& unit, std::optional<Tininess> flags) {
    validate(unit);
    inputs = input_variables(terms, unit);
    if (flags) {
        d = encode_flags(terms, unit, inputs, *flags);
        return;
    }
    WordDomain domain(terms);
    NamedWires names(domain, unit, lines);
    d = circuit::unit_circuit(domain, unit, operands(domain, inputs), names).term;
}

} // namespace discern::rtl
