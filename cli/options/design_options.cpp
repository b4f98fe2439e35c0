// The options as rows, and the question about a design that they describe.
#include "design_options.hpp"

#include "designs/decide.hpp"
#include "designs/read/file_list.hpp"
#include "designs/read/reader.hpp"
#include "designs/target.hpp"
#include "read_design.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::uint64_t most_edges = 64, most_edges_of_handshakes = 1024; ///< from operands to their result

std::pair<std::string, std::string> parameter_of(const std::string& text, const char* option) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
        throw Error(sentence(option, ": ", excerpt(text), " must be written NAME=VALUE, such as K=8"));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

/// An option with a value, and where it is kept: one text, or one more each time that it is given.
struct ValueOption {
    const char *name, *value, *text;
    std::string DesignOptions::*one = nullptr;
    std::vector<std::string> DesignOptions::*many = nullptr;
};
constexpr auto with_values = std::to_array<ValueOption>({
    {"--top", "MODULE", "of a design: the module that is the unit", &DesignOptions::top},
    {"--map", "PORTS",
     "of a design: its ports, as a=x,b=y,c=z,d=w; a=p0+p1 is one port an element, a[3]=p one element; what is left out "
     "is the port of its name",
     &DesignOptions::map},
    {"--set", "PORT=VALUE", "of a design: what is on another input, as mode=0; once or more", nullptr,
     &DesignOptions::set},
    {"--parameter,--param", "NAME=VALUE", "of a design: a parameter of the module, as K=8; once or more", nullptr,
     &DesignOptions::parameters},
    {"-I,--include", "DIR", "of a design: a folder in which included files are looked for; once or more", nullptr,
     &DesignOptions::include},
    {"-D,--define", "NAME[=VALUE]", "of a design: a macro; once or more", nullptr, &DesignOptions::define},
    {"-f,--file-list", "FILE",
     "of a design: a list of files, with +incdir+DIR and +define+NAME, read before those behind rtl:; once or more",
     nullptr, &DesignOptions::lists},
    {"--reader", "NAME", "of a design: which program reads it, yosys, slang or sv2v (the first of them that can)",
     &DesignOptions::reader},
    {"--cycles", "N",
     "of a design with a clock: edges from the operands to their result; auto: found, where a unit says what results "
     "are right",
     &DesignOptions::cycles},
    {"--clock", "PORT", "of a design: the clock's port", &DesignOptions::clock},
    {"--reset", "PORT", "of a design: the port of a reset, held before the operands come; PORT=0 if it is active low",
     &DesignOptions::reset},
    {"--state", "NET=c",
     "of an accumulator with a clock: the register that is c before an operation and d after it, as acc=c or "
     "unit.acc=c",
     &DesignOptions::state},
    {"--valid", "IN,OUT",
     "of a design with a handshake: the ports that say that operands and a result are there, as in_valid,out_valid",
     &DesignOptions::valid},
    {"--ready", "IN,OUT",
     "of a design with a handshake: the ports that say that operands and a result are taken, as in_ready,out_ready; - "
     "is one that is always 1",
     &DesignOptions::ready},
    {"--equal", "NET=WIRE",
     "of a design: a net that is a wire of the unit as export --as sv writes it, as sum=f0_sum or "
     "u.x[7:0]=p0_exponent; it is proved, and then helps with the rest; once or more, those near the operands first",
     nullptr, &DesignOptions::equal},
});

/// Where there is no unit that says what is right.
void refuse_auto(const DesignOptions& options) {
    if (options.cycles == "auto")
        throw Error("--cycles auto: the number is found by a unit's results, and here is none that the design must "
                    "have; 'discern prove UNIT rtl:…' finds it");
}

/// What stands in braces behind a design: parameters, separated by commas, or, separated by blanks, parameters and
/// options of this design alone, as in {--top=unit --map=a=x,b=y K=8}.
void take_own(const std::string& text, DesignOptions& options) {
    if (text.find("--") == std::string::npos) {
        std::istringstream own(text);
        for (std::string parameter; std::getline(own, parameter, ',');) options.parameters.push_back(parameter);
        return;
    }
    std::istringstream own(text);
    for (std::string word; own >> word;) {
        const auto equals = word.find('=');
        const std::string name = word.substr(0, equals),
                          value = equals == std::string::npos ? "" : word.substr(equals + 1);
        const auto* const found = std::ranges::find_if(
            with_values, [&](const ValueOption& option) { return option.one != nullptr && option.name == name; });
        if (found != with_values.end() && !value.empty())
            options.*found->one = value;
        else if (name == "--set" && !value.empty())
            options.set.push_back(value);
        else if (word == "--hold")
            options.hold = true;
        else if (word == "--once")
            options.once = true;
        else if (word.starts_with("-"))
            throw Error(sentence(
                "rtl: in braces stand parameters, NAME=VALUE, and --top=, --map=, --set=, --clock=, --cycles=, "
                "--reset=, --reader=, --state=, --valid=, --ready=, --hold and --once; ",
                excerpt(word), " is none of them"));
        else
            options.parameters.push_back(word);
    }
}

/// Where these begin, or npos.
std::size_t brace_of(const std::string& word) { return word.ends_with('}') ? word.rfind('{') : std::string::npos; }

} // namespace

bool DesignOptions::any() const {
    return hold || once || by_cases || !flags_port.empty() ||
           std::ranges::any_of(with_values, [this](const ValueOption& option) {
               return option.one != nullptr ? !(this->*option.one).empty() : !(this->*option.many).empty();
           });
}

void add_design_options(CommandLine& line, DesignOptions& options, DesignUse use) {
    for (const ValueOption& option : with_values) {
        if (option.many == &DesignOptions::equal && use != DesignUse::asked_about) continue;
        if (option.one != nullptr)
            line.add_option(option.name, options.*option.one, option.text).type_name(option.value);
        else
            line.add_option(option.name, options.*option.many, option.text).type_name(option.value).one_each_time();
    }
    line.offer("--reader", rtl::reader_names());
    line.add_flag("--once", options.once,
                  "of a design with a reset: it comes before each operation; without it one follows the other");
    if (use == DesignUse::asked_about)
        line.add_flag(
            "--by-cases", options.by_cases,
            "of a design: prove the cases of exponents and signs one by one, without trying all inputs at once before");
    line.add_flag("--hold", options.hold, "of a design: the operands stay on its ports until the result is there");
}

std::string design_options_alone(const std::string& word) {
    return sentence("--top, --map and the like are of designs, rtl:FILE.sv, and ", excerpt(word, 80), " is none");
}

bool is_design(const std::string& word) { return word.starts_with(rtl::rtl_prefix); }

DesignOptions options_of_design(const std::string& word, const DesignOptions& common) {
    DesignOptions options = common;
    if (const auto brace = brace_of(word); brace != std::string::npos)
        take_own(word.substr(brace + 1, word.size() - brace - 2), options);
    return options;
}

ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& common,
                       const DiscriminateOptions& solving) {
    DesignOptions options = options_of_design(word, common);
    ReadDesign read;
    read.sources.top = options.top;
    read.sources.reader = options.reader;
    for (const std::string& list : options.lists) rtl::add_file_list(list, read.sources);
    const std::string files = word.substr(0, brace_of(word));
    if (files != rtl::rtl_prefix || read.sources.files.empty())
        for (const std::string& file : rtl::files_of(files)) read.sources.files.push_back(file);
    for (const std::string& folder : options.include) rtl::add_folder(folder, "--include", read.sources);
    for (const std::string& macro : options.define) rtl::add_macro(macro, read.sources);
    for (const std::string& parameter : options.parameters)
        read.sources.parameters.push_back(parameter_of(parameter, "--parameter"));
    rtl::ConnectionText connection{.map = options.map,
                                   .set = options.set,
                                   .clock = options.clock,
                                   .reset = options.reset,
                                   .cycles = {},
                                   .hold = options.hold,
                                   .once = options.once,
                                   .equal = options.equal,
                                   .by_cases = options.by_cases,
                                   .find_cycles = false,
                                   .valid = options.valid,
                                   .ready = options.ready,
                                   .state = options.state};
    if (options.cycles == "auto")
        connection.find_cycles = true;
    else if (!options.cycles.empty())
        connection.cycles = static_cast<int>(
            require_whole(options.cycles, {.most = options.valid.empty() ? most_edges : most_edges_of_handshakes}));
    const Limit limit = Limit::after(solving.timeout, solving.stop);
    if (solving.progress) solving.progress("reading the design");
    read.question = rtl::read_question(unit, read.sources, connection, solving.limits, limit);
    read.options = std::move(options);
    return read;
}

ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& options, double seconds,
                       const std::stop_token& stop) {
    DiscriminateOptions solving;
    solving.timeout = seconds;
    solving.stop = stop;
    return read_design(unit, word, options, solving);
}

std::unique_ptr<Target> design_target(const std::string& word, const DesignOptions& options, const Shape& shape,
                                      double seconds, const std::stop_token& stop) {
    refuse_auto(options);
    const ReadDesign read = read_design(rtl::any_unit_of(shape), word, options, seconds, stop);
    const Limit limit = Limit::after(seconds, stop);
    return rtl::make_design_target(read.question, read.sources, [&limit] { return limit.reached(); });
}

DesignOptions with_flags_as_d(DesignOptions options) {
    if (options.cycles == "auto" || !options.state.empty() || !options.valid.empty() || !options.equal.empty())
        throw Error("--flags-port: --cycles auto, --state, --valid and --equal ask about d");
    std::string map = "d=" + options.flags_port;
    std::istringstream parts(options.map);
    for (std::string part; std::getline(parts, part, ',');)
        if (!part.starts_with("d=")) map += "," + part;
    options.map = map;
    return options;
}

DesignsAsked ask_about_designs(const Unit& unit, const std::vector<std::string>& words, const DesignOptions& given,
                               const DiscriminateOptions& solving, const std::optional<rtl::FlagsAsked>& flags) {
    if (words.size() > 1) refuse_auto(given);
    const DesignOptions options = flags ? with_flags_as_d(given) : given;
    DesignsAsked asked;
    for (const std::string& word : words) asked.designs.push_back(read_design(unit, word, options, solving));
    for (ReadDesign& design : asked.designs) design.question.flags = flags;
    std::vector<rtl::ReadDesignOf> designs;
    for (const ReadDesign& read : asked.designs) designs.push_back({read.question, read.sources});
    asked.answer = rtl::decide(designs, solving);
    return asked;
}

} // namespace discern::cli
