// `prove UNIT rtl:FILE --valid … --ready …`: small units in shells drawn from parts, against a simulator with random
// stalls. "equivalent … whatever waits" is about any number of edges, and a mistake of a handshake shows only after
// stalls of a certain kind; so some ten thousand edges are run, from many resets on.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "folder.hpp"
#include "streamed.hpp"
#include "verilog.hpp"

#include "certificate/check.hpp"
#include "models/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <regex>

namespace discern::claims {

namespace {

constexpr int most_bits_in_shells = 12;
constexpr int ways_of_replay = 64; ///< to fill the ports at edges at which nothing is taken
constexpr int edges_beyond = 2 * longest_wait;
constexpr int most_cycles = 15; ///< asked about
constexpr int most_draws = 100; ///< until a simulator shows a latency

constexpr const char* units_in_shells[] = {
    "fix4.0*fix4.0+fix4.0->fix9.0 K=1 : round[fix9.0 rne](fuse[exact](p*, c))",
    "e2m1fn*e2m1fn+e4m3fn->e4m3fn K=1 : round[e4m3fn rne](fuse[exact](p*, c))",
    "fix3.0*fix3.0->fix7.0 K=2 : round[fix7.0 rne](fuse[exact](p*))",
};

std::string text_of(const Case& asked, const Shell& shell) {
    return ask({"export", "--as", "sv", asked.units.back().text()}).out + shell.verilog(asked.units.front().unit);
}

/// Edges that a result needs, as a simulator shows it of the shell without its mistake; nothing if it has another one.
std::optional<int> latency_of(Random& random, const Case& asked, const Shell& shell) {
    const Unit& unit = asked.units.front().unit;
    const testing::Folder folder;
    const std::string design = folder.file("design.sv", text_of(asked, shell.without_mistake()));
    const std::vector<OfferedEdge> edges = draw_edges(random, unit, shell.is_taken);
    const std::vector<SeenEdge> seen = seen_at(unit, shell, edges, {}, design);
    EdgeJudge judge(unit, std::numeric_limits<int>::max() / 2);
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (judge.edge(edges[i], seen[i])) return std::nullopt;
    return seen.empty() ? std::nullopt : std::optional(judge.latency());
}

Case drawn_handshake(Random& random) {
    Case asked;
    std::optional<int> latency;
    Shell shell;
    for (int tries = 0; tries < most_draws && (!latency || *latency > most_cycles); ++tries) {
        Unit unit = parse_unit(units_in_shells[random.below(static_cast<int>(std::size(units_in_shells)))]);
        if (random.one_in(3)) {
            Size size;
            size.most_bits = most_bits_in_shells;
            size.scales = random.one_in(4);
            unit = draw_unit(random, size);
        }
        asked.units = {{unit, ""}};
        shell = draw_shell(random, unit);
        latency = latency_of(random, asked, shell);
    }
    int cycles = latency.value_or(1);
    if (random.one_in(8)) cycles = random.one_in(2) ? std::max(0, cycles - 1) : cycles + 1;
    asked.texts["shell"] = shell.text();
    asked.texts["cycles"] = std::to_string(cycles);
    asked.texts["seed"] = std::to_string(random.bits());
    if (random.one_in(2)) asked.options.emplace_back("--reader yosys");
    if (random.one_in(2)) asked.texts["certificate"] = "asked for";
    return asked;
}

/// A part less, or without its mistake, or with fewer edges.
std::vector<Case> simpler_shell(const Case& asked) {
    const Shell shell = Shell::of(asked.texts.at("shell"));
    std::vector<Case> list;
    const auto add = [&](const Shell& simpler) {
        if (simpler.text() == shell.text()) return;
        list.push_back(asked);
        list.back().texts["shell"] = simpler.text();
    };
    for (std::size_t i = 0; i < shell.parts.size(); ++i) {
        if (shell.parts[i].kind == "unit") continue;
        Shell simpler = shell;
        simpler.parts.erase(simpler.parts.begin() + static_cast<std::ptrdiff_t>(i));
        add(simpler);
        simpler = shell;
        simpler.parts[i].mistake.clear();
        add(simpler);
        simpler = shell;
        simpler.parts[i].edges = "0";
        add(simpler);
    }
    for (bool Shell::*const flag : {&Shell::low, &Shell::at_once, &Shell::is_taken}) {
        Shell simpler = shell;
        simpler.*flag = false;
        add(simpler);
    }
    return list;
}

/// What is wrong with "equivalent"; empty: nothing that shows; nothing: no simulator takes the design.
/// @param longest  edges at which all is offered and nothing taken, that are too many
std::optional<std::string> refuted(const Case& asked, const Shell& shell, int cycles, int longest,
                                   const std::string& by, const std::string& design) {
    const Unit& unit = asked.units.front().unit;
    Random random(std::stoull(asked.texts.at("seed")));
    std::vector<std::string> in_order;
    for (int i = 0; i < 512; ++i) in_order.push_back(draw_operands(random, unit));
    const std::vector<OfferedEdge> edges = draw_edges(random, unit, shell.is_taken);
    const std::vector<SeenEdge> seen = seen_at(unit, shell, edges, in_order, design);
    if (seen.empty()) return std::nullopt;
    // What is said of some edges alone is not said of those after them.
    static const std::regex within("whatever waits within ([0-9]+) edges");
    std::smatch number;
    std::size_t last = SIZE_MAX;
    if (std::regex_search(by, number, within)) last = std::stoul(number[1]);
    EdgeJudge judge(unit, cycles, longest);
    std::string valid, ready;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (edges[i].reset) valid.clear(), ready.clear();
        const auto trouble = judge.edge(edges[i], seen[i]);
        if (edges[i].reset) continue;
        valid += edges[i].valid ? '1' : '0';
        ready += edges[i].ready ? '1' : '0';
        if (!trouble || valid.size() > last) continue;
        return fmt::format("said to be the same; but in simulation {} after {} edges, operation {}; edge by edge, "
                           "operands are offered {} and results taken {}",
                           in_words(*trouble), valid.size() - 1, judge.results() + 1, valid, ready);
    }
    return "";
}

/// What is wrong with the run that is shown; empty if a simulator shows the same trouble at its last edge.
std::optional<std::string> not_shown(const Case& asked, const Shell& shell, int cycles, const nlohmann::json& said,
                                     const std::string& design) {
    const Unit& unit = asked.units.front().unit;
    if (!said.contains("stalls") || !said.contains("sequence")) return "said to differ without a run that shows it";
    const std::string words = said.at("stalls").at("wrong");
    const std::string valid = said["stalls"].at("valid"), ready = said["stalls"].at("ready");
    if (valid.size() != ready.size() || valid.empty()) return "the run that is shown has edges of one port alone";
    std::vector<std::string> in_order;
    for (const auto& vector : said["sequence"]) {
        const InputBuffer x = inputs_of(unit, vector);
        const std::string d = digits(evaluate_exactly(unit, x.inputs()), result_width(unit));
        const std::string first = vector.at("d").at(0);
        if (std::stoull(first, nullptr, 16) != std::stoull(d, nullptr, 2))
            return "shown with a result that is not the unit's: " + vector.dump();
        in_order.push_back(operands_in_binary(unit, x.inputs()));
    }
    const bool is_stuck = words.starts_with(in_words(Trouble::stuck));
    Random random(std::stoull(asked.texts.at("seed")));
    std::vector<OfferedEdge> edges;
    for (int way = 0; way < ways_of_replay; ++way) {
        add_reset(edges, draw_operands(random, unit));
        std::string others = draw_operands(random, unit);
        for (std::size_t i = 0; i < valid.size() + (is_stuck ? edges_beyond : 0); ++i) {
            const bool beyond = i >= valid.size();
            if (way % 2 == 1) others = draw_operands(random, unit);
            if (way % 4 == 2 && !in_order.empty()) others = any_of(random, in_order);
            edges.push_back({false, beyond || valid[i] == '1', beyond || ready[i] == '1', true, others});
            edges.back().in_order = edges.back().valid;
        }
    }
    const std::vector<SeenEdge> seen = seen_at(unit, shell, edges, in_order, design);
    if (seen.empty()) return std::nullopt;
    // Where operands are never taken again, nothing else is wrong up to the last edge, and none are taken at it or
    // beyond.
    EdgeJudge judge(unit, cycles, is_stuck ? std::numeric_limits<int>::max() : longest_wait);
    std::string instead = "nothing is wrong";
    std::size_t at = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        at = edges[i].reset ? 0 : at + 1;
        const auto trouble = judge.edge(edges[i], seen[i]);
        if (is_stuck && at == valid.size() + edges_beyond && judge.waited() > edges_beyond) return "";
        if (!trouble) continue;
        if (at == valid.size() && words.starts_with(in_words(*trouble))) return "";
        instead = fmt::format("{} after {} edges", in_words(*trouble), at - 1);
    }
    return fmt::format("said to differ as {}; but in simulation {}", said["stalls"].dump(), instead);
}

Compared compared_handshake(const Case& asked) {
    const Shell shell = Shell::of(asked.texts.at("shell"));
    const int cycles = std::stoi(asked.texts.at("cycles"));
    const std::string text = text_of(asked, shell);
    const testing::Folder folder;
    const std::string design = folder.file("design.sv", text);
    std::vector<std::string> words = {
        "prove", asked.units.front().text(), "rtl:" + design, "--top", "unit", "--json", "--timeout", "20"};
    append(words, shell.options(cycles));
    append(words, asked.options);
    const std::string path = folder.path("certificate");
    if (asked.texts.contains("certificate")) append(words, {"--certificate", path});
    Compared result;
    const Answer answer = ask(words);
    words[2] = "rtl:design.sv";
    if (words.back() == path) words.back() = "certificate";
    result.command = fmt::format("cat > design.sv <<'END'\n{}END\n  {}", text, command_line(words));
    if (answer.has_no_answer()) return result; // as where a mistake may read registers that no reset sets
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    const bool is_same = verdict == "equivalent";
    int longest = longest_wait;
    if (std::filesystem::exists(path + "/claim.json")) {
        const certificate::Checked checked = certificate::check_certificate(path);
        const auto& claimed = checked.handshake;
        if (!checked.refused.empty() || !claimed || claimed->cycles != cycles ||
            claimed->reset_edges > edges_of_reset) {
            result.wrong = checked.refused.empty() ? "a certificate of another claim"
                                                   : "a certificate that was made is refused: " + checked.refused;
            return result;
        }
        longest = std::min(longest, claimed->most_patience() + 1);
    }
    const auto wrong = is_same ? refuted(asked, shell, cycles, longest, said.at("by"), design)
                               : not_shown(asked, shell, cycles, said, design);
    // A mistake may read what the ports hold at edges at which nothing is taken, and that is not in the answer.
    const auto reads_ports = [](const ShellPart& part) { return part.when.find('[') != std::string::npos; };
    if (!wrong || (!is_same && !wrong->empty() && std::ranges::any_of(shell.parts, reads_ports))) return result;
    result.claims = 1;
    result.wrong = *wrong;
    return result;
}

} // namespace

Kind handshakes() {
    return {"handshakes",
            "a small design with a handshake is the unit whatever waits, or a run shows that it is not (prove rtl: "
            "--valid --ready), against simulation with random stalls",
            drawn_handshake,
            compared_handshake,
            simpler_shell,
            missing_tools};
}

} // namespace discern::claims
