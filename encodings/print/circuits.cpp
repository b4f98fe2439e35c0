// A unit as circuits that model checkers read: binary AIGER (Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007)
// and BTOR2 (Niemetz et al., "Btor2, BtorMC and Boolector 3.0", 2018).
#include "forms.hpp"
#include "ports.hpp"

#include "encodings/datapath/datapath.hpp"
#include "encodings/graph/gates.hpp"

#include "certificate/aiger.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <map>
#include <stdexcept>
#include <unordered_map>

namespace discern::rtl {

std::string to_aiger(const UnitToWrite& what) {
    const Datapath datapath(what.unit, what.flags);
    const Terms& t = datapath.terms;
    Blaster blaster(t);
    std::string symbols;
    int input = 0;
    for (const OperandPort& port : operand_ports(t, datapath.inputs)) {
        int bit = 0;
        for (const Term pattern : port.patterns)
            for (int i = 0; i < static_cast<int>(blaster.bits(pattern).size()); ++i)
                symbols += sentence("i", input++, " ", port.name, "[", bit++, "]\n");
    }
    std::vector<Literal> d = blaster.bits(datapath.d);
    const Netlist used = certificate::without_unused(blaster.netlist(), d);
    std::string text = certificate::to_binary(certificate::and_circuit(used, d, true)) + symbols;
    for (std::size_t i = 0; i < d.size(); ++i) text += sentence("o", i, " d[", i, "]\n");
    return sentence(text, "c\n", what.name, "\n", to_string(what.unit), "\nWritten by: ", what.origin, "\n",
                    licence_line, "\n");
}

namespace {

/// A graph line by line: every line has a number, and names its sort and its operands by theirs.
class Btor2 {
  public:
    Btor2(const Terms& t, std::string& out) : t_(t), out_(out) {}

    void input(const std::string& name, const OperandPort& port) {
        const int whole = line("input", sort(port.width), name);
        for (std::size_t i = 0; i < port.patterns.size(); ++i) {
            const int low = static_cast<int>(i) * port.pattern;
            lines_[port.patterns[i].id] = port.pattern == port.width
                                              ? whole
                                              : line("slice", sort(port.pattern), whole, low + port.pattern - 1, low);
        }
    }

    void output(Term root, const std::string& name) {
        const Term roots[] = {root};
        for (const Term x : t_.cone(roots))
            if (!lines_.contains(x.id)) lines_[x.id] = term(x);
        line("output", of(root), name);
    }

  private:
    template <typename... Parts>
    int line(const Parts&... parts) {
        out_ += sentence(++last_) + (sentence(" ", parts) + ...) + "\n";
        return last_;
    }
    int sort(int width) {
        if (const auto found = sorts_.find(width); found != sorts_.end()) return found->second;
        return sorts_[width] = line("sort bitvec", width);
    }
    int of(Term x) const { return lines_.at(x.id); }

    int term(Term x) {
        static const std::map<Op, const char*> names = {
            {Op::bvnot, "not"}, {Op::bvneg, "neg"},  {Op::bvand, "and"},  {Op::bvor, "or"},  {Op::bvxor, "xor"},
            {Op::bvmul, "mul"}, {Op::bvult, "ult"},  {Op::eq, "eq"},      {Op::ite, "ite"},  {Op::concat, "concat"},
            {Op::bvshl, "sll"}, {Op::bvlshr, "srl"}, {Op::bvashr, "sra"}, {Op::bvadd, "add"}};
        const auto args = t_.args(x);
        const int width = t_.width(x);
        const int s = sort(width);
        if (t_.is_constant(x)) {
            std::string digits;
            for (int i = width; i-- > 0;) digits += t_.value(x).bit(i) ? '1' : '0';
            return line("const", s, digits);
        }
        if (t_.op(x) == Op::extract) return line("slice", s, of(args[0]), t_.low(x) + width - 1, t_.low(x));
        if (t_.op(x) == Op::zero_extend || t_.op(x) == Op::sign_extend)
            return line(t_.op(x) == Op::zero_extend ? "uext" : "sext", s, of(args[0]), width - t_.width(args[0]));
        const auto found = names.find(t_.op(x));
        if (found == names.end()) throw std::logic_error("a datapath has an operation that BTOR2 is not printed for");
        const char* const operation = found->second;
        if (t_.op(x) == Op::bvadd) {
            int sum = of(args[0]);
            for (const Term arg : args.subspan(1)) sum = line(operation, s, sum, of(arg));
            return sum;
        }
        if (t_.op(x) == Op::bvshl || t_.op(x) == Op::bvlshr ||
            t_.op(x) == Op::bvashr) { // the amount is as wide as what is shifted
            const int more = width - t_.width(args[1]);
            const int amount = more == 0 ? of(args[1]) : line("uext", s, of(args[1]), more);
            return line(operation, s, of(args[0]), amount);
        }
        std::string operands = sentence(s);
        for (const Term arg : args) operands += sentence(" ", of(arg));
        return line(operation, operands);
    }

    const Terms& t_;
    std::string& out_;
    std::map<int, int> sorts_;
    std::unordered_map<std::uint32_t, int> lines_;
    int last_ = 0;
};

} // namespace

std::string to_btor2(const UnitToWrite& what) {
    const Datapath datapath(what.unit, what.flags);
    std::string out = sentence("; ", what.name, "\n; ", to_string(what.unit), "\n; Written by: ", what.origin, "\n; ",
                               licence_line, "\n");
    Btor2 lines(datapath.terms, out);
    for (const OperandPort& port : operand_ports(datapath.terms, datapath.inputs)) lines.input(port.name, port);
    lines.output(datapath.d, "d");
    return out;
}

} // namespace discern::rtl
