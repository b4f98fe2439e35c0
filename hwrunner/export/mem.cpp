// Vectors for Verilog's $readmemh: one packed word a vector, all operands in their own widths, a[0] in the low bits.
//
// IEEE 1800-2017, 21.4: hexadecimal numbers between white space, with // comments; the first goes to the lowest
// address. The comment at the head says how wide the word is and where each operand lies in it.
#include "export.hpp"
#include "models/unit/sentence.hpp"
#include "packed_word.hpp"

#include <ostream>

namespace discern {

namespace {

void write_layout(std::ostream& out, const std::vector<ExportedField>& fields) {
    int width = 0;
    for (const ExportedField& field : fields) width += field.count * format(field.format).width;
    out << "// logic [" << width - 1 << ":0] memory [0:N-1];  with v = memory[n]:\n";
    int at = 0;
    for (const ExportedField& field : fields) {
        const Format& f = format(field.format);
        const std::string index = field.is_list ? "[k]" : "";
        const std::string place = field.is_list ? sentence(at, " + ", f.width, "*k") : std::to_string(at);
        out << "// " << field.name << index << " = v[" << place << " +: " << f.width << "]   " << described(f);
        if (field.is_list) out << "; k = 0 to " << field.count - 1;
        out << '\n';
        at += field.count * f.width;
    }
}

} // namespace

void export_mem(std::ostream& out, const Exported& what) {
    const std::vector<ExportedField> fields = exported_fields(what);
    write_export_head(out, what, "//", what.has_results() ? ", with their results d" : ", without results");
    write_layout(out, fields);
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell("vectors", done++);
        PackedWord word;
        for (const ExportedField& field : fields)
            for (const std::uint64_t pattern : field.of(vector)) word.append(pattern, format(field.format).width);
        out << word.hex() << '\n';
    }
}

} // namespace discern
