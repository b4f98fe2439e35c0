// A design's text as a simulator reads it.
//
// yosys, as tools for synthesis do, reads another text than a simulator: it defines SYNTHESIS and YOSYS, leaves out
// what stands between comments such as translate_off, and obeys attributes. Icarus Verilog's preprocessor says what a
// simulator reads; without comments and attributes yosys reads the same. What is then another netlist is refused.
#pragma once

#include "constructs.hpp"
#include "folder.hpp"
#include "reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

/// Something in the text on which simulation and synthesis part.
struct Hazard {
    Construct construct;
    std::string module;    ///< in which it stands
    int line = 0;          ///< of the text
    std::string what;      ///< a sentence
    std::string file = {}; ///< of which it is a line; empty: the text that is read
};

class SimulatedText {
  public:
    /// By Icarus Verilog's preprocessor; nothing if that is not installed.
    /// @throws Error with what the preprocessor says
    static std::optional<SimulatedText> read(const Sources& sources, const Folder& folder,
                                             const std::function<bool()>& must_stop);
    /// Text that was preprocessed.
    explicit SimulatedText(const std::string& preprocessed);

    /// Without comments and attributes (full_case and parallel_case stay: with them yosys leaves open what cannot be).
    const std::string& text() const { return text_; }
    /// Delays and timing checks, which are for simulation alone.
    const std::vector<Hazard>& hazards() const { return hazards_; }
    /// The file and the line that a line of the text comes from: "f.sv:12".
    std::string place(int line, const Sources& sources) const;
    /// A message about the text in that file, with positions in the sources.
    std::string with_places(std::string what, const std::string& file, const Sources& sources) const;

  private:
    class Scanner;

    std::string text_;
    std::vector<std::string> lines_;  ///< as preprocessed
    std::vector<std::size_t> starts_; ///< where each file begins
    std::vector<Hazard> hazards_;
};

/// The position of the first text in the files that is for synthesis only: "f.sv:12
/// (translate_off)", or "".
std::string first_word_for_synthesis(const Sources& sources);

/// The position of the first full_case or parallel_case in a comment, or "". Tools for synthesis obey it; slang and
/// sv2v know only the attributes.
std::string first_promise_in_comment(const Sources& sources);

} // namespace discern::rtl
