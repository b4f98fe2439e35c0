#include "shared_options.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::cli {

namespace {

constexpr auto table = std::to_array<SharedOption>({
    {"--K", Takes::whole, "N", "products of a vector", {.least = 1}},
    {"--a", Takes::text, "LIST", "patterns of one vector, or numbers, separated by commas"},
    {"--answer-timeout",
     Takes::seconds,
     "SECONDS",
     "how long a target may be silent while answers are due",
     {.least = 1}},
    {"--b", Takes::text, "LIST", "the same"},
    {"--c", Takes::text, "VALUE", "one of them"},
    {"--certificate", Takes::text, "DIR",
     "a new folder for what `discern-check` needs to check what is said to be the same"},
    {"--class", Takes::text, "CLASS",
     "of several results each, as a suite has: those of this class, a letter or a unit"},
    {"--columns", Takes::text, "LIST",
     "what a table's columns are, by name (a=lhs,b=rhs,c=acc,d=out) or position (a0..a15,b0..b15,-,c,d)"},
    {"--digits", Takes::text, "N|.N|exact",
     "significant digits of results that are decimals, or .N behind the point; with fewer than d's format needs, each "
     "stands for all numbers that are printed so (as many as they have)"},
    {"--family", Takes::text, "NAME", "which vectors, once or more"},
    {"--finite", Takes::nothing, "", "only inputs without infinity and NaN, scales included"},
    {"--flags", Takes::nothing, "",
     "IEEE 754's status flags: 10 invalid, 04 overflow, 02 underflow, 01 inexact, of multiply-adds and the like"},
    {"--flags-port", Takes::text, "PORT",
     "of a design: ask about the status flags on this output, of five bits as in RISC-V's fflags, and not about d"},
    {"--formats", Takes::text, "A,B,C,D", "the formats of a, b, c and d; - for no c"},
    {"--html", Takes::text, "FILE", "write a page there"},
    {"--json", Takes::nothing, "", "as JSON"},
    {"--launch", Takes::text, "FILE", "of ptx:FILE, how it is started (FILE.launch.json)"},
    {"--wave", Takes::text, "FILE",
     "of a design: also write the first difference as waves, as Icarus Verilog or Verilator simulates it, FILE.vcd or "
     "FILE.fst, and FILE.gtkw for GTKWave"},
    {"--no-subnormals", Takes::nothing, "", "only inputs without subnormal numbers, scales included"},
    {"--numbers", Takes::nothing, "", "values are numbers, such as 0.5, 1e-3 or 0x1.8p+1"},
    {"--patterns", Takes::nothing, "", "values are bit patterns, in hexadecimal"},
    {"--range", Takes::text, "RANGES",
     "only inputs whose exponents, unless they are zero, lie there: a:-14..15,c:-30..30"},
    {"--round", Takes::text, "MODE",
     "how numbers that are none of their format become one: a rounding mode, or exact, which refuses them (rne)"},
    {"--scale", Takes::text, "FORMAT/BLOCK", "the scales, with --formats, as e8m0/32"},
    {"--seed", Takes::whole, "N", "of all that is random"},
    {"--show", Takes::whole, "N", "how many to show"},
    {"--space", Takes::text, "SPACE", "the units of a space, or of the spaces in @FILE"},
    {"--solver", Takes::text, "NAME", "who answers questions"},
    {"--spread", Takes::text, "LIST",
     "numbers of normal distributions with these standard deviations instead, as in a:1000,b:1000; 1 where none is "
     "given"},
    {"--svg", Takes::text, "FILE", "write a picture there; a .pdf by rsvg-convert"},
    {"--table", Takes::nothing, "",
     "vectors for people, as on a terminal: the terms that matter, in bits and decimals"},
    {"--tininess", Takes::text, "before|after",
     "of flags, when a result is tiny: by its value before or after it is rounded (after)"},
    {"--threads", Takes::whole, "N", "how many threads compute", {.least = 1, .most = 1024}},
    {"--timeout", Takes::seconds, "SECONDS", "for everything"},
    {"--unit", Takes::text, "UNIT", "the unit whose formats and K the file has, where it does not say them"},
    {"--values", Takes::text, "RANGES", "only inputs whose numbers lie there, ends included: a:-1..1,c:0..1e3"},
    {"-n", Takes::whole, "N", "how many vectors", {.least = 1}},
    {"-o", Takes::text, "FILE", "write there instead of standard output"},
});

} // namespace

std::span<const SharedOption> shared_options() { return table; }

const SharedOption& shared_option(std::string_view name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const SharedOption& option) { return option.name == name; });
    if (found == table.end()) throw std::logic_error(sentence("no option ", name, " is shared"));
    return *found;
}

std::string why_no_svg(const std::string& path) {
    for (const std::string_view ending : {".pdf", ".eps", ".ps", ".png", ".jpg"}) {
        if (!path.ends_with(ending)) continue;
        if (ending == ".pdf" && is_program("rsvg-convert")) return "";
        const std::string stem = path.substr(0, path.size() - ending.size());
        return sentence(
            path, " would be a picture in SVG; ", stem, ".svg is right, and rsvg-convert -f ", ending.substr(1), " ",
            stem, ".svg -o ", path,
            " or cairosvg converts it; PDF is written where rsvg-convert is installed (Debian's librsvg2-bin), "
            "and by discern.plot of Python");
    }
    return "";
}

} // namespace discern::cli
