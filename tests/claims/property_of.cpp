#include "property_of.hpp"

#include "ask.hpp"
#include "draw.hpp"
#include "inputs.hpp"
#include "verdict.hpp"

#include "models/hex.hpp"
#include "models/unit/tree_shape.hpp"

#include <cmath>

namespace discern::claims {

namespace {

/// The largest number that a sum of the unit's products may come to, without scales.
double largest_sum(const Unit& unit) {
    const auto largest = [](const Format& f) {
        return std::ldexp(static_cast<double>(f.max_significand()), f.emax() - f.mantissa_bits);
    };
    return unit.K * largest(format(unit.a)) * largest(format(unit.b));
}

/// A result, and inner ones, whose largest number is about as large as the products: there is overflow then, barely.
/// And what becomes of that.
/// @param changes  whether rounding modes and overflows may become others
void aim_at_overflow(Random& random, Unit& unit, bool changes) {
    const int top = std::ilogb(largest_sum(unit)) - random.below(2),
              m = any_of(random, std::vector{1, 1, 2, 2, 3, 4, 6});
    const auto specials = static_cast<Specials>(random.below(4));
    const auto overflow = any_of(
        random, std::vector{Overflow::infinity, Overflow::infinity, Overflow::largest, Overflow::ieee, Overflow::ieee});
    const auto mode = static_cast<Rounding>(random.below(static_cast<int>(rounding_names.size())));
    for (int e = 2; e <= 5; ++e) {
        const auto id = format_of_fields(e, m, specials);
        if (!id || format(*id).emax() < top) continue;
        Unit aimed = unit;
        for (Round* round : all_rounds(aimed)) {
            if (round->format == unit.d) round->format = *id;
            if (!changes) continue;
            round->overflow = overflow;
            round->mode = mode;
        }
        if (aimed.c == unit.d) aimed.c = *id;
        aimed.d = *id;
        aimed.nan = {};
        if (is_valid(aimed) && input_bits(aimed) <= 20) unit = std::move(aimed);
        return;
    }
}

/// A chain of two blocks of one product, of small formats, whose first result may be beyond the largest number, becomes
/// that, and is added to.
void aim_at_saturation(Random& random, Unit& unit) {
    Unit aimed;
    aimed.a = draw_format(random, 5, false, false);
    aimed.b = draw_format(random, 5, false, false);
    const int exponent_bits = 2 + random.below(3), mantissa_bits = 1 + random.below(3);
    const auto d = format_of_fields(exponent_bits, mantissa_bits, Specials::ieee);
    if (!d) return;
    aimed.d = *d;
    if (random.one_in(2)) aimed.c = *d;
    aimed.K = 2;
    aimed.L = 1;
    if (largest_sum(aimed) / 2 < std::ldexp(1.0, format(*d).emax())) return;
    Fuse fuse;
    fuse.children.push_back({.node = {Node{Product{}}}, .F = {}, .zero = {}, .drop = {}});
    fuse.children.push_back({.node = {Node{Accumulator{}}}, .F = {}, .zero = {}, .drop = {}});
    if (random.one_in(2))
        for (Child& child : fuse.children) child.F = 4 + random.below(20);
    Round round{.format = *d, .child = {Node{std::move(fuse)}}};
    if (random.one_in(2))
        round.mode = any_of(random, std::vector{Rounding::rz, Rounding::odd, Rounding::ra});
    else
        round.overflow = Overflow::largest;
    aimed.tree = Node{std::move(round)};
    if (is_valid(aimed) && input_bits(aimed) <= 20) unit = std::move(aimed);
}

/// Products that do something with infinities, zeros and subnormal numbers, more than one thing at once mostly.
void aim_at_products(Random& random, Unit& unit) {
    Unit aimed = unit;
    const bool ftz = random.one_in(2), keeps = random.one_in(2), zeros = random.one_in(2);
    const bool beats = random.one_in(2), is_nan = random.one_in(4), nanzero = random.one_in(4);
    for_each_node(aimed.tree, [&](Node& node) {
        auto* p = std::get_if<Product>(&node.kind);
        if (p == nullptr) return;
        p->ftz = ftz;
        p->fsign_keep = !ftz || keeps;
        p->zin_keep = p->fsign_keep || zeros;
        p->infzero = beats;
        p->infnan = is_nan;
        p->nanzero = is_nan && nanzero;
    });
    if (is_valid(aimed)) unit = std::move(aimed);
}

/// A chain, or a sum, that begins at +0, which an inner rounding may give an exponent of its own.
void begin_at_zero(Random& random, Unit& unit) {
    Unit from_zero = unit;
    from_zero.c.reset();
    from_zero.place = AccumulatorPlace::chained;
    const FormatId inner = draw_format(random, 6, false, false);
    const bool rounds = !random.one_in(3) && format(inner).has_nan();
    for_each_node(from_zero.tree, [&](Node& node) {
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr || !rounds) return;
        for (Child& child : fuse->children) {
            if (!is_accumulator(child.get())) continue;
            Round round;
            round.format = inner;
            round.child = {child.get()};
            child.get() = {std::move(round)};
            child.zero = {ZeroExponent::Kind::own, 0};
            for (Child& other : fuse->children) // which are truncated where that exponent is above theirs
                if (!other.F && random.one_in(2)) other.F = random.between(0, 8);
            return;
        }
    });
    if (is_valid(from_zero)) unit = std::move(from_zero);
}

} // namespace

bool barely_overflows(const Unit& unit) {
    const Format& d = format(unit.d);
    const double largest = std::ldexp(static_cast<double>(d.max_significand()), d.emax() - d.mantissa_bits);
    return !unit.scale && !unit.c && largest_sum(unit) > largest / 2 && largest_sum(unit) < largest * 2;
}

Unit draw_unit_of_properties(Random& random, const Aims& aims, const std::function<bool(const Unit&)>& wanted) {
    Unit unit;
    for (int tries = 0; tries < 100; ++tries) {
        Size size;
        size.most_bits = random.one_in(4) ? 20 : 16;
        unit = draw_unit(random, size);
        const auto is_fixed = [](FormatId id) { return format(id).is_fixed_point(); };
        if (is_fixed(unit.a) || is_fixed(unit.b) || is_fixed(unit.d) || is_fixed(unit.c.value_or(unit.d))) {
            --tries;
            continue;
        }
        if (random.below(3) < aims.overflow) aim_at_overflow(random, unit, !random.one_in(3));
        if (random.below(6) < aims.overflow) aim_at_saturation(random, unit);
        if (random.below(3) < aims.products) aim_at_products(random, unit);
        if (unit.c && random.one_in(3)) begin_at_zero(random, unit);
        if (wanted(unit)) break;
    }
    return reread(unit);
}

TruthOf::TruthOf(const Unit& unit) {
    const AllInputs inputs(unit, 16);
    if (inputs.complete() && !unit.scale) {
        truth_.emplace(unit);
        return;
    }
    const Shape shape = shape_of(unit);
    inputs.for_each([&](const Inputs& x) {
        some_.push_back(vector_of(shape, x));
        return true;
    });
    truth_.emplace(unit, some_);
}

std::optional<PropertyAnswer> ask_property(const Case& asked, const std::string& name, double seconds) {
    const Unit& unit = asked.units.front().unit;
    std::vector<std::string> words = {"property",  asked.units.front().text(),          name, "--json",
                                      "--timeout", std::to_string(seconds).substr(0, 4)};
    append(words, asked.options);
    PropertyAnswer answer;
    answer.command = command_line(words);
    const Answer printed = ask(words);
    if (printed.status != 2 && printed.json().at("properties").empty()) return std::nullopt; // it does not apply
    answer.said = printed.json().at("properties").at(0);
    const int status = answer.is("refuted") ? 1 : answer.is("proved") ? 0 : 3;
    if (printed.status != status)
        answer.wrong =
            answer.said.at("verdict").get<std::string>() + ", with the exit status " + std::to_string(printed.status);
    const auto& shown = answer.said.at("vector");
    if (shown.is_null()) return answer;
    answer.vector = vector_of(shape_of(unit), inputs_of(unit, shown).inputs());
    const auto d = parse_pattern(format(unit.d), shown.at("d").get<std::string>());
    if (!d || !same_result(unit, *d, evaluate_exactly(unit, answer.vector->inputs())))
        answer.wrong = "shown with a result that is not the unit's: " + shown.dump();
    return answer;
}

std::string as_options(const Unit& unit, const Vector& v) { return as_options(unit, v.inputs()); }

} // namespace discern::claims
