// Results that were printed with so few digits that all of them look like exact numbers: 3 of %.0f stands for all
// numbers from 2.5 to 3.5, and nothing in the column of d says so. The exact results of the vectors do: where these
// have a fraction, and d is no farther from them than half of its last digit, again and again, d was rounded by its
// printing.
#pragma once

#include "table.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace discern {

/// Whether no number has a point or an exponent, and one is not zero.
bool are_whole(std::span<const std::string_view> words);

/// How decimals without a fraction, or with few digits, may have been printed. @param as_they_look  printed_digits()
PrintedDigits coarsest_printing(std::span<const std::string_view> words, PrintedDigits as_they_look);

/// The words of a column that may have been rounded by their printing, and how it looks.
struct PrintedColumn {
    std::vector<WordsOfOperand> words;
    PrintedDigits digits;
    std::vector<std::string_view> views() const {
        std::vector<std::string_view> all;
        for (const WordsOfOperand& one : words) all.emplace_back(one.word);
        return all;
    }
};

/// Looks whether d, and perhaps c, which both look like exact numbers, were rounded by their printing: then they are
/// ranges, and otherwise Table::unlike_results counts what speaks for it.
/// @param may_be_ranges  false: it is only counted
void look_at_results(Table& table, const PrintedColumn& c, const PrintedColumn& d, bool may_be_ranges);

} // namespace discern
