#include "doubts.hpp"

#include "names.hpp"

#include "models/notation.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

constexpr double seconds_for_a_question = 2; ///< at least
constexpr double seconds_for_vectors = 0.4;  ///< for one structure, before the solver is asked
constexpr double most_parts = 3;             ///< into which the time that is left is divided, for questions
constexpr double parts_for_rare_vectors = 5; ///< of the time of a solver's question, one is theirs
constexpr unsigned most_attempts = 4;        ///< of a portfolio, side by side

} // namespace

bool Doubts::settle(const Unit& named, const std::vector<Remaining>& remaining, const Asking& asking,
                    ProbeMaker& probes, Random& random, LastWord& word) {
    if (named != same_as_) same_.clear(); // a tree alone is several units: blocks may be of another length
    same_as_ = named;
    const auto is_refuted = [&](const Remaining& rest, double seconds) {
        const Limit limit = Limit::after(std::min(seconds, limit_.seconds_left()), options_.stop);
        auto found = offer_between(shape_, named, rest, probes, random, limit,
                                   [&](const Offer& offer) { return asking.finds(offer.vector); });
        return found && asking.asked(std::move(found->vector), found->purpose);
    };
    for (const Remaining& one : remaining)
        if (!same_.contains(one.structure) && asking.searches(true) && is_refuted(one, seconds_for_vectors))
            return false;
    std::vector<Remaining> doubts;
    for (const Remaining& one : remaining) {
        if (!same_.contains(one.structure)) {
            asking.progress("is anything left that differs: " + one.what);
            Decision decision = decided(named, one, "none", most_parts);
            if (decision.verdict == Verdict::unknown) {
                doubts.push_back(one);
                if (!decision.unfolded.empty()) doubts.back().space.boxes = std::move(decision.unfolded);
                continue;
            }
            if (!is_settled(one, std::move(decision), asking)) return false;
        }
        report_same(named, one, word);
    }
    // Searching for vectors is cheaper than a solver, and by now few boxes are left in which to search.
    const auto count = static_cast<double>(doubts.size());
    for (const Remaining& rest : doubts)
        if (asking.searches(false) &&
            is_refuted(rest, limit_.seconds_left() / std::max(count, most_parts) / parts_for_rare_vectors))
            return false;
    for (const Remaining& rest : doubts) {
        asking.progress("is anything left that differs, by a solver: " + rest.what);
        const auto left = static_cast<double>(&doubts.back() - &rest);
        const double part = std::clamp(left + 1, 1.25, most_parts); // of one question alone, nearly all
        if (!is_settled(rest, decided(named, rest, "portfolio", part), asking)) return false;
        if (!report_same(named, rest, word)) word.open.push_back(rest.what);
    }
    return true;
}

/// @return false if the decision's vector was asked
bool Doubts::is_settled(const Remaining& rest, Decision decision, const Asking& asking) {
    if (decision.verdict == Verdict::equivalent) same_.emplace(rest.structure, Same{decision.by, decision.ground});
    return decision.verdict != Verdict::different || !asking.asked(std::move(*decision.witness), "solver");
}

/// Whether all that is left of a structure is known to be the same: then it is said, and listed if that is wanted.
bool Doubts::report_same(const Unit& named, const Remaining& one, LastWord& word) const {
    const auto known = same_.find(one.structure);
    if (known == same_.end()) return false;
    word.by.insert(known->second.by);
    word.grounds.push_back(known->second.ground);
    word.proved.push_back(one.what);
    if (!options_.list_same) return true;
    if (const auto members = members_of(one)) {
        word.same.push_back({named});
        word.same.back().insert(word.same.back().end(), members->begin(), members->end());
    } else {
        word.same_unlisted.push_back(to_string(named) + " is the same as all that is left of " + one.what);
    }
    return true;
}

/// Whether a remaining candidate differs from the unit; unknown if the time is over.
/// @param solver  as DecideOptions::solver
/// @param part    how many such questions the time that is left is for
Decision Doubts::decided(const Unit& named, const Remaining& rest, const std::string& solver, double part) const {
    DecideOptions solving;
    solving.timeout = std::max(seconds_for_a_question, limit_.seconds_left() / part);
    solving.stop = options_.stop;
    solving.seed = options_.seed;
    solving.solver = solver;
    solving.threads = std::min(options_.threads, most_attempts);
    solving.divide_boxes = solver == "none"; // what is asked then is what was left
    InputLimits inputs;
    inputs.finite = options_.finite;
    return limit_.reached() ? Decision{} : decide({space_of(named), rest.space, inputs, rest.put_off}, solving);
}

} // namespace discern::identify
