// Vectors for the formal definition (formal/): units in notation, and what the C++ gives for them.
//
// `random N` prints N vectors of random units, of all families of inputs, with the results of the exact oracle; `small`
// prints all inputs of the small units, with those of the reference circuit, and `scaled` inputs of units whose scales
// multiply what is rounded, likewise. A line with "unit" is the header of the vectors below it. `units N` prints the
// lines of N random units. `formula` reads lines of units, and prints of each the length and a digest (FNV-1a, 32 bits)
// of the formula that says that the unit differs from itself: two circuits of it, gate for gate.
#include "tests/certificate/reference_unit.hpp"
#include "tests/certificate/scaled_units.hpp"
#include "tests/certificate/small_units.hpp"
#include "tests/encodings/written_units.hpp"
#include "tests/models/random_tree.hpp"

#include "certificate/miter.hpp"
#include "models/notation.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

namespace discern::tests {
namespace {

void print_row(const char* key, const std::vector<std::uint64_t>& patterns, FormatId id) {
    std::printf("\"%s\":\"", key);
    for (const std::uint64_t pattern : patterns) std::fputs(hex_of(pattern, id).c_str(), stdout);
    std::fputs("\",", stdout);
}

void print_header(const Unit& unit) { std::printf("{\"unit\":\"%s\"}\n", to_string(unit).c_str()); }

void print_vector(const Unit& unit, const InputBuffer& x, std::uint64_t d) {
    std::fputc('{', stdout);
    print_row("a", x.a, unit.a);
    print_row("b", x.b, unit.b);
    if (unit.scale) {
        print_row("sa", x.sa, unit.scale->format);
        print_row("sb", x.sb, unit.scale->format);
    }
    if (unit.c) print_row("c", {x.c}, *unit.c);
    std::printf("\"d\":\"%s\"}\n", hex_of(d, unit.d).c_str());
}

Unit random_unit(std::uint64_t seed) { return UnitGenerator(seed, true).next(); }

void random_units(long count, std::uint64_t seed) {
    while (count > 0) {
        const Unit unit = random_unit(seed);
        print_header(unit);
        for (const InputBuffer& x : vectors_of_families(unit, seed, 4)) {
            if (count-- == 0) break;
            print_vector(unit, x, evaluate_exactly(unit, x.inputs()));
        }
        ++seed;
    }
}

void print_units(long count, std::uint64_t seed) {
    while (count-- > 0) std::printf("%s\n", to_string(random_unit(seed++)).c_str());
}

void formulas() {
    for (std::string line; std::getline(std::cin, line);) {
        const Unit unit = parse_unit(line);
        const std::string text =
            certificate::to_dimacs(certificate::to_formula(certificate::make_miter({unit, unit}, {})));
        std::uint32_t digest = 2166136261;
        for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * 16777619u;
        std::printf("%zu %u %s\n", text.size(), digest, line.c_str());
    }
}

void all_inputs_of_small_units() {
    std::vector<InputBuffer> batch(64);
    for (const Small& small : small_units)
        for (const std::string& text : small.texts)
            for (const Unit& unit : units_of(text)) {
                const InputBits inputs(unit);
                const ReferenceUnit circuit(unit);
                print_header(unit);
                for (std::uint64_t first = 0; first < (1ull << inputs.count()); first += batch.size()) {
                    for (std::uint64_t v = 0; v < batch.size(); ++v) inputs.at(first + v, batch[v]);
                    const auto results = circuit(batch);
                    for (std::size_t v = 0; v < batch.size(); ++v) print_vector(unit, batch[v], results[v]);
                }
            }
}

void inputs_of_scaled_units() {
    for (const char* text : scaled_units) {
        const Unit unit = parse_unit(text);
        const ReferenceUnit circuit(unit);
        print_header(unit);
        const std::vector<InputBuffer> vectors = scaled_vectors(unit);
        for (std::size_t first = 0; first < vectors.size(); first += 64) {
            const auto batch = std::span(vectors).subspan(first, 64);
            const auto results = circuit(batch);
            for (std::size_t v = 0; v < batch.size(); ++v) print_vector(unit, batch[v], results[v]);
        }
    }
}

} // namespace
} // namespace discern::tests

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (what == "small" && count == 2) {
        discern::tests::all_inputs_of_small_units();
        return 0;
    }
    if (what == "scaled" && count == 2) {
        discern::tests::inputs_of_scaled_units();
        return 0;
    }
    if (what == "formula" && count == 2) {
        discern::tests::formulas();
        return 0;
    }
    if (what == "units" && count > 2) {
        discern::tests::print_units(std::atol(arguments[2]), count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1);
        return 0;
    }
    const long vectors = what == "random" && count > 2 ? std::atol(arguments[2]) : 0;
    if (vectors > 0) {
        discern::tests::random_units(vectors, count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1);
        return 0;
    }
    std::fputs("usage: formal_vectors small | scaled | random N [SEED] | units N [SEED] | formula, N of at least 1\n",
               stderr);
    return 2;
}
