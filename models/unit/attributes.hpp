// The parameters of the parts of a tree as records that several readers share.
//
// The tree (tree.hpp) has each parameter as a value. Other readers keep something else for each of them: a variable,
// the number that the integer evaluator reads, or the possible values, each with a condition. They all use these
// records, with another Of: Of<T> is what they keep of a field of type T. The names are those of the tree's fields.
#pragma once

#include "models/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace discern {

/// Whether subnormal operands are read as zero, and of which sign; `plus`: as +0, and so are zeros.
/// (Product and Accumulator: flush, fsign_keep, zin_keep.)
enum class OperandFlush : std::uint8_t { none, keeps_sign, positive, plus };

/// A flush with the sign that it leaves. (Round: flush, fsign_keep.)
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
    Of<bool> oinf_yields{};
    Of<std::optional<FormatId>> as{};
    Of<OperandFlush> ftz{};
    Of<bool> infnan{}, nanzero{}, infzero{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.normalisation, b.normalisation);
        visit(a.limit, b.limit);
        visit(a.oinf_yields, b.oinf_yields);
        visit(a.as, b.as);
        visit(a.ftz, b.ftz);
        visit(a.infnan, b.infnan);
        visit(a.nanzero, b.nanzero);
        visit(a.infzero, b.infzero);
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
    Of<OperandFlush> ftz{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.as, b.as);
        visit(a.ftz, b.ftz);
    }
};

template <template <typename> class Of>
struct ChildAttributes {
    Of<std::optional<int>> F{};
    Of<Rounding> rounding{};
    Of<ZeroExponent> zero{};
    Of<std::optional<int>> drop{};
    Of<int> less{};
    Of<Scaled> scaled{}; ///< of all units that share a record: scales enter at one place

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.F, b.F);
        visit(a.rounding, b.rounding);
        visit(a.zero, b.zero);
        visit(a.drop, b.drop);
        visit(a.less, b.less);
        visit(a.scaled, b.scaled);
    }
};

template <template <typename> class Of>
struct FuseAttributes {
    Of<std::optional<int>> floor{}, carry{};
    Of<bool> sticky{}, plus{};
    Of<SignFrame> frame{};
    Of<Opposed> opposed{};
    Of<std::optional<int>> step{};
    Of<int> phase{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.floor, b.floor);
        visit(a.carry, b.carry);
        visit(a.sticky, b.sticky);
        visit(a.plus, b.plus);
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
    Of<ResultFlush> ftz{};
    Of<bool> zsign_ieee{}, usign_keep{};

    template <typename A, typename B, typename Visit>
    static void zip(A& a, B& b, Visit visit) {
        visit(a.format, b.format);
        visit(a.mode, b.mode);
        visit(a.overflow, b.overflow);
        visit(a.ftz, b.ftz);
        visit(a.zsign_ieee, b.zsign_ieee);
        visit(a.usign_keep, b.usign_keep);
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
using SlotOf = OptionalSlot; ///< the variable that stands for the field
template <typename>
using NumberOf = int; ///< what the number means, the table of parameters says (parameters.hpp)

} // namespace parametric

} // namespace discern
