// The words of one operand as patterns: whether they are patterns or numbers, and how precisely numbers are printed.
#include "table.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace discern {

namespace {

/// How far a number as text is from a pattern, in the unit of the pattern's last bit; to a few digits.
double ulps_between(const Format& format, std::uint64_t bits, const std::string& text) {
    const Decoded number = decode(format, bits);
    const long double distance =
        std::strtold(text.c_str(), nullptr) - static_cast<long double>(to_double(format, bits));
    return static_cast<double>(std::fabs(std::ldexp(distance, format.mantissa_bits - number.exponent)));
}

/// How the numbers of an operand are printed.
class Printing {
  public:
    Printing(const Format& format, std::span<const WordsOfOperand> words, const TableOptions& options,
             WordsAre words_are)
        : format_(&format) {
        for (const WordsOfOperand& word : words) words_.emplace_back(word.word);
        digits_ = printed_digits(words_);
        // Those of narrower formats have few digits anyway, as numbers that are written by hand have.
        shortest_ = digits_needed(format) >= 5 && are_shortest(format, words_);
        const bool exact = options.digits && options.digits->kind == PrintedDigits::Kind::exact;
        if (words_are == WordsAre::exact || exact) return;
        if (words_are == WordsAre::results && options.digits) {
            open_ = true;
            digits_ = *options.digits;
            return;
        }
        constexpr std::size_t enough = 20; // in fewer numbers, all may be as short as possible by chance
        open_ = !(shortest_ && words_.size() >= enough) && leaves_open(format, words_, digits_);
    }
    bool is_open() const { return open_; }
    PrintedDigits digits() const { return digits_; }
    int significant() const { return digits_.kind == PrintedDigits::Kind::significant ? digits_.count : 0; }
    PlaceRange range(std::string_view word) const { return printed_range(*format_, word, digits_); }
    /// Whether a decimal that is not exactly its pattern's number may be a print of it.
    bool may_tell(std::string_view word) const { return tells(word, nearest(word)); }
    bool tells(std::string_view word, std::uint64_t bits) const {
        return shortest_ || is_print_of(*format_, word, digits_, bits) || is_near(*format_, word, bits);
    }
    /// The format, of those that data are often in, of which all are numbers or prints; empty if there is none.
    std::string_view fitting() const {
        for (const FormatId id : {FormatId::e2m1, FormatId::e4m3, FormatId::e5m2, FormatId::bf16, FormatId::f16,
                                  FormatId::tf32, FormatId::f32}) {
            const Format& other = format(id);
            const bool all = std::ranges::all_of(words_, [&](std::string_view word) {
                const auto number = find_number_pattern(other, word, Rounding::rne); // nothing: beyond its largest
                return number && (number->exact || is_print_of(other, word, digits_, number->bits) ||
                                  is_near(other, word, number->bits));
            });
            if (all) return other.name;
        }
        return "";
    }

  private:
    /// Whether the number is that of the pattern but for the last digits of binary64, in which it was printed.
    static bool is_near(const Format& format, std::string_view word, std::uint64_t bits) {
        constexpr int widest = 32; // beyond it the distance is not known so well
        constexpr double far = 1e-8;
        return format.mantissa_bits < widest && ulps_between(format, bits, std::string(word)) < far;
    }
    std::uint64_t nearest(std::string_view word) const { return number_pattern(*format_, word, Rounding::rne).bits; }

    const Format* format_;
    std::vector<std::string_view> words_;
    PrintedDigits digits_;
    bool shortest_ = false, open_ = false;
};

/// Decimals that are all zero are the same number whatever they are taken for.
bool is_zero(std::string_view word) {
    const std::string_view significand = word.substr(0, word.find_first_of("eEpP"));
    return significand.find_first_not_of("+-0.") == std::string_view::npos;
}

/// What the words are if nothing is said. @throws Error if some can be patterns, and some can not
WordsWere told_apart(const Format& format, std::span<const WordsOfOperand> words) {
    const auto could_be = [&](const WordsOfOperand& word) { return prefixed_pattern(format, word.word).has_value(); };
    const auto can_be_number = [&](const WordsOfOperand& word) {
        const auto number = find_number_pattern(format, word.word, Rounding::rne);
        return number && !number->is_nan; // nothing: none, or beyond the largest, as 3e800000
    };
    const auto other = std::ranges::find_if_not(words, could_be);
    if (other == words.end())
        return std::ranges::all_of(words, can_be_number) ? WordsWere::either : WordsWere::patterns;
    // No pattern has a point or a sign; beside such a number 1000 is one, too.
    const auto has_point_or_sign = [](const WordsOfOperand& word) {
        return word.word.find_first_of(".+-") != std::string::npos;
    };
    const auto is_decimal = [](const WordsOfOperand& word) { return is_number(word.word); };
    const bool decimals = std::ranges::any_of(words, has_point_or_sign) && std::ranges::all_of(words, is_decimal);
    if (const auto pattern = std::ranges::find_if(words, could_be); pattern != words.end() && !decimals)
        throw Error(sentence(other->where, excerpt(other->word), " is no pattern of ", format.name, ", but ",
                             excerpt(pattern->word), " can be one; --numbers or --patterns must say what they are"));
    // Numbers, unless the first is not even that.
    if (!is_number(words.front().word)) return WordsWere::patterns;
    const bool zeros = std::ranges::all_of(words, [](const WordsOfOperand& word) { return is_zero(word.word); });
    return zeros ? WordsWere::zeros : WordsWere::numbers;
}

/// Formats whose patterns are the first bits of another's words: the same numbers. (Words of tf32 are those of f32.)
constexpr auto first_bits =
    std::to_array<std::pair<FormatId, FormatId>>({{FormatId::bf16, FormatId::f32}, {FormatId::e5m2, FormatId::f16}});

/// The words as patterns of the format, where all are those of a wider one whose last bits are zero; empty if they are
/// not, or could be numbers. @param wider  gets the name of that format
std::vector<WordsOfOperand> without_last_bits(const Format& own, std::span<const WordsOfOperand> words,
                                              bool may_be_numbers, std::string_view& wider) {
    const auto* const pair = std::ranges::find(first_bits, own.id, [](const auto& one) { return one.first; });
    if (pair == first_bits.end() || words.empty()) return {};
    const Format& wide = format(pair->second);
    const int shift = wide.width - own.width;
    std::vector<WordsOfOperand> shorter;
    for (const WordsOfOperand& word : words) {
        const auto bits = prefixed_pattern(wide, word.word);
        if (!bits || (*bits & ((std::uint64_t{1} << shift) - 1)) != 0) return {};
        shorter.push_back({word.where, to_hex(own, *bits >> shift)});
    }
    const auto is_decimal = [](const WordsOfOperand& word) { return is_number(word.word); };
    if (may_be_numbers && std::ranges::all_of(words, is_decimal)) return {};
    wider = wide.name;
    return shorter;
}

} // namespace

void add_to(Table& table, std::string_view operand, FormatId format, OperandPatterns& patterns) {
    table.numbers += patterns.numbers;
    table.rounded += patterns.rounded;
    if (operand == "d" && patterns.nans > 0) table.nan_any = true;
    if (!patterns.wider.empty()) table.wider.push_back({operand, patterns.wider});
    if (patterns.numbers > 0)
        table.of_operands.push_back({.operand = operand,
                                     .format = format,
                                     .numbers = patterns.numbers,
                                     .rounded = patterns.rounded,
                                     .most_ulps = patterns.most_ulps,
                                     .fits = patterns.fits});
    if (patterns.ranges.empty()) return;
    (operand == "c" ? table.ranges.c : table.ranges.d) = std::move(patterns.ranges);
    (operand == "c" ? table.ranges.c_digits : table.ranges.d_digits) = patterns.digits;
}

OperandPatterns operand_patterns(const Format& format, std::span<const WordsOfOperand> words,
                                 const TableOptions& options, WordsAre words_are, std::string_view reading) {
    OperandPatterns result;
    std::string_view wider;
    if (options.lenient && options.cells != CellKind::numbers)
        if (const auto shorter = without_last_bits(format, words, options.cells == CellKind::told_apart, wider);
            !shorter.empty()) {
            TableOptions patterns = options;
            patterns.cells = CellKind::patterns;
            result = operand_patterns(format, shorter, patterns, words_are, reading);
            result.wider = wider;
            return result;
        }
    result.were = options.cells == CellKind::told_apart ? told_apart(format, words)
                  : options.cells == CellKind::patterns ? WordsWere::patterns
                                                        : WordsWere::numbers;
    result.bits.reserve(words.size());
    if (result.were == WordsWere::patterns || result.were == WordsWere::either) {
        for (const WordsOfOperand& word : words) {
            if (options.progress) options.progress(reading, result.bits.size(), words.size());
            const auto bits = prefixed_pattern(format, word.word);
            if (!bits) throw Error(word.where + pattern_complaint(format, word.word));
            result.bits.push_back(*bits);
        }
        return result;
    }
    const Printing printing(format, words, options, words_are);
    for (const WordsOfOperand& word : words) {
        if (options.progress) options.progress(reading, result.bits.size(), words.size());
        try {
            const NumberPattern number =
                number_pattern(format, word.word,
                               options.rounding || !printing.may_tell(word.word) ? options.rounding : Rounding::rne);
            result.bits.push_back(number.bits);
            ++result.numbers;
            result.nans += number.is_nan ? 1 : 0;
            if (printing.is_open()) result.ranges.push_back(printing.range(word.word));
            if (number.exact || printing.is_open() || printing.tells(word.word, number.bits)) continue;
            if (!options.rounding) number_pattern(format, word.word, std::nullopt); // throws
            ++result.rounded;
            result.most_ulps = std::max(result.most_ulps, ulps_between(format, number.bits, word.word));
        } catch (const Error& error) {
            throw Error(word.where + error.what());
        }
    }
    result.digits = printing.is_open() ? printing.significant() : 0;
    if (!printing.is_open()) result.printed = printing.digits();
    if (10 * result.rounded > result.numbers) result.fits = printing.fitting();
    return result;
}

} // namespace discern
