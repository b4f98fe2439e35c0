// Vectors as test programs, and in the forms that other programs read; and units as hardware and as C.
#include "export.hpp"

#include "cli/files/files.hpp"
#include "cli/files/observations.hpp"
#include "cli/options/options.hpp"
#include "cli/stages.hpp"
#include "encodings/print/forms.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace discern::cli {

namespace {

constexpr std::string_view export_example =
    "  discern export --as c vectors.jsonl -o vectors.h\n"
    "      a header with the vectors as arrays\n"
    "  discern export --as mem --unit hopper/wgmma.m64n8k16.f32.f16.f16 vectors.txt -o vectors.mem\n"
    "      for $readmemh; plain text says no formats, so the unit does\n"
    "  discern export --as sv volta/mma.m8n8k4.f32.f16.f16.f32 -o unit.sv\n"
    "      the unit itself, as a module that 'discern prove UNIT rtl:unit.sv' reads back";

constexpr auto forms_with_circuits = std::to_array<ExportForm>({
    {"smt2", "a question for SMT solvers: are all results those of the unit's circuit?", export_smt2},
});

std::vector<ExportForm> all_forms() {
    std::vector<ExportForm> forms(export_forms().begin(), export_forms().end());
    forms.insert(forms.end(), forms_with_circuits.begin(), forms_with_circuits.end());
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

/// All vectors, and one result each or none at all.
void read_vectors(VectorReader& reader, bool inputs_only, Exported& what, Stages& stages) {
    Vector vector;
    while (reader.next(vector)) {
        stages.at("reading vectors", what.vectors.size());
        if (inputs_only) vector.clear_results();
        if (vector.d.size() > 1)
            throw Error(reader.at_line("field d: is a list of results; export writes one a vector, or with --inputs "
                                       "none"));
        if (!what.vectors.empty() && vector.d.empty() == what.has_results())
            throw Error(reader.at_line("field d: some vectors have a result and others have none; export --inputs "
                                       "leaves all results out"));
        what.vectors.push_back(vector);
    }
}

std::string help_of_forms() {
    std::string text = "the form:";
    for (const ExportForm& form : all_forms()) text += fmt::format("\n{}: {}", form.name, form.summary);
    for (const rtl::UnitForm& form : rtl::unit_forms()) text += fmt::format("\n{}: {}", form.name, form.summary);
    return text;
}

/// A unit in one of the forms for units.
int export_unit(const rtl::UnitForm& form, const std::string& unit, bool pipeline, const std::string& out,
                const std::string& command, const Streams& io) {
    if (pipeline && form.name != "sv") throw Error("--pipeline: only --as sv has registers");
    const std::string text = form.write({resolve_unit(unit), unit, command, pipeline});
    OutputFile output(out, io);
    output.stream() << text;
    output.finish();
    return status::done;
}

} // namespace

int export_vectors(Arguments arguments, const Streams& io) {
    std::string form_name, unit, path, out, name = "vectors";
    bool inputs_only = false, pipeline = false;
    CommandLine line("export", export_example);
    line.add_option("--as", form_name, help_of_forms()).required();
    line.offer("--as", form_names());
    line.add_option("FILE", path, "a file of vectors, or - for standard input; or a UNIT").required();
    line.add_shared("--unit", unit);
    line.add_option("--name", name, "what names in the output begin with (vectors)");
    line.add_flag("--inputs", inputs_only, "leave out the results that FILE has");
    double timeout = std::numeric_limits<double>::infinity();
    line.add_shared("--timeout", timeout, "of vectors");
    line.add_flag("--pipeline", pipeline, "with --as sv: registers between alignment, addition and rounding");
    line.add_shared("-o", out);
    if (const auto ended = line.read(arguments, io)) return *ended;
    for (const rtl::UnitForm& of_unit : rtl::unit_forms()) {
        if (of_unit.name != form_name) continue;
        if (!unit.empty() || inputs_only || line.was_given("--name"))
            throw Error(sentence("--as ", form_name, " writes a unit; --unit, --inputs and --name are of vectors"));
        return export_unit(of_unit, path, pipeline, out, quoted_command("export", arguments), io);
    }
    if (pipeline) throw Error("--pipeline: only --as sv has registers");
    const ExportForm form = require_form(form_name);

    const bool unit_says_any = !unit.empty() && resolve_unit(unit).nan.kind == NanRule::Kind::any;
    InputFile file(path, io);
    VectorReader reader(file.stream(), file.name(), read_as(unit));
    Exported what{.shape = reader.shape(),
                  .unit = unit.empty() ? reader.header().unit : unit,
                  .nan_any = reader.nan_any() || unit_says_any,
                  .name = require_identifier(name),
                  .origin = quoted_command("export", arguments),
                  .vectors = {}};
    Stages stages(io, timeout);
    try {
        read_vectors(reader, inputs_only, what, stages);
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

} // namespace discern::cli
