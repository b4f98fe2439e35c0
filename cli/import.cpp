// Vectors in other people's formats, rewritten as files of our own.
#include "cli/base/stages.hpp"
#include "cli/files/files.hpp"
#include "cli/files/target.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/arithmetic_tests.hpp"
#include "models/import/npy.hpp"
#include "models/import/published_set.hpp"
#include "models/import/table.hpp"
#include "models/measured_sets.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace discern::cli {

namespace {

struct ImportSettings {
    std::string kind, path, unit, out, operation, command;
    DataOptions data;
};

/// The parts of the environment that an import needs.
struct Surroundings {
    const Streams& io;
    Stages& stages;
};

/// @param from  has next(), which reads the next vector; false at the end
/// @param of    how many there are; 0: not known
template <typename Reader>
std::uint64_t copy(Reader& from, const Shape& shape, const Header& header, OutputFile& output, Stages& stages,
                   const std::string& stage, std::uint64_t of = 0) {
    VectorWriter writer(output.stream(), shape, header);
    Vector vector;
    std::uint64_t count = 0;
    for (; from.next(vector); ++count) {
        stages.at(stage, count, of);
        writer.write(vector);
        output.require_good();
    }
    stages.end();
    output.finish();
    return count;
}

int import_golden(const ImportSettings& options, const Surroundings& around) {
    InputFile file(options.path, around.io);
    VectorReader reader(file.stream(), file.name(), read_as(options.unit));
    if (reader.dialect() != Dialect::compact)
        throw Error(
            reader.at_line(sentence("the file is in ", name(reader.dialect()), ", not in ", name(Dialect::compact),
                                    R"(, whose header has "arch" and "instr", or "unit" and "by")")));
    Header header = reader.header();
    header.shape.reset(); // the unit says it
    if (!options.unit.empty()) header.unit = options.unit;
    header.other.emplace_back("command", json_string(options.command));
    OutputFile output(options.out, around.io, options.path);
    copy(reader, reader.shape(), header, output, around.stages, "copying vectors");
    return status::done;
}

/// Formats and K as they are given, and a header that says them: by the unit, if that is what is known.
Shape shape_given(const ImportSettings& options, Header& header) {
    const DataOptions& data = options.data;
    const bool spelled_out = !data.formats.empty() || data.K != 0;
    if (options.unit.empty() && !spelled_out)
        throw Error(sentence("import ", options.kind, ": --unit is missing, or --formats and --K, as in --formats ",
                             "f16,f16,f32,f32 --K 16; the file does not say its formats and K"));
    std::optional<Shape> shape;
    if (spelled_out) shape = shape_of_words(data.formats, data.K, data.scale);
    if (options.unit.empty()) {
        header.shape = shape;
    } else {
        header.unit = options.unit;
        const Shape of_unit = shape_of(resolve_unit(options.unit));
        if (shape && *shape != of_unit)
            throw Error(sentence("--unit and --formats differ in ", difference(of_unit, *shape), ": ", options.unit,
                                 " is ", to_string(of_unit)));
        shape = of_unit;
    }
    header.other.emplace_back("command", json_string(options.command));
    return *shape;
}

int write_table(const ImportSettings& options, const Shape& shape, Header header, Table table,
                const Surroundings& around) {
    report_results(options.path == "-" ? "standard input" : options.path, table, false, around.io);
    if (table.nan_any) header.nan = NanComparison::any;
    if (table.rounded > 0) {
        header.other.emplace_back("rounded", std::to_string(table.rounded));
        report_rounded(table, options.data.round, around.io);
    }
    OutputFile output(options.out, around.io, options.path);
    const std::size_t count = table.vectors.size();
    VectorFile vectors(options.path, std::move(table));
    copy(vectors, shape, header, output, around.stages, "writing vectors", count);
    return status::done;
}

ReadingProgress shown_by(Stages& stages) {
    return [&stages](std::string_view what, std::uint64_t done, std::uint64_t of) {
        stages.at("reading " + std::string(what), done, of);
    };
}

TableOptions table_options(const ImportSettings& options, Stages& stages) {
    TableOptions reading = table_options(options.data);
    reading.lenient = false;
    reading.progress = shown_by(stages);
    return reading;
}

int import_csv(const ImportSettings& options, const Surroundings& around) {
    Header header;
    const Shape shape = shape_given(options, header);
    InputFile file(options.path, around.io);
    Table table = read_table(file.stream(), file.name(), shape, table_options(options, around.stages));
    return write_table(options, shape, header, std::move(table), around);
}

int import_npy(const ImportSettings& options, const Surroundings& around) {
    Header header;
    const Shape shape = shape_given(options, header);
    const auto arrays = read_arrays(options.path, around.io);
    Table table = table_of_arrays(arrays, options.path, shape, table_options(options, around.stages));
    return write_table(options, shape, header, std::move(table), around);
}

Header header_of(const MeasuredSet& set, const std::string& command) {
    Header header;
    header.unit = set.unit;
    header.target = set.gpu;
    header.other = {{"set", json_string(set.name())},
                    {"source", json_string(measured_source)},
                    {"revision", json_string(measured_revision)},
                    {"licence", json_string(measured_licence)},
                    {"command", json_string(command)}};
    return header;
}

/// Writes the vectors of a set, if the folder has it: as one file of vectors, or as the four that are published.
std::optional<std::uint64_t> import_set(const MeasuredSet& set, const ImportSettings& options,
                                        const Surroundings& around) {
    const std::filesystem::path folder = options.path;
    const std::string stage = "copying vectors of " + set.name();
    const std::filesystem::path out = std::filesystem::path(options.out) / (set.name() + ".jsonl");
    const Header header = header_of(set, options.command);
    if (const std::filesystem::path path = folder / (set.name() + ".csv"); is_there(path)) {
        InputFile file(path, around.io);
        VectorReader reader(file.stream(), file.name(), read_as(std::string(set.unit)));
        OutputFile output(out, around.io);
        return copy(reader, reader.shape(), header, output, around.stages, stage);
    }
    for (const std::filesystem::path& root : {folder, folder / "model_validation"}) {
        const auto names = published_files(set);
        if (!is_there(root / names.back())) continue;
        InputFile a(root / names[0], around.io), b(root / names[1], around.io), c(root / names[2], around.io),
            d(root / names[3], around.io);
        const Shape shape = shape_of(resolve_unit(std::string(set.unit)));
        PublishedSet reader(
            set, shape,
            {{{a.stream(), a.name()}, {b.stream(), b.name()}, {c.stream(), c.name()}, {d.stream(), d.name()}}});
        OutputFile output(out, around.io);
        return copy(reader, shape, header, output, around.stages, stage);
    }
    return std::nullopt;
}

int import_measured(const ImportSettings& options, const Surroundings& around) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_directory(options.path, error))
        throw Error(options.path +
                    " is not a directory; import matlab-tensor-core reads the csv files in one, or model_validation "
                    "as it is published");
    if (options.out.empty()) throw Error("import matlab-tensor-core: -o is missing; it names a directory to write to");
    fs::create_directories(options.out, error);
    if (!fs::is_directory(options.out, error)) throw Error(options.out + " is no directory and cannot become one");
    std::size_t sets = 0;
    std::uint64_t vectors = 0;
    for (const MeasuredSet& set : measured_sets()) {
        const auto count = import_set(set, options, around);
        if (!count) continue;
        around.io.out << fmt::format("{:<14} {:>6}  {}\n", set.name(), *count, set.unit);
        ++sets;
        vectors += *count;
    }
    if (sets == 0)
        throw Error(sentence(options.path, " has none of the measured sets, such as ", measured_sets().front().name(),
                             ".csv or ", published_files(measured_sets().front()).back()));
    around.io.out << fmt::format("imported {} of {} sets, {} vectors\n", sets, measured_sets().size(), vectors);
    return status::done;
}

Shape shape_of_multiply_add(FormatId format) {
    return {.a = format, .b = format, .c = format, .d = format, .scale = std::nullopt, .K = 1};
}

/// The format of a unit that multiplies and adds in one format, as these tests do.
FormatId format_of_multiply_add(const std::string& unit) {
    const Shape shape = shape_of(resolve_unit(unit));
    const Shape wanted = shape_of_multiply_add(shape.d);
    if (shape != wanted)
        throw Error(sentence("--unit: ", unit, " is ", to_string(shape), "; such tests are of ", to_string(wanted),
                             ", a multiply-add in one format"));
    return shape.d;
}

/// Says how many lines became vectors, and why the others did not.
void report_tests(const std::string& file, const ArithmeticCounts& counts, const Streams& io) {
    io.err << "discern: " << file << ": " << counted(counts.vectors, "vector") << " of "
           << counted(counts.lines, "line") << '\n';
    if (counts.flags > 0)
        io.err << "discern: " << counted(counts.flags, "vector")
               << " with flags, which eval --check compares if it is asked to (--flags)\n";
    for (const auto& [reason, lines] : counts.skipped)
        io.err << "discern: skipped: " << counted(lines, "line") << ' ' << reason << '\n';
}

/// Tests of IEEE 754 arithmetic, which are read and written a line at a time.
int import_tests(const ImportSettings& options, const Surroundings& around,
                 ArithmeticCounts (*read)(std::istream&, const std::string&, const ArithmeticReading&)) {
    const DataOptions& data = options.data;
    const std::string not_used = !data.formats.empty() || data.K != 0 ? "--formats and --K"
                                 : !data.scale.empty()                ? "--scale"
                                 : !data.columns.empty()              ? "--columns"
                                 : data.numbers || data.patterns      ? "--numbers and --patterns"
                                                                      : "";
    if (!not_used.empty())
        throw Error(sentence("import ", options.kind, ": ", not_used, " cannot be given; the lines say what they are"));
    const NumberRounding rounding = number_rounding_from(data.round);
    if (!rounding) throw Error(sentence("import ", options.kind, ": --round must be the mode of the results, as rne"));
    ArithmeticReading reading;
    reading.rounding = *rounding;
    if (!options.operation.empty()) reading.operation = testfloat_operation(options.operation);
    if (!options.unit.empty()) reading.format = format_of_multiply_add(options.unit);

    InputFile file(options.path, around.io);
    OutputFile output(options.out, around.io, options.path);
    std::optional<VectorWriter> writer;
    reading.take = [&](const Format& format, const Vector& vector) {
        if (!writer) {
            const Shape shape = shape_of_multiply_add(format.id);
            Header header;
            header.unit = options.unit;
            if (options.unit.empty()) header.shape = shape;
            header.nan = NanComparison::any;
            header.other = {{"round", json_string(data.round)}, {"command", json_string(options.command)}};
            writer.emplace(output.stream(), shape, header);
        }
        writer->write(vector);
        output.require_good();
    };
    reading.progress = shown_by(around.stages);
    const ArithmeticCounts counts = read(file.stream(), file.name(), reading);
    around.stages.end();
    if (counts.vectors == 0) {
        std::string why;
        for (const auto& [reason, lines] : counts.skipped)
            why += sentence(why.empty() ? "; " : ", ", counted(lines, "line"), " ", reason);
        throw Error(
            sentence(file.name(), ": no line is a test of a multiply-add that is rounded by ", data.round, why));
    }
    report_tests(file.name(), counts, around.io);
    output.finish();
    return status::done;
}

int import_testfloat(const ImportSettings& options, const Surroundings& around) {
    return import_tests(options, around, read_testfloat);
}

int import_fptest(const ImportSettings& options, const Surroundings& around) {
    if (!options.operation.empty()) throw Error("import fptest: --operation cannot be given; the lines say it");
    return import_tests(options, around, read_fptest);
}

struct ImportKind {
    std::string_view name;
    int (*import)(const ImportSettings& options, const Surroundings& around);
};

constexpr auto kinds = std::to_array<ImportKind>({
    {"csv", import_csv},
    {"npy", import_npy},
    {"testfloat", import_testfloat},
    {"fptest", import_fptest},
    {"golden", import_golden},
    {"matlab-tensor-core", import_measured},
});

int run_import(const Command& self, Arguments arguments, const Streams& io) {
    ImportSettings options;
    std::vector<std::string> names;
    for (const ImportKind& kind : kinds) names.emplace_back(kind.name);
    CommandLine line(self);
    line.add_option("KIND", options.kind, "csv, npy, testfloat, fptest, golden or matlab-tensor-core").required();
    line.offer("KIND", names);
    line.add_option("PATH", options.path,
                    "the file, or - ; of npy an .npz file, or a directory with a.npy, b.npy, …; of "
                    "matlab-tensor-core a directory")
        .required();
    line.add_shared("--unit", options.unit);
    line.add_shared("--formats", options.data.formats, "instead of --unit");
    line.add_shared("--K", options.data.K, "with --formats");
    line.add_shared("--scale", options.data.scale);
    line.add_shared("--columns", options.data.columns, "of csv; of npy by name");
    line.add_shared("--numbers", options.data.numbers);
    line.add_shared("--patterns", options.data.patterns);
    line.add_shared("--round", options.data.round,
                    "of testfloat and fptest: the rounding mode of the tests that are read");
    line.add_option("--operation", options.operation,
                    "of testfloat, what lines with two operands test: add, sub or mul; those with three test mulAdd");
    line.offer("--operation", {"add", "sub", "mul", "mulAdd"});
    line.add_shared("-o", options.out, "of matlab-tensor-core a directory");
    if (const auto ended = line.read(arguments, io)) return *ended;
    options.command = quoted_command("import", arguments);

    const auto* const kind = std::ranges::find(kinds, options.kind, &ImportKind::name);
    if (kind == kinds.end())
        throw Error("import: there is no kind " + excerpt(options.kind) + did_you_mean(options.kind, names) +
                    "; kinds are csv, npy, testfloat, fptest, golden and matlab-tensor-core");
    Stages stages(io);
    try {
        return kind->import(options, {io, stages});
    } catch (const Stages::Interrupted&) {
        return stages.ended();
    }
}

} // namespace

extern constinit const Command import_command{
    .name = "import",
    .usage = "KIND …",
    .summary = "vectors in other people's formats",
    .example = "  discern import csv trace.csv --formats f16,f16,f32,f32 --K 16 --columns a=lhs,b=rhs,c=acc,d=out -o "
               "trace.jsonl\n"
               "      numbers or bit patterns, an operand or an element a column\n"
               "  discern import csv V100_f16_f32.csv --unit volta/mma.m8n8k4.f32.f16.f16.f32 -o v100.jsonl\n"
               "      one csv file, whose columns are named by its first line\n"
               "  discern import testfloat f32_mul_rz.txt --operation mul --round rz -o mul.jsonl\n"
               "      lines of TestFloat, as vectors of a multiply-add; fptest reads those of IBM's suite\n"
               "  discern import golden Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl\n"
               "      a file with compact lines, which names its own unit\n"
               "  discern import matlab-tensor-core DIR -o OUT\n"
               "      all measured sets GPU_input_output.csv in DIR, one file each in OUT",
    .run = run_import,
    .docs = {.group = "Vectors", .page = "import"}};

} // namespace discern::cli
