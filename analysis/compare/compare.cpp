// Two programs on one unit: the claim "never farther" in both directions, and errors measured on random inputs.
#include "compare.hpp"

#include "evaluate.hpp"
#include "nearer.hpp"

#include "analysis/property/numbers.hpp"
#include "analysis/property/prove.hpp"
#include "analysis/property/search.hpp"
#include "models/error.hpp"
#include "models/stimulus/stimulus.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace discern::compare {

namespace {

using property::Claim;
using property::Claims;
using property::Models;
using property::Verdict;
using property::Witness;

/// Both programs and the judge, by one of the models.
struct Model {
    Model(const std::array<Program, 2>& programs, const Setting& setting, const Shape& shape, Models::Which which)
        : first(evaluator_of(programs[0], setting, which)), second(evaluator_of(programs[1], setting, which)),
          judge(shape, which) {}

    std::array<std::uint64_t, 2> results(const Inputs& inputs) const { return {first(inputs), second(inputs)}; }
    Nearer nearer(const Inputs& inputs) const {
        const auto [d1, d2] = results(inputs);
        return judge(inputs, d1, d2);
    }

    ProgramEvaluator first, second;
    Judge judge;
};

/// Smaller numbers in inputs: those of a program matter where words, corrections and their sum are far apart.
void spread_out(const Setting& setting, Vector& x, Random& random) {
    const auto keep_few_bits = [&](const Format& f, std::uint64_t bits) {
        const int cut = random.below(f.mantissa_bits + 1);
        return random.one_in(2) ? bits : bits & ~((1ull << cut) - 1);
    };
    const int range = random.between(1, 12);
    const auto near_one = [&](const Format& f) {
        const Decoded number{.negative = random.one_in(2),
                             .significand =
                                 (1ull << f.mantissa_bits) | (random.bits() & ((1ull << f.mantissa_bits) - 1)),
                             .exponent = std::clamp(random.between(-range, range), f.emin(), f.emax() - 1)};
        return keep_few_bits(f, pack(f, number));
    };
    for (std::uint64_t& a : x.a) a = near_one(format(setting.a));
    for (std::uint64_t& b : x.b) b = near_one(format(setting.b));
    if (x.c) x.c = random.one_in(4) ? 0 : near_one(format(setting.c));
    for (std::size_t k = 0; k < x.a.size(); ++k)
        if (random.one_in(3)) x.a[k] = 0;
}

class Comparison {
  public:
    Comparison(const std::array<Program, 2>& programs, const Setting& setting, const CompareOptions& options)
        : programs_(programs), setting_(setting), options_(options), limits_(options.limits),
          shape_(setting.shape(common_result(programs, setting))), reference_(unit_of_shape(shape_)),
          evaluator_(std::make_shared<Model>(programs, setting, shape_, Models::Which::evaluator)),
          oracle_(std::make_shared<Model>(programs, setting, shape_, Models::Which::oracle)) {
        limits_.finite = true;
        require_operands(limits_, reference_);
    }

    /// Asks whether program `which`, 0 or 1, is never farther from the exact result.
    NeverFarther ask(std::size_t which, double seconds) const {
        const auto start = Limit::Clock::now();
        NeverFarther answer = asked(which, Limit::after(seconds, options_.stop));
        answer.seconds = seconds_since(start);
        return answer;
    }

  private:
    Claims claims(std::size_t which) const {
        Claim claim;
        claim.state = [this, which](Terms& t, const InputTerms& x) {
            property::Statement s;
            s.first = encode(t, programs_[0], setting_, x);
            s.second = encode(t, programs_[1], setting_, x);
            s.assume = allowed(t, limits_, reference_, x);
            s.violated =
                second_is_nearer(t, shape_, x, which == 0 ? s.first : s.second, which == 0 ? s.second : s.first);
            return s;
        };
        const Nearer other = which == 0 ? Nearer::second : Nearer::first;
        claim.violated = [this, other](const Models& models, const Vector& x, const Vector&) {
            const Inputs inputs = x.inputs();
            if (!allows(limits_, reference_, inputs)) return false;
            return (models.which() == Models::Which::oracle ? *oracle_ : *evaluator_).nearer(inputs) == other;
        };
        claim.propose = [this](Vector& x, Vector&, Random& random) {
            if (random.one_in(2)) spread_out(setting_, x, random);
        };
        return {{reference_}, 0, {std::move(claim)}};
    }

    NeverFarther asked(std::size_t which, const Limit& limit) const {
        const Claims all = claims(which);
        const Models models(all.units, Models::Which::evaluator);
        const Limit searching = limit.share(0.5);
        if (const auto w = property::search(all, models, options_.seed, options_.tries, searching))
            return refuted(all, models, *w, "random");
        if (const auto known = theorem(which)) return {Verdict::proved, {}, {}, known->by, known->ground, 0};
        if (!options_.ask_solvers) return {};
        const property::Proved proved =
            property::prove(reference_, all.all.front(), {options_.seed, options_.second}, limit);
        if (proved.witness) return refuted(all, models, *proved.witness, proved.by);
        if (proved.outcome != Outcome::unsat) return {};
        return {Verdict::proved, {}, {}, proved.by, proved.ground, 0};
    }

    /// The theorem that settles the claim without a solver: both compute the same, or this one always computes a number
    /// nearest to the exact sum. Which NaN a unit gives is irrelevant to both.
    std::optional<property::Basis> theorem(std::size_t which) const {
        Setting setting = setting_;
        setting.unit.nan = {};
        Terms t;
        const InputTerms x = input_variables(t, reference_);
        const Term own = encode(t, programs_[which], setting, x);
        if (own == encode(t, programs_[1 - which], setting, x))
            return property::Basis{"terms, both are the same computation", by_terms};
        Round nearest = property::plain_rounding(reference_, Rounding::rne);
        for (const bool zero_sign : {true, false})
            for (const bool underflow : {true, false}) {
                nearest.zsign_ieee = zero_sign;
                nearest.usign_keep = underflow;
                if (own == discern::encode(t, property::exact_unit(reference_, nearest), x))
                    return property::Basis{"terms, it is the exact sum rounded to nearest",
                                           property::of_terms("rounded-to-nearest")};
            }
        return std::nullopt;
    }

    NeverFarther refuted(const Claims& all, const Models& models, const Witness& found, const std::string& by) const {
        const Witness w = property::shrunk(all, models, found, by);
        NeverFarther answer{Verdict::refuted, w.x, {}, by, {}, 0};
        const Inputs inputs = answer.vector->inputs();
        const auto [d1, d2] = evaluator_->results(inputs);
        const std::array exactly = oracle_->results(inputs);
        const Format& d = format(shape_.d);
        if (!property::alike(d, d1, exactly[0], property::Zeros::by_sign) ||
            !property::alike(d, d2, exactly[1], property::Zeros::by_sign))
            throw std::logic_error("the evaluators disagree on a program: " + programs_[0].text + " | " +
                                   programs_[1].text + " " + to_json(shape_, *answer.vector));
        answer.errors = {evaluator_->judge.error_in_ulp(inputs, d1), evaluator_->judge.error_in_ulp(inputs, d2)};
        answer.vector->d = {d1, d2};
        answer.vector->d_is_list = true;
        return answer;
    }

    const std::array<Program, 2>& programs_;
    const Setting& setting_;
    const CompareOptions& options_;
    InputLimits limits_;
    Shape shape_;
    Unit reference_; ///< of the inputs; its sum is exact
    std::shared_ptr<Model> evaluator_, oracle_;
};

} // namespace

FormatId common_result(const std::array<Program, 2>& programs, const Setting& setting) {
    require_usable(setting);
    const FormatId first = result_of(programs[0], setting), second = result_of(programs[1], setting);
    if (first != second)
        throw Error(sentence("compare: the results are ", format(first).name, " and ", format(second).name,
                             "; FORMAT(…) around one of them makes them equal"));
    return first;
}

std::array<NeverFarther, 2> compare(const std::array<Program, 2>& programs, const Setting& setting,
                                    const CompareOptions& options) {
    const Comparison comparison(programs, setting, options);
    const Limit limit = Limit::after(options.timeout, options.stop);
    std::array<NeverFarther, 2> answers;
    answers[0] = comparison.ask(0, limit.seconds_left() / 2);
    answers[1] = comparison.ask(1, limit.seconds_left());
    return answers;
}

} // namespace discern::compare
