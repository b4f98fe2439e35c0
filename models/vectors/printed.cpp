#include "models/printed.hpp"

#include <algorithm>
#include <limits>

namespace discern {

bool lies_in(const Format& format, PlaceRange range, std::uint64_t bits) {
    if (decode(format, bits).number_class == NumberClass::nan) return false;
    const std::int64_t place = place_of(format, bits);
    return range.first <= place && place <= range.last;
}

bool may_be_printed(const PrintedRanges& ranges, std::size_t number, const Shape& shape, const Inputs& inputs,
                    std::uint64_t observed, std::uint64_t result,
                    const std::function<std::uint64_t(const Inputs&)>& evaluate) {
    const Format& d_format = format(shape.d);
    if (ranges.empty() || decode(d_format, observed).number_class == NumberClass::nan) return false;
    const std::int64_t place = place_of(d_format, observed);
    const PlaceRange d = ranges.d.empty() ? PlaceRange{place, place} : ranges.d[number];
    if (!ranges.d.empty() && lies_in(d_format, d, result)) return true;
    if (ranges.c.empty()) return false;
    Inputs end = inputs;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t c : {ranges.c[number].first, ranges.c[number].last}) {
        end.c = pattern_at_place(format(*shape.c), c);
        const std::uint64_t at_end = evaluate(end);
        if (decode(d_format, at_end).number_class == NumberClass::nan) return false;
        least = std::min(least, place_of(d_format, at_end));
        most = std::max(most, place_of(d_format, at_end));
    }
    return least <= d.last && d.first <= most;
}

} // namespace discern
