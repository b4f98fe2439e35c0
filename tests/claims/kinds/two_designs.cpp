// `prove rtl:FILE rtl:FILE`: two small designs give the same bits, or differ, against a simulator on all inputs.
#include "claims/ask.hpp"
#include "claims/designs/verilog.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"
#include "folder.hpp"

#include "models/format.hpp"

#include <fmt/format.h>

namespace discern::claims {

namespace {

constexpr int bits_of_two_designs = 11;

std::string export_of(const WrittenUnit& unit) { return ask({"export", "--as", "sv", unit.text()}).out; }

/// A module `unit` without registers around the module of the text.
std::string wrapped_without_clock(Random& random, const Unit& unit, const std::string& text) {
    Wrapped wrapped;
    do {
        wrapped = draw_wrapper(random, unit);
    } while (wrapped.timing.cycles > 0);
    return text + wrapped.text;
}

Case drawn_two_designs(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 8 : bits_of_two_designs;
    size.scales = false;
    const Unit unit = draw_unit(random, size);
    asked.units = {{unit, ""}};
    const WrittenUnit other = {random.one_in(3) ? draw_variant(random, unit) : unit, ""};
    std::string second = export_of(other);
    if (random.one_in(2)) second = with_mutant(random, second);
    asked.texts["first"] = wrapped_without_clock(random, unit, export_of(asked.units.front()));
    asked.texts["second"] = wrapped_without_clock(random, unit, second);
    return asked;
}

Compared compared_two_designs(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const testing::Folder folder;
    const std::string one = folder.file("one.sv", asked.texts.at("first"));
    const std::string other = folder.file("other.sv", asked.texts.at("second"));
    const auto name = [](FormatId id) { return std::string(format(id).name); };
    const std::string formats =
        name(unit.a) + "," + name(unit.b) + "," + (unit.c ? name(*unit.c) : "-") + "," + name(unit.d);
    std::vector<std::string> words = {"prove", "rtl:" + one, "rtl:" + other,         "--top",  "unit",      "--formats",
                                      formats, "--K",        std::to_string(unit.K), "--json", "--timeout", "3"};
    Compared result;
    const Answer answer = ask(words);
    words[1] = "rtl:one.sv";
    words[2] = "rtl:other.sv";
    result.command = fmt::format("cat > one.sv <<'END'\n{}END\ncat > other.sv <<'END'\n{}END\n  {}",
                                 asked.texts.at("first"), asked.texts.at("second"), command_line(words));
    if (answer.has_no_answer()) return result; // a claim is what it answers
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    std::vector<InputBuffer> vectors;
    if (verdict == "different")
        for (const auto& vector : said.at("vectors")) vectors.push_back(inputs_of(unit, vector));
    else
        vectors = AllInputs(unit, bits_of_two_designs).list();
    const std::vector<std::string> first = simulated(unit, {}, vectors, one);
    const std::vector<std::string> second = simulated(unit, {}, vectors, other);
    if (first.empty() || second.empty()) return result;
    result.claims = 1;
    const auto is_number = [](const std::string& d) { return d.find_first_not_of("01") == std::string::npos; };
    std::size_t differences = 0;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (first[i] == second[i] && is_number(first[i])) continue;
        if (is_number(first[i]) && is_number(second[i])) ++differences;
        if (verdict == "equivalent")
            result.wrong = fmt::format("said to be the same; but {} gives {} and {} in simulation",
                                       as_options(unit, vectors[i].inputs()), first[i], second[i]);
    }
    if (verdict == "different" && differences < vectors.size())
        result.wrong = "said to differ on vectors on which a simulator gives the same results";
    return result;
}

} // namespace

Kind compared_designs() {
    return {"rtl-rtl",
            "two small designs in Verilog give the same bits, or differ (prove rtl: rtl:), against simulation on all "
            "inputs",
            drawn_two_designs,
            compared_two_designs,
            nullptr,
            missing_tools};
}

} // namespace discern::claims
