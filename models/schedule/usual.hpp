// The schedules that libraries have (docs/kernels.md): what is tried where the order over k cannot be read off.
#pragma once

#include "models/kernel.hpp"

#include <vector>

namespace discern {

/// Those of tiles of 128 products, with up to `most` parts or slices, the plainest first.
/// @param d  the format of the sums @param K  the length
std::vector<Schedule> usual_schedules(FormatId d, int K, int most = 8);

/// These, with up to sixteen parts, and the blocks, lanes and tiles of 64 that libraries for CPUs and for other tiles
/// have. @param adds_c  whether C, which is not always +0, may also be added at the end
std::vector<Schedule> all_known_schedules(FormatId d, int K, bool adds_c);

} // namespace discern
