// "Did you mean": the nearest right names, for the sentences of errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Up to `most` of the candidates nearest to `text` by edit distance, nearest first, candidates that share nothing with
/// it left out.
std::vector<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates,
                                 std::size_t most = 3);

/// " (did you mean X, Y or Z?)" or "" if nothing is near.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& candidates);

} // namespace discern
