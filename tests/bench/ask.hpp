// Asks the rows of a table and prints what came of them; what the programs of this folder have in common.
#pragma once

#include "expectation.hpp"

#include "cli/base/json.hpp"
#include "solver/decide/discriminate.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace discern::bench {

struct AskOptions {
    DiscriminateOptions solving;
    std::string cross_check; ///< a second solver, which answers alone; empty: none
    bool json = false;
};

/// The options that all programs here have. @param options  outlives the line; its values are the defaults
void add_options(CLI::App& line, AskOptions& options);

struct Asked {
    std::string first, second;
    Answer answer;
    std::optional<Answer> cross; ///< of the second solver, where the first answer was one of a solver

    /// "random", "sat, b powers of two", "sweep", …: the stage that answered.
    std::string by() const;
    bool disagreement() const;
};

/// Asks about two units as people write them. @throws Error if they cannot be compared
Asked ask(const std::string& first, const std::string& second, const AskOptions& options);

/// "c = 3f800000 (1)  a = 3c00 0000 (1 0) …": the inputs, then both results.
std::string described(const Shape& shape, const Vector& vector);

/// Puts into an object: units, verdict, stage, seconds, the stages, the witness and the second solver's verdict.
void put(cli::Json& object, const Asked& asked);

/// Runs a program: errors end it with a sentence and status 2, as a wrong usage does.
int run_program(int count, char** words, CLI::App& line, const std::function<int()>& work);

/// Processor time of this process in seconds: other programs of the machine do not count.
double processor_seconds();

} // namespace discern::bench
