#include "lines.hpp"
#include "plain_text.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

using namespace vector_lines;

constexpr std::array<std::string_view, 5> dialect_names = {"discern JSON Lines", "compact JSON Lines", "csv",
                                                           "plain text", "binary records"};

/// The form that a first line begins, by its first character and, for csv, its commas.
Dialect recognise(const Place& place, std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos)
        place.fail(R"(the first line is empty; it must be a header, {"discern":1,"unit":"…"})");
    if (line[begin] == '{') return Dialect::json_lines;
    const std::size_t comma = line.find(',');
    if (comma != std::string_view::npos && field_from_name(line.substr(0, comma))) return Dialect::csv;
    if (can_be_plain_text(line)) return Dialect::text;
    place.fail("the line ", excerpt(line),
               R"( begins no file of vectors; the first line must be a header, {"discern":1,"unit":"…"}; a table or )"
               "arrays become such a file by 'discern import csv' and 'discern import npy'");
}

} // namespace

std::string_view name(Dialect dialect) { return dialect_names[static_cast<std::size_t>(dialect)]; }

struct VectorReader::Impl {
    Impl(std::istream& in, std::string file) : lines(in, std::move(file)) {}

    void parse(std::string_view line, Vector& vector) const {
        switch (dialect) {
        case Dialect::json_lines: return parse_json_line(lines.place(), agreement.shape, line, vector);
        case Dialect::compact: return parse_compact_line(lines.place(), agreement.shape, line, vector);
        case Dialect::csv: return parse_csv_line(lines.place(), agreement.shape, columns, line, vector);
        case Dialect::text: return parse_text_line(lines.place(), agreement.shape, line, vector);
        case Dialect::binary: break; // has no lines
        }
    }

    LineReader lines;
    Dialect dialect = Dialect::json_lines;
    Header header;
    Agreement agreement;
    std::vector<Field> columns; ///< of csv
    RecordLayout layout;        ///< of binary records
    std::vector<std::byte> records;
    std::string first; ///< of plain text: the first line, which is a vector
};

VectorReader::VectorReader(std::istream& in, std::string file, std::optional<ReadAs> as)
    : impl_(std::make_unique<Impl>(in, std::move(file))) {
    std::string_view line;
    const Place& place = impl_->lines.place();
    if (!impl_->lines.next(line))
        place.fail(R"(the file is empty; the first line must be a header, {"discern":1,"unit":"…"})");
    impl_->dialect = recognise(place, line);
    if (impl_->dialect == Dialect::json_lines) {
        ParsedHeader parsed = parse_json_header(place, line);
        impl_->agreement = agree(place, parsed, as);
        impl_->dialect = parsed.dialect;
        impl_->header = std::move(parsed.header);
        auto& other = impl_->header.other;
        const auto binary =
            std::find_if(other.begin(), other.end(), [](const auto& field) { return field.first == "binary"; });
        if (binary != other.end()) {
            impl_->layout = parse_layout(place, impl_->agreement.shape, binary->second);
            impl_->dialect = Dialect::binary;
            other.erase(binary); // says how, not what
        }
        return;
    }
    if (!as)
        place.fail("a file in ", name(impl_->dialect),
                   " does not say its formats and K; name the unit that it is to be read as");
    impl_->agreement.shape = as->shape;
    if (impl_->dialect == Dialect::csv)
        impl_->columns = parse_csv_columns(place, line);
    else
        impl_->first = line;
}

VectorReader::~VectorReader() = default;
VectorReader::VectorReader(VectorReader&&) noexcept = default;
VectorReader& VectorReader::operator=(VectorReader&&) noexcept = default;

Dialect VectorReader::dialect() const { return impl_->dialect; }
const Header& VectorReader::header() const { return impl_->header; }
const Shape& VectorReader::shape() const { return impl_->agreement.shape; }
bool VectorReader::nan_any() const { return impl_->agreement.nan_any; }
std::uint64_t VectorReader::line() const { return impl_->lines.place().line; }
std::string VectorReader::at_line(std::string_view complaint) const { return impl_->lines.place().at(complaint); }

const RecordLayout& VectorReader::layout() const {
    if (impl_->dialect != Dialect::binary) throw std::logic_error("VectorReader::layout: not a binary file");
    return impl_->layout;
}

std::span<const std::byte> VectorReader::next_records(std::size_t most) {
    const std::size_t bytes = layout().bytes;
    impl_->records.resize(most * bytes);
    return {impl_->records.data(), impl_->lines.next_records(bytes, impl_->records) * bytes};
}

bool VectorReader::next(Vector& vector) {
    if (impl_->dialect == Dialect::binary) {
        const std::span<const std::byte> record = next_records(1);
        if (record.empty()) return false;
        parse_record(impl_->lines.place(), impl_->agreement.shape, impl_->layout, record, vector);
        return true;
    }
    if (!impl_->first.empty()) {
        impl_->parse(impl_->first, vector);
        impl_->first.clear();
        return true;
    }
    std::string_view line;
    if (!impl_->lines.next(line)) return false;
    impl_->parse(line, vector);
    return true;
}

} // namespace discern
