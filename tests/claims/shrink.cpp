#include "shrink.hpp"

#include "draw.hpp"

#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace discern::claims {

namespace {

using namespace parametric;
using Change = std::function<bool(Unit&)>; ///< false: means nothing for this unit

/// The same change in every unit, or in one of them.
void add_changes(const Case& from, const Change& change, std::vector<Case>& list) {
    const auto changed = [&](const std::vector<std::size_t>& which) {
        Case simpler = from;
        for (const std::size_t i : which) {
            Unit& unit = simpler.units[i].unit;
            if (!change(unit) || !is_valid(unit)) return;
        }
        list.push_back(std::move(simpler));
    };
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < from.units.size(); ++i) all.push_back(i);
    changed(all);
    if (all.size() > 1)
        for (const std::size_t i : all) changed({i});
}

/// One part's parameter as usual.
bool set_standard(Unit& unit, std::size_t at, const Parameter& p) {
    const std::vector<Owner> parts = owners(unit);
    if (at >= parts.size() || parts[at].index() != static_cast<std::size_t>(p.owner)) return false;
    const ConstOwner part = std::visit([](auto* one) { return ConstOwner(one); }, parts[at]);
    if (p.get(part) == p.standard) return false;
    p.set(parts[at], p.standard);
    for (const Owner& one : parts) clear_unused(one);
    return true;
}

/// The n-th node that is a fuse of one child, or a round that is not the root, replaced by what is below it.
bool unwrap(Unit& unit, int n) {
    bool done = false;
    int seen = 0;
    const auto walk = [&](const auto& self, Node& node, bool root) -> void {
        if (done) return;
        if (auto* round = std::get_if<Round>(&node.kind); round != nullptr && !root && seen++ == n) {
            Node below = std::move(round->get());
            node = std::move(below);
            done = true;
            return;
        }
        if (auto* fuse = std::get_if<Fuse>(&node.kind); fuse != nullptr && fuse->children.size() == 1 && seen++ == n) {
            Node below = std::move(fuse->children.front().get());
            node = std::move(below);
            done = true;
            return;
        }
        if (auto* fuse = std::get_if<Fuse>(&node.kind))
            for (Child& child : fuse->children) self(self, child.get(), false);
        if (auto* round = std::get_if<Round>(&node.kind)) self(self, round->get(), false);
    };
    walk(walk, unit.tree, true);
    return done;
}

/// "{a={1|2},b={3|4}}" with one of its settings left out, or one value of one.
std::vector<std::string> fewer_choices(const std::string& suffix) {
    std::vector<std::string> list;
    if (suffix.size() < 2 || suffix.front() != '{' || suffix.back() != '}') return list;
    std::vector<std::string> settings = {""};
    int depth = 0;
    for (const char c : suffix.substr(1, suffix.size() - 2)) {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (c == ',' && depth == 0)
            settings.emplace_back();
        else
            settings.back() += c;
    }
    const auto joined = [](const std::vector<std::string>& all) {
        std::string text;
        for (const std::string& one : all) text += (text.empty() ? "{" : ",") + one;
        return text.empty() ? text : text + "}";
    };
    for (std::size_t i = 0; i < settings.size(); ++i) {
        std::vector<std::string> fewer = settings;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        list.push_back(joined(fewer));
        for (std::size_t bar = settings[i].find('|'); bar != std::string::npos; bar = settings[i].find('|', bar + 1)) {
            fewer = settings;
            const std::size_t end = std::min(settings[i].find('|', bar + 1), settings[i].find('}', bar));
            fewer[i] = settings[i].substr(0, bar) + settings[i].substr(end);
            list.push_back(joined(fewer));
        }
    }
    return list;
}

std::vector<Case> candidates(const Kind& kind, const Case& from) {
    std::vector<Case> list;
    if (kind.simpler != nullptr) list = kind.simpler(from);
    for (std::size_t i = 0; i < from.options.size(); ++i) {
        list.push_back(from);
        list.back().options.erase(list.back().options.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < from.units.size(); ++i)
        for (const std::string& suffix : fewer_choices(from.units[i].suffix)) {
            list.push_back(from);
            list.back().units[i].suffix = suffix;
        }
    const auto add = [&](const Change& change) { add_changes(from, change, list); };
    add([](Unit& unit) { return std::exchange(unit.K, unit.L) != unit.L; });
    add([](Unit& unit) { return std::exchange(unit.interleave, 0) != 0; });
    add([](Unit& unit) { return std::exchange(unit.place, AccumulatorPlace::chained) != AccumulatorPlace::chained; });
    add([](Unit& unit) { return std::exchange(unit.nan, NanRule{}) != NanRule{}; });
    add([](Unit& unit) {
        const bool had = unit.scale.has_value();
        unit.scale.reset();
        return had;
    });
    for (int n = 0; n < 12; ++n) add([n](Unit& unit) { return unwrap(unit, n); });
    std::size_t most = 0;
    for (const WrittenUnit& one : from.units) {
        Unit unit = one.unit;
        most = std::max(most, owners(unit).size());
    }
    for (std::size_t at = 0; at < most; ++at)
        for (const Parameter& p : parameters())
            if (p.form != Form::first || p.meaning == Meaning::mode)
                add([at, &p](Unit& unit) { return set_standard(unit, at, p); });
    return list;
}

} // namespace

Shrunk shrink(const Kind& kind, const Case& wrong, const Compared& how, double seconds) {
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::duration<double>(seconds);
    Shrunk best{wrong, how};
    for (bool again = true; again;) {
        again = false;
        for (const Case& simpler : candidates(kind, best.smallest)) {
            if (clock::now() > end) return best;
            const Compared compared = compare(kind, simpler);
            // Another trouble than that which is looked for is no simpler case of it.
            if (compared.wrong.empty() || compared.stopped != how.stopped) continue;
            best = {simpler, compared};
            again = true;
            break;
        }
    }
    return best;
}

} // namespace discern::claims
