// A simplified witness is kept if its kind is new; others fill the set at the end.
#include "witness_set.hpp"

#include "shrink.hpp"

namespace discern {

bool WitnessSet::is_new(const Vector& v, bool profile) const {
    const Kind k = kind(v);
    return profile ? !profiles_.contains(profile_of(k)) : !kinds_.contains(k);
}

void WitnessSet::keep(Vector vector, const std::string& by) {
    const Replay r = check_(vector, by);
    vector.d = {r.d1, r.d2};
    vector.d_is_list = true;
    const Kind k = kind(vector);
    profiles_.insert(profile_of(k));
    kinds_.insert(k);
    kept_.push_back(std::move(vector));
}

bool WitnessSet::offer(Vector vector, const std::string& by) {
    check_(vector, by);
    Vector simple = shrink_ ? shrunk(pair_, vector) : vector;
    if (is_new(simple, true)) {
        keep(std::move(simple), by);
        return true;
    }
    if (is_new(simple, false) && spare_.size() < wanted_) spare_.push_back({std::move(simple), by});
    if (raw_.size() < wanted_ && raw_kinds_.insert(kind(vector)).second) raw_.push_back({std::move(vector), by});
    return false;
}

void WitnessSet::fill(const Limit& limit) {
    for (Found& found : spare_)
        if (!enough() && is_new(found.vector, false)) keep(std::move(found.vector), found.by);
    spare_.clear();
    for (Found& found : raw_)
        if (!enough() && !limit.reached()) take(std::move(found.vector), found.by, false);
    raw_.clear();
}

bool WitnessSet::take(Vector vector, const std::string& by, bool new_profile) {
    check_(vector, by);
    if (!is_new(vector, new_profile)) return false;
    if (shrink_) vector = shrunk(pair_, std::move(vector), [&](const Vector& v) { return is_new(v, new_profile); });
    keep(std::move(vector), by);
    return true;
}

} // namespace discern
