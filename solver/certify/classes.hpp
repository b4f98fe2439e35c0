// Certificates of many equalities at once: classes of units that are the same, as a suite, an audit or an
// identification relies on them.
#pragma once

#include "write.hpp"

#include <functional>

namespace discern::certificate {

struct WrittenClasses {
    std::size_t merges = 0;  ///< of several units each, with a certificate
    std::size_t assumed = 0; ///< units that the claim says are the same as another without one
};

/// For each class as few merges as are found, each with a certificate in a folder of its own; what is not proved by
/// the deadline is assumed, and the claim says so. Units of one class are members of a space, as a rule, and have most
/// gates in common: a merge is of many at once, and its circuit has each gate once.
/// @param classes   units of one shape; a class may have one, and a unit may be there twice
/// @param assumed   sentences about what else is assumed
/// @param folder    made if it is not there
/// @param progress  called with what is being done, if there is one
/// @throws Error if the folder cannot be written or is not empty, or the limits leave no input
/// @throws std::logic_error if the reference circuits of two units of a class differ
WrittenClasses write_classes(const std::vector<std::vector<Unit>>& classes, const std::vector<std::string>& assumed,
                             const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options,
                             const std::function<void(const std::string&)>& progress);

} // namespace discern::certificate
