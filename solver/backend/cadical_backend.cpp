// CaDiCaL on the clauses of the native blaster.
#include "clauses.hpp"
#include "encodings/graph/gates.hpp"
#include "makers.hpp"

#include <cadical.hpp>

#include <stdexcept>

namespace discern {

namespace {

class Terminator : public CaDiCaL::Terminator {
  public:
    explicit Terminator(const Limit& limit) : limit_(limit) {}
    bool terminate() override { return limit_.reached(); }

  private:
    const Limit& limit_;
};

class CadicalBackend : public Backend {
  public:
    CadicalBackend(const Terms& terms, std::uint64_t seed)
        : terms_(terms), blaster_(terms), writer_(blaster_.netlist(), [this](std::initializer_list<int> clause) {
              for (const int literal : clause) solver_.add(literal);
              solver_.add(0);
          }) {
        solver_.set("quiet", 1);
        solver_.set("seed", static_cast<int>(seed & 0x3fffffff));
    }

    void require(Term condition) override {
        const Literal literal = blaster_.bits(condition)[0];
        writer_.define(literal);
        solver_.add(ClauseWriter::dimacs(literal));
        solver_.add(0);
    }

    using Backend::check;
    Outcome check(const Limit& limit, std::span<const Term> assumptions) override {
        satisfied_ = false;
        if (limit.reached()) return Outcome::unknown;
        for (const Term t : assumptions) {
            const Literal literal = blaster_.bits(t)[0];
            writer_.define(literal);
            solver_.assume(ClauseWriter::dimacs(literal));
        }
        Terminator terminator(limit);
        solver_.connect_terminator(&terminator);
        const int result = solver_.solve();
        solver_.disconnect_terminator();
        satisfied_ = result == 10;
        return result == 10 ? Outcome::sat : result == 20 ? Outcome::unsat : Outcome::unknown;
    }

    Bits value(Term variable) override {
        if (!satisfied_) throw std::logic_error("CadicalBackend: value() without a solution");
        Bits result(terms_.width(variable));
        const std::vector<Literal>& bits = blaster_.bits(variable);
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const int literal = ClauseWriter::dimacs(bits[i]);
            if (std::abs(literal) <= solver_.vars() && solver_.val(literal) > 0) result.set(static_cast<int>(i));
        }
        return result;
    }

  private:
    const Terms& terms_;
    CaDiCaL::Solver solver_;
    Blaster blaster_;
    ClauseWriter writer_;
    bool satisfied_ = false;
};

class CadicalClauses : public ClauseSolver {
  public:
    CadicalClauses(std::uint64_t seed, bool incremental) {
        solver_.set("quiet", 1);
        // What is done at each call, or has to be undone for the next one, costs more than it gains.
        if (incremental)
            for (const char* option : {"elim", "decompose", "block", "cover", "condition", "lucky", "walk", "rephase",
                                       "compact", "probe", "subsume", "vivify", "ternary", "transred"})
                solver_.set(option, 0);
        solver_.set("seed", static_cast<int>(seed & 0x3fffffff));
    }

    using ClauseSolver::add;
    void add(std::span<const int> clause) override {
        for (const int literal : clause) solver_.add(literal);
        solver_.add(0);
    }

    Outcome solve(std::span<const int> assumptions, int conflicts, const Limit& limit) override {
        if (limit.reached()) return Outcome::unknown;
        for (const int literal : assumptions) solver_.assume(literal);
        solver_.limit("conflicts", conflicts);
        Terminator terminator(limit);
        solver_.connect_terminator(&terminator);
        const int result = solver_.solve();
        solver_.disconnect_terminator();
        return result == 10 ? Outcome::sat : result == 20 ? Outcome::unsat : Outcome::unknown;
    }

    bool value(int variable) override { return variable <= solver_.vars() && solver_.val(variable) > 0; }

  private:
    CaDiCaL::Solver solver_;
};

} // namespace

std::unique_ptr<ClauseSolver> make_cadical_clauses(std::uint64_t seed, bool incremental) {
    return std::make_unique<CadicalClauses>(seed, incremental);
}

std::unique_ptr<Backend> make_cadical(const Terms& terms, std::uint64_t seed) {
    return std::make_unique<CadicalBackend>(terms, seed);
}

std::string cadical_version() { return std::string("CaDiCaL ") + CaDiCaL::Solver::version(); }

} // namespace discern
