#include "usual_schedules.hpp"

#include "models/catalogue.hpp"
#include "models/schedule/usual.hpp"

#include <algorithm>
#include <utility>

namespace discern::kernels {

namespace {

std::vector<Candidate> of_size(const Shape& shape, int instruction, int block) {
    std::vector<Candidate> candidates;
    for (Schedule& s : discern::usual_schedules(shape.d, shape.K)) {
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
