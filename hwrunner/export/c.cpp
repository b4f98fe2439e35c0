// Vectors as a C header: one constant array an operand, for test benches in C and C++ (C99 and C++11 on).
#include "export.hpp"
#include "models/hex.hpp"

#include <ostream>

namespace discern {

namespace {

/// The narrowest type that holds a pattern.
std::string_view type_of(const Format& format) {
    if (format.width <= 8) return "uint8_t";
    if (format.width <= 16) return "uint16_t";
    return format.width <= 32 ? "uint32_t" : "uint64_t";
}

std::string literal(const Format& format, std::uint64_t pattern) { return "0x" + to_hex(format, pattern) + "u"; }

void write_array(std::ostream& out, const Exported& what, const ExportedField& field) {
    const Format& f = format(field.format);
    out << "/* " << described(f) << " */\nstatic const " << type_of(f) << ' ' << what.name << '_' << field.name << '['
        << what.name << "_count]";
    const std::string length = field.name.starts_with('s') ? "_scales" : field.name == "d" ? "_results" : "_K";
    if (field.is_list) out << '[' << what.name << length << ']';
    out << " = {\n";
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell(field.name, done++);
        std::string line;
        for (const std::uint64_t pattern : field.of(vector)) line += (line.empty() ? "" : ", ") + literal(f, pattern);
        out << "    " << (field.is_list ? "{" + line + "}" : line) << ",\n";
    }
    out << "};\n\n";
}

} // namespace

void export_c(std::ostream& out, const Exported& what) {
    const std::string guard = in_capitals(what.name + "_H");
    write_export_head(out, what, "//", what.has_results() ? ", with their results d" : ", without results");
    out << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n\nenum {\n";
    const auto constant = [&](std::string_view what_of, std::size_t value, std::string_view comment) {
        out << "    " << what.name << '_' << what_of << " = " << value << ", /* " << comment << " */\n";
    };
    constant("count", what.vectors.size(), "vectors");
    constant("K", static_cast<std::size_t>(what.shape.K), "products of a vector");
    if (what.shape.scale) {
        constant("scales", static_cast<std::size_t>(what.shape.scales()), "scales of one operand");
        constant("scale_block", static_cast<std::size_t>(what.shape.scale->block),
                 "consecutive elements that share one");
    }
    if (what.results_each() > 1) constant("results", what.results_each(), "results of a vector");
    out << "};\n\n";
    for (const ExportedField& field : exported_fields(what)) write_array(out, what, field);
    out << "#endif\n";
}

} // namespace discern
