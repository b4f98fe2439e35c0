// See normal_form.hpp.
#include "normal_form.hpp"

#include "ranges.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace discern {

namespace {

class Simplifier {
  public:
    explicit Simplifier(const Unit& unit) : ranges_(unit) {}

    void simplify(Node& node, bool below_round) const {
        if (auto* round = std::get_if<Round>(&node.kind)) {
            if (auto* sum = std::get_if<Fuse>(&round->get().kind)) lower_all(*sum, ranges_.lowest_exponent(*sum));
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
            if (const auto zero = ranges_.zero_exponent(child); zero && *zero <= lowest) child.zero = {};
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
            const auto zero = ranges_.zero_exponent(child);
            if (!zero || *zero > ranges_.lowest_exponent(child.get())) continue;
            child.zero = {};
            fuse.floor = std::max(*zero, fuse.floor.value_or(*zero));
        }
        const int lowest = std::max(ranges_.lowest_exponent(fuse), exact_up_to(fuse));
        const int bound = std::max(lowest, fuse.floor.value_or(lowest)); // no smaller E differs from that
        for (Child& child : fuse.children)
            if (const auto zero = ranges_.zero_exponent(child); zero && *zero <= bound) child.zero = {};
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
    /// 2^(E + g), where 2^g bounds the terms' significands together. A register that wraps makes it no larger.
    bool is_exact(const Fuse& fuse, const Format& result) const {
        int F = 0;
        for (const Child& child : fuse.children) {
            if (!child.F) return false;
            F = std::max(F, *child.F);
        }
        const std::int64_t together = ranges_.significand_bound(fuse);
        if (together == 0) return false;
        const int g = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(together) - 1));
        const int lowest = ranges_.lowest_exponent(fuse);
        const int E = std::max(lowest, fuse.floor.value_or(lowest));
        return F + g <= result.mantissa_bits + 1 && E - F >= result.last_place();
    }

    /// With any E up to that nothing is cut, since all values are multiples of 2^(E − F), and no other use is made of
    /// E.
    int exact_up_to(const Fuse& fuse) const {
        constexpr int nowhere = -100'000;
        if (fuse.carry) return nowhere;
        int most = -nowhere;
        for (const Child& child : fuse.children) {
            const auto place = ranges_.last_place(child.get());
            if (child.drop || (child.F && !place)) return nowhere;
            if (child.F) most = std::min(most, *place + *child.F);
        }
        return most;
    }

    Ranges ranges_;
};

} // namespace

Unit normal_form(const Unit& unit) {
    Unit form = unit;
    Simplifier(unit).simplify(form.tree, false);
    return form;
}

} // namespace discern
