// Algorithms of the literature and of libraries, as programs. See program.hpp.
#include "program.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>

namespace discern::compare {

namespace {

constexpr auto table = std::to_array<NamedProgram>({
    {"one-word", "mma(word(a), word(b), c)", "what the unit does with inputs that were rounded to its format",
     "the unit itself"},
    {"markidis",
     "a1 = word(a); a2 = word(a - a1); b1 = word(b); b2 = word(b - b1);\n"
     "mma(a1, b1, mma(a1, b2, mma(a2, b1, mma(a2, b2, c))))",
     "two words each, four products, all of them accumulated in the unit",
     "Markidis et al., NVIDIA Tensor Core Programmability, Performance & Precision (2018), with the fourth product"},
    {"ootomo-yokota",
     "a1 = word(a); a2 = word((a - a1) * base); b1 = word(b); b2 = word((b - b1) * base);\n"
     "s = c; r = 0;\n"
     "each { s = s + mma(a1, b1, 0); r = mma(a1, b2, mma(a2, b1, r)) ; }\n"
     "s + r / base",
     "two words each, the second one scaled; products of first words are accumulated outside of the unit, to nearest",
     "Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores (2022), equation 24"},
    {"ootomo-yokota-4",
     "a1 = word(a); a2 = word((a - a1) * base); b1 = word(b); b2 = word((b - b1) * base);\n"
     "mma(a2, b2, 0) / base / base + mma(a1, b2, mma(a2, b1, 0)) / base + mma(a1, b1, 0) + c",
     "the same with the product of the second words, and one sum at the end",
     "Valpey et al., An SMT Formalization of Mixed-Precision Matrix Multiplication, section 6"},
    {"two-words",
     "a1 = word(a); a2 = word((a - a1) * base); b1 = word(b); b2 = word((b - b1) * base);\n"
     "d = mma(a1, b1, c); d = mma(word(a1 / base), b2, d); mma(word(a2 / base), b1, d)",
     "two words each, three products, the largest ones first",
     "Mary and Mikaitis, Error analysis of matrix multiplication with narrow range floating-point arithmetic (2024), "
     "as in the experiments of the MATLAB Tensor Core toolbox"},
    {"three-words",
     "a1 = word(a); x = (a - a1) * base; a2 = word(x); a3 = word((x - a2) * base);\n"
     "b1 = word(b); y = (b - b1) * base; b2 = word(y); b3 = word((y - b2) * base);\n"
     "d = mma(a1, b1, c); d = mma(word(a1 / base), b2, d); d = mma(word(a1 / base / base), b3, d);\n"
     "d = mma(word(a2 / base), b1, d); d = mma(word(a2 / base / base), b2, d); mma(word(a3 / base / base), b1, d)",
     "three words each, six products, in the order of the same experiments", "the same"},
    {"bf16x3",
     "a1 = bf16(a); x = a - a1; a2 = bf16(x); a3 = bf16(x - a2);\n"
     "b1 = bf16(b); y = b - b1; b2 = bf16(y); b3 = bf16(y - b2);\n"
     "d = mma(a3, b1, c); d = mma(a2, b2, d); d = mma(a1, b3, d); d = mma(a2, b1, d); d = mma(a1, b2, d);\n"
     "mma(a1, b1, d)",
     "three words of bf16 each, not scaled, six products, the smallest ones first; for units with bf16 operands",
     "Henry, Tang and Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision "
     "computations (2019)"},
    {"promote-128", "s = c; each 128 { s = s + mma(word(a), word(b), 0); } s",
     "one word each; the unit accumulates 128 products from 0, and the program adds them, to nearest",
     "DeepSeek-AI, DeepSeek-V3 technical report (2024), section 3.3.2, without its scales"},
    {"kahan",
     "s = c; e = 0;\n"
     "each { y = mma(word(a), word(b), 0) - e; t = s + y; e = (t - s) - y; s = t; }\n"
     "s",
     "one word each; the results of instructions are added by compensated summation",
     "Kahan, Further remarks on reducing truncation errors (1965)"},
});

} // namespace

std::span<const NamedProgram> named_programs() { return table; }

Program resolve_program(std::string_view text) {
    const auto* const found = std::ranges::find(table, text, &NamedProgram::name);
    if (found != table.end()) return parse_program(found->text);
    const bool is_word = text.find_first_of("(=;+*/ ") == std::string_view::npos;
    if (!is_word) return parse_program(text);
    std::vector<std::string> names;
    for (const NamedProgram& one : table) names.emplace_back(one.name);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    throw Error(sentence("there is no algorithm ", excerpt(text), did_you_mean(text, names), "; there are ", all,
                         ", and programs such as 'mma(word(a), word(b), c)'"));
}

} // namespace discern::compare
