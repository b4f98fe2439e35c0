// NumPy's files: .npy, one array, and .npz, several with names.
//
// What the elements are follows from their type: unsigned integers of the word that holds the format are patterns, and
// so are raw words (V) and the floats that are the format itself; other floats are numbers. For other integers the
// caller has to say which. The format of the files: numpy.lib.format, version 1 to 3.
#pragma once

#include "table.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// The first bytes of a .npy file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// And of an archive.
inline constexpr std::string_view zip_magic = "PK";

struct Array {
    std::string name;               ///< for errors: the file, or FILE:NAME
    std::string type;               ///< as the file has it: "<f4"
    bool is_fortran = false;        ///< the first index changes fastest
    std::vector<std::size_t> shape; ///< of any number of dimensions
    std::vector<std::byte> data;

    std::size_t size() const;
};

/// How many bytes a file has that begins so, by its header; nothing if that is none, or truncated.
std::optional<std::uint64_t> npy_file_size(std::string_view beginning);
/// @param bytes  the whole file. @throws Error if it is none, or is truncated
Array read_npy(std::string_view bytes, const std::string& name);
/// All arrays in it, by name, without the suffix. @throws Error as above; also if this build cannot read such files
std::vector<std::pair<std::string, Array>> read_npz(std::string_view bytes, const std::string& name);

/// The file of an array, as read_npy reads it: version 1.0 of the format.
std::string npy_of(std::string_view type, std::span<const std::size_t> shape, std::string_view data);
/// An archive of files, names without suffix. @throws Error if this build cannot write such files
std::string npz_of(std::span<const std::pair<std::string, std::string>> files);
/// NumPy's type of a format's patterns in words: floats where the format is NumPy's own, else unsigned integers.
std::string npy_type(FormatId id);

/// The format whose numbers the elements are, by their type: floats of 2, 4 and 8 bytes, the raw words of 2 bytes
/// as which numpy writes bfloat16, and the floats of 1 byte as which it writes float8_e5m2. Nothing of others.
std::optional<FormatId> format_of(const Array& array);

/// Whether data has the format's patterns, element by element in order, as they are.
bool has_plain_patterns(const Array& array, const Format& format, CellKind cells);

/// All elements as patterns, row by row, whatever the order in the file.
/// @throws Error that names the array, and the element if one of them is wrong
OperandPatterns array_patterns(const Array& array, const Format& format, CellKind cells, NumberRounding rounding,
                               const ReadingProgress& progress = nullptr);

/// Vectors from arrays named a, b, sa, sb, c and d, or as TableOptions::columns ("a=lhs") says: a row a vector.
Table table_of_arrays(std::span<const std::pair<std::string, Array>> arrays, const std::string& file,
                      const Shape& shape, const TableOptions& options);

} // namespace discern
