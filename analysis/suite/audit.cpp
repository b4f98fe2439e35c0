#include "audit.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"
#include "partition.hpp"
#include "solver/decide/discriminate.hpp"

#include <algorithm>
#include <map>

namespace discern {

namespace {

/// Results of one unit on some vectors.
using Results = std::vector<std::uint64_t>;

Answer compare(const Unit& first, std::span<const Unit* const> others, const AuditOptions& options,
               const Limit& limit) {
    DiscriminateOptions question;
    question.solver = options.solver;
    question.seed = options.seed;
    question.stop = options.stop;
    const double left = limit.seconds_left();
    question.timeout = std::clamp(left, 0.0, options.timeout_each);
    return discriminate(first, others, question);
}

/// A vector on which the units differ; nothing if none was found within the limit of one question.
std::optional<Vector> witness(const Unit& first, const Unit& second, const AuditOptions& options) {
    const Unit* const other[] = {&second};
    Answer answer = compare(first, other, options, Limit::after(options.timeout_each, options.stop));
    if (answer.verdict != Verdict::different) return std::nullopt;
    return std::move(answer.witnesses.front());
}

/// Examines a class of the suite: which of its units are equivalent, and how the others differ.
AuditClass examine(const std::vector<std::size_t>& class_members, std::span<const Member> members,
                   const AuditOptions& options, const Limit& limit) {
    std::vector<Unit> units;
    for (const std::size_t member : class_members) units.push_back(members[member].unit);
    PartitionOptions partitioning;
    partitioning.cells.seed = options.seed;
    partitioning.cells.limit = limit;
    partitioning.progress = options.progress;
    partitioning.cells.ask = [&](std::size_t first, std::span<const std::size_t> others) {
        std::vector<const Unit*> all;
        for (const std::size_t other : others) all.push_back(&units[other]);
        return compare(units[first], all, options, limit);
    };
    const Partition parts = partition(listed(units), partitioning);
    AuditClass result;
    result.groups.resize(parts.classes());
    result.grounds = parts.grounds;
    for (std::size_t i = 0; i < units.size(); ++i) result.groups[parts.class_of[i]].push_back(class_members[i]);
    const auto first_of = [&](std::size_t group) { return result.groups[group].front(); };
    for (const auto& [one, other] : parts.open) result.open.emplace_back(first_of(one), first_of(other));
    for (const auto& list : parts.undecided)
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t j = i + 1; j < list.size(); ++j)
                result.open.emplace_back(first_of(list[i]), first_of(list[j]));
    const auto is_listed = [](const std::vector<ClassPair>& pairs, std::size_t group) {
        return std::ranges::find(pairs, ClassPair{0, group}) != pairs.end();
    };
    for (std::size_t group = 1; group < result.groups.size(); ++group) {
        const auto is_with_first = [&](const std::vector<std::size_t>& list) {
            return list.front() == 0 && std::binary_search(list.begin(), list.end(), group);
        };
        if (is_listed(parts.open, group) || is_listed(parts.equal, group) ||
            std::ranges::any_of(parts.undecided, is_with_first))
            continue;
        if (auto vector = witness(members[first_of(0)].unit, members[first_of(group)].unit, options))
            result.missed.push_back({first_of(0), first_of(group), std::move(*vector)});
        else
            result.open.emplace_back(first_of(0), first_of(group));
    }
    return result;
}

/// Whether an observation contradicts a unit.
bool contradicts(const Vector& observation, bool nan_any, const Unit& unit, std::uint64_t d) {
    const Format& f = format(unit.d);
    const std::uint64_t seen = observation.d.front();
    return !same_result(unit, d, seen) && counted_result(f, nan_any, d) != counted_result(f, nan_any, seen);
}

} // namespace

std::size_t AuditClass::size() const {
    std::size_t count = 0;
    for (const EquivalentUnits& group : groups) count += group.size();
    return count;
}

std::size_t AuditReport::missed() const {
    std::size_t count = 0;
    for (const AuditClass& one : classes) count += one.missed.size();
    return count;
}

std::size_t AuditReport::open() const {
    std::size_t count = 0;
    for (const AuditClass& one : classes) count += one.open.size();
    return count;
}

AuditReport audit(std::span<const Vector> suite, bool nan_any, std::span<const Member> members,
                  const AuditOptions& options) {
    if (members.empty()) throw Error("the space has no units; there is nothing to audit");
    const Shape shape = shape_of(members.front().unit);
    for (const Member& member : members)
        if (const std::string what = difference(shape, shape_of(member.unit)); !what.empty())
            throw Error(sentence(members.front().text, " and ", member.text, " have different ", what,
                                 "; no vector can be an input of both"));
    const bool observed =
        !suite.empty() && std::ranges::all_of(suite, [](const Vector& vector) { return vector.d.size() == 1; });
    const bool any =
        std::ranges::any_of(members, [](const Member& member) { return member.unit.nan.kind == NanRule::Kind::any; });
    const Limit limit = Limit::after(options.timeout, options.stop);
    AuditReport report;
    std::map<Results, std::size_t> by_results;
    std::vector<std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Unit& unit = members[i].unit;
        const Evaluator evaluate(unit);
        Results results;
        std::size_t contradicted = 0;
        for (const Vector& vector : suite) {
            const std::uint64_t d = evaluate(vector.inputs());
            results.push_back(counted_result(format(shape.d), any, d));
            if (!observed || !contradicts(vector, nan_any, unit, d)) continue;
            const auto number = static_cast<std::size_t>(&vector - suite.data());
            if (options.ranges == nullptr || !may_be_printed(*options.ranges, number, shape, vector.inputs(),
                                                             vector.d.front(), d, std::ref(evaluate)))
                ++contradicted;
        }
        if (observed) report.contradictions.push_back(contradicted);
        const auto [found, is_new] = by_results.emplace(std::move(results), classes.size());
        if (is_new) classes.emplace_back();
        classes[found->second].push_back(i);
    }
    for (const auto& units : classes) report.classes.push_back(examine(units, members, options, limit));
    return report;
}

std::vector<std::pair<std::size_t, Vector>> misreadings(const AuditReport& report, const Unit& truth,
                                                        std::span<const Member> members, const AuditOptions& options) {
    std::vector<std::pair<std::size_t, Vector>> result;
    for (const AuditClass& one : report.classes)
        for (const EquivalentUnits& group : one.groups) {
            if (report.contradictions[group.front()] != 0) continue;
            if (auto vector = witness(truth, members[group.front()].unit, options))
                result.emplace_back(group.front(), std::move(*vector));
        }
    return result;
}

} // namespace discern
