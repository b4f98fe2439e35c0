// Patterns that come from other programs, in words of memory: one of them, some, and whether all are what they have to
// be.
#pragma once

#include "models/error.hpp"
#include "models/gemm.hpp"
#include "sentence.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace discern {

inline std::uint64_t pattern_at(Patterns patterns, std::size_t index) {
    std::uint64_t bits = 0; // little-endian machines are all that there are kernels for
    std::memcpy(&bits, static_cast<const std::byte*>(patterns.data()) + index * patterns.word(), patterns.word());
    return bits;
}

inline std::vector<std::uint64_t> patterns_at(Patterns patterns, std::size_t first, std::size_t count) {
    std::vector<std::uint64_t> some(count);
    for (std::size_t i = 0; i < count; ++i) some[i] = pattern_at(patterns, first + i);
    return some;
}

/// Patterns that are shorter than their words have zeros above; evaluators rely on that. An operand without elements is
/// not looked at. @throws Error if a word has another length than the format's, or an element is no pattern of it
inline void require_patterns(const char* operand, Patterns words, const std::optional<FormatId>& id) {
    if (!id || words.size() == 0) return;
    const Format& f = format(*id);
    if (words.word() != word_bytes(*id))
        throw Error(sentence(operand, " has words of ", words.word(), " bytes; patterns of ", f.name, " need ",
                             word_bytes(*id)));
    if (static_cast<std::size_t>(f.width) == 8 * words.word()) return;
    for (std::size_t i = 0; i < words.size(); ++i)
        if ((pattern_at(words, i) & ~f.mask()) != 0)
            throw Error(sentence(operand, ": element ", i, " is no pattern of ", f.name, ", which has ", f.width,
                                 " bits, one element a word"));
}

inline void require_inputs(const Unit& unit, Patterns a, Patterns b, Patterns c, Patterns sa, Patterns sb) {
    const std::optional<FormatId> scale = unit.scale ? std::optional(unit.scale->format) : std::nullopt;
    require_patterns("a", a, unit.a);
    require_patterns("b", b, unit.b);
    require_patterns("c", c, unit.c);
    require_patterns("sa", sa, scale);
    require_patterns("sb", sb, scale);
}

} // namespace discern
