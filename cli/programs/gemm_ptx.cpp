// The result of a kernel that was read from its code, for matrices from files: its graph, evaluated by the models.
#include "cli/files/matrix_file.hpp"
#include "cli/files/vector_file.hpp"
#include "models/error.hpp"
#include "models/unit/patterns.hpp"
#include "programs/reading/numbers.hpp"
#include "ptx.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace discern::cli {

namespace {

/// An array as a matrix: its last axis is that of the columns.
MatrixSize matrix_size(const programs::ArraySpec& array) {
    const std::size_t columns = array.shape.back();
    return {static_cast<std::size_t>(array.elements()) / columns, columns};
}

FormatId format_of_array(const programs::ArraySpec& array) {
    const auto id = format_from_name(array.format);
    if (!id)
        throw Error(fmt::format("gemm: {} has the format {}, of which no matrices are read", array.name, array.format));
    return *id;
}

programs::Arrays read_operands(const programs::Launch& launch, const PtxProduct& options,
                               const std::vector<std::string>& files, const Streams& io) {
    programs::Arrays arrays;
    std::size_t next = 0;
    std::vector<std::string> names;
    for (const programs::ArraySpec& array : launch.arrays)
        if (!array.is_result) names.push_back(array.name);
    if (names.size() != files.size())
        throw Error(fmt::format("gemm: the kernel has {} operands ({}), and {} files are given", names.size(),
                                fmt::join(names, ", "), files.size()));
    MatrixNumbers numbers{.given = options.numbers, .rounding = number_rounding_from(options.round)};
    for (const programs::ArraySpec& array : launch.arrays) {
        arrays.emplace_back();
        if (array.is_result) continue;
        const FormatId id = format_of_array(array);
        Shape shape;
        shape.a = shape.b = id;
        const MatrixData matrix =
            read_matrix(files[next++], id, Part::a, matrix_size(array), {.unit = {}, .shape = shape}, io, numbers);
        arrays.back() = patterns_at(matrix.patterns(), 0, array.elements());
    }
    report_rounded(numbers.rounded, options.round, io);
    return arrays;
}

/// The file of a result: that of `-o FILE` if there is one, else of `-o D=FILE`, of which commas part several.
std::string file_of(const programs::RunKernel& kernel, const std::string& name, const std::string& out) {
    for (std::size_t from = 0; from <= out.size();) {
        const std::size_t end = std::min(out.find(',', from), out.size());
        const std::string part = out.substr(from, end - from);
        if (part.starts_with(name + "=")) return part.substr(name.size() + 1);
        from = end + 1;
    }
    if (kernel.results.size() == 1) return out;
    throw Error(fmt::format("gemm: there are {} results, and -o names no file for {}; -o {}=FILE,… does",
                            kernel.results.size(), name, name));
}

} // namespace

int gemm_ptx(const PtxProduct& options, std::vector<std::string> operands, const Streams& io) {
    std::erase(operands, "");
    programs::Terms terms;
    const programs::KernelReading reading = read_ptx(options.unit, options.launch, terms, io);
    const programs::KernelNumbers numbers(reading.kernel, options.threads);
    if (!numbers.stand_ins().empty())
        io.err << fmt::format("discern: {} leaves {} to the machine; results are those of a stand-in\n",
                              reading.kernel.language(), fmt::join(numbers.stand_ins(), ", "));
    const programs::Arrays results = numbers(read_operands(reading.kernel.launch, options, operands, io));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const programs::ArraySpec& array = reading.kernel.launch.arrays[reading.kernel.results[i].array];
        const MatrixSize size = matrix_size(array);
        MatrixData matrix(format_of_array(array), size.rows, size.columns);
        for (std::size_t j = 0; j < results[i].size(); ++j) matrix.set(j, results[i][j]);
        write_matrix(file_of(reading.kernel, array.name, options.out), matrix, io);
    }
    return status::done;
}

} // namespace discern::cli
