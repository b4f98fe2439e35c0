// The devices of a kind of target, those that are equal as one group: eight GPUs of one model are asked once.
#pragma once

#include "hwrunner/kinds.hpp"

#include <string>
#include <vector>

namespace discern::cli {

struct EqualDevices {
    std::vector<std::string> devices;      ///< "cuda:0", "cuda:1", …
    std::vector<TargetInstance> instances; ///< of the first
};

/// In the order of the first of each. @param kind  one that says its instances, and is available
std::vector<EqualDevices> equal_devices(const TargetKind& kind);

/// "cuda:1 … cuda:7": all but the first.
std::string others_in_words(const EqualDevices& group);

} // namespace discern::cli
