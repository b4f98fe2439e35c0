// Vectors as a table of comma-separated values (RFC 4180), with a column for each element: patterns as 0x3c00, which no
// spreadsheet takes for a number of its own, or numbers in decimal. `discern which`, `eval` and others read it back.
#include "export.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <charconv>
#include <cmath>
#include <ostream>

namespace discern {

namespace {

/// The shortest decimal that a reader of binary64 takes for the number, with a point that no pattern has.
std::string decimal_of(const Format& format, std::uint64_t pattern) {
    const double value = to_double(format, pattern);
    if (std::isnan(value)) return "nan";
    char text[40];
    const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
    std::string decimal(text, error == std::errc() ? end : text);
    if (decimal.find_first_not_of("-0123456789") == std::string::npos) decimal += ".0";
    return decimal;
}

} // namespace

void export_csv(std::ostream& out, const Exported& what) {
    const std::vector<ExportedField> fields = exported_fields(what);
    write_export_head(out, what, "#", what.has_results() ? ", with their results d" : ", without results");
    std::string line;
    const auto add = [&](const std::string& cell) { line += (line.empty() ? "" : ",") + cell; };
    for (const ExportedField& field : fields)
        for (int i = 0; i < field.count; ++i) add(std::string(field.name) + (field.is_list ? std::to_string(i) : ""));
    out << line << '\n';
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell("vectors", done++);
        line.clear();
        for (const ExportedField& field : fields)
            for (const std::uint64_t pattern : field.of(vector)) {
                const Format& f = format(field.format);
                add(what.decimals ? decimal_of(f, pattern) : "0x" + to_hex(f, pattern));
            }
        out << line << '\n';
    }
}

} // namespace discern
