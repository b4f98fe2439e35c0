#include "vector_file.hpp"

#include "matrix_vectors.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/cells.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/plain_text.hpp"
#include "target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace discern::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// A line with its end, or of a long one the next piece; false at the end of the stream.
bool next_piece(std::istream& in, std::string& piece) {
    std::array<char, 1 << 16> room;
    in.getline(room.data(), room.size());
    const auto count = static_cast<std::size_t>(in.gcount());
    const bool at_end = in.eof(), goes_on = in.fail() && !at_end && count == room.size() - 1;
    piece.assign(room.data(), goes_on || at_end ? count : count - std::min<std::size_t>(count, 1));
    if (goes_on) in.clear();
    if (in.good() && !goes_on) piece += '\n';
    return !piece.empty();
}

/// A piece that has been read, and then those of a stream, line by line, as they come.
class LinesAgain : public std::streambuf {
  public:
    LinesAgain(std::string first, std::istream& rest) : line_(std::move(first)), rest_(rest) { show(); }

  protected:
    int_type underflow() override {
        if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
        if (!next_piece(rest_, line_)) return traits_type::eof();
        show();
        return traits_type::to_int_type(*gptr());
    }

  private:
    void show() { setg(line_.data(), line_.data(), line_.data() + line_.size()); }

    std::string line_;
    std::istream& rest_;
};

/// Whether the line is one of plain text, and not the names of a table's columns.
bool is_plain_text(std::string_view line) {
    if (!can_be_plain_text(line)) return false;
    // The names of columns can have only hexadecimal digits, too: a b c d, or a0 a1 b0 b1 c d. Patterns of an operand
    // have equally many.
    if (line.find('\t') == std::string_view::npos) return true;
    const auto names = import_cells::words(line);
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    return !(has("a") && has("b") && names.size() <= 4) && !(has("a0") && has("b0") && (has("c") || has("d")));
}

/// What a table or an archive must be told.
std::string tell_formats(const std::string& name) {
    return name + (name.ends_with(".fptest") ? " has tests of IBM's FPgen; 'discern import fptest' reads them"
                                             : " does not say its formats; --formats does, those of a, b, c and d, as "
                                               "in --formats f16,f16,f32,f32");
}

/// Formats as the arrays' types say them.
Shape shape_of_arrays(std::span<const std::pair<std::string, Array>> arrays, const std::string& name,
                      const std::string& columns) {
    Shape shape;
    shape.K = 0;
    std::array<std::optional<FormatId>, 4> formats;
    constexpr std::array<std::string_view, 4> operands = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        std::string array_name(operands[i]);
        for (const std::string& item : import_cells::split(columns, ','))
            if (item.starts_with(array_name + "=")) array_name = item.substr(2);
        for (const auto& [own, array] : arrays)
            if (own == array_name) formats[i] = format_of(array);
    }
    if (!formats[0] || !formats[1] || !formats[3]) throw Error(tell_formats(name));
    shape.a = *formats[0];
    shape.b = *formats[1];
    shape.d = *formats[3];
    shape.c = formats[2].value_or(shape.d);
    return shape;
}

/// Whether it is a folder of .npy files.
bool has_arrays(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return false;
    const fs::directory_iterator entries(path, ignored);
    return std::any_of(begin(entries), end(entries),
                       [](const fs::directory_entry& entry) { return entry.path().extension() == ".npy"; });
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + excerpt(names[i]);
    return names.size() > most ? text + sentence(" and ", names.size() - most, " more") : text;
}

} // namespace

void add_data_options(CommandLine& line, DataOptions& options, DataOptionsThere there) {
    if (!there.formats) {
        line.add_shared("--formats", options.formats, "of a table or of arrays");
        line.add_shared("--K", options.K, "of a table, as many as it has without it");
        line.add_shared("--scale", options.scale);
    }
    if (!there.numbers) {
        line.add_shared("--numbers", options.numbers, "of a table");
        line.add_shared("--round", options.round);
    }
    line.add_shared("--patterns", options.patterns, "of a table");
    line.add_shared("--columns", options.columns);
    line.add_shared("--digits", options.digits);
}

TableOptions table_options(const DataOptions& options) {
    if (options.numbers && options.patterns) throw Error("--numbers and --patterns contradict each other");
    return {.cells = options.numbers    ? CellKind::numbers
                     : options.patterns ? CellKind::patterns
                                        : CellKind::told_apart,
            .rounding = number_rounding_from(options.round),
            .columns = options.columns,
            .lenient = true,
            .digits = digits_from(options.digits)};
}

std::optional<Shape> shape_of_options(const DataOptions& options) {
    if (options.formats.empty()) {
        if (options.K != 0 || !options.scale.empty())
            throw Error("--formats and --K belong together, as in --formats f16,f16,f32,f32 --K 16");
        return std::nullopt;
    }
    Shape shape = shape_from_text(options.formats, std::max(options.K, 1), options.scale);
    shape.K = options.K;
    return shape;
}

void require_formats(const std::string& unit, const Shape& shape, const DataOptions& options) {
    if (options.formats.empty()) return;
    Shape given = shape_from_text(options.formats, shape.K, options.scale);
    if (options.scale.empty()) given.scale = shape.scale;
    if (const std::string what = difference(given, shape); !what.empty())
        throw Error(
            sentence("--formats ", options.formats, " and ", unit, " (", to_string(shape), ") differ in ", what));
}

std::vector<std::pair<std::string, Array>> read_arrays(const std::string& path, const Streams& io) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        InputFile file(path, io);
        return read_npz(array_file(file.stream()), file.name());
    }
    std::vector<std::pair<std::string, Array>> arrays;
    for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.path().extension() != ".npy") continue;
        InputFile file(entry.path().string(), io);
        arrays.emplace_back(entry.path().stem().string(), read_npy(array_file(file.stream()), file.name()));
    }
    if (arrays.empty()) throw Error(path + " has no .npy files; a.npy, b.npy, c.npy and perhaps d.npy are right");
    return arrays;
}

void report_rounded(std::uint64_t rounded, const std::string& mode, const Streams& io, std::uint64_t of) {
    if (rounded > 0)
        io.err << fmt::format("discern: {}{} {} rounded ({}); --round exact refuses them\n",
                              of == 0 ? "" : fmt::format("{} of ", rounded), counted(of == 0 ? rounded : of, "number"),
                              rounded == 1 ? "is none of its format and was" : "are none of their formats and were",
                              mode);
}

void report_rounded(const Table& table, const std::string& round, const Streams& io) {
    report_rounded(table.rounded, round, io, table.numbers);
    for (const OperandNumbers& one : table.of_operands) {
        if (one.rounded == 0) continue;
        io.err << fmt::format("  {}: {} of {} {} none of {}, at most {:.2g} ulp away", one.operand, one.rounded,
                              one.numbers, one.rounded == 1 ? "is" : "are", format(one.format).name, one.most_ulps);
        if (!one.fits.empty())
            io.err << fmt::format("; is the format right? {} of {} are {}", one.numbers, one.numbers, one.fits);
        io.err << '\n';
    }
}

void report_results(const std::string& name, const Table& table, bool is_told_apart, const Streams& io) {
    const auto list = [&](const auto& is_one) {
        std::string names;
        for (const auto& [operand, were] : table.were)
            if (is_one(were)) names += sentence(names.empty() ? "" : ", ", operand);
        return names;
    };
    const std::string numbers = list([](WordsWere w) { return w == WordsWere::numbers || w == WordsWere::zeros; });
    const std::string patterns = list([](WordsWere w) { return w == WordsWere::patterns || w == WordsWere::either; });
    if (is_told_apart && !table.could_be_numbers && !table.were.empty())
        io.err << fmt::format("discern: {}: {}\n", name,
                              patterns.empty() ? "all values are read as numbers"
                              : numbers.empty()
                                  ? "all values are read as bit patterns"
                                  : sentence("read as bit patterns: ", patterns, "; as numbers: ", numbers));
    for (const auto& [operand, wider] : table.wider)
        io.err << fmt::format("discern: {}: {} has words of {} whose last bits are zero, which are left out\n", name,
                              operand, wider);
    if (table.could_be_numbers)
        io.err << fmt::format("discern: {}: all values are read as bit patterns, and could be numbers; --numbers or "
                              "--patterns says what they are\n",
                              name);
    if (table.unlike_results != 0)
        io.err << fmt::format(
            "discern: {}: d is taken as exact, but in {} it is not the exact result, as if it had been "
            "printed with too few digits; --digits of which, eval, diff and measure says how many it "
            "has, as in --digits .0 of whole numbers\n",
            name, counted(table.unlike_results, "vector"));
}

void report_table(const std::string& name, const Table& table, const DataOptions& options, const Streams& io) {
    if (!table.left_out.empty())
        io.err << fmt::format("discern: {}: left out: {}; --columns says what they are, if they are operands\n", name,
                              listed(table.left_out));
    if (table.c_is_zero) io.err << fmt::format("discern: {}: there is no c; it is taken as +0\n", name);
    report_results(name, table, !options.numbers && !options.patterns, io);
    report_rounded(table, options.round, io);
}

VectorFile::VectorFile(const std::string& path, const std::optional<ReadAs>& as, const DataOptions& options,
                       const Streams& io)
    : name_(path == "-" ? "standard input" : path) {
    open(path, as, options, io);
}

void VectorFile::open(const std::string& path, const std::optional<ReadAs>& as, const DataOptions& options,
                      const Streams& io) {
    const std::optional<Shape> given = as ? std::optional(as->shape) : shape_of_options(options);
    const auto take_arrays = [&](const std::vector<std::pair<std::string, Array>>& arrays) {
        if (options.columns.empty() && are_matrices(arrays)) {
            table_ = vectors_of_matrices(arrays, name_, given, options, io);
            return;
        }
        const Shape shape = given ? *given : shape_of_arrays(arrays, name_, options.columns);
        take(table_of_arrays(arrays, name_, shape, table_options(options)), options, io);
    };
    if (path != "-" && has_arrays(path)) return take_arrays(read_arrays(path, io));
    file_ = std::make_unique<InputFile>(path, io);
    std::istream& in = file_->stream();
    const auto read_vectors = [&](std::istream& from) {
        std::optional<ReadAs> read_as = as;
        if (!as && given && given->K != 0) read_as = ReadAs{.unit = "--formats " + options.formats, .shape = *given};
        reader_.emplace(from, name_, read_as);
    };
    if (in.peek() == '{' || in.peek() == std::istream::traits_type::eof()) return read_vectors(in);
    std::string first;
    next_piece(in, first);
    std::string_view content = first;
    if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
    if (content.starts_with(zip_magic)) return take_arrays(read_npz(array_file(in, first), name_));
    if (content.starts_with(npy_magic))
        throw Error(name_ + " is one array; the matrices of a product are given as --a A.npy --b B.npy --d D.npy, or "
                            "lists of vectors as an .npz file with arrays a, b, c and d");
    const bool is_positional = !options.columns.empty() && options.columns.find('=') == std::string::npos;
    if (content.starts_with('{') || (is_plain_text(content) && !is_positional)) {
        if (!content.starts_with('{') && given && given->K == 0)
            throw Error(name_ + " is plain text, which does not say how many products a vector has; --K does");
        ahead_ = std::make_unique<LinesAgain>(std::string(content), in);
        stream_ = std::make_unique<std::istream>(ahead_.get());
        return read_vectors(*stream_);
    }
    if (!given) throw Error(tell_formats(name_));
    LinesAgain lines(first, in);
    std::istream text(&lines);
    take(discern::read_table(text, name_, *given, table_options(options)), options, io);
}

VectorFile::VectorFile(std::string name, Table table) : name_(std::move(name)), table_(std::move(table)) {}

VectorFile::~VectorFile() = default;

void VectorFile::take(Table table, const DataOptions& options, const Streams& io) {
    table_ = std::move(table);
    report_table(name_, table_, options, io);
}

const Header& VectorFile::header() const { return reader_ ? reader_->header() : header_; }
const Shape& VectorFile::shape() const { return reader_ ? reader_->shape() : table_.shape; }
bool VectorFile::nan_any() const { return reader_ ? reader_->nan_any() : table_.nan_any; }

bool VectorFile::next(Vector& vector) {
    if (reader_) return reader_->next(vector);
    if (next_ == table_.vectors.size()) return false;
    vector = table_.vectors[next_++];
    return true;
}

std::uint64_t VectorFile::line() const { return reader_ ? reader_->line() : next_ == 0 ? 0 : table_.lines[next_ - 1]; }

std::string VectorFile::at_line(std::string_view complaint) const {
    return reader_ ? reader_->at_line(complaint) : sentence(name_, ":", line(), ": ", complaint);
}

bool VectorFile::has_more_at_once() { return !reader_ || file_->stream().rdbuf()->in_avail() > 0; }

PlaceRange VectorFile::d_range(std::uint64_t d) const {
    const std::int64_t place = place_of(format(shape().d), d);
    return table_.ranges.d.empty() || next_ == 0 ? PlaceRange{place, place} : table_.ranges.d[next_ - 1];
}

PlaceRange VectorFile::c_range(std::uint64_t c) const {
    const std::int64_t place = place_of(format(shape().c.value_or(shape().d)), c);
    return table_.ranges.c.empty() || next_ == 0 ? PlaceRange{place, place} : table_.ranges.c[next_ - 1];
}

std::string VectorFile::about_digits() const {
    std::string text;
    const auto add = [&](std::string_view operand, const std::vector<PlaceRange>& ranges, int digits,
                         const std::optional<FormatId>& id) {
        if (ranges.empty()) return;
        const std::string many = digits == 0 ? "the digits" : counted(static_cast<std::size_t>(digits), "digit");
        text += sentence(text.empty() ? "matched to " : " and ", many, " of ", operand, " (", format(*id).name,
                         " needs ", digits_needed(format(*id)), ")");
    };
    add("d", table_.ranges.d, table_.ranges.d_digits, shape().d);
    add("c", table_.ranges.c, table_.ranges.c_digits, shape().c);
    return text.empty() ? "" : text + ": every number that is printed so fits; --digits exact: only the nearest";
}

std::optional<ReadAs> read_as(const std::string& unit) {
    if (unit.empty()) return std::nullopt;
    return ReadAs{.unit = unit, .shape = shape_of(resolve_unit(unit))};
}

bool NotObserved::count(const Vector& vector) {
    if (vector.error.empty()) return false;
    if (count_++ == 0) first_ = vector.error;
    return true;
}

std::string NotObserved::but_those() const {
    return count_ == 0 ? "" : sentence(" but ", count_, " that the target could not answer");
}

std::string NotObserved::summary() const {
    if (count_ == 0) return "";
    return sentence("left out ", count_, " that the target could not answer, the first because: ", printable(first_),
                    "\n");
}

bool same_observation(const Format& format, bool nan_any, std::uint64_t d1, std::uint64_t d2) {
    if (d1 == d2) return true;
    return nan_any && decode(format, d1).number_class == NumberClass::nan &&
           decode(format, d2).number_class == NumberClass::nan;
}

std::uint64_t require_observation(const VectorFile& file, const Vector& vector, std::string_view who) {
    if (vector.d_is_list)
        throw Error(file.at_line(sentence("field d: is a list; ", who, " one observed result a vector")));
    if (vector.d.empty())
        throw Error(file.at_line(sentence("field d: missing; ", who, " the results that are in the file")));
    return vector.d.front();
}

bool is_observed(const VectorFile& file, bool nan_any, const Vector& vector, std::uint64_t result,
                 const std::function<std::uint64_t(const Inputs&)>& evaluate) {
    const Format& d = format(file.shape().d);
    const std::uint64_t seen = vector.d.front();
    if (same_observation(d, nan_any, seen, result)) return true;
    return file.has_ranges() &&
           may_be_printed(file.ranges(), file.number() - 1, file.shape(), vector.inputs(), seen, result, evaluate);
}

} // namespace discern::cli
