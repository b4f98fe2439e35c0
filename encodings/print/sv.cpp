// A unit as SystemVerilog: one combinational module, a wire for everything that has a name, and nothing of the language
// beyond what every tool reads: words, operators of words, and assignments.
#include "forms.hpp"
#include "ports.hpp"

#include "encodings/datapath/datapath.hpp"

#include "models/format.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace discern::rtl {

namespace {

std::string literal(const Bits& value) { return sentence(value.width(), "'h", value.hex()); }

/// A comment in letters that every tool reads.
std::string plain_letters(std::string text) {
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"−", "-"}, {"…", "..."}})
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) text.replace(at, from.size(), to);
    return text;
}

class SvPrinter {
  public:
    SvPrinter(const Datapath& datapath, bool pipeline, std::string& out)
        : datapath_(datapath), t_(datapath.terms), pipeline_(pipeline), out_(out) {}

    /// Edges of the clock from the operands to d.
    int latency() { return pipeline_ ? stage_of(datapath_.d) + 1 : 0; }

    void print() {
        std::string body;
        std::swap(out_, body);
        print_wires();
        std::swap(out_, body);
        std::string steps;
        for (const auto& [name, delay] : delays_)
            for (int i = 1; i <= delay.stages; ++i) {
                out_ += "  reg " + range(delay.width) + delayed(name, i) + ";\n";
                steps += "    " + delayed(name, i) + " <= " + delayed(name, i - 1) + ";\n";
            }
        out_ += body;
        if (pipeline_) out_ += "\n  always @(posedge clk) begin\n" + steps + "    d <= " + result_ + ";\n  end\n";
        if (!pipeline_) out_ += "\n  assign d = " + result_ + ";\n";
    }

  private:
    static std::string range(int width) { return width == 1 ? "" : sentence("[", width - 1, ":0] "); }
    static std::string delayed(const std::string& name, int by) { return by == 0 ? name : sentence(name, "_q", by); }

    /// After how many registers a term is there: sums, and what is made of them, are a stage of their own each.
    int stage_of(Term x) {
        if (!pipeline_) return 0;
        const Term roots[] = {x};
        for (const Term y : t_.cone(roots)) {
            if (stages_.contains(y.id)) continue;
            int stage = 0;
            for (const Term arg : t_.args(y)) stage = std::max(stage, stages_.at(arg.id));
            stages_[y.id] = stage + (begins_stage_.contains(y.id) ? 1 : 0);
        }
        return stages_.at(x.id);
    }

    /// A wire as the wire that is being defined sees it.
    std::string seen(Term x, const std::string& name) {
        const int by = stage_ - stage_of(x);
        if (by <= 0) return name;
        Delay& delay = delays_[name];
        delay = {std::max(delay.stages, by), t_.width(x)};
        return delayed(name, by);
    }

    void print_wires() {
        for (const Datapath::Line& line : datapath_.lines)
            if (line.begins_stage) begins_stage_.insert(line.term.id);
        const Term roots[] = {datapath_.d};
        for (const Term x : t_.cone(roots)) {
            needed_.insert(x.id);
            for (const Term arg : t_.args(x)) ++uses_[arg.id];
        }
        for (const OperandPort& port : operand_ports(t_, datapath_.inputs)) {
            if (port.patterns.size() > 1 || port.name != "c") out_ += "  // " + port.name + " by element\n";
            for (std::size_t i = 0; i < port.patterns.size(); ++i) {
                const Term pattern = port.patterns[i];
                if (port.patterns.size() == 1 && t_.name(pattern) == port.name) {
                    names_[pattern.id] = port.name;
                    continue; // at stage 0, as all operands are
                }
                const int low = static_cast<int>(i) * port.pattern;
                declare(pattern, t_.name(pattern), sentence(port.name, "[", low + port.pattern - 1, ":", low, "]"), "");
            }
        }
        for (const Datapath::Line& line : datapath_.lines) {
            if (line.name.empty() || t_.is_constant(line.term)) continue;
            if (needed_.contains(line.term.id)) wanted_.try_emplace(line.term.id, line.name);
            // Of a bit perhaps only the opposite is needed.
            const Term opposite = opposite_of(line.term);
            if (t_.width(line.term) == 1 && !needed_.contains(line.term.id) && needed_.contains(opposite.id))
                opposites_.try_emplace(opposite.id, line.name, line.term);
        }
        std::string heading;
        for (const Datapath::Line& line : datapath_.lines) {
            if (line.name.empty()) {
                heading = line.text;
                continue;
            }
            const Term term = needed_.contains(line.term.id) ? line.term : opposite_of(line.term);
            if (name_wanted(term) != line.name || names_.contains(term.id)) continue;
            if (!heading.empty()) out_ += "\n  // ---- " + plain_letters(heading) + "\n";
            heading.clear();
            define(term, line.text);
        }
        prepare(datapath_.d);
        stage_ = stage_of(datapath_.d);
        result_ = expression(datapath_.d);
    }

    /// The operand of a negation; of another term, the term.
    Term opposite_of(Term term) const { return t_.op(term) == Op::bvnot ? t_.args(term)[0] : term; }

    std::string name_wanted(Term term) const {
        if (const auto wanted = wanted_.find(term.id); wanted != wanted_.end()) return wanted->second;
        const auto opposite = opposites_.find(term.id);
        return opposite == opposites_.end() ? "" : opposite->second.first;
    }

    /// A wire for a term, and before it those that it needs.
    void define(Term term, const std::string& comment) {
        prepare_arguments(term);
        const std::string name = name_wanted(term);
        stage_ = stage_of(term);
        if (const auto opposite = opposites_.find(term.id);
            !wanted_.contains(term.id) && opposite != opposites_.end()) {
            declare(opposite->second.second, name, operation(opposite->second.second), comment);
            names_[term.id] = "~" + name;
            return;
        }
        declare(term, name.empty() ? sentence("t", helpers_++) : name, operation(term), comment);
    }

    void declare(Term term, const std::string& name, const std::string& value, const std::string& comment) {
        out_ += "  wire " + range(t_.width(term)) + name + " = " + value + ";";
        if (!comment.empty()) out_ += "  // " + plain_letters(comment);
        out_ += "\n";
        names_[term.id] = name;
    }

    bool needs_wire(Term x, bool is_sliced) const {
        if (names_.contains(x.id) || t_.is_constant(x)) return is_sliced && t_.is_constant(x);
        // In an expression an arithmetic shift is one only if all of it has signs.
        if (is_sliced || t_.op(x) == Op::bvashr || !name_wanted(x).empty()) return true;
        const auto uses = uses_.find(x.id);
        const bool simple = t_.op(x) == Op::extract || t_.op(x) == Op::bvnot || t_.op(x) == Op::zero_extend;
        return uses != uses_.end() && uses->second > 1 && !simple;
    }

    /// Sees to it that the operands can be written.
    void prepare_arguments(Term x) {
        const bool slices = t_.op(x) == Op::extract || t_.op(x) == Op::sign_extend;
        for (const Term arg : t_.args(x)) {
            if (needs_wire(arg, slices))
                define(arg, "");
            else
                prepare(arg);
        }
    }

    void prepare(Term x) {
        if (names_.contains(x.id) || t_.is_constant(x)) return;
        prepare_arguments(x);
    }

    std::string expression(Term x) {
        if (const auto named = names_.find(x.id); named != names_.end())
            return named->second.front() == '~' ? "(~" + seen(x, named->second.substr(1)) + ")"
                                                : seen(x, named->second);
        if (t_.is_constant(x)) return literal(t_.value(x));
        const std::string text = operation(x);
        const bool closed = t_.op(x) == Op::concat || t_.op(x) == Op::zero_extend || t_.op(x) == Op::extract ||
                            t_.op(x) == Op::sign_extend;
        return closed ? text : "(" + text + ")";
    }

    std::string joined(Term x, const char* with) {
        std::string text;
        for (const Term arg : t_.args(x)) text += (text.empty() ? "" : std::string(" ") + with + " ") + expression(arg);
        return text;
    }

    std::string sum(Term x) {
        std::string text;
        int number = 0;
        for (const Term arg : t_.args(x)) {
            if (number > 0 && number % 2 == 0 && t_.args(x).size() > 4) text += "\n     "; // a long one by pairs
            ++number;
            const bool minus = !text.empty() && t_.op(arg) == Op::bvneg && !names_.contains(arg.id);
            text += text.empty() ? "" : minus ? " - " : " + ";
            text += expression(minus ? t_.args(arg)[0] : arg);
        }
        return text;
    }

    /// Parts of a word, the highest first.
    void parts(Term x, std::string& text) {
        if (t_.op(x) == Op::concat && !names_.contains(x.id)) {
            parts(t_.args(x)[0], text);
            parts(t_.args(x)[1], text);
            return;
        }
        text += (text.empty() ? "" : ", ") + expression(x);
    }

    /// ~x, as a comparison the other way round, or as the "or" that was written.
    std::string negation(Term x) {
        if (const auto named = names_.find(x.id); named != names_.end())
            return named->second.front() == '~' ? seen(x, named->second.substr(1)) : "~" + seen(x, named->second);
        if (t_.op(x) == Op::eq) return joined(x, "!=");
        if (t_.op(x) != Op::bvand) return "~" + expression(x);
        return opposite_expression(t_.args(x)[0]) + " | " + opposite_expression(t_.args(x)[1]);
    }

    std::string opposite_expression(Term x) {
        if (t_.op(x) == Op::bvnot && !names_.contains(x.id)) return expression(t_.args(x)[0]);
        const auto named = names_.find(x.id);
        if (named != names_.end() && named->second.front() == '~') return seen(x, named->second.substr(1));
        return "(" + negation(x) + ")";
    }

    std::string operation(Term x) {
        const auto args = t_.args(x);
        switch (t_.op(x)) {
        case Op::constant: return literal(t_.value(x));
        case Op::variable: return t_.name(x);
        case Op::bvnot: return negation(args[0]);
        case Op::bvneg: return "-" + expression(args[0]);
        case Op::bvand: return joined(x, "&");
        case Op::bvor: return joined(x, "|");
        case Op::bvxor: return joined(x, "^");
        case Op::bvadd: return sum(x);
        case Op::bvmul: return joined(x, "*");
        case Op::bvshl: return joined(x, "<<");
        case Op::bvlshr: return joined(x, ">>");
        case Op::bvult: return joined(x, "<");
        case Op::eq: return joined(x, "==");
        case Op::ite: return expression(args[0]) + " ? " + expression(args[1]) + " : " + expression(args[2]);
        case Op::concat: {
            std::string text;
            parts(args[0], text);
            parts(args[1], text);
            return "{" + text + "}";
        }
        case Op::extract: {
            const int low = t_.low(x), high = low + t_.width(x) - 1;
            if (t_.width(args[0]) == 1) return expression(args[0]);
            return sentence(expression(args[0]), "[", high == low ? "" : sentence(high, ":"), low, "]");
        }
        case Op::zero_extend: return sentence("{", t_.width(x) - t_.width(args[0]), "'d0, ", expression(args[0]), "}");
        case Op::sign_extend: {
            const int width = t_.width(args[0]);
            const std::string word = expression(args[0]);
            return sentence("{{", t_.width(x) - width, "{", word, width == 1 ? "" : sentence("[", width - 1, "]"),
                            "}}, ", word, "}");
        }
        case Op::bvashr: return "$signed(" + expression(args[0]) + ") >>> " + expression(args[1]);
        case Op::bvumax: break;
        }
        throw std::logic_error("a datapath has an operation that SystemVerilog is not printed for");
    }

    const Datapath& datapath_;
    const Terms& t_;
    bool pipeline_;
    std::string& out_;
    std::string result_;
    int stage_ = 0; ///< of what is being written
    struct Delay {
        int stages = 0, width = 1;
    };
    std::map<std::string, Delay> delays_; ///< by wire
    std::unordered_map<std::uint32_t, int> stages_;
    std::unordered_set<std::uint32_t> begins_stage_;
    std::unordered_set<std::uint32_t> needed_;
    std::unordered_map<std::uint32_t, int> uses_;
    std::unordered_map<std::uint32_t, std::string> wanted_, names_;
    std::unordered_map<std::uint32_t, std::pair<std::string, Term>> opposites_; ///< a name, and the term it is of
    int helpers_ = 0;
};

} // namespace

std::string to_systemverilog(const UnitToWrite& what) {
    const Datapath datapath(what.unit, what.flags);
    const Unit& unit = what.unit;
    std::string body;
    SvPrinter printer(datapath, what.pipeline, body);
    printer.print();
    const int edges = printer.latency();
    const std::string timing = what.pipeline ? sentence("// d of one dot product, ", edges,
                                                        " edges of clk after its operands (--cycles ", edges, ").")
                                             : sentence("// ", what.of_d(), " of one dot product, combinational.");
    std::string out = sentence(
        "// ", what.name, "\n//\n// ", to_string(unit), "\n//\n", timing,
        " Operands are packed in the order of k, element 0 lowest: K = ", unit.K, ",\n// in ",
        counted(static_cast<std::size_t>(unit.blocks()), "block"), " of ", unit.L,
        ". Wires are named after the nodes of the tree above: p products, g groups, c the\n// accumulator, f sums, r "
        "roundings; numbers that count \"above N\" are N more than the wire.\n//\n// Written by: ",
        what.origin, "\n// ", licence_line, "\n\n");
    // Bits that no operand needs (the sign of an unsigned format, padding) and bits that a truncation drops are not
    // read.
    out += "/* verilator lint_off DECLFILENAME */ // the module's name is not the file's\n"
           "/* verilator lint_off UNUSEDSIGNAL */ // what a truncation drops is not read\n"
           "module " +
           what.symbol + " (\n";
    if (what.pipeline) out += "    input  wire clk,\n";
    for (const OperandPort& port : operand_ports(datapath.terms, datapath.inputs))
        out += sentence("    input  wire [", port.width - 1, ":0] ", port.name, ",\n");
    out += sentence("    output ", what.pipeline ? "reg " : "wire", " [", datapath.terms.width(datapath.d) - 1,
                    ":0] d\n);\n");
    return out + body + "endmodule\n";
}

} // namespace discern::rtl
