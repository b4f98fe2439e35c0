// Spaces of units so small that all of their inputs can be tried, with parameters at the limits of their effect: F at
// the last bit that products have, a floor at the smallest exponent, a register that just holds the sum. A rule that
// wrongly finds units equivalent because it is off by one shows here.
#pragma once

#include "small_trees.hpp"

#include "models/space.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace discern::tests {

class SmallSpaces : private SmallTrees {
  public:
    /// @param most_bits  of one vector of inputs
    SmallSpaces(std::uint64_t seed, int most_bits) : SmallTrees(seed), most_bits_(most_bits) {}

    /// Units of one shape and of different lines, most of which two thousand random inputs do not tell apart; the
    /// fewer, the more inputs they have.
    std::vector<Member> next() {
        for (;;) {
            Unit base = draw(most_bits_);
            const std::vector<Knob> knobs = all_knobs(base);
            const bool plain = one_in(3); // nothing but what varies
            for (const Knob& knob : knobs)
                if (!plain && one_in(2)) any_of(knob.values)(base);
            const int left = std::max(23 - input_bits(base), 2);
            const std::size_t most = std::min<std::size_t>(1U << left, 96);
            const std::vector<Member> members = alike(vary(base, chosen(knobs), 4 * most), most);
            if (2 * members.size() > most) return members;
        }
    }

  private:
    using Change = std::function<void(Unit&)>;
    /// A parameter, in one place of the tree or in all, and values of it.
    struct Knob {
        int weight; ///< of being chosen
        std::vector<Change> values;
    };

    // ---- thresholds

    void find_thresholds(const Unit& unit) {
        const Format &a = format(unit.a), &b = format(unit.b), &d = format(unit.d);
        exponents_ = {a.emax() + b.emax(), a.emax() + b.emax() + 1, a.emin() + b.emin(), d.emin(), d.emax()};
        lsbs_ = {a.lsb() + b.lsb(), d.lsb()};
        if (unit.c) {
            exponents_.insert(exponents_.end(), {format(*unit.c).emin(), format(*unit.c).emax()});
            lsbs_.push_back(format(*unit.c).lsb());
        }
        precision_ = d.mantissa_bits + 1;
    }

    /// Below what it is, or from what it is on, nothing is truncated, or nothing is left.
    int some_F() {
        const int top = one_in(2) ? exponents_[static_cast<std::size_t>(random_.below(2))] : any_of(exponents_);
        const int place = one_in(2) ? lsbs_.front() : any_of(lsbs_);
        const int F = pick({top - place, top - place, precision_ + random_.between(-2, 4), random_.below(10)});
        return std::clamp(near(F), 0, 64);
    }
    int some_exponent() {
        if (one_in(3)) return near(any_of(lsbs_));
        return near(one_in(3) ? any_of(lsbs_) + some_F() : any_of(exponents_));
    }

    // ---- knobs

    /// Sets the values in one of the places that `find` gives, or in all of them.
    template <typename Find, typename Value, typename Set>
    void add(int weight, Unit& unit, Find find, const std::vector<Value>& values, Set set) {
        const int places = static_cast<int>(find(unit).size());
        if (places == 0) return;
        const int at = one_in(2) ? -1 : random_.below(places);
        Knob knob{weight, {}};
        for (const Value& value : values)
            knob.values.push_back([=](Unit& changed) {
                const auto found = find(changed);
                for (int i = 0; i < places; ++i)
                    if (at < 0 || i == at) set(*found[static_cast<std::size_t>(i)], value);
            });
        knobs_.push_back(std::move(knob));
    }

    std::vector<Knob> all_knobs(Unit& unit) {
        find_thresholds(unit);
        knobs_.clear();
        add_alignment(unit);
        add_leaves(unit);
        add_rounding(unit);
        return std::move(knobs_);
    }

    void add_alignment(Unit& unit) {
        const std::vector<Rounding> modes = all_modes();
        for (int i = 0; i < 2; ++i) {
            const int F = some_F();
            std::vector<std::optional<int>> values = {std::nullopt, F + 1, F + 2};
            for (const int lower : {F, F - 1})
                if (lower >= 0) values.emplace_back(lower);
            if (one_in(3)) values.emplace_back(64);
            for (auto& value : values)
                if (value) value = std::min(*value, 64);
            add(6, unit, all_children, some(values), [](Child& child, std::optional<int> set) { child.F = set; });
        }
        add(3, unit, all_children, some(modes), [](Child& child, Rounding mode) { child.rounding = mode; });
        const int floor = some_exponent();
        add(5, unit, all_fuses, some<std::optional<int>>({std::nullopt, floor - 1, floor, floor + 1}),
            [](Fuse& fuse, std::optional<int> value) { fuse.floor = value; });
        using enum ZeroExponent::Kind;
        const int zero = some_exponent();
        add(4, unit, all_children,
            some<ZeroExponent>({{ignore, 0}, {own, 0}, {constant, zero - 1}, {constant, zero}, {constant, zero + 1}}),
            [](Child& child, ZeroExponent value) { child.zero = value; });
        const int drop = some_F();
        add(2, unit, all_children, some<std::optional<int>>({std::nullopt, drop, drop + 1, drop + 2}),
            [](Child& child, std::optional<int> value) { child.drop = value; });
        add(2, unit, all_children, some<int>({0, 1, 2, 4}), [](Child& child, int value) { child.less = value; });
        add(3, unit, all_fuses, some<std::optional<int>>({std::nullopt, 0, 1, 2, 3}),
            [](Fuse& fuse, std::optional<int> value) { fuse.carry = value; });
        const std::vector<bool> both = {true, false};
        add(2, unit, all_fuses, both, [](Fuse& fuse, bool value) { fuse.sticky = value; });
        add(1, unit, all_fuses, both, [](Fuse& fuse, bool value) { fuse.plus = value; });
        const int step = pick({1, 2, 4});
        add(1, unit, all_fuses,
            some<std::pair<std::optional<int>, int>>(
                {{std::nullopt, 0}, {step, 0}, {step, step - 1}, {2 * step, step}}),
            [](Fuse& fuse, std::pair<std::optional<int>, int> value) { std::tie(fuse.step, fuse.phase) = value; });
        add(2, unit, fuses_of_leaves,
            some<SignFrame>({SignFrame::none, SignFrame::c, SignFrame::c_or_plus, SignFrame::nonzero_c}),
            [](Fuse& fuse, SignFrame value) { fuse.frame = value; });
        add(1, unit, fuses_of_leaves, some<Opposed>({Opposed::all, Opposed::nonzero, Opposed::kept}),
            [](Fuse& fuse, Opposed value) { fuse.opposed = value; });
    }

    void add_leaves(Unit& unit) {
        const auto find = [](Unit& u) { return discern::products(u); };
        using enum Normalisation;
        add(3, unit, find, some<Normalisation>({raw, carry, full}),
            [](Product& product, Normalisation value) { product.normalisation = value; });
        const int limit = near(one_in(2) ? exponents_.front() + 1 : some_exponent());
        add(2, unit, find, some<std::optional<int>>({std::nullopt, limit, limit + 1, limit + 2}),
            [](Product& product, std::optional<int> value) { product.limit = value; });
        add(1, unit, find, std::vector<bool>{true, false},
            [](Product& product, bool value) { product.oinf_yields = value; });
        const std::vector<std::pair<bool, bool>> flushes = {{false, true}, {true, true}, {true, false}};
        const auto ftz = [](auto& leaf, std::pair<bool, bool> value) { std::tie(leaf.ftz, leaf.fsign_keep) = value; };
        add(1, unit, find, some(flushes), ftz);
        const std::vector<bool> both = {true, false};
        add(1, unit, find, both, [](Product& product, bool value) { product.zin_keep = value; });
        add(1, unit, find, both, [](Product& product, bool value) { product.infnan = value; });
        add(1, unit, find, both, [](Product& product, bool value) { product.nanzero = value; });
        add(1, unit, find, both, [](Product& product, bool value) { product.infzero = value; });
        const std::vector<std::optional<FormatId>> wide = {std::nullopt, FormatId::f16, FormatId::bf16, FormatId::f32};
        add(1, unit, find, some(wide), [](Product& product, std::optional<FormatId> value) { product.as = value; });
        if (!unit.c) return;
        const auto find_c = [](Unit& u) {
            Accumulator* const c = accumulator(u);
            return c == nullptr ? std::vector<Accumulator*>{} : std::vector<Accumulator*>{c};
        };
        add(1, unit, find_c, some(flushes), ftz);
        add(1, unit, find_c, both, [](Accumulator& c, bool value) { c.zin_keep = value; });
        add(3, unit, find_c, some(wide), [](Accumulator& c, std::optional<FormatId> value) { c.as = value; });
    }

    void add_rounding(Unit& unit) {
        const auto find = [](Unit& u) { return all_rounds(u); };
        add(4, unit, find, some(all_modes()), [](Round& round, Rounding value) { round.mode = value; });
        add(2, unit, find, some<Overflow>({Overflow::infinity, Overflow::largest, Overflow::ieee}),
            [](Round& round, Overflow value) { round.overflow = value; });
        add(2, unit, find, some<Flush>({Flush::none, Flush::result, Flush::after, Flush::before}),
            [](Round& round, Flush value) { round.ftz = value; });
        const std::vector<bool> both = {true, false};
        add(1, unit, find, both, [](Round& round, bool value) { round.fsign_keep = value; });
        add(2, unit, find, both, [](Round& round, bool value) { round.zsign_ieee = value; });
        add(2, unit, find, both, [](Round& round, bool value) { round.usign_keep = value; });
        const auto find_inner = [](Unit& u) {
            std::vector<Round*> rounds = all_rounds(u);
            std::erase(rounds, &std::get<Round>(u.tree.kind));
            return rounds;
        };
        using enum FormatId;
        add(4, unit, find_inner, some<FormatId>({unit.d, inner_format(unit), inner_format(unit), f16, bf16, f32}),
            [](Round& round, FormatId value) { round.format = value; });
        if (!format(unit.d).has_nan() || !one_in(8)) return;
        const auto whole = [](Unit& u) { return std::vector<Unit*>{&u}; };
        add(1, unit, whole, std::vector<NanRule>{{}, {NanRule::Kind::pattern, quiet_nan(format(unit.d))}},
            [](Unit& u, const NanRule& value) { u.nan = value; });
    }

    static std::vector<Rounding> all_modes() {
        std::vector<Rounding> modes;
        for (std::size_t i = 0; i < rounding_names.size(); ++i) modes.push_back(static_cast<Rounding>(i));
        return modes;
    }

    /// Three to six, in their order.
    std::vector<Knob> chosen(const std::vector<Knob>& knobs) {
        std::vector<std::size_t> lots;
        for (std::size_t i = 0; i < knobs.size(); ++i)
            lots.insert(lots.end(), static_cast<std::size_t>(knobs[i].weight), i);
        std::set<std::size_t> which;
        const auto n = static_cast<std::size_t>(random_.between(3, 6));
        while (which.size() < std::min(n, knobs.size())) which.insert(any_of(lots));
        std::vector<Knob> result;
        for (const std::size_t i : which) result.push_back(knobs[i]);
        return result;
    }

    // ---- members

    std::vector<Member> vary(const Unit& base, const std::vector<Knob>& knobs, std::size_t most) {
        std::vector<Member> members;
        std::set<std::string> lines;
        std::uint64_t size = 1;
        for (const Knob& knob : knobs) size *= knob.values.size();
        const bool whole = size <= most;
        for (std::uint64_t i = 0; i < (whole ? size : 2 * most) && members.size() < most; ++i) {
            Unit unit = base;
            std::uint64_t rest = i;
            for (const Knob& knob : knobs) {
                const Change& change = whole ? knob.values[rest % knob.values.size()] : any_of(knob.values);
                rest /= knob.values.size();
                change(unit);
            }
            tidy(unit);
            if (!is_valid(unit)) continue;
            std::string line = to_string(unit);
            if (lines.insert(line).second) members.push_back({line, parse_unit(line)});
        }
        return members;
    }

    /// The largest groups with the same results, and one unit of others.
    std::vector<Member> alike(std::vector<Member> candidates, std::size_t most) {
        if (candidates.empty()) return {};
        AllInputs all(candidates.front().unit);
        std::vector<Evaluator> evaluators;
        for (const Member& candidate : candidates) evaluators.emplace_back(candidate.unit);
        std::vector<std::vector<std::uint64_t>> results(candidates.size());
        for (int n = 0; n < 2000; ++n) {
            const Inputs inputs = all.piece(random_.bits() & (all.count() - 1), 1).front();
            for (std::size_t i = 0; i < candidates.size(); ++i) results[i].push_back(evaluators[i](inputs));
        }
        std::map<std::vector<std::uint64_t>, std::vector<Member>> by_results;
        for (std::size_t i = 0; i < candidates.size(); ++i) by_results[results[i]].push_back(std::move(candidates[i]));
        std::vector<std::vector<Member>> groups;
        for (auto& [row, group] : by_results) groups.push_back(std::move(group));
        std::stable_sort(groups.begin(), groups.end(),
                         [](const auto& x, const auto& y) { return x.size() > y.size(); });
        std::vector<Member> members;
        for (std::size_t i = 0; i < groups.size() && members.size() < most; ++i) {
            const std::size_t n = std::min(groups[i].size(), i < 2 ? most - members.size() : 1);
            for (std::size_t j = 0; j < n; ++j) members.push_back(std::move(groups[i][j]));
        }
        return members;
    }

    int most_bits_;
    std::vector<int> exponents_, lsbs_; ///< of the unit that is drawn
    int precision_ = 0;                 ///< of d, in bits
    std::vector<Knob> knobs_;
};

} // namespace discern::tests
