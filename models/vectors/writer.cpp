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
    const auto key = [&](Field field) {
        line += line.back() == '{' ? "\"" : ",\"";
        line += name(field);
        line += "\":";
    };
    const auto list = [&](Field field, const std::vector<std::uint64_t>& patterns) {
        if (patterns.empty()) return;
        key(field);
        append_list(line, format_of(shape, field), patterns);
    };
    const auto one = [&](Field field, std::uint64_t pattern) {
        key(field);
        line += '"';
        append_hex(line, pattern, format_of(shape, field).digits());
        line += '"';
    };
    line += '{';
    list(Field::a, vector.a);
    list(Field::b, vector.b);
    list(Field::sa, vector.sa);
    list(Field::sb, vector.sb);
    if (vector.c) one(Field::c, *vector.c);
    if (vector.d_is_list)
        list(Field::d, vector.d);
    else if (!vector.d.empty())
        one(Field::d, vector.d.front());
    if (vector.flags) line += sentence(R"(,"flags":")", flag_digits(*vector.flags), "\"");
    if (!vector.error.empty()) line += R"(,"error":)" + json_string(vector.error);
    line += '}';
}

void append_text(std::string& line, const Shape& shape, const Vector& vector) {
    const auto add = [&](Field field, std::span<const std::uint64_t> patterns) {
        for (const std::uint64_t pattern : patterns) {
            if (!line.empty()) line += ' ';
            append_hex(line, pattern, format_of(shape, field).digits());
        }
    };
    add(Field::a, vector.a);
    add(Field::b, vector.b);
    add(Field::sa, vector.sa);
    add(Field::sb, vector.sb);
    if (vector.c) add(Field::c, std::span(&*vector.c, 1));
    add(Field::d, vector.d);
}

void append_record(std::string& line, const RecordLayout& layout, const Vector& vector) {
    const std::uint64_t c = vector.c.value_or(0);
    for (const RecordLayout::Part& part : layout.parts) {
        const std::span<const std::uint64_t> patterns = part.field == 'a'   ? std::span(vector.a)
                                                        : part.field == 'b' ? std::span(vector.b)
                                                        : part.field == 'A' ? std::span(vector.sa)
                                                        : part.field == 'B' ? std::span(vector.sb)
                                                        : part.field == 'd' ? std::span(vector.d)
                                                                            : std::span(&c, 1);
        for (const std::uint64_t bits : patterns)
            for (std::size_t n = 0; n < part.word; ++n) line += static_cast<char>(bits >> (8 * n));
    }
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
