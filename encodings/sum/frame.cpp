// When a sum has a frame, and which terms are inverted, as conditions over parameters that may be choices.
#include "frame.hpp"

#include <stdexcept>

namespace discern {

Frame find_frame(Terms& t, std::span<const Summand> summands, const FuseRule& rule, Term someone) {
    const auto none = [](const auto& value) { return !value; };
    const Term wide = rule.carry.when(t, none), sticky = rule.sticky.when(t, [](bool is) { return is; });
    std::vector<Term> possible = {someone, t.bvnot(t.bvand(sticky, wide))};
    const Number* c = nullptr;
    for (const Summand& s : summands) {
        possible.push_back(s.how.F.when(t, [](const auto& F) { return F.has_value(); }));
        possible.push_back(s.how.drop.when(t, none));
        if (s.is_c) c = &s.number;
    }
    if (c == nullptr) throw std::logic_error("fuse_term: a frame without c");
    const auto is = [&](SignFrame which) {
        return rule.frame.when(t, [which](SignFrame frame) { return frame == which; });
    };
    possible.push_back(t.bvnot(is(SignFrame::none)));
    possible.push_back(t.bvnot(t.bvand(c->zero, is(SignFrame::nonzero_c))));
    return {t.all_of(possible), t.ite(c->zero, t.bvand(c->zero_negative, is(SignFrame::c)), c->sign)};
}

Inversion find_inversion(Terms& t, const Frame& frame, const Summand& s, const Pick<Opposed>& opposed, Term aligned,
                         int fraction_bits) {
    const Number& n = s.number;
    const Term sign = t.ite(n.zero, n.zero_negative, n.sign);
    const Term counts = opposed.choose(t, [&](Opposed which) {
        if (which == Opposed::all) return t.truth(true);
        return t.bvnot(which == Opposed::nonzero ? n.zero : t.is_zero(aligned));
    });
    const Term happens = t.bvand(t.bvand(frame.exists, t.bvxor(sign, frame.negative)), counts);
    const int width = fraction_bits + 2;
    const auto F = s.how.F.mapped(t, [](std::optional<int> f) { return f.value_or(0); });
    const Term unit = F.choose(t, [&](int f) {
        return t.bvshl(t.constant(width, 1), t.constant(32, static_cast<std::uint64_t>(fraction_bits - f)));
    });
    return {t.ite(happens, t.ite(frame.negative, unit, t.bvneg(unit)), t.constant(width, 0)), happens};
}

} // namespace discern
