// The two forms of a vector's line that are words without names: csv, whose first line names the columns, and plain
// text in the manner of Berkeley TestFloat, whose words follow each other in a fixed order.
#include "lines.hpp"

#include "models/unit/texts.hpp"

#include <algorithm>

namespace discern::vector_lines {

namespace {

using texts::trimmed;

constexpr bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\r'; }

/// Calls `use` with each word between blanks.
template <typename Use>
void each_word(std::string_view text, Use use) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        while (at != end && is_blank(*at)) ++at;
        if (at == end) return;
        const char* const begin = at;
        while (at != end && !is_blank(*at)) ++at;
        use(std::string_view(begin, static_cast<std::size_t>(at - begin)));
    }
}

/// Calls `use` with each cell of a line, and its number.
template <typename Use>
void each_cell(std::string_view line, Use use) {
    std::size_t begin = 0;
    for (std::size_t number = 0; begin <= line.size(); ++number) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        use(number, trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
    }
}

} // namespace

std::vector<Field> parse_csv_columns(const Place& place, std::string_view line) {
    std::vector<Field> columns;
    each_cell(line, [&](std::size_t /*number*/, std::string_view cell) {
        const auto field = field_from_name(cell);
        if (!field) place.fail("there is no column ", excerpt(cell), "; columns are a, b, sa, sb, c and d");
        if (std::find(columns.begin(), columns.end(), *field) != columns.end())
            place.fail("column ", excerpt(cell), " is there twice");
        columns.push_back(*field);
    });
    return columns;
}

void parse_csv_line(const Place& place, const Shape& shape, std::span<const Field> columns, std::string_view line,
                    Vector& vector) {
    clear(vector);
    const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    const std::size_t cells = trimmed(line).empty() ? 0 : commas + 1;
    if (cells != columns.size())
        place.fail("the line has ", counted(cells, "column"), "; the first line has ", columns.size());
    each_cell(line, [&](std::size_t number, std::string_view cell) {
        const Field field = columns[number];
        require_known(place, shape, field);
        if (!is_list(field)) return put(vector, field, require_pattern(place, shape, field, -1, cell));
        auto& list = *list_of(vector, field);
        each_word(cell, [&](std::string_view word) {
            list.push_back(require_pattern(place, shape, field, static_cast<int>(list.size()), word));
        });
    });
    require_complete(place, shape, vector);
}

void parse_text_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector) {
    clear(vector);
    std::size_t words = 0, inputs = 0;
    each_word(line, [&](std::string_view /*word*/) { ++words; });
    for (const Field field : {Field::a, Field::b, Field::sa, Field::sb, Field::c})
        inputs += static_cast<std::size_t>(count_of(shape, field));
    if (words != inputs && words != inputs + 1) {
        const bool may_have_flags = shape.K == 1 && words == inputs + 2;
        place.fail("the line has ", counted(words, "word"), "; ", to_string(shape), " takes ", inputs, ", or ",
                   inputs + 1, " with d",
                   may_have_flags
                       ? "; with flags behind d, as TestFloat prints them, it is read by 'discern import testfloat'"
                       : "");
    }
    std::size_t field_index = 0;
    int index = 0;
    each_word(line, [&](std::string_view word) {
        while (index == count_of(shape, static_cast<Field>(field_index))) {
            ++field_index;
            index = 0;
        }
        const auto field = static_cast<Field>(field_index);
        put(vector, field, require_pattern(place, shape, field, is_list(field) ? index : -1, word));
        ++index;
    });
    require_complete(place, shape, vector);
}

} // namespace discern::vector_lines
