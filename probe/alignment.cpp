// The alignment, seen alone: two large terms cancel and a third, small one is what remains of it.
//
// A ladder of single bits finds F, whatever the rounding: a bit at or above the last kept place survives as it is, and
// a lower one never does. Then quarters, halves and three quarters of the last place tell the rounding. Nothing here
// depends on how the result is rounded to the output, as all that is left has one or two bits.
#include "alignment.hpp"

#include "models/sentence.hpp"

#include <algorithm>
#include <array>

namespace discern::probe {

namespace {

/// Small terms in quarters of the last kept place, by which every two rounding modes differ.
constexpr std::array<int, 8> quarters = {1, -1, 2, -2, 3, -3, 6, -6};

/// What a mode makes of them, in units of the last place.
int rounded(int value, Rounding mode) {
    const int magnitude = std::abs(value), kept = magnitude / 4;
    const bool up = rounds_away(mode, value < 0, kept % 2 != 0, (magnitude & 2) != 0, (magnitude & 1) != 0);
    const int result = kept + (up ? 1 : 0);
    return value < 0 ? -result : result;
}

Scene scene(const Session& session, const Ladder& ladder, int top, const Amount& small,
            const std::optional<std::pair<Amount, Amount>>& factors) {
    Scene result(session.shape());
    if (factors) {
        result.put_factors(ladder.plus, factors->first, factors->second);
        result.put_factors(ladder.minus, -factors->first, factors->second);
    } else {
        result.put(ladder.plus, power(top)).put(ladder.minus, -power(top));
    }
    result.put(ladder.small, small);
    return result;
}

std::optional<Rounding> rounding_at(Session& session, const Ladder& ladder, int top, int last_place,
                                    const std::optional<std::pair<Amount, Amount>>& factors) {
    std::vector<Scene> scenes;
    for (const int quarter : quarters)
        scenes.push_back(scene(session, ladder, top, amount(quarter, last_place - 2), factors));
    const auto asked = session.ask(scenes);
    std::optional<Rounding> found;
    for (std::size_t mode = 0; mode < rounding_names.size(); ++mode) {
        bool fits = true;
        for (std::size_t i = 0; i < quarters.size() && fits; ++i)
            fits = asked[i] &&
                   session.value(*asked[i]) == amount(rounded(quarters[i], static_cast<Rounding>(mode)), last_place);
        if (!fits) continue;
        if (found) return std::nullopt;
        found = static_cast<Rounding>(mode);
    }
    return found;
}

std::string bits_text(int bits, bool at_least) { return sentence(at_least ? "≥ " : "", bits); }

void report(Session& session, const Alignment& alignment, bool of_c, std::size_t first, const std::string& why) {
    Feature bits{.key = of_c ? "c_alignment_bits" : "alignment_bits",
                 .title = of_c ? "fraction bits of c kept" : "fraction bits kept",
                 .value = {},
                 .why = why,
                 .decided_by = {}};
    Feature mode{.key = of_c ? "c_alignment_rounding" : "alignment_rounding",
                 .title = of_c ? "rounding of c when aligned" : "rounding when aligned",
                 .value = {},
                 .why = why,
                 .decided_by = {}};
    const auto decided_by = indices(first, session.count());
    if (alignment.F) {
        bits.value = bits_text(*alignment.F, alignment.lossless);
        bits.why = alignment.lossless ? sentence("nothing is lost ", *alignment.F, " places below the largest term")
                                      : "F: places below the exponent of the largest term";
        bits.decided_by = decided_by;
        mode.why = alignment.lossless
                       ? "nothing is cut"
                       : "the answers fit none of the rounding modes, or the formats do not reach below the last place";
    }
    if (alignment.mode) {
        mode.value = std::string(name(*alignment.mode));
        mode.why = "of what lies below the last kept place";
        mode.decided_by = decided_by;
    }
    if (!of_c) {
        Feature extra{.key = "extra_bits", .title = "extra bits", .value = {}, .why = why, .decided_by = {}};
        if (alignment.F) {
            extra.value = bits_text(*alignment.F - session.d().mantissa_bits, alignment.lossless);
            extra.why = "fraction bits kept beyond those of d";
            extra.decided_by = decided_by;
        }
        session.add(std::move(bits));
        session.add(std::move(extra));
    } else {
        session.add(std::move(bits));
    }
    session.add(std::move(mode));
}

/// The same on the first and on the last lanes of the block, or nothing.
std::optional<Alignment> agreed(Session& session, const Structure& structure, bool small_c, std::string& why) {
    const auto ladder = ladder_of(structure, small_c, false), other = ladder_of(structure, small_c, true);
    if (!ladder) return std::nullopt;
    const int top = span_of(session.shape()).high;
    const Alignment one = ladder->climb(session, top), two = other->climb(session, top);
    if (one.F != two.F || one.lossless != two.lossless || one.mode != two.mode) {
        why = "the lanes of the block differ";
        return Alignment{};
    }
    if (!one.F) why = "the answers fit no alignment";
    return one;
}

} // namespace

Alignment Ladder::climb(Session& session, int top, const std::optional<std::pair<Amount, Amount>>& factors) const {
    const Span span = span_of(session.shape());
    std::vector<Scene> scenes;
    for (int x = top - 1; x >= span.low; --x) scenes.push_back(scene(session, *this, top, power(x), factors));
    const auto asked = session.ask(scenes);
    int survived = 0, last = top;
    bool lost = false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const int x = top - 1 - static_cast<int>(i);
        if (!asked[i]) return {}; // all of them can be put: a missing answer
        if (session.value(*asked[i]) != power(x)) {
            lost = true;
        } else if (lost) {
            return {}; // a smaller one survives where a larger one does not
        } else {
            ++survived;
            last = x;
        }
    }
    if (asked.empty()) return {};
    if (!lost) return {.F = survived, .lossless = true, .mode = std::nullopt};
    return {.F = survived, .lossless = false, .mode = rounding_at(session, *this, top, last, factors)};
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
    if (products || !structure.known()) report(session, products.value_or(Alignment{}), false, first, why);
    if (const bool early = structure.c == CPlace::early; early && products) {
        first = session.count();
        why.clear();
        const auto c = agreed(session, structure, true, why);
        report(session, c.value_or(Alignment{}), true, first, why);
    }
    return products.value_or(Alignment{});
}

} // namespace discern::probe
