// A program on one vector of numbers, by the integer evaluator or by the exact oracle; and as a term.
#pragma once

#include "setting.hpp"

#include "analysis/property/claim.hpp"
#include "encodings/encode.hpp"
#include "models/evaluate.hpp"

#include <cstdint>
#include <memory>

namespace discern::compare {

/// Safe to use from one thread at a time.
class ProgramEvaluator {
  public:
    /// @throws Error as result_of()
    ProgramEvaluator(Program program, const Setting& setting, property::Models::Which which);
    ~ProgramEvaluator();
    ProgramEvaluator(ProgramEvaluator&&) noexcept;

    /// The result, as a pattern of result_format(). @param inputs  in the formats of the setting
    std::uint64_t operator()(const Inputs& inputs) const;
    FormatId result_format() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The result as a term.
Term encode(Terms& t, const Program& program, const Setting& setting, const InputTerms& inputs);

} // namespace discern::compare
