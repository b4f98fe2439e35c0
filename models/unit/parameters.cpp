#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::parametric {

namespace {

// ------------------------------------------------------------------------------------ what the numbers mean

constexpr int max_exponent = 2500; // beyond every exponent that f64 products with scales reach (wide_int.hpp relies)

constexpr int number_of(auto field) { return static_cast<int>(field); }

constexpr std::array<Word, 1> none_words = {{{"none", none}}};
constexpr std::array<Word, 1> exact_words = {{{"exact", exact}}};
constexpr std::array<Word, 1> wide_words = {{{"wide", none}}};
constexpr std::array<Word, 2> zero_words = {{{"ignore", ignore}, {"emin", own}}};
constexpr std::array<Word, 2> truth_words = {{{"no", 0}, {"yes", 1}}};
constexpr std::array<Word, 4> scaled_words = {{{"no", number_of(Scaled::no)},
                                               {"yes", number_of(Scaled::both)},
                                               {"a", number_of(Scaled::a)},
                                               {"b", number_of(Scaled::b)}}};
constexpr std::array<Word, 4> operand_flush_words = {{{"none", 0}, {"pos", 2}, {"plus", 3}, {"keep", 1}}};
constexpr std::array<Word, 7> result_flush_words = {
    {{"none", 0}, {"result", 1}, {"result:pos", 2}, {"after", 3}, {"after:pos", 4}, {"before", 5}, {"before:pos", 6}}};
constexpr auto mode_words = [] {
    std::array<Word, rounding_names.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = {rounding_names[i], static_cast<int>(i)};
    return words;
}();
constexpr std::array<Word, 3> normalisation_words = {{{"raw", number_of(Normalisation::raw)},
                                                      {"carry", number_of(Normalisation::carry)},
                                                      {"full", number_of(Normalisation::full)}}};
constexpr std::array<Word, 3> overflow_words = {{{"inf", number_of(Overflow::infinity)},
                                                 {"max", number_of(Overflow::largest)},
                                                 {"ieee", number_of(Overflow::ieee)}}};
constexpr std::array<Word, 2> zero_sign_words = {{{"pos", 0}, {"ieee", 1}}};
constexpr std::array<Word, 2> keep_sign_words = {{{"pos", 0}, {"keep", 1}}};
constexpr std::array<Word, 4> frame_words = {{{"none", number_of(SignFrame::none)},
                                              {"c", number_of(SignFrame::c)},
                                              {"c_or_plus", number_of(SignFrame::c_or_plus)},
                                              {"nonzero_c", number_of(SignFrame::nonzero_c)}}};
constexpr std::array<Word, 3> opposed_words = {
    {{"all", number_of(Opposed::all)}, {"nonzero", number_of(Opposed::nonzero)}, {"kept", number_of(Opposed::kept)}}};
constexpr std::array<Word, 2> yields_words = {{{"yields", 1}, {"counts", 0}}};

/// In the order of Meaning.
constexpr std::array<Values, 19> meanings = {{
    {.words = exact_words, .numbers = true, .low = 0, .high = 64},
    {.words = mode_words},
    {.words = zero_words, .numbers = true, .low = -max_exponent, .high = max_exponent},
    {.words = none_words, .numbers = true, .low = -max_exponent, .high = max_exponent},
    {.words = wide_words, .numbers = true, .low = 0, .high = 64},
    {.words = normalisation_words},
    {.words = none_words, .numbers = true, .low = -max_exponent, .high = max_exponent},
    {.words = truth_words},
    {.words = overflow_words},
    {.words = operand_flush_words},
    {.words = result_flush_words},
    {.words = none_words, .numbers = true, .low = 0, .high = max_exponent},
    {.words = {}, .formats = true},
    {.words = none_words, .formats = true},
    {.words = frame_words},
    {.words = opposed_words},
    {.words = none_words, .numbers = true, .low = 2, .high = 64},
    {.words = {}, .numbers = true, .low = 0, .high = 63},
    {.words = scaled_words},
}};

std::string text_in(std::span<const Word> words, const Values& values, int value) {
    for (const Word& word : words)
        if (word.value == value) return std::string(word.text);
    if (values.formats) return std::string(format(static_cast<FormatId>(value)).name);
    if (values.numbers) return std::to_string(value);
    throw std::logic_error("a parameter's value without meaning");
}

// ----------------------------------------------------------------------------------- fields as numbers, and back

constexpr int number_of(int field) { return std::max(field, INT_MIN + 2); } // smaller ones are words
template <typename T>
constexpr int number_of(const std::optional<T>& field) {
    return field ? number_of(*field) : none;
}
int number_of(const ZeroExponent& zero) {
    return zero.kind == ZeroExponent::Kind::ignore ? ignore
           : zero.kind == ZeroExponent::Kind::own  ? own
                                                   : number_of(zero.value);
}

/// One field of a part, by its pointer to member.
template <typename T, auto field>
int get(const ConstOwner& owner) {
    return number_of(std::get<const T*>(owner)->*field);
}
template <typename T, auto field>
void set(const Owner& owner, int value) {
    auto& to = std::get<T*>(owner)->*field;
    to = value_of_number<std::remove_reference_t<decltype(to)>>(value);
}

/// Three fields: whether subnormal operands are flushed, and to which sign, and whether zeros lose theirs too.
template <typename T>
int get_operand_flush(const ConstOwner& owner) {
    return operand_flush(*std::get<const T*>(owner));
}
template <typename T>
void set_operand_flush(const Owner& owner, int value) {
    T& operand = *std::get<T*>(owner);
    operand.ftz = value != 0;
    operand.fsign_keep = value < 2;
    operand.zin_keep = value != 3;
}

int get_result_flush(const ConstOwner& owner) {
    const Round& round = *std::get<const Round*>(owner);
    return round.ftz == Flush::none ? 0 : 2 * static_cast<int>(round.ftz) - (round.fsign_keep ? 1 : 0);
}
void set_result_flush(const Owner& owner, int value) {
    Round& round = *std::get<Round*>(owner);
    const ResultFlush ftz = result_flush(value);
    round.ftz = ftz.when;
    round.fsign_keep = ftz.keeps_sign;
}

// ------------------------------------------------------------------------------------------------ the table

constexpr std::span<const Word> usual{}; ///< the names of the meaning

using enum OwnerKind;

// The members of a part and of its records that are the field, and how it is read and set.
#define SAME(part, field) &part##Attributes<SlotOf>::field, &part##Attributes<NumberOf>::field
#define FIELD(part, field) SAME(part, field), get<part, &part::field>, set<part, &part::field>

// clang-format off
constexpr Parameter parameter_rows[] = {
    {child, "F", Form::bare, "F=n, exact", true, Meaning::fraction, usual, exact, exact,
     "F", "n exact", "fraction bits kept when terms are aligned", Where::nowhere,
     FIELD(Child, F)},
    {child, "", Form::bare, "a rounding mode", true, Meaning::mode, usual, number_of(Rounding::rz), number_of(Rounding::rz),
     "align", rounding_words, "rounding of aligned terms in the sum of products", Where::product_children,
     FIELD(Child, rounding)},
    {child, "zero", Form::named, "zero=", true, Meaning::zero, usual, ignore, ignore,
     "zero", "ignore emin n", "reference exponent of a zero term", Where::nowhere,
     FIELD(Child, zero)},
    {fuse, "floor", Form::named, "floor=n", false, Meaning::floor, usual, none, none,
     "floor", "none n", "lower bound of the maximum exponent", Where::product_fuses,
     FIELD(Fuse, floor)},
    {child, "drop", Form::named, "drop=n", false, Meaning::drop, usual, none, none,
     "drop", "none n", "c (in the notation: a term) counts as zero when its exponent is more than n below the maximum", Where::c_child,
     FIELD(Child, drop)},
    {child, "less", Form::named, "less=n", false, Meaning::number, usual, 0, 0,
     "less", "n", "c takes part in the maximum exponent with its own less n", Where::c_child,
     FIELD(Child, less)},
    {child, "scaled", Form::flag, "scaled, scaled=a or scaled=b", false, Meaning::scaled, usual, 0, 0,
     "", "", "", Where::nowhere,
     FIELD(Child, scaled)},
    {fuse, "carry", Form::named, "carry=n", false, Meaning::carry, usual, none, none,
     "carry", "wide n", "carry bits of the register of the sum, which wraps", Where::product_fuses,
     FIELD(Fuse, carry)},
    {fuse, "sticky", Form::flag, "sticky", false, Meaning::truth, usual, 0, 0,
     "sticky", "no yes", "one more bit of the sum, which says whether anything was truncated", Where::product_fuses,
     FIELD(Fuse, sticky)},
    {fuse, "plus", Form::flag, "plus", false, Meaning::truth, usual, 0, 0,
     "plus", "no yes", "a sum of products that is zero is +0, whatever the signs", Where::product_fuses,
     FIELD(Fuse, plus)},
    {fuse, "frame", Form::named, "frame=", false, Meaning::frame, usual, number_of(SignFrame::none), number_of(SignFrame::none),
     "frame", "none c c_or_plus nonzero_c", "the sign relative to which the sum is formed: a term of the other sign enters as its one's complement",
     Where::product_fuses, FIELD(Fuse, frame)},
    {fuse, "opposed", Form::named, "opposed=", false, Meaning::opposed, usual, number_of(Opposed::all), number_of(Opposed::all),
     "opposed", "all nonzero kept", "which of the terms of the other sign are inverted", Where::product_fuses,
     FIELD(Fuse, opposed)},
    {fuse, "step", Form::named, "step=n", false, Meaning::step, usual, none, none,
     "step", "none n", "terms are aligned in steps of so many bits", Where::product_fuses,
     FIELD(Fuse, step)},
    {fuse, "phase", Form::named, "phase=n", false, Meaning::number, usual, 0, 0,
     "phase", "n", "the maximum exponent is raised to the next number that is this modulo the step", Where::product_fuses,
     FIELD(Fuse, phase)},
    {product, "", Form::bare, "carry, full", false, Meaning::normalisation, usual, number_of(Normalisation::raw),
     number_of(Normalisation::raw), "product", "raw carry full", "normalisation of products", Where::products,
     FIELD(Product, normalisation)},
    {product, "limit", Form::named, "limit=n", false, Meaning::limit, usual, none, none,
     "limit", "none n", "a product of magnitude ≥ 2^n becomes infinite", Where::products,
     FIELD(Product, limit)},
    {product, "", Form::suffix, "", false, Meaning::truth, yields_words, 1, 1,
     "oinf", "yields counts", "such an infinity against one from the inputs: gives way, or makes NaN", Where::products,
     FIELD(Product, oinf_yields)},
    {product, "as", Form::named, "as=FORMAT", false, Meaning::optional_format, usual, none, none,
     "operands", "none FORMAT", "a and b are converted to this format first (exponents of subnormal ones)", Where::products,
     FIELD(Product, as)},
    {product, "ftz", Form::flag, "ftz, ftz=pos or ftz=plus", false, Meaning::operand_flush, usual, 0, 0, "", "", "", Where::nowhere,
     SAME(Product, ftz), get_operand_flush<Product>, set_operand_flush<Product>},
    {product, "infnan", Form::flag, "infnan", false, Meaning::truth, usual, 0, 0,
     "infnan", "no yes", "infinite a and b are read as NaN", Where::products,
     FIELD(Product, infnan)},
    {product, "nanzero", Form::flag, "nanzero", false, Meaning::truth, usual, 0, 0,
     "nanzero", "no yes", "NaN a and b are read as zeros", Where::products,
     FIELD(Product, nanzero)},
    {product, "infzero", Form::flag, "infzero", false, Meaning::truth, usual, 0, 0,
     "infzero", "no yes", "infinity times zero is infinity, not NaN", Where::products,
     FIELD(Product, infzero)},
    {group, "empty", Form::named, "empty=", false, Meaning::zero, usual, own, own,
     "empty", "ignore emin n", "reference exponent of a group whose products, or one of whose scales, are zero", Where::groups,
     FIELD(Group, empty)},
    {accumulator, "as", Form::named, "as=FORMAT", false, Meaning::optional_format, usual, none, none,
     "as", "none FORMAT", "c is converted to this format first (exponent of subnormal c)", Where::accumulator,
     FIELD(Accumulator, as)},
    {accumulator, "ftz", Form::flag, "ftz, ftz=pos or ftz=plus", false, Meaning::operand_flush, usual, 0, 0, "", "", "", Where::nowhere,
     SAME(Accumulator, ftz), get_operand_flush<Accumulator>, set_operand_flush<Accumulator>},
    {round, "", Form::first, "", false, Meaning::format, usual, number_of(FormatId::f32), number_of(FormatId::f32),
     "", "", "", Where::nowhere, FIELD(Round, format)},
    {round, "", Form::first, "", false, Meaning::mode, usual, number_of(Rounding::rne), number_of(Rounding::rz),
     "round", "MODE FORMAT:MODE", "the block's final rounding", Where::nowhere,
     FIELD(Round, mode)},
    {round, "overflow", Form::named, "overflow=", false, Meaning::overflow, usual, number_of(Overflow::ieee),
     number_of(Overflow::infinity), "overflow", "inf max ieee", "what a conversion gives above the largest finite number",
     Where::final_rounds, FIELD(Round, overflow)},
    {round, "ftz", Form::named, "ftz=", false, Meaning::result_flush, usual, 0, 0,
     "ftz", "none, or in c out joined by +", "flush of subnormal a and b, c, results", Where::nowhere,
     SAME(Round, ftz), get_result_flush, set_result_flush},
    {round, "zsign", Form::named, "zsign=", false, Meaning::truth, zero_sign_words, 1, 0,
     "zsign", "pos ieee", "sign of an exactly zero sum", Where::final_rounds,
     FIELD(Round, zsign_ieee)},
    {round, "usign", Form::named, "usign=", false, Meaning::truth, keep_sign_words, 1, 1,
     "usign", "pos keep", "sign of a non-zero result that rounds to zero", Where::final_rounds,
     FIELD(Round, usign_keep)},
};
// clang-format on
#undef FIELD
#undef SAME

} // namespace

const Values& values_of(Meaning meaning) { return meanings[static_cast<std::size_t>(meaning)]; }

std::optional<int> number_in(const Parameter& p, const ConstOwner& owner) {
    const int value = p.get(owner);
    const auto words = p.words();
    const bool named = std::any_of(words.begin(), words.end(), [value](const Word& w) { return w.value == value; });
    return !values_of(p.meaning).numbers || named ? std::nullopt : std::optional(value);
}

std::string text_of(Meaning meaning, int value) { return text_in(values_of(meaning).words, values_of(meaning), value); }

std::string choices(std::span<const Word> words) {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i)
        list += std::string(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i].text);
    return list;
}

std::optional<int> find_word(std::span<const Word> words, std::string_view text) {
    for (const Word& word : words)
        if (word.text == text) return word.value;
    return std::nullopt;
}

std::string Parameter::attribute(int value) const {
    const std::string said = value_text(value);
    const bool alone = form == Form::first || (form == Form::bare && find_word(words(), said));
    if (form == Form::flag && value == 1) return std::string(word);
    return alone ? said : form == Form::suffix ? ":" + said : std::string(word) + "=" + said;
}

std::string Parameter::value_text(int value) const { return text_in(words(), values_of(meaning), value); }

std::span<const Parameter> parameters() { return parameter_rows; }

const std::vector<const Parameter*>& parameters_of(OwnerKind kind) {
    static const auto lists = [] {
        std::array<std::vector<const Parameter*>, std::variant_size_v<Owner>> of_kind;
        for (const Parameter& p : parameter_rows) of_kind[static_cast<std::size_t>(p.owner)].push_back(&p);
        return of_kind;
    }();
    return lists[static_cast<std::size_t>(kind)];
}

const Parameter& parameter(OwnerKind kind, std::string_view word) {
    for (const Parameter* p : parameters_of(kind))
        if (p->word == word) return *p;
    throw std::logic_error("there is no such parameter");
}

ZeroExponent zero_exponent(int value) {
    return value == ignore ? ZeroExponent{}
           : value == own  ? ZeroExponent{ZeroExponent::Kind::own, 0}
                           : ZeroExponent{ZeroExponent::Kind::constant, value};
}

ResultFlush result_flush(int value) { return {static_cast<Flush>((value + 1) / 2), value == 0 || value % 2 != 0}; }

void clear_unused(const Owner& owner) {
    if (auto* const* p = std::get_if<Product*>(&owner); p != nullptr && !(*p)->limit) (*p)->oinf_yields = true;
    if (auto* const* c = std::get_if<Child*>(&owner); c != nullptr && !(*c)->F) (*c)->rounding = Rounding::rz;
    if (auto* const* f = std::get_if<Fuse*>(&owner)) {
        if (!all_aligned(**f)) (*f)->carry = std::nullopt;
        if (!all_aligned(**f) || (*f)->carry) (*f)->sticky = false; // a register that wraps has no bit below its last
        if (!can_have_frame(**f)) (*f)->frame = SignFrame::none;
        if ((*f)->frame == SignFrame::none) (*f)->opposed = Opposed::all;
        if (!(*f)->step) (*f)->phase = 0;
        if ((*f)->step) (*f)->phase %= *(*f)->step;
    }
}

} // namespace discern::parametric
