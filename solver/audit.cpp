#include "audit.hpp"

#include "discriminate.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/sentence.hpp"

#include <algorithm>
#include <map>

namespace discern {

namespace {

/// Results of one unit on some vectors.
using Results = std::vector<std::uint64_t>;

class Audit {
  public:
    Audit(std::span<const Member> members, const AuditOptions& options)
        : members_(members), options_(options), d_(format(members.front().unit.d)),
          limit_(Limit::after(options.timeout, options.stop)) {
        for (const Member& member : members) nan_any_ = nan_any_ || member.unit.nan.kind == NanRule::Kind::any;
    }

    Results results(const Evaluator& evaluate, std::span<const Vector> vectors) const {
        Results all;
        all.reserve(vectors.size());
        for (const Vector& vector : vectors) all.push_back(canonical(evaluate(vector.inputs())));
        return all;
    }

    /// Splits the units of a class until each group is proved equivalent.
    AuditClass examine(const std::vector<std::size_t>& units) const {
        AuditClass result;
        std::vector<EquivalentUnits> groups; // of the same arithmetic
        std::map<std::uint64_t, std::size_t> by_hash;
        for (const std::size_t unit : units) {
            const auto [found, is_new] = by_hash.emplace(arithmetic_hash(members_[unit].unit), groups.size());
            if (is_new) groups.emplace_back();
            groups[found->second].push_back(unit);
        }
        std::vector<std::vector<EquivalentUnits>> unsettled = split_at_random(groups);
        for (std::size_t i = 0; i < unsettled.size(); ++i) {
            std::vector<EquivalentUnits> rest = settle(unsettled[i], result);
            if (!rest.empty()) unsettled.push_back(std::move(rest));
        }
        add_missed(result);
        return result;
    }

  private:
    std::uint64_t canonical(std::uint64_t d) const {
        const bool any = nan_any_ && decode(d_, d).number_class == NumberClass::nan;
        return any ? quiet_nan(d_) : d;
    }

    static Vector as_vector(const InputBuffer& buffer, bool has_c) {
        Vector vector{.a = buffer.a, .b = buffer.b, .sa = buffer.sa, .sb = buffer.sb, .c = {}, .d = {}, .error = {}};
        if (has_c) vector.c = buffer.c;
        return vector;
    }

    /// Groups that some random vectors do not tell apart.
    std::vector<std::vector<EquivalentUnits>> split_at_random(const std::vector<EquivalentUnits>& groups) const {
        if (groups.size() == 1) return {groups};
        std::vector<Vector> vectors;
        for (std::size_t i = 0; vectors.size() < options_.random_vectors; ++i) {
            const Unit& unit = members_[groups[i % groups.size()].front()].unit;
            InputGenerator generator(unit, families[i % families.size()], options_.seed + i);
            InputBuffer buffer;
            for (int j = 0; j < 50 && vectors.size() < options_.random_vectors; ++j) {
                generator.next(buffer);
                vectors.push_back(as_vector(buffer, unit.c.has_value()));
            }
        }
        std::map<Results, std::size_t> by_results;
        std::vector<std::vector<EquivalentUnits>> split;
        for (const EquivalentUnits& group : groups) {
            const Evaluator evaluate(members_[group.front()].unit);
            const auto [found, is_new] = by_results.emplace(results(evaluate, vectors), split.size());
            if (is_new) split.emplace_back();
            split[found->second].push_back(group);
        }
        return split;
    }

    /// Asks a solver about the first group and each other: what is equivalent to it is joined, what is not is returned.
    std::vector<EquivalentUnits> settle(std::vector<EquivalentUnits> groups, AuditClass& result) const {
        EquivalentUnits joined = std::move(groups.front());
        std::vector<EquivalentUnits> different;
        for (std::size_t i = 1; i < groups.size(); ++i) {
            const Answer answer = ask(joined.front(), groups[i].front());
            if (answer.verdict == Verdict::equivalent) {
                joined.insert(joined.end(), groups[i].begin(), groups[i].end());
                continue;
            }
            if (answer.verdict == Verdict::unknown) result.open.emplace_back(joined.front(), groups[i].front());
            different.push_back(std::move(groups[i]));
        }
        result.groups.push_back(std::move(joined));
        return different;
    }

    Answer ask(std::size_t first, std::size_t second) const {
        if (limit_.reached()) return {};
        if (options_.progress)
            options_.progress(sentence("comparing ", members_[first].text, " and ", members_[second].text));
        return compare(members_[first].unit, members_[second].unit, options_, limit_);
    }

    /// A witness between the first group and every other that is not merely open.
    void add_missed(AuditClass& result) const {
        for (std::size_t i = 1; i < result.groups.size(); ++i) {
            const std::size_t first = result.groups.front().front(), second = result.groups[i].front();
            if (std::find(result.open.begin(), result.open.end(), std::pair(first, second)) != result.open.end())
                continue;
            Answer answer = compare(members_[first].unit, members_[second].unit, options_,
                                    Limit::after(options_.timeout_each, options_.stop));
            if (answer.verdict == Verdict::different)
                result.missed.push_back({first, second, std::move(answer.witnesses.front())});
            else
                result.open.emplace_back(first, second);
        }
    }

  public:
    static Answer compare(const Unit& first, const Unit& second, const AuditOptions& options, const Limit& limit) {
        DiscriminateOptions question;
        question.solver = options.solver;
        question.seed = options.seed;
        question.stop = options.stop;
        const double left = std::chrono::duration<double>(limit.end - Limit::Clock::now()).count();
        question.timeout = std::clamp(left, 0.0, options.timeout_each);
        return discriminate(first, second, question);
    }

  private:
    std::span<const Member> members_;
    const AuditOptions& options_;
    const Format& d_;
    Limit limit_;
    bool nan_any_ = false;
};

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
    const bool observed = !suite.empty() && std::all_of(suite.begin(), suite.end(),
                                                        [](const Vector& vector) { return vector.d.size() == 1; });
    const Audit work(members, options);
    AuditReport report;
    std::map<Results, std::size_t> by_results;
    std::vector<std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Evaluator evaluate(members[i].unit);
        if (observed) {
            std::size_t contradicted = 0;
            for (const Vector& vector : suite) {
                const std::uint64_t d = evaluate(vector.inputs());
                const bool both_nan = decode(format(shape.d), d).number_class == NumberClass::nan &&
                                      decode(format(shape.d), vector.d.front()).number_class == NumberClass::nan;
                if (!same_result(members[i].unit, d, vector.d.front()) && !(nan_any && both_nan)) ++contradicted;
            }
            report.contradictions.push_back(contradicted);
        }
        const auto [found, is_new] = by_results.emplace(work.results(evaluate, suite), classes.size());
        if (is_new) classes.emplace_back();
        classes[found->second].push_back(i);
    }
    for (const auto& units : classes) report.classes.push_back(work.examine(units));
    return report;
}

std::vector<std::pair<std::size_t, Vector>> misreadings(const AuditReport& report, const Unit& truth,
                                                        std::span<const Member> members, const AuditOptions& options) {
    std::vector<std::pair<std::size_t, Vector>> result;
    for (const AuditClass& one : report.classes)
        for (const EquivalentUnits& group : one.groups) {
            if (report.contradictions[group.front()] != 0) continue;
            Answer answer = Audit::compare(truth, members[group.front()].unit, options,
                                           Limit::after(options.timeout_each, options.stop));
            if (answer.verdict == Verdict::different)
                result.emplace_back(group.front(), std::move(answer.witnesses.front()));
        }
    return result;
}

} // namespace discern
