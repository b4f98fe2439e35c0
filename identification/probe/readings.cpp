// Builds the units that have the features of a report, and compares them with the target's results.
#include "readings.hpp"

#include "identification/identify/box_walk.hpp"
#include "identification/identify/candidates.hpp"
#include "identification/identify/space/space.hpp"
#include "models/batch.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"
#include "software_sums.hpp"

#include <algorithm>
#include <array>

namespace discern::probe {

namespace {

using Kind = Explanation::Kind;

constexpr std::size_t fresh_vectors = 10'000, fresh_batch = 500;
constexpr std::size_t few_paths = 60, more_paths = 1500; ///< of evaluating a vector for all units that are left
constexpr int members_tried = 4;                         ///< of a structure, for what a probe says of it

/// Features that concern the order of additions.
constexpr std::array<std::string_view, 4> structural = {"block_width", "interleave", "c_place", "order"};
/// Features that concern precisions and roundings.
constexpr std::array<std::string_view, 9> numeric = {
    "alignment_bits",   "extra_bits",      "alignment_rounding",    "c_alignment_bits", "c_alignment_rounding",
    "output_precision", "output_rounding", "product_normalisation", "product_rounding"};

/// Whether the one could be said where the other is: narrow formats, or few bits that are kept, may hide something.
bool may_say(const ProbeReport& one, const ProbeReport& other) {
    return std::ranges::all_of(structural, [&](std::string_view key) {
        const std::string x = one.value_of(key), y = other.value_of(key);
        return x == y || x.empty() || y.empty();
    });
}

/// The observations: inputs, and d with the canonical NaN.
struct Seen {
    std::vector<Inputs> inputs;
    std::vector<std::uint64_t> d;

    void add(const Shape& shape, const Inputs& v, std::uint64_t result) {
        inputs.push_back(v);
        d.push_back(identify::without_nan_bits(shape.d, result));
    }
};

/// The first observations that a unit does not give.
std::vector<std::size_t> failures(const Unit& unit, const Seen& seen, std::size_t most) {
    BatchEvaluator evaluate(unit);
    std::vector<std::size_t> found;
    std::vector<std::uint64_t> results;
    for (std::size_t at = 0, size = 64; at < seen.inputs.size() && found.size() < most; at += size, size *= 2) {
        size = std::min(size, seen.inputs.size() - at);
        results.resize(size);
        evaluate(std::span(seen.inputs).subspan(at, size), results);
        for (std::size_t i = 0; i < size && found.size() < most; ++i)
            if (identify::without_nan_bits(unit.d, results[i]) != seen.d[at + i]) found.push_back(at + i);
    }
    return found;
}

/// The structural features that a probe reports for a unit.
ProbeReport structure_of(const Unit& unit) {
    const Evaluator evaluate(unit);
    const AskTarget ask = [&](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> answers;
        for (const Inputs& v : batch) answers.emplace_back(evaluate(v));
        return answers;
    };
    Session session(shape_of(unit), ask);
    probe_structure(session);
    return std::move(session).report();
}

/// The structures of identify's space of which the table could be.
std::vector<parametric::Structure> structures_like(const Shape& shape, const ProbeReport& report, const Limit& limit) {
    // A family with the reported blocks; some of its members may not show how their terms are added.
    const std::string width = report.value_of("block_width"), lanes = report.value_of("interleave");
    const auto is_frame = [&](const Unit& frame) {
        const std::string runs = frame.interleave == 0 ? "consecutive" : sentence("interleaved by ", frame.interleave);
        return width == std::to_string(frame.L) && lanes == runs;
    };
    std::vector<parametric::Structure> found;
    Random random(3);
    for (parametric::Structure& one : identify::default_space(shape, identify::Modes::all)) {
        if (limit.reached()) break;
        const identify::Candidates members(std::vector<parametric::Structure>{one});
        const auto drawn = members.draw(members_tried, std::nullopt, random);
        if (is_frame(one.frame) || std::ranges::any_of(drawn, [&](const identify::Sample& sample) {
                return may_say(structure_of(sample.unit), report);
            }))
            found.push_back(std::move(one));
    }
    return found;
}

/// Leaves only what the table says of precisions and roundings, where the structure is one of a single kind of sum.
void restrict_to(parametric::Structure& structure, const ProbeReport& report) {
    if (!structure.name.starts_with("fused") && !structure.name.starts_with("rounded sums")) return;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> features = {
        {{"F", "alignment_bits"}, {"align", "alignment_rounding"}, {"round", "output_rounding"}}};
    for (parametric::Variable& variable : structure.variables)
        for (const auto& [name, key] : features) {
            const std::string claimed = report.value_of(key);
            if (variable.name != name || claimed.empty()) continue;
            std::vector<int> left;
            for (std::size_t i = 0; i < variable.values.size(); ++i)
                if (variable.text(i) == claimed) left.push_back(variable.values[i]);
            if (!left.empty()) variable.values = std::move(left);
        }
}

/// A member that gives all; nothing if there is none, or not in time: then `decided` is false.
std::optional<Unit> member_that_gives(std::vector<parametric::Structure> structures, const Seen& seen,
                                      const Limit& limit, bool& decided) {
    decided = true;
    if (structures.empty()) return std::nullopt;
    identify::Candidates candidates(std::move(structures));
    for (std::vector<bool> used(seen.inputs.size());;) {
        const std::optional<Unit> unit = limit.reached() ? std::nullopt : candidates.preferred();
        if (!unit) break;
        const auto wrong = failures(*unit, seen, 40);
        if (wrong.empty()) return unit;
        // A clear question first.
        std::size_t next = wrong.front();
        for (const std::size_t paths : {few_paths, more_paths}) {
            const auto clear = std::ranges::find_if(wrong, [&](std::size_t i) {
                return !used[i] && candidates.can_observe(seen.inputs[i], std::nullopt, paths);
            });
            if (clear == wrong.end()) continue;
            next = *clear;
            break;
        }
        if (used[next]) break;
        used[next] = true;
        if (candidates.observe(seen.inputs[next], seen.d[next], limit) == identify::Taken::contradicts)
            return std::nullopt;
    }
    decided = false;
    return std::nullopt;
}

class Explaining {
  public:
    Explaining(const Shape& shape, const Structure& structure, const ProbeReport& report, const AskTarget& ask,
               const Limit& limit)
        : shape_(shape), structure_(structure), report_(report), ask_(ask), limit_(limit) {
        for (const Vector& v : report.asked)
            if (v.d.size() == 1) seen_.add(shape, v.inputs(), v.d.front());
    }

    Explanation run() {
        if (std::ranges::all_of(structural, [&](std::string_view key) { return report_.value_of(key).empty(); }))
            return {};
        // The vectors that were asked already refute most units; fresh vectors are for the rest.
        Explanation found = best();
        if (!found.unit) return found;
        const std::size_t answered = ask_fresh(*found.unit);
        if (!failures(*found.unit, seen_, 1).empty()) found = best();
        found.fresh = answered;
        return found;
    }

  private:
    Explanation best() {
        if (auto named = among_named()) return *named;
        if (!like_) like_ = structures_like(shape_, report_, limit_);
        return among_structures();
    }

    std::optional<Explanation> among_named() const {
        for (const CatalogueEntry& entry : catalogue())
            if (shape_of(entry.unit) == shape_ && failures(entry.unit, seen_, 1).empty())
                return Explanation{Kind::fits, entry.unit, 0};
        for (SoftwareSum& sum : software_sums(shape_, structure_, report_))
            if (failures(sum.unit, seen_, 1).empty())
                return Explanation{sum.wider ? Kind::wider : Kind::fits, std::move(sum.unit), 0};
        return std::nullopt;
    }

    Explanation among_structures() const {
        bool decided = true;
        auto restricted = *like_;
        for (parametric::Structure& one : restricted) restrict_to(one, report_);
        if (auto unit = member_that_gives(std::move(restricted), seen_, limit_, decided))
            return {Kind::fits, std::move(unit), 0};
        const bool refuted = decided;
        if (auto unit = member_that_gives(*like_, seen_, limit_, decided))
            return {refuted ? Kind::only_sums : Kind::undecided, std::move(unit), 0};
        return {refuted && decided ? Kind::refuted : Kind::undecided, std::nullopt, 0};
    }

    /// @return how many were answered
    std::size_t ask_fresh(const Unit& unit) {
        mixture_.emplace(unit, 900);
        const std::vector<Inputs> fresh = mixture_->batch(fresh_vectors);
        const Limit half = limit_.share(0.5, 1e6);
        std::size_t asked = 0, answered = 0;
        while (asked < fresh.size() && !half.reached()) {
            // A few vectors at first, since the target may be slow.
            const std::size_t size = std::min(asked == 0 ? 20 : fresh_batch, fresh.size() - asked);
            const auto batch = std::span(fresh).subspan(asked, size);
            const auto answers = ask_(batch);
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (answers[i]) {
                    seen_.add(shape_, batch[i], *answers[i]);
                    ++answered;
                }
            asked += batch.size();
            if (answered == 0) break; // a recording has no others
        }
        return answered;
    }

    const Shape& shape_;
    const Structure& structure_;
    const ProbeReport& report_;
    const AskTarget& ask_;
    const Limit& limit_;
    Seen seen_;
    std::optional<std::vector<parametric::Structure>> like_{};
    std::optional<InputMixture> mixture_; ///< of fresh vectors, to which what was seen points
};

} // namespace

Explanation explain(const Shape& shape, const Structure& structure, const ProbeReport& report, const AskTarget& ask,
                    const Limit& limit) {
    return Explaining(shape, structure, report, ask, limit).run();
}

void take_back(ProbeReport& report, const Explanation& explanation) {
    const auto change = [&](std::span<const std::string_view> keys, const std::optional<std::string>& value,
                            const std::string& why) {
        for (Feature& feature : report.features)
            if (std::ranges::find(keys, feature.key) != keys.end() && feature.value) {
                feature.value = value;
                feature.why = why;
                if (!value) feature.decided_by.clear();
            }
    };
    const std::string none = "none of the known readings gives all answers";
    constexpr std::array<std::string_view, 1> precision = {"output_precision"};
    if (explanation.kind == Kind::refuted) change(structural, std::nullopt, none);
    if (explanation.kind == Kind::refuted || explanation.kind == Kind::only_sums) change(numeric, std::nullopt, none);
    if (explanation.kind == Kind::wider)
        change(precision, std::to_string(format(FormatId::f64).mantissa_bits),
               "sums are kept as f64, and rounded to d at the end");
}

} // namespace discern::probe
