// The options as rows, and the question about a design that they describe.
#include "design_options.hpp"

#include "read_design.hpp"
#include "solver/design/decide.hpp"
#include "solver/design/read/file_list.hpp"
#include "solver/design/read/reader.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <sstream>
#include <utility>

namespace discern::cli {

namespace {

std::pair<std::string, std::string> parameter_of(const std::string& text, const char* option) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
        throw Error(sentence(option, ": ", excerpt(text), " must be written NAME=VALUE, such as K=8"));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

} // namespace

void add_design_options(CommandLine& line, DesignOptions& options) {
    line.add_option("--top", options.top, "of a design: the module that is the unit").type_name("MODULE");
    line.add_option("--map", options.map,
                    "of a design: its ports, as a=x,b=y,c=z,d=w; a=p0+p1 is one port an element, a[3]=p one element; "
                    "what is left out is the port of its name")
        .type_name("PORTS");
    line.add_option("--set", options.set, "of a design: what is on another input, as mode=0; once or more")
        .type_name("PORT=VALUE")
        .one_each_time();
    line.add_option("--parameter,--param", options.parameters,
                    "of a design: a parameter of the module, as K=8; once or more")
        .type_name("NAME=VALUE")
        .one_each_time();
    line.add_option("-I,--include", options.include,
                    "of a design: a folder in which included files are looked for; once or more")
        .type_name("DIR")
        .one_each_time();
    line.add_option("-D,--define", options.define, "of a design: a macro; once or more")
        .type_name("NAME[=VALUE]")
        .one_each_time();
    line.add_option("-f,--file-list", options.lists,
                    "of a design: a list of files, with +incdir+DIR and +define+NAME, read before those behind rtl:; "
                    "once or more")
        .type_name("FILE")
        .one_each_time();
    line.add_option("--reader", options.reader,
                    "of a design: which program reads it, yosys, slang or sv2v (the first of them that can)")
        .type_name("NAME");
    line.offer("--reader", rtl::reader_names());
    line.add_option("--cycles", options.cycles, "of a design with a clock: edges from the operands to their result")
        .type_name("N");
    line.add_option("--clock", options.clock, "of a design: the clock's port").type_name("PORT");
    line.add_option("--reset", options.reset,
                    "of a design: the port of a reset, held before the operands come; PORT=0 if it is active low")
        .type_name("PORT");
    line.add_option("--equal", options.equal,
                    "of a design: a net that is a wire of the unit as export --as sv writes it, as sum=f0_sum or "
                    "u.x[7:0]=p0_exponent; it is proved, and then helps with the rest; once or more, those near the "
                    "operands first")
        .type_name("NET=WIRE")
        .one_each_time();
    line.add_flag("--once", options.once,
                  "of a design with a reset: it comes before each operation; without it one follows the other");
    line.add_flag(
        "--by-cases", options.by_cases,
        "of a design: prove the cases of exponents and signs one by one, without trying all inputs at once before");
    line.add_flag("--hold", options.hold, "of a design: the operands stay on its ports until the result is there");
}

bool is_design(const std::string& word) { return word.starts_with(rtl::rtl_prefix); }

ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                       const DiscriminateOptions& solving) {
    const auto brace = word.ends_with('}') ? word.rfind('{') : std::string::npos;
    ReadDesign read;
    read.sources.top = options.top;
    read.sources.reader = options.reader;
    for (const std::string& list : options.lists) rtl::add_file_list(list, read.sources);
    const std::string files = word.substr(0, brace);
    if (files != rtl::rtl_prefix || read.sources.files.empty())
        for (const std::string& file : rtl::files_of(files)) read.sources.files.push_back(file);
    for (const std::string& folder : options.include) rtl::add_folder(folder, "--include", read.sources);
    for (const std::string& macro : options.define) rtl::add_macro(macro, read.sources);
    for (const std::string& parameter : options.parameters)
        read.sources.parameters.push_back(parameter_of(parameter, "--parameter"));
    if (brace != std::string::npos) {
        std::istringstream own(word.substr(brace + 1, word.size() - brace - 2));
        for (std::string parameter; std::getline(own, parameter, ',');)
            read.sources.parameters.push_back(parameter_of(parameter, "rtl"));
    }
    rtl::ConnectionText connection{.map = options.map,
                                   .set = options.set,
                                   .clock = options.clock,
                                   .reset = options.reset,
                                   .cycles = {},
                                   .hold = options.hold,
                                   .once = options.once,
                                   .equal = options.equal,
                                   .by_cases = options.by_cases};
    if (!options.cycles.empty()) connection.cycles = static_cast<int>(require_whole(options.cycles, {.most = 64}));
    const Limit limit = Limit::after(solving.timeout, solving.stop);
    if (solving.progress) solving.progress("reading the design");
    read.question = rtl::read_question(unit, read.sources, connection, solving.limits, limit);
    return read;
}

Answer ask_about_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                        const DiscriminateOptions& solving) {
    const ReadDesign read = read_design(unit, word, options, solving);
    return rtl::decide(read.question, read.sources, solving);
}

} // namespace discern::cli
