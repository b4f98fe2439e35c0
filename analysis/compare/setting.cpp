// Reads the inputs of a setting, and checks that each operation of a program has a unit in it (setting.hpp, run.hpp).
#include "setting.hpp"

#include "run.hpp"

#include "models/import/number.hpp"
#include "models/schedule/outline.hpp"

namespace discern::compare {

namespace {

/// Formats alone: nothing is computed.
struct Dry {
    using Number = char;
    static char pattern(const Format&, std::uint64_t) { return 0; }
    static auto operation(const Unit&) {
        return [](char x, char, char) { return x; };
    }
    static std::vector<char> mma(const Unit&, const std::vector<char>&, const std::vector<char>&,
                                 const std::vector<char>& c) {
        return c;
    }
};

} // namespace

std::uint64_t constant_pattern(FormatId id, double value, std::size_t column) {
    const Format& f = format(id);
    try {
        return number_pattern(f, value, std::nullopt).bits;
    } catch (const Error&) {
        throw Error(sentence("a program, column ", column, ": a constant is no number of ", f.name,
                             ", in which it is computed; one that is exactly such a number is right"));
    }
}

Unit operation_unit(FormatId x, FormatId y, std::optional<FormatId> z, FormatId to, Rounding mode) {
    Unit unit = addition_unit(x, z, {to, mode}, {});
    unit.b = y;
    return unit;
}

void read_inputs(Setting& setting, std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    if (words.size() != 1 && words.size() != 3)
        throw Error(sentence("--operands: ", excerpt(text),
                             " is neither one format for a, b and c nor three, such as f16,f16,f32"));
    FormatId* const all[] = {&setting.a, &setting.b, &setting.c};
    for (std::size_t i = 0; i < std::size(all); ++i)
        *all[i] = require_format(words[words.size() == 1 ? 0 : i], "--operands");
}

void require_usable(const Setting& setting) {
    const Unit& unit = setting.unit;
    if (!unit.c)
        throw Error("compare: this unit has no c, so that nothing can be accumulated on it; one with c is right");
    if (unit.scale)
        throw Error(
            "compare: this unit has scales, which programs here have no words for; one without scales is right");
    for (const FormatId id : {unit.a, unit.b, *unit.c, unit.d, setting.a, setting.b, setting.c, setting.arithmetic}) {
        const Format& f = format(id);
        if (f.is_fixed_point() || !f.is_signed || !f.has_zero)
            throw Error(sentence("compare: ", f.name,
                                 " is not among the formats with which programs compute here; floating point with a "
                                 "sign and zeros is right"));
    }
}

FormatId result_of(const Program& program, const Setting& setting) {
    Dry dry;
    const std::vector<char> elements(setting.length, 0);
    return Run<Dry>(dry, setting)(program, elements, elements, {0}).format;
}

} // namespace discern::compare
