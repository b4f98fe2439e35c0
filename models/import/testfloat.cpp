// The lines that testfloat_gen prints, and what courses and testbenches made of them.
#include "arithmetic_tests.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/texts.hpp"

#include <array>
#include <vector>

namespace discern {

namespace {

using namespace arithmetic_tests;

/// TestFloat's formats, by the digits of their patterns.
FormatId format_of_digits(std::string_view word, const std::string& where) {
    for (const FormatId id : {FormatId::f16, FormatId::f32, FormatId::f64})
        if (static_cast<std::size_t>(format(id).digits()) == word.size()) return id;
    throw Error(sentence(where, excerpt(word), " has ", counted(word.size(), "digit"),
                         "; a pattern of f16 has 4, of f32 8 and of f64 16"));
}

std::uint64_t pattern(const Format& format, std::string_view word, const std::string& where) {
    const auto bits = parse_pattern(format, word);
    if (!bits) throw Error(where + pattern_complaint(format, word));
    return *bits;
}

/// A word of one or two digits: flags or control.
/// @param parts  of which it is a sum
std::uint64_t small_word(std::string_view word, std::uint64_t most, const std::string& where, std::string_view what,
                         std::string_view parts) {
    const auto bits = parse_hex(word);
    if (!bits || *bits > most)
        throw Error(
            sentence(where, excerpt(word), " is no ", what, "; a sum of ", parts, ", in hexadecimal, is right"));
    return *bits;
}

/// What the word of control in a line of a course's fma16 says (openhwgroup/cvw, fma16_testgen.c): the rounding mode,
/// in its top two bits, whether it multiplies, adds, negates the product and negates the addend.
struct Control {
    Rounding rounding;
    bool multiplies, adds, negates_product, negates_addend;
};
Control control_of(std::uint64_t bits) {
    constexpr std::array<Rounding, 4> modes = {Rounding::rz, Rounding::rne, Rounding::rd, Rounding::ru};
    return {.rounding = modes[bits >> 4],
            .multiplies = (bits & 8) != 0,
            .adds = (bits & 4) != 0,
            .negates_product = (bits & 2) != 0,
            .negates_addend = (bits & 1) != 0};
}

/// Changes the operands x, y and z as the unit of the course does before it computes x·y + z.
void control(const Format& format, const Control& control, std::vector<std::uint64_t>& operands) {
    const std::uint64_t sign = std::uint64_t{1} << (format.width - 1);
    if (control.negates_product) operands[0] ^= sign;
    if (!control.multiplies) operands[1] = one(format);
    if (!control.adds) operands[2] = 0;
    if (control.negates_addend) operands[2] ^= sign;
}

/// The four flags of the course, which has no division, as those of TestFloat.
StatusFlags flags_of_nibble(std::uint64_t bits) { return static_cast<StatusFlags>((bits & 7) | ((bits & 8) << 1)); }

/// The words of a line by their places.
struct Places {
    std::vector<std::string_view> patterns; ///< operands and result
    std::string_view control, flags;        ///< empty: there is none
};

Places places_of(std::vector<std::string_view> found) {
    Places places;
    constexpr std::size_t short_word = 2;
    if (found.back().size() <= short_word) {
        places.flags = found.back();
        found.pop_back();
    }
    constexpr std::size_t with_control = 5;
    if (found.size() == with_control && found[3].size() <= short_word) {
        places.control = found[3];
        found.erase(found.begin() + 3);
    }
    places.patterns = std::move(found);
    return places;
}

ArithmeticOperation operation_of(std::size_t patterns, std::optional<ArithmeticOperation> said,
                                 const std::string& where) {
    constexpr std::size_t two = 3, three = 4;
    if (patterns != two && patterns != three)
        throw Error(sentence(where, "the line has ", counted(patterns, "pattern"),
                             "; add, sub and mul have 3, of a, b and the result, and mulAdd has 4; behind them are the "
                             "flags"));
    if (!said && patterns == two)
        throw Error(where + "the line has two operands and a result, so --operation add, sub or mul must say what it "
                            "tests");
    const ArithmeticOperation operation = said.value_or(ArithmeticOperation::mul_add);
    if (operands_of(operation) + 1 != patterns)
        throw Error(sentence(where, "the line has ", counted(patterns - 1, "operand"),
                             " and a result; the operation has ", operands_of(operation), " operands"));
    return operation;
}

} // namespace

ArithmeticCounts read_testfloat(std::istream& in, const std::string& file, const ArithmeticReading& reading) {
    ArithmeticCounts counts;
    std::optional<FormatId> id = reading.format;
    for_each_line(in, file, reading, counts, [&](std::string_view line, const std::string& where) -> std::string {
        const auto found = texts::words(line.substr(0, line.find("//")), " \t_");
        if (found.empty()) return std::string(no_test);
        if (!id) id = format_of_digits(found.front(), where);
        const Format& of = format(*id);
        const Places places = places_of(found);
        const ArithmeticOperation operation = operation_of(places.patterns.size(), reading.operation, where);
        std::vector<std::uint64_t> bits;
        for (const std::string_view word : places.patterns) bits.push_back(pattern(of, word, where));
        const std::uint64_t result = bits.back();
        bits.pop_back();
        const bool has_control = !places.control.empty();
        std::optional<StatusFlags> flags;
        if (!places.flags.empty()) {
            const std::uint64_t word = small_word(places.flags, has_control ? 0xf : all_status_flags, where,
                                                  "set of flags", has_control ? "8, 4, 2 and 1" : "10, 8, 4, 2 and 1");
            flags = has_control ? flags_of_nibble(word) : static_cast<StatusFlags>(word);
        }
        if (has_control) {
            const Control of_line =
                control_of(small_word(places.control, 0x3f, where, "word of control", "20, 10, 8, 4, 2 and 1"));
            if (of_line.rounding != reading.rounding)
                return sentence("rounded by ", name(of_line.rounding), ", as their words of control say");
            control(of, of_line, bits);
        }
        if (flags) ++counts.flags;
        ++counts.vectors;
        Vector vector = multiply_add(of, operation, reading.rounding, bits, result);
        vector.flags = flags;
        reading.take(of, vector);
        return {};
    });
    return counts;
}

} // namespace discern
