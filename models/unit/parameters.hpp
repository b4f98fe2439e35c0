// The table of all parameters of the nodes of a tree.
//
// A parameter is one field of a node (or two that share a word of the notation). All code that handles every parameter
// reads this table: the notation, overrides, structures with variables, the check of ranges, the integer evaluator's
// plan. A new one is a field in tree.hpp, the same in attributes.hpp, and a row here; what it computes is for the
// evaluators. Values are numbers, so that a variable has one table of them whatever it means; a Meaning says what the
// numbers are and how they are written.
#pragma once

#include "attributes.hpp"

#include "models/tree.hpp"

#include <climits>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace discern::parametric {

/// The meaning of a parameter's numbers.
enum class Meaning : std::uint8_t {
    fraction,        ///< F; `exact`: not rounded
    mode,            ///< Rounding
    zero,            ///< `ignore`, `own`, or the constant
    floor,           ///< `none`, or the bound
    carry,           ///< `none`: wide
    normalisation,   ///< Normalisation
    limit,           ///< `none`, or the exponent
    truth,           ///< 0 or 1
    overflow,        ///< Overflow
    operand_flush,   ///< 0 no, 1 keeping the sign, 2 to +0, 3 zeros to +0 as well
    result_flush,    ///< 0 no; else 2·Flush − (sign kept ? 1 : 0)
    drop,            ///< `none`, or n
    format,          ///< FormatId
    optional_format, ///< `none`, or FormatId
    frame,           ///< SignFrame
    opposed,         ///< Opposed
    step,            ///< `none`, or a power of two
    number,          ///< from 0
    scaled           ///< Scaled
};

inline constexpr int none = INT_MIN, ignore = INT_MIN, own = INT_MIN + 1, exact = INT_MIN;

/// A value with a name.
struct Word {
    std::string_view text;
    int value;
};

/// The values that a parameter can have: words, and perhaps the integers of a range, or the formats.
struct Values {
    std::span<const Word> words;
    bool numbers = false;
    int low = 0, high = 0; ///< of the numbers
    bool formats = false;
};
const Values& values_of(Meaning meaning);

/// "x, y or z", for sentences.
std::string choices(std::span<const Word> words);
/// The value of that name, or nothing.
std::optional<int> find_word(std::span<const Word> words, std::string_view text);

/// A value as an override would give it: its name, or the number.
std::string text_of(Meaning meaning, int value);

/// The part of a tree that has the parameter. The order is that of the alternatives of Owner.
enum class OwnerKind : std::uint8_t { product, accumulator, fuse, child, round, group };
using Owner = std::variant<Product*, Accumulator*, Fuse*, Child*, Round*, Group*>;
using ConstOwner =
    std::variant<const Product*, const Accumulator*, const Fuse*, const Child*, const Round*, const Group*>;

/// How a value stands in brackets of the notation.
enum class Form : std::uint8_t {
    first,  ///< the bare name, before everything else, always
    named,  ///< word=value
    bare,   ///< names stand alone, numbers as word=value
    flag,   ///< the word alone is 1, other values as word=name
    suffix, ///< the word alone, after the value of the parameter before and a colon
};

/// The parts of a unit that an override means (tree_shape.hpp).
enum class Where : std::uint8_t {
    nowhere,          ///< no key, or one with rules of its own
    products,         ///< all products
    groups,           ///< all groups
    accumulator,      ///< c
    c_child,          ///< c as a term
    product_fuses,    ///< the fuses that hold products,
    product_children, ///< … their children
    final_rounds,     ///< the block's final rounding
};

/// A field of type T of one of the records of parts, in the order of Owner.
template <typename T, template <typename> class Of>
using FieldOfPart = std::variant<T ProductAttributes<Of>::*, T AccumulatorAttributes<Of>::*, T FuseAttributes<Of>::*,
                                 T ChildAttributes<Of>::*, T RoundAttributes<Of>::*, T GroupAttributes<Of>::*>;

struct Parameter {
    OwnerKind owner;
    std::string_view word; ///< in the notation
    Form form;
    std::string_view syntax; ///< for sentences that say what may stand there
    bool of_all;             ///< a child's, which its fuse may give for all children
    Meaning meaning;
    std::span<const Word> names;            ///< in notation and overrides, if not those of the meaning
    int standard;                           ///< what the notation leaves out
    int preferred;                          ///< named if nothing decides
    std::string_view key;                   ///< of the override
    std::string_view values;                ///< … what may stand behind its '='
    std::string_view text;                  ///< … what it means
    Where where;                            ///< … which parts it sets
    FieldOfPart<OptionalSlot, SlotOf> slot; ///< where records of variables have it
    FieldOfPart<int, NumberOf> number;      ///< where records of numbers have it
    int (*get)(const ConstOwner& owner);
    void (*set)(const Owner& owner, int value);

    std::span<const Word> words() const { return names.empty() ? values_of(meaning).words : names; }
    std::string value_text(int value) const;
    /// The text in the notation.
    std::string attribute(int value) const;
    /// @param slots  of a part that has the parameter
    template <typename Slots>
    auto& slot_of(Slots& slots) const {
        return slots.*std::get<OptionalSlot std::remove_const_t<Slots>::*>(slot);
    }
};

/// All of them, in the order in which the notation prints those of a node and overrides are applied.
std::span<const Parameter> parameters();
/// The parameters of a kind of part.
const std::vector<const Parameter*>& parameters_of(OwnerKind kind);
/// The parameter of that word.
const Parameter& parameter(OwnerKind kind, std::string_view word);

/// Puts the numbers of all parameters of a part into a record.
template <typename Numbers>
void put_numbers(OwnerKind kind, const ConstOwner& owner, Numbers& numbers) {
    for (const Parameter* p : parameters_of(kind)) numbers.*std::get<int Numbers::*>(p->number) = p->get(owner);
}

/// The parameter's value if it is a number and no word.
std::optional<int> number_in(const Parameter& parameter, const ConstOwner& owner);

/// The value behind a number of Meaning::zero.
ZeroExponent zero_exponent(int value);
/// The value behind a number of Meaning::result_flush.
ResultFlush result_flush(int value);

/// The value of a field that a number stands for.
template <typename T>
T value_of_number(int value) {
    if constexpr (std::is_same_v<T, ZeroExponent>) {
        return zero_exponent(value);
    } else if constexpr (std::is_same_v<T, ResultFlush>) {
        return result_flush(value);
    } else if constexpr (requires { typename T::value_type; }) { // std::optional
        return value == none ? T() : T(static_cast<typename T::value_type>(value));
    } else {
        return static_cast<T>(value);
    }
}

/// How a product or an accumulator reads its operands, as a number of Meaning::operand_flush.
template <typename Leaf>
int operand_flush(const Leaf& leaf) {
    return !leaf.ftz ? 0 : leaf.fsign_keep ? 1 : leaf.zin_keep ? 2 : 3;
}

/// Sets what has no meaning beside the part's other values to its default: the mode of an exact child, what is about
/// the last bit of an exact sum, what becomes of products above no limit.
void clear_unused(const Owner& owner);

} // namespace discern::parametric
