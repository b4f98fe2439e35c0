// Tests of IEEE 754 arithmetic as others keep them, as vectors of a multiply-add: the lines of Berkeley TestFloat, and
// those of IBM's FPgen suite (.fptest). What they test is one operation in one rounding mode, and every one of these is
// a multiply-add: a + b is a·1 + b, a − b is a·1 + (−b), and a·b adds the zero that changes no product.
//
// Both kinds come in files of millions of lines, so they are read one at a time. Every line becomes a vector, or is
// counted with the reason why it does not, or is an error: what looks like a test and cannot be read is no comment.
#pragma once

#include "models/rounding.hpp"
#include "models/vectors.hpp"
#include "table.hpp"

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern {

enum class ArithmeticOperation : std::uint8_t { add, sub, mul, mul_add, mul_sub };

/// The operation that TestFloat calls so: "add", "sub", "mul" or "mulAdd".
/// @throws Error that names those that there are
ArithmeticOperation testfloat_operation(std::string_view text);

struct ArithmeticReading {
    Rounding rounding = Rounding::rne; ///< of the tests that become vectors
    std::optional<ArithmeticOperation>
        operation;                  ///< of TestFloat's lines; nothing: mulAdd, if they have three operands
    std::optional<FormatId> format; ///< nothing: that of the first test
    /// Called with each vector. The format is the same each time.
    std::function<void(const Format&, const Vector&)> take;
    ReadingProgress progress = nullptr;
};

struct ArithmeticCounts {
    std::uint64_t lines = 0, vectors = 0;
    std::uint64_t flags = 0;                      ///< vectors with the flags that are raised
    std::map<std::string, std::uint64_t> skipped; ///< lines by the reason, as "without a test"
};

/// Lines "a b d flags" or "a b c d flags" in hexadecimal, separated by blanks or underscores, with comments behind //.
/// Between the operands and d there may be a word of control, as courses have it: `rr m a p z` in bits.
/// @throws Error that names file and line
ArithmeticCounts read_testfloat(std::istream& in, const std::string& file, const ArithmeticReading& reading);

/// Lines "b32*+ =0 xu a b c -> d flags", of which those of + - * *+ and *- in the rounding mode become vectors.
/// @throws Error that names file and line
ArithmeticCounts read_fptest(std::istream& in, const std::string& file, const ArithmeticReading& reading);

namespace arithmetic_tests {

inline constexpr std::string_view no_test = "without a test";

std::size_t operands_of(ArithmeticOperation operation);
/// The multiply-add that computes it.
Vector multiply_add(const Format& format, ArithmeticOperation operation, Rounding rounding,
                    std::span<const std::uint64_t> operands, std::uint64_t result);
/// Calls `read` with each line, without its end, and its place for errors. It gives why the line is skipped, or
/// nothing.
void for_each_line(std::istream& in, const std::string& file, const ArithmeticReading& reading,
                   ArithmeticCounts& counts,
                   const std::function<std::string(std::string_view line, const std::string& where)>& read);

} // namespace arithmetic_tests

} // namespace discern
