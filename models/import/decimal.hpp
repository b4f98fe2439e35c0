// Decimals as they are printed: how many digits a column of them has, and which numbers of a format one may stand for.
//
// A number of a format is known from its decimal if that has enough digits to tell it from its neighbours: 5 for f16, 9
// for f32, 17 for f64 (%.5g, %.9g, %.17g). With fewer it stands for all the numbers that are printed so. How many
// digits there are is a property of the whole column, because printing with %g leaves zeros at the end out: 0.5 in a
// column with six digits is 0.500000.
#pragma once

#include "models/format.hpp"
#include "models/places.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern {

/// How precisely the numbers of a column are printed.
struct PrintedDigits {
    enum class Kind : std::uint8_t {
        exact,       ///< a decimal is the very number
        significant, ///< `count` digits from the first that is not zero on
        places,      ///< `count` digits behind the point
    } kind = Kind::exact;
    int count = 0;
};

/// Significant digits that tell any two numbers of the format apart: 5 for f16, 9 for f32.
int digits_needed(const Format& format);

/// Of the numbers of a column: `places` if all have equally many digits behind the point, and no equal number of
/// significant ones; `significant` with the most digits that one of them has otherwise. `exact` if there is no decimal
/// with a digit.
PrintedDigits printed_digits(std::span<const std::string_view> words);

/// "n", ".n" (behind the point) or "exact", as --digits has it; nothing of an empty text. @throws Error for anything
/// else
std::optional<PrintedDigits> digits_from(std::string_view text);

/// Whether the decimals leave open which number of the format was printed: there are too few digits, and not every
/// decimal is the very number, as in a table that was made by hand.
bool leaves_open(const Format& format, std::span<const std::string_view> words, PrintedDigits digits);

/// The places of the numbers that are printed so, the nearest one among them. Of infinities and hexadecimal numbers,
/// which are exact, and NaN only that one. @throws as number_pattern
PlaceRange printed_range(const Format& format, std::string_view text, PrintedDigits digits);

/// Whether all decimals are the shortest that their nearest number has, as Python prints it, and one of them shows it:
/// with all digits that a number may need but one.
bool are_shortest(const Format& format, std::span<const std::string_view> words);

/// Whether the pattern, printed with these digits, is the text: 0.0999755859 is 0x2e66 of f16 in ten digits.
bool is_print_of(const Format& format, std::string_view text, PrintedDigits digits, std::uint64_t bits);

} // namespace discern
