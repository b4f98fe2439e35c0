// Vectors in the forms that other people's programs read: test benches in RTL and C, and self-contained programs for a
// machine that has the GPU and nothing of ours.
//
// A form is a row of a table: its name, and the function that writes a whole file of it. Programs print their results
// as a file of observations (docs/vectors.md), which `discern eval --check` reads back. docs/export.md shows each form.
#pragma once

#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// What is exported, all of it in memory: most forms have one array an operand.
struct Exported {
    Shape shape;
    std::string unit;            ///< catalogue name, with or without overrides, or whole-unit line; empty: not known
    bool nan_any = false;        ///< any NaN equals any NaN in d
    std::string name;            ///< an identifier: what names in the output begin with
    std::string origin;          ///< one line for a comment: the command
    std::vector<Vector> vectors; ///< at least one; d: as many each in all of them, or none
    std::vector<std::string> results = {}; ///< whose each d is, where there are several; may be empty
    bool decimals = false;                 ///< csv: numbers in decimal instead of patterns
    /// Called with the number of vectors that are written, once in each array that has them all. It may throw, which
    /// ends the writing.
    std::function<void(std::string_view array, std::uint64_t done)> progress = nullptr;

    std::size_t results_each() const { return vectors.empty() ? 0 : vectors.front().d.size(); }
    bool has_results() const { return results_each() > 0; }
    void tell(std::string_view array, std::uint64_t done) const {
        if (progress) progress(array, done);
    }
};

struct ExportForm {
    std::string_view name;    ///< as in --as NAME
    std::string_view summary; ///< one line
    /// Writes the whole output. @throws Error if the vectors cannot be written in this form: no such instruction, …
    void (*write)(std::ostream& out, const Exported& what);
};

/// The forms that need nothing but the vectors, or what this folder knows of GPUs.
std::span<const ExportForm> export_forms();

// One a file of that name, mem.cpp, …; tb and sva are in bench.cpp
void export_text(std::ostream& out, const Exported& what); // export.cpp
void export_c(std::ostream& out, const Exported& what);
void export_csv(std::ostream& out, const Exported& what);
void export_cuda(std::ostream& out, const Exported& what);
void export_hip(std::ostream& out, const Exported& what);
void export_mem(std::ostream& out, const Exported& what);
void export_sva(std::ostream& out, const Exported& what);
void export_tb(std::ostream& out, const Exported& what);

/// Lines for the head of an output, each after `comment` and a blank: what it holds, the unit, the command.
void write_export_head(std::ostream& out, const Exported& what, std::string_view comment, std::string_view holds);

/// An operand of all vectors, for forms with one array an operand.
struct ExportedField {
    std::string_view name; ///< a, b, sa, sb, c, d
    FormatId format;
    int count;    ///< patterns of one vector
    bool is_list; ///< a, b, sa, sb: an array even with one pattern; d: of several results
    /// The patterns of that vector, `count` of them.
    std::span<const std::uint64_t> (*of)(const Vector& vector);
};

/// The operands that vectors of this shape have, in the order a, b, sa, sb, c, d.
std::vector<ExportedField> exported_fields(const Exported& what);

/// The text with other words in it; what is put in is not read again.
using Replacements = std::vector<std::pair<std::string_view, std::string>>;
std::string replaced(std::string_view text, const Replacements& words);

/// A name in capitals, as macros have it.
std::string in_capitals(std::string name);

/// A JSON object without its last brace, for more fields to follow, as a literal of C++.
std::string open_object(const std::string& json);

/// An array of C, words of four bytes in hexadecimal. @param suffix  of each number
void write_words(std::ostream& out, std::string_view name, const std::vector<std::uint8_t>& bytes, std::size_t a_line,
                 std::string_view suffix);

/// "f16: 1 sign, 5 exponent (bias 15) and 10 mantissa bits"
std::string described(const Format& format);

} // namespace discern
