// The lines of IBM's FPgen suite, as its own description has them: operation, rounding mode, enabled traps, operands,
// an arrow, the result, and the exceptions that were raised.
#include "arithmetic_tests.hpp"

#include "models/error.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace discern {

namespace {

using namespace arithmetic_tests;

/// What a word of the suite means.
template <typename Meaning>
struct Word {
    std::string_view text;
    Meaning meaning;
};

template <typename Words>
auto find_word(const Words& words, std::string_view text) {
    const auto found = std::ranges::find(words, text, [](const auto& word) { return word.text; });
    return found == words.end() ? std::nullopt : std::optional(found->meaning);
}

constexpr auto symbols = std::to_array<Word<ArithmeticOperation>>({{"+", ArithmeticOperation::add},
                                                                   {"-", ArithmeticOperation::sub},
                                                                   {"*", ArithmeticOperation::mul},
                                                                   {"*+", ArithmeticOperation::mul_add},
                                                                   {"*-", ArithmeticOperation::mul_sub}});

constexpr auto modes = std::to_array<Word<Rounding>>(
    {{"=0", Rounding::rne}, {"0", Rounding::rz}, {">", Rounding::ru}, {"<", Rounding::rd}, {"=^", Rounding::rna}});

constexpr auto binaries =
    std::to_array<Word<FormatId>>({{"b16", FormatId::f16}, {"b32", FormatId::f32}, {"b64", FormatId::f64}});

constexpr std::string_view exceptions = "xuvwozi", decimal_digits = "0123456789",
                           upper_hexadecimal = "0123456789ABCDEF";

bool only_has(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

/// "+1.7FFFFFP127", "-0.000001P-126", "+Inf", "-Zero", "Q" and "S": the fraction is right-aligned in its digits.
std::uint64_t number(const Format& format, const std::string_view text, const std::string& where) {
    std::string_view word = text;
    const std::uint64_t infinity = ((1ull << format.exponent_bits) - 1) << format.mantissa_bits;
    if (word == "Q" || word == "q") return quiet_nan(format);
    if (word == "S" || word == "s") return infinity | 1;
    const auto wrong = [&] {
        return Error(sentence(where, excerpt(text), " is no number of ", format.name,
                              ", such as +1.000000P-126, -0.000001P-126, +Inf, -Zero, Q or S of b32"));
    };
    if (word.empty() || (word[0] != '+' && word[0] != '-')) throw wrong();
    const std::uint64_t sign = word[0] == '-' ? 1ull << (format.width - 1) : 0;
    word.remove_prefix(1);
    if (word == "Inf") return sign | infinity;
    if (word == "Zero") return sign;
    const auto fraction_digits = static_cast<std::size_t>((format.mantissa_bits + 3) / 4);
    const std::size_t p = fraction_digits + 2;
    if (word.size() < p + 2 || word[1] != '.' || word[p] != 'P' || (word[0] != '0' && word[0] != '1')) throw wrong();
    const std::string_view fraction_text = word.substr(2, fraction_digits), exponent_text = word.substr(p + 1);
    std::uint64_t fraction = 0;
    int exponent = 0;
    const auto* const end = exponent_text.data() + exponent_text.size();
    constexpr int base = 16;
    if (!only_has(fraction_text, upper_hexadecimal) ||
        std::from_chars(fraction_text.data(), fraction_text.data() + fraction_text.size(), fraction, base).ec !=
            std::errc() ||
        std::from_chars(exponent_text.data(), end, exponent).ptr != end || fraction >> format.mantissa_bits != 0)
        throw wrong();
    const bool is_normal = word[0] == '1';
    if (exponent < format.emin() || exponent > (is_normal ? format.emax() : format.emin())) throw wrong();
    const auto field = is_normal ? static_cast<std::uint64_t>(exponent + format.bias) : 0;
    return sign | field << format.mantissa_bits | fraction;
}

/// "b32*+" in its parts.
struct Head {
    std::string_view format, operation;
};
/// Nothing if the word does not begin a test.
std::optional<Head> head_of(std::string_view word) {
    if (word.size() < 3 || (word[0] != 'b' && word[0] != 'd')) return std::nullopt;
    const std::size_t end = std::min(word.find_first_not_of(decimal_digits, 1), word.size());
    if (end == 1) return std::nullopt;
    return Head{.format = word.substr(0, end), .operation = word.substr(end)};
}

/// What the letters of raised exceptions say, of which u, v and w are three kinds of underflow.
StatusFlags flags_of(std::string_view letters) {
    using enum StatusFlag;
    constexpr std::array<std::pair<char, StatusFlag>, 7> meanings = {{{'x', inexact},
                                                                      {'u', underflow},
                                                                      {'v', underflow},
                                                                      {'w', underflow},
                                                                      {'o', overflow},
                                                                      {'z', divide_by_zero},
                                                                      {'i', invalid}}};
    unsigned flags = 0;
    for (const auto& [letter, flag] : meanings)
        if (letters.find(letter) != std::string_view::npos) flags |= bits_of(flag);
    return static_cast<StatusFlags>(flags);
}

/// A test that is not of another operation, format or mode.
struct Test {
    std::string traps, raised;
    std::vector<std::string_view> operands;
    std::string_view result;
};

Test parts_of(const std::vector<std::string_view>& found, std::size_t arrow, const std::string& where) {
    Test test;
    std::size_t at = 2;
    if (at < arrow && only_has(found[at], exceptions)) test.traps = found[at++];
    test.operands.assign(found.begin() + static_cast<std::ptrdiff_t>(at),
                         found.begin() + static_cast<std::ptrdiff_t>(arrow));
    if (arrow + 1 >= found.size()) throw Error(where + "there is no result behind ->; where none is written it is #");
    test.result = found[arrow + 1];
    for (at = arrow + 2; at < found.size(); ++at) {
        if (!only_has(found[at], exceptions))
            throw Error(
                sentence(where, excerpt(found[at]), " is no set of exceptions, which are letters of ", exceptions));
        test.raised += found[at];
    }
    return test;
}

/// Overflow and underflow that are trapped give a result with another exponent than that of its format; inexact ones
/// give the result itself.
bool is_wrapped(const Test& test) {
    const auto has = [](const std::string& text, std::string_view letters) {
        return text.find_first_of(letters) != std::string::npos;
    };
    return (has(test.traps, "o") && has(test.raised, "o")) || (has(test.traps, "uvw") && has(test.raised, "uvw"));
}

} // namespace

ArithmeticCounts read_fptest(std::istream& in, const std::string& file, const ArithmeticReading& reading) {
    ArithmeticCounts counts;
    std::optional<FormatId> id = reading.format;
    for_each_line(in, file, reading, counts, [&](std::string_view line, const std::string& where) -> std::string {
        const auto found = texts::words(line, " \t");
        const auto head = found.empty() ? std::nullopt : head_of(found[0]);
        const auto arrow = static_cast<std::size_t>(std::find(found.begin(), found.end(), "->") - found.begin());
        if (!head || arrow == found.size()) return std::string(no_test);
        if (head->format[0] == 'd') return "of decimal numbers";
        const auto operation = find_word(symbols, head->operation);
        if (!operation) return "of other operations than + - * *+ *-";
        const auto binary = find_word(binaries, head->format);
        if (!binary) return "of formats other than b16, b32 and b64";
        const auto mode = find_word(modes, found[1]);
        if (!mode) throw Error(sentence(where, excerpt(found[1]), " is no rounding mode; they are =0, 0, >, < and =^"));
        if (*mode != reading.rounding) return sentence("rounded by ", name(*mode));
        if (!id) id = *binary;
        if (*id != *binary) return sentence("of other formats than ", format(*id).name);
        const Format& of = format(*id);
        const Test test = parts_of(found, arrow, where);
        if (test.operands.size() != operands_of(*operation))
            throw Error(sentence(where, "the test has ", counted(test.operands.size(), "operand"), "; ",
                                 head->operation, " has ", operands_of(*operation)));
        std::vector<std::uint64_t> operands;
        for (const std::string_view word : test.operands) operands.push_back(number(of, word, where));
        if (test.result == "#") return "without a result, since a trap was taken";
        if (is_wrapped(test)) return "whose result is that of a trap, with another exponent";
        const std::uint64_t result = number(of, test.result, where);
        ++counts.flags;
        ++counts.vectors;
        Vector vector = multiply_add(of, *operation, reading.rounding, operands, result);
        vector.flags = flags_of(test.raised);
        reading.take(of, vector);
        return {};
    });
    return counts;
}

} // namespace discern
