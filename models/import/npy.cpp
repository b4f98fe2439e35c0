#include "npy.hpp"

#include "cells.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"
#include "models/unit/texts.hpp"
#include "models/vectors/lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace discern {

namespace {

/// The value of a key of the header, which is a Python dictionary: the text after 'key':
std::string_view header_value(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(sentence("'", key, "'"));
    if (at == std::string_view::npos) return {};
    const std::size_t colon = header.find(':', at);
    if (colon == std::string_view::npos) return {};
    const std::size_t begin = header.find_first_not_of(' ', colon + 1);
    return begin == std::string_view::npos ? std::string_view{} : header.substr(begin);
}

/// "(2, 3)": nothing if it is no list of numbers from zero. Python 2 wrote long ones with an L.
std::optional<std::vector<std::size_t>> shape_of_text(std::string_view text) {
    std::vector<std::size_t> shape;
    const std::size_t end = std::min(text.find(')'), text.size());
    if (end == text.size() || text.front() != '(') return std::nullopt;
    bool is_after_number = false;
    for (std::size_t i = 1; i < end;) {
        const char c = text[i];
        if (c < '0' || c > '9') {
            const bool is_between = c == ' ' || (is_after_number && (c == ',' || c == 'L'));
            if (!is_between) return std::nullopt;
            if (c == ',') is_after_number = false;
            ++i;
            continue;
        }
        if (is_after_number) return std::nullopt;
        std::size_t n = 0;
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 16; // of which ten times fit
        while (i < end && text[i] >= '0' && text[i] <= '9')
            n = std::min(n * 10 + static_cast<std::size_t>(text[i++] - '0'), most);
        shape.push_back(n);
        is_after_number = true;
    }
    return shape;
}

/// '<f4': how elements are stored.
struct Type {
    char kind = 'V';
    std::size_t word = 1;
    bool big_endian = false;
};

std::optional<Type> type_of(std::string_view text) {
    if (text.size() < 3) return std::nullopt;
    Type type{.kind = text[1], .word = 0, .big_endian = text[0] == '>'};
    for (const char c : text.substr(2)) {
        if (c < '0' || c > '9' || type.word > 100) return std::nullopt;
        type.word = type.word * 10 + static_cast<std::size_t>(c - '0');
    }
    if (type.word == 0) return std::nullopt;
    return type;
}

std::string size_text(const std::vector<std::size_t>& shape) {
    return shape.empty() ? "1" : texts::joined(shape, " x ");
}

enum class Elements : std::uint8_t { patterns, numbers };

bool is_the_format(const Type& type, const Format& format) {
    const bool ieee = format.id == FormatId::f16 || format.id == FormatId::f32 || format.id == FormatId::f64 ||
                      format.id == FormatId::tf32;
    return ieee && type.kind == 'f' && type.word == word_bytes(format.id);
}

Elements elements_of(const Array& array, const Type& type, const Format& format, CellKind cells) {
    const bool own_width = type.word == word_bytes(format.id);
    const std::string holds = sentence(array.name, " holds elements of type '", array.type, "'; ");
    if (type.kind == 'f' && type.word == 1 && own_width) return Elements::patterns; // a float8 of ml_dtypes
    if (type.kind == 'f') {
        constexpr std::array<std::size_t, 3> known = {2, 4, 8};
        if (std::find(known.begin(), known.end(), type.word) == known.end())
            throw Error(holds + "numbers must be floats of 2, 4 or 8 bytes");
        if (is_the_format(type, format)) return Elements::patterns;
        if (cells == CellKind::patterns)
            throw Error(sentence(holds, "patterns of ", format.name, " are unsigned integers of ",
                                 counted(word_bytes(format.id), "byte")));
        return Elements::numbers;
    }
    if (type.kind == 'V' && own_width && cells != CellKind::numbers) return Elements::patterns;
    if (type.kind == 'u' && own_width && cells != CellKind::numbers) return Elements::patterns;
    if ((type.kind == 'u' || type.kind == 'i') && type.word <= 8 && cells == CellKind::numbers)
        return Elements::numbers;
    if (type.kind == 'i' && own_width && cells == CellKind::patterns) return Elements::patterns;
    throw Error(sentence(holds, "patterns of ", format.name, " are unsigned integers of ",
                         counted(word_bytes(format.id), "byte"),
                         ", and numbers are floats, or integers with --numbers"));
}

std::uint64_t word_at(const Array& array, const Type& type, std::size_t index) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < type.word; ++i) {
        const std::size_t at = type.big_endian ? type.word - 1 - i : i;
        word |= std::to_integer<std::uint64_t>(array.data[index * type.word + at]) << (8 * i);
    }
    return word;
}

double number_at(const Type& type, std::uint64_t word) {
    if (type.kind == 'u') return static_cast<double>(word);
    if (type.kind == 'i') {
        const std::size_t unused = 64 - 8 * type.word;
        return static_cast<double>(static_cast<std::int64_t>(word << unused) >> unused);
    }
    if (type.word == 2) return to_double(format(FormatId::f16), word);
    if (type.word == 4) return to_double(format(FormatId::f32), word);
    return std::bit_cast<double>(word);
}

constexpr std::size_t shortest_file = 12;

struct NpyHeader {
    std::string_view text;
    std::size_t end;
};

/// Nothing if it is none, or truncated.
std::optional<NpyHeader> header_of(std::string_view bytes) {
    if (!bytes.starts_with(npy_magic) || bytes.size() < shortest_file) return std::nullopt;
    const bool first_version = bytes[6] == 1;
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    const std::size_t begin = first_version ? 10 : 12;
    const std::size_t length =
        first_version ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (length > bytes.size() - std::min(begin, bytes.size())) return std::nullopt;
    return NpyHeader{bytes.substr(begin, length), begin + length};
}

/// The largest number there is if the size is larger: a header can name any shape.
std::uint64_t size_in_bytes(const std::vector<std::size_t>& shape, std::size_t word) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t bytes = word;
    for (const std::size_t n : shape) bytes = n != 0 && bytes > largest / n ? largest : bytes * n;
    return bytes;
}

} // namespace

std::size_t Array::size() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::optional<std::uint64_t> npy_file_size(std::string_view beginning) {
    const auto header = header_of(beginning);
    if (!header) return std::nullopt;
    const std::string_view type_text = header_value(header->text, "descr");
    const auto type =
        type_of(type_text.substr(0, type_text.find('\'', 1)).substr(std::min<std::size_t>(1, type_text.size())));
    const auto shape = shape_of_text(header_value(header->text, "shape"));
    if (!type || !shape) return std::nullopt;
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t data = size_in_bytes(*shape, type->word);
    return data > largest - header->end ? largest : header->end + data;
}

Array read_npy(std::string_view bytes, const std::string& name) {
    if (!bytes.starts_with(npy_magic) || bytes.size() < shortest_file)
        throw Error(name + " is not an .npy file: its first bytes differ");
    const auto header = header_of(bytes);
    if (!header) throw Error(name + " is not an .npy file: its header is cut off");
    const std::string_view type_text = header_value(header->text, "descr");
    Array array{.name = name, .type = "", .is_fortran = false, .shape = {}, .data = {}};
    if (type_text.size() > 1) array.type = type_text.substr(1, type_text.find('\'', 1) - 1);
    array.is_fortran = header_value(header->text, "fortran_order").starts_with("True");
    const std::string_view shape_text = header_value(header->text, "shape");
    const auto shape = shape_of_text(shape_text);
    if (!shape)
        throw Error(sentence(name, " has the shape ", excerpt(shape_text.substr(0, shape_text.find(')') + 1)),
                             "; numbers from 0 in parentheses are right, as (2, 3)"));
    array.shape = *shape;
    const auto type = type_of(array.type);
    if (!type) throw Error(sentence(name, " holds elements of type '", array.type, "', which are no single numbers"));
    const std::string_view data = bytes.substr(header->end);
    if (const std::uint64_t bytes_right = size_in_bytes(array.shape, type->word); data.size() != bytes_right)
        throw Error(sentence(name, " has ", data.size(), " bytes of elements; ", size_text(array.shape), " of ",
                             counted(type->word, "byte"), " are ", bytes_right));
    array.data.resize(data.size());
    if (!data.empty()) std::memcpy(array.data.data(), data.data(), data.size());
    return array;
}

std::string npy_type(FormatId id) {
    const bool is_float = id == FormatId::f16 || id == FormatId::f32 || id == FormatId::f64;
    const std::size_t word = word_bytes(id);
    return (word == 1 ? "|" : "<") + std::string(is_float ? "f" : "u") + std::to_string(word);
}

std::string npy_of(std::string_view type, std::span<const std::size_t> shape, std::string_view data) {
    std::string dictionary = sentence("{'descr': '", type, "', 'fortran_order': False, 'shape': (");
    for (const std::size_t n : shape) dictionary += sentence(n, ", ");
    if (shape.size() > 1) dictionary.resize(dictionary.size() - 2);
    dictionary += "), }";
    const std::size_t unpadded = npy_magic.size() + 4 + dictionary.size() + 1;
    dictionary.append((64 - unpadded % 64) % 64, ' ');
    dictionary += '\n';
    std::string file(npy_magic);
    file += {'\x01', '\x00', static_cast<char>(dictionary.size() & 255), static_cast<char>(dictionary.size() >> 8)};
    return file + dictionary + std::string(data);
}

std::optional<FormatId> format_of(const Array& array) {
    const Type type = *type_of(array.type);
    if (type.kind == 'f' && type.word == 2) return FormatId::f16;
    if (type.kind == 'f' && type.word == 4) return FormatId::f32;
    if (type.kind == 'f' && type.word == 8) return FormatId::f64;
    // As numpy writes bfloat16 and float8_e5m2 of ml_dtypes; its other types of one byte are raw words, and look alike.
    if (type.kind == 'V' && type.word == 2) return FormatId::bf16;
    if (type.kind == 'f' && type.word == 1) return FormatId::e5m2;
    return std::nullopt;
}

bool has_plain_patterns(const Array& array, const Format& format, CellKind cells) {
    const Type type = *type_of(array.type);
    return elements_of(array, type, format, cells) == Elements::patterns && !type.big_endian && !array.is_fortran;
}

OperandPatterns array_patterns(const Array& array, const Format& format, CellKind cells, NumberRounding rounding,
                               const ReadingProgress& progress) {
    const Type type = *type_of(array.type);
    const Elements elements = elements_of(array, type, format, cells);
    const std::size_t size = array.size();
    const bool two = array.shape.size() == 2;
    if (array.is_fortran && array.shape.size() > 2)
        throw Error(
            sentence(array.name, " is ", size_text(array.shape), " in Fortran's order; two dimensions are right"));
    OperandPatterns result;
    result.bits.reserve(size);
    const std::string values_of = "values of " + array.name;
    for (std::size_t i = 0; i < size; ++i) {
        if (progress) progress(values_of, i, size);
        // Row by row: element (r, c) of a Fortran array is at r + c · rows.
        const std::size_t columns = two ? array.shape[1] : 1;
        const std::size_t at = array.is_fortran && two ? i / columns + i % columns * array.shape[0] : i;
        const std::uint64_t word = word_at(array, type, at);
        const auto where = [&] {
            return two ? sentence(array.name, ": row ", i / columns + 1, ", column ", i % columns + 1, ": ")
                       : sentence(array.name, ": element ", i + 1, ": ");
        };
        if (elements == Elements::patterns) {
            if (word > format.mask())
                throw Error(sentence(where(), word, " is not a pattern of ", format.name, ", which has ", format.width,
                                     " bits"));
            result.bits.push_back(word);
            continue;
        }
        try {
            const NumberPattern number = number_pattern(format, number_at(type, word), rounding);
            result.bits.push_back(number.bits);
            ++result.numbers;
            result.rounded += number.exact ? 0 : 1;
            result.nans += number.is_nan ? 1 : 0;
        } catch (const Error& error) {
            throw Error(where() + error.what());
        }
    }
    return result;
}

Table table_of_arrays(std::span<const std::pair<std::string, Array>> arrays, const std::string& file,
                      const Shape& given, const TableOptions& options) {
    using namespace vector_lines;
    std::vector<std::pair<std::string, std::string>> renamed; // operand, array
    if (!options.columns.empty())
        for (const std::string& item : import_cells::split(options.columns, ',')) {
            const std::size_t equal = item.find('=');
            if (equal == std::string::npos)
                throw Error(sentence("--columns: ", excerpt(item), " must name an operand and its array, as in a=lhs"));
            renamed.emplace_back(item.substr(0, equal), item.substr(equal + 1));
        }
    const auto name_of = [&](std::string_view operand) {
        for (const auto& [own, array] : renamed)
            if (own == operand) return array;
        return std::string(operand);
    };
    const auto array_of = [&](std::string_view operand) {
        return std::ranges::find(arrays, name_of(operand), [](const auto& one) { return one.first; });
    };
    Table table;
    table.shape = given;
    const Shape& shape = table.shape;
    if (given.K == 0) { // as many as a has in its last dimension
        const auto a = array_of("a");
        table.shape.K = a == arrays.end() || a->second.shape.empty() ? 1 : static_cast<int>(a->second.shape.back());
    }
    std::optional<std::size_t> rows;
    for (const Field field : all_fields) {
        const std::string_view operand = vector_lines::name(field);
        const auto count = static_cast<std::size_t>(count_of(shape, field));
        const std::string name = name_of(operand);
        const auto found = array_of(operand);
        if (found == arrays.end()) {
            if (count == 0 || field == Field::d) continue;
            if (field == Field::c && options.lenient) {
                table.c_is_zero = true;
                continue;
            }
            throw Error(sentence(file, " has no array ", excerpt(name), "; --columns ", operand,
                                 "=NAME says which one is ", operand));
        }
        if (count == 0) throw Error(sentence(file, ": array ", excerpt(name), ": these formats have no such operand"));
        const Array& array = found->second;
        const auto& size = array.shape;
        const bool one_row = is_list(field) && size.size() == 1 && size[0] == count;
        const bool whole = size.size() == 2 && size[1] == count;
        const bool column = !is_list(field) && size.size() <= 1;
        if (!one_row && !whole && !column)
            throw Error(sentence(array.name, " is ", size_text(size), "; ", operand, " must be N x ", count));
        const std::size_t own_rows = one_row ? 1 : array.size() / count;
        if (rows && *rows != own_rows)
            throw Error(sentence(array.name, " has ", counted(own_rows, "row"), "; the arrays before have ", *rows));
        rows = own_rows;
        table.vectors.resize(own_rows);
        const bool is_scale = operand.starts_with('s');
        const Format& f = format_of(shape, field);
        OperandPatterns patterns =
            array_patterns(array, f, options.cells, is_scale ? std::nullopt : options.rounding, options.progress);
        add_to(table, operand, f.id, patterns);
        for (std::size_t row = 0; row < own_rows; ++row) {
            const auto first = patterns.bits.begin() + static_cast<std::ptrdiff_t>(row * count);
            set(table.vectors[row], field, {first, first + static_cast<std::ptrdiff_t>(count)});
        }
    }
    if (table.c_is_zero)
        for (Vector& vector : table.vectors) vector.c = 0;
    const auto is_used = [&](const std::string& name) {
        return std::ranges::any_of(field_names, [&](std::string_view operand) { return name_of(operand) == name; });
    };
    for (const auto& [name, array] : arrays)
        if (!is_used(name)) table.left_out.push_back(name);
    for (std::size_t row = 0; row < table.vectors.size(); ++row) table.lines.push_back(row + 1);
    return table;
}

} // namespace discern
