// Each inner term is named once and used by its name, in nested lets: boolector knows no define-fun, and all know let.
#include "smtlib.hpp"

#include "models/unit/sentence.hpp"

#include <array>
#include <ostream>
#include <sstream>

namespace discern {

namespace {

// The operators' names, in the order of Op; nothing where the form is special.
constexpr std::array<const char*, 20> names = {
    nullptr, nullptr,  "bvnot",  "bvand", "bvor", "bvxor", "bvneg",  "bvadd", "bvmul", nullptr,
    "bvshl", "bvlshr", "bvashr", "bvult", "=",    "ite",   "concat", nullptr, nullptr, nullptr,
};
static_assert(names.size() == static_cast<std::size_t>(Op::sign_extend) + 1);

std::string reference(const Terms& terms, Term t) {
    if (terms.op(t) == Op::variable) return terms.name(t);
    if (terms.op(t) != Op::constant) return sentence("t", t.id);
    const Bits& value = terms.value(t);
    std::string text = "#b";
    for (int i = value.width(); i-- > 0;) text += value.bit(i) ? '1' : '0';
    return value.width() % 4 == 0 ? "#x" + value.hex() : text;
}

std::string definition(const Terms& terms, Term t) {
    const Op op = terms.op(t);
    const auto args = terms.args(t);
    const auto indexed = [&](const auto&... what) {
        return sentence("((_ ", what..., ") ", reference(terms, args[0]), ")");
    };
    const int more = op == Op::zero_extend || op == Op::sign_extend ? terms.width(t) - terms.width(args[0]) : 0;
    if (op == Op::zero_extend) return indexed("zero_extend ", more);
    if (op == Op::sign_extend) return indexed("sign_extend ", more);
    if (op == Op::extract) return indexed("extract ", terms.low(t) + terms.width(t) - 1, " ", terms.low(t));
    if (op == Op::bvadd) { // two operands at a time: not every solver takes more
        std::string sum = reference(terms, args[0]);
        for (const Term a : args.subspan(1)) sum = "(bvadd " + sum + " " + reference(terms, a) + ")";
        return sum;
    }
    if (op == Op::bvumax) { // two at a time, each partial maximum under a name of its own: boolector shadows none
        std::string largest = reference(terms, args[0]);
        for (std::size_t i = 1; i < args.size(); ++i) {
            const std::string other = reference(terms, args[i]);
            const std::string partial = sentence("m", t.id, "_", i);
            largest = sentence("(let ((", partial, " ", largest, ")) (ite (bvult ", partial, " ", other, ") ", other,
                               " ", partial, "))");
        }
        return largest;
    }
    if (op == Op::ite)
        return sentence("(ite (= ", reference(terms, args[0]), " #b1) ", reference(terms, args[1]), " ",
                        reference(terms, args[2]), ")");
    std::string text = "(" + std::string(names[static_cast<std::size_t>(op)]);
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool amount = i == 1 && (op == Op::bvshl || op == Op::bvlshr || op == Op::bvashr);
        const int missing = amount ? terms.width(t) - terms.width(args[1]) : 0;
        const std::string operand = reference(terms, args[i]);
        text += missing > 0 ? sentence(" ((_ zero_extend ", missing, ") ", operand, ")") : " " + operand;
    }
    text += ")";
    // Conditions are bit vectors of one bit here, and booleans there.
    return op == Op::bvult || op == Op::eq ? "(ite " + text + " #b1 #b0)" : text;
}

} // namespace

void write_smtlib(std::ostream& out, const Terms& terms, std::span<const Term> conditions, const std::string& comment,
                  bool get_values) {
    std::istringstream lines(comment);
    for (std::string line; std::getline(lines, line);) out << "; " << line << '\n';
    if (get_values) out << "(set-option :produce-models true)\n";
    out << "(set-logic QF_BV)\n";
    const std::vector<Term> nodes = terms.cone(conditions);
    std::string variables;
    for (const Term t : nodes) {
        if (terms.op(t) != Op::variable) continue;
        out << "(declare-fun " << terms.name(t) << " () (_ BitVec " << terms.width(t) << "))\n";
        variables += (variables.empty() ? "" : " ") + terms.name(t);
    }
    out << "(assert\n";
    std::size_t open = 0;
    for (const Term t : nodes) {
        if (terms.op(t) == Op::variable || terms.op(t) == Op::constant) continue;
        out << "(let ((" << reference(terms, t) << ' ' << definition(terms, t) << "))\n";
        ++open;
    }
    out << "(and true";
    for (const Term c : conditions) out << " (= " << reference(terms, c) << " #b1)";
    out << ')' << std::string(open, ')') << ")\n(check-sat)\n";
    if (get_values && !variables.empty()) out << "(get-value (" << variables << "))\n";
    out << "(exit)\n";
}

} // namespace discern
