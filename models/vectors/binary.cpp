// The binary form: records of little-endian words behind a header line, for files whose text would take longer to read
// than their vectors to compute.
#include "lines.hpp"
#include "models/gemm.hpp"

#include <algorithm>

namespace discern {

using namespace vector_lines;

namespace {

constexpr std::string_view letters = "abABcd"; // in the order of Field

RecordLayout layout_of(const Shape& shape, std::string_view fields) {
    RecordLayout layout;
    for (const char letter : fields) {
        const auto field = static_cast<Field>(letters.find(letter));
        const auto count = static_cast<std::size_t>(count_of(shape, field));
        const std::size_t word = word_bytes(format_of(shape, field).id);
        layout.parts.push_back({letter, layout.bytes, count, word});
        layout.bytes += count * word;
    }
    return layout;
}

std::string all_inputs(const Shape& shape) {
    std::string fields = shape.scale ? "abAB" : "ab";
    if (shape.c) fields += 'c';
    return fields;
}

} // namespace

const RecordLayout::Part* RecordLayout::find(char field) const {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [field](const Part& part) { return part.field == field; });
    return found == parts.end() ? nullptr : &*found;
}

RecordLayout record_layout(const Shape& shape, bool with_d) {
    return layout_of(shape, all_inputs(shape) + (with_d ? "d" : ""));
}

Vector read_record(const Shape& shape, const RecordLayout& layout, std::span<const std::byte> record) {
    Vector vector;
    parse_record(Place{.file = "record", .line = 0}, shape, layout, record, vector);
    return vector;
}

namespace vector_lines {

std::size_t LineReader::next_records(std::size_t bytes, std::span<std::byte> to) {
    const std::size_t most = to.size() / bytes;
    in_->read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(most * bytes));
    const auto got = static_cast<std::size_t>(in_->gcount());
    place_.line += got / bytes;
    if (in_->bad()) place_.fail("the file cannot be read any further");
    if (got % bytes != 0) {
        ++place_.line;
        place_.fail("the record is cut off: ", got % bytes, " of ", bytes, " bytes");
    }
    return got / bytes;
}

RecordLayout parse_layout(const Place& place, const Shape& shape, std::string_view json) {
    const std::string inputs = all_inputs(shape);
    const std::string_view fields = json.size() >= 2 ? json.substr(1, json.size() - 2) : "";
    if (fields != inputs && fields != inputs + "d")
        place.fail_field("binary", "is ", json, "; records of this shape have the fields \"", inputs, "\" or \"",
                         inputs, "d\"");
    return layout_of(shape, fields);
}

Field field_of(const RecordLayout::Part& part) { return static_cast<Field>(letters.find(part.field)); }

void parse_record(const Place& place, const Shape& shape, const RecordLayout& layout, std::span<const std::byte> record,
                  Vector& vector) {
    clear(vector);
    for (const RecordLayout::Part& part : layout.parts) {
        const Field field = field_of(part);
        const Format& f = format_of(shape, field);
        for (std::size_t i = 0; i < part.count; ++i) {
            std::uint64_t bits = 0;
            for (std::size_t n = 0; n < part.word; ++n)
                bits |= std::to_integer<std::uint64_t>(record[part.offset + i * part.word + n]) << (8 * n);
            if (bits > f.mask())
                place.fail_field(name(field), "pattern ", i + 1, " has more than the ", f.width, " bits of ", f.name);
            put(vector, field, bits);
        }
    }
}

} // namespace vector_lines

} // namespace discern
