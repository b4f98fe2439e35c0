// What a command is, and the one entry that runs them.
//
// A command is one record, at the end of the command's own file: all that the help, the manual page, completions, the
// list of docs/commands.md, its schema's test and the site know of it. cli/commands.cpp names all records.
#pragma once

#include "hwrunner/target.hpp"

#include <array>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace discern::cli {

/// The program's exit statuses, in the manner of diff and grep.
namespace status {
inline constexpr int done = 0;      ///< the answer is "same", or all is done
inline constexpr int different = 1; ///< "different", "found", mismatches
inline constexpr int trouble = 2;   ///< usage, input, something unavailable
inline constexpr int unknown = 3;   ///< no answer within the limits
/// The reader of the output has gone, as `head` does: what a shell says of programs that SIGPIPE ended.
inline constexpr int reader_gone = 141;
} // namespace status

using Arguments = std::span<const std::string>; ///< without the command's own name

/// A program that runs commands in its own process, such as an interpreter. Signals are then its own: no command
/// handles any.
struct Host {
    std::stop_token stop; ///< as an interrupt: what is known is still printed
    /// Makes the target that is called `callable`, of the shape that the command line gives.
    std::function<std::unique_ptr<Target>(const Shape&)> target;
    bool progress = false; ///< whether the lines that say what is being done are wanted on the error stream
    std::ostream* said =
        nullptr; ///< if set: gets in words what --json has as an object, of commands that are asked both
};

struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool owns_process = false;                  ///< what does not stop in time may be ended with the whole process
    std::vector<std::string>* inputs = nullptr; ///< if set: collects the files that were opened for reading
    const Host* host = nullptr;                 ///< the program whose process it is, if it is not the command's own
};

/// Where others have a command: docs/, and Python.
struct CommandDocs {
    std::string_view group;                    ///< the section of the site
    std::string_view page;                     ///< of docs/, without its ending; it names the command
    std::array<std::string_view, 2> schemas{}; ///< of docs/schemas/: what --json prints
    bool in_python = false;                    ///< Python has a function of that name, with _ for a hyphen
};

struct Command {
    /// From its arguments and three streams to an exit status. Throws discern::Error for whatever a person can get
    /// wrong; cli::run turns that into a sentence on the error stream and status 2.
    using Run = int (*)(const Command& self, Arguments arguments, const Streams& io);

    std::string_view name;
    std::string_view usage{}; ///< what follows the name
    std::string_view summary; ///< one line
    std::string_view example; ///< command lines, and below each what it does
    Run run;                  ///< nullptr: not part of this version

    std::string_view other_name{}; ///< by which it is found, too
    bool units_and_files = false;  ///< the last argument stands for both, units before files
    CommandDocs docs{};
};

#ifdef __EMSCRIPTEN__
inline constexpr bool in_browser = true;
#else
inline constexpr bool in_browser = false;
#endif

/// A command that needs processes, devices, ports, or files that last or are large. A browser has none of them, so that
/// there its code is no part of the program either.
template <Command::Run run>
inline constexpr Command::Run of_a_machine = in_browser ? nullptr : run;

/// All commands, in the order in which the help lists them.
std::span<const std::reference_wrapper<const Command>> commands();

/// The command of that name that is part of this version, or nullptr.
const Command* find_command(std::string_view name);
/// @throws Error with the nearest name, or that this version has not got it. @param whose  what the message begins with
const Command& require_command(const std::string& name, std::string_view whose = "");

/// Runs the program. @param arguments  without the program's name
/// @param owns_process  work that a signal or --timeout cannot stop may end the process, with status 3
int run(Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err, bool owns_process = false);

/// The same for a host, with errors as exceptions. @throws Error, and whatever else run() turns into a sentence
int run_for(const Host& host, Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err);

} // namespace discern::cli
