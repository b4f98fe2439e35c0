// Programs of `compare`, run a second time: on exact numbers, one operation after the other, as docs/compare.md has
// them. Only the parser is the program's own.
#pragma once

#include "analysis/compare/program.hpp"

#include "models/evaluate.hpp"
#include "models/evaluate/exact_numbers.hpp"
#include "models/unit.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace discern::claims {

/// On what a program runs: the command's options.
struct ProgramSetting {
    Unit unit;
    FormatId a, b, c, arithmetic;
    std::size_t length = 1;
};

class ProgramOracle {
  public:
    ProgramOracle(const compare::Program& program, const ProgramSetting& setting)
        : program_(program), setting_(setting) {}

    /// The result, and the format that it has. @throws std::runtime_error where the program means nothing
    struct Result {
        FormatId format;
        exact::Number number;
    };
    Result operator()(const Inputs& inputs) const;

  private:
    /// Elements, or a sum, of a format; or a constant.
    struct Value {
        enum class Side : std::uint8_t { left, right, sum, constant } side = Side::constant;
        FormatId format = FormatId::f64;
        std::vector<exact::Number> numbers;
        double constant = 0;

        bool is_elements() const { return side == Side::left || side == Side::right; }
    };
    using Variables = std::map<std::string, Value>;

    void run(const std::vector<compare::Statement>& statements, Variables& variables, std::size_t length) const;
    Value value(const compare::Expression& e, const Variables& variables, std::size_t length) const;
    Value product(const Value& x, const Value& y, const Value& z) const;

    const compare::Program& program_;
    const ProgramSetting& setting_;
};

/// How much of a distance there is from the exact sum of the products and c.
class Distance {
  public:
    explicit Distance(const ProgramSetting& setting) : setting_(setting) {}

    /// Whether the one result is nearer than the other, both of one format; nothing is where both are no numbers, or
    /// one is none and the exact sum is beyond the largest number.
    bool is_nearer(const Inputs& inputs, const ProgramOracle::Result& one, const ProgramOracle::Result& other) const;

  private:
    exact::Dyadic exact_sum(const Inputs& inputs) const;

    const ProgramSetting& setting_;
};

} // namespace discern::claims
