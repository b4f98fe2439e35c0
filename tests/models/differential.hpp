// Comparing two evaluations of a unit on random inputs, and reporting a difference as small as it can be made.
#pragma once

#include "sweep.hpp"

#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"

#include <cstdint>
#include <functional>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>

namespace discern::tests {

using Evaluate = std::function<std::uint64_t(const Inputs&)>;

/// Makes inputs simpler as long as `differs` holds of them: elements to zero, scales to one, then shorter significands.
class Shrinker {
  public:
    Shrinker(const Unit& unit, std::function<bool(const InputBuffer&)> differs)
        : unit_(unit), differs_(std::move(differs)) {}

    InputBuffer operator()(InputBuffer inputs) {
        for (bool again = true; again;) {
            again = false;
            for (std::size_t k = 0; k < inputs.a.size(); ++k) {
                InputBuffer candidate = inputs;
                candidate.a[k] = candidate.b[k] = 0;
                again |= accept(inputs, candidate);
            }
            for (std::size_t k = 0; k < inputs.a.size(); ++k) {
                again |= simplify(
                    inputs, format(unit_.a), [k](InputBuffer & x) -> auto& { return x.a[k]; }, 0);
                again |= simplify(
                    inputs, format(unit_.b), [k](InputBuffer & x) -> auto& { return x.b[k]; }, 0);
            }
            for (std::size_t i = 0; i < inputs.sa.size(); ++i) {
                const Format& f = format(unit_.scale->format);
                const auto one = static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
                again |= simplify(
                    inputs, f, [i](InputBuffer & x) -> auto& { return x.sa[i]; }, one);
                again |= simplify(
                    inputs, f, [i](InputBuffer & x) -> auto& { return x.sb[i]; }, one);
            }
            if (unit_.c)
                again |= simplify(
                    inputs, format(*unit_.c), [](InputBuffer & x) -> auto& { return x.c; }, 0);
        }
        return inputs;
    }

  private:
    bool accept(InputBuffer& inputs, const InputBuffer& candidate) {
        const bool same = candidate.a == inputs.a && candidate.b == inputs.b && candidate.sa == inputs.sa &&
                          candidate.sb == inputs.sb && candidate.c == inputs.c;
        if (same || !differs_(candidate)) return false;
        inputs = candidate;
        return true;
    }

    template <class Member>
    bool simplify(InputBuffer& inputs, const Format& f, Member member, std::uint64_t simplest) {
        bool changed = false;
        const auto try_value = [&](std::uint64_t bits) {
            InputBuffer candidate = inputs;
            member(candidate) = bits;
            if (!accept(inputs, candidate)) return false;
            changed = true;
            return true;
        };
        if (member(inputs) == simplest || try_value(simplest)) return changed;
        if (f.is_signed) try_value(member(inputs) & ~(1ull << (f.width - 1)));
        for (int keep = 0; keep < f.mantissa_bits + f.padding_bits;
             ++keep) { // as few leading mantissa bits as possible
            const std::uint64_t low = (1ull << (f.mantissa_bits + f.padding_bits - keep)) - 1;
            if ((member(inputs) & low) == 0 || try_value(member(inputs) & ~low)) break;
        }
        for (int i = 0; i < f.mantissa_bits + f.padding_bits; ++i) // then single bits
            if (((member(inputs) >> i) & 1) != 0) try_value(member(inputs) & ~(1ull << i));
        return changed;
    }

    const Unit& unit_;
    std::function<bool(const InputBuffer&)> differs_;
};

inline std::string hex_of(std::uint64_t bits, FormatId id) {
    std::ostringstream out;
    out << std::hex << std::setfill('0') << std::setw(format(id).digits()) << bits;
    return out.str();
}

/// Unit, inputs and both results, as bit patterns.
inline std::string describe(const Unit& unit, const InputBuffer& inputs, std::uint64_t one, std::uint64_t other) {
    std::ostringstream out;
    const auto list = [&](const char* key, const std::vector<std::uint64_t>& patterns, FormatId id) {
        out << "\n  " << key << " =";
        for (const std::uint64_t p : patterns) out << ' ' << hex_of(p, id);
    };
    out << to_string(unit);
    list("a", inputs.a, unit.a);
    list("b", inputs.b, unit.b);
    if (unit.scale) {
        list("sa", inputs.sa, unit.scale->format);
        list("sb", inputs.sb, unit.scale->format);
    }
    if (unit.c) out << "\n  c = " << hex_of(inputs.c, *unit.c);
    out << "\n  d = " << hex_of(one, unit.d) << " and " << hex_of(other, unit.d);
    return out.str();
}

/// The first difference between two evaluations on `count` vectors of a family, shrunk and described; nothing if they
/// agree.
inline std::optional<std::string> first_difference(const Unit& unit, const Evaluate& one, const Evaluate& other,
                                                   Family family, std::uint64_t seed, int count) {
    const auto differs = [&](const InputBuffer& inputs) {
        return !same_result(unit, one(inputs.inputs()), other(inputs.inputs()));
    };
    InputGenerator generator(unit, family, seed);
    InputBuffer inputs;
    for (int i = 0; i < count; ++i) {
        generator.next(inputs);
        if (!differs(inputs)) continue;
        const InputBuffer least = Shrinker(unit, differs)(inputs);
        std::ostringstream out;
        out << "family " << name(family) << ", seed " << seed << ", vector " << i << ": "
            << describe(unit, least, one(least.inputs()), other(least.inputs()));
        return out.str();
    }
    return std::nullopt;
}

} // namespace discern::tests
