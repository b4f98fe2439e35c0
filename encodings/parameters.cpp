// Tables of values as terms: a parameter with several values is a variable and a condition for each of them.
#include "parameters.hpp"

#include <stdexcept>

namespace discern {

using parametric::Box;
using parametric::Slot;
using parametric::ValueSet;

ParameterTerms::ParameterTerms(Terms& t, const parametric::Structure& structure, const parametric::Assignment& member)
    : variables_(structure.variables.size()), is_member_(t.truth(true)) {
    for (Slot s = 0; s < structure.variables.size(); ++s)
        picks_.push_back(fixed(t, structure.variables[s].values.at(member.at(s))));
}

ParameterTerms::ParameterTerms(Terms& t, const parametric::Structure& structure, std::span<const Box> boxes,
                               const std::string& prefix) {
    if (boxes.empty()) throw std::logic_error("ParameterTerms: a space without members");
    for (Slot s = 0; s < structure.variables.size(); ++s) {
        ValueSet possible;
        for (const Box& box : boxes) possible = possible | box.sets[s];
        const auto& values = structure.variables[s].values;
        if (possible.is_single()) {
            variables_.emplace_back();
            picks_.push_back(fixed(t, values[possible.first()]));
            continue;
        }
        const int width = bits_for(static_cast<int>(values.size()) - 1);
        const Term variable = t.variable(prefix + std::to_string(s) + ":" + structure.variables[s].name, width);
        variables_.push_back(variable);
        Pick<int> pick;
        possible.for_each(
            [&](std::size_t i) { pick.options.emplace_back(values[i], t.eq(variable, t.constant(width, i))); });
        picks_.push_back(std::move(pick));
    }
    std::vector<Term> in_some;
    for (const Box& box : boxes) {
        std::vector<Term> in_all;
        for (Slot s = 0; s < structure.variables.size(); ++s) {
            if (!variables_[s]) continue;
            std::vector<Term> equal;
            box.sets[s].for_each(
                [&](std::size_t i) { equal.push_back(t.eq(*variables_[s], t.constant(t.width(*variables_[s]), i))); });
            in_all.push_back(t.any_of(equal));
        }
        in_some.push_back(t.all_of(in_all));
    }
    is_member_ = t.any_of(in_some);
}

namespace {

/// Of formats by their fields that differ in their fractions alone, the one with the most; else nullptr.
const Format* widest_of(const Pick<int>& formats) {
    const Format* widest = &format(static_cast<FormatId>(formats.first()));
    for (const auto& [id, condition] : formats.options) {
        const Format& f = format(static_cast<FormatId>(id));
        if (f.padding_bits != 0 || f.exponent_bits != widest->exponent_bits || f.bias != widest->bias ||
            f.specials != Specials::ieee || widest->specials != Specials::ieee)
            return nullptr;
        if (f.mantissa_bits > widest->mantissa_bits) widest = &f;
    }
    return widest;
}

} // namespace

const Format& result_format(const Pick<int>& formats, FormatId d) {
    if (formats.is_fixed()) return format(static_cast<FormatId>(formats.first()));
    for (const FormatId id : {d, FormatId::f32})
        if (formats.all([&](int f) { return holds(format(id), format(static_cast<FormatId>(f))); })) return format(id);
    if (const Format* widest = widest_of(formats)) return *widest;
    throw std::logic_error("encode: formats of one rounding that have no common patterns");
}

} // namespace discern
