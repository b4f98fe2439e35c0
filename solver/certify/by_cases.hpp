// A certificate of an answer by cases: a proof for each case, and one that the cases are all inputs.
//
// What splits the inputs (SplitProof) is not trusted, and the checker does not know what a case means: it has the
// conditions as a circuit. So a case may be anything that helps, as a number that is zero, or how much larger an
// exponent is than another.
#pragma once

#include "write.hpp"

namespace discern::certificate {

/// @param what     with `by_cases`. Each proof is written when it is found, and removed again if not all are
/// @param vectors  that it shows
/// @throws as write_certificate
Written write_by_cases(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                       const std::vector<InputBuffer>& vectors, const WriteOptions& options);

} // namespace discern::certificate
