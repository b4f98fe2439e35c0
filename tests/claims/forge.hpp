// Forged certificates of claims that are not true: the claim is written by hand, and proved as far as it can be.
#pragma once

#include "certificate/limits.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include <filesystem>
#include <vector>

namespace discern::claims {

/// Units of several blocks as a chain: obligations of the first block and, if that is another, of a later one, each
/// within the limits; of the first alone if that of a later one is not proved. Whether the units may be compared so,
/// and whether these are enough, is for the checker to say.
/// @return whether the first was proved
bool forge_chain(const std::vector<Unit>& units, const certificate::Limits& limits,
                 const std::filesystem::path& folder);

/// All units as one class, by certificates of the first and the second, of the second and the third, and so on.
/// @return whether each was proved
bool forge_class(const std::vector<Unit>& units, const certificate::Limits& limits,
                 const std::filesystem::path& folder);

/// Changes a certificate in one place: a unit, the limits, a file, a class; and makes all digests match again, so that
/// nothing but what it says can be wrong.
/// @param lines  units from which another is taken
/// @param spare  a certificate of something else, from which a file may be taken
void change(Random& random, const std::filesystem::path& folder, const std::vector<Unit>& lines,
            const std::filesystem::path& spare);

/// Makes the digests those of the files as they are.
void match_digests(const std::filesystem::path& folder);

} // namespace discern::claims
