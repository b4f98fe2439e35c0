// Operations on bits where not all are known: bytes of a result that are an operand's, or known.
#pragma once

#include "graph.hpp"

#include <utility>

namespace discern::programs {

/// What is done with single bytes: nothing of it, or one of these.
enum class Bytes : std::uint8_t { none, conjunction, disjunction, difference, sum, left, right };

constexpr bool is_shift(Bytes what) { return what == Bytes::left || what == Bytes::right; }

/// A shift by whole bytes. @return whether it is one
inline bool shifted_bytes(Bytes what, std::span<const Code> x, std::uint64_t by, std::span<Code> result) {
    if (by % 8 != 0) return false;
    for (std::uint64_t i = 0; i < result.size(); ++i) {
        const bool inside = what == Bytes::left ? i >= by / 8 : i + by / 8 < result.size();
        result[i] = inside ? x[what == Bytes::left ? i - by / 8 : i + by / 8] : 0;
    }
    return true;
}

/// The others, byte by byte. @return whether each byte of the result is one of an operand or known
inline bool connected_bytes(Bytes what, std::span<const Code> one, std::span<const Code> other,
                            std::span<Code> result) {
    if (what == Bytes::none) return false;
    for (std::size_t i = 0; i < result.size(); ++i) {
        Code x = one[i], y = other[i];
        if (is_known(x)) std::swap(x, y);
        if (is_known(x) && is_known(y)) {
            if (what == Bytes::sum && x != 0 && y != 0) return false;
            result[i] = what == Bytes::conjunction ? x & y : what == Bytes::difference ? x ^ y : x | y;
        } else if (!is_known(y) || (y != 0 && (y != 255 || what != Bytes::conjunction))) {
            return false;
        } else {
            result[i] = what == Bytes::conjunction && y == 0 ? 0 : x;
        }
    }
    return true;
}

/// The same of predicates, of which y alone is known.
inline bool connected_predicates(Bytes what, Code x, Code y, Code& result) {
    const bool settles = (what == Bytes::conjunction && y == 0) || (what == Bytes::disjunction && y == 1);
    const bool keeps = (what == Bytes::conjunction && y == 1) || (what != Bytes::conjunction && y == 0);
    if (settles || keeps) result = settles ? y : x;
    return settles || keeps;
}

} // namespace discern::programs
