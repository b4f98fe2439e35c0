// A parameter is one of the table (models/unit/parameters.hpp), or one of what a unit's line says before its tree.
#include "pairs.hpp"

#include "draw.hpp"

#include "models/unit/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace discern::claims {

namespace {

using namespace parametric;

/// What a unit may have beside parameters of parts.
struct OfUnit {
    std::string_view name;
    bool (*has)(const Unit& unit);
};

constexpr std::array of_unit = {
    OfUnit{"scale=e8m0", [](const Unit& u) { return u.scale && u.scale->format == FormatId::e8m0; }},
    OfUnit{"scale=ue4m3", [](const Unit& u) { return u.scale && u.scale->format == FormatId::ue4m3; }},
    OfUnit{"scale=ue5m3", [](const Unit& u) { return u.scale && u.scale->format == FormatId::ue5m3; }},
    OfUnit{"two blocks", [](const Unit& u) { return u.blocks() > 1; }},
    OfUnit{"interleave", [](const Unit& u) { return u.interleave != 0; }},
    OfUnit{"c=last", [](const Unit& u) { return u.place == AccumulatorPlace::last; }},
    OfUnit{"nan", [](const Unit& u) { return u.nan.kind != NanRule::Kind::any; }},
    OfUnit{"no c", [](const Unit& u) { return !u.c; }},
    OfUnit{"fixed point", [](const Unit& u) { return format(u.a).is_fixed_point() || format(u.b).is_fixed_point(); }},
    OfUnit{"five elements", [](const Unit& u) { return u.K >= 5; }},
};

constexpr std::array kinds_of_parts = {"p", "c", "fuse", "child", "round", "g"};

/// Pairs that no unit has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> impossible = {{{"scale=e8m0", "scale=ue4m3"},
                                                                                      {"scale=e8m0", "scale=ue5m3"},
                                                                                      {"scale=ue4m3", "scale=ue5m3"},
                                                                                      {"c=last", "no c"},
                                                                                      {"interleave", "g empty"}}};

constexpr std::size_t few = 24;

} // namespace

ParameterPairs::ParameterPairs() {
    for (const Parameter& p : parameters())
        names_.push_back(std::string(kinds_of_parts[static_cast<std::size_t>(p.owner)]) + " " + std::string(p.word));
    for (const OfUnit& one : of_unit) names_.emplace_back(one.name);
}

void ParameterPairs::add(const Unit& unit) {
    Unit copy = unit;
    std::set<std::size_t> has;
    for (const Owner& part : owners(copy)) {
        const ConstOwner owner = std::visit([](auto* one) { return ConstOwner(one); }, part);
        for (std::size_t i = 0; i < parameters().size(); ++i) {
            const Parameter& p = parameters()[i];
            if (static_cast<std::size_t>(p.owner) == part.index() && p.get(owner) != p.standard) has.insert(i);
        }
    }
    for (std::size_t i = 0; i < of_unit.size(); ++i)
        if (of_unit[i].has(unit)) has.insert(parameters().size() + i);
    for (const std::size_t one : has)
        for (const std::size_t other : has)
            if (one < other) seen_.emplace(one, other);
}

std::string ParameterPairs::report() const {
    const auto cannot_be = [&](std::size_t one, std::size_t other) {
        return std::any_of(impossible.begin(), impossible.end(), [&](const auto& pair) {
            return (pair.first == names_[one] && pair.second == names_[other]) ||
                   (pair.first == names_[other] && pair.second == names_[one]);
        });
    };
    std::size_t possible = 0;
    std::vector<std::string> missing;
    for (std::size_t one = 0; one < names_.size(); ++one)
        for (std::size_t other = one + 1; other < names_.size(); ++other) {
            if (cannot_be(one, other)) continue;
            ++possible;
            if (!seen_.contains({one, other})) missing.push_back(names_[one] + " with " + names_[other]);
        }
    std::string text = fmt::format("pairs of parameters: {} of {} drawn", possible - missing.size(), possible);
    if (!missing.empty() && missing.size() <= few) text += fmt::format("; not {}", fmt::join(missing, ", "));
    return text;
}

} // namespace discern::claims
