// Certificates of many equalities at once: classes of units that are the same, as a suite, an audit or an
// identification relies on them.
#pragma once

#include "write.hpp"

#include <functional>

namespace discern::certificate {

struct WrittenClasses {
    std::size_t merges = 0;   ///< with a certificate
    std::size_t unproved = 0; ///< that the claim says are assumed
};

/// For each class one unit fewer merges, each with a certificate in a folder of its own; what is not proved by the
/// deadline is assumed, and the claim says so.
/// @param classes   units of one shape; a class may have one, and a unit may be there twice
/// @param assumed   sentences about what else is assumed
/// @param folder    made if it is not there
/// @param progress  called with what is being done, if there is one
/// @throws Error if the folder cannot be written or is not empty
/// @throws std::logic_error if the plain circuits of two units of a class differ
WrittenClasses write_classes(const std::vector<std::vector<Unit>>& classes, const std::vector<std::string>& assumed,
                             const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options,
                             const std::function<void(const std::string&)>& progress);

} // namespace discern::certificate
