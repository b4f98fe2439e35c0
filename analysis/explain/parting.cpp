// Compares two traces step by step and says of the first difference what it is and why.
#include "parting.hpp"

#include "models/unit/sentence.hpp"

#include <array>
#include <utility>

namespace discern::explain {

namespace {

std::string power(int exponent) { return sentence("2^", exponent); }

/// "down to 2^-10", "whole".
std::string how_far(const Term& term) {
    return term.lsb ? sentence("down to ", power(*term.lsb)) : std::string("whole");
}

std::string lost(const Term& term) {
    if (term.dropped) return "drops " + term.name;
    if (term.lost.is_zero()) return "keeps " + term.name + " whole";
    if (term.kept.is_zero()) return "loses " + term.name + " to the last bit";
    const bool gains = term.lost.negative != term.value.negative;
    return sentence(gains ? "rounds " : "truncates ", term.name, gains ? " away from zero by " : " by ", [&] {
        Number amount = term.lost;
        amount.negative = false;
        return amount.text();
    }());
}

std::string why_E(const Sum& sum) {
    if (!sum.E) return "with no exponent to align to";
    return sentence("aligned to E = ", *sum.E, " (from ", sum.E_from, sum.E_raised ? ", in steps)" : ")");
}

class Comparison {
  public:
    Comparison(const Trace& first, const Trace& second, const std::string& first_name, const std::string& second_name)
        : traces_{&first, &second}, names_{&first_name, &second_name} {}

    std::optional<Parting> run() {
        const Trace &x = *traces_[0], &y = *traces_[1];
        if (x.d == y.d) return std::nullopt;
        const bool alike = x.blocks.size() == y.blocks.size() && x.blocks.front().elements == y.blocks.front().elements;
        if (!alike) return other_blocks();
        for (std::size_t i = 0; i < x.blocks.size(); ++i) {
            block_ = i;
            if (x.blocks[i].result == y.blocks[i].result && x.blocks[i].accumulator == y.blocks[i].accumulator)
                continue;
            return in_block(x.blocks[i], y.blocks[i]);
        }
        if (x.result.kind == Number::Kind::nan && y.result.kind == Number::Kind::nan)
            return made(Parting::What::last, "", "", "both give NaN, of other bits");
        return made(Parting::What::last, "", "",
                    sentence("the blocks agree; ", both(x.result.text(), y.result.text()),
                             x.c_last != y.c_last ? ", since one of them adds c at the end" : ""));
    }

  private:
    /// "A gives this, B that".
    std::string both(const std::string& first, const std::string& second, std::string_view verb = "gives") const {
        return sentence(*names_[0], " ", verb, " ", first, ", ", *names_[1], " ", second);
    }
    std::string each(const std::string& first, const std::string& second) const {
        return sentence(*names_[0], " ", first, ", ", *names_[1], " ", second);
    }

    Parting made(Parting::What what, std::string step, std::string term, std::string sentence) const {
        return {what, block_, std::move(step), std::move(term), std::move(sentence)};
    }

    Parting other_blocks() const {
        const auto at_once = [](const Trace& t) {
            return sentence("adds ", t.blocks.front().elements.size(), " products at once",
                            t.blocks.size() == 1 ? "" : sentence(", in ", t.blocks.size(), " blocks"));
        };
        return made(Parting::What::shape, "", "", each(at_once(*traces_[0]), at_once(*traces_[1])));
    }

    Parting in_block(const Block& x, const Block& y) const {
        if (x.accumulator != y.accumulator)
            return made(Parting::What::shape, "", "", both(x.accumulator, y.accumulator, "begins the block with"));
        if (const bool alike = same_steps(x, y); !alike)
            return made(Parting::What::shape, "", "",
                        sentence("they do other steps: ", both(steps_of(x), steps_of(y), "does")));
        for (std::size_t i = 0; i < x.steps.size(); ++i) {
            const auto* sum = std::get_if<Sum>(&x.steps[i]);
            const auto found = sum != nullptr
                                   ? in_sum(*sum, std::get<Sum>(y.steps[i]))
                                   : in_rounding(std::get<RoundStep>(x.steps[i]), std::get<RoundStep>(y.steps[i]));
            if (found) return *found;
        }
        return made(Parting::What::rounding, "d", "", both(x.result.text(), y.result.text(), "stores"));
    }

    static bool same_steps(const Block& x, const Block& y) {
        if (x.steps.size() != y.steps.size()) return false;
        for (std::size_t i = 0; i < x.steps.size(); ++i) {
            if (x.steps[i].index() != y.steps[i].index()) return false;
            const auto* one = std::get_if<Sum>(&x.steps[i]);
            if (one == nullptr) continue;
            const Sum& other = std::get<Sum>(y.steps[i]);
            if (one->terms.size() != other.terms.size()) return false;
            for (std::size_t t = 0; t < one->terms.size(); ++t)
                if (one->terms[t].name != other.terms[t].name) return false;
        }
        return true;
    }
    static std::string steps_of(const Block& block) {
        std::size_t sums = 0, rounds = 0;
        for (const Step& step : block.steps) ++(std::holds_alternative<Sum>(step) ? sums : rounds);
        return sentence(sums, sums == 1 ? " sum and " : " sums and ", rounds, rounds == 1 ? " rounding" : " roundings");
    }

    std::optional<Parting> in_sum(const Sum& x, const Sum& y) const {
        if (x.result == y.result) return std::nullopt;
        for (std::size_t i = 0; i < x.terms.size(); ++i)
            if (x.terms[i].value != y.terms[i].value)
                return made(
                    Parting::What::reading, x.name, x.terms[i].name,
                    both(x.terms[i].value.text(), y.terms[i].value.text(), sentence("reads ", x.terms[i].name, " as")));
        for (std::size_t i = 0; i < x.terms.size(); ++i) {
            const Term &one = x.terms[i], &other = y.terms[i];
            if (one.kept == other.kept) continue;
            std::string why;
            if (x.E != y.E)
                why = sentence("the sum is ", why_E(x), " on ", *names_[0], " and ", why_E(y), " on ", *names_[1]);
            else if (one.lsb != other.lsb)
                why = sentence("terms are kept ", how_far(one), " on ", *names_[0], " and ", how_far(other), " on ",
                               *names_[1]);
            else if (one.mode != other.mode)
                why = sentence("terms are rounded by ", name(one.mode), " on ", *names_[0], " and by ",
                               name(other.mode), " on ", *names_[1]);
            return made(Parting::What::alignment, x.name, one.name,
                        sentence(each(lost(one), lost(other)), why.empty() ? "" : ": ", why));
        }
        if (x.value == y.value)
            return made(Parting::What::sum, x.name, "",
                        sentence("the sum is ", x.value.text(), ", and ",
                                 both(x.result.text(), y.result.text(), "holds"), ": a register wraps"));
        if (x.ones != y.ones)
            return made(Parting::What::sum, x.name, "",
                        sentence(both(x.value.text(), y.value.text(), "adds up to"),
                                 ": terms of the other sign are inverted on one of them"));
        return made(Parting::What::sum, x.name, "", both(x.value.text(), y.value.text(), "adds up to"));
    }

    std::optional<Parting> in_rounding(const RoundStep& x, const RoundStep& y) const {
        if (x.result == y.result) return std::nullopt;
        const auto how = [](const RoundStep& r) {
            return sentence(r.result.text(), " (", format(r.rule.format).name, " ", name(r.rule.mode), ")");
        };
        return made(Parting::What::rounding, x.name, "",
                    sentence("of the sum ", x.operand.text(), " ", both(how(x), how(y), "makes")));
    }

    std::array<const Trace*, 2> traces_;
    std::array<const std::string*, 2> names_;
    std::size_t block_ = 0;
};

} // namespace

std::string_view name(Parting::What what) {
    constexpr std::array<std::string_view, 6> names = {"shape", "reading", "alignment", "sum", "rounding", "last"};
    return names[static_cast<std::size_t>(what)];
}

std::optional<Parting> parting(const Trace& first, const Trace& second, const std::string& first_name,
                               const std::string& second_name) {
    return Comparison(first, second, first_name, second_name).run();
}

} // namespace discern::explain
