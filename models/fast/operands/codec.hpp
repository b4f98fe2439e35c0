// Bit patterns of operands in the form that kernels read: a value and the code of its exponent.
//
// Formats of up to 16 bits are looked up in a table that is made once from decode(); wider ones are decoded one by
// one.
#pragma once

#include "models/fast/recipe/recipe.hpp"
#include "models/format.hpp"

#include <cstdint>
#include <vector>

namespace discern::fast {

/// A pattern's value, infinite or NaN if it is, and the exponent that it gives a product; no_exponent for zero.
struct Operand {
    double value;
    int exponent;
};

Operand operand(const Format& format, std::uint64_t bits, Flushed ftz, OperandExponents exponents = {});

/// How operands are stored for a recipe.
enum class Storage : std::uint8_t {
    wide,    ///< double and int16
    narrow,  ///< float and uint8 (of A: repeated four times)
    gap,     ///< float scaled to the line's largest exponent in the block, and the distance to it as uint8
    floats,  ///< float, no exponents
    doubles, ///< double, no exponents
};

Storage storage_of(const Recipe& recipe);

class Codec {
  public:
    Codec(const discern::Format& format, Storage storage, Flushed ftz, OperandExponents exponents);

    /// Of narrow storage: 0 for zero, else 64 + exponent − the least one.
    template <class Value, class Code>
    void get(std::uint64_t bits, Value& value, Code& code) const {
        if (!values_.empty()) {
            const std::size_t index = bits & (values_.size() - 1); // bits above the width do not count
            value = static_cast<Value>(values_[index]);
            code = static_cast<Code>(codes_[index]);
            return;
        }
        const Operand x = decoded(bits);
        value = static_cast<Value>(x.value);
        code = static_cast<Code>(x.exponent);
    }

    /// Whether it is made for the same.
    bool is_for(const discern::Format& format, Storage storage, Flushed ftz, OperandExponents exponents) const {
        return format_ == &format && storage_ == storage && flush_ == ftz && exponents_ == exponents;
    }
    const discern::Format& format() const { return *format_; }
    Flushed flush() const { return flush_; }
    /// The least exponent of a number.
    int emin() const { return exponents_.emin(*format_); }

  private:
    Operand decoded(std::uint64_t bits) const;
    int code(const Operand& x) const;

    const discern::Format* format_;
    Storage storage_;
    Flushed flush_;
    OperandExponents exponents_;
    std::vector<float> values_; ///< every number of 16 bits or fewer is a float
    std::vector<std::int16_t> codes_;
};

} // namespace discern::fast
