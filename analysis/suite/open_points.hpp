// Open points of the catalogue, and points that were open until silicon answered: the readings of each, as units.
//
// The readings are those of the literature (Xie et al.; Khattak and Mikaitis; Valpey et al.) and of the simulators
// where they disagree. Vectors on which they differ are the questions to put to silicon.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

struct Reading {
    std::string_view unit; ///< overrides of the point's unit, or a whole unit if it does not begin with a brace
    std::string_view meaning;
};

struct OpenPoint {
    std::string_view name;  ///< of the file
    std::string_view point; ///< what is open
    std::string_view unit;  ///< of the catalogue
    std::vector<Reading> readings;
    /// Of a point that is no longer open: what answered, and what that leaves. It is still asked of other GPUs.
    std::string_view settled{};
};

/// All open points, each for the units on which it is worth measuring.
std::span<const OpenPoint> open_points();

/// The unit of a reading, in full.
std::string unit_text(const OpenPoint& point, std::size_t reading);

} // namespace discern
