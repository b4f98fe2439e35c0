// Parts that the readers of vectors share: lines, the position that an error names, and a parser for each form of line.
// Nothing here is for users of the library.
#pragma once

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"

#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::vector_lines {

/// A position in a file.
struct Place {
    std::string file;
    std::uint64_t line = 0;

    /// "FILE:LINE: complaint"
    std::string at(std::string_view complaint) const { return sentence(file, ":", line, ": ", complaint); }
    /// Throws the Error of that sentence.
    template <typename... Parts>
    [[noreturn]] void fail(const Parts&... parts) const {
        throw Error(at(sentence(parts...)));
    }
    template <typename... Parts>
    [[noreturn]] void fail_field(std::string_view field, const Parts&... parts) const {
        fail("field ", field, ": ", parts...);
    }
};

/// Lines of a stream, of bounded length, without their line ends.
class LineReader {
  public:
    LineReader(std::istream& in, std::string file);
    /// The next line, valid until the next call; false at the end. @throws Error for an over-long line, a zero byte or
    /// a failing stream.
    bool next(std::string_view& line);
    const Place& place() const { return place_; }
    /// Reads whole records of that many bytes into `to`, at most as many as fit. @throws Error if the last is
    /// incomplete
    std::size_t next_records(std::size_t bytes, std::span<std::byte> to);

  private:
    static constexpr std::size_t chunk = std::size_t{1} << 16;

    std::istream* in_;
    Place place_;
    std::unique_ptr<char[]> buffer_; ///< chunk bytes
    std::uint64_t longest_;
    std::string long_line_;
};

/// The fields of a vector, in the order in which they are written.
enum class Field : std::uint8_t { a, b, sa, sb, c, d };
inline constexpr std::array<std::string_view, 6> field_names = {"a", "b", "sa", "sb", "c", "d"};
constexpr std::string_view name(Field field) { return field_names[static_cast<std::size_t>(field)]; }
std::optional<Field> field_from_name(std::string_view text);

inline constexpr std::array<Field, 6> all_fields = {Field::a, Field::b, Field::sa, Field::sb, Field::c, Field::d};

/// Whether its patterns are written as a list. (Those of d may be.)
constexpr bool is_list(Field field) { return field != Field::c && field != Field::d; }

/// The patterns of a field: nullptr for c, which is no list.
std::vector<std::uint64_t>* list_of(Vector& vector, Field field);
/// The same to read; none of a c that is not there.
std::span<const std::uint64_t> patterns_of(const Vector& vector, Field field);
/// Adds a pattern to those of a field, or makes it c.
void put(Vector& vector, Field field, std::uint64_t bits);
/// Makes these the patterns of a field.
void set(Vector& vector, Field field, std::vector<std::uint64_t> bits);
/// How many patterns a field has in a vector of this shape (d: 1), and their format.
int count_of(const Shape& shape, Field field);
const Format& format_of(const Shape& shape, Field field);

/// Forgets everything but the storage.
void clear(Vector& vector);
/// A pattern of a field, or an Error. @param index  of the pattern in a list, -1 where there is one only
std::uint64_t require_pattern(const Place& place, const Shape& shape, Field field, int index, std::string_view text);
/// Errors for a field that must not be there, is missing, or has the wrong number of patterns.
void require_complete(const Place& place, const Shape& shape, const Vector& vector);
/// An Error if units of this shape have no such field.
void require_known(const Place& place, const Shape& shape, Field field);

// One parser a form of line. Each fills in the whole vector or throws Error.
void parse_json_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector);
void parse_compact_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector);
void parse_csv_line(const Place& place, const Shape& shape, std::span<const Field> columns, std::string_view line,
                    Vector& vector);
void parse_text_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector);

/// The layout that the header's field "binary" names.
RecordLayout parse_layout(const Place& place, const Shape& shape, std::string_view json);
Field field_of(const RecordLayout::Part& part);
void parse_record(const Place& place, const Shape& shape, const RecordLayout& layout, std::span<const std::byte> record,
                  Vector& vector);

/// The columns that the first line of a csv file names.
std::vector<Field> parse_csv_columns(const Place& place, std::string_view line);

/// The first line of a JSON form, with formats as far as they are spelled out.
struct ParsedHeader {
    Dialect dialect = Dialect::json_lines;
    Header header;
    std::optional<FormatId> a, b, c, d, scale;
    std::optional<int> K, kblock;
};
ParsedHeader parse_json_header(const Place& place, std::string_view line);

/// The shape that the reader works with, after checking that everything that says something about it agrees.
struct Agreement {
    Shape shape;
    bool nan_any = false;
};
Agreement agree(const Place& place, ParsedHeader& parsed, const std::optional<ReadAs>& as);

} // namespace discern::vector_lines
