// The rounding of a sum to the output.
//
// Sums are made of terms of one exponent, so that several of them reach above it and leave the result's last place
// above the last bit that the alignment keeps; then a small term puts a half, a quarter or three quarters below that
// place. Every combination of precision and rounding mode is a reading; those that predict every answer remain.
//
// A sum of two terms (one product and c) shows its alignment and its rounding only together: there a reading is all of
// F, the rounding of the alignment, the precision and the rounding of the output.
#include "alignment.hpp"
#include "models/evaluate.hpp"
#include "models/overrides.hpp"
#include "models/sentence.hpp"
#include "models/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace discern::probe {

namespace {

/// A hypothesis about one sum.
struct Reading {
    std::optional<int> F; ///< nothing: exact
    Rounding align = Rounding::rz;
    FormatId precision = FormatId::f32;
    Rounding mode = Rounding::rz;
};

/// A unit of that structure, as far as sums of the first and last block need it.
Unit unit_of(const Shape& shape, const Structure& structure) {
    Fuse fuse;
    fuse.children.push_back({.node = {Node{Product{}}}, .F = {}, .rounding = {}, .zero = {}, .drop = {}});
    if (shape.c)
        fuse.children.push_back({.node = {Node{Accumulator{}}}, .F = {}, .rounding = {}, .zero = {}, .drop = {}});
    Round round;
    round.format = shape.d;
    round.child = {Node{fuse}};
    const Unit one_block{.a = shape.a,
                         .b = shape.b,
                         .c = shape.c,
                         .d = shape.d,
                         .scale = shape.scale,
                         .K = shape.K,
                         .L = shape.K,
                         .interleave = 0,
                         .place = AccumulatorPlace::chained,
                         .nan = {},
                         .tree = Node{round}};
    const bool regular =
        structure.order == Order::fused || structure.order == Order::exact || structure.order == Order::single;
    const auto L = static_cast<int>(structure.blocks.front().size());
    if (!regular || !shape.c || shape.K % L != 0) return one_block;
    const std::string_view place = structure.c == CPlace::late   ? "late"
                                   : structure.c == CPlace::last ? "last"
                                                                 : "early";
    const int runs = structure.runs.value_or(0);
    return with_overrides(one_block, sentence("{L=", L, ",c=", place, ",interleave=", runs, "}"));
}

/// The unit with the reading's parameters.
Evaluator predictor(Unit unit, const Reading& reading) {
    for (Fuse* const fuse : product_fuses(unit))
        for (Child& child : fuse->children) {
            child.F = reading.F;
            child.rounding = reading.align;
        }
    for (Round* const round : final_rounds(unit)) {
        round->format = reading.precision;
        round->mode = reading.mode;
    }
    return Evaluator(unit);
}

std::vector<FormatId> precisions(const Shape& shape) {
    if (shape.d == FormatId::f32) return {FormatId::f32, FormatId::e8m13};
    return {shape.d};
}

/// Of a sum whose alignment is known, or of all alignments.
std::vector<Reading> readings(const Shape& shape, const std::optional<Alignment>& known) {
    std::vector<Reading> all;
    const auto add = [&](std::optional<int> F, Rounding align) {
        for (const FormatId precision : precisions(shape))
            for (std::size_t mode = 0; mode < rounding_names.size(); ++mode)
                all.push_back({F, align, precision, static_cast<Rounding>(mode)});
    };
    if (known) {
        add(known->lossless ? std::nullopt : known->F, known->mode.value_or(Rounding::rz));
        return all;
    }
    for (int F = 0; F <= 64; ++F)
        for (std::size_t align = 0; align < rounding_names.size(); ++align) add(F, static_cast<Rounding>(align));
    add(std::nullopt, Rounding::rz);
    return all;
}

/// Those that predict every answer. A zero counts as zero whatever its sign.
std::vector<Reading> fitting(const Session& session, const Structure& structure, std::size_t first,
                             std::vector<Reading> all) {
    if (session.count() == first) return {}; // no such sum could be asked
    // Neighbouring vectors refute the same readings, so that far steps (a prime) refute most of them at once.
    constexpr std::size_t step = 7919;
    const std::size_t count = session.count() - first;
    const Unit unit = unit_of(session.shape(), structure);
    std::erase_if(all, [&](const Reading& reading) {
        const Evaluator predict = predictor(unit, reading);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = first + i * step % count;
            const auto seen = session.value(at);
            if (!seen || seen != amount_of(session.d(), predict(session.vector(at).inputs()))) return true;
        }
        return false;
    });
    return all;
}

/// The terms of one sum.
struct Terms {
    std::vector<int> lanes;
    bool c = false;
    std::size_t count() const { return lanes.size() + (c ? 1 : 0); }
};

/// Sums of many terms of one exponent and a small one.
std::vector<Scene> lifted_sums(const Shape& shape, const Terms& terms) {
    const int top = span_of(shape).high - 1 - static_cast<int>(std::bit_width(terms.count()));
    const auto most = static_cast<int>(terms.lanes.size()) - 1;
    std::vector<Scene> scenes;
    for (const int number : std::set<int>{std::min(1, most), std::min(3, most), most}) {
        const int ones = number + (terms.c ? 1 : 0);
        if (ones == 0) continue;
        const int lift = static_cast<int>(std::bit_width(static_cast<unsigned>(ones))) - 1;
        for (const FormatId precision : precisions(shape))
            for (int below = 0; below <= 2; ++below)
                for (const int small : {1, -1, 3, -3})
                    for (const int sign : {1, -1}) {
                        Scene scene(shape);
                        if (terms.c) scene.put(at_c, amount(sign, top));
                        for (int i = 0; i < number; ++i)
                            scene.put(terms.lanes[static_cast<std::size_t>(i)], amount(sign, top));
                        scene.put(terms.lanes.back(),
                                  amount(small, top + lift - format(precision).mantissa_bits - below));
                        scenes.push_back(scene);
                    }
    }
    return scenes;
}

/// A large and a small term at all distances, added and subtracted, in both roles; and sums of two large ones with
/// small bits in c, which reach one place higher.
std::vector<Scene> two_term_sums(const Shape& shape, int one, int other) {
    const Span span = span_of(shape);
    const int top = span.high - 2;
    std::vector<Scene> scenes;
    for (const auto& [large, small] : {std::pair(one, other), std::pair(other, one)})
        for (int below = 1; top - below - 1 >= span.low; ++below)
            for (const int bits : {1, -1, 3, -3})
                for (const int sign : {1, -1}) {
                    Scene scene(shape);
                    scene.put(large, amount(sign, top)).put(small, amount(bits, top - below - 1));
                    scenes.push_back(scene);
                }
    // A half of the last place, and a bit far below: whether the latter counts.
    const int d_bits = format(shape.d).mantissa_bits;
    for (const auto& [large, small] : {std::pair(one, other), std::pair(other, one)}) {
        const int bits = small == at_c ? format(*shape.c).mantissa_bits : format(shape.a).mantissa_bits;
        for (int apart = 1; apart <= std::min(bits, 60); ++apart)
            for (int below = d_bits + 1; below <= d_bits + 2; ++below)
                for (const int sign : {1, -1})
                    for (const int small_sign : {1, -1}) {
                        Scene scene(shape);
                        scene.put(large, amount(sign, top));
                        scene.put(small, amount(small_sign * ((std::int64_t{1} << apart) + 1), top - below - apart));
                        scenes.push_back(scene);
                    }
    }
    const int c_bits = shape.c ? format(*shape.c).mantissa_bits : 0;
    for (int below = 1; below <= c_bits && (one == at_c || other == at_c); ++below)
        for (const int sign : {1, -1})
            for (const int half : {0, 1}) { // 1.5 or 1.25 each
                const Amount large = amount(sign * (half == 0 ? 6 : 5), top - 2);
                const std::int64_t in_c = (std::int64_t{half == 0 ? 6 : 5} << std::max(below - 2, 0)) + 1;
                if (below < 3) continue;
                Scene scene(shape);
                scene.put(one == at_c ? other : one, large).put(at_c, amount(sign * in_c, top - below));
                scenes.push_back(scene);
            }
    return scenes;
}

std::string joined_names(const std::set<std::string_view>& names) {
    std::string text;
    for (const std::string_view one : names) append_part(text, sentence(text.empty() ? "" : ", ", one));
    return text;
}

template <typename Value, typename Get>
std::set<Value> values(const std::vector<Reading>& readings, Get get) {
    std::set<Value> all;
    for (const Reading& reading : readings) all.insert(get(reading));
    return all;
}

void report_output(Session& session, const std::vector<Reading>& fits, std::size_t first, const std::string& why) {
    Feature precision{
        .key = "output_precision", .title = "precision of sums", .value = {}, .why = why, .decided_by = {}};
    Feature mode{.key = "output_rounding", .title = "rounding of sums", .value = {}, .why = why, .decided_by = {}};
    if (!fits.empty()) {
        const auto decided_by = indices(first, session.count());
        const auto bits = values<int>(fits, [](const Reading& r) { return format(r.precision).mantissa_bits; });
        const auto modes = values<std::string_view>(fits, [](const Reading& r) { return name(r.mode); });
        if (bits.size() == 1) {
            precision.value = std::to_string(*bits.begin());
            precision.why = "fraction bits of the rounded sum of a block";
            precision.decided_by = decided_by;
        } else {
            precision.why = "the answers fit several precisions";
        }
        if (modes.size() == 1) {
            mode.value = std::string(*modes.begin());
            mode.why = "of the sum of a block to the output";
            mode.decided_by = decided_by;
        } else {
            mode.why = modes.size() == rounding_names.size()
                           ? "no sum had a bit below the output's last place left to round"
                           : "the answers fit " + joined_names(modes);
        }
    }
    session.add(std::move(precision));
    session.add(std::move(mode));
}

/// What the readings of a sum of two terms have in common.
Alignment report_two_terms(Session& session, const std::vector<Reading>& fits, std::size_t first,
                           const std::string& why) {
    Alignment alignment;
    Feature bits{.key = "alignment_bits", .title = "fraction bits kept", .value = {}, .why = why, .decided_by = {}};
    Feature extra{.key = "extra_bits", .title = "extra bits", .value = {}, .why = why, .decided_by = {}};
    Feature mode{
        .key = "alignment_rounding", .title = "rounding when aligned", .value = {}, .why = why, .decided_by = {}};
    const auto decided_by = indices(first, session.count());
    const auto F = values<int>(fits, [](const Reading& r) { return r.F.value_or(65); });
    if (F.size() == 1 && *F.begin() != 65) {
        alignment.F = *F.begin();
        bits.value = std::to_string(*alignment.F);
        bits.why = "F: places below the exponent of the largest term";
        extra.value = std::to_string(*alignment.F - session.d().mantissa_bits);
        extra.why = "fraction bits kept beyond those of d";
        const auto modes = values<std::string_view>(fits, [](const Reading& r) { return name(r.align); });
        if (modes.size() == 1) {
            alignment.mode = rounding_from_name(*modes.begin());
            mode.value = std::string(*modes.begin());
            mode.why = "of what lies below the last kept place";
        } else {
            mode.why = "the answers fit " + joined_names(modes);
        }
    } else if (F.contains(65) && *F.begin() >= session.d().mantissa_bits + 3) {
        alignment.F = *F.begin();
        alignment.lossless = true;
        bits.value = sentence("≥ ", *alignment.F);
        extra.value = sentence("≥ ", *alignment.F - session.d().mantissa_bits);
        bits.why = extra.why = "rounded like the exact sum; so many places do it if the last one is sticky";
        mode.why = "nothing is cut";
    } else if (!F.empty()) {
        bits.why = extra.why = mode.why = "the answers fit several alignments";
    }
    for (Feature* feature : {&bits, &extra, &mode}) {
        if (feature->value) feature->decided_by = decided_by;
        session.add(std::move(*feature));
    }
    return alignment;
}

} // namespace

Alignment probe_output(Session& session, const Structure& structure, const Alignment& alignment) {
    const std::size_t first = session.count();
    if (!structure.known()) {
        report_output(session, {}, first, structure.why);
        return alignment;
    }
    const Shape& shape = session.shape();
    // What the first block gives is aligned again in the others; what the last one gives is d.
    const std::vector<int>& lanes = structure.blocks.back();
    const bool one_sum = structure.order == Order::fused || structure.order == Order::exact;
    const bool with_c = structure.c == CPlace::early;
    if (one_sum && lanes.size() + (with_c ? 1 : 0) >= 3) {
        if (!alignment.F || (!alignment.lossless && !alignment.mode)) {
            report_output(session, {}, first, "it can be seen only where the alignment is known");
            return alignment;
        }
        session.ask(lifted_sums(shape, {.lanes = lanes, .c = with_c}));
        report_output(session, fitting(session, structure, first, readings(shape, alignment)), first,
                      "the answers fit no rounding of the sum");
        return alignment;
    }
    // A sum of two: c and a product, or a product and what became of the one before.
    const bool single = lanes.size() < 2;
    const bool c_and_product = structure.c == CPlace::single;
    const bool chained = single && !c_and_product && structure.blocks.size() > 1;
    if (!single || c_and_product || chained)
        session.ask(two_term_sums(shape,
                                  c_and_product ? at_c
                                  : chained     ? structure.blocks.front().front()
                                                : lanes[1],
                                  lanes.front()));
    const auto fits = fitting(session, structure, first, readings(shape, std::nullopt));
    const std::string why = session.count() == first ? "no sum of two terms can be asked"
                                                     : "the answers fit no rounding of a sum of two terms";
    const Alignment found = report_two_terms(session, fits, first, why);
    report_output(session, fits, first, why);
    return found;
}

} // namespace discern::probe
