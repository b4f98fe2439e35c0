// The rules, in the order in which they are tried: another F of the other summand, lower exponents.
#include "less.hpp"

#include <algorithm>

namespace discern {

namespace {

bool is_absent(const std::optional<int>& value) { return !value; }
bool is_nothing(int by) { return by == 0; }

bool is_exact_alone(const Summand& s) {
    return s.how.F.all([&](const auto& F) { return !F || *F >= s.number.facts->digits; });
}

// match: a summand with `less=n` beside one other, neither truncated where E is its own exponent => the other is
// aligned, and dropped, n bits lower. Where both have about the same exponent, neither is truncated with either E.
void move_less(Terms& t, Summand& x, Summand& y) {
    if (!t.may_fold(Folding::move_less) || !x.how.less.is_fixed() || x.how.less.all(is_nothing) ||
        !y.how.less.all(is_nothing))
        return;
    const auto lower = [by = x.how.less.first()](std::optional<int> n) { return n ? std::optional(*n + by) : n; };
    y.how.F = y.how.F.mapped(t, lower);
    y.how.drop = y.how.drop.mapped(t, lower);
    x.how.less = fixed(t, 0);
}

// match: `less` => exponents that are lower, of values that are as much larger relative to them
Number with_less(Terms& t, Number n, const Pick<int>& less) {
    const auto [least, most] = std::minmax_element(less.options.begin(), less.options.end(),
                                                   [](auto& x, auto& y) { return x.first < y.first; });
    const int fewest = least->first, largest = most->first;
    n.exponent = choose_ranged(t, less, [&](int by) { return n.exponent - by; });
    if (n.empty)
        n.empty->takes = of_both(t, n.empty->takes, less, [](ZeroExponent e, int by) {
            if (e.kind == ZeroExponent::Kind::constant) e.value -= by;
            return e;
        });
    n.facts = n.facts.lowered(fewest, largest);
    for (Number& one : n.summands) one = with_less(t, std::move(one), less);
    return n;
}

void lower_exponents(Terms& t, Summand& s) {
    const Pick<int>& less = s.how.less;
    if (less.all(is_nothing)) return;
    s.how.zero = of_both(t, s.how.zero, less, [](ZeroExponent zero, int by) {
        if (zero.kind == ZeroExponent::Kind::constant) zero.value -= by;
        return zero;
    });
    s.how.drop = of_both(t, s.how.drop, less, [](std::optional<int> drop, int by) {
        return drop ? std::optional(*drop + by) : drop; // which compares the exponent itself
    });
    s.number = with_less(t, std::move(s.number), less);
    s.how.less = fixed(t, 0);
}

} // namespace

void replace_less(Terms& t, std::span<Summand> summands, const FuseRule& rule, bool unread) {
    const bool by_E = !rule.carry.all(is_absent) || !rule.step.all(is_absent) ||
                      rule.sticky.any([](bool is) { return is; }) ||
                      rule.frame.any([](SignFrame frame) { return frame != SignFrame::none; });
    const bool two = unread && !by_E && summands.size() == 2 && rule.floor.all(is_absent);
    if (two && is_exact_alone(summands[0]) && is_exact_alone(summands[1])) {
        move_less(t, summands[0], summands[1]);
        move_less(t, summands[1], summands[0]);
    }
    for (Summand& s : summands) lower_exponents(t, s);
}

} // namespace discern
