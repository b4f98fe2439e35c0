// The commands of the program as one table, and the one entry that runs them.
//
// A command is a function from its arguments and three streams to an exit status. It throws discern::Error for whatever
// a person can get wrong; `run` turns that into a sentence on the error stream and status 2.
#pragma once

#include "hwrunner/target.hpp"

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
};

struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool owns_process = false;                  ///< what does not stop in time may be ended with the whole process
    std::vector<std::string>* inputs = nullptr; ///< if set: collects the files that were opened for reading
    const Host* host = nullptr;                 ///< the program whose process it is, if it is not the command's own
};

struct Command {
    std::string_view name;
    std::string_view usage;                             ///< what follows the name
    std::string_view summary;                           ///< one line
    int (*run)(Arguments arguments, const Streams& io); ///< nullptr: not part of this version
};

/// All commands, in the order in which the help lists them.
std::span<const Command> commands();

/// Runs the program. @param arguments  without the program's name
/// @param owns_process  work that a signal or --timeout cannot stop may end the process, with status 3
int run(Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err, bool owns_process = false);

/// The same for a host, with errors as exceptions. @throws Error, and whatever else run() turns into a sentence
int run_for(const Host& host, Arguments arguments, std::istream& in, std::ostream& out, std::ostream& err);

// One a file of that name.
int audit(Arguments arguments, const Streams& io);
int bug_report(Arguments arguments, const Streams& io); // bug_report/bug_report.cpp
int check(Arguments arguments, const Streams& io);
int compare_programs(Arguments arguments, const Streams& io); // compare/compare.cpp
int coverage_of_unit(Arguments arguments, const Streams& io); // coverage/coverage.cpp
int diff(Arguments arguments, const Streams& io);
int eval(Arguments arguments, const Streams& io);
int explain_unit(Arguments arguments, const Streams& io);   // explain/explain.cpp
int export_vectors(Arguments arguments, const Streams& io); // export.cpp
int gemm(Arguments arguments, const Streams& io);
int generate(Arguments arguments, const Streams& io);
int identify(Arguments arguments, const Streams& io);
int import(Arguments arguments, const Streams& io);
int measure_units(Arguments arguments, const Streams& io); // measure/measure.cpp
int page(Arguments arguments, const Streams& io);          // page/page.cpp
int probe(Arguments arguments, const Streams& io);
int property_of_unit(Arguments arguments, const Streams& io); // property.cpp
int prove(Arguments arguments, const Streams& io);
int rtl_command(Arguments arguments, const Streams& io); // rtl/rtl.cpp
int run_target(Arguments arguments, const Streams& io);  // run.cpp
int show(Arguments arguments, const Streams& io);
int smt2(Arguments arguments, const Streams& io);
int store(Arguments arguments, const Streams& io); // suite/store.cpp
int suite(Arguments arguments, const Streams& io);
int synth(Arguments arguments, const Streams& io);
int targets(Arguments arguments, const Streams& io);
int tell(Arguments arguments, const Streams& io); // unknown/tell.cpp
int units(Arguments arguments, const Streams& io);
int which(Arguments arguments, const Streams& io);

} // namespace discern::cli
