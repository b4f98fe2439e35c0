// A rounding, computed once for all rules that may still apply and give the same result.
#pragma once

#include "chooser.hpp"

#include "models/evaluate/block.hpp"
#include "models/evaluate/terms.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <climits>
#include <vector>

namespace discern::identify {

/// Asks for the parameters of a rounding one after the other, and only for those on which the result still depends.
template <typename Int>
class RoundTogether {
  public:
    RoundTogether(Chooser& chooser, const ParametricNode& node, const integer::Term<Int>& term)
        : chooser_(chooser), node_(node), term_(term) {}

    integer::Rounded run() {
        Round rule;
        for (const Parameter* p : parameters_) p->set(&rule, chooser_.one(slot(p)));
        find_relevant();
        for (std::size_t at = 0; at < relevant_.size(); ++at) {
            const Parameter* p = parameters_[relevant_[at]];
            p->set(&rule, chooser_.choose(slot(p), [&](int candidate) {
                Round with = rule;
                p->set(&with, candidate);
                std::vector<Key> keys;
                results(at + 1, with, keys);
                return keys;
            }));
        }
        const Format& f = format(rule.format);
        return {integer::round_term(rule, f, term_), &f};
    }

  private:
    /// As parameters_ has them, which is the order in which they are asked.
    enum Index : std::size_t { to_format, mode, overflow, ftz, zero_sign, underflow };

    /// A result in any of the formats, comparable.
    struct Key {
        NumberClass number_class;
        bool negative;
        std::uint64_t significand;
        int exponent;
        bool operator==(const Key&) const = default;
    };

    Slot slot(const Parameter* p) const { return p->slot_of(node_.round); }

    void find_relevant() {
        if (term_.special != integer::Special::finite) {
            relevant_ = {to_format};
            return;
        }
        if (wide::is_zero(term_.value)) {
            relevant_ = {mode, zero_sign};
            return;
        }
        const Int magnitude = wide::magnitude(term_.value);
        const int top = wide::bit_length(magnitude) - 1 + term_.lsb;
        int emin = INT_MIN, emax = INT_MAX, mantissa_bits = INT_MAX;
        chooser_.for_possible(node_.round.format, [&](int id) {
            const Format& f = format(static_cast<FormatId>(id));
            emin = std::max(emin, f.emin());
            emax = std::min(emax, f.emax());
            mantissa_bits = std::min(mantissa_bits, f.mantissa_bits);
        });
        const int below = top - mantissa_bits - term_.lsb;
        const bool fits = below <= 0 || !wide::any_below(magnitude, below);
        if (fits && emin <= top && top < emax) return; // a normal number of every format
        relevant_ = {to_format, mode};
        if (top >= emax) relevant_.push_back(overflow);
        if (top < emin) relevant_.insert(relevant_.end(), {ftz, underflow});
    }

    Key key_of(const Round& rule) const {
        const Format& f = format(rule.format);
        const Decoded d = integer::round_term(rule, f, term_);
        if (d.number_class == NumberClass::nan) return {d.number_class, false, 0, 0};
        if (d.number_class == NumberClass::infinite) return {d.number_class, d.negative, 0, 0};
        return {d.number_class, d.negative, d.significand << (53 - f.mantissa_bits), d.exponent};
    }

    /// The results of all rules that differ from this one in the relevant parameters from `at` on.
    void results(std::size_t at, Round& rule, std::vector<Key>& keys) const {
        if (at == relevant_.size()) {
            keys.push_back(key_of(rule));
            return;
        }
        const Round before = rule;
        const Parameter* p = parameters_[relevant_[at]];
        chooser_.for_possible(slot(p), [&](int v) {
            p->set(&rule, v);
            results(at + 1, rule, keys);
        });
        rule = before;
    }

    Chooser& chooser_;
    const ParametricNode& node_;
    const std::vector<const Parameter*>& parameters_ = parameters_of(OwnerKind::round);
    const integer::Term<Int>& term_;
    std::vector<std::size_t> relevant_;
};

} // namespace discern::identify
