// Programs evaluated twice, on numbers and as terms, by one walk with two sets of operations.
#include "evaluate.hpp"

#include "run.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace discern::compare {

namespace {

using property::Models;

/// Units in a row, each one's accumulator being the result of the one before; what the last one lacks is +0.
/// @param one  of an instruction: its elements of both operands, and c
template <typename Number, typename One>
Number chained(const Unit& unit, const std::vector<Number>& x, const std::vector<Number>& y, Number c,
               const Number& zero_a, const Number& zero_b, One one) {
    const auto K = static_cast<std::size_t>(unit.K);
    for (std::size_t from = 0; from < x.size(); from += K) {
        std::vector<Number> a(K, zero_a), b(K, zero_b);
        const auto count = static_cast<std::ptrdiff_t>(std::min(K, x.size() - from));
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(from), count, a.begin());
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(from), count, b.begin());
        c = one(a, b, c);
    }
    return c;
}

/// Numbers as patterns.
class BitPatterns {
  public:
    using Number = std::uint64_t;
    explicit BitPatterns(Models::Which which) : which_(which) {}

    static std::uint64_t pattern(const Format&, std::uint64_t bits) { return bits; }

    auto operation(const Unit& unit) {
        return [this, &unit, evaluator = evaluator_of(unit)](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
            return computed(unit, evaluator, {.a = {&x, 1}, .b = {&y, 1}, .sa = {}, .sb = {}, .c = z});
        };
    }

    std::vector<std::uint64_t> mma(const Unit& unit, const std::vector<std::uint64_t>& x,
                                   const std::vector<std::uint64_t>& y, const std::vector<std::uint64_t>& c) {
        const Evaluator* evaluator = evaluator_of(unit);
        return {
            chained<std::uint64_t>(unit, x, y, c.front(), 0, 0, [&](const auto& a, const auto& b, std::uint64_t from) {
                return computed(unit, evaluator, {.a = a, .b = b, .sa = {}, .sb = {}, .c = from});
            })};
    }

  private:
    std::uint64_t computed(const Unit& unit, const Evaluator* evaluator, const Inputs& inputs) const {
        return evaluator != nullptr ? (*evaluator)(inputs) : evaluate_exactly(unit, inputs);
    }

    /// One for each unit, kept from run to run; none for the oracle.
    const Evaluator* evaluator_of(const Unit& unit) {
        if (which_ == Models::Which::oracle) return nullptr;
        for (const auto& [known, evaluator] : evaluators_)
            if (known == unit) return &evaluator;
        return &evaluators_.emplace_back(unit, Evaluator(unit)).second;
    }

    Models::Which which_;
    std::deque<std::pair<Unit, Evaluator>> evaluators_;
};

/// Numbers as terms.
class AsTerms {
  public:
    using Number = Term;
    explicit AsTerms(Terms& t) : t_(t) {}

    Term pattern(const Format& f, std::uint64_t bits) { return t_.constant(f.width, bits); }

    auto operation(const Unit& unit) {
        return [this, &unit](Term x, Term y, Term z) {
            return discern::encode(t_, unit, {{x}, {y}, {}, {}, unit.c ? std::optional(z) : std::nullopt});
        };
    }

    std::vector<Term> mma(const Unit& unit, const std::vector<Term>& x, const std::vector<Term>& y,
                          const std::vector<Term>& c) {
        const auto one = [&](const std::vector<Term>& a, const std::vector<Term>& b, Term from) {
            return discern::encode(t_, unit, {a, b, {}, {}, from});
        };
        const Term zero_a = pattern(format(unit.a), 0), zero_b = pattern(format(unit.b), 0);
        return {chained<Term>(unit, x, y, c.front(), zero_a, zero_b, one)};
    }

  private:
    Terms& t_;
};

} // namespace

ProgramEvaluator evaluator_of(Program program, const Setting& setting, Models::Which which) {
    result_of(program, setting); // an error comes before any numbers
    return [program = std::move(program), setting,
            domain = std::make_shared<BitPatterns>(which)](const Inputs& inputs) {
        const auto list = [](std::span<const std::uint64_t> numbers) {
            return std::vector<std::uint64_t>(numbers.begin(), numbers.end());
        };
        return Run<BitPatterns>(*domain, setting)(program, list(inputs.a), list(inputs.b), {inputs.c}).numbers.front();
    };
}

Term encode(Terms& t, const Program& program, const Setting& setting, const InputTerms& inputs) {
    AsTerms domain(t);
    return Run<AsTerms>(domain, setting)(program, inputs.a, inputs.b, {inputs.c.value()}).numbers.front();
}

} // namespace discern::compare
