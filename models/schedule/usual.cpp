#include "usual.hpp"

#include <algorithm>

namespace discern {

namespace {

/// Contiguous parts of whole tiles, of which the last has what is left; empty if there are no such n, or they are
/// equal.
std::vector<int> parts_of_tiles(int K, int n, int tile) {
    const int each = ((K + tile - 1) / tile + n - 1) / n * tile;
    std::vector<int> parts;
    if (each * (n - 1) < K && each * n != K)
        for (int first = 0; first < K; first += each) parts.push_back(std::min(each, K - first));
    return parts;
}

} // namespace

std::vector<Schedule> usual_schedules(FormatId d, int K, int most) {
    constexpr int tile = 128;
    std::vector<Schedule> schedules;
    const auto add = [&](Schedule s) {
        schedules.push_back(s);
        for (const int every : {tile, tile / 2, 2 * tile}) {
            s.promote = Promotion{every, {d, Rounding::rne}};
            if (every == tile || s.split.empty()) schedules.push_back(s);
        }
    };
    add({});
    for (int n = 2; n <= most; ++n) {
        // Contiguous parts of whole tiles, equal parts, and tiles that are dealt out.
        Schedule s;
        s.split = parts_of_tiles(K, n, tile);
        if (!s.split.empty()) add(s);
        s.split = {n};
        for (const FoldOrder order : {FoldOrder::order, FoldOrder::pairwise}) {
            s.order = order;
            add(s);
        }
        s = {};
        s.slice = n;
        for (const int run : {tile / 2, tile / 4})
            for (const FoldOrder order : {FoldOrder::order, FoldOrder::last_halves}) {
                s.run = run;
                s.order = order;
                add(s);
            }
    }
    return schedules;
}

std::vector<Schedule> all_known_schedules(FormatId d, int K, bool adds_c) {
    std::vector<Schedule> schedules = usual_schedules(d, K, 16);
    for (int n = 2; n <= 16; ++n) {
        Schedule s;
        s.split = parts_of_tiles(K, n, 64);
        if (!s.split.empty()) schedules.push_back(s);
    }
    for (const int block : {64, 128, 192, 256, 320, 352, 384, 448, 512})
        for (const std::optional<int> share : {std::optional<int>(), std::optional<int>(16)}) {
            if (block < K) schedules.push_back({.kc = {block}, .kc_share = share, .from_zero = true});
        }
    for (const int lanes : {2, 4, 8, 16, 32})
        for (const FoldOrder order : {FoldOrder::order, FoldOrder::pairwise, FoldOrder::halving}) {
            schedules.push_back({.lanes = lanes, .order = order});
        }
    // A piece as long as what is dealt to its accumulator is no piece.
    std::erase_if(schedules, [K](const Schedule& s) {
        const int parts = s.split.size() == 1 ? s.split.front() : 1;
        const int longest = s.split.size() > 1 ? *std::ranges::max_element(s.split) : (K + parts - 1) / parts;
        return s.promote && s.promote->every >= (longest + s.slice - 1) / s.slice;
    });
    if (adds_c)
        for (std::size_t i = 0, count = schedules.size(); i < count; ++i) {
            if (schedules[i].from_zero) continue;
            schedules.push_back(schedules[i]);
            schedules.back().from_zero = true;
        }
    return schedules;
}

} // namespace discern
