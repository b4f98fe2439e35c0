// What targets of whole matrices have to keep: a result depends on a row, a column and an element of C, and not on
// where they are. The first vectors of a run are put into all places at once.
#pragma once

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern {

inline constexpr std::size_t vectors_at_every_place = 16; ///< of a run, the first ones

/// The complaint about D of one vector in all places, row by row, if its elements differ. @param what  has the places
inline std::optional<std::string> differs_by_place(std::string_view name, std::string_view what, const Format& format,
                                                   std::span<const std::uint64_t> d, std::size_t columns) {
    const auto other = std::ranges::find_if(d, [&](std::uint64_t result) { return result != d.front(); });
    if (other == d.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(other - d.begin());
    return sentence(name, " gives different results for one vector in different places of ", what, ": ",
                    to_hex(format, d.front()), " at (0, 0), ", to_hex(format, *other), " at (", index / columns, ", ",
                    index % columns, "); all places must give the same bits");
}

} // namespace discern
