// What `suite --space --json` says of the members of a space: which are the same, and vectors on which others differ.
#pragma once

#include "claim.hpp"
#include "members.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace discern::claims {

/// Compares the answer with these inputs. Adds the claims to the result, and what is wrong if one is.
void compare_classes(const nlohmann::json& said, const std::vector<Member>& units, const AllInputs& inputs,
                     Compared& result);

} // namespace discern::claims
