#include "streamed.hpp"

#include "folder.hpp"
#include "verilog.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace discern::claims {

namespace {

using discern::testing::Folder;

constexpr int resets = 48, edges_of_run = 140;

std::string bench(const Unit& unit, const Shell& shell, std::size_t edges, std::size_t in_order,
                  const std::string& file, const std::string& file_in_order) {
    std::string pins, words, declared;
    int width = 0;
    for (const PortWidth& port : operand_ports(unit)) {
        declared += fmt::format("  wire [{}:0] {};\n", port.width - 1, port.name);
        pins += fmt::format(".{0}({0}), ", port.name);
        words += (words.empty() ? "" : ", ") + port.name;
        width += port.width;
    }
    if (!shell.is_taken) pins += ".orr(ready), ";
    return fmt::format("`timescale 1ns/1ns\nmodule bench;\n  reg clk, reset, valid, ready, next;\n"
                       "  reg [{0}:0] own, offered [0:{1}];\n  reg [{2}:0] line, lines [0:{3}];\n"
                       "  integer i, taken;\n  wire ir, ov;\n  wire [{4}:0] d;\n{5}"
                       "  assign {{{6}}} = next && taken < {7} ? offered[taken] : own;\n"
                       "  unit dut(.clk(clk), .rst(reset ^ 1'b{8}), .iv(valid), .ir(ir), {9}.ov(ov), .d(d));\n"
                       "  initial begin $readmemb(\"{10}\", lines); $readmemb(\"{11}\", offered); clk = 0; taken = 0;\n"
                       "    for (i = 0; i <= {3}; i = i + 1) begin\n"
                       "      {{reset, valid, ready, next, own}} = lines[i];\n"
                       "      #1 $display(\"%b %b %b %b\", ir, ov, d, {{{6}}});\n"
                       "      if (reset) taken = 0;\n      #1 clk = 1;\n"
                       "      #1 clk = 0;\n"
                       "    end\n    $finish;\n  end\n"
                       "  always @(posedge clk) if (!reset && valid && ir === 1'b1) taken <= taken + 1;\n"
                       "endmodule\n",
                       width - 1, std::max<std::size_t>(in_order, 1) - 1, width + 3, edges - 1, result_width(unit) - 1,
                       declared, words, in_order, shell.low ? 1 : 0, pins, file, file_in_order);
}

} // namespace

std::vector<SeenEdge> seen_at(const Unit& unit, const Shell& shell, const std::vector<OfferedEdge>& offered,
                              const std::vector<std::string>& in_order, const std::string& design) {
    const Folder folder;
    std::string lines, list;
    for (const OfferedEdge& edge : offered)
        lines += fmt::format("{:d}{:d}{:d}{:d}{}\n", edge.reset, edge.valid, edge.ready, edge.in_order, edge.operands);
    for (const std::string& operands : in_order) list += operands + "\n";
    if (list.empty()) list = offered.front().operands + "\n";
    const std::string file = folder.file("edges", lines), file_in_order = folder.file("in_order", list);
    const std::string text =
        folder.file("bench.sv", bench(unit, shell, offered.size(), in_order.size(), file, file_in_order));
    const ProcessResult result = run_process(
        fmt::format("iverilog -g2012 -s bench -o {0} {1} {2} && vvp -n {0}", folder.path("out"), text, design), "",
        [] { return false; });
    std::istringstream in(result.output);
    std::vector<SeenEdge> seen;
    for (SeenEdge edge; in >> edge.ready_in >> edge.valid_out >> edge.d >> edge.operands;) seen.push_back(edge);
    if (result.ended != "exit status 0" || seen.size() != offered.size()) return {};
    return seen;
}

const char* in_words(Trouble trouble) {
    switch (trouble) {
    case Trouble::no_operands: return "a result comes for which there were no operands";
    case Trouble::late: return "a result is lost, or late";
    case Trouble::wrong: return "a result is wrong";
    case Trouble::stuck: return "operands are never taken again";
    case Trouble::undefined: break;
    }
    return "a port or a result is x";
}

std::uint64_t EdgeJudge::result_of(const std::string& operands) {
    const auto found = results_of_.find(operands);
    if (found != results_of_.end()) return found->second;
    return results_of_[operands] = evaluate_exactly(unit_, operands_from_binary(unit_, operands).inputs());
}

std::optional<Trouble> EdgeJudge::edge(const OfferedEdge& offered, const SeenEdge& seen) {
    if (offered.reset) {
        on_their_way_.clear();
        waited_ = 0;
        results_ = 0;
        is_over_ = false;
        return std::nullopt;
    }
    if (is_over_) return std::nullopt;
    const auto over = [&](Trouble trouble) {
        is_over_ = true;
        return trouble;
    };
    if (seen.ready_in == 'x' || seen.ready_in == 'z' || seen.valid_out == 'x' || seen.valid_out == 'z')
        return over(Trouble::undefined);
    // One edge more for all that were here before, if a result can be taken now.
    if (offered.ready)
        for (Operation& one : on_their_way_) ++one.edges;
    const bool takes = offered.valid && seen.ready_in == '1';
    if (takes) on_their_way_.push_back({seen.operands, static_cast<int>(on_their_way_.size()), 0});
    waited_ = offered.valid && offered.ready && !takes ? waited_ + 1 : 0;
    if (offered.ready && seen.valid_out == '1') {
        if (on_their_way_.empty()) return over(Trouble::no_operands);
        const Operation one = on_their_way_.front();
        on_their_way_.erase(on_their_way_.begin());
        latency_ = std::max(latency_, one.edges - one.before);
        if (one.edges > cycles_ + one.before) return over(Trouble::late);
        if (seen.d.find_first_not_of("01") != std::string::npos) return over(Trouble::undefined);
        if (!same_result(unit_, result_of(one.operands), std::stoull(seen.d, nullptr, 2))) return over(Trouble::wrong);
        ++results_;
    }
    if (offered.ready)
        for (const Operation& one : on_their_way_)
            if (one.edges >= cycles_ + one.before) return over(Trouble::late);
    if (waited_ >= longest_) return over(Trouble::stuck);
    return std::nullopt;
}

std::string draw_operands(Random& random, const Unit& unit) {
    std::string text;
    for (const PortWidth& port : operand_ports(unit)) text += digits(random.bits(), port.width);
    return text;
}

void add_reset(std::vector<OfferedEdge>& edges, const std::string& operands) {
    for (int i = 0; i < edges_of_reset; ++i) edges.push_back({.reset = true, .operands = operands});
}

std::vector<OfferedEdge> draw_edges(Random& random, const Unit& unit, bool is_taken) {
    /// Whether something is there: always, never for some edges, or so often of eight.
    struct Policy {
        int of_eight, changes_after;
        bool now = true;
        bool next(Random& random) {
            if (changes_after == 0) return random.below(8) < of_eight;
            if (random.one_in(changes_after)) now = !now;
            return now;
        }
    };
    const auto drawn = [&] {
        static constexpr int often[] = {8, 7, 7, 4, 4, 2, 1};
        const int of_eight = often[random.below(static_cast<int>(std::size(often)))];
        const int changes_after = random.one_in(3) ? random.between(2, 6) : 0;
        return Policy{of_eight, changes_after};
    };
    std::vector<OfferedEdge> edges;
    for (int i = 0; i < resets; ++i) {
        add_reset(edges, draw_operands(random, unit));
        Policy valid = drawn(), ready = drawn();
        const bool in_order = random.one_in(2);
        for (int j = 0; j < edges_of_run + longest_wait + 8; ++j) {
            OfferedEdge edge;
            const bool all = j >= edges_of_run;
            edge.valid = valid.next(random) || all;
            edge.ready = ready.next(random) || all || is_taken;
            edge.in_order = in_order && edge.valid;
            edge.operands = draw_operands(random, unit);
            edges.push_back(std::move(edge));
        }
    }
    return edges;
}

} // namespace discern::claims
