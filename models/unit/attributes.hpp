// The parameters of the parts of a tree as records that several readers share.
//
// The tree (tree.hpp) has each parameter as a value. Others have something else for each of them: the variable that
// stands in its place, the number that the integer evaluator reads, or the values that it may still have, each with a
// condition. They all are these records, with another Of: Of<T> is what is kept of a field of type T. The names are
// those of the tree's fields.
#pragma once

#include "models/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace discern {

/// Whether subnormal operands are read as zero, and of which sign; `plus`: as +0, and so are zeros.
/// (Product and Accumulator: flush, flush_keeps_sign, zero_keeps_sign.)
enum class OperandFlush : std::uint8_t { none, keeps_sign, positive, plus };

/// A flush with the sign that it leaves. (Round: flush, flush_keeps_sign.)
struct ResultFlush {
    Flush when = Flush::none;
    bool keeps_sign = true;
    bool operator==(const ResultFlush&) const = default;
};

// Each record's zip() visits every field of two records, and is all that has to be said of a field beside its type.

template <template <typename> class Of>
struct ProductAttributes {
    Of<Normalisation> normalisation{};
    Of<std::optional<int>> limit{};
    Of<bool> limit_yields{};
    Of<OperandFlush> flush{};
    Of<bool> infinity_is_nan{}, nan_is_zero{}, infinity_beats_zero{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.normalisation, b.normalisation);
        visit(a.limit, b.limit);
        visit(a.limit_yields, b.limit_yields);
        visit(a.flush, b.flush);
        visit(a.infinity_is_nan, b.infinity_is_nan);
        visit(a.nan_is_zero, b.nan_is_zero);
        visit(a.infinity_beats_zero, b.infinity_beats_zero);
    }
};

template <template <typename> class Of>
struct GroupAttributes {
    Of<ZeroExponent> empty{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.empty, b.empty);
    }
};

template <template <typename> class Of>
struct AccumulatorAttributes {
    Of<std::optional<FormatId>> as{};
    Of<OperandFlush> flush{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.as, b.as);
        visit(a.flush, b.flush);
    }
};

template <template <typename> class Of>
struct ChildAttributes {
    Of<std::optional<int>> F{};
    Of<Rounding> rounding{};
    Of<ZeroExponent> zero{};
    Of<std::optional<int>> drop{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.F, b.F);
        visit(a.rounding, b.rounding);
        visit(a.zero, b.zero);
        visit(a.drop, b.drop);
    }
};

template <template <typename> class Of>
struct FuseAttributes {
    Of<std::optional<int>> floor{}, carry{};
    Of<bool> sticky{}, zero_is_plus{};
    Of<SignFrame> frame{};
    Of<Opposed> opposed{};
    Of<std::optional<int>> step{};
    Of<int> phase{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.floor, b.floor);
        visit(a.carry, b.carry);
        visit(a.sticky, b.sticky);
        visit(a.zero_is_plus, b.zero_is_plus);
        visit(a.frame, b.frame);
        visit(a.opposed, b.opposed);
        visit(a.step, b.step);
        visit(a.phase, b.phase);
    }
};

template <template <typename> class Of>
struct RoundAttributes {
    Of<FormatId> format{};
    Of<Rounding> mode{};
    Of<Overflow> overflow{};
    Of<ResultFlush> flush{};
    Of<bool> zero_sign_ieee{}, underflow_keeps_sign{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.format, b.format);
        visit(a.mode, b.mode);
        visit(a.overflow, b.overflow);
        visit(a.flush, b.flush);
        visit(a.zero_sign_ieee, b.zero_sign_ieee);
        visit(a.underflow_keeps_sign, b.underflow_keeps_sign);
    }
};

namespace parametric {

using Slot = std::size_t; ///< index of a variable of a structure
/// The slot of a parameter that has its default: of one that no structure of this kind varies.
inline constexpr Slot no_slot = static_cast<Slot>(-1);

/// A slot that is none until it is given.
class OptionalSlot {
  public:
    constexpr OptionalSlot(Slot slot = no_slot) : slot_(slot) {}
    constexpr operator Slot() const { return slot_; }

  private:
    Slot slot_;
};

template <typename>
using SlotOf = OptionalSlot; ///< the variable in the place of the field
template <typename>
using NumberOf = int; ///< what the number means, the table of parameters says (parameters.hpp)

} // namespace parametric

} // namespace discern
