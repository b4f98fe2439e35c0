// A format of scales, drawn: powers of two as often as those with a significand.
#pragma once

#include "models/format.hpp"
#include "models/random.hpp"

#include <array>

namespace discern::tests {

inline FormatId any_scale_format(Random& random) {
    constexpr std::array all = {FormatId::e8m0, FormatId::e8m0, FormatId::ue4m3, FormatId::ue5m3};
    return all[random.below(all.size())];
}

} // namespace discern::tests
