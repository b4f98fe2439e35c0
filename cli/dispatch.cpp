#include "cli/base/command.hpp"
#include "cli/files/files.hpp"
#include "cli/options/help.hpp"
#include "cli/options/manual.hpp"
#include "cli/options/options.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <ostream>
#include <system_error>
#include <utility>
#include <vector>

namespace discern::cli {

namespace {

bool is_help(std::string_view argument) { return argument == "--help" || argument == "-h" || argument == "help"; }

std::string help(std::size_t width) {
    constexpr std::size_t column = 34;
    std::string text =
        wrapped("discern: find inputs on which two matrix units differ, or prove that there are none", width, 9, 0) +
        "\n\nusage: discern COMMAND ARGUMENTS\n\n";
    for (const Command& command : commands())
        if (command.run != nullptr)
            text += fmt::format("  {:<12}{:<20}{}\n", command.name, command.usage,
                                wrapped(command.summary, width, column, column));
    return text + R"(
  discern COMMAND --help    a command's options, with an example
  discern --version         or -V
  discern --cite            what to cite in a paper, as BibTeX
  discern --manual          a manual page: discern --manual | man -l -
  discern --completions bash|fish|zsh

UNIT is a name of the catalogue, such as hopper/wgmma.m64n8k16.f32.f16.f16, with
overrides in braces, such as {F=24,floor=none}, or a unit written out in the
whole-unit notation. UNIT@[split=4] with --K is a kernel, which makes a long
product of such instructions.

exit status: 0 same or done, 1 different or mismatches, 2 trouble, 3 unknown
)";
}

int dispatch(Arguments arguments, const Streams& io) {
    if (arguments.empty() || (arguments.size() == 1 && is_help(arguments.front()))) {
        io.out << help(width_of_help(io));
        return status::done;
    }
    const std::string& first = arguments.front();
    if (first == "--version" || first == "-V") {
        io.out << "discern " << DISCERN_VERSION << '\n';
        for (const BackendKind& solver : backends())
            io.out << fmt::format("solver {}: {}\n", solver.name, solver.version);
        if (backends().empty()) io.out << "no solver: random search only\n";
        return status::done;
    }
    constexpr std::pair<std::string_view, std::string (*)()> printed[] = {
        {"--cite", citation}, {"--manual", manual_page}, {"--describe-commands", describe_commands}};
    for (const auto& [word, text] : printed)
        if (first == word && arguments.size() == 1) {
            io.out << text();
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
    if (is_help(first)) {
        const std::vector<std::string> ask = {"--help"};
        const Command& command = require_command(arguments[1]);
        return command.run(command, ask, io);
    }
    if (first.starts_with('-'))
        throw Error("there is no option " + excerpt(first) + " before a command; 'discern --help' lists the commands");
    const Command& command = require_command(first);
    return command.run(command, arguments.subspan(1), io);
}

} // namespace

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
    } catch (const OutOfTime& over) {
        out.flush();
        err << "discern: " << printable(over.what()) << '\n';
        return status::unknown;
    } catch (const Error& error) {
        out.flush();
        err << "discern: " << printable(error.what()) << '\n';
    } catch (const std::bad_alloc&) {
        out.flush();
        err << "discern: out of memory\n";
        // What cvc5 destroys at the end of a thread may be half made then, and be freed twice.
        if (owns_process) {
            err.flush();
            std::_Exit(status::trouble);
        }
    } catch (const std::system_error& error) {
        err << "discern: there is no thread to be had: " << error.code().message()
            << "; a higher limit of processes or of memory (ulimit -u, -v) is right\n";
    } catch (const std::exception& error) {
        err << "discern: internal error, please report it: " << error.what() << '\n';
        err << "discern: this writes down what a report needs: discern bug-report -o report.md --";
        for (const std::string& word : arguments) err << ' ' << quoted_word(word);
        err << '\n';
    }
    return status::trouble;
}

} // namespace discern::cli
