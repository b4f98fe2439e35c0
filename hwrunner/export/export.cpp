// The table of forms, and what they share.
#include "export.hpp"

#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace discern {

namespace {

constexpr auto forms = std::to_array<ExportForm>({
    {"text", "plain text: a line of patterns a vector, in the manner of TestFloat", export_text},
    {"mem", "for $readmemh: a packed word a vector, for RTL test benches", export_mem},
    {"tb", "a SystemVerilog bench that runs the vectors through a unit and checks the results", export_tb},
    {"sva", "a SystemVerilog assertion a vector, for formal tools and simulators", export_sva},
    {"c", "a header with an array an operand, for C and C++ test benches", export_c},
    {"csv", "a table with a column an element, for spreadsheets and scripts; discern reads it, too", export_csv},
    {"cuda", "a program for an NVIDIA GPU that prints observations; needs nothing but nvcc", export_cuda},
    {"hip", "a program for hipcc that prints what an AMD GPU gives", export_hip},
});

std::span<const std::uint64_t> a_of(const Vector& vector) { return vector.a; }
std::span<const std::uint64_t> b_of(const Vector& vector) { return vector.b; }
std::span<const std::uint64_t> sa_of(const Vector& vector) { return vector.sa; }
std::span<const std::uint64_t> sb_of(const Vector& vector) { return vector.sb; }
std::span<const std::uint64_t> c_of(const Vector& vector) { return {&vector.c.value(), 1}; }
std::span<const std::uint64_t> d_of(const Vector& vector) { return vector.d; }

} // namespace

std::span<const ExportForm> export_forms() { return forms; }

void export_text(std::ostream& out, const Exported& what) {
    VectorWriter writer(out, what.shape, {}, VectorWriter::Form::text);
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell("vectors", done++);
        writer.write(vector);
    }
}

void write_export_head(std::ostream& out, const Exported& what, std::string_view comment, std::string_view holds) {
    const auto line = [&](std::string text) {
        for (char& letter : text) // a line end, or a backslash before one, would end or prolong the comment
            if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
        out << comment << ' ' << text << (text.ends_with('\\') ? " .\n" : "\n");
    };
    line(sentence(counted(what.vectors.size(), "vector"), " of ", to_string(what.shape), holds));
    if (!what.unit.empty()) line("unit: " + what.unit);
    for (std::size_t i = 0; i < what.results.size() && what.results_each() > 1; ++i)
        line(sentence("d[", i, "]: ", what.results[i]));
    if (what.nan_any && what.has_results() && format(what.shape.d).has_nan()) line("A NaN in d stands for any NaN.");
    line("Written by: " + what.origin);
    line("SPDX-License-Identifier: Apache-2.0");
}

std::vector<ExportedField> exported_fields(const Exported& what) {
    const Shape& s = what.shape;
    std::vector<ExportedField> fields = {{"a", s.a, s.K, true, a_of}, {"b", s.b, s.K, true, b_of}};
    if (s.scale) {
        fields.push_back({"sa", s.scale->format, s.scales(), true, sa_of});
        fields.push_back({"sb", s.scale->format, s.scales(), true, sb_of});
    }
    if (s.c) fields.push_back({"c", *s.c, 1, false, c_of});
    if (what.has_results()) {
        const auto results = static_cast<int>(what.results_each());
        fields.push_back({"d", s.d, results, results > 1, d_of});
    }
    return fields;
}

std::string replaced(std::string_view text, const Replacements& words) {
    std::string result;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(words, [&](const auto& word) { return text.starts_with(word.first); });
        result += found == words.end() ? text.substr(0, 1) : found->second;
        text.remove_prefix(found == words.end() ? 1 : found->first.size());
    }
    return result;
}

std::string in_capitals(std::string name) {
    for (char& letter : name) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    return name;
}

std::string open_object(const std::string& json) { return "R\"json(" + json.substr(0, json.size() - 1) + ")json\""; }

void write_words(std::ostream& out, std::string_view name, const std::vector<std::uint8_t>& bytes, std::size_t a_line,
                 std::string_view suffix) {
    out << "static const unsigned " << name << "[] = {";
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::uint64_t word = 0;
        for (std::size_t byte = 4; byte > 0; --byte) word = word << 8 | bytes[i + byte - 1];
        std::string text = i % (4 * a_line) == 0 ? "\n    0x" : " 0x";
        append_hex(text, word, 8);
        out << text << suffix << ',';
    }
    out << "\n};\n";
}

std::string described(const Format& format) {
    if (format.is_fixed_point())
        return sentence(format.name, ": ", format.width, " bits in two's complement, the last of which is 2^",
                        format.lsb());
    std::string text = sentence(format.name, ": ", format.is_signed ? "1 sign, " : "", format.exponent_bits,
                                " exponent (bias ", format.bias, ") and ", format.mantissa_bits, " mantissa bits");
    if (format.padding_bits > 0) text += sentence(", then ", format.padding_bits, " that are ignored");
    return text;
}

} // namespace discern
