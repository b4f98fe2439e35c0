// Vectors as test programs, and in the forms that other programs read; and units as hardware and as C.
#include "export.hpp"

#include "cli/base/json.hpp"
#include "cli/base/stages.hpp"
#include "cli/files/files.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/suite/owners.hpp"
#include "cli/suite/report.hpp"
#include "encodings/print/forms.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

namespace discern::cli {

namespace {

constexpr auto own_forms = std::to_array<ExportForm>({
    {"npy", "arrays for NumPy, in one .npz archive", export_npy},
    {"smt2", "a question for SMT solvers: are all results those of the unit's circuit?", export_smt2},
});

std::vector<ExportForm> all_forms() {
    std::vector<ExportForm> forms(export_forms().begin(), export_forms().end());
    forms.insert(forms.end(), own_forms.begin(), own_forms.end());
    return forms;
}

std::vector<std::string> form_names() {
    std::vector<std::string> names;
    for (const ExportForm& form : all_forms()) names.emplace_back(form.name);
    for (const rtl::UnitForm& form : rtl::unit_forms()) names.emplace_back(form.name);
    return names;
}

ExportForm require_form(const std::string& name) {
    for (const ExportForm& form : all_forms())
        if (form.name == name) return form;
    const std::vector<std::string> names = form_names();
    throw Error(sentence("--as: there is no form ", excerpt(name), did_you_mean(name, names), "; the forms are ",
                         fmt::format("{}", fmt::join(names, ", "))));
}

std::string require_identifier(const std::string& name) {
    const auto fits = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
        std::all_of(name.begin(), name.end(), fits))
        return name;
    throw Error(sentence("--name: ", excerpt(name), " is not an identifier: letters, digits and _, no digit first"));
}

std::string owner_text(const std::vector<std::string>& units, std::size_t index) {
    std::string text = "class " + class_letter(index);
    if (!units.empty()) text += ": " + units.front();
    return units.size() < 2 ? text : text + sentence(" and ", units.size() - 1, " of the same results");
}

/// All vectors, and equally many results each or none at all. @param only  of several, this one
void read_vectors(VectorFile& file, bool inputs_only, std::optional<std::size_t> only, Exported& what, Stages& stages) {
    Vector vector;
    while (file.next(vector)) {
        stages.at("reading vectors", what.vectors.size());
        if (inputs_only) vector.clear_results();
        if (only) choose_result(file, *only, vector);
        if (!what.vectors.empty() && vector.d.empty() == what.has_results())
            throw Error(file.at_line("field d: some vectors have a result and others have none; export --inputs "
                                     "leaves all results out"));
        if (!what.vectors.empty() && vector.d.size() != what.results_each())
            throw Error(file.at_line(sentence("field d: has ", counted(vector.d.size(), "result"),
                                              "; those before have ", what.results_each())));
        what.vectors.push_back(vector);
    }
}

std::string help_of_forms() {
    std::string text = "the form:";
    for (const ExportForm& form : all_forms()) text += fmt::format("\n{}: {}", form.name, form.summary);
    for (const rtl::UnitForm& form : rtl::unit_forms()) text += fmt::format("\n{}: {}", form.name, form.summary);
    return text;
}

/// A unit in one of the forms for units. @param symbol  what its function or module is called; empty: discern_unit
/// @param flags  d is the unit's status flags
int export_unit(const rtl::UnitForm& form, const std::string& unit, const std::string& symbol, bool pipeline,
                const FlagOptions& flags, const std::string& out, const std::string& command, const Streams& io) {
    if (pipeline && form.name != "sv") throw Error("--pipeline: only --as sv has registers");
    if (!symbol.empty() && !form.has_symbol)
        throw Error(sentence("--name: --as ", form.name, " has no function or module to be called so"));
    if (pipeline && flags.wanted) throw Error("--pipeline and --flags: the flags are written without registers");
    rtl::UnitToWrite what{resolve_unit(unit), unit, command, pipeline};
    if (flags.wanted) what.flags = tininess_from_name(flags.tininess);
    if (!symbol.empty()) what.symbol = require_identifier(symbol);
    const std::string text = form.write(what);
    write_file(out, io, [&](std::ostream& file) { file << text; });
    return status::done;
}

bool is_unit_and_no_file(const std::string& path) {
    return path != "-" && !is_there(path) && error_of([&] { resolve_unit(path); }).empty();
}

int run_export(const Command& self, Arguments arguments, const Streams& io) {
    std::string form_name, unit, path, out, wanted_class, name = "vectors";
    DataOptions data;
    bool inputs_only = false, pipeline = false, decimals = false;
    CommandLine line(self);
    line.add_option("--as", form_name, help_of_forms()).required();
    line.offer("--as", form_names());
    line.add_option("FILE", path, "a file of vectors, a table or arrays, or - for standard input; or a UNIT")
        .required();
    line.add_shared("--unit", unit);
    line.add_option("--name", name,
                    "what names in the output begin with (vectors); of a UNIT: its function or module (discern_unit)");
    line.add_flag("--inputs", inputs_only, "leave out the results that FILE has");
    line.add_shared("--class", wanted_class, "only these");
    line.add_flag("--decimals", decimals, "with --as csv: numbers in decimal instead of bit patterns");
    add_data_options(line, data, {});
    double timeout = std::numeric_limits<double>::infinity();
    line.add_shared("--timeout", timeout, "of vectors");
    line.add_flag("--pipeline", pipeline, "with --as sv: registers between alignment, addition and rounding");
    FlagOptions flags;
    flags.add_to(line, "of a UNIT: written in place of its d");
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;
    for (const rtl::UnitForm& of_unit : rtl::unit_forms()) {
        // A model in C is a unit's where there is no file of that name.
        const bool is_c = form_name == "c" && of_unit.name == "dpi" && is_unit_and_no_file(path);
        if (of_unit.name != form_name && !is_c) continue;
        if (!unit.empty() || inputs_only)
            throw Error(sentence("--as ", form_name, " writes a unit; --unit and --inputs are of vectors"));
        return export_unit(of_unit, path, line.was_given("--name") ? name : "", pipeline, flags, out,
                           quoted_command("export", arguments), io);
    }
    if (pipeline) throw Error("--pipeline: only --as sv has registers");
    if (flags.wanted)
        throw Error(sentence("--flags is of a unit that is written; vectors in --as ", form_name, " have d alone"));
    const ExportForm form = require_form(form_name);

    const bool unit_says_any = !unit.empty() && resolve_unit(unit).nan.kind == NanRule::Kind::any;
    if (decimals && form.name != "csv") throw Error("--decimals: only --as csv has numbers; the others have patterns");
    VectorFile file(path, read_as(unit), data, io);
    const auto owners = owners_of(file.header());
    std::optional<std::size_t> only;
    if (!wanted_class.empty()) only = require_class(wanted_class, owners);
    Exported what{.shape = file.shape(),
                  .unit = unit.empty() ? file.header().unit : unit,
                  .nan_any = file.nan_any() || unit_says_any,
                  .name = require_identifier(name),
                  .origin = quoted_command("export", arguments),
                  .vectors = {},
                  .decimals = decimals};
    if (what.unit.empty() && only && !owners[*only].empty()) what.unit = owners[*only].front();
    for (std::size_t i = 0; i < owners.size(); ++i) what.results.push_back(owner_text(owners[i], i));
    Stages stages(io, timeout);
    try {
        read_vectors(file, inputs_only, only, what, stages);
        if (what.vectors.empty()) throw Error(file.name() + " has no vectors; there is nothing to export");
        OutputFile output(out, io, path);
        what.progress = [&](std::string_view array, std::uint64_t done) {
            stages.at("writing " + std::string(array), done, what.vectors.size());
        };
        form.write(output.stream(), what);
        stages.end();
        output.finish();
    } catch (const Stages::Interrupted&) {
        return stages.ended();
    }
    return status::done;
}

} // namespace

extern constinit const Command export_command{
    .name = "export",
    .usage = "FILE|UNIT",
    .summary = "vectors as test programs and other formats; units as hardware and C",
    .example = "  discern export --as c vectors.jsonl -o vectors.h\n"
               "      a header with the vectors as arrays\n"
               "  discern export --as mem --unit hopper/wgmma.m64n8k16.f32.f16.f16 vectors.txt -o vectors.mem\n"
               "      for $readmemh; plain text says no formats, so the unit does\n"
               "  discern export --as sv volta/mma.m8n8k4.f32.f16.f16.f32 -o unit.sv\n"
               "      the unit itself, as a module that 'discern prove UNIT rtl:unit.sv' reads back",
    .run = run_export,
    .units_and_files = true,
    .docs = {.group = "Vectors", .page = "export"}};

} // namespace discern::cli
