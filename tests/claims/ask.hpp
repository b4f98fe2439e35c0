// Asking the program, inside of this process, as a command line would. (Files for it: folder.hpp of the tests.)
#pragma once

#include "claim.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace discern::claims {

struct Answer {
    int status = 0;
    std::string out, err;

    /// What it printed as JSON. @throws std::runtime_error that quotes what is no JSON
    nlohmann::json json() const;

    /// Whether all it said is a sentence about why it says nothing: refused, or a design was not read in time.
    bool has_no_answer() const { return status == 2 || (status == 3 && out.empty()); }
};

/// What `discern WORDS` does.
Answer ask(const std::vector<std::string>& words, const std::string& standard_input = "");

/// The words as one line that a shell reads as these.
std::string command_line(const std::vector<std::string>& words);

/// The words of options: each may hold several.
void append(std::vector<std::string>& words, const std::vector<std::string>& options);

} // namespace discern::claims
