#include "which.hpp"

#include "models/batch.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace discern {

namespace {

constexpr std::size_t first_batch = 64, later_batch = 4096; ///< observations looked at before the next decision

/// The observations that count, as batches of inputs.
struct Observed {
    std::vector<Inputs> inputs;
    std::vector<std::uint64_t> d;
    std::vector<std::size_t> number; ///< of each, among all observations

    explicit Observed(std::span<const Vector> all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!all[i].error.empty() || all[i].d.size() != 1) continue;
            inputs.push_back(all[i].inputs());
            d.push_back(all[i].d.front());
            number.push_back(i);
        }
    }
};

/// A unit against observations, batch by batch.
class Trial {
  public:
    Trial(const Unit& unit, const Observed& observed, bool nan_any, const PrintedRanges* ranges)
        : observed_(observed), unit_(unit), evaluate_(unit), d_(format(unit.d)),
          any_(nan_any || unit.nan.kind == NanRule::Kind::any), ranges_(ranges) {}

    /// Looks at the next observations. @return false at the end
    bool next() {
        if (at_ == observed_.inputs.size()) return false;
        const std::size_t count = std::min(at_ == 0 ? first_batch : later_batch, observed_.inputs.size() - at_);
        results_.resize(count);
        evaluate_(std::span(observed_.inputs).subspan(at_, count), results_);
        for (std::size_t i = 0; i < count; ++i)
            if (!same(results_[i], observed_.d[at_ + i]) && !is_printed(results_[i], at_ + i)) {
                ++mismatches_;
                if (first_.size() < wanted) first_.push_back({observed_.number[at_ + i], results_[i]});
            }
        at_ += count;
        return true;
    }
    std::size_t mismatches() const { return mismatches_; }
    const std::vector<Refutation>& first() const { return first_; }

    std::size_t wanted = 0; ///< refutations to remember

  private:
    bool same(std::uint64_t one, std::uint64_t other) const {
        if (one == other) return true;
        return any_ && decode(d_, one).number_class == NumberClass::nan &&
               decode(d_, other).number_class == NumberClass::nan;
    }

    /// Whether c and d, which may be several numbers, allow the result.
    bool is_printed(std::uint64_t result, std::size_t index) {
        if (ranges_ == nullptr || ranges_->empty()) return false;
        if (!one_) one_.emplace(unit_);
        return may_be_printed(*ranges_, observed_.number[index], shape_of(unit_), observed_.inputs[index],
                              observed_.d[index], result, std::ref(*one_));
    }

    const Observed& observed_;
    const Unit& unit_;
    BatchEvaluator evaluate_;
    std::optional<Evaluator> one_;
    const Format& d_;
    bool any_;
    const PrintedRanges* ranges_;
    std::size_t at_ = 0, mismatches_ = 0;
    std::vector<std::uint64_t> results_;
    std::vector<Refutation> first_;
};

/// Members of the same arithmetic, in the order of the first of each; refuted and confirmed together.
/// @param nan_counts  whether units that differ in their NaN alone are two
std::vector<std::vector<std::size_t>> classes_of(std::span<const Member> members, bool nan_counts) {
    std::map<std::uint64_t, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < members.size(); ++i) {
        Unit unit = members[i].unit;
        if (!nan_counts) unit.nan = {};
        const auto [at, is_new] = numbers.emplace(arithmetic_hash(unit), classes.size());
        if (is_new) classes.emplace_back();
        classes[at->second].push_back(i);
    }
    return classes;
}

void require_shape(std::span<const Vector> observations, std::span<const Member> members) {
    const Shape shape = shape_of(members.front().unit);
    // +0 is a c of every format, and of none.
    const bool any_c = std::ranges::all_of(observations, [](const Vector& v) { return v.c.value_or(0) == 0; });
    for (const Member& member : members) {
        Shape its = shape_of(member.unit);
        if (any_c) its.c = shape.c;
        if (const std::string what = difference(shape, its); !what.empty())
            throw Error(sentence(members.front().text, " and ", member.text, " differ in ", what,
                                 "; no vector can be an input of both"));
    }
    if (!observations.empty() && observations.front().a.size() != static_cast<std::size_t>(shape.K))
        throw Error(sentence("the observations have K=", observations.front().a.size(), ", ", members.front().text,
                             " has ", shape.K));
}

} // namespace

std::vector<Member> units_of_shape(const Shape& shape) {
    std::vector<Member> units, others;
    for (const CatalogueEntry& entry : catalogue()) {
        Shape at_our_k = shape_of(entry.unit);
        at_our_k.K = shape.K;
        if (at_our_k != shape) continue;
        if (entry.unit.K == shape.K) {
            units.push_back({entry.name, entry.unit});
            continue;
        }
        const std::string text = sentence(entry.name, "{K=", shape.K, "}");
        try {
            others.push_back({text, resolve_unit(text)});
        } catch (const Error&) { // it has no such K
        }
    }
    units.insert(units.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return units;
}

WhichAnswer which(std::span<const Vector> observations, bool nan_any, std::span<const Member> members,
                  const WhichOptions& options) {
    WhichAnswer answer;
    if (members.empty()) return answer;
    require_shape(observations, members);
    const Observed observed(observations);
    const Format& d = format(members.front().unit.d);
    const bool nan_counts = std::ranges::any_of(observations, [&](const Vector& v) {
        return !v.d.empty() && decode(d, v.d.front()).number_class == NumberClass::nan;
    });
    const auto classes = classes_of(members, nan_counts);
    std::vector<std::size_t> mismatches(classes.size(), std::numeric_limits<std::size_t>::max());
    std::size_t looked_at = 0;
    for (; looked_at < classes.size() && !options.stop.stop_requested(); ++looked_at) {
        Trial trial(members[classes[looked_at].front()].unit, observed, nan_any, options.ranges);
        while (trial.mismatches() == 0 && trial.next()) {
        }
        mismatches[looked_at] = trial.mismatches();
        if (trial.mismatches() == 0) answer.consistent.push_back(classes[looked_at]);
    }
    answer.complete = looked_at == classes.size();
    if (!answer.consistent.empty()) return answer;
    // No unit agrees with all observations. So far each was evaluated until it failed, which does not show how near it
    // is.
    std::vector<NearUnit> near;
    for (std::size_t i = 0; i < looked_at; ++i) {
        Trial trial(members[classes[i].front()].unit, observed, nan_any, options.ranges);
        trial.wanted = options.refutations;
        while (trial.next() && !options.stop.stop_requested()) {
        }
        if (options.stop.stop_requested()) {
            answer.complete = false;
            break;
        }
        near.push_back({.unit = classes[i].front(), .mismatches = trial.mismatches(), .first = trial.first()});
    }
    std::ranges::stable_sort(
        near, [](const NearUnit& one, const NearUnit& other) { return one.mismatches < other.mismatches; });
    near.resize(std::min(near.size(), options.near));
    answer.near = std::move(near);
    return answer;
}

} // namespace discern
