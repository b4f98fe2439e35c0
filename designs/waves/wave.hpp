// A counterexample as a file of waves: a person who writes designs looks at signals. The simulator that replays the
// vector writes the file, so nothing in it is ours but the names of operands; GTKWave's save file beside it has these,
// d and the mark at the place of the difference.
#pragma once

#include "designs/side.hpp"

#include <functional>
#include <string>
#include <vector>

namespace discern::rtl {

/// What is replayed.
struct ToShow {
    std::vector<Vector> vectors;                ///< operations, or what is on the ports at each edge of a handshake
    std::vector<std::pair<bool, bool>> offers;  ///< of a handshake; as of simulate_offers()
    std::size_t wrong = 0;                      ///< the vector or edge that is marked
    bool one_run = false;                       ///< as of simulate()
    std::string beside;                         ///< the name of the result that stands beside d: unit_d, other_d
    std::optional<std::uint64_t> d, other = {}; ///< of the vector that is marked: the design's, and that result
};

/// The vector that an answer shows first. @param side  of the results of a vector, which is the design's
/// @param beside  as of ToShow
ToShow shown_by(const Answer& answer, const Shape& shape, std::size_t side, const std::string& beside);

/// Writes the file and its .gtkw. @param file  ends in .vcd or .fst
/// @return the simulator. @throws Error if none is installed or takes the design, or a file cannot be written
std::string write_wave(const ReadDesignOf& design, const ToShow& what, const std::string& file,
                       const std::function<bool()>& must_stop);

/// The save file beside a file of waves: FILE.gtkw.
std::string save_file_of(const std::string& file);

} // namespace discern::rtl
