// The status flags: what raises them, and of which units they are defined.
#include "models/flags.hpp"

#include "raised_flags.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern {

namespace exact {

void RaisedFlags::by_operand(const Format& format, std::uint64_t bits) {
    constexpr int narrow = 8;
    if (format.specials != Specials::ieee || (format.width == narrow && !of_8_bits_))
        return; // whose NaN are not of two kinds
    const Decoded value = decode(format, bits);
    raise(StatusFlag::invalid,
          value.number_class == NumberClass::nan && (value.payload >> (format.mantissa_bits - 1) & 1) == 0);
}

void RaisedFlags::by_product(const Number& a, const Number& b) {
    raise(StatusFlag::invalid, (a.is_zero() && b.is_infinite()) || (a.is_infinite() && b.is_zero()));
}

void RaisedFlags::by_sum(const std::vector<Number>& terms) {
    const auto has = [&](Sign sign) {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const Number& term) { return term.is_infinite() && term.sign == sign; });
    };
    raise(StatusFlag::invalid, has(Sign::plus) && has(Sign::minus));
}

void RaisedFlags::by_rounding(const Round& round, const Number& before, const Number& after) {
    const Format& f = format(round.format);
    if (!before.is_finite() || before.is_zero() || f.is_fixed_point()) return;
    const Dyadic unbounded = rounded(before.value, log2_floor(before.value) - f.mantissa_bits, round.mode);
    const bool overflows = exceeds_largest(f, unbounded);
    const bool inexact = overflows || !after.is_finite() || !(before.value - after.value).is_zero();
    const bool tiny = log2_floor(tininess_ == Tininess::before ? before.value : unbounded) < f.emin();
    raise(StatusFlag::overflow, overflows);
    raise(StatusFlag::inexact, inexact);
    raise(StatusFlag::underflow, inexact && tiny);
}

} // namespace exact

namespace {

/// What is not an operation of IEEE 754 in a part of a tree, or "".
std::string beside_ieee(const Node& node);

std::string beside_ieee(const Product& p) {
    const Product plain{.which = p.which, .normalisation = p.normalisation, .as = p.as};
    return p == plain ? "" : "a product that treats some operands in a way of its own";
}

std::string beside_ieee(const Group& /*group*/) { return "a group of products under one scale"; }

std::string beside_ieee(const Accumulator& c) {
    return c == Accumulator{.as = c.as} ? "" : "an accumulator that flushes or drops a sign";
}

std::string beside_ieee(const Fuse& fuse) {
    Fuse plain;
    plain.children = fuse.children;
    constexpr std::size_t most_terms = 2; // of a multiply-add
    if (fuse.children.size() > most_terms) return "a sum of more than two terms that is rounded once";
    if (fuse != plain) return "a sum that is not exact";
    for (const Child& child : fuse.children) {
        if (child.F || child.drop) return "a sum that is not exact";
        if (std::string found = beside_ieee(child.get()); !found.empty()) return found;
    }
    return {};
}

std::string beside_ieee(const Round& round) {
    if (format(round.format).specials != Specials::ieee)
        return sentence("a result in ", format(round.format).name, ", which is no format of IEEE 754's kind");
    const Round plain{.format = round.format, .mode = round.mode, .child = round.child};
    return round == plain ? beside_ieee(round.get()) : "a rounding that flushes, saturates or drops a sign";
}

std::string beside_ieee(const Node& node) {
    return std::visit([](const auto& kind) { return beside_ieee(kind); }, node.kind);
}

/// Products that are aligned by rounding to odd, their sum, and its sum with c, both rounded to odd: RISC-V's
/// bulk-normalised dot product.
bool is_bulk_normalised(const Unit& unit) {
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    const auto* last = root != nullptr ? std::get_if<Fuse>(&root->get().kind) : nullptr;
    if (last == nullptr || root->mode != Rounding::odd || last->children.size() != 2 || unit.scale) return false;
    const Round* sum = nullptr;
    bool with_c = false;
    for (const Child& child : last->children) {
        if (child.F) return false;
        if (const auto* round = std::get_if<Round>(&child.get().kind)) sum = round;
        with_c = with_c || std::holds_alternative<Accumulator>(child.get().kind);
    }
    const auto* bulk = sum != nullptr ? std::get_if<Fuse>(&sum->get().kind) : nullptr;
    if (bulk == nullptr || !with_c || sum->mode != Rounding::odd) return false;
    return std::all_of(bulk->children.begin(), bulk->children.end(), [](const Child& child) {
        return std::holds_alternative<Product>(child.get().kind) && child.F && child.rounding == Rounding::odd;
    });
}

} // namespace

std::string flag_digits(StatusFlags flags) {
    std::string digits;
    append_hex(digits, flags, 2);
    return digits;
}

std::optional<StatusFlags> flags_of_digits(std::string_view digits) {
    const auto bits = digits.size() <= 2 ? parse_hex(digits) : std::nullopt;
    if (!bits || *bits > all_status_flags) return std::nullopt;
    return static_cast<StatusFlags>(*bits);
}

std::string names_of_flags(StatusFlags flags) {
    std::string names;
    for (const auto& [flag, name] : status_flag_names)
        if ((flags & bits_of(flag)) != 0) names += sentence(names.empty() ? "" : ", ", name);
    return names.empty() ? "none" : names;
}

std::optional<Tininess> tininess_from_name(std::string_view text) {
    for (std::size_t i = 0; i < tininess_names.size(); ++i)
        if (tininess_names[i] == text) return static_cast<Tininess>(i);
    return std::nullopt;
}

DefinedFlags defined_flags(const Unit& unit) {
    using enum StatusFlag;
    // The ISA manual's rvbna section: "only the invalid operation and overflow exceptions can be raised".
    if (is_bulk_normalised(unit)) return {static_cast<StatusFlags>(bits_of(invalid) | bits_of(overflow)), ""};
    std::string why = unit.scale ? "scales of its operands" : beside_ieee(expand(unit));
    if (!why.empty()) why = "it has " + why;
    if (!why.empty()) return {0, why + ", which is no operation of IEEE 754"};
    return {static_cast<StatusFlags>(all_status_flags & ~bits_of(divide_by_zero)), ""};
}

StatusFlags flags_exactly(const Unit& unit, const Inputs& inputs, Tininess tininess) {
    const DefinedFlags defined = defined_flags(unit);
    if (!defined.why_not.empty()) throw Error("the flags of this unit are not defined: " + defined.why_not);
    // The OCP's formats of 8 bits have no signalling NaN on RISC-V, as Spike has it.
    exact::RaisedFlags raised(tininess, !is_bulk_normalised(unit));
    exact::evaluate_exactly(unit, inputs, raised);
    return raised.flags() & defined.raised;
}

} // namespace discern
