#include "observations.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

std::optional<ReadAs> read_as(const std::string& unit) {
    if (unit.empty()) return std::nullopt;
    return ReadAs{.unit = unit, .shape = shape_of(resolve_unit(unit))};
}

bool NotObserved::count(const Vector& vector) {
    if (vector.error.empty()) return false;
    if (count_++ == 0) first_ = vector.error;
    return true;
}

std::string NotObserved::but_those() const {
    return count_ == 0 ? "" : sentence(" but ", count_, " that the target could not answer");
}

std::string NotObserved::summary() const {
    if (count_ == 0) return "";
    return sentence("left out ", count_, " that the target could not answer, the first because: ", printable(first_),
                    "\n");
}

std::uint64_t require_observation(const VectorReader& reader, const Vector& vector, std::string_view who) {
    if (vector.d_is_list)
        throw Error(reader.at_line(sentence("field d: is a list; ", who, " one observed result a vector")));
    if (vector.d.empty())
        throw Error(reader.at_line(sentence("field d: missing; ", who, " the results that are in the file")));
    return vector.d.front();
}

bool same_observation(const Format& format, bool nan_any, std::uint64_t d1, std::uint64_t d2) {
    if (d1 == d2) return true;
    return nan_any && decode(format, d1).number_class == NumberClass::nan &&
           decode(format, d2).number_class == NumberClass::nan;
}

} // namespace discern::cli
