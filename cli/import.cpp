// Vectors in other people's formats, rewritten as files of our own.
#include "files.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/measured_sets.hpp"
#include "models/sentence.hpp"
#include "models/suggest.hpp"
#include "models/vectors.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace discern::cli {

namespace {

constexpr std::string_view example =
    "  discern import csv V100_f16_f32.csv --unit volta/mma.m8n8k4.f32.f16.f16.f32 -o v100.jsonl\n"
    "      one csv file, whose columns are named by its first line\n"
    "  discern import golden Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl\n"
    "      a file with compact lines, which names its own unit\n"
    "  discern import matlab-tensor-core DIR -o OUT\n"
    "      all measured sets GPU_input_output.csv in DIR, one file each in OUT";

struct Options {
    std::string kind, path, unit, out;
    std::string command;
};

std::uint64_t copy(VectorReader& reader, const Header& header, OutputFile& output) {
    VectorWriter writer(output.stream(), reader.shape(), header);
    Vector vector;
    std::uint64_t count = 0;
    for (; reader.next(vector); ++count) {
        writer.write(vector);
        output.require_good();
    }
    output.finish();
    return count;
}

int import_golden(const Options& options, const Streams& io) {
    InputFile file(options.path, io);
    std::optional<ReadAs> as;
    if (!options.unit.empty()) as = ReadAs{.unit = options.unit, .shape = shape_of(resolve_unit(options.unit))};
    VectorReader reader(file.stream(), file.name(), as);
    if (reader.dialect() != Dialect::compact)
        throw Error(
            reader.at_line(sentence("the file is in ", name(reader.dialect()), ", not in ", name(Dialect::compact),
                                    R"(, whose header has "arch" and "instr", or "unit" and "by")")));
    Header header = reader.header();
    header.shape.reset(); // the unit says it
    if (as) header.unit = as->unit;
    header.other.emplace_back("command", json_string(options.command));
    OutputFile output(options.out, io, options.path);
    copy(reader, header, output);
    return status::done;
}

int import_csv(const Options& options, const Streams& io) {
    if (options.unit.empty()) throw Error("import csv: --unit is missing; a csv file does not say its formats and K");
    InputFile file(options.path, io);
    VectorReader reader(file.stream(), file.name(),
                        ReadAs{.unit = options.unit, .shape = shape_of(resolve_unit(options.unit))});
    if (reader.dialect() != Dialect::csv)
        throw Error(reader.at_line(sentence("the file is in ", name(reader.dialect()),
                                            ", not in csv, whose first line names columns, such as a,b,c,d")));
    Header header;
    header.unit = options.unit;
    header.other.emplace_back("command", json_string(options.command));
    OutputFile output(options.out, io, options.path);
    copy(reader, header, output);
    return status::done;
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

int import_measured(const Options& options, const Streams& io) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_directory(options.path, error))
        throw Error(options.path + " is not a directory; import matlab-tensor-core reads the csv files in one");
    if (options.out.empty()) throw Error("import matlab-tensor-core: -o is missing; it names a directory to write to");
    fs::create_directories(options.out, error);
    if (!fs::is_directory(options.out, error)) throw Error(options.out + " is no directory and cannot become one");
    std::size_t sets = 0;
    std::uint64_t vectors = 0;
    for (const MeasuredSet& set : measured_sets()) {
        const std::string path = fs::path(options.path) / (set.name() + ".csv");
        if (!fs::exists(path, error)) continue;
        InputFile file(path, io);
        VectorReader reader(file.stream(), file.name(),
                            ReadAs{.unit = std::string(set.unit), .shape = shape_of(resolve_unit(set.unit))});
        OutputFile output(fs::path(options.out) / (set.name() + ".jsonl"), io);
        const std::uint64_t count = copy(reader, header_of(set, options.command), output);
        io.out << fmt::format("{:<14} {:>6}  {}\n", set.name(), count, set.unit);
        ++sets;
        vectors += count;
    }
    if (sets == 0)
        throw Error(options.path + " has none of the measured sets, such as " + measured_sets().front().name() +
                    ".csv");
    io.out << fmt::format("imported {} of {} sets, {} vectors\n", sets, measured_sets().size(), vectors);
    return status::done;
}

struct Kind {
    std::string_view name;
    int (*import)(const Options& options, const Streams& io);
};

constexpr std::array<Kind, 3> kinds = {{
    {"matlab-tensor-core", import_measured},
    {"golden", import_golden},
    {"csv", import_csv},
}};

} // namespace

int import(Arguments arguments, const Streams& io) {
    Options options;
    CommandLine line("import", example);
    line.add_option("KIND", options.kind, "matlab-tensor-core, golden or csv")->required();
    line.add_option("PATH", options.path, "the file, or - ; of matlab-tensor-core the directory")->required();
    line.add_option("--unit", options.unit, "of csv: the unit whose formats and K the file has");
    line.add_option("-o", options.out, "write there; of matlab-tensor-core a directory");
    if (const auto ended = line.read(arguments, io)) return *ended;
    options.command = quoted_command("import", arguments);

    std::vector<std::string> names;
    for (const Kind& kind : kinds) {
        if (kind.name == options.kind) return kind.import(options, io);
        names.emplace_back(kind.name);
    }
    throw Error("import: there is no kind " + excerpt(options.kind) + did_you_mean(options.kind, names) +
                "; kinds are matlab-tensor-core, golden and csv");
}

} // namespace discern::cli
