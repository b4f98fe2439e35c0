// `run rtl:FILE`: designs each of which has a trait of SystemVerilog, on all inputs, against a simulator. Most of them
// have it behind a condition that seldom holds: before a design answers a simulator is asked about some vectors, which
// would see what is wrong everywhere.
#include "designs/traits.hpp"
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "folder.hpp"
#include "verilog.hpp"

#include "models/notation.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <sstream>

namespace discern::claims {

namespace {

const std::vector<PortWidth> words_of_traits = {{"a", 4}, {"b", 4}, {"c", 4}};

/// The design as it is, or named `inner`, in another one that shows it for one of 64 inputs.
std::string framed(std::string text, const std::string& condition) {
    if (condition.empty()) return text;
    text.replace(text.rfind("module unit("), 12, "module inner(");
    return text +
           "module unit(input wire [3:0] a, input wire [3:0] b, input wire [3:0] c, output wire [11:0] d);\n"
           "  wire [11:0] e; inner i(.a(a), .b(b), .c(c), .d(e));\n  assign d = " +
           condition + " ? e : {c, b, a};\nendmodule\n";
}

Case drawn_trait(Random& random) {
    const rtl::testing::Trait& trait = any_of(random, rtl::testing::traits());
    const auto expression = [](Random& of) { return draw_expressions(of, words_of_traits).first; };
    const rtl::testing::Written design = written(trait, random, expression);
    std::string condition;
    if (!trait.is_clocked && !random.one_in(4)) {
        static constexpr const char* words[] = {"{a, b[1:0]}", "{b, c[1:0]}", "{c, a[1:0]}", "{a[2:0], b[2:0]}"};
        const char* const word = words[random.below(static_cast<int>(std::size(words)))];
        condition = fmt::format("({} == 6'd{})", word, random.below(64));
    }
    Case asked;
    asked.units = {{parse_unit("fix4.0*fix4.0+fix4.0->fix12.0 K=1 : round[fix12.0 rne](fuse[exact](p*, c))"), ""}};
    asked.texts["name"] = trait.name;
    asked.texts["design"] = framed(design.text, condition);
    asked.texts["plain"] = framed(design.plain.empty() ? design.text : design.plain, condition);
    asked.texts["how"] = trait.is_clocked ? "--clock clk --cycles 1" : "";
    if (random.one_in(4))
        asked.options.emplace_back("--reader slang");
    else if (random.one_in(2))
        asked.options.emplace_back("--reader yosys");
    return asked;
}

Compared compared_trait(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const testing::Folder folder;
    const std::string design = folder.file("design.sv", asked.texts.at("design"));
    const std::vector<InputBuffer> vectors = AllInputs(unit).list();
    std::string lines = ask({"generate", asked.units.front().text(), "-n", "1"}).out;
    lines.resize(lines.find('\n') + 1); // the header
    for (const InputBuffer& x : vectors) lines += to_json(shape_of(unit), vector_of(shape_of(unit), x.inputs())) + "\n";
    std::vector<std::string> said = {
        "run", "rtl:" + design, "-", "--top", "unit", "--formats", "fix4.0,fix4.0,fix4.0,fix12.0", "--K", "1"};
    append(said, {asked.texts.at("how")});
    append(said, asked.options);
    Compared result;
    const Answer answer = ask(said, lines);
    said[1] = "rtl:design.sv";
    result.command = fmt::format("cat > design.sv <<'END'\n{}END\n  {}", asked.texts.at("design"), command_line(said));
    if (answer.has_no_answer()) return result; // a claim is what it answers
    Timing timing;
    timing.cycles = asked.texts.at("how").empty() ? 0 : 1;
    const std::vector<std::string> shown =
        simulated(unit, timing, vectors, folder.file("plain.sv", asked.texts.at("plain")));
    if (shown.empty()) return result; // of an expression that the simulator does not take
    result.claims = 1;
    std::istringstream in(answer.out);
    std::string line;
    std::getline(in, line); // the header
    for (std::size_t i = 0; i < shown.size() && std::getline(in, line); ++i) {
        const auto observed = nlohmann::json::parse(line);
        if (!observed.contains("d")) continue; // it is not defined
        const std::uint64_t d = std::stoull(observed.at("d").get<std::string>(), nullptr, 16);
        if (digits(d, result_width(unit)) == shown[i]) continue;
        result.wrong = fmt::format("'{}': for {} it is said to give {}, and in simulation {}", asked.texts.at("name"),
                                   as_options(unit, vectors[i].inputs()), digits(d, result_width(unit)), shown[i]);
        return result;
    }
    return result;
}

} // namespace

Kind traits_read() {
    return {"traits",
            "a design with a trait of SystemVerilog is read as a simulator does (run rtl:), against simulation on all "
            "inputs",
            drawn_trait,
            compared_trait,
            nullptr,
            missing_tools};
}

} // namespace discern::claims
