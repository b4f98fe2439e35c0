#include "devices.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <utility>

namespace discern::cli {

namespace {

std::string device_of(const TargetInstance& instance) { return instance.target.substr(0, instance.target.find('/')); }

/// Whether the devices have the same name and the same instructions.
bool is_equal(const std::vector<TargetInstance>& one, const std::vector<TargetInstance>& other) {
    return std::ranges::equal(one, other, [](const TargetInstance& a, const TargetInstance& b) {
        return a.summary == b.summary && a.unit == b.unit;
    });
}

} // namespace

std::vector<EqualDevices> equal_devices(const TargetKind& kind) {
    std::vector<EqualDevices> all;
    for (TargetInstance& instance : kind.instances()) {
        const std::string device = device_of(instance);
        if (all.empty() || all.back().devices.front() != device) all.push_back({{device}, {}});
        all.back().instances.push_back(std::move(instance));
    }
    std::vector<EqualDevices> groups;
    for (EqualDevices& one : all) {
        const auto same = std::ranges::find_if(
            groups, [&](const EqualDevices& group) { return is_equal(group.instances, one.instances); });
        if (same == groups.end())
            groups.push_back(std::move(one));
        else
            same->devices.push_back(one.devices.front());
    }
    return groups;
}

std::string others_in_words(const EqualDevices& group) {
    const auto& all = group.devices;
    if (all.size() == 2) return all[1];
    if (all.size() == 3) return sentence(all[1], " and ", all[2]);
    return sentence(all[1], " … ", all.back());
}

} // namespace discern::cli
