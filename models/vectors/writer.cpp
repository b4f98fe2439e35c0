#include "lines.hpp"
#include "models/hex.hpp"

#include <ostream>

namespace discern {

namespace {

using namespace vector_lines;

void append_list(std::string& line, const Format& format, std::span<const std::uint64_t> patterns) {
    line += '[';
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        line += i == 0 ? "\"" : ",\"";
        append_hex(line, patterns[i], format.digits());
        line += '"';
    }
    line += ']';
}

// The one place where JSON is put together by hand: a line a vector, a million of them a second.
void append_json(std::string& line, const Shape& shape, const Vector& vector) {
    line += '{';
    for (const Field field : all_fields) {
        const auto patterns = patterns_of(vector, field);
        if (patterns.empty()) continue;
        line += line.back() == '{' ? "\"" : ",\"";
        line += name(field);
        line += "\":";
        if (is_list(field) || (field == Field::d && vector.d_is_list)) {
            append_list(line, format_of(shape, field), patterns);
            continue;
        }
        line += '"';
        append_hex(line, patterns.front(), format_of(shape, field).digits());
        line += '"';
    }
    if (vector.flags) line += sentence(R"(,"flags":")", flag_digits(*vector.flags), "\"");
    if (!vector.error.empty()) line += R"(,"error":)" + json_string(vector.error);
    line += '}';
}

void append_text(std::string& line, const Shape& shape, const Vector& vector) {
    for (const Field field : all_fields)
        for (const std::uint64_t pattern : patterns_of(vector, field)) {
            if (!line.empty()) line += ' ';
            append_hex(line, pattern, format_of(shape, field).digits());
        }
}

void append_record(std::string& line, const RecordLayout& layout, const Vector& vector) {
    for (const RecordLayout::Part& part : layout.parts)
        for (const std::uint64_t bits : patterns_of(vector, field_of(part)))
            for (std::size_t n = 0; n < part.word; ++n) line += static_cast<char>(bits >> (8 * n));
}

} // namespace

std::string to_json(const Shape& shape, const Vector& vector) {
    std::string line;
    append_json(line, shape, vector);
    return line;
}

VectorWriter::VectorWriter(std::ostream& out, const Shape& shape, const Header& header, Form form)
    : out_(&out), shape_(shape), form_(form) {
    if (form_ == Form::json_lines) *out_ << to_json(header) << '\n';
    if (form_ != Form::binary) return;
    layout_ = record_layout(shape, true);
    Header with_layout = header;
    std::string fields;
    for (const RecordLayout::Part& part : layout_.parts) fields += part.field;
    with_layout.other.emplace_back("binary", json_string(fields));
    *out_ << to_json(with_layout) << '\n';
}

void VectorWriter::write(const Vector& vector) {
    line_.clear();
    if (form_ == Form::binary) {
        append_record(line_, layout_, vector);
        out_->write(line_.data(), static_cast<std::streamsize>(line_.size()));
        return;
    }
    if (form_ == Form::json_lines)
        append_json(line_, shape_, vector);
    else
        append_text(line_, shape_, vector);
    line_ += '\n';
    out_->write(line_.data(), static_cast<std::streamsize>(line_.size()));
}

} // namespace discern
