#include "matrix_vectors.hpp"

#include "models/error.hpp"
#include "models/import/readings.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace discern::cli {

namespace {

struct Matrix {
    std::string_view operand;
    std::string path;
    std::optional<Array> array; ///< of a file of NumPy
    std::size_t rows = 0, columns = 0;
    std::vector<WordsOfOperand> words{}; ///< of a text
    OperandPatterns patterns{};

    bool is_given() const { return array || !words.empty(); }
};

Matrix matrix_of(std::string_view operand, const std::string& path, Array array) {
    Matrix matrix{.operand = operand, .path = path, .array = std::move(array)};
    if (matrix.array->shape.size() != 2)
        throw Error(sentence(path, " has ", counted(matrix.array->shape.size(), "dimension"), "; a matrix has two"));
    matrix.rows = matrix.array->shape[0];
    matrix.columns = matrix.array->shape[1];
    return matrix;
}

Matrix read(std::string_view operand, const std::string& path, const Streams& io) {
    if (path.empty()) return {.operand = operand, .path = path, .array = {}};
    InputFile file(path, io);
    if (path.ends_with(".csv") || path.ends_with(".txt") || path.ends_with(".tsv")) {
        WordMatrix text = read_word_matrix(file.stream(), file.name());
        return {.operand = operand,
                .path = path,
                .array = {},
                .rows = text.rows,
                .columns = text.columns,
                .words = std::move(text.words)};
    }
    return matrix_of(operand, path, read_npy(array_file(file.stream()), file.name()));
}

constexpr std::array<std::string_view, 4> matrix_names = {"a", "b", "c", "d"};

/// The array of a name, A or a; the end if there is none.
auto find_array(std::span<const std::pair<std::string, Array>> arrays, std::string_view name) {
    const char upper = static_cast<char>(name.front() - 'a' + 'A');
    return std::ranges::find_if(arrays, [&](const auto& one) {
        return one.first.size() == 1 && (one.first.front() == name.front() || one.first.front() == upper);
    });
}

std::string size_of(const Matrix& matrix) { return fmt::format("{} x {}", matrix.rows, matrix.columns); }

FormatId require_format_of(const Matrix& matrix) {
    if (!matrix.array)
        throw Error(matrix.path + " is text, which does not say its format; --formats does, those of a, b, c and d, as "
                                  "in --formats f16,f16,f32,f32");
    if (const auto id = format_of(*matrix.array)) return *id;
    throw Error(sentence(matrix.path, " has elements of type '", matrix.array->type,
                         "', which does not say their format; --formats does, those of a, b, c and d, as in --formats ",
                         "e4m3,e4m3,f32,f32"));
}

Table table_of(std::array<Matrix, 4>& all, const std::string& name, const std::optional<Shape>& given,
               const DataOptions& options, const Streams& io) {
    Matrix &a = all[0], &b = all[1], &c = all[2], &d = all[3];
    const std::size_t K = a.columns;
    if (d.rows != a.rows)
        throw Error(sentence("A is ", size_of(a), " and D is ", size_of(d), "; D must have A's rows"));
    const bool as_is = b.rows == K && b.columns == d.columns, turned = b.columns == K && b.rows == d.columns;
    if (!as_is && !turned)
        throw Error(sentence("A is ", size_of(a), ", D is ", size_of(d), " and B is ", size_of(b), "; B must be ", K,
                             " x ", d.columns, ", or ", d.columns, " x ", K));
    if (c.is_given() && (c.rows != d.rows || c.columns != d.columns))
        throw Error(sentence("C is ", size_of(c), " and D is ", size_of(d), "; they must have one size"));
    if (K == 0 || d.rows * d.columns == 0) throw Error("the matrices are empty; there is nothing to look at");

    Table table;
    if (given) {
        table.shape = *given;
        if (given->K != 0 && static_cast<std::size_t>(given->K) != K)
            throw Error(sentence("--K is ", given->K, ", but A has ", counted(K, "column")));
    } else {
        table.shape.a = require_format_of(a);
        table.shape.b = require_format_of(b);
        table.shape.d = require_format_of(d);
        table.shape.c = c.is_given() ? require_format_of(c) : table.shape.d;
    }
    table.shape.K = static_cast<int>(K);
    if (table.shape.scale)
        throw Error("--scale: matrices with scales are not read; an .npz file with arrays a, b, sa, "
                    "sb, c and d is");
    if (c.is_given() && !table.shape.c) throw Error("--c was given, but these formats have no accumulator");
    const std::array<FormatId, 4> formats = {table.shape.a, table.shape.b, table.shape.c.value_or(table.shape.d),
                                             table.shape.d};
    const TableOptions reading = table_options(options);
    Readings readings;
    PrintedRanges printed; // of all elements
    for (std::size_t i = 0; i < all.size(); ++i) {
        Matrix& one = all[i];
        if (one.array) {
            one.patterns = array_patterns(*one.array, format(formats[i]), reading.cells, reading.rounding);
        } else if (!one.words.empty()) {
            constexpr std::array<WordsAre, 4> are = {WordsAre::exact, WordsAre::exact, WordsAre::printed,
                                                     WordsAre::results};
            one.patterns = operand_patterns(format(formats[i]), one.words, reading, are[i], one.path);
            readings.add(table, one.operand, format(formats[i]), one.patterns.were, one.words.front());
        } else {
            continue;
        }
        (i == 2 ? printed.c : printed.d) = one.patterns.ranges;
        add_to(table, one.operand, formats[i], one.patterns);
    }
    readings.require_one(table);
    table.ranges.c.clear();
    table.ranges.d.clear();
    table.c_is_zero = table.shape.c && !c.is_given();

    constexpr std::size_t most_elements = 4096, most_patterns = std::size_t{1} << 23;
    const std::size_t elements = d.rows * d.columns;
    const std::size_t taken = std::min({elements, most_elements, std::max<std::size_t>(most_patterns / K, 1)});
    if (taken < elements)
        io.err << fmt::format("discern: {} of the {} elements of D are looked at, evenly spread\n", taken, elements);
    for (std::size_t i = 0; i < taken; ++i) {
        const std::size_t at = i * elements / taken, row = at / d.columns, column = at % d.columns;
        Vector vector;
        const auto first = a.patterns.bits.begin() + static_cast<std::ptrdiff_t>(row * K);
        vector.a.assign(first, first + static_cast<std::ptrdiff_t>(K));
        for (std::size_t k = 0; k < K; ++k)
            vector.b.push_back(b.patterns.bits[as_is ? k * b.columns + column : column * K + k]);
        if (table.shape.c) vector.c = c.is_given() ? c.patterns.bits[at] : 0;
        if (!printed.c.empty()) table.ranges.c.push_back(printed.c[at]);
        if (!printed.d.empty()) table.ranges.d.push_back(printed.d[at]);
        vector.d = {d.patterns.bits[at]};
        table.vectors.push_back(std::move(vector));
        table.lines.push_back(at + 1);
    }
    report_table(name, table, options, io);
    return table;
}

} // namespace

void MatrixPaths::add_to(CommandLine& line) {
    line.add_option("--a", a, "the matrix A of a product, M x K, as .npy or .csv; with --b and --d, instead of FILE")
        .type_name("FILE");
    line.add_option("--b", b, "the matrix B, K x N, or N x K").type_name("FILE");
    line.add_option("--c", c, "the matrix C, M x N; +0 without it").type_name("FILE");
    line.add_option("--d", d, "the result, M x N").type_name("FILE");
}

Table vectors_of_matrices(const MatrixPaths& paths, const DataOptions& options, const Streams& io) {
    if (paths.a.empty() || paths.b.empty() || paths.d.empty())
        throw Error("--a, --b and --d belong together: the factors of a product, and its result");
    std::array<Matrix, 4> all = {read("a", paths.a, io), read("b", paths.b, io), read("c", paths.c, io),
                                 read("d", paths.d, io)};
    return table_of(all, "the matrices", shape_of_options(options), options, io);
}

bool are_matrices(std::span<const std::pair<std::string, Array>> arrays) {
    const auto a = find_array(arrays, "a"), b = find_array(arrays, "b"), d = find_array(arrays, "d");
    if (a == arrays.end() || b == arrays.end() || d == arrays.end()) return false;
    return a->second.shape.size() == 2 && b->second.shape.size() == 2 && d->second.shape.size() == 2 &&
           d->second.shape[1] > 1;
}

Table vectors_of_matrices(std::span<const std::pair<std::string, Array>> arrays, const std::string& name,
                          const std::optional<Shape>& given, const DataOptions& options, const Streams& io) {
    std::array<Matrix, 4> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto found = find_array(arrays, matrix_names[i]);
        all[i] = found == arrays.end() ? Matrix{.operand = matrix_names[i], .path = "", .array = {}}
                                       : matrix_of(matrix_names[i], found->second.name, found->second);
    }
    return table_of(all, name, given, options, io);
}

} // namespace discern::cli
