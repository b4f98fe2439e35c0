// Files for other people's solvers: `smt2 UNIT UNIT`, whether two units differ, and `export --as smt2 FILE`, whether
// all results in a file are those of the unit's circuit. The answers are compared with all inputs, and with the exact
// oracle. A mistake that both units of a question have in common shows in the second form only.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/limits.hpp"

#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/vectors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern::claims {

namespace {

/// Programs that read SMT-LIB on their standard input; of those that are there one is asked about a case, since they
/// take most of its time.
struct Program {
    const char* command;
    bool has_options; ///< whether it knows the command by which a file asks for a solution
    int weight;       ///< how often it is asked: the fast one more
};

constexpr auto programs = std::to_array<Program>({
    {"z3 -in", true, 1},
    {"cvc5 --lang smt2 -", true, 1},
    {"boolector", false, 3},
});

constexpr std::chrono::seconds patience{1}; ///< with one of them: those that take long take very long

/// The part of some inputs on which two units differ.
double share_of_differences(const Unit& one, const Unit& other) {
    const AllInputs inputs(one, 11, std::vector{other});
    const Evaluator first(one), second(other);
    std::uint64_t differ = 0;
    inputs.for_each([&](const Inputs& x) {
        differ += same_result(one, first(x), second(x)) ? 0 : 1;
        return true;
    });
    return static_cast<double>(differ) / static_cast<double>(inputs.count());
}

/// A program takes far longer than to look at some inputs, so most pairs of which it is asked are those that it can get
/// wrong: that differ seldom or never.
Case draw_pair(Random& random) {
    constexpr double seldom = 0.03;
    constexpr int most_draws = 40;
    Case asked;
    Size size;
    size.most_bits = 16;
    const bool any = random.one_in(5);
    for (int i = 0; i < most_draws; ++i) {
        const Unit unit = draw_unit(random, size);
        const Unit other = draw_variant(random, unit);
        asked.units = {{unit, ""}, {other, ""}};
        if (any || share_of_differences(unit, other) < seldom) break;
    }
    const Unit& unit = asked.units.front().unit;
    if (random.one_in(4)) asked.options = draw_limits(random, unit, true);
    return asked;
}

Case drawn_smt2(Random& random) {
    const bool of_vectors = random.one_in(2);
    Case asked;
    if (of_vectors) {
        const Unit unit = draw_unit(random, {});
        asked.units = {{random.one_in(2) ? unit : draw_variant(random, unit), ""}};
        asked.texts["seed"] = std::to_string(random.below(1000000));
        asked.texts["wrong"] = random.one_in(4) ? "one" : "none";
    } else {
        asked = draw_pair(random);
    }
    std::vector<const Program*> there;
    for (const Program& program : programs)
        for (int i = 0; i < program.weight && is_program(program.command); ++i) there.push_back(&program);
    asked.texts["program"] = any_of(random, there)->command;
    return asked;
}

// ---- programs

/// "sat" or "unsat", and what follows; nothing if there was no answer in time.
std::optional<std::string> said_by(const Program& program, const std::string& file) {
    const auto end = std::chrono::steady_clock::now() + patience;
    const ProcessResult ran =
        run_process(program.command, file, [&] { return std::chrono::steady_clock::now() > end; });
    if (ran.stopped || ran.output.starts_with("unknown") || ran.output.starts_with("timeout")) return std::nullopt;
    return ran.output + ran.errors;
}

/// The inputs that a solution says; variables that it leaves out do not matter, and are 0.
InputBuffer solution_of(const Unit& unit, const std::string& text) {
    InputBuffer x;
    x.a.resize(static_cast<std::size_t>(unit.K));
    x.b = x.a;
    x.sa.resize(static_cast<std::size_t>(unit.scales()));
    x.sb = x.sa;
    static const std::regex value("\\((a|b|sa|sb|c)(\\d*) #(b|x)([0-9a-f]+)\\)");
    for (std::sregex_iterator at(text.begin(), text.end(), value), none; at != none; ++at) {
        const std::string name = (*at)[1], number = (*at)[2];
        const std::uint64_t bits = std::strtoull((*at)[4].str().c_str(), nullptr, (*at)[3] == "b" ? 2 : 16);
        const std::size_t i = number.empty() ? 0 : std::stoul(number);
        if (name == "c")
            x.c = bits;
        else
            (name == "a" ? x.a : name == "b" ? x.b : name == "sa" ? x.sa : x.sb).at(i) = bits;
    }
    return x;
}

const Program& program_of(const Case& asked) {
    return *std::find_if(programs.begin(), programs.end(),
                         [&](const Program& p) { return p.command == asked.texts.at("program"); });
}

/// Vectors of all families with the results of the oracle, of which one may be made wrong.
std::string file_of_vectors(const Unit& unit, Random random, bool one_is_wrong) {
    constexpr int vectors = 150;
    std::ostringstream file;
    const Shape shape = shape_of(unit);
    Header header;
    header.shape = shape;
    header.unit = to_string(unit);
    VectorWriter writer(file, shape, header);
    std::vector<InputGenerator> generators;
    for (const Family family : families) generators.emplace_back(unit, family, random.bits());
    const int wrong = one_is_wrong ? random.below(vectors) : -1;
    for (int i = 0; i < vectors; ++i) {
        InputBuffer x;
        generators[static_cast<std::size_t>(random.below(static_cast<int>(generators.size())))].next(x);
        Vector v = vector_of(shape, x.inputs());
        v.d = {evaluate_exactly(unit, x.inputs())};
        if (i == wrong) {
            const Format& d = format(unit.d);
            const std::uint64_t right = v.d.front();
            while (same_result(unit, right, v.d.front())) v.d.front() = random.bits() & d.mask();
        }
        writer.write(v);
    }
    return file.str();
}

Compared compare_vectors(const Case& asked) {
    const Unit& unit = asked.units[0].unit;
    const bool one_is_wrong = asked.texts.at("wrong") == "one";
    const testing::Folder folder;
    const std::string file =
        folder.file("vectors.jsonl", file_of_vectors(unit, Random(std::stoull(asked.texts.at("seed"))), one_is_wrong));
    const std::vector<std::string> words = {"export", "--as", "smt2", file};
    const Program& program = program_of(asked);
    Compared result;
    result.command = command_line(words) + " | " + program.command + "   # with these vectors:\n" +
                     testing::read_file(file).substr(0, 2000);
    const Answer answer = ask(words);
    if (answer.status != 0) throw std::runtime_error(answer.err);
    const std::optional<std::string> said = said_by(program, answer.out);
    if (!said) return result;
    result.claims = 1;
    if (said->starts_with(one_is_wrong ? "sat" : "unsat")) return result;
    result.wrong = said->substr(0, 200) + (one_is_wrong ? "; but one result is wrong" : "; but all results are right");
    return result;
}

Compared compared_smt2(const Case& asked) {
    if (asked.units.size() == 1) return compare_vectors(asked);
    const Unit &one = asked.units[0].unit, &other = asked.units[1].unit;
    const ReadLimits limits(asked.options);
    const auto passes = [&](const Inputs& x) { return limits.pass(one, x); };
    std::vector<std::string> words = {"smt2", asked.units[0].text(), asked.units[1].text()};
    append(words, asked.options);
    Compared result;
    result.command = command_line(words);
    const Answer file = ask(words);
    if (file.status == 2 && !asked.options.empty()) return result; // no input is left, of which another kind asks
    if (file.status != 0) throw std::runtime_error(file.err);
    const Program& program = program_of(asked);
    if (program.has_options) words.push_back("--solution");
    result.command = command_line(words) + " | " + program.command;
    const std::optional<std::string> said = said_by(program, program.has_options ? ask(words).out : file.out);
    if (!said) return result;
    result.claims = 1;

    const AllInputs inputs(one, 16, std::vector{other});
    const std::optional<InputBuffer> differ = first_difference(one, other, inputs, passes);
    const auto shown = [&](const InputBuffer& x) {
        return as_options(one, x.inputs()) + " gives " + result_text(one, x.inputs()) + " and " +
               result_text(other, x.inputs());
    };
    const bool sat = said->starts_with("sat"), unsat = said->starts_with("unsat");
    if (!sat && !unsat) result.wrong = "the file is not understood: " + said->substr(0, 200);
    if (unsat && differ) result.wrong = "unsat; but " + shown(*differ);
    if (sat && !differ && inputs.complete()) result.wrong = "sat; but no inputs tell the units apart";
    if (!sat || !program.has_options || !result.wrong.empty()) return result;
    const InputBuffer x = solution_of(one, *said);
    const std::uint64_t d1 = evaluate_exactly(one, x.inputs());
    const std::uint64_t d2 = evaluate_exactly(other, x.inputs());
    if (!passes(x.inputs())) result.wrong = "sat by inputs that the limits exclude: " + shown(x);
    if (same_result(one, d1, d2) || same_result(other, d1, d2))
        result.wrong = "sat by inputs that do not tell the units apart: " + shown(x);
    return result;
}

std::string missing_solver() {
    for (const Program& program : programs)
        if (is_program(program.command)) return "";
    return "none of z3, cvc5 and boolector is installed";
}

} // namespace

Kind smt2_files() {
    return {"smt2",
            "whether two units differ (smt2), or results are a unit's (export --as smt2), by z3, cvc5 and boolector, "
            "against "
            "all inputs",
            drawn_smt2,
            compared_smt2,
            nullptr,
            missing_solver};
}

} // namespace discern::claims
