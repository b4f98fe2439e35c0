// What follows the sum of a kernel before it is stored: scales, a bias, and roundings to the type of the result.
//
// Libraries do this in f32 (docs/library-products.md): the sum is multiplied by alpha, a bias or +0 is added, and the
// result is rounded to f32 and once more to a narrower type, which may saturate. A kernel behind that is seen only
// through it.
#pragma once

#include "identification/identify/identify.hpp"
#include "models/kernel.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::kernels {

using identify::Ask;

enum class Addition : std::uint8_t {
    none,  ///< the product with alpha is rounded, and keeps the sign of a zero
    fused, ///< of +0 or a bias, before the one rounding to f32
    after, ///< of a bias, after the product was rounded to f32
};

struct Epilogue {
    float alpha = 1;
    std::optional<float> second{}; ///< a second factor, by which what was rounded to f32 is multiplied
    Addition addition = Addition::none;
    float bias = 0;
    bool once = false;      ///< rounded to d alone, not to f32 before
    bool saturates = false; ///< beyond d's largest number there is that number
    FormatId d = FormatId::f32;
    std::optional<std::uint64_t> nan{}; ///< d of every NaN; nothing: any

    /// d of a sum, which is a number of f32.
    std::uint64_t operator()(float sum) const;
    bool operator==(const Epilogue&) const = default;
};

/// "times 0x1.333334p-2 (0.3), plus 0.5 in one rounding to f32, rounded to bf16"
std::string in_words(const Epilogue& epilogue);

/// A kernel and what follows its sum, if anything does.
struct Finished {
    Kernel kernel;
    std::optional<Epilogue> then;

    /// The result for a sum of the kernel.
    std::uint64_t of_sum(std::uint64_t sum) const;
    FormatId d() const { return then ? then->d : kernel.d(); }
};
Shape shape_of(const Finished& finished);
bool same_result(const Finished& finished, std::uint64_t d1, std::uint64_t d2);

/// The nearest number of a format, ties to even. @param saturates  beyond the largest there is that
std::uint64_t nearest(const Format& format, double value, bool saturates);

/// The one sum of f32 after which the result is d; nothing if there are none or several. Zero is one sum.
/// @param least  exponent of the smallest sum that is not zero
std::optional<std::uint64_t> sum_before(const Epilogue& epilogue, std::uint64_t d, int least);

/// The questions, answered by sums. A vector whose answer several sums have is not answered.
Ask with_sums(const Shape& shape, Ask ask, const Epilogue& epilogue);

// ---- which it is

/// A sum, and what the target gave.
struct Seen {
    float sum;
    std::uint64_t d;
};

/// Ways of which alpha is known up to an interval of numbers of f32.
struct Fitting {
    Epilogue epilogue;     ///< with the alpha that has the fewest digits
    float least, greatest; ///< alpha
};

/// All ways that give what was seen, the plainest first.
std::vector<Fitting> fitting(FormatId d, std::span<const Seen> seen);
/// Those of some ways that give more.
std::vector<Fitting> fitting_still(std::span<const Fitting> ways, std::span<const Seen> seen);

/// Whether formats and target allow the question what follows the sums: C would have a factor of its own.
bool can_be_behind(const Shape& shape);

/// Asks for sums that are exact in any order: of one or two products of few digits.
std::vector<Seen> seen_sums(const Shape& shape, const Ask& ask, std::uint64_t seed);

} // namespace discern::kernels
