// Tables of text, as other programs write them, as vectors.
//
// A column belongs to an operand, or is one of its elements. Whether the cells are bit patterns or numbers is not
// guessed: they are patterns if all of the operand's have exactly its number of hexadecimal digits, numbers if none can
// be a pattern or one has a point or a sign, and otherwise the caller has to say which. So it has where all of an
// operand's can be both, and another operand's are numbers: 4 is a number and a pattern of e2m1.
#pragma once

#include "decimal.hpp"
#include "models/printed.hpp"
#include "models/shape.hpp"
#include "models/vectors.hpp"
#include "number.hpp"

#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

enum class CellKind : std::uint8_t { told_apart, numbers, patterns };

/// Called with the progress of a long reading: what is being read, how many of it, and of how many; 0: that is not
/// known. It may throw, which ends the reading.
using ReadingProgress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t of)>;

struct TableOptions {
    CellKind cells = CellKind::told_apart;
    NumberRounding rounding = Rounding::rne; ///< of numbers; scales are never rounded
    /// What the columns are: "a0,a1,-,c" by position, "-" for one to leave out; or "a=LHS,c=acc" by the names that the
    /// file has, others being left out. Empty: the file's own names, all of which must be known. a0..a15 is short for
    /// sixteen columns.
    std::string columns;
    ReadingProgress progress = nullptr;
    /// As observations of other people: columns (arrays) of unknown names are left out, and without one of c all c are
    /// +0, which the table says. Otherwise both are errors.
    bool lenient = false;
    std::optional<PrintedDigits> digits = std::nullopt; ///< of results that are numbers; nothing: as they look
};

/// What became of the numbers of one operand.
struct OperandNumbers {
    std::string_view operand; ///< "a"
    FormatId format = FormatId::f16;
    std::uint64_t numbers = 0, rounded = 0; ///< those that the format does not have were rounded
    double most_ulps = 0;                   ///< the largest distance from its pattern
    std::string_view fits;                  ///< of many that are rounded: another format that has all; empty: none
};

/// What the words of an operand were, or could have been.
enum class WordsWere : std::uint8_t {
    zeros,    ///< zeros and no patterns: they say nothing
    numbers,  ///< numbers that are no patterns
    patterns, ///< patterns of which one is no number
    either,   ///< all are both; they were read as patterns
};

/// Vectors, and what became of the numbers among their patterns.
struct Table {
    std::vector<Vector> vectors;
    std::vector<std::uint64_t> lines; ///< of each vector
    std::uint64_t numbers = 0, rounded = 0;
    bool nan_any = false; ///< a result was given as "nan", which says nothing about its bits
    Shape shape;          ///< as it was given, with the K that was found
    PrintedRanges ranges; ///< of c and d, where they have too few digits
    std::vector<OperandNumbers> of_operands;
    std::vector<std::pair<std::string_view, WordsWere>> were; ///< how the operands' words were read
    /// Operands whose words are those of a wider format, whose last bits are zero, and its name.
    std::vector<std::pair<std::string_view, std::string_view>> wider;
    std::vector<std::string> left_out; ///< names of columns that are no operand's
    bool c_is_zero = false;            ///< there was none, and all are +0
    bool could_be_numbers = false;     ///< all patterns of all operands are decimals too
    std::size_t unlike_results = 0;    ///< vectors whose d is not the exact result, as if it had too few digits
};

/// Cells separated by commas, semicolons or tabs, some in quotes; empty lines, and those that begin with # or %, are
/// left out; a byte order mark is too. @param file   the name to use in errors
/// @param shape  with K = 0: as many as there are columns of a, or values in the first of them
/// @throws Error that names file, line and field
Table read_table(std::istream& in, const std::string& file, const Shape& shape, const TableOptions& options);

/// The patterns of one operand, from words of one kind. Used for columns and for options alike.
/// @param where  begins the sentence of an error, as "FILE:3: field a: "
struct WordsOfOperand {
    std::string where;
    std::string word;
};
/// A matrix in text, a row a line, separated by blanks, commas, semicolons or tabs.
struct WordMatrix {
    std::size_t rows = 0, columns = 0;
    std::vector<WordsOfOperand> words; ///< row by row
};
/// @throws Error that names file and line
WordMatrix read_word_matrix(std::istream& in, const std::string& file);

/// The same of numbers.
struct NumberMatrix {
    std::size_t rows = 0, columns = 0;
    std::vector<std::uint64_t> bits; ///< row by row
    std::uint64_t rounded = 0;
    bool has_few_digits = false; ///< as they are printed, they leave open which numbers of the format they are
};
/// @throws Error that names file, line and element
NumberMatrix read_number_matrix(std::istream& in, const std::string& file, const Format& format,
                                NumberRounding rounding);

struct OperandPatterns {
    std::vector<std::uint64_t> bits; ///< of each word
    WordsWere were = WordsWere::numbers;
    std::uint64_t numbers = 0, rounded = 0, nans = 0;
    double most_ulps = 0;           ///< of the rounded ones
    std::string_view wider;         ///< the format of the words, where these are its first bits; empty: the operand's
    std::string_view fits;          ///< if many are rounded: the name of another format that has all
    std::vector<PlaceRange> ranges; ///< of each word, if their digits leave it open (decimal.hpp), else none
    int digits = 0;                 ///< significant ones, of those
    PrintedDigits printed;          ///< of numbers that are taken as exact: how precisely they may have been printed
};
/// Whether decimals with few digits stand for all numbers that are printed so.
enum class WordsAre : std::uint8_t {
    exact,   ///< no: the nearest number is meant
    printed, ///< yes, if it looks so
    results, ///< the same, and TableOptions::digits may say how many there are
};

/// Adds what became of an operand's numbers, and moves its ranges there.
void add_to(Table& table, std::string_view operand, FormatId format, OperandPatterns& patterns);

/// @param options  its cells, rounding and progress, which is called with what is `reading`
OperandPatterns operand_patterns(const Format& format, std::span<const WordsOfOperand> words,
                                 const TableOptions& options, WordsAre words_are, std::string_view reading);

} // namespace discern
