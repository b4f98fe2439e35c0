// See decide.hpp.
#include "decide.hpp"

#include "circuit.hpp"
#include "part.hpp"
#include "portfolio.hpp"

#include "models/parametric/family.hpp"
#include "models/tree_shape.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>

namespace discern {

namespace {

class Deciding {
  public:
    Deciding(const SpaceQuestion& question, const DecideOptions& options)
        : question_(question), options_(options), limit_(Limit::after(options.timeout, options.stop)) {}

    Decision run() {
        if (ask_terms()) return std::move(decision_);
        if (question_.limits.none() && question_.observed.empty() && ask_one_block()) return std::move(decision_);
        ask_solver();
        return std::move(decision_);
    }

  private:
    void note(const std::string& stage, std::string_view outcome, Limit::Clock::time_point start) {
        decision_.stages.push_back({stage, std::string(outcome), seconds_since(start)});
    }

    bool ask_terms() {
        const auto start = Limit::Clock::now();
        Circuit circuit(question_);
        const bool same = circuit.differ == circuit.terms.truth(false);
        note("terms", same ? "equivalent" : "nothing", start);
        if (!same) return false;
        decision_.verdict = Verdict::equivalent;
        decision_.folded = true;
        decision_.by = "terms";
        return true;
    }

    /// A proof about one block with any accumulator is one about chains of them.
    bool ask_one_block() {
        const auto blocks = one_block(question_.first, question_.second);
        if (!blocks) return false;
        DecideOptions options = options_;
        options.timeout = limit_.seconds_left() / 2;
        const auto start = Limit::Clock::now();
        const Decision answer = decide({blocks->first, blocks->second, {}, {}}, options);
        note("one block", name(answer.verdict), start);
        if (answer.verdict == Verdict::equivalent) {
            decision_.verdict = Verdict::equivalent;
            decision_.by = answer.by + ", one block";
            return true;
        }
        if (answer.verdict != Verdict::different) return false;
        // The members of a block are those of the whole; what follows may hide that they differ.
        Unit first = *answer.first, second = *answer.second;
        const Part part{first, second, true};
        for (Unit* unit : {&first, &second}) {
            const Unit& whole = (unit == &first ? question_.first : question_.second).frame();
            Node tree = std::move(unit->tree);
            *unit = whole;
            unit->tree = std::move(tree);
        }
        const Pair pair({first, second, question_.limits});
        visit_in_unit(first, part, *answer.witness, [&](const Vector& v) {
            if (pair.tells(v.inputs())) differ(v, first, second, "one block");
            return decision_.verdict == Verdict::unknown;
        });
        return decision_.verdict != Verdict::unknown;
    }

    void ask_solver() {
        const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 2u, 4u);
        const SolverResult result = solve_portfolio(question_, options_.seed, limit_, threads);
        for (const Attempt& attempt : result.attempts)
            decision_.stages.push_back({attempt.name, std::string(name(attempt.outcome)), attempt.seconds});
        if (result.outcome == Outcome::unsat) {
            decision_.verdict = Verdict::equivalent;
            decision_.by = result.by;
        }
        if (result.outcome == Outcome::sat)
            differ(result.solution->inputs, question_.first.structure.member(result.solution->first),
                   question_.second.structure.member(result.solution->second), result.by);
    }

    /// A solver is never believed.
    void differ(Vector v, Unit first, Unit second, const std::string& by) {
        const Pair pair({first, second, question_.limits});
        const Replay r = replay(pair, v.inputs());
        if (!r.models_agree || !r.different) {
            const Circuit circuit(Question{first, second, question_.limits});
            throw std::logic_error("a vector found by '" + by + "' does not hold when it is replayed; see the report " +
                                   write_report(circuit, pair, v, r, by, options_.reports).string());
        }
        decision_.verdict = Verdict::different;
        decision_.by = by;
        v.clear_results();
        decision_.witness = std::move(v);
        decision_.first = std::move(first);
        decision_.second = std::move(second);
    }

    const SpaceQuestion& question_;
    const DecideOptions& options_;
    Limit limit_;
    Decision decision_;
};

std::vector<FormatId> formats_of_rounds(const Unit& unit) {
    Unit copy = unit;
    std::vector<FormatId> formats;
    for (const Round* round : all_rounds(copy)) formats.push_back(round->format);
    return formats;
}

} // namespace

Decision decide(const SpaceQuestion& question, const DecideOptions& options) {
    require_comparable(question.first.frame(), question.second.frame());
    return Deciding(question, options).run();
}

std::vector<std::size_t> folded_terms(std::span<const Unit* const> units) {
    Terms t;
    const InputTerms inputs = input_variables(t, *units.front());
    std::map<std::pair<std::uint32_t, bool>, std::size_t> numbers; // NaN of any kind are compared otherwise
    std::vector<std::size_t> result;
    for (const Unit* unit : units) {
        const std::pair key{encode(t, *unit, inputs).id, unit->nan.kind == NanRule::Kind::any};
        result.push_back(numbers.try_emplace(key, numbers.size()).first->second);
    }
    return result;
}

std::vector<std::pair<parametric::UnitSpace, std::vector<std::size_t>>> spaces_of(std::span<const Unit* const> units) {
    std::vector<std::vector<std::size_t>> alike; // one rounding has results of one format
    for (std::size_t i = 0; i < units.size(); ++i) {
        const auto group = std::find_if(alike.begin(), alike.end(), [&](const auto& members) {
            const Unit& first = *units[members.front()];
            return parametric::same_skeleton(first, *units[i]) &&
                   formats_of_rounds(first) == formats_of_rounds(*units[i]);
        });
        if (group == alike.end())
            alike.push_back({i});
        else
            group->push_back(i);
    }
    std::vector<std::pair<parametric::UnitSpace, std::vector<std::size_t>>> spaces;
    for (const auto& members : alike) {
        std::vector<Unit> list;
        for (const std::size_t i : members) list.push_back(*units[i]);
        auto family = parametric::family_of(list);
        if (!family) { // more values than a set can hold
            for (const std::size_t i : members) spaces.push_back({space_of(*units[i]), {i}});
            continue;
        }
        parametric::UnitSpace space{std::move(family->structure), {}};
        for (const parametric::Assignment& member : family->members) {
            parametric::Box box;
            for (const std::size_t value : member) box.sets.push_back(parametric::ValueSet::single(value));
            space.boxes.push_back(std::move(box));
        }
        parametric::merge(space.boxes);
        spaces.push_back({std::move(space), members});
    }
    return spaces;
}

} // namespace discern
