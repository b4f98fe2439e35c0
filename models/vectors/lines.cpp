#include "lines.hpp"

#include "models/bounds.hpp"
#include "models/hex.hpp"

#include <algorithm>
#include <cstring>

namespace discern::vector_lines {

namespace {

/// Where the patterns of fields are: nullptr for c, which is no list.
constexpr std::array<std::vector<std::uint64_t> Vector::*, field_names.size()> lists_of_fields = {
    &Vector::a, &Vector::b, &Vector::sa, &Vector::sb, nullptr, &Vector::d};

} // namespace

LineReader::LineReader(std::istream& in, std::string file)
    : in_(&in), place_{.file = std::move(file), .line = 0}, buffer_(std::make_unique<char[]>(chunk)),
      longest_(most_of(Bounded::line)) {}

bool LineReader::next(std::string_view& line) {
    ++place_.line;
    long_line_.clear();
    while (true) {
        in_->getline(buffer_.get(), static_cast<std::streamsize>(chunk));
        const auto count = static_cast<std::size_t>(in_->gcount());
        if (in_->bad()) place_.fail("the file cannot be read any further");
        const bool at_end = in_->eof();
        const bool cut = in_->fail() && !at_end && count == chunk - 1; // the line goes on
        if (at_end && count == 0 && long_line_.empty()) return false;
        if (in_->fail() && !at_end && !cut) place_.fail("the file cannot be read any further");
        // The line end is counted, but not stored.
        line = std::string_view(buffer_.get(), cut || at_end ? count : count - 1);
        if (!cut && long_line_.empty()) break;
        long_line_ += line;
        if (long_line_.size() > longest_) place_.fail(too_much(Bounded::line));
        line = long_line_;
        if (!cut) break;
        in_->clear();
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (place_.line == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (!line.empty() && std::memchr(line.data(), 0, line.size()) != nullptr)
        place_.fail("the line has a zero byte; files of vectors are text");
    return true;
}

std::optional<Field> field_from_name(std::string_view text) {
    const auto* const found = std::find(field_names.begin(), field_names.end(), text);
    if (found == field_names.end()) return std::nullopt;
    return static_cast<Field>(found - field_names.begin());
}

std::vector<std::uint64_t>* list_of(Vector& vector, Field field) {
    const auto list = lists_of_fields[static_cast<std::size_t>(field)];
    return list == nullptr ? nullptr : &(vector.*list);
}

std::span<const std::uint64_t> patterns_of(const Vector& vector, Field field) {
    if (const auto list = lists_of_fields[static_cast<std::size_t>(field)]; list != nullptr) return vector.*list;
    if (!vector.c) return {};
    return {&*vector.c, 1};
}

void put(Vector& vector, Field field, std::uint64_t bits) {
    if (auto* const list = list_of(vector, field))
        list->push_back(bits);
    else
        vector.c = bits;
}

void set(Vector& vector, Field field, std::vector<std::uint64_t> bits) {
    if (auto* const list = list_of(vector, field))
        *list = std::move(bits);
    else
        vector.c = bits.front();
}

int count_of(const Shape& shape, Field field) {
    const std::array<int, field_names.size()> counts = {shape.K,        shape.K,         shape.scales(),
                                                        shape.scales(), shape.c ? 1 : 0, 1};
    return counts[static_cast<std::size_t>(field)];
}

const Format& format_of(const Shape& shape, Field field) {
    const FormatId scale = shape.scale ? shape.scale->format : FormatId::e8m0;
    const std::array<FormatId, field_names.size()> ids = {shape.a, shape.b, scale, scale, shape.c.value_or(shape.d),
                                                          shape.d};
    return format(ids[static_cast<std::size_t>(field)]);
}

void clear(Vector& vector) {
    for (auto* list : {&vector.a, &vector.b, &vector.sa, &vector.sb}) list->clear();
    vector.c.reset();
    vector.clear_results();
}

std::uint64_t require_pattern(const Place& place, const Shape& shape, Field field, int index, std::string_view text) {
    const Format& f = format_of(shape, field);
    if (const auto bits = parse_pattern(f, text)) return *bits;
    place.fail_field(name(field), index < 0 ? "" : sentence("pattern ", index + 1, ": "), pattern_complaint(f, text));
}

void require_known(const Place& place, const Shape& shape, Field field) {
    if (count_of(shape, field) > 0) return;
    place.fail_field(name(field), field == Field::c ? "the unit has no accumulator input, so there is no c"
                                                    : "the unit has no scales, so there is no such field");
}

void require_complete(const Place& place, const Shape& shape, const Vector& vector) {
    const std::array<std::size_t, 5> counts = {vector.a.size(), vector.b.size(), vector.sa.size(), vector.sb.size(),
                                               vector.c ? 1u : 0u};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto field = static_cast<Field>(i);
        const auto right = static_cast<std::size_t>(count_of(shape, field));
        if (counts[i] == right) continue;
        const std::string wanted = sentence(counted(right, "pattern"), " of ", format_of(shape, field).name);
        if (counts[i] == 0) place.fail_field(name(field), "missing; there must be ", wanted);
        place.fail_field(name(field), "has ", counted(counts[i], "pattern"), "; there must be ", wanted);
    }
}

} // namespace discern::vector_lines
