#include "usual_schedules.hpp"

#include "models/catalogue.hpp"

#include <algorithm>
#include <utility>

namespace discern::kernels {

namespace {

std::vector<Candidate> of_size(const Shape& shape, int instruction, int block) {
    constexpr int tile = 128, most = 8;
    std::vector<Schedule> schedules;
    const auto add = [&](Schedule s) {
        schedules.push_back(s);
        for (const int every : {tile, tile / 2, 2 * tile}) {
            s.promote = Promotion{every, {shape.d, Rounding::rne}};
            if (every == tile || s.split.empty()) schedules.push_back(s);
        }
    };
    add({});
    for (int n = 2; n <= most; ++n) {
        // Contiguous parts of whole tiles, equal parts, and tiles that are dealt out.
        const int each = ((shape.K + tile - 1) / tile + n - 1) / n * tile;
        Schedule s;
        if (each * (n - 1) < shape.K && each * n != shape.K) {
            for (int first = 0; first < shape.K; first += each) s.split.push_back(std::min(each, shape.K - first));
            add(s);
        }
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
    std::vector<Candidate> candidates;
    for (Schedule& s : schedules) {
        Candidate c;
        c.schedule = std::move(s);
        c.instruction = instruction;
        c.block = block;
        c.begins_from_c = shape.c.has_value();
        for (int k = 0; k < instruction; ++k) c.chain.push_back(k);
        candidates.push_back(std::move(c));
    }
    return candidates;
}

} // namespace

std::vector<Candidate> usual_schedules(const Shape& shape) {
    std::vector<std::vector<Candidate>> of_sizes;
    std::vector<std::pair<int, int>> sizes;
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit& u = entry.unit;
        const std::pair size{u.K, u.L};
        if (u.a != shape.a || u.b != shape.b || u.scale != shape.scale || u.d != shape.d) continue;
        if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) continue;
        sizes.push_back(size);
        of_sizes.push_back(of_size(shape, u.K, u.L));
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; !of_sizes.empty() && i < of_sizes.front().size(); ++i)
        for (const auto& list : of_sizes) candidates.push_back(list[i]);
    return candidates;
}

} // namespace discern::kernels
