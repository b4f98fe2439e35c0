// The rounding of a sum to the output.
//
// Sums are made of terms of one exponent, so that several of them reach above it and leave the result's last bit
// above the last bit that the alignment keeps; then a small term adds a half, a quarter or three quarters of an ulp.
// Every combination of precision and rounding mode is a reading; those that predict every answer remain.
//
// A sum of two terms (one product and c) shows its alignment and its rounding only together: there a reading is all of
// F, the rounding of the alignment, the precision and the rounding of the output.
#include "alignment.hpp"
#include "identification/identify/box_walk.hpp"
#include "models/notation.hpp"
#include "models/parametric/family.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <type_traits>

namespace discern::probe {

namespace {

constexpr int exact_F = 65; ///< of a reading, above every other

std::vector<FormatId> precisions(const Shape& shape) {
    if (shape.d == FormatId::f32) return {FormatId::f32, FormatId::e8m13};
    return {shape.d};
}

/// A unit of that structure, as far as sums of the first and last block need it.
Unit unit_of(const Shape& shape, const Structure& structure) {
    std::string text =
        sentence(to_string(shape), " : round[", format(shape.d).name, " rne](fuse[exact](p*", shape.c ? ", c))" : "))");
    const bool regular =
        structure.order == Order::fused || structure.order == Order::exact || structure.order == Order::single;
    const auto L = static_cast<int>(structure.blocks.front().size());
    if (regular && shape.c && shape.K % L == 0) {
        const std::string_view place = structure.c == CPlace::late   ? "late"
                                       : structure.c == CPlace::last ? "last"
                                                                     : "early";
        append_part(text, sentence("{L=", L, ",c=", place, ",interleave=", structure.runs.value_or(0), "}"));
    }
    return parse_unit(text);
}

/// Hypotheses about one sum, as members of one structure.
class Readings {
  public:
    /// @param known  of the alignment, if that is not a part of the hypotheses
    Readings(const Shape& shape, const Structure& structure, const std::optional<Alignment>& known) {
        Unit unit = unit_of(shape, structure);
        std::vector<Unit> variants;
        const auto vary = [&](std::optional<int> F, Rounding align, FormatId precision, std::size_t mode) {
            for (Fuse* const fuse : product_fuses(unit))
                for (Child& child : fuse->children) {
                    child.F = F;
                    child.rounding = align;
                }
            for (Round* const round : final_rounds(unit)) {
                round->format = precision;
                round->mode = static_cast<Rounding>(mode);
            }
            variants.push_back(unit);
        };
        const std::optional<int> F = known && !known->lossless ? known->F : std::nullopt;
        const Rounding align = known ? known->mode.value_or(Rounding::rz) : Rounding::rz;
        for (const FormatId precision : precisions(shape)) vary(F, align, precision, 0);
        for (std::size_t mode = 0; mode < rounding_names.size(); ++mode) {
            vary(F, align, shape.d, mode);
            if (!known) vary(F, static_cast<Rounding>(mode), shape.d, 0);
        }
        for (int other = 0; !known && other < exact_F; ++other) vary(other, align, shape.d, 0);
        structure_ = parametric::family_of(variants)->structure;
        boxes_ = {structure_.box(0)};
    }

    /// Keeps the readings that predict every answer since `first`. Zeros of both signs are equal here.
    void keep(const Session& session, std::size_t first) {
        const std::size_t count = session.count() - first;
        if (count == 0) boxes_.clear(); // no such sum could be asked
        // Neighbouring vectors refute the same readings, so that far steps (a prime) refute most of them at once.
        constexpr std::size_t step = 7919, all_paths = 1'000'000;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = first + i * step % count;
            const auto seen = session.answer(at).value;
            std::vector<parametric::Box> left;
            for (const parametric::Box& box : boxes_) {
                auto leaves = identify::evaluate(structure_, box, session.vector(at).inputs(), all_paths);
                for (identify::Leaf& leaf : leaves.value())
                    if (seen && amount_of(session.d(), leaf.d) == seen) left.push_back(std::move(leaf.box));
            }
            parametric::merge(left);
            boxes_ = std::move(left);
        }
    }

    bool none() const { return boxes_.empty(); }
    std::set<int> fractions() const {
        return values(parametric::Meaning::fraction, [](int F) { return F == parametric::exact ? exact_F : F; });
    }
    std::set<int> mantissa_bits() const {
        return values(parametric::Meaning::format,
                      [](int id) { return format(static_cast<FormatId>(id)).mantissa_bits; });
    }
    std::set<std::string_view> alignments() const { return values(parametric::Meaning::mode, name_of); }
    std::set<std::string_view> modes() const { return values(parametric::Meaning::mode, name_of, 1); }

  private:
    static std::string_view name_of(int mode) { return name(static_cast<Rounding>(mode)); }

    /// Of the first parameter of that meaning, from the leaves up, but for some.
    template <typename Get>
    std::set<std::invoke_result_t<Get, int>> values(parametric::Meaning meaning, Get get, int skipped = 0) const {
        std::set<std::invoke_result_t<Get, int>> all;
        parametric::Slot slot = 0;
        while (structure_.variables[slot].meaning != meaning || skipped-- > 0) ++slot;
        for (const parametric::Box& box : boxes_)
            box.sets[slot].for_each([&](std::size_t i) { all.insert(get(structure_.variables[slot].values[i])); });
        return all;
    }

    parametric::Structure structure_;
    std::vector<parametric::Box> boxes_;
};

/// Sums of many terms of one exponent and a small one.
/// @param c  whether it is one of them
std::vector<Scene> lifted_sums(const Shape& shape, const std::vector<int>& lanes, bool c) {
    const int top = span_of(shape).high - 1 - static_cast<int>(std::bit_width(lanes.size() + (c ? 1 : 0)));
    const auto most = static_cast<int>(lanes.size()) - 1;
    std::vector<Scene> scenes;
    for (const int number : std::set<int>{std::min(1, most), std::min(3, most), most}) {
        const int ones = number + (c ? 1 : 0);
        if (ones == 0) continue;
        const int lift = static_cast<int>(std::bit_width(static_cast<unsigned>(ones))) - 1;
        for (const FormatId precision : precisions(shape))
            for (int below = 0; below <= 2; ++below)
                for (const int small : {1, -1, 3, -3})
                    for (const int sign : {1, -1}) {
                        Scene scene(shape);
                        if (c) scene.put(at_c, amount(sign, top));
                        for (int i = 0; i < number; ++i)
                            scene.put(lanes[static_cast<std::size_t>(i)], amount(sign, top));
                        scenes.push_back(scene.put(
                            lanes.back(), amount(small, top + lift - format(precision).mantissa_bits - below)));
                    }
    }
    return scenes;
}

/// Sums that carry to 2^(top + 1), and one and three quarters of the last bit that the result has there. Where one bit
/// more is kept than the result has, only these tell a mode that looks at ties from one that does not: the small term
/// ends with that bit, and the other one is what it lacks to a carry.
void carried_quarters(const Shape& shape, int large, int small, int top, std::vector<Scene>& scenes) {
    const int m = std::min(format(shape.a).mantissa_bits, format(shape.b).mantissa_bits);
    const int last = top - format(shape.d).mantissa_bits - 1, exponent = last + 2 * m; // of the small term
    if (m < 2 || exponent >= top || top - exponent > 60) return;
    const std::int64_t x = (std::int64_t{1} << m) + 1, lacks = (std::int64_t{2} << (top - exponent)) - 1;
    const int of_x = exponent / 2 - m;
    for (const int quarters : {1, 3}) // x times 2^m + quarters, modulo 4
        for (const int sign : {1, -1})
            scenes.push_back(Scene(shape)
                                 .put(large, amount(sign * lacks, exponent))
                                 .put_factors(small, amount(sign * x, of_x), amount(x - 1 + quarters, last - of_x)));
}

/// A large and a small term at all distances, added and subtracted, in both roles; and sums of two large ones with
/// small bits in c, which reach one bit higher.
std::vector<Scene> two_term_sums(const Shape& shape, int one, int other) {
    const Span span = span_of(shape);
    const int top = span.high - 2;
    const std::pair<int, int> roles[] = {{one, other}, {other, one}};
    std::vector<Scene> scenes;
    const auto add = [&](int large, const Amount& value, int small, const Amount& rest) {
        scenes.push_back(Scene(shape).put(large, value).put(small, rest));
    };
    for (const auto& [large, small] : roles)
        for (int below = 1; top - below - 1 >= span.low; ++below)
            for (const int bits : {1, -1, 3, -3})
                for (const int sign : {1, -1}) add(large, amount(sign, top), small, amount(bits, top - below - 1));
    // A half of the last bit, and a bit far below: whether the latter counts.
    const int d_bits = format(shape.d).mantissa_bits, c_bits = shape.c ? format(*shape.c).mantissa_bits : 0;
    for (const auto& [large, small] : roles)
        for (int apart = 1; apart <= std::min(small == at_c ? c_bits : format(shape.a).mantissa_bits, 60); ++apart)
            for (int below = d_bits + 1; below <= d_bits + 2; ++below)
                for (const int sign : {1, -1})
                    for (const int small_sign : {1, -1})
                        add(large, amount(sign, top), small,
                            amount(small_sign * ((std::int64_t{1} << apart) + 1), top - below - apart));
    for (int below = 3; below <= c_bits && (one == at_c || other == at_c); ++below)
        for (const int sign : {1, -1})
            for (const std::int64_t quarters : {6, 5}) // 1.5 or 1.25 each
                add(one == at_c ? other : one, amount(sign * quarters, top - 2), at_c,
                    amount(sign * ((quarters << (below - 2)) + 1), top - below));
    for (const auto& [large, small] : roles)
        if (small != at_c) carried_quarters(shape, large, small, top, scenes);
    return scenes;
}

std::string fit(const std::set<std::string_view>& names) {
    std::string text;
    for (const std::string_view one : names) append_part(text, sentence(text.empty() ? "the answers fit " : ", ", one));
    return text;
}

/// @param fits  those that remain; nullptr where nothing was asked
void report_output(Session& session, const Readings* fits, std::size_t first, const std::string& why) {
    Told precision{{}, why}, mode{{}, why};
    if (fits != nullptr && !fits->none()) {
        const auto bits = fits->mantissa_bits();
        const auto modes = fits->modes();
        if (bits.size() == 1)
            precision = {std::to_string(*bits.begin()), "fraction bits of the rounded sum of a block"};
        else
            precision.why = "the answers fit several precisions";
        if (modes.size() == 1)
            mode = {std::string(*modes.begin()), "of the sum of a block to the output"};
        else
            mode.why = modes.size() == rounding_names.size()
                           ? "no sum had a bit below the output's last bit left to round"
                           : fit(modes);
    }
    session.report("output_precision", std::move(precision), first);
    session.report("output_rounding", std::move(mode), first);
}

/// Reports what all remaining readings of a sum of two terms agree on.
Alignment report_two_terms(Session& session, const Readings& fits, std::size_t first, const std::string& why) {
    Alignment alignment;
    Told bits{{}, why}, extra{{}, why}, mode{{}, why};
    const auto F = fits.fractions();
    const int d_bits = session.d().mantissa_bits;
    if (F.size() == 1 && !F.contains(exact_F)) {
        alignment.F = *F.begin();
        bits = {std::to_string(*alignment.F), "F: bits below the exponent of the largest term"};
        extra = {std::to_string(*alignment.F - d_bits), "fraction bits kept beyond those of d"};
        mode.why = fit(fits.alignments());
        if (const auto modes = fits.alignments(); modes.size() == 1) {
            alignment.mode = rounding_from_name(*modes.begin());
            mode = {std::string(*modes.begin()), "of what lies below the last kept bit"};
        }
    } else if (F.contains(exact_F) && *F.begin() >= d_bits + 3) {
        alignment = {*F.begin(), true, {}};
        const std::string like_exact = "rounded like the exact sum; so many bits suffice if the last one is sticky";
        bits = {sentence("≥ ", *alignment.F), like_exact};
        extra = {sentence("≥ ", *alignment.F - d_bits), like_exact};
        mode.why = "nothing is truncated";
    } else if (!F.empty()) {
        bits.why = extra.why = mode.why = "the answers fit several alignments";
    }
    session.report("alignment_bits", std::move(bits), first);
    session.report("extra_bits", std::move(extra), first);
    session.report("alignment_rounding", std::move(mode), first);
    return alignment;
}

} // namespace

Alignment probe_output(Session& session, const Structure& structure, const Alignment& alignment) {
    const std::size_t first = session.count();
    const auto untold = [&](const std::string& why) {
        report_output(session, nullptr, first, why);
        return alignment;
    };
    if (!structure.known()) return untold(structure.why);
    const Shape& shape = session.shape();
    // The result of the first block is aligned again in the others; the result of the last one is d.
    const std::vector<int>& lanes = structure.blocks.back();
    const bool one_sum = structure.order == Order::fused || structure.order == Order::exact;
    const bool with_c = structure.c == CPlace::early;
    if (one_sum && lanes.size() + (with_c ? 1 : 0) >= 3) {
        if (!alignment.F || (!alignment.lossless && !alignment.mode))
            return untold("it can be seen only where the alignment is known");
        session.ask(lifted_sums(shape, lanes, with_c));
        Readings readings(shape, structure, alignment);
        readings.keep(session, first);
        report_output(session, &readings, first, "the answers fit no rounding of the sum");
        return alignment;
    }
    // A sum of two: c and a product, or a product and what became of the one before.
    if (structure.c == CPlace::single)
        session.ask(two_term_sums(shape, at_c, lanes.front()));
    else if (lanes.size() > 1)
        session.ask(two_term_sums(shape, lanes[1], lanes.front()));
    else if (structure.blocks.size() > 1)
        session.ask(two_term_sums(shape, structure.blocks.front().front(), lanes.front()));
    const std::string why = session.count() == first ? "no sum of two terms can be asked"
                                                     : "the answers fit no rounding of a sum of two terms";
    Readings readings(shape, structure, std::nullopt);
    readings.keep(session, first);
    const Alignment found = report_two_terms(session, readings, first, why);
    report_output(session, &readings, first, why);
    return found;
}

} // namespace discern::probe
