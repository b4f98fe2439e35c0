// `prove UNIT rtl:FILE`: small designs against a simulator, on all inputs, or on all for a value of c that one vector
// in 65,536 has; those with registers on long streams of operations from the reset. The bench is this file's own.
#include "claims/ask.hpp"
#include "claims/designs/verilog.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"
#include "folder.hpp"

#include "models/format.hpp"
#include "models/notation.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace discern::claims {

namespace {

using discern::testing::Folder;

constexpr int most_bits = 11;
constexpr std::size_t streamed = 3000; ///< operations in an order at random

/// A unit whose c has 16 bits, with a design that does something of its own for one of its values.
Case drawn_rare(Random& random) {
    Case asked;
    const Unit unit = parse_unit("fix4.0*fix4.0+fix16.0->fix18.0 K=1 : round[fix18.0 rne](fuse[exact](p*, c))");
    asked.units = {{unit, ""}};
    const std::string value = digits(random.bits(), format(*unit.c).width);
    asked.texts["rare"] = value;
    asked.texts["base"] = "";
    Wrapped wrapped = draw_wrapper(random, unit, "(c == 16'b" + value + ")");
    while (wrapped.timing.cycles > 0) wrapped = draw_wrapper(random, unit, "(c == 16'b" + value + ")");
    asked.texts["wrapper"] = wrapped.text;
    asked.texts["how"] = "";
    return asked;
}

/// The inputs that are compared: all of a small unit; of one with a rare value of c, all others for that value.
std::vector<InputBuffer> inputs_compared(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    std::vector<InputBuffer> all = AllInputs(unit, most_bits).list();
    const auto rare = asked.texts.find("rare");
    if (rare == asked.texts.end()) return all;
    for (std::uint64_t i = 0; i < 256; ++i) {
        InputBuffer x = all.front();
        x.a = {i & 15u};
        x.b = {i >> 4u};
        x.c = std::stoull(rare->second, nullptr, 2);
        all.push_back(x);
    }
    return all;
}

Case drawn_rtl(Random& random) {
    if (random.one_in(3)) {
        Case rare = drawn_rare(random);
        if (random.one_in(2)) rare.options.emplace_back("--reader yosys");
        return rare;
    }
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 8 : most_bits;
    size.scales = random.one_in(4);
    const Unit unit = draw_unit(random, size);
    asked.units = {{unit, ""}};
    const int what = random.below(8);
    if (what == 0) asked.units.push_back({draw_variant(random, unit), ""}); // the design is another unit
    std::string base;
    if (what == 1 && input_bits(unit) <= 9) base = draw_table(random, unit);
    if (what == 2) {
        base = ask({"export", "--as", "sv", asked.units.back().text()}).out;
        base = with_mutant(random, base);
    }
    const Wrapped wrapped = draw_wrapper(random, unit);
    asked.texts["base"] = base;
    asked.texts["wrapper"] = wrapped.text;
    std::string how;
    for (const std::string& option : wrapped.timing.options()) how += (how.empty() ? "" : " ") + option;
    if (random.one_in(2)) asked.options.emplace_back("--by-cases"); // else they begin after most of these questions end
    asked.texts["how"] = how;
    if (random.one_in(2)) asked.options.emplace_back("--reader yosys"); // else another one is asked, too
    return asked;
}

/// Lines of the wrapper that the wrong answer does not need.
std::vector<Case> simpler_design(const Case& asked) {
    std::vector<Case> list;
    std::istringstream in(asked.texts.at("wrapper"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (std::size_t left_out = 0; left_out < lines.size(); ++left_out) {
        Case one = asked;
        std::string& text = one.texts["wrapper"] = "";
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (i != left_out) text += lines[i] + "\n";
        list.push_back(std::move(one));
    }
    if (!asked.texts.at("base").empty()) {
        Case one = asked;
        one.texts["base"] = "";
        list.push_back(std::move(one));
    }
    return list;
}

Compared compared_rtl(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const Timing timing = Timing::of(asked.texts.at("how"));
    std::string text = asked.texts.at("base");
    if (text.empty()) text = ask({"export", "--as", "sv", asked.units.back().text()}).out;
    text += asked.texts.at("wrapper");
    const Folder folder;
    const std::string design = folder.file("design.sv", text);
    std::vector<std::string> words = {
        "prove", asked.units.front().text(), "rtl:" + design, "--top", "unit", "--json", "--timeout", "3"};
    append(words, {asked.texts.at("how")});
    append(words, asked.options);
    Compared result;
    const Answer answer = ask(words);
    words[2] = "rtl:design.sv";
    result.command = fmt::format("cat > design.sv <<'END'\n{}END\n  {}", text, command_line(words));
    if (answer.has_no_answer()) return result; // a claim is what it answers
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    result.claims = 1;
    // What is shown first: then all inputs, and some in another order.
    std::vector<InputBuffer> vectors;
    std::size_t first = 0;
    if (verdict == "different") {
        for (const auto& vector : said.contains("sequence") ? said["sequence"] : said.at("vectors"))
            vectors.push_back(inputs_of(unit, vector));
        first = vectors.size();
    } else {
        const std::vector<InputBuffer> all = inputs_compared(asked);
        // Other orders: operations that are near each other, and any.
        Random random(all.size());
        vectors = all;
        for (std::size_t i = 0; i < streamed; ++i) {
            const auto any = static_cast<std::size_t>(random.below(static_cast<int>(all.size())));
            vectors.push_back(random.one_in(4) ? vectors.back() : all[any]);
        }
    }
    const std::vector<std::string> shown = simulated(unit, timing, vectors, design);
    if (shown.empty()) {
        result.claims = 0;
        return result;
    }
    bool differs = false;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const Inputs x = vectors[i].inputs();
        const std::uint64_t d = evaluate_exactly(unit, x);
        const bool is_number = shown[i].find_first_not_of("01") == std::string::npos;
        const bool same = is_number && same_result(unit, d, std::stoull(shown[i], nullptr, 2));
        differs = differs || (is_number && !same);
        if (verdict != "equivalent" || same) continue;
        result.wrong =
            fmt::format("said to be the same; but vector {} of the stream, {}, gives {} and in simulation {}", i,
                        as_options(unit, x), digits(d, result_width(unit)), shown[i]);
        return result;
    }
    if (first > 0 && !differs) result.wrong = "said to differ on vectors on which a simulator gives the same results";
    return result;
}

} // namespace

Kind designs() {
    return {"rtl",
            "a small design in Verilog is the unit, or differs (prove rtl:), against simulation on all inputs",
            drawn_rtl,
            compared_rtl,
            simpler_design,
            missing_tools};
}

} // namespace discern::claims
