// How far a result is from the exact sum, as the commands that show one vector say it.
#pragma once

#include "analysis/explain/exactness.hpp"
#include "cli/base/json.hpp"

#include <string>

namespace discern::cli {

/// "5.5999267578125", or in hexadecimal with a decimal behind it that is about the same.
std::string exact_text(const explain::Exactness& one);

/// "0.6 ulp below it, relative 5.1e-08", "exactly it", or why nothing can be said.
std::string distance_text(const explain::Exactness& one);

/// `exact`, `ulp_error` and `relative_error`, signed and null where nothing can be said, and `correctly_rounded`.
void put_exactness(Json& object, const explain::Exactness& one);

} // namespace discern::cli
