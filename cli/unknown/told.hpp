// What a target told about an open point, for people and for programs.
#pragma once

#include "analysis/suite/questions.hpp"
#include "cli/base/colour.hpp"
#include "cli/base/json.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

/// A question, and what came of it.
struct Told {
    OpenQuestion question;
    std::string target; ///< that was asked
    Header header;      ///< of its observations
    std::vector<std::optional<std::uint64_t>> answers;
    std::vector<std::string> errors; ///< of each vector: why there is no answer, or empty
    Judgement judgement;
};

/// Ordinary random vectors, to see whether the target computes what the unit computes: else the answers mean little.
struct Control {
    std::string target, unit;
    std::size_t checked = 0, mismatches = 0;
};

void print_control(std::ostream& out, const Control& control, const Colours& colours);
Json json_of(const Control& control);

/// Why no vector was answered, if that is one reason for all of them; empty otherwise. Without the target's name.
std::string only_reason(const Told& told);

/// The readings with their numbers, each vector with its answer and the readings that give it, and what is settled.
void print_told(std::ostream& out, const Told& told, const Colours& colours);

/// The object of --json, and a line of the file that is sent in.
Json json_of(const Told& told);

} // namespace discern::cli
