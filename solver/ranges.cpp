// See ranges.hpp.
#include "ranges.hpp"

#include <algorithm>

namespace discern {

int Ranges::last_place_of_products() const {
    return last_place(unit_.a) + last_place(unit_.b) + (unit_.scale ? 2 * last_place(unit_.scale->format) : 0);
}

/// Rounding to any place, up to the largest number of a format too, leaves a multiple of what it was a multiple of,
/// since the last place of every format's largest number is above that of any product.
int Ranges::last_place_of_all() const {
    const int place = last_place_of_products();
    return c_ ? std::min(place, last_place(*c_)) : place;
}

std::optional<int> Ranges::last_place(const Node& node) const {
    if (std::holds_alternative<Product>(node.kind) || std::holds_alternative<Group>(node.kind))
        return last_place_of_products();
    if (std::holds_alternative<Accumulator>(node.kind))
        return c_ ? std::min(last_place(unit_.d), last_place(*c_)) : last_place(unit_.d);
    if (const auto* round = std::get_if<Round>(&node.kind)) return last_place(round->format);
    return std::nullopt;
}

int Ranges::lowest_exponent(const Fuse& fuse) const {
    int lowest = lowest_exponent(fuse.children.front().get());
    for (const Child& child : fuse.children) lowest = std::min(lowest, lowest_exponent(child.get()));
    return lowest;
}

int Ranges::lowest_exponent(const Node& node) const {
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).emin() : 0;
    if (const auto* product = std::get_if<Product>(&node.kind)) {
        if (product->normalisation == Normalisation::full) return last_place_of_products(); // leading zeros count
        return format(unit_.a).emin() + format(unit_.b).emin() + scales;
    }
    if (std::holds_alternative<Group>(node.kind)) return scales;
    if (const auto* c = std::get_if<Accumulator>(&node.kind)) return emins_of(*c).first;
    if (const auto* round = std::get_if<Round>(&node.kind)) return format(round->format).emin();
    return lowest_exponent(std::get<Fuse>(node.kind)); // it is not zero only if one of its children is not
}

/// A number that is not zero has the exponent of its leading digit or the smallest of the format it is read in, which
/// is larger where it is subnormal; its leading digit is not below its last place.
int Ranges::lowest_exponent_of_results(const Accumulator& c) const {
    const auto lowest = [&](FormatId id, int place) { return std::max(format(c.as.value_or(id)).emin(), place); };
    const int result = lowest(unit_.d, last_place_of_all());
    return c_ ? std::min(lowest(*c_, last_place(*c_)), result) : result;
}

std::optional<int> Ranges::zero_exponent(const Child& child) const {
    if (child.zero.kind == ZeroExponent::Kind::constant) return child.zero.value;
    if (child.zero.kind != ZeroExponent::Kind::own) return std::nullopt;
    if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) return emins_of(*c).second;
    if (const auto* round = std::get_if<Round>(&child.get().kind)) return format(round->format).emin();
    return std::nullopt; // of a product or a sum: may be anything
}

std::optional<int> Ranges::zero_exponent_at_most(const Child& child) const {
    if (child.zero.kind != ZeroExponent::Kind::own) return zero_exponent(child);
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() : 0;
    const Format &a = format(unit_.a), &b = format(unit_.b);
    if (std::holds_alternative<Group>(child.get().kind)) return scales;
    if (std::holds_alternative<Product>(child.get().kind))
        return std::max(a.emin() + b.emax(), a.emax() + b.emin()) + scales;
    return zero_exponent(child);
}

int Ranges::fraction_bits(const Node& leaf) const {
    if (std::holds_alternative<Accumulator>(leaf.kind))
        return std::max(format(unit_.d).mantissa_bits, c_ ? format(*c_).mantissa_bits : 0);
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).mantissa_bits : 0;
    return format(unit_.a).mantissa_bits + format(unit_.b).mantissa_bits + scales;
}

/// What is left of a term is a multiple of 2^(E − F), and E is no smaller than the exponent of any term.
int Ranges::last_place_of_sum(const Node& node) const {
    const int place = last_place_of_all();
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return place;
    int F = 0;
    for (const Child& child : fuse->children) {
        if (!child.F) return place;
        F = std::max(F, *child.F);
    }
    return std::max(place, lowest_exponent(*fuse) - F);
}

/// Smallest and largest emin of the formats that c is read in.
std::pair<int, int> Ranges::emins_of(const Accumulator& c) const {
    int least = format(unit_.d).emin(), most = least;
    for (const auto& id : {c_, c.as})
        if (id) {
            least = std::min(least, format(*id).emin());
            most = std::max(most, format(*id).emin());
        }
    return {least, most};
}

int Ranges::product_bound() const {
    const int scales = unit_.scale ? 2 * (format(unit_.scale->format).emax() + 1) : 0;
    return format(unit_.a).emax() + 1 + format(unit_.b).emax() + 1 + scales;
}

/// Alignment may round a term up, but not above a multiple of 2^exponent.
std::int64_t Ranges::significand_bound(const Node& node) const {
    if (const auto* product = std::get_if<Product>(&node.kind)) {
        if (unit_.scale && format(unit_.scale->format).mantissa_bits > 0) return 0;
        const Selection which = product->which;
        const int n = which.step == 0 ? 1 : (unit_.L - which.first + which.step - 1) / which.step;
        return std::int64_t{n} * (product->normalisation == Normalisation::raw ? 4 : 2);
    }
    const bool one_number = std::holds_alternative<Accumulator>(node.kind) || std::holds_alternative<Round>(node.kind);
    return one_number ? 2 : 0;
}

std::int64_t Ranges::significand_bound(const Fuse& fuse) const {
    std::int64_t together = 0;
    for (const Child& child : fuse.children) {
        const std::int64_t bound = significand_bound(child.get());
        if (bound == 0) return 0;
        together += bound;
    }
    return together;
}

} // namespace discern
