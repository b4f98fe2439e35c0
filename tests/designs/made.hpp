// Designs for tests: written to a folder, read and connected; and what may be missing here.
#pragma once

#include "folder.hpp"
#include "sweep.hpp"

#include "designs/clocked/simulate.hpp"
#include "designs/decide.hpp"
#include "encodings/print/forms.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"

#include <gtest/gtest.h>

namespace discern::rtl::testing {

using discern::testing::Folder;

inline bool has(const char* program) { return is_program(program); }

/// Of four bits an operand.
constexpr const char* smallest = "e2m1fn*e2m1fn+e4m3fn->e4m3fn K=1 : round[e4m3fn rne](fuse[exact](p*, c))";

inline bool never() { return false; }

/// Which programs read a made design. The comparison with a second reader's netlist takes longer than all else that is
/// asked of a small design: the tests of readers have it, and in a sweep every one.
inline std::string usual_reader() { return tests::sweeping() ? "" : "yosys"; }

/// A design in one file.
class MadeDesign {
  public:
    explicit MadeDesign(const std::string& text, const std::string& top = "unit",
                        const std::string& reader = usual_reader()) {
        sources.files = {folder_.file("design.sv", text)};
        sources.top = top;
        sources.reader = reader;
    }
    Sources sources;

    DesignQuestion question(const Unit& unit, const ConnectionText& connection = {}) const {
        return read_question(unit, sources, connection, {}, Limit{});
    }
    Answer answer(const Unit& unit, const ConnectionText& connection = {}, double timeout = 60) const {
        DiscriminateOptions options;
        options.timeout = timeout;
        return decide({{question(unit, connection), sources}}, options);
    }

  private:
    Folder folder_;
};

inline MadeDesign exported(const Unit& unit, bool pipeline = false) {
    return MadeDesign(to_systemverilog({unit, "a unit", "a test", pipeline}), "discern_unit");
}

/// Of an export with registers: its header says how many edges it takes.
inline ConnectionText clocked(const Unit& unit) {
    const std::string text = to_systemverilog({unit, "a unit", "a test", true}), word = "(--cycles ";
    ConnectionText connection;
    connection.clock = "clk";
    connection.cycles = std::stoi(text.substr(text.find(word) + word.size()));
    return connection;
}

inline std::vector<Vector> some_vectors(const Unit& unit, std::size_t count, std::uint64_t seed = 1) {
    InputMixture mixture(unit, seed);
    InputBuffer buffer;
    std::vector<Vector> vectors;
    while (vectors.size() < count) {
        mixture.next(buffer);
        vectors.push_back(vector_of(shape_of(unit), buffer.inputs()));
    }
    return vectors;
}

} // namespace discern::rtl::testing
