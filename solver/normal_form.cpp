// See normal_form.hpp.
#include "normal_form.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace discern {

namespace {

class Simplifier {
  public:
    explicit Simplifier(const Unit& unit) : unit_(unit) {}

    void simplify(Node& node, bool below_round) const {
        if (auto* round = std::get_if<Round>(&node.kind)) {
            if (auto* sum = std::get_if<Fuse>(&round->get().kind)) lower_all(*sum, lowest_exponent(round->get()));
            simplify(round->get(), true);
            simplify(*round);
        }
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) {
            for (Child& child : fuse->children) simplify(child.get(), false);
            if (below_round) simplify(*fuse);
        }
    }

  private:
    /// Removes what cannot reach `lowest`, the smallest exponent of anything below the round that is not zero, from
    /// this fuse and those below it: a sum of zeros has then a lower exponent, or none, and whoever aligns it beside
    /// something that is not zero has an exponent of at least `lowest` all the same.
    void lower_all(Fuse& fuse, int lowest) const {
        if (fuse.floor && *fuse.floor <= lowest) fuse.floor.reset();
        for (Child& child : fuse.children) {
            if (const auto zero = zero_exponent(child); zero && *zero <= lowest) child.zero = {};
            if (auto* below = std::get_if<Fuse>(&child.get().kind)) lower_all(*below, lowest);
        }
    }

    void simplify(Fuse& fuse) const {
        const bool uses_exponent = std::any_of(fuse.children.begin(), fuse.children.end(),
                                               [](const Child& child) { return child.F || child.drop; });
        if (!uses_exponent) {
            fuse.floor.reset();
            for (Child& child : fuse.children) {
                child.zero = {};
                if (auto* product = std::get_if<Product>(&child.get().kind))
                    product->normalisation = Normalisation::raw;
            }
            return;
        }
        for (Child& child : fuse.children) { // zero or not, this child keeps E from being smaller
            const auto zero = zero_exponent(child);
            if (!zero || *zero > lowest_exponent(child.get())) continue;
            child.zero = {};
            fuse.floor = std::max(*zero, fuse.floor.value_or(*zero));
        }
        const int lowest = std::max(lowest_exponent(fuse), exact_up_to(fuse));
        const int bound = std::max(lowest, fuse.floor.value_or(lowest)); // no smaller E differs from that
        for (Child& child : fuse.children)
            if (const auto zero = zero_exponent(child); zero && *zero <= bound) child.zero = {};
        if (fuse.floor && *fuse.floor <= lowest) fuse.floor.reset();
    }

    void simplify(Round& round) const {
        const auto* fuse = std::get_if<Fuse>(&round.get().kind);
        if (fuse == nullptr || round.overflow == Overflow::ieee) return; // which asks for the mode
        if (!is_exact(*fuse, format(round.format))) return;
        round.underflow_keeps_sign = true; // nothing but zero gives zero, unless it is flushed
        const bool mode_decides_sign = round.zero_sign_ieee && round.mode == Rounding::rd;
        if (!mode_decides_sign) round.mode = Rounding::rne;
    }

    /// Whether every sum is a number of the format, or above its largest: it is a multiple of 2^(E − F) and at most
    /// 2^(E
    /// + g), where 2^g bounds the terms' significands together.
    bool is_exact(const Fuse& fuse, const Format& result) const {
        int F = 0;
        std::int64_t together = 0;
        for (const Child& child : fuse.children) {
            const std::int64_t bound = significand_bound(child.get());
            if (!child.F || bound == 0) return false;
            F = std::max(F, *child.F);
            together += bound;
        }
        int g = 0;
        while ((std::int64_t{1} << g) < together) ++g;
        const int lowest = std::max(lowest_exponent(fuse), fuse.floor.value_or(lowest_exponent(fuse)));
        return F + g <= result.mantissa_bits + 1 && lowest - F >= result.emin() - result.mantissa_bits;
    }

    /// All elements that the leaf stands for, each of a magnitude of at most so much times 2^(its exponent); 0:
    /// unknown.
    std::int64_t significand_bound(const Node& node) const {
        if (const auto* product = std::get_if<Product>(&node.kind)) {
            if (unit_.scale && format(unit_.scale->format).mantissa_bits > 0) return 0;
            const Selection which = product->which;
            const int n = which.step == 0 ? 1 : (unit_.L - which.first + which.step - 1) / which.step;
            return std::int64_t{n} * (product->normalisation == Normalisation::raw ? 4 : 2);
        }
        const bool one_number =
            std::holds_alternative<Accumulator>(node.kind) || std::holds_alternative<Round>(node.kind);
        return one_number ? 2 : 0;
    }

    /// The largest exponent with which a zero child takes part, if that is known.
    std::optional<int> zero_exponent(const Child& child) const {
        if (child.zero.kind == ZeroExponent::Kind::constant) return child.zero.value;
        if (child.zero.kind != ZeroExponent::Kind::own) return std::nullopt;
        if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) return exponents_of_zero(*c).second;
        if (const auto* round = std::get_if<Round>(&child.get().kind)) return format(round->format).emin();
        return std::nullopt; // of a product or a sum: may be anything
    }

    /// Smallest and largest emin of the formats that c is read in.
    std::pair<int, int> exponents_of_zero(const Accumulator& c) const {
        int least = format(unit_.d).emin(), most = least;
        for (const auto& id : {unit_.c, c.as})
            if (id) {
                least = std::min(least, format(*id).emin());
                most = std::max(most, format(*id).emin());
            }
        return {least, most};
    }

    /// With any E up to that nothing is cut, since all values are multiples of 2^(E − F), and no other use is made of
    /// E.
    int exact_up_to(const Fuse& fuse) const {
        constexpr int nowhere = -100'000;
        if (fuse.carry) return nowhere;
        int most = -nowhere;
        for (const Child& child : fuse.children) {
            const auto place = last_place(child.get());
            if (child.drop || (child.F && !place)) return nowhere;
            if (child.F) most = std::min(most, *place + *child.F);
        }
        return most;
    }

    /// The value is a multiple of 2 to this power, if that is known.
    std::optional<int> last_place(const Node& node) const {
        const auto of = [](FormatId id) { return format(id).emin() - format(id).mantissa_bits; };
        if (std::holds_alternative<Product>(node.kind) || std::holds_alternative<Group>(node.kind))
            return of(unit_.a) + of(unit_.b) + (unit_.scale ? 2 * of(unit_.scale->format) : 0);
        if (std::holds_alternative<Accumulator>(node.kind))
            return unit_.c ? std::min(of(unit_.d), of(*unit_.c)) : of(unit_.d);
        if (const auto* round = std::get_if<Round>(&node.kind)) return of(round->format);
        return std::nullopt;
    }

    /// No child of this fuse that is not zero has a smaller reference exponent.
    int lowest_exponent(const Fuse& fuse) const {
        int lowest = lowest_exponent(fuse.children.front().get());
        for (const Child& child : fuse.children) lowest = std::min(lowest, lowest_exponent(child.get()));
        return lowest;
    }

    int lowest_exponent(const Node& node) const {
        const int scales = unit_.scale ? 2 * format(unit_.scale->format).emin() : 0;
        if (const auto* product = std::get_if<Product>(&node.kind)) {
            const Format &a = format(unit_.a), &b = format(unit_.b);
            int lowest = a.emin() + b.emin() + scales;
            if (product->normalisation == Normalisation::full) { // leading zeros of subnormals count
                lowest -= a.mantissa_bits + b.mantissa_bits;
                if (unit_.scale) lowest -= 2 * format(unit_.scale->format).mantissa_bits;
            }
            return lowest;
        }
        if (std::holds_alternative<Group>(node.kind)) return scales;
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) return exponents_of_zero(*c).first;
        if (const auto* round = std::get_if<Round>(&node.kind)) return format(round->format).emin();
        return lowest_exponent(std::get<Fuse>(node.kind)); // it is not zero only if one of its children is not
    }

    const Unit& unit_;
};

} // namespace

Unit normal_form(const Unit& unit) {
    Unit form = unit;
    Simplifier(unit).simplify(form.tree, false);
    return form;
}

} // namespace discern
