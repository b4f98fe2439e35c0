// Files of vectors: inputs of one dot product as bit patterns, and the results that were observed or predicted.
//
// The canonical form is JSON Lines, a header and then one object a line; docs/vectors.md describes it and the four
// other forms that are read (compact JSON Lines, csv, plain text, binary). Reader and writer hold one line at a time,
// so files of any length take the same memory. Nothing is guessed: the first line that is not right ends the reading
// with an Error that names file, line and field.
#pragma once

#include "evaluate.hpp"
#include "flags.hpp"
#include "shape.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// One dot product. Patterns are in the low bits of a word.
struct Vector {
    std::vector<std::uint64_t> a, b;       ///< K each
    std::vector<std::uint64_t> sa, sb;     ///< Shape::scales() each
    std::optional<std::uint64_t> c;        ///< nothing only where the shape has no c
    std::vector<std::uint64_t> d;          ///< empty: not known; several: of several units, in the order of the header
    bool d_is_list = false;                ///< d is written as a list
    std::optional<StatusFlags> flags = {}; ///< raised on the way to d; nothing: not known
    std::string error = {};                ///< why a target gave no d; empty: it gave one, or was not asked

    /// Forgets what was observed.
    void clear_results() {
        d.clear();
        d_is_list = false;
        flags.reset();
        error.clear();
    }
    /// The inputs alone; the spans point into this vector.
    Inputs inputs() const { return {.a = a, .b = b, .sa = sa, .sb = sb, .c = c.value_or(0)}; }
    bool same_inputs(const Vector& other) const {
        return a == other.a && b == other.b && sa == other.sa && sb == other.sb && c == other.c;
    }
};

/// A vector of its own with these inputs, without d.
inline Vector vector_of(const Shape& shape, const Inputs& inputs) {
    Vector vector;
    vector.a.assign(inputs.a.begin(), inputs.a.end());
    vector.b.assign(inputs.b.begin(), inputs.b.end());
    vector.sa.assign(inputs.sa.begin(), inputs.sa.end());
    vector.sb.assign(inputs.sb.begin(), inputs.sb.end());
    if (shape.c) vector.c = inputs.c;
    return vector;
}

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
    compact,    ///< a header with "arch" and "instr", or "unit" and "by"; patterns of one operand in one string
    csv,        ///< a line that names the columns; patterns separated by spaces
    text,       ///< no header: hexadecimal words a… b… sa… sb… c d
    binary,     ///< a header of json_lines with "binary", then records of little-endian words
};

std::string_view name(Dialect dialect);

/// The unit that a caller reads a file as: its text, for errors, and its shape.
struct ReadAs {
    std::string unit;
    Shape shape;
};

/// The fields of a record of the binary form, in order, and where each begins. Patterns are little-endian words of 1,
/// 2, 4 or 8 bytes, the smallest that holds the format.
struct RecordLayout {
    struct Part {
        char field;         ///< 'a', 'b', 'A' (sa), 'B' (sb), 'c' or 'd'
        std::size_t offset; ///< in bytes
        std::size_t count;  ///< patterns
        std::size_t word;   ///< bytes of one
    };
    std::vector<Part> parts;
    std::size_t bytes = 0; ///< of a record

    /// The part of that field, or nullptr.
    const Part* find(char field) const;
};

/// The layout of records with all inputs of the shape, and with d.
RecordLayout record_layout(const Shape& shape, bool with_d);

/// The vector of one record.
Vector read_record(const Shape& shape, const RecordLayout& layout, std::span<const std::byte> record);

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
    /// Binary files: up to `most` records at once, as they are in the file; empty at the end. Valid until the next
    /// call. Bits above a format's width are not looked at. @throws Error if the last record is incomplete
    std::span<const std::byte> next_records(std::size_t most);
    /// Of binary files. @throws std::logic_error for others
    const RecordLayout& layout() const;
    /// The number, from 1, of the line read last (binary files: that of the record, plus one for the header).
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
    enum class Form : std::uint8_t { json_lines, text, binary };

    /// @param out    must outlive the writer
    /// @param shape  of all vectors, which are not checked against it again. In the binary form each has one d.
    VectorWriter(std::ostream& out, const Shape& shape, const Header& header, Form form = Form::json_lines);
    void write(const Vector& vector);

  private:
    std::ostream* out_;
    Shape shape_;
    Form form_;
    std::string line_;
    RecordLayout layout_; ///< of the binary form
};

/// A vector as one line of the canonical form, without line end.
std::string to_json(const Shape& shape, const Vector& vector);

} // namespace discern
