// What the commands that ask about two units have in common: their options, and how an answer is printed.
#pragma once

#include "cli/options/design_options.hpp"
#include "cli/options/input_limits.hpp"
#include "solver/decide/discriminate.hpp"

#include <string>

namespace discern::cli {

struct QuestionOptions {
    std::string first, second, out;
    LimitWords limits;
    static constexpr const char* no_cross_check = "none";
    std::string cross_check = no_cross_check; ///< as it was written; empty: without a name
    DiscriminateOptions solving;
    std::string certificate;    ///< a folder to write one to, or empty
    bool checked = false;       ///< "equivalent" only with one that the checker accepts
    int K = 0;                  ///< of kernels, and of two designs
    std::string formats, scale; ///< of two designs
    std::string d;              ///< FORMAT:MODE to which results are rounded whose formats differ
    std::string sa, sb;         ///< a pattern that all scales are
    bool json = false;
    bool table = false;                ///< vectors for people
    DesignOptions design;              ///< of those that are designs
    std::string wave;                  ///< a file for the difference of a design, or empty
    std::vector<std::string> launches; ///< of those that are ptx:FILE, in order
};

/// Adds the two units and the options that all such commands have.
void add_question_options(CommandLine& line, QuestionOptions& options);

/// Asks, prints the answer and gives the exit status: 1 different, 0 equivalent, 3 unknown.
/// @param command  the command line, for the header of the vectors
int answer_question(const QuestionOptions& options, const std::string& command, const Streams& io);

} // namespace discern::cli
