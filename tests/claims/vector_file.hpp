// Files of vectors for commands that read some.
#pragma once

#include "claim.hpp"

#include "models/evaluate.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace discern::claims {

/// So many vectors, inputs of all families, as JSON Lines.
/// @param result_of  d of these inputs
std::string vector_file(const Unit& unit, std::size_t count, Random& random,
                        const std::function<std::uint64_t(const Inputs&)>& result_of);

/// Cases with fewer of what the text of that name counts, such as vectors.
std::vector<Case> with_fewer(const Case& asked, const std::string& name);

} // namespace discern::claims
