// Stores of several machines as one, and whether a store is in order.
//
// What two stores say of one question has to agree, and so has what follows from it: units that are the same as a third
// are the same as each other. One wrong answer anywhere would otherwise be spread by merging, so it is refused, and
// named.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace discern {

struct StoreCounts {
    std::size_t units = 0, answers = 0, joint = 0, cells = 0;
    bool operator==(const StoreCounts&) const = default;
};

struct MergeReport {
    StoreCounts before, after; ///< of the store that the others are merged into
    /// Sentences, each of a question to which there are two answers; then nothing was merged.
    std::vector<std::string> contradictions;
};

/// Adds to a store, which is made if there is none, what others have. All of it or nothing.
/// @throws Error if a file is no store, or a store of another version
MergeReport merge_stores(const std::string& into, std::span<const std::string> from,
                         const std::function<void(const std::string&)>& progress = {});

struct StoreCheck {
    StoreCounts counts;
    std::size_t same = 0, different = 0; ///< of the answers
    std::size_t replayed = 0;            ///< witnesses and vectors of cells that were run on both models
    std::size_t tried = 0;               ///< pairs said to be the same on which random vectors were run
    std::size_t without_units = 0;       ///< answers of earlier versions, whose units are not known any more
    std::vector<std::string> wrong;      ///< sentences
};

/// Reads all that is in a store, replays what can be replayed, looks for answers that contradict each other, and runs
/// random vectors on units that are said to be the same.
/// @param vectors  for each of these
/// @throws Error if the file is no store
StoreCheck check_store(const std::string& file, std::size_t vectors,
                       const std::function<void(const std::string&)>& progress = {});

} // namespace discern
