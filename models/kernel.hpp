// A kernel: a unit, a length K, and the schedule by which a library makes one long dot product of many instructions.
//
// A schedule is an accumulation tree whose leaves are instructions. What libraries do is written with few keys
// (docs/notation.md, "Schedules"): blocks of k with C read and written between them, contiguous and interleaved parts,
// lanes and unrolled accumulators of SIMD code, accumulators that are promoted to an outer one; and how partial sums
// are added up.
#pragma once

#include "evaluate.hpp"
#include "shape.hpp"
#include "unit.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

/// In which order partial sums s0 … s(n−1) are added up.
enum class FoldOrder : std::uint8_t {
    order,       ///< ((s0 + s1) + s2) + …
    reverse,     ///< ((s(n−1) + s(n−2)) + …) + s0
    pairwise,    ///< neighbours: (s0 + s1) + (s2 + s3) …, again and again; an odd one waits for the next round
    halving,     ///< h = ⌈n/2⌉: s(i) + s(i+h) for each i below n − h; again with the h that are left
    last_halves, ///< h = ⌈n/2⌉, t(i) = s(i) + s(i+h) where i + h < n − 1, else s(i): ((s(n−1) + t0) + t1) + …
};
inline constexpr std::array<std::string_view, 5> fold_order_names = {"order", "reverse", "pairwise", "halving",
                                                                     "last-halves"};
constexpr std::string_view name(FoldOrder order) { return fold_order_names[static_cast<std::size_t>(order)]; }

/// One rounding: of the exact sum of two numbers, or of one number. IEEE 754 for the signs of zeros; flushes nothing.
struct Conversion {
    FormatId format = FormatId::f32;
    Rounding mode = Rounding::rne;
    bool operator==(const Conversion&) const = default;
};

/// The accumulator of a chain is added to an outer one after every so many elements, and begins again from +0.
struct Promotion {
    int every = 128; ///< elements
    Conversion sum;
    bool operator==(const Promotion&) const = default;
};

struct Schedule {
    /// Blocks of k, one after the other, the result of each being the C of the next: lengths. One number: blocks of so
    /// many elements, of which the last may be shorter. Empty: all of k is one.
    std::vector<int> kc{};
    /// With one number: where more than one block is left and less than two, they are halved; the first half is rounded
    /// up to a multiple of this, as OpenBLAS does it.
    std::optional<int> kc_share{};
    /// Contiguous parts. One number: so many of equal lengths; several: their lengths. Empty: one.
    std::vector<int> split{};
    /// Interleaved parts of those, dealt in runs.
    int slice = 1;
    std::optional<int> run{}; ///< elements dealt to a slice at a time; nothing: one instruction
    /// Accumulators side by side, dealt an instruction each: w lanes of each of u registers.
    int lanes = 1, unroll = 1;
    std::optional<Promotion> promote{};
    FoldOrder order = FoldOrder::order; ///< of partial sums, unless the level has its own
    std::optional<FoldOrder> split_order{}, slice_order{}, lanes_order{}, unroll_order{};
    std::optional<Conversion> reduce{}; ///< every addition of partial sums and of C; nothing: d's format, RNE
    bool from_zero = false;             ///< all chains begin from +0, and C is added to their sum
    std::optional<Conversion>
        result{}; ///< what the end is converted to; nothing: d's format, RNE, where it has another

    bool operator==(const Schedule&) const = default;
};

/// Products of the longest kernel.
inline constexpr int longest_kernel = 1 << 24;

struct Kernel {
    Unit unit; ///< one instruction: K of the unit
    int K = 0; ///< of the whole
    Schedule schedule;

    bool operator==(const Kernel&) const = default;
    /// The additions of partial sums.
    Conversion addition() const { return schedule.reduce.value_or(Conversion{unit.d, Rounding::rne}); }
    FormatId d() const { return schedule.result ? schedule.result->format : unit.d; }
    /// Whether the schedule says nothing but perhaps what the result is converted to.
    bool is_chain() const;
};

/// Whether the text ends in a schedule, as in UNIT@[split=4].
bool has_schedule(std::string_view text);
/// @throws Error if the text has a schedule whose bracket is not closed
void require_closed_schedule(std::string_view text);

/// UNIT@[…], or a UNIT alone, which is chained in order. Validated.
/// @param K  the length if the text does not say it; nothing: that must say it, but a unit alone is one instruction
/// @throws Error with what is wrong, and what would be right
Kernel resolve_kernel(std::string_view text, std::optional<int> K = std::nullopt);

/// The unit of UNIT@[…], or of a UNIT alone. @throws Error if there is none
Unit instruction_of(std::string_view text);

/// The keys between the brackets, and K if it is among them.
std::pair<Schedule, std::optional<int>> parse_schedule(std::string_view inside);
/// The keys without brackets, which read back as the same; empty for the plain chain. @param K  said too
std::string to_string(const Schedule& schedule, std::optional<int> K = std::nullopt);
/// "UNIT @[K=…]", the unit written out.
std::string to_string(const Kernel& kernel);

/// The same text with that length between the brackets, which a UNIT alone gets. @throws Error if it says another one
std::string with_length(std::string_view text, int K);

/// Checks that the schedule fits the unit and K: whole instructions everywhere, no part without elements, formats that
/// can be rounded to. @throws Error
void validate(const Kernel& kernel);

/// Formats, scale blocks and K of the whole.
Shape shape_of(const Kernel& kernel);

/// A unit of the kernel's shape that chains the unit over all of K, for families of inputs, which aim at its
/// parameters.
Unit chain_of(const Kernel& kernel);

/// The kernel as one unit, whose tree holds all of it. For small K. @throws Error if the notation cannot say it
Unit written_out(const Kernel& kernel);

/// Whether two kernels are one computation of their inputs, by the way in which they are put together: equal normal
/// forms, for any K. False says nothing.
bool same_structure(const Kernel& one, const Kernel& other);

/// Units of some of the products, such that two kernels of other instructions are the same if, for all inputs and
/// accumulators, each two of these are. Empty: there are none, and nothing is known.
std::vector<std::pair<Unit, Unit>> blocks_that_decide(const Kernel& one, const Kernel& other);

/// The machine-integer evaluator: Evaluator for each instruction and each addition. Const, and safe from several
/// threads at once.
class KernelEvaluator {
  public:
    explicit KernelEvaluator(Kernel kernel);

    /// d as a pattern of the kernel's d format. Inputs have the kernel's shape.
    std::uint64_t operator()(const Inputs& inputs) const;
    const Kernel& kernel() const;

  private:
    struct Impl;
    std::shared_ptr<const Impl> impl_;
};

/// The exact oracle of kernels: slow, written for reading; shares the schedule with KernelEvaluator and neither the
/// walk over it nor arithmetic.
std::uint64_t evaluate_exactly(const Kernel& kernel, const Inputs& inputs);

/// Whether two results count as equal: the same bits, or both NaN where the kernel says that any will do.
bool same_result(const Kernel& kernel, std::uint64_t d1, std::uint64_t d2);

} // namespace discern
