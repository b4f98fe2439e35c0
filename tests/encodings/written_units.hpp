// Units from patterns of text, and inputs for them: all there are, or numbers at the ends of the formats.
//
// A test of rules needs many units that differ in a number or a word. They are written once, in the notation, with the
// choices in braces; one line then stands for all of them, and can be pasted into the program.
#pragma once

#include "encodings/encode.hpp"

#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace discern::tests {

/// `text` with every `mark` replaced.
inline std::string with(std::string text, std::string_view mark, std::string_view value) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
        text.replace(at, mark.size(), value);
    return text;
}

/// All texts that picking one of every `{x|y|…}` gives; the same braces twice are one choice.
inline std::vector<std::string> written_out(const std::string& text) {
    const std::size_t open = text.find('{');
    if (open == std::string::npos) return {text};
    const std::size_t close = text.find('}', open);
    const std::string braces = text.substr(open, close - open + 1);
    std::vector<std::string> all;
    for (std::size_t from = 1; from < braces.size();) {
        const std::size_t to = braces.find_first_of("|}", from);
        for (std::string& one : written_out(with(text, braces, braces.substr(from, to - from))))
            all.push_back(std::move(one));
        from = to + 1;
    }
    return all;
}

/// The units among those texts; combinations that are none are left out.
inline std::vector<Unit> units_of(const std::string& text) {
    std::vector<Unit> units;
    for (const std::string& one : written_out(text)) {
        try {
            units.push_back(parse_unit(one));
        } catch (const Error&) {
            continue;
        }
    }
    return units;
}

/// Where the bits of one input vector are, one operand after the other.
class InputBits {
  public:
    explicit InputBits(const Unit& unit) : unit_(&unit) {
        count_ = unit.K * (format(unit.a).width + format(unit.b).width);
        if (unit.scale) count_ += 2 * unit.scales() * format(unit.scale->format).width;
        if (unit.c) count_ += format(*unit.c).width;
    }
    int count() const { return count_; }

    /// The vector whose bits, in order, are those of a number: all vectors, if there are at most 63 bits.
    const InputBuffer& at(std::uint64_t bits, InputBuffer& x) const {
        return made(x, [&bits](const Format& f) {
            const std::uint64_t pattern = bits & f.mask();
            bits = f.width < 64 ? bits >> f.width : 0;
            return pattern;
        });
    }

    /// Zeros of any sign.
    const InputBuffer& zeros(Random& random, InputBuffer& x) const {
        return made(x, [&random](const Format& f) {
            return f.is_signed && f.has_minus_zero() && random.one_in(2) ? 1ull << (f.width - 1) : 0;
        });
    }

    /// A vector of zeros, smallest and largest numbers, ones, infinities and NaN, and their neighbours.
    const InputBuffer& edges(Random& random, InputBuffer& x) const {
        return made(x, [&random](const Format& f) {
            const std::uint64_t top = (1ull << f.exponent_bits) - 1, ones = (1ull << f.mantissa_bits) - 1;
            const std::uint64_t exponents[] = {0, 0, 1, static_cast<std::uint64_t>(f.bias), top - 1, top};
            const std::uint64_t mantissas[] = {0, 0, 1, ones, ones};
            const std::uint64_t sign = f.is_signed && random.one_in(2) ? 1 : 0;
            const std::uint64_t pattern =
                (((sign << f.exponent_bits) | exponents[random.below(6)]) << f.mantissa_bits) |
                mantissas[random.below(5)];
            return (pattern << f.padding_bits) & f.mask();
        });
    }

  private:
    template <typename PatternOf>
    const InputBuffer& made(InputBuffer& x, PatternOf pattern_of) const {
        const auto row = [&](std::vector<std::uint64_t>& patterns, int count, FormatId id) {
            patterns.clear();
            for (int i = 0; i < count; ++i) patterns.push_back(pattern_of(format(id)));
        };
        row(x.a, unit_->K, unit_->a);
        row(x.b, unit_->K, unit_->b);
        if (unit_->scale) {
            row(x.sa, unit_->scales(), unit_->scale->format);
            row(x.sb, unit_->scales(), unit_->scale->format);
        }
        if (unit_->c) x.c = pattern_of(format(*unit_->c));
        return x;
    }

    const Unit* unit_;
    int count_ = 0;
};

} // namespace discern::tests
