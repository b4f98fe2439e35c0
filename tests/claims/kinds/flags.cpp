// `prove UNIT rtl:FILE --flags-port PORT`: a design that is a table of the flags of all inputs, by an account that
// knows neither the oracle nor the formula of flags, with one flag of one input changed in half of them.
#include "claims/ask.hpp"
#include "claims/designs/verilog.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"
#include "folder.hpp"
#include "models/oracle/small_format.hpp"

#include "models/notation.hpp"

#include <fmt/format.h>

namespace discern::claims {

namespace {

constexpr int most_flag_bits = 12;
const std::vector<std::string> small_formats = {"e2m1ieee", "e2m2ieee", "e3m1ieee", "e2m3ieee", "e3m2ieee"};

Case drawn_flags(Random& random) {
    Case asked;
    Unit unit;
    do {
        const std::string a = any_of(random, small_formats), b = any_of(random, small_formats),
                          c = any_of(random, small_formats), d = any_of(random, small_formats);
        const auto mode = static_cast<Rounding>(random.below(static_cast<int>(rounding_names.size())));
        const bool adds = !random.one_in(4);
        unit = parse_unit(fmt::format("{}*{}{}->{} K=1 nan=any : round[{} {}](fuse[exact](p*{}))", a, b,
                                      adds ? "+" + c : "", d, d, name(mode), adds ? ", c" : ""));
    } while (input_bits(unit) > most_flag_bits);
    asked.units = {{unit, ""}};
    asked.texts["tininess"] = tininess_names[random.one_in(2) ? 1 : 0];
    if (random.one_in(2)) { // the input and the bit that are changed
        asked.texts["input"] = std::to_string(random.below(1 << input_bits(unit)));
        asked.texts["bit"] = std::to_string(random.below(static_cast<int>(status_flag_names.size())));
    }
    if (random.one_in(2)) asked.options.emplace_back("--by-cases");
    return asked;
}

/// The flags of each input, in the order of AllInputs.
std::vector<StatusFlags> right_flags(const Unit& unit, Tininess tininess) {
    const tests::SmallFormat d(unit.d);
    const Rounding mode = std::get<Round>(unit.tree.kind).mode;
    std::vector<StatusFlags> all;
    for (const InputBuffer& x : AllInputs(unit).list())
        all.push_back(tests::flags_of_operation(d, unit.a, x.a.front(), unit.b, x.b.front(),
                                                unit.c ? std::optional(std::pair{*unit.c, x.c}) : std::nullopt, mode,
                                                tininess));
    return all;
}

std::string table_of(const Unit& unit, const std::vector<StatusFlags>& flags) {
    std::string ports, all, rows;
    for (const PortWidth& port : operand_ports(unit)) {
        ports += fmt::format("input wire [{}:0] {}, ", port.width - 1, port.name);
        all += (all.empty() ? "" : ", ") + port.name;
    }
    const std::vector<InputBuffer> inputs = AllInputs(unit).list();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::string key =
            digits(inputs[i].a.front(), format(unit.a).width) + digits(inputs[i].b.front(), format(unit.b).width);
        if (unit.c) key += digits(inputs[i].c, format(*unit.c).width);
        rows += fmt::format("    {}'b{}: fflags = 5'b{};\n", key.size(), key, digits(flags[i], 5));
    }
    return fmt::format(
        "module unit({}output reg [4:0] fflags);\n  always @*\n    case ({{{}}})\n{}    default: fflags = "
        "5'bx;\n    endcase\nendmodule\n",
        ports, all, rows);
}

Compared compared_flags(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const std::string& tininess = asked.texts.at("tininess");
    const std::vector<StatusFlags> right = right_flags(unit, tininess_from_name(tininess).value());
    std::vector<StatusFlags> given = right;
    const bool is_changed = asked.texts.contains("input");
    if (is_changed) {
        StatusFlags& one = given.at(std::stoul(asked.texts.at("input")));
        one = static_cast<StatusFlags>(one ^ 1u << std::stoul(asked.texts.at("bit")));
    }
    const testing::Folder folder;
    std::vector<std::string> words = {"prove",
                                      asked.units.front().text(),
                                      "rtl:" + folder.file("flags.v", table_of(unit, given)),
                                      "--top",
                                      "unit",
                                      "--flags-port",
                                      "fflags",
                                      "--tininess",
                                      tininess,
                                      "--json",
                                      "--timeout",
                                      "10"};
    append(words, asked.options);
    Compared result;
    const Answer answer = ask(words);
    words[2] = "rtl:flags.v";
    result.command = fmt::format("cat > flags.v <<'END'\n{}END\n  {}", table_of(unit, given), command_line(words));
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    result.claims = 1;
    if (verdict == "equivalent") {
        if (is_changed) result.wrong = "a flag of one input is another, and the design is said to be right";
        if (result.wrong.empty()) result.wrong = wrong_ground(said.at("ground"), true);
        return result;
    }
    const auto& shown = said.at("vectors").front();
    const InputBuffer x = inputs_of(unit, shown);
    const std::vector<InputBuffer> inputs = AllInputs(unit).list();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].a != x.a || inputs[i].b != x.b || (unit.c && inputs[i].c != x.c)) continue;
        const auto digit_pairs = shown.at("d").get<std::vector<std::string>>();
        if (right[i] == given[i])
            result.wrong = "the flags of a vector are said to differ, and are the same";
        else if (digit_pairs != std::vector<std::string>{flag_digits(right[i]), flag_digits(given[i])})
            result.wrong =
                fmt::format("flags of a vector are said to be {} and {}, and are {} and {}", digit_pairs.at(0),
                            digit_pairs.at(1), flag_digits(right[i]), flag_digits(given[i]));
        return result;
    }
    result.wrong = "a vector is shown that the unit does not have";
    return result;
}

} // namespace

Kind flags_of_designs() {
    return {"flags",
            "the flags of a small design are those of a multiply-add, or differ (prove rtl: --flags-port), against all "
            "inputs by another account of IEEE 754's flags",
            drawn_flags,
            compared_flags,
            nullptr,
            missing_tools};
}

} // namespace discern::claims
