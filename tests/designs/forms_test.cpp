// What is exported is read by the tools it is for, and computes the unit there.
#include "made.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/format.hpp"
#include "sweep.hpp"

#include <map>
#include <set>
#include <sstream>

namespace discern::rtl::testing {
namespace {

const Unit& small_unit() {
    static const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    return unit;
}

/// Those of the catalogue when there is time, else one.
std::vector<Unit> units() {
    if (!tests::sweeping()) return {small_unit()};
    std::vector<Unit> list;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second && tests::is_in_part(seen.size() - 1))
            list.push_back(entry.unit);
    return list;
}

void expect_results(const Unit& unit, const std::vector<Vector>& vectors, const std::vector<std::string>& digits) {
    const Evaluator model(unit);
    ASSERT_EQ(digits.size(), vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const auto d = known(digits[i]);
        ASSERT_TRUE(d && same_result(unit, *d, model(vectors[i].inputs())))
            << to_string(unit) << "\n"
            << to_json(shape_of(unit), vectors[i]) << " " << digits[i];
    }
}

void simulate_with(const char* program, const char* name, std::size_t vectors, bool pipeline = false) {
    if (!has("yosys") || !has(program))
        GTEST_SKIP() << program << " or yosys is not installed (Debian: yosys and iverilog)";
    for (const Unit& unit : units()) {
        const MadeDesign design = exported(unit, pipeline);
        const DesignQuestion question = design.question(unit, pipeline ? clocked(unit) : ConnectionText{});
        const std::vector<Vector> inputs = some_vectors(unit, vectors);
        std::string why_not;
        const auto simulated =
            simulate(design.sources, question.design, question.connection, inputs, never, why_not, name);
        ASSERT_TRUE(simulated) << why_not;
        expect_results(unit, inputs, simulated->d);
    }
}

/// It interprets: a minute for a thousand vectors of a wide unit. A sweep has every unit, and fewer of each.
std::size_t under_icarus() { return tests::sweeping() ? 200 : 1000; }

TEST(Forms, SystemVerilogUnderIcarus) { simulate_with("iverilog", "Icarus Verilog", under_icarus()); }

TEST(Forms, PipelinesUnderIcarus) { simulate_with("iverilog", "Icarus Verilog", under_icarus(), true); }

TEST(Forms, SystemVerilogUnderVerilator) {
    if (!tests::sweeping()) GTEST_SKIP() << "Verilator takes seconds to compile: only in a sweep";
    simulate_with("verilator", "Verilator", 20'000);
}

TEST(Forms, VerilatorHasNothingToWarnOf) {
    if (!has("verilator")) GTEST_SKIP() << "verilator is not installed (Debian: verilator)";
    const Folder folder;
    for (const Unit& unit : units())
        for (const bool pipeline : {false, true}) {
            const std::string file = folder.file("unit.sv", to_systemverilog({unit, "a unit", "a test", pipeline}));
            const ProcessResult result = run_process("verilator --lint-only -Wall " + file, "", never);
            EXPECT_EQ(result.ended + result.errors, "exit status 0") << to_string(unit);
        }
}

TEST(Forms, CUnderACompiler) {
    if (!has("cc")) GTEST_SKIP() << "there is no C compiler (cc)";
    const Folder folder;
    for (const Unit& unit : units()) {
        const std::vector<Vector> vectors = some_vectors(unit, 500);
        std::string program = to_dpi({unit, "a unit", "a test", false}) + "#include <stdio.h>\nint main(void) {\n";
        // Through DPI's function, whose operands are packed in words of 32 bits.
        std::string arrays, arguments;
        const auto pack = [&](const char* name, int width, const auto& patterns_of) {
            arrays +=
                std::string("static const uint32_t ") + name + "_of[][" +
                std::to_string((static_cast<std::size_t>(width) * patterns_of(vectors.front()).size() + 31) / 32) +
                "] = {";
            for (const Vector& v : vectors) {
                std::vector<bool> bits;
                for (const std::uint64_t pattern : patterns_of(v))
                    for (int i = 0; i < width; ++i) bits.push_back(((pattern >> i) & 1u) != 0);
                arrays += "{";
                for (std::size_t w = 0; w * 32 < bits.size(); ++w) {
                    std::uint32_t word = 0;
                    for (std::size_t i = 0; i < 32 && 32 * w + i < bits.size(); ++i)
                        word |= static_cast<std::uint32_t>(bits[32 * w + i]) << i;
                    arrays += std::to_string(word) + "u,";
                }
                arrays += "},";
            }
            arrays += "};\n";
            arguments += std::string(name) + "_of[i], ";
        };
        const auto width = [](FormatId id) { return format(id).width; };
        pack("a", width(unit.a), [](const Vector& v) { return v.a; });
        pack("b", width(unit.b), [](const Vector& v) { return v.b; });
        if (unit.scale) {
            pack("sa", width(unit.scale->format), [](const Vector& v) { return v.sa; });
            pack("sb", width(unit.scale->format), [](const Vector& v) { return v.sb; });
        }
        if (unit.c) pack("c", width(*unit.c), [](const Vector& v) { return std::vector<std::uint64_t>{*v.c}; });
        program += arrays + "int i, k;\nfor (i = 0; i < " + std::to_string(vectors.size()) +
                   "; ++i) {\nuint32_t d[2] = {0, 0};\ndiscern_unit_dpi(" + arguments +
                   "d);\nfor (k = " + std::to_string(width(unit.d)) +
                   "; k-- > 0;) putchar('0' + (int)(d[k / 32] >> (k % 32) & 1));\nputchar('\\n');\n}\nreturn 0;\n}\n";
        const std::string file = folder.file("unit.c", program);
        if (has("c++")) {
            const ProcessResult as_cpp =
                run_process("c++ -x c++ -std=c++11 -Wall -Wextra -Werror -Wno-unused-function -c -o " +
                                folder.path("unit.o") + " " + file + " && nm " + folder.path("unit.o"),
                            "", never);
            EXPECT_NE(as_cpp.output.find(" T discern_unit_dpi"), std::string::npos) << to_string(unit) << as_cpp.errors;
        }
        const ProcessResult result =
            run_process("cc -std=c99 -Wall -Wextra -Werror -Wno-unused-function -pedantic -O1 -o " +
                            folder.path("unit") + " " + file + " && " + folder.path("unit"),
                        "", never);
        ASSERT_EQ(result.ended, "exit status 0") << to_string(unit) << result.errors;
        std::vector<std::string> digits;
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);) digits.push_back(line);
        expect_results(unit, vectors, digits);
    }
}

/// The outputs of an AIGER file for one valuation of its inputs, which are the operands' bits in order.
std::string aiger_outputs(const std::string& file, const std::vector<bool>& inputs) {
    std::istringstream in(file);
    std::string word;
    std::size_t variables = 0, inputs_there = 0, latches = 0, outputs = 0, gates = 0;
    in >> word >> variables >> inputs_there >> latches >> outputs >> gates;
    EXPECT_EQ(word, "aig");
    EXPECT_EQ(inputs_there, inputs.size());
    std::vector<std::size_t> results(outputs);
    for (std::size_t& result : results) in >> result;
    in.get();
    std::vector<bool> values = {false};
    values.insert(values.end(), inputs.begin(), inputs.end());
    const auto value = [&](std::size_t literal) { return values.at(literal / 2) != ((literal & 1u) != 0); };
    const auto delta = [&] {
        std::size_t x = 0;
        for (int shift = 0;; shift += 7) {
            const int byte = in.get();
            x |= static_cast<std::size_t>(byte & 127) << shift;
            if ((byte & 128) == 0) return x;
        }
    };
    for (std::size_t i = 0; i < gates; ++i) {
        const std::size_t first = 2 * (inputs.size() + 1 + i) - delta(), second = first - delta();
        values.push_back(value(first) && value(second));
    }
    std::string digits;
    for (const std::size_t result : results) digits.insert(0, 1, value(result) ? '1' : '0');
    return digits;
}

TEST(Forms, AigerIsTheUnit) {
    for (const Unit& unit : units()) {
        const std::string file = to_aiger({unit, "a unit", "a test", false});
        const std::vector<Vector> vectors = some_vectors(unit, 50);
        std::vector<std::string> digits;
        for (const Vector& v : vectors) {
            std::vector<bool> inputs;
            const auto add = [&](const std::vector<std::uint64_t>& patterns, int width) {
                for (const std::uint64_t pattern : patterns)
                    for (int i = 0; i < width; ++i) inputs.push_back(((pattern >> i) & 1u) != 0);
            };
            add(v.a, format(unit.a).width);
            add(v.b, format(unit.b).width);
            if (unit.scale) add(v.sa, format(unit.scale->format).width);
            if (unit.scale) add(v.sb, format(unit.scale->format).width);
            if (unit.c) add({*v.c}, format(*unit.c).width);
            digits.push_back(aiger_outputs(file, inputs));
        }
        expect_results(unit, vectors, digits);
    }
}

/// A BTOR2 file as a term; its inputs are variables.
Term btor2_term(Terms& t, const std::string& file) {
    std::map<int, Term> terms;
    std::map<int, int> sorts;
    std::istringstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        int id = 0, sort = 0;
        std::string what;
        if (line.starts_with(';') || !(words >> id >> what)) continue;
        const auto arg = [&] {
            int number = 0;
            words >> number;
            return terms.at(number);
        };
        const auto number = [&] {
            int value = 0;
            words >> value;
            return value;
        };
        if (what == "sort") {
            words >> line;
            sorts[id] = number();
            continue;
        }
        if (what == "output") return arg();
        words >> sort;
        const int width = sorts.at(sort);
        const auto two = [&](auto operation) {
            const Term x = arg(), y = arg();
            return (t.*operation)(x, y);
        };
        if (what == "input") {
            words >> line;
            terms[id] = t.variable(line, width);
        } else if (what == "const") {
            words >> line;
            discern::Bits bits(width);
            for (int i = 0; i < width; ++i)
                if (line[line.size() - 1 - static_cast<std::size_t>(i)] == '1') bits.set(i);
            terms[id] = t.constant(bits);
        } else if (what == "slice") {
            const Term x = arg();
            const int high = number(), low = number();
            terms[id] = t.extract(x, low, high - low + 1);
        } else if (what == "uext") {
            terms[id] = t.zero_extend(arg(), width);
        } else if (what == "sext") {
            terms[id] = t.sign_extend(arg(), width);
        } else if (what == "not") {
            terms[id] = t.bvnot(arg());
        } else if (what == "neg") {
            terms[id] = t.bvneg(arg());
        } else if (what == "ite") {
            const Term condition = arg(), yes = arg(), no = arg();
            terms[id] = t.ite(condition, yes, no);
        } else {
            const std::map<std::string, Term (Terms::*)(Term, Term)> operations = {
                {"and", &Terms::bvand},  {"or", &Terms::bvor},   {"xor", &Terms::bvxor},     {"mul", &Terms::bvmul},
                {"ult", &Terms::bvult},  {"eq", &Terms::eq},     {"concat", &Terms::concat}, {"sll", &Terms::bvshl},
                {"srl", &Terms::bvlshr}, {"sra", &Terms::bvashr}};
            terms[id] =
                what == "add" ? two(static_cast<Term (Terms::*)(Term, Term)>(&Terms::bvadd)) : two(operations.at(what));
        }
        EXPECT_EQ(t.width(terms.at(id)), width) << line;
    }
    return t.truth(false);
}

TEST(Forms, Btor2IsTheUnit) {
    for (const Unit& unit : units()) {
        Terms t;
        const Term d = btor2_term(t, to_btor2({unit, "a unit", "a test", false}));
        TermEvaluator evaluator(t, {d});
        const std::vector<Vector> vectors = some_vectors(unit, 50);
        std::vector<std::string> digits;
        for (const Vector& v : vectors) {
            const auto set = [&](const char* name, const std::vector<std::uint64_t>& patterns, int width) {
                discern::Bits bits(width * static_cast<int>(patterns.size()));
                for (std::size_t k = 0; k < patterns.size(); ++k)
                    for (int i = 0; i < width; ++i)
                        if (((patterns[k] >> i) & 1u) != 0) bits.set(static_cast<int>(k) * width + i);
                evaluator.set(t.variable(name, bits.width()), bits);
            };
            set("a", v.a, format(unit.a).width);
            set("b", v.b, format(unit.b).width);
            if (unit.scale) set("sa", v.sa, format(unit.scale->format).width);
            if (unit.scale) set("sb", v.sb, format(unit.scale->format).width);
            if (unit.c) set("c", {*v.c}, format(*unit.c).width);
            evaluator.run();
            std::string text;
            for (int i = t.width(d); i-- > 0;) text += evaluator.value(d).bit(i) ? '1' : '0';
            digits.push_back(text);
        }
        expect_results(unit, vectors, digits);
    }
}

} // namespace
} // namespace discern::rtl::testing
