#include "known_units.hpp"

#include "which.hpp"

#include "hwrunner/kinds.hpp"
#include "models/catalogue.hpp"
#include "models/common_form.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace discern {

namespace {

constexpr std::uint64_t most_members = 200'000; ///< of spaces that a user gives

/// Whether every number of the one is one of the other.
bool holds(FormatId wide, FormatId narrow) {
    const Format &w = format(wide), &n = format(narrow);
    return wide == narrow || (w.mantissa_bits >= n.mantissa_bits && w.emax() >= n.emax() && w.lsb() <= n.lsb() &&
                              w.is_signed == n.is_signed);
}

bool is_one_fma(const Unit& unit) { return unit.K == 1 && unit.L == 1 && unit.c == unit.d && !unit.scale; }

/// A CPU's instruction as a unit of the shape: itself, or chained, with converted inputs. Nothing if it is neither.
std::optional<std::pair<std::string, Unit>> of_shape(const TargetKind& kind, const Shape& shape) {
    Unit unit = resolve_unit(kind.unit());
    if (shape_of(unit) == shape) return std::pair(std::string(kind.name), std::move(unit));
    const bool fits = is_one_fma(unit) && unit.c == shape.c && unit.d == shape.d && !shape.scale &&
                      holds(unit.a, shape.a) && holds(unit.b, shape.b);
    if (!fits) return std::nullopt;
    unit.a = shape.a;
    unit.b = shape.b;
    unit.K = shape.K;
    unit.nan = {}; // of several NaN, the compiler of a loop decides by the order of the operands
    return std::pair(sentence(kind.name, shape.K > 1 ? ", chained" : ", of converted inputs"), std::move(unit));
}

} // namespace

const std::string& KnownUnits::text_of(const std::string& name) const {
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? name : units[static_cast<std::size_t>(at - names.begin())].text;
}

KnownUnits known_units(const Shape& shape) {
    KnownUnits known{.units = {}, .names = {}};
    const auto add = [&](std::string name, Member member) {
        known.names.push_back(std::move(name));
        known.units.push_back(std::move(member));
    };
    std::vector<Member> all = units_of_shape(shape);
    const auto at_another_k = std::ranges::find_if(all, [](const Member& m) { return find_entry(m.text) == nullptr; });
    for (auto m = all.begin(); m != at_another_k; ++m) add(m->text, *m);
    for (const TargetKind& kind : target_kinds()) {
        if (kind.unit == nullptr) continue;
        const CatalogueEntry* const entry = find_entry(kind.unit());
        if (entry != nullptr && shape_of(entry->unit) == shape) continue; // it is there already
        if (auto unit = of_shape(kind, shape)) add(std::move(unit->first), {to_string(unit->second), unit->second});
    }
    for (auto m = at_another_k; m != all.end(); ++m) add(m->text, *m);
    return known;
}

std::vector<Shape> wider_shapes(const Shape& shape) {
    std::vector<FormatId> results; // d of units that hold all numbers of the shape's d
    for (const CatalogueEntry& entry : catalogue()) {
        const FormatId d = entry.unit.d;
        if (embeds(format(d), format(shape.d)) && std::ranges::find(results, d) == results.end()) results.push_back(d);
    }
    std::vector<Shape> shapes;
    for (const FormatId d : results)
        for (const std::optional<FormatId> c : {std::optional(d), std::optional<FormatId>()}) {
            Shape own = shape;
            own.c = c;
            own.d = d;
            if (own != shape) shapes.push_back(own); // known_units has the units of this one
        }
    return shapes;
}

std::vector<std::string> rounding_assumed(const Shape& shape, bool adds, bool converts) {
    std::vector<std::string> assumed;
    if (adds) assumed.push_back("c is +0");
    if (converts)
        assumed.push_back(sentence("d of units with a wider one is rounded to ", format(shape.d).name, " (rne)"));
    return assumed;
}

KnownUnits rounded_units(const Shape& shape) {
    KnownUnits rounded{.units = {}, .names = {}};
    bool converts = false, adds = false;
    for (const Shape& own : wider_shapes(shape)) {
        KnownUnits known = known_units(own);
        for (std::size_t i = 0; i < known.units.size(); ++i) {
            Member& member = known.units[i];
            std::string suffix;
            if (own.d != shape.d) {
                Kernel kernel{.unit = member.unit, .K = shape.K, .schedule = {}};
                kernel.schedule.result = Conversion{shape.d, Rounding::rne};
                try {
                    member.unit = written_out(kernel);
                } catch (const Error&) { // it is too long for one tree
                    continue;
                }
                suffix = sentence("@[", to_string(kernel.schedule, shape.K), "]");
                converts = true;
            }
            adds = adds || (own.c && !shape.c);
            rounded.names.push_back(known.names[i] + suffix);
            rounded.units.push_back({member.text + suffix, std::move(member.unit)});
        }
    }
    rounded.assumed = rounding_assumed(shape, adds, converts);
    return rounded;
}

std::vector<Member> members_of_spaces(const std::vector<std::string>& texts, const Shape& shape,
                                      std::string_view whose) {
    std::vector<Space> spaces;
    for (const std::string& text : texts)
        for (Space& space : read_spaces(text)) spaces.push_back(std::move(space));
    std::vector<Member> all = members(spaces, most_members);
    for (const Member& member : all)
        if (shape_of(member.unit) != shape)
            throw Error(sentence("--space: ", member.text, " is ", to_string(shape_of(member.unit)), ", ", whose, " ",
                                 to_string(shape)));
    return all;
}

} // namespace discern
