// Vectors from any file that people have them in: files of vectors, tables of text (csv, tsv) and NumPy's archives.
//
// A file of vectors is read line by line; a table or an archive is read whole. What a table leaves open is said once on
// the error stream: columns that are no operand's, c that is not there, numbers that are none of their format.
#pragma once

#include "cli/options/options.hpp"
#include "files.hpp"
#include "models/import/npy.hpp"
#include "models/import/table.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::cli {

/// How data are to be read that do not say it themselves.
struct DataOptions {
    std::string formats, scale, columns, digits, round = "rne";
    int K = 0;
    bool numbers = false, patterns = false;
};

/// The options that a command has by other names, or not at all.
struct DataOptionsThere {
    bool formats = false; ///< --formats, --K and --scale, or a UNIT that says them
    bool numbers = false; ///< --numbers and --round
};

/// Adds --columns, --digits and --patterns, and what is not there yet.
void add_data_options(CommandLine& line, DataOptions& options, DataOptionsThere there);

/// How tables are read, with the options' meaning. @throws Error if they contradict each other
TableOptions table_options(const DataOptions& options);

/// Formats, and K if it is given, else 0. @throws Error if K or scales are given without formats
std::optional<Shape> shape_of_options(const DataOptions& options);

/// Where --formats is given beside a UNIT, which has formats of its own.
/// @throws Error if the two differ
void require_formats(const std::string& unit, const Shape& shape, const DataOptions& options);

/// The arrays of an .npz file, or of a folder with .npy files.
std::vector<std::pair<std::string, Array>> read_arrays(const std::string& path, const Streams& io);

/// Says on the error stream what became of the table's columns and numbers.
void report_table(const std::string& name, const Table& table, const DataOptions& options, const Streams& io);
/// Only what the values are, unless the user has said it, what leaves that open (patterns that could be numbers), and
/// results with few digits.
void report_results(const std::string& name, const Table& table, bool is_told_apart, const Streams& io);
/// Only how many numbers were rounded, if any were: of all, if it is known how many there are.
void report_rounded(std::uint64_t rounded, const std::string& mode, const Streams& io, std::uint64_t of = 0);
/// The same, and of which operands.
void report_rounded(const Table& table, const std::string& round, const Streams& io);

class VectorFile {
  public:
    /// @param path  - for io.in
    /// @param as    what the patterns are, where the caller knows it; otherwise the options or the file say it
    /// @throws Error if the file cannot be read, or does not say its formats
    VectorFile(const std::string& path, const std::optional<ReadAs>& as, const DataOptions& options, const Streams& io);
    /// Vectors that were made otherwise, as from matrices.
    VectorFile(std::string name, Table table);
    ~VectorFile();
    VectorFile(const VectorFile&) = delete;
    VectorFile& operator=(const VectorFile&) = delete;

    const std::string& name() const { return name_; }
    const Header& header() const;
    const Shape& shape() const;
    bool nan_any() const;
    /// The next vector; false at the end. @throws Error at the first line that is not right
    bool next(Vector& vector);
    std::uint64_t line() const;
    std::string at_line(std::string_view complaint) const;
    /// Of a file of vectors, which is read line by line; nullptr of others.
    VectorReader* reader() { return reader_ ? &*reader_ : nullptr; }
    /// Whether more of the file can be read without waiting for its writer.
    bool has_more_at_once();

    /// The number of the vector read last, from 1, of what is no file of vectors.
    std::size_t number() const { return next_; }
    /// What d of the vector read last may be, which is this pattern unless it has few digits.
    PlaceRange d_range(std::uint64_t d) const;
    /// The same of c.
    PlaceRange c_range(std::uint64_t c) const;
    bool has_ranges() const { return !table_.ranges.empty(); }
    const PrintedRanges& ranges() const { return table_.ranges; }
    /// "matched to 6 digits, …" as a line; empty if all are exact.
    std::string about_digits() const;

  private:
    void open(const std::string& path, const std::optional<ReadAs>& as, const DataOptions& options, const Streams& io);
    void take(Table table, const DataOptions& options, const Streams& io);

    std::string name_;
    std::unique_ptr<InputFile> file_;
    std::unique_ptr<std::streambuf> ahead_; ///< the first line, which has been read, and the rest
    std::unique_ptr<std::istream> stream_;  ///< of it
    std::optional<VectorReader> reader_;
    Table table_; ///< unless there is a reader
    Header header_;
    std::size_t next_ = 0;
};

/// How a file is to be read that may not say its formats and K: as the unit's, if one is named.
/// @throws Error if there is no such unit
std::optional<ReadAs> read_as(const std::string& unit);

/// Vectors that a target could not answer: they are in a file of observations with the reason, and are not compared.
class NotObserved {
  public:
    /// Whether this is one; it is counted.
    bool count(const Vector& vector);
    /// " but 3 that the target could not answer", or nothing.
    std::string but_those() const;
    /// A line that says how many and why, or nothing.
    std::string summary() const;

  private:
    std::uint64_t count_ = 0;
    std::string first_;
};

/// The same bits, or both NaN where that is enough.
bool same_observation(const Format& format, bool nan_any, std::uint64_t d1, std::uint64_t d2);

/// The one d of the vector read last. @param who  what compares, for messages: "--check compares"
/// @throws Error if there is none, or a list
std::uint64_t require_observation(const VectorFile& file, const Vector& vector, std::string_view who);

/// Whether a result is one that the file's c and d allow. @param evaluate  the unit
bool is_observed(const VectorFile& file, bool nan_any, const Vector& vector, std::uint64_t result,
                 const std::function<std::uint64_t(const Inputs&)>& evaluate);

} // namespace discern::cli
