// Files of vectors: inputs of one dot product as bit patterns, and the results that were observed or predicted.
//
// The canonical form is JSON Lines, a header and then one object a line; docs/vectors.md describes it and the three
// other forms that are read (compact JSON Lines, csv, plain text). Reader and writer hold one line at a time, so files
// of any length take the same memory. Nothing is guessed: the first line that is not right ends the reading with an
// Error that names file, line and field.
#pragma once

#include "evaluate.hpp"
#include "shape.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// One dot product. Patterns are in the low bits of a word.
struct Vector {
    std::vector<std::uint64_t> a, b;   ///< K each
    std::vector<std::uint64_t> sa, sb; ///< Shape::scales() each
    std::optional<std::uint64_t> c;    ///< nothing only where the shape has no c
    std::vector<std::uint64_t> d;      ///< empty: not known; several: of several units, in the order of the header
    bool d_is_list = false;            ///< d is written as a list
    std::string error = {};            ///< why a target gave no d; empty: it gave one, or was not asked

    /// Forgets what was observed.
    void clear_results() {
        d.clear();
        d_is_list = false;
        error.clear();
    }
    /// The inputs alone; the spans point into this vector.
    Inputs inputs() const { return {.a = a, .b = b, .sa = sa, .sb = sb, .c = c.value_or(0)}; }
    bool same_inputs(const Vector& other) const {
        return a == other.a && b == other.b && sa == other.sa && sb == other.sb && c == other.c;
    }
};

enum class NanComparison : std::uint8_t {
    unsaid, ///< the unit decides
    exact,  ///< the bits count
    any,    ///< any NaN equals any NaN
};

/// The first line of a file.
struct Header {
    std::string unit;           ///< as written; empty if the file names none
    std::optional<Shape> shape; ///< formats, K and scale blocks, if they are spelled out
    NanComparison nan = NanComparison::unsaid;
    std::string target; ///< what was observed; empty for predictions and bare inputs
    /// Every other field in order: its name, and its value as JSON text.
    std::vector<std::pair<std::string, std::string>> other;
};

/// A string as JSON text, for Header::other.
std::string json_string(std::string_view text);
/// The header as the canonical first line, without line end.
std::string to_json(const Header& header);

/// The forms that are read, recognised by the first line.
enum class Dialect : std::uint8_t {
    json_lines, ///< the canonical one: a header with "discern"
    compact,    ///< a header with "arch" and "instr"; patterns of one operand in one string
    csv,        ///< a line that names the columns; patterns separated by spaces
    text,       ///< no header: hexadecimal words a… b… sa… sb… c d
};

std::string_view name(Dialect dialect);

/// The unit that a caller reads a file as: its text, for errors, and its shape.
struct ReadAs {
    std::string unit;
    Shape shape;
};

class VectorReader {
  public:
    /// Reads the first line.
    /// @param in    must outlive the reader
    /// @param file  the name to use in errors
    /// @param as    what the patterns are; the header must agree. Without it the header must say, and csv and plain
    ///              text, which cannot, are refused.
    /// @throws Error if the first line is not right
    VectorReader(std::istream& in, std::string file, std::optional<ReadAs> as = std::nullopt);
    ~VectorReader();
    VectorReader(VectorReader&&) noexcept;
    VectorReader& operator=(VectorReader&&) noexcept;

    Dialect dialect() const;
    const Header& header() const;
    const Shape& shape() const;
    /// Whether the header, or the unit that it names, compares any NaN equal to any NaN.
    bool nan_any() const;

    /// Reads the next vector; false at the end of the file. The vector's storage is used again.
    /// @throws Error at the first line that is not right
    bool next(Vector& vector);
    /// The number, from 1, of the line read last.
    std::uint64_t line() const;
    /// The sentence "FILE:LINE: …" for a complaint about the line read last.
    std::string at_line(std::string_view complaint) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes the header at once, then a line a vector. Whether the stream took it is the caller's to ask.
class VectorWriter {
  public:
    enum class Form : std::uint8_t { json_lines, text };

    /// @param out    must outlive the writer
    /// @param shape  of all vectors, which are not checked against it again
    VectorWriter(std::ostream& out, const Shape& shape, const Header& header, Form form = Form::json_lines);
    void write(const Vector& vector);

  private:
    std::ostream* out_;
    Shape shape_;
    Form form_;
    std::string line_;
};

/// A vector as one line of the canonical form, without line end.
std::string to_json(const Shape& shape, const Vector& vector);

} // namespace discern
