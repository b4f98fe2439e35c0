#include "kinds.hpp"

#include <array>

namespace discern::claims {

std::span<const Kind> kinds() {
    static const std::array table = {
        same_units(),
        classes_of_spaces(),
        identified_units(),
        consistent_units(),
        certificates(),
    };
    return table;
}

} // namespace discern::claims
