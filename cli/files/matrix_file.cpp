#include "matrix_file.hpp"

#include "files.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/import/npy.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <cstring>

namespace discern::cli {

namespace {

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }
bool is_vectors(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".csv") || path.ends_with(".txt");
}

std::string shape_text(std::size_t rows, std::size_t columns) { return fmt::format("{} x {}", rows, columns); }

std::size_t bytes_of(const MatrixData& matrix) { return matrix.rows * matrix.columns * word_bytes(matrix.format); }

MatrixData filled(FormatId id, std::size_t rows, std::size_t columns, std::span<const std::uint64_t> bits) {
    MatrixData matrix(id, rows, columns);
    for (std::size_t i = 0; i < bits.size(); ++i) matrix.set(i, bits[i]);
    return matrix;
}

MatrixData read_npy_matrix(InputFile& file, const std::string& path, FormatId id, MatrixNumbers& numbers) {
    const Array array = read_npy(array_file(file.stream()), path);
    if (array.shape.size() > 2) throw Error(path + " has more than two dimensions; a matrix has two");
    const std::size_t rows = array.shape.size() == 2 ? array.shape[0] : 1;
    const std::size_t columns = array.shape.empty() ? 1 : array.shape.back();
    const CellKind cells = numbers.given ? CellKind::numbers : CellKind::told_apart;
    if (has_plain_patterns(array, format(id), cells)) {
        MatrixData matrix(id, rows, columns);
        if (bytes_of(matrix) > 0) std::memcpy(matrix.out().data(), array.data.data(), bytes_of(matrix));
        return matrix;
    }
    const OperandPatterns patterns = array_patterns(array, format(id), cells, numbers.rounding);
    numbers.rounded += patterns.rounded;
    return filled(id, rows, columns, patterns.bits);
}

MatrixData read_numbers(InputFile& file, const std::string& path, FormatId id, MatrixNumbers& numbers) {
    const NumberMatrix read = read_number_matrix(file.stream(), path, format(id), numbers.rounding);
    numbers.has_few_digits = numbers.has_few_digits || read.has_few_digits;
    numbers.rounded += read.rounded;
    return filled(id, read.rows, read.columns, read.bits);
}

MatrixData read_raw(InputFile& file, const std::string& path, FormatId id, std::optional<MatrixSize> size) {
    if (!size) throw Error(path + " is a raw file, which does not say its size; --size M,N,K must");
    MatrixData matrix(id, size->rows, size->columns);
    const std::size_t bytes = bytes_of(matrix);
    file.stream().read(static_cast<char*>(matrix.out().data()), static_cast<std::streamsize>(bytes));
    const auto got = static_cast<std::size_t>(file.stream().gcount());
    const bool more = file.stream().good() && file.stream().peek() != std::istream::traits_type::eof();
    if (got != bytes || more)
        throw Error(fmt::format("{} has {}{} bytes; {} patterns of {} in words of {} bytes are {}", path,
                                more ? "more than " : "only ", got, shape_text(size->rows, size->columns),
                                format(id).name, word_bytes(id), bytes));
    return matrix;
}

MatrixData read_vectors(InputFile& file, const std::string& path, FormatId id, Part part,
                        std::optional<MatrixSize> size, const ReadAs& as) {
    VectorReader reader(file.stream(), path, as);
    std::vector<std::vector<std::uint64_t>> lines;
    Vector vector;
    while (reader.next(vector)) {
        switch (part) {
        case Part::a: lines.push_back(vector.a); break;
        case Part::b: lines.push_back(vector.b); break;
        case Part::sa: lines.push_back(vector.sa); break;
        case Part::sb: lines.push_back(vector.sb); break;
        case Part::c: lines.push_back({vector.c.value_or(0)}); break;
        }
    }
    const std::size_t width = lines.empty() ? 0 : lines.front().size();
    if (part == Part::c) {
        if (!size) throw Error(path + ": the size of C is not known");
        if (lines.size() != size->rows * size->columns)
            throw Error(
                fmt::format("{} has {} vectors; C is {}", path, lines.size(), shape_text(size->rows, size->columns)));
        MatrixData matrix(id, size->rows, size->columns);
        for (std::size_t i = 0; i < lines.size(); ++i) matrix.set(i, lines[i].front());
        return matrix;
    }
    const bool by_rows = part == Part::a || part == Part::sa;
    MatrixData matrix(id, by_rows ? lines.size() : width, by_rows ? width : lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = 0; k < width; ++k) matrix.set(by_rows ? i * width + k : k * lines.size() + i, lines[i][k]);
    return matrix;
}

} // namespace

MatrixData read_matrix(const std::string& path, FormatId id, Part part, std::optional<MatrixSize> size,
                       const ReadAs& as, const Streams& io, MatrixNumbers& numbers) {
    InputFile file(path, io);
    const bool is_text = path.ends_with(".csv") || path.ends_with(".txt");
    const auto vectors = [&] {
        try {
            return read_vectors(file, path, id, part, size, as);
        } catch (const Error& error) {
            if (!is_text) throw;
            throw Error(sentence(error.what(), "; with --numbers it is read as a matrix, a row of numbers a line"));
        }
    };
    MatrixData matrix = is_npy(path)               ? read_npy_matrix(file, path, id, numbers)
                        : is_text && numbers.given ? read_numbers(file, path, id, numbers)
                        : is_vectors(path)         ? vectors()
                                                   : read_raw(file, path, id, size);
    if (size && (matrix.rows != size->rows || matrix.columns != size->columns))
        throw Error(fmt::format("{} is {}; it must be {}", path, shape_text(matrix.rows, matrix.columns),
                                shape_text(size->rows, size->columns)));
    const Format& f = format(id);
    if (static_cast<std::size_t>(f.width) < 8 * word_bytes(id))
        for (std::size_t i = 0; i < matrix.rows * matrix.columns; ++i)
            if (matrix.at(i) > f.mask())
                throw Error(fmt::format("{}: row {}, column {}: {:#x} is not a pattern of {}, which has {} bits", path,
                                        i / matrix.columns + 1, i % matrix.columns + 1, matrix.at(i), f.name, f.width));
    return matrix;
}

void write_matrix(const std::string& path, const MatrixData& matrix, const Streams& io) {
    write_file(path, io, [&](std::ostream& out) {
        if (path.empty() || path == "-") {
            for (std::size_t i = 0; i < matrix.rows * matrix.columns; ++i)
                out << to_hex(format(matrix.format), matrix.at(i)) << ((i + 1) % matrix.columns == 0 ? '\n' : ' ');
        } else {
            const std::string_view data(static_cast<const char*>(matrix.patterns().data()), bytes_of(matrix));
            const std::size_t shape[] = {matrix.rows, matrix.columns};
            out << (is_npy(path) ? npy_of(npy_type(matrix.format), shape, data) : std::string(data));
        }
    });
}

} // namespace discern::cli
