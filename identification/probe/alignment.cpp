// The alignment, seen alone: two large terms cancel and a third, small one is what remains of it.
//
// A ladder of single bits finds F, whatever the rounding: a bit at or above the last kept bit survives as it is, and
// a lower one never does. Then quarters, halves and three quarters of the last bit show the rounding mode. Nothing here
// depends on how the result is rounded to the output, as all that is left has one or two bits.
#include "alignment.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>

namespace discern::probe {

namespace {

/// Small terms in quarters of the last kept bit, by which every two rounding modes differ.
constexpr std::array<int, 8> terms_in_quarters = {1, -1, 2, -2, 3, -3, 6, -6};

/// The sum rounded in a mode, in units of the last bit.
int rounded(int value, Rounding mode) {
    const int magnitude = std::abs(value), kept = magnitude / 4;
    const bool up = rounds_away(mode, value < 0, kept % 2 != 0, (magnitude & 2) != 0, (magnitude & 1) != 0);
    const int result = kept + (up ? 1 : 0);
    return value < 0 ? -result : result;
}

Scene scene(const Session& session, const Ladder& ladder, const Large& large, const Amount& small) {
    Scene result = session.scene();
    if (large.factors) {
        const auto& [a, b] = *large.factors;
        result.put_factors(ladder.plus, a, b).put_factors(ladder.minus, -a, b);
    } else {
        result.put(ladder.plus, power(large.top)).put(ladder.minus, -power(large.top));
    }
    return result.put(ladder.small, small);
}

std::optional<Rounding> rounding_at(Session& session, const Ladder& ladder, const Large& large, int lsb) {
    std::vector<Scene> scenes;
    for (const int quarter : terms_in_quarters)
        scenes.push_back(scene(session, ladder, large, amount(quarter, lsb - 2)));
    const auto answers = session.ask(scenes);
    std::optional<Rounding> found;
    for (std::size_t i = 0; i < rounding_names.size(); ++i) {
        const auto mode = static_cast<Rounding>(i);
        if (!std::equal(answers.begin(), answers.end(), terms_in_quarters.begin(),
                        [&](const Answer& d, int quarter) { return d.is(amount(rounded(quarter, mode), lsb)); }))
            continue;
        if (found) return std::nullopt;
        found = mode;
    }
    return found;
}

/// The same on the first and on the last lanes of the block, or nothing.
std::optional<Alignment> agreed(Session& session, const Structure& structure, bool small_c, std::string& why) {
    const auto ladder = ladder_of(structure, small_c, false), other = ladder_of(structure, small_c, true);
    if (!ladder) return std::nullopt;
    const Large large{span_of(session.shape()).high, {}};
    const Alignment one = ladder->climb(session, large), two = other->climb(session, large);
    if (one != two) {
        why = "the lanes of the block differ";
        return Alignment{};
    }
    if (!one.F) why = "the answers fit no alignment";
    return one;
}

} // namespace

void report_alignment(Session& session, const Alignment& found, bool of_c, std::size_t first, const std::string& why) {
    Told bits{{}, why}, extra{{}, why}, mode{{}, why};
    if (found.F) {
        const std::string_view at_least = found.lossless ? "≥ " : "";
        bits = {sentence(at_least, *found.F),
                found.lossless ? sentence("nothing is lost ", *found.F, " bits below the largest term")
                               : "F: bits below the exponent of the largest term"};
        extra = {sentence(at_least, *found.F - session.d().mantissa_bits), "fraction bits kept beyond those of d"};
        mode.why = found.lossless
                       ? "nothing is truncated"
                       : "the answers fit none of the rounding modes, or the formats do not reach below the last bit";
    }
    if (found.mode) mode = {std::string(name(*found.mode)), "of what lies below the last kept bit"};
    session.report(of_c ? "c_alignment_bits" : "alignment_bits", std::move(bits), first);
    if (!of_c) session.report("extra_bits", std::move(extra), first);
    session.report(of_c ? "c_alignment_rounding" : "alignment_rounding", std::move(mode), first);
}

Alignment Ladder::climb(Session& session, const Large& large) const {
    std::vector<Scene> scenes;
    for (int x = large.top - 1; x >= span_of(session.shape()).low; --x)
        scenes.push_back(scene(session, *this, large, power(x)));
    const auto answers = session.ask(scenes);
    int survived = 0, at = 0;
    for (const Answer& d : answers) {
        if (!d.index) return {}; // all of them can be put: a missing answer
        if (!d.is(power(large.top - ++at))) continue;
        if (++survived != at) return {}; // a smaller one survives where a larger one does not
    }
    if (answers.empty()) return {};
    if (survived == at) return {.F = survived, .lossless = true, .mode = std::nullopt};
    return {.F = survived, .lossless = false, .mode = rounding_at(session, *this, large, large.top - survived)};
}

std::optional<Ladder> ladder_of(const Structure& structure, bool small_c, bool other_lanes) {
    const bool one_sum = structure.order == Order::fused || structure.order == Order::exact;
    if (!structure.known() || !one_sum) return std::nullopt;
    const std::vector<int>& lanes = structure.blocks.front();
    const auto from = [&](std::size_t i) { return other_lanes ? lanes[lanes.size() - 1 - i] : lanes[i]; };
    const bool with_c = structure.c == CPlace::early;
    if (lanes.size() < 2 || (small_c && !with_c)) return std::nullopt;
    if (small_c) return Ladder{.plus = from(0), .minus = from(1), .small = at_c};
    if (lanes.size() >= 3) return Ladder{.plus = from(0), .minus = from(1), .small = from(2)};
    if (with_c) return Ladder{.plus = at_c, .minus = from(0), .small = from(1)};
    return std::nullopt;
}

Alignment probe_alignment(Session& session, const Structure& structure) {
    std::string why = structure.known() ? "" : structure.why;
    std::size_t first = session.count();
    const auto products = agreed(session, structure, false, why);
    if (products || !structure.known()) report_alignment(session, products.value_or(Alignment{}), false, first, why);
    if (const bool early = structure.c == CPlace::early; early && products) {
        first = session.count();
        why.clear();
        const auto c = agreed(session, structure, true, why);
        report_alignment(session, c.value_or(Alignment{}), true, first, why);
    }
    return products.value_or(Alignment{});
}

} // namespace discern::probe
