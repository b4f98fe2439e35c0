// A question to a real unit: the vectors on which the readings of an open point differ, and what answers say of them.
//
// The vectors are those of generated/questions, which are part of the program: all who ask a card ask the same ones,
// without a solver. What each reading gives is computed when it is needed.
#pragma once

#include "open_points.hpp"

#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace discern {

/// A file of generated/questions.
struct QuestionFile {
    std::string_view point; ///< its name without the suffix
    std::string_view text;
};

/// All of them, by name.
std::span<const QuestionFile> question_files();

struct OpenQuestion {
    const OpenPoint* point = nullptr;
    Shape shape;
    std::vector<Unit> readings;
    /// Without d. Empty where no vector tells any two readings apart.
    std::vector<Vector> vectors;
    std::vector<std::vector<std::uint64_t>> results; ///< of each reading, of each vector
};

/// @throws std::logic_error if its file is about another unit
OpenQuestion question_of(const OpenPoint& point);

/// What the answers to a question say of the point.
enum class State : std::uint8_t {
    settled,  ///< readings fit, and no vector of the question tells those that fit apart
    none,     ///< no reading gives all of the answers
    open,     ///< readings that differ still fit, because vectors were not answered
    unasked,  ///< open, and no vector was answered
    no_vector ///< no vector tells any two readings apart
};

std::string_view name(State state);

struct Judgement {
    State state = State::unasked;
    std::vector<std::size_t> fitting;                   ///< readings that give all answers
    std::vector<std::optional<std::size_t>> refuted_by; ///< of each reading: the first vector that it gives otherwise
};

/// Whether a reading gives that answer to a vector. Any NaN is any other where the reading leaves its NaN open.
bool gives(const OpenQuestion& question, std::size_t reading, std::size_t vector, std::uint64_t answer);

/// @param answers  of each vector; nothing: it was not answered
Judgement judge(const OpenQuestion& question, std::span<const std::optional<std::uint64_t>> answers);

} // namespace discern
