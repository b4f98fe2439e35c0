#include "cli/base/command.hpp"
#include "cli/files/files.hpp"
#include "cli/kernel/same_bits.hpp"
#include "cli/options/complete.hpp"
#include "cli/options/manual.hpp"
#include "cli/options/options.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <ostream>
#include <vector>

namespace discern::cli {

namespace {

#ifdef __EMSCRIPTEN__
constexpr bool in_browser = true;
#else
constexpr bool in_browser = false;
#endif

/// A command that needs processes, devices, ports, or files that last or are large. A browser has none of them, so that
/// there its code is no part of the program either.
template <auto command>
constexpr auto of_a_machine = in_browser ? nullptr : command;

constexpr auto table = std::to_array<Command>({
    {"units", "[PATTERN]", "the catalogue of units", units},
    {"show", "UNIT", "a unit's notation, its parameters and the evidence for each", show},
    {"eval", "UNIT FILE|-", "what a unit computes, or whether it computes what FILE says", eval},
    {"diff", "FILE FILE", "where two files of observations of the same vectors differ", diff},
    {"import", "KIND …", "vectors in other people's formats", import},
    {"generate", "UNIT", "vectors of all kinds of input, for tests", generate},
    {"synth", "UNIT UNIT", "vectors on which two units differ", synth},
    {"prove", "UNIT UNIT", "whether two units, or a unit and a design, are the same: a proof", prove},
    {"suite", "UNIT UNIT…", "a small set of vectors that tells all of the units apart", suite},
    {"store", "ACTION FILE…", "stores of answers: several as one, and whether one is in order", of_a_machine<store>},
    {"smt2", "UNIT UNIT", "the question as SMT-LIB2", smt2},
    {"targets", "", "the real units that can be run here and now", of_a_machine<targets>},
    {"run", "TARGET FILE|-", "observations of a real unit", of_a_machine<run_target>},
    {"check", "TARGET UNIT", "randomised validation of a unit against a target", of_a_machine<check>},
    {"tell", "TARGET", "the open questions about a real unit, asked of it; a file to send in", of_a_machine<tell>},
    {"which", "FILE|TARGET", "which units give what was observed", which},
    {"identify", "TARGET", "which unit a target is", of_a_machine<identify>},
    {"probe", "TARGET", "a target's feature table", of_a_machine<probe>},
    {"audit", "FILE", "which units a suite of vectors cannot tell apart", audit},
    {"gemm", "UNIT A B C", "a whole matrix product as the unit would compute it", of_a_machine<gemm>},
    {"same-bits", "KERNEL KERNEL", "whether two kernels give the same bits, or how often not", of_a_machine<same_bits>},
    {"explain", "UNIT [UNIT] FILE|-", "why a unit gives what it gives, bit by bit, and where two part", explain_unit},
    {"coverage", "UNIT FILE|-", "which events of a unit's tree vectors hit, and vectors for the others",
     coverage_of_unit},
    {"measure", "UNIT…", "how far units are from the exact result: errors by family of input", measure_units},
    {"property", "UNIT [NAME]", "what a unit can and cannot do for all inputs, proved or refuted", property_of_unit},
    {"compare", "ALGORITHM ALGORITHM", "two programs around a unit: which is nearer to the exact result",
     compare_programs},
    {"export", "FILE|UNIT", "vectors as test programs and other formats; units as hardware and C", export_vectors},
    {"rtl", "wrap DESIGN", "a module around a design, with the ports of a unit", of_a_machine<rtl_command>},
    {"page", "", "a page in the browser for all of this, from this machine", of_a_machine<page>},
    {"bug-report", "-- COMMAND", "a command run again, with all that others need to see the same",
     of_a_machine<bug_report>},
});

bool is_help(std::string_view argument) { return argument == "--help" || argument == "-h" || argument == "help"; }

std::string help() {
    std::string text = "discern: find inputs on which two matrix units differ, or prove that there are none\n\n"
                       "usage: discern COMMAND ARGUMENTS\n\n";
    for (const Command& command : table)
        if (command.run != nullptr)
            text += fmt::format("  {:<12}{:<20}{}\n", command.name, command.usage, command.summary);
    return text + R"(
  discern COMMAND --help    a command's options, with an example
  discern --version         or -V
  discern --manual          a manual page: discern --manual | man -l -
  discern --completions bash|fish|zsh

UNIT is a name of the catalogue, such as hopper/wgmma.m64n8k16.f32.f16.f16, with overrides in
braces, such as {F=24,floor=none}, or a unit written out in the whole-unit notation. UNIT@[split=4]
with --K is a kernel, which makes a long product of such instructions.

exit status: 0 same or done, 1 different or mismatches, 2 trouble, 3 unknown
)";
}

const Command& require_command(const std::string& name) {
    const std::string_view meant = name == "questions" ? "tell" : std::string_view(name); // its other name
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const Command& command) { return command.name == meant; });
    if (found != table.end()) {
        if (found->run == nullptr) throw Error("'discern " + name + "' is not part of this version");
        return *found;
    }
    std::vector<std::string> names;
    for (const Command& command : table) names.emplace_back(command.name);
    throw Error("there is no command " + excerpt(name) + did_you_mean(name, names) +
                "; 'discern --help' lists the commands");
}

int dispatch(Arguments arguments, const Streams& io) {
    if (arguments.empty()) throw Error("no command was given; 'discern --help' lists the commands");
    const std::string& first = arguments.front();
    if (first == "--version" || first == "-V") {
        io.out << "discern " << DISCERN_VERSION << '\n';
        for (const BackendKind& solver : backends())
            io.out << fmt::format("solver {}: {}\n", solver.name, solver.version);
        if (backends().empty()) io.out << "no solver: random search only\n";
        return status::done;
    }
    if (first == "--manual" && arguments.size() == 1) {
        io.out << manual_page(DISCERN_VERSION);
        return status::done;
    }
    if (first == "--complete") {
        const Completion completion = complete({arguments.begin() + 1, arguments.end()});
        for (const std::string& word : completion.words) io.out << word << '\n';
        if (completion.files) io.out << ":files\n";
        return status::done;
    }
    if (first == "--completions") {
        if (arguments.size() != 2) throw Error("--completions: the shell is missing; it must be bash, fish or zsh");
        io.out << completions(arguments[1]);
        return status::done;
    }
    if (is_help(first) && arguments.size() == 1) {
        io.out << help();
        return status::done;
    }
    if (is_help(first)) {
        const std::vector<std::string> ask = {"--help"};
        return require_command(arguments[1]).run(ask, io);
    }
    if (first.starts_with('-'))
        throw Error("there is no option " + excerpt(first) + " before a command; 'discern --help' lists the commands");
    return require_command(first).run(arguments.subspan(1), io);
}

} // namespace

std::span<const Command> commands() { return table; }

int run_for(const Host& host, Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err) {
    std::vector<std::string> inputs;
    return dispatch(arguments, {.in = in, .out = out, .err = err, .inputs = &inputs, .host = &host});
}

int run(Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err, bool owns_process) {
    std::vector<std::string> inputs;
    const Streams io{
        .in = in, .out = out, .err = err, .owns_process = owns_process, .inputs = &inputs, .host = nullptr};
    try {
        const int result = dispatch(arguments, io);
        require_written(out, "standard output");
        return result;
    } catch (const BrokenPipe&) {
        return status::reader_gone; // there is no one to send a message to
    } catch (const Error& error) {
        out.flush();
        err << "discern: " << error.what() << '\n';
    } catch (const std::bad_alloc&) {
        err << "discern: out of memory\n";
    } catch (const std::exception& error) {
        err << "discern: internal error, please report it: " << error.what() << '\n';
        err << "discern: this writes down what a report needs: discern bug-report -o report.md --";
        for (const std::string& word : arguments) err << ' ' << quoted_word(word);
        err << '\n';
    }
    return status::trouble;
}

} // namespace discern::cli
