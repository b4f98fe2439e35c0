#include "arithmetic_tests.hpp"

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <array>

namespace discern {

namespace {

/// What takes the place of an operand of the multiply-add.
enum class Part : std::uint8_t { first, second, third, minus_second, minus_third, one, neutral_zero };

struct Row {
    std::string_view name; ///< in TestFloat; empty: it has none
    std::size_t operands;
    std::array<Part, 3> parts; ///< a, b and c
};

/// In the order of ArithmeticOperation.
constexpr std::array<Row, 5> operation_rows = {{
    {"add", 2, {Part::first, Part::one, Part::second}},
    {"sub", 2, {Part::first, Part::one, Part::minus_second}},
    {"mul", 2, {Part::first, Part::second, Part::neutral_zero}},
    {"mulAdd", 3, {Part::first, Part::second, Part::third}},
    {"", 3, {Part::first, Part::second, Part::minus_third}},
}};

const Row& row(ArithmeticOperation operation) { return operation_rows[static_cast<std::size_t>(operation)]; }

std::uint64_t sign_bit(const Format& format) { return 1ull << (format.width - 1); }

/// The zero whose sum with a product has the product's sign, also where that is a zero: −0, but +0 where a sum of zeros
/// of both signs is −0.
std::uint64_t neutral_zero(const Format& format, Rounding rounding) {
    return rounding == Rounding::rd ? 0 : sign_bit(format);
}

} // namespace

ArithmeticOperation testfloat_operation(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < operation_rows.size(); ++i) {
        if (!operation_rows[i].name.empty() && operation_rows[i].name == text)
            return static_cast<ArithmeticOperation>(i);
        if (!operation_rows[i].name.empty()) names.emplace_back(operation_rows[i].name);
    }
    throw Error(sentence("--operation: there is no operation ", excerpt(text), " among those of a multiply-add",
                         did_you_mean(text, names), "; they are add, sub, mul and mulAdd"));
}

namespace arithmetic_tests {

std::size_t operands_of(ArithmeticOperation operation) { return row(operation).operands; }

Vector multiply_add(const Format& format, ArithmeticOperation operation, Rounding rounding,
                    std::span<const std::uint64_t> operands, std::uint64_t result) {
    const auto value = [&](Part part) -> std::uint64_t {
        switch (part) {
        case Part::first: return operands[0];
        case Part::second: return operands[1];
        case Part::third: return operands[2];
        case Part::minus_second: return operands[1] ^ sign_bit(format);
        case Part::minus_third: return operands[2] ^ sign_bit(format);
        case Part::one: return one(format);
        case Part::neutral_zero: return neutral_zero(format, rounding);
        }
        return 0;
    };
    const auto& parts = row(operation).parts;
    Vector vector;
    vector.a = {value(parts[0])};
    vector.b = {value(parts[1])};
    vector.c = value(parts[2]);
    vector.d = {result};
    return vector;
}

void for_each_line(std::istream& in, const std::string& file, const ArithmeticReading& reading,
                   ArithmeticCounts& counts,
                   const std::function<std::string(std::string_view line, const std::string& where)>& read) {
    for (std::string line; next_line(in, line, sentence(file, ":", counts.lines + 1, ": "));) {
        if (reading.progress) reading.progress("lines", counts.lines, 0);
        ++counts.lines;
        if (line.ends_with('\r')) line.pop_back();
        const std::string reason = read(line, sentence(file, ":", counts.lines, ": "));
        if (!reason.empty()) ++counts.skipped[reason];
    }
}

} // namespace arithmetic_tests

} // namespace discern
