// What it is to decide a question, whatever is asked about: stages one after the other until one answers, all of them
// within one limit, and in the end attempts of solvers side by side.
//
// A question about two units (decide.cpp) and one about a design (designs/one_result.cpp) are classes that derive from
// this one and have only what is theirs: their stages, and what becomes of a vector that is found.
#pragma once

#include "attempts.hpp"
#include "challenge.hpp"
#include "solver/question/question.hpp"

#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace discern {

/// What answered, and the facts on which the terms rest that it was asked about.
inline std::string by_terms_too(std::string by, const std::set<std::string>& facts) {
    for (const std::string& fact : facts)
        if (by.find(fact) == std::string::npos) by += ", " + fact;
    return by;
}

/// A row of the table of a question's stages.
struct StageRow {
    std::string name = {};                 ///< empty: it notes by itself what it did
    double share = 1;                      ///< of the time that is left
    std::function<bool()> applies = {};    ///< asked when it is its turn; empty: always
    std::function<void(const Limit&)> run; ///< may answer
};

/// @tparam Result  has a verdict, what answered (by), the ground, by how many vectors it was challenged, and the
/// stages:
///                 Decision, Answer
template <typename Result>
class Deciding {
  protected:
    using Progress = std::function<void(const std::string&)>;

    /// @param options  must outlive the object; `progress` is called when a stage begins, if there is one; from any
    ///                 thread, never from two at once
    template <typename Options>
    explicit Deciding(const Options& options)
        : limit_(Limit::after(options.timeout, options.stop)), progress_(options.progress), reports_(options.reports) {}
    virtual ~Deciding() = default;

    /// What "equivalent" would claim. For those that have no such answer of their own, nothing.
    virtual Claim claim() { throw std::logic_error("an answer has no claim that could be challenged"); }

    bool is_open() const { return result_.verdict == Verdict::unknown; }

    /// This part of the time that is left.
    Limit share(double part) const { return limit_.share(part); }

    void report(const std::string& what) {
        if (!progress_) return;
        const std::scoped_lock lock(reporting_);
        progress_(what);
    }

    /// The stages of a question in their order, until one answers.
    void ask_stages(const std::vector<StageRow>& rows) {
        for (const StageRow& row : rows) {
            if (!is_open()) return;
            if (row.applies && !row.applies()) continue;
            const auto ask = [&] { row.run(row.share < 1 ? share(row.share) : limit_); };
            if (row.name.empty())
                ask();
            else
                stage(row.name, ask);
        }
    }

    /// Does something that may answer, and notes what it was, what came of it and how long it took.
    template <typename Ask>
    void stage(const std::string& stage_name, Ask ask) {
        report(stage_name);
        const auto start = Limit::Clock::now();
        ask();
        note(stage_name, is_open() ? "nothing" : std::string(name(result_.verdict)), start);
    }

    void note(const std::string& stage_name, const std::string& outcome, Limit::Clock::time_point start) {
        result_.stages.push_back({stage_name, outcome, seconds_since(start)});
    }

    /// The only way to that answer, which vectors try to refute first.
    /// @param facts  of the terms
    /// @throws std::logic_error if one does
    void equivalent(const std::string& by, const Ground& ground, const std::set<std::string>& facts) {
        if (ground != by_structure) result_.challenged += require_unrefuted(claim(), by, reports_);
        result_.verdict = Verdict::equivalent;
        result_.ground = ground;
        result_.by = by_terms_too(by, facts);
    }

    /// Takes what solvers said: unsat is the answer, and a solution is handed on.
    /// @param offer  takes a solution, and by what it was found: it is not believed before it was replayed
    template <typename Found, typename Offer>
    void take(Asked<Found> asked, Offer offer) {
        for (const Attempt& attempt : asked.attempts)
            result_.stages.push_back({attempt.name, std::string(name(attempt.outcome)), attempt.seconds});
        if (asked.outcome == Outcome::unsat) equivalent(asked.by, by_a_solver, asked.facts);
        if (asked.outcome == Outcome::sat) offer(std::move(*asked.solution), asked.by);
    }

    Result result_;
    Limit limit_;

  private:
    const Progress& progress_;
    const std::filesystem::path& reports_;
    std::mutex reporting_;
};

} // namespace discern
