// The formats of the IEEE working group P3109 by the names of its interim report, binary8p3sf, and by those of the
// Python package gfloat, p3109_k8p3sf: K bits, a precision of P, s or u for signed or unsigned, e or f for extended
// (with infinities) or finite. A signed one is fnuz or inuz by another name: its only NaN is in the place of −0, its
// bias is 2^(K−P−1), and if it is extended, its largest magnitude is infinite.
#pragma once

#include "models/format.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern {

struct P3109Name {
    int width = 0;     ///< K
    int precision = 0; ///< P: bits of a significand, of which the first is not stored
    bool is_signed = true;
    bool is_extended = true; ///< the largest magnitude is infinite; without a letter too, as the first report had it
};

/// What a name in lower case says, if it is one of P3109's.
std::optional<P3109Name> p3109_name(std::string_view lower);
/// The format of that name, if there is one here.
std::optional<FormatId> format_of(const P3109Name& name);
/// Why there is none, in a sentence that says what would be right.
std::string why_no_format(const P3109Name& name);

} // namespace discern
