// See ranges.hpp.
#include "ranges.hpp"

#include "models/tree_shape.hpp"
#include "models/wide_int.hpp"

#include <algorithm>
#include <climits>

namespace discern {

int Ranges::last_place_of_products() const {
    return format(unit_.a).last_place() + format(unit_.b).last_place() +
           (unit_.scale ? 2 * format(unit_.scale->format).last_place() : 0);
}

/// Rounding to any place, up to the largest number of a format too, leaves a multiple of what it was a multiple of,
/// since the last place of every format's largest number is above that of any product.
int Ranges::last_place_of_all() const {
    const int place = last_place_of_products();
    return c_ ? std::min(place, format(*c_).last_place()) : place;
}

std::optional<int> Ranges::last_place(const Node& node) const {
    if (std::holds_alternative<Product>(node.kind) || std::holds_alternative<Group>(node.kind))
        return last_place_of_products();
    if (std::holds_alternative<Accumulator>(node.kind))
        return c_ ? std::min(format(unit_.d).last_place(), format(*c_).last_place()) : format(unit_.d).last_place();
    if (const auto* round = std::get_if<Round>(&node.kind)) return format(round->format).last_place();
    return std::nullopt;
}

/// A sum is a multiple of what its terms are multiples of, wherever they are cut.
int Ranges::last_place_of_terms(const Node& node) const {
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return last_place(node).value_or(last_place_of_all());
    int place = INT_MAX;
    for (const Child& child : fuse->children) place = std::min(place, last_place_of_terms(child.get()));
    return place;
}

int Ranges::lowest_exponent(const Fuse& fuse) const {
    int lowest = lowest_exponent(fuse.children.front().get());
    for (const Child& child : fuse.children) lowest = std::min(lowest, lowest_exponent(child.get()));
    return lowest;
}

int Ranges::lowest_reference(const Fuse& fuse) const {
    int lowest = std::max(lowest_exponent(fuse), fuse.floor.value_or(INT_MIN));
    for (const Child& child : fuse.children) {
        const bool own_of_leaf =
            child.zero.kind == ZeroExponent::Kind::own &&
            (std::holds_alternative<Group>(child.get().kind) || std::holds_alternative<Product>(child.get().kind));
        if (own_of_leaf) lowest = std::max(lowest, lowest_exponent(child.get())); // zero or not
        if (child.zero.kind == ZeroExponent::Kind::constant)
            lowest = std::max(lowest, std::min(child.zero.value, lowest_exponent(child.get())));
    }
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

std::optional<int> Ranges::highest_exponent(const Fuse& fuse) const {
    int highest = fuse.floor.value_or(INT_MIN);
    for (const Child& child : fuse.children) {
        const auto of_child = highest_exponent(child.get());
        if (!of_child) return std::nullopt;
        highest = std::max(highest, *of_child);
        if (child.zero.kind == ZeroExponent::Kind::constant) highest = std::max(highest, child.zero.value);
    }
    return highest;
}

/// Zero or not: a zero has no larger exponent than other numbers of its format.
std::optional<int> Ranges::highest_exponent(const Node& node) const {
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() : 0;
    if (const auto* product = std::get_if<Product>(&node.kind)) {
        const bool raw = product->normalisation == Normalisation::raw;
        if (!raw && unit_.scale && format(unit_.scale->format).mantissa_bits > 0) return std::nullopt;
        return format(unit_.a).emax() + format(unit_.b).emax() + scales + (raw ? 0 : 1);
    }
    if (std::holds_alternative<Group>(node.kind)) return scales;
    if (const auto* c = std::get_if<Accumulator>(&node.kind)) {
        const int of_input = c_ ? format(*c_).emax() : INT_MIN;
        return std::max({of_input, format(unit_.d).emax(), c->as ? format(*c->as).emin() : INT_MIN});
    }
    if (const auto* round = std::get_if<Round>(&node.kind)) return format(round->format).emax();
    return highest_exponent(std::get<Fuse>(node.kind));
}

/// A number that is not zero has the exponent of its leading digit or the smallest of the format it is read in, which
/// is larger where it is subnormal; its leading digit is not below its last place.
int Ranges::lowest_exponent_of_results(const Accumulator& c) const {
    const auto lowest = [&](FormatId id, int place) { return std::max(format(c.as.value_or(id)).emin(), place); };
    const int result = lowest(unit_.d, last_place_of_all());
    return c_ ? std::min(lowest(*c_, format(*c_).last_place()), result) : result;
}

std::optional<int> Ranges::zero_exponent(const Child& child) const {
    if (child.zero.kind == ZeroExponent::Kind::constant) return child.zero.value;
    if (child.zero.kind != ZeroExponent::Kind::own) return std::nullopt;
    if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) return emins_of(*c).second;
    if (const auto* round = std::get_if<Round>(&child.get().kind)) return format(round->format).emin();
    return std::nullopt; // of a product or a sum: may be anything
}

/// The exponent of a zero product is that of its factors' fields, which is not below the smallest of their formats.
std::optional<int> Ranges::least_exponent(const Child& child) const {
    const int lowest = lowest_exponent(child.get());
    if (child.zero.kind == ZeroExponent::Kind::constant) return std::min(child.zero.value, lowest);
    if (child.zero.kind == ZeroExponent::Kind::own && !std::holds_alternative<Fuse>(child.get().kind)) return lowest;
    return std::nullopt; // ignored, or a sum that may have no exponent
}

std::optional<int> Ranges::zero_exponent_at_most(const Child& child) const {
    if (child.zero.kind != ZeroExponent::Kind::own) return zero_exponent(child);
    const Format &a = format(unit_.a), &b = format(unit_.b);
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() : 0;
    const bool zero_scale = unit_.scale && format(unit_.scale->format).has_zero;
    if (zero_scale && std::holds_alternative<Product>(child.get().kind)) return a.emax() + b.emax() + scales;
    if (std::holds_alternative<Group>(child.get().kind)) return scales;
    if (std::holds_alternative<Product>(child.get().kind))
        return std::max(a.emin() + b.emax(), a.emax() + b.emin()) + scales;
    return zero_exponent(child);
}

int Ranges::fraction_bits(const Node& leaf) const {
    if (std::holds_alternative<Accumulator>(leaf.kind))
        return std::max(format(unit_.d).mantissa_bits, c_ ? format(*c_).mantissa_bits : 0);
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).mantissa_bits : 0;
    const auto* product = std::get_if<Product>(&leaf.kind);
    int normalised = 0;
    if (product != nullptr && product->normalisation == Normalisation::carry) normalised = 1;
    if (product != nullptr && product->normalisation == Normalisation::full) normalised = scales > 0 ? 3 : 1;
    return format(unit_.a).mantissa_bits + format(unit_.b).mantissa_bits + scales + normalised;
}

int Ranges::significand_bits() const {
    const auto bits = [](FormatId id) { return format(id).mantissa_bits + 1; };
    return bits(unit_.a) + bits(unit_.b) + (unit_.scale ? 2 * bits(unit_.scale->format) : 0);
}

/// What is left of a term is a multiple of 2^(E − F), and E is no smaller than the exponent of any term.
int Ranges::last_place_of_sum(const Node& node) const {
    const int place = std::max(last_place_of_all(), last_place_of_terms(node));
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return place;
    int F = 0;
    for (const Child& child : fuse->children) {
        if (!child.F) return place;
        F = std::max(F, *child.F);
    }
    return std::max(place, lowest_reference(*fuse) - F);
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
        return std::int64_t{count(product->which, unit_.L)} * (product->normalisation == Normalisation::raw ? 4 : 2);
    }
    const bool one_number = std::holds_alternative<Accumulator>(node.kind) || std::holds_alternative<Round>(node.kind);
    return one_number ? 2 : 0;
}

/// Rounding to F bits moves a term by less than 2^(E − F), and by nothing if it has no more bits and its exponent is E;
/// a smaller one does not become larger than that. Normalised, a product is below 2^(E + 1), which is not exceeded by
/// rounding. With a larger reference there are so many bits less.
bool Ranges::sum_is_below(const Fuse& fuse, int n, int raised) const {
    if (unit_.scale && format(unit_.scale->format).mantissa_bits > 0) return false;
    const Format &a = format(unit_.a), &b = format(unit_.b);
    const int fraction = a.mantissa_bits + b.mantissa_bits + 1; // one more if it is normalised
    const auto largest = [](const Format& f) { return (wide::i128{2} << f.mantissa_bits) - 1; };
    wide::i128 sum = 0; // in units of 2^(E − fraction)
    for (const Child& child : fuse.children) {
        const bool grows = child.F && child.rounding != Rounding::rz;
        const auto* product = std::get_if<Product>(&child.get().kind);
        if (const auto* group = std::get_if<Group>(&child.get().kind)) {
            const int above = a.emax() + b.emax() + 1; // the exponent of a group is that of its scales
            if (above < 1 || above > 40 || grows) return false;
            sum += count(group->which, unit_.L / group->size) * group->size * largest(a) * largest(b) << above;
            continue;
        }
        if (product == nullptr && !std::holds_alternative<Accumulator>(child.get().kind)) return false;
        const wide::i128 two = wide::i128{2} << fraction;
        if (product == nullptr) {
            sum += two; // c is below that, which is a multiple of 2^(E − F)
            continue;
        }
        const int F = child.F.value_or(fraction) - raised;
        const wide::i128 up = grows && F < fraction ? (wide::i128{1} << (fraction - F)) : 0;
        const bool raw = product->normalisation == Normalisation::raw;
        sum += count(product->which, unit_.L) * (raw ? 2 * largest(a) * largest(b) + up : std::min(two, two - 1 + up));
    }
    return fraction + n > 126 || (n >= 0 && sum < (wide::i128{1} << (fraction + n)));
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
