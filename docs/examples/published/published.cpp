#include "published.hpp"

namespace discern::published {

const std::vector<Named>& collections() {
    static const std::vector<Named> all = {{"divergence", divergence}, {"gemm", gemm},
                                           {"floor", floor_of_h100},   {"rounding", rounding_of_v100},
                                           {"frame", frame_of_rdna35}, {"correction", error_correction}};
    return all;
}

} // namespace discern::published
