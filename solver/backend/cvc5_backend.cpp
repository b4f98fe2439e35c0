// cvc5 through its C++ interface: eager bit-blasting to CaDiCaL, in pure QF_BV.
//
// cvc5 1.0.3 makes terms with its Solver, later releases with a TermManager; both have the same functions for it, so
// the code below is a template of whichever there is. Eager bit-blasting is not incremental: each check is a fresh
// Solver.
#include "makers.hpp"

#include <cvc5/cvc5.h>

#include <stdexcept>
#include <unordered_map>

namespace cvc5 {
class TermManager; // incomplete, unless the header above has defined it
}

namespace discern {

namespace {

/// The solver, and what makes its terms.
template <typename Manager, typename = void>
struct Session {
    cvc5::Solver solver;
    cvc5::Solver& factory = solver;
};
template <typename Manager>
struct Session<Manager, std::void_t<decltype(sizeof(Manager))>> {
    Manager factory;
    cvc5::Solver solver{factory};
};

using CurrentSession = Session<cvc5::TermManager>;

/// One check: terms lowered into a session.
class Lowering {
  public:
    Lowering(const Terms& terms, std::uint64_t seed) : terms_(terms) {
        session_.solver.setOption("produce-models", "true");
        session_.solver.setOption("bitblast", "eager");
        session_.solver.setOption("bv-sat-solver", "cadical");
        session_.solver.setOption("seed", std::to_string(seed & 0x7fffffff));
        session_.solver.setLogic("QF_BV");
    }

    void assert_true(Term condition) {
        lower(condition);
        session_.solver.assertFormula(make(cvc5::Kind::EQUAL, {lowered_.at(condition.id), bits(1, "1")}));
    }

    Outcome check(const Limit& limit) {
        if (limit.end != Limit::Clock::time_point::max()) {
            using std::chrono::milliseconds;
            const auto left = std::chrono::duration_cast<milliseconds>(limit.end - Limit::Clock::now()).count();
            session_.solver.setOption("tlimit-per", std::to_string(left < 1 ? 1 : left));
        }
        const cvc5::Result result = session_.solver.checkSat();
        return result.isSat() ? Outcome::sat : result.isUnsat() ? Outcome::unsat : Outcome::unknown;
    }

    Bits value(Term variable) {
        Bits result(terms_.width(variable));
        const auto found = lowered_.find(variable.id);
        if (found == lowered_.end()) return result; // the conditions do not depend on it
        const std::string digits = session_.solver.getValue(found->second).getBitVectorValue(2);
        for (std::size_t i = 0; i < digits.size(); ++i)
            if (digits[digits.size() - 1 - i] == '1') result.set(static_cast<int>(i));
        return result;
    }

  private:
    cvc5::Term make(cvc5::Kind kind, const std::vector<cvc5::Term>& children) {
        return session_.factory.mkTerm(kind, children);
    }
    cvc5::Term make_indexed(cvc5::Kind kind, const std::vector<std::uint32_t>& indices, const cvc5::Term& child) {
        return session_.factory.mkTerm(session_.factory.mkOp(kind, indices), {child});
    }
    cvc5::Term bits(int width, const std::string& binary) {
        return session_.factory.mkBitVector(static_cast<std::uint32_t>(width), binary, 2);
    }

    void lower(Term root) {
        for (const Term t : terms_.cone(std::span(&root, 1)))
            if (!lowered_.contains(t.id)) lowered_.emplace(t.id, lowered(t));
    }

    /// A condition of cvc5 as a vector of one bit.
    cvc5::Term bit(const cvc5::Term& condition) {
        return make(cvc5::Kind::ITE, {condition, bits(1, "1"), bits(1, "0")});
    }

    cvc5::Term lowered(Term t) {
        std::vector<cvc5::Term> args;
        for (const Term a : terms_.args(t)) args.push_back(lowered_.at(a.id));
        const auto width = static_cast<std::uint32_t>(terms_.width(t));
        const auto own = [&](std::size_t i) { return static_cast<std::uint32_t>(terms_.width(terms_.args(t)[i])); };
        const auto shift = [&](cvc5::Kind kind) {
            const auto amount =
                own(1) < width ? make_indexed(cvc5::Kind::BITVECTOR_ZERO_EXTEND, {width - own(1)}, args[1]) : args[1];
            return make(kind, {args[0], amount});
        };
        switch (terms_.op(t)) {
        case Op::constant: {
            const Bits& value = terms_.value(t);
            std::string digits;
            for (int i = value.width(); i-- > 0;) digits += value.bit(i) ? '1' : '0';
            return bits(value.width(), digits);
        }
        case Op::variable: return session_.factory.mkConst(session_.factory.mkBitVectorSort(width), terms_.name(t));
        case Op::bvnot: return make(cvc5::Kind::BITVECTOR_NOT, args);
        case Op::bvand: return make(cvc5::Kind::BITVECTOR_AND, args);
        case Op::bvor: return make(cvc5::Kind::BITVECTOR_OR, args);
        case Op::bvxor: return make(cvc5::Kind::BITVECTOR_XOR, args);
        case Op::bvneg: return make(cvc5::Kind::BITVECTOR_NEG, args);
        case Op::bvadd: return make(cvc5::Kind::BITVECTOR_ADD, args);
        case Op::bvmul: return make(cvc5::Kind::BITVECTOR_MULT, args);
        case Op::bvumax: {
            cvc5::Term largest = args[0];
            for (std::size_t i = 1; i < args.size(); ++i)
                largest =
                    make(cvc5::Kind::ITE, {make(cvc5::Kind::BITVECTOR_ULT, {largest, args[i]}), args[i], largest});
            return largest;
        }
        case Op::bvshl: return shift(cvc5::Kind::BITVECTOR_SHL);
        case Op::bvlshr: return shift(cvc5::Kind::BITVECTOR_LSHR);
        case Op::bvashr: return shift(cvc5::Kind::BITVECTOR_ASHR);
        case Op::bvult: return bit(make(cvc5::Kind::BITVECTOR_ULT, args));
        case Op::eq: return bit(make(cvc5::Kind::EQUAL, args));
        case Op::ite:
            return make(cvc5::Kind::ITE, {make(cvc5::Kind::EQUAL, {args[0], bits(1, "1")}), args[1], args[2]});
        case Op::concat: return make(cvc5::Kind::BITVECTOR_CONCAT, args);
        case Op::extract: {
            const auto low = static_cast<std::uint32_t>(terms_.low(t));
            return make_indexed(cvc5::Kind::BITVECTOR_EXTRACT, {low + width - 1, low}, args[0]);
        }
        case Op::zero_extend: return make_indexed(cvc5::Kind::BITVECTOR_ZERO_EXTEND, {width - own(0)}, args[0]);
        case Op::sign_extend: return make_indexed(cvc5::Kind::BITVECTOR_SIGN_EXTEND, {width - own(0)}, args[0]);
        }
        throw std::logic_error("Cvc5Backend: unknown kind of term");
    }

    const Terms& terms_;
    CurrentSession session_;
    std::unordered_map<std::uint32_t, cvc5::Term> lowered_;
};

class Cvc5Backend : public Backend {
  public:
    Cvc5Backend(const Terms& terms, std::uint64_t seed) : terms_(terms), seed_(seed) {}

    void require(Term condition) override { conditions_.push_back(condition); }

    using Backend::check;
    Outcome check(const Limit& limit, std::span<const Term> assumptions) override {
        solution_.reset();
        if (limit.reached()) return Outcome::unknown;
        auto lowering = std::make_unique<Lowering>(terms_, seed_);
        for (const Term t : conditions_) lowering->assert_true(t);
        for (const Term t : assumptions) lowering->assert_true(t);
        const Outcome outcome = lowering->check(limit);
        if (outcome == Outcome::sat) solution_ = std::move(lowering);
        return outcome;
    }

    Bits value(Term variable) override {
        if (!solution_) throw std::logic_error("Cvc5Backend: value() without a solution");
        return solution_->value(variable);
    }

  private:
    const Terms& terms_;
    std::uint64_t seed_;
    std::vector<Term> conditions_;
    std::unique_ptr<Lowering> solution_;
};

} // namespace

std::unique_ptr<Backend> make_cvc5(const Terms& terms, std::uint64_t seed) {
    return std::make_unique<Cvc5Backend>(terms, seed);
}

std::string cvc5_version() {
    CurrentSession session;
    std::string version = session.solver.getInfo("version"); // quoted
    std::erase(version, '"');
    return "cvc5 " + version;
}

} // namespace discern
