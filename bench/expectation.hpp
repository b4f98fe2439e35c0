// A question with the answer that is expected of it: one row of a table of such questions.
#pragma once

#include "solver/question.hpp"

#include <span>
#include <string>
#include <string_view>

namespace discern::bench {

struct Expectation {
    std::string_view topic; ///< rows of one topic stand together
    std::string_view claim; ///< what the two units stand for, in words
    std::string_view base;  ///< a unit, as people write it
    std::string_view one; ///< the first unit: overrides of the base in braces, or a whole unit; empty: the base itself
    std::string_view two; ///< the second, likewise
    Verdict expected = Verdict::unknown;
    std::string_view published = {}; ///< what solvers needed elsewhere; empty: nobody said

    std::string first() const { return unit(one); }
    std::string second() const { return unit(two); }

  private:
    std::string unit(std::string_view text) const {
        const bool whole = !text.empty() && text.front() != '{';
        return whole ? std::string(text) : std::string(base) + std::string(text);
    }
};

using Expectations = std::span<const Expectation>;

} // namespace discern::bench
