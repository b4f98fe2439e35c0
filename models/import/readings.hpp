// What the operands of a table were read as. Between our own files.
#pragma once

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// What the operands of a table were read as: one table is read one way, unless its words leave no other.
class Readings {
  public:
    /// @param first  of the operand's words
    void add(Table& table, std::string_view operand, const Format& format, WordsWere were,
             const WordsOfOperand& first) {
        table.were.emplace_back(operand, were);
        const bool is_factor = operand != "c" && operand != "d";
        any_patterns_ = any_patterns_ || were == WordsWere::patterns;
        factors_are_patterns_ = factors_are_patterns_ || (is_factor && were == WordsWere::patterns);
        std::optional<Seen>& seen = were == WordsWere::numbers ? numbers_ : is_factor ? either_factor_ : either_other_;
        if ((were == WordsWere::numbers || were == WordsWere::either) && !seen)
            seen = {operand, &format, first.where, first.word};
    }
    /// Factors are patterns where another factor leaves no doubt.
    /// @throws Error if one operand is of patterns that can be numbers, and another one of numbers
    void require_one(Table& table) const {
        const std::optional<Seen>& either = either_factor_ && !factors_are_patterns_ ? either_factor_ : either_other_;
        if (either && numbers_)
            throw Error(sentence(either->where, excerpt(either->word), ", as all values of ", either->operand,
                                 ", can be a number or a pattern of ", either->format->name, ", and those of ",
                                 numbers_->operand, " are numbers; --numbers says that all are, and patterns beside ",
                                 "numbers are written with 0x, as 0x", either->word));
        table.could_be_numbers = (either_factor_ || either_other_) && !any_patterns_;
    }

  private:
    struct Seen {
        std::string_view operand;
        const Format* format;
        std::string where, word; ///< the first
    };
    std::optional<Seen> either_factor_, either_other_, numbers_;
    bool any_patterns_ = false, factors_are_patterns_ = false;
};

} // namespace discern
