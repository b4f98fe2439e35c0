#include "table.hpp"

#include "cells.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/lines.hpp"
#include "readings.hpp"
#include "whole_numbers.hpp"

#include <algorithm>
#include <iterator>

namespace discern {

namespace {

using import_cells::Line;

using namespace vector_lines;

/// The contents of a column: an operand, whole or one element of it.
struct Column {
    std::optional<Field> operand = std::nullopt; ///< nothing: left out
    int element = -1;                            ///< -1: all of them, or the only one
};

/// "a", "a3", "a[3]", "A_3": nothing if it is no operand's name.
std::optional<Column> column_from_name(std::string_view text) {
    std::string name;
    std::size_t at = 0;
    for (; at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z')); ++at)
        name += static_cast<char>(text[at] | 0x20);
    Column column{.operand = field_from_name(name)};
    if (!column.operand) return std::nullopt;
    std::string_view rest = text.substr(at);
    if (rest.empty()) return column;
    if (rest.starts_with('[') && rest.ends_with(']'))
        rest = rest.substr(1, rest.size() - 2);
    else if (rest.starts_with('_'))
        rest.remove_prefix(1);
    constexpr std::size_t most = 6;
    if (rest.empty() || rest.size() > most || rest.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    column.element = std::stoi(std::string(rest));
    return column;
}

Column require_column(const std::string& name, std::string_view where) {
    if (const auto column = column_from_name(name)) return *column;
    throw Error(sentence(where, "there is no column ", excerpt(name),
                         "; columns are a, b, sa, sb, c and d, or a0, a1, …; --columns says what others are, as in "
                         "--columns a=lhs,b=rhs,c=acc, or by position, as in --columns a,b,-,c"));
}

/// "a0..a3" as the names that it stands for.
std::vector<std::string> spelled_out(const std::string& item) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos) return {item};
    const auto first = column_from_name(item.substr(0, dots)), last = column_from_name(item.substr(dots + 2));
    constexpr int most = 100'000;
    if (!first || !last || first->operand != last->operand || first->element < 0 || last->element < first->element ||
        last->element - first->element > most)
        throw Error(sentence("--columns: ", excerpt(item), " is no range of elements, such as a0..a15"));
    std::vector<std::string> names;
    for (int i = first->element; i <= last->element; ++i) names.push_back(sentence(name(*first->operand), i));
    return names;
}

bool is_value(const std::string& cell, const Format& format) {
    const auto words = import_cells::words(cell);
    return !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return prefixed_pattern(format, word) || is_number(word);
    });
}

/// The contents of all columns, and whether the first line names them.
struct Layout {
    std::vector<Column> columns;
    bool first_line_is_names = true;
    std::vector<std::string> left_out; ///< names that no operand has
};

/// Whether the line names operands, as the first of a table does.
bool names_operands(const Line& line) {
    bool a = false, b = false;
    for (const std::string& cell : line.cells)
        if (const auto column = column_from_name(cell)) {
            a = a || column->operand == Field::a;
            b = b || column->operand == Field::b;
        }
    return a && b;
}

Layout layout_of(const Line& first, const TableOptions& options, const Shape& shape, const std::string& place) {
    Layout layout;
    if (options.columns.empty()) {
        if (options.lenient && !names_operands(first))
            throw Error(sentence(place,
                                 "the line names no columns of a and b; --columns says what the columns are, by ",
                                 "name, as in --columns a=lhs,b=rhs,c=acc,d=out, or by position, as in --columns ",
                                 "a0..a15,b0..b15,c,d"));
        for (const std::string& name : first.cells) {
            const auto column = options.lenient ? column_from_name(name) : require_column(name, place);
            layout.columns.push_back(column.value_or(Column{}));
            if (!column) layout.left_out.push_back(name);
        }
        return layout;
    }
    if (options.columns.find('=') != std::string::npos) {
        layout.columns.resize(first.cells.size());
        for (const std::string& item : import_cells::split(options.columns, ',')) {
            const std::size_t equal = item.find('=');
            if (equal == std::string::npos)
                throw Error(sentence("--columns: ", excerpt(item), " has no =, but others have; a=lhs is right"));
            const Column column = require_column(item.substr(0, equal), "--columns: ");
            const std::string name = item.substr(equal + 1);
            const auto at = std::find(first.cells.begin(), first.cells.end(), name);
            if (at == first.cells.end())
                throw Error(sentence(place, "there is no column ", excerpt(name), ", which --columns names"));
            layout.columns[static_cast<std::size_t>(at - first.cells.begin())] = column;
        }
        return layout;
    }
    bool values = true;
    for (const std::string& item : import_cells::split(options.columns, ','))
        for (const std::string& name : spelled_out(item)) {
            const std::size_t at = layout.columns.size();
            layout.columns.push_back(name == "-" ? Column{} : require_column(name, "--columns: "));
            const auto operand = layout.columns.back().operand;
            if (operand && at < first.cells.size())
                values = values && is_value(first.cells[at], format_of(shape, *operand));
        }
    layout.first_line_is_names = !values;
    return layout;
}

void require_useful(const Layout& layout, const Shape& shape, bool lenient, const std::string& place) {
    for (const Field field : all_fields) {
        const std::string_view own = name(field);
        const int count = count_of(shape, field);
        std::vector<int> elements;
        for (const Column& column : layout.columns)
            if (column.operand == field) elements.push_back(column.element);
        if (elements.empty()) {
            if (count == 0 || field == Field::d || (lenient && field == Field::c)) continue;
            throw Error(sentence(place, "there is no column of ", own));
        }
        if (count == 0) throw Error(sentence(place, "field ", own, ": these formats have no such operand"));
        std::sort(elements.begin(), elements.end());
        if (elements.size() == 1 && elements.front() == -1) continue;
        for (std::size_t i = 0; i < elements.size(); ++i)
            if (!is_list(field) || elements[i] != static_cast<int>(i))
                throw Error(sentence(place, "field ", own, ": the columns must be ", own,
                                     is_list(field) ? sentence(", or ", own, "0 to ", own, count - 1, ", each once")
                                                    : std::string(", once")));
        if (elements.size() != static_cast<std::size_t>(count))
            throw Error(sentence(place, "field ", own, ": has ", counted(elements.size(), "column"), "; there must be ",
                                 count));
    }
}

/// As many products as the table has columns of a, or values in the first one's cell.
int length_of(const Layout& layout, std::span<const Line> lines, const std::string& file) {
    int elements = 0;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const Column& column = layout.columns[i];
        if (column.operand != Field::a) continue;
        if (column.element >= 0)
            ++elements;
        else if (lines.size() > (layout.first_line_is_names ? 1u : 0u) && i < lines.back().cells.size())
            return static_cast<int>(import_cells::words(lines.back().cells[i]).size());
    }
    if (elements == 0) throw Error(file + " does not say how many products a vector has; --K does");
    return elements;
}

} // namespace

Table read_table(std::istream& in, const std::string& file, const Shape& given, const TableOptions& options) {
    const std::vector<Line> lines = import_cells::read_lines(in, file, options.progress);
    const auto place = [&](const Line& line) { return sentence(file, ":", line.number, ": "); };
    if (lines.empty()) throw Error(file + " has no lines; the first must name the columns, such as a,b,c,d");
    Table table;
    table.shape = given;
    const Layout layout = layout_of(lines.front(), options, given, place(lines.front()));
    if (given.K == 0) table.shape.K = length_of(layout, lines, file);
    require_useful(layout, table.shape, options.lenient, place(lines.front()));
    table.left_out = layout.left_out;
    const std::size_t begin = layout.first_line_is_names ? 1 : 0;
    const std::size_t rows = lines.size() - begin;
    table.vectors.resize(rows);
    for (std::size_t i = begin; i < lines.size(); ++i) {
        table.lines.push_back(lines[i].number);
        if (lines[i].cells.size() != layout.columns.size())
            throw Error(sentence(place(lines[i]), "the line has ", counted(lines[i].cells.size(), "column"),
                                 "; there must be ", layout.columns.size()));
    }
    Readings readings;
    PrintedColumn printed_c, printed_d;
    for (const Field field : all_fields) {
        const std::string_view operand = name(field);
        const Format& f = format_of(table.shape, field);
        const auto count = static_cast<std::size_t>(count_of(table.shape, field));
        std::vector<std::size_t> columns(count);
        bool is_there = false, has_elements = false;
        for (std::size_t i = 0; i < layout.columns.size(); ++i) {
            if (layout.columns[i].operand != field) continue;
            is_there = true;
            has_elements = layout.columns[i].element >= 0;
            columns[static_cast<std::size_t>(std::max(layout.columns[i].element, 0))] = i;
        }
        const bool is_c = field == Field::c, is_d = field == Field::d;
        if (!is_there) {
            table.c_is_zero = table.c_is_zero || (is_c && count > 0);
            continue;
        }
        const bool by_element = count > 1 && has_elements;
        std::vector<WordsOfOperand> words;
        words.reserve(rows * count);
        const std::string rows_of = sentence("rows of ", operand), values_of = sentence("values of ", operand);
        for (std::size_t i = begin; i < lines.size(); ++i) {
            if (options.progress) options.progress(rows_of, i - begin, rows);
            const std::string where = sentence(place(lines[i]), "field ", operand, ": ");
            std::vector<std::string> own;
            if (by_element)
                for (const std::size_t column : columns) own.push_back(lines[i].cells[column]);
            else
                own = import_cells::words(lines[i].cells[columns.front()]);
            // 0,5 in a table with semicolons: the words of a cell are also parted by commas.
            const bool comma =
                !by_element && own.size() > count && lines[i].cells[columns.front()].find(',') != std::string::npos;
            if (own.size() != count)
                throw Error(sentence(where, "has ", counted(own.size(), "value"), "; there must be ", count, " of ",
                                     f.name, comma ? "; a comma parts values, and a decimal point is a point" : ""));
            for (std::size_t k = 0; k < count; ++k)
                words.push_back({count == 1 ? where : sentence(where, "value ", k + 1, ": "), std::move(own[k])});
        }
        if (words.empty()) continue;
        TableOptions own_options = options;
        if (operand.starts_with('s')) own_options.rounding = std::nullopt;
        OperandPatterns patterns = operand_patterns(f, words, own_options,
                                                    !options.lenient ? WordsAre::exact
                                                    : is_d           ? WordsAre::results
                                                    : is_c           ? WordsAre::printed
                                                                     : WordsAre::exact,
                                                    values_of);
        readings.add(table, operand, f, patterns.were, words.front());
        if ((is_c || is_d) && patterns.ranges.empty() && patterns.numbers > 0)
            (is_c ? printed_c : printed_d) = {std::move(words), patterns.printed};
        add_to(table, operand, f.id, patterns);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto first = patterns.bits.begin() + static_cast<std::ptrdiff_t>(row * count);
            set(table.vectors[row], field, {first, first + static_cast<std::ptrdiff_t>(count)});
        }
    }
    if (table.c_is_zero)
        for (Vector& vector : table.vectors) vector.c = 0;
    readings.require_one(table);
    if (!options.digits && !printed_d.words.empty()) look_at_results(table, printed_c, printed_d, options.lenient);
    return table;
}

namespace {

/// The words of each row of a matrix in text, all of one length, which is returned.
template <typename Take>
std::size_t read_rows(std::istream& in, const std::string& file, const Take& take) {
    std::size_t columns = 0, rows = 0;
    for (const Line& line : import_cells::read_lines(in, file)) {
        std::vector<std::string> words;
        for (const std::string& cell : line.cells)
            for (std::string& word : import_cells::words(cell)) words.push_back(std::move(word));
        if (rows++ == 0) columns = words.size();
        if (words.size() != columns)
            throw Error(sentence(file, ":", line.number, ": the row has ", counted(words.size(), "number"),
                                 "; the first has ", columns));
        take(line.number, words);
    }
    if (columns == 0) throw Error(file + " has no numbers; a matrix has a row a line");
    return columns;
}

} // namespace

WordMatrix read_word_matrix(std::istream& in, const std::string& file) {
    WordMatrix matrix;
    matrix.columns = read_rows(in, file, [&](std::uint64_t line, std::vector<std::string>& words) {
        ++matrix.rows;
        for (std::size_t i = 0; i < words.size(); ++i)
            matrix.words.push_back({sentence(file, ":", line, ": column ", i + 1, ": "), std::move(words[i])});
    });
    return matrix;
}

NumberMatrix read_number_matrix(std::istream& in, const std::string& file, const Format& format,
                                NumberRounding rounding) {
    NumberMatrix matrix;
    std::vector<std::string> first_ones;
    matrix.columns = read_rows(in, file, [&](std::uint64_t line, std::vector<std::string>& words) {
        ++matrix.rows;
        for (std::size_t i = 0; i < words.size(); ++i) {
            try {
                const NumberPattern number = number_pattern(format, words[i], rounding);
                matrix.bits.push_back(number.bits);
                matrix.rounded += number.exact ? 0 : 1;
            } catch (const Error& error) {
                throw Error(sentence(file, ":", line, ": column ", i + 1, ": ", error.what()));
            }
        }
        constexpr std::size_t enough = 10'000; // to see how they are printed
        if (first_ones.size() < enough) std::move(words.begin(), words.end(), std::back_inserter(first_ones));
    });
    const std::vector<std::string_view> words(first_ones.begin(), first_ones.end());
    const PrintedDigits printed = printed_digits(words), coarsest = coarsest_printing(words, printed);
    matrix.has_few_digits = leaves_open(format, words, printed) || coarsest.kind == PrintedDigits::Kind::places;
    return matrix;
}

} // namespace discern
