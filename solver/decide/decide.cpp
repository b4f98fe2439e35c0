// The stages in their order; each settles the question or leaves it to the next.
#include "decide.hpp"

#include "deciding.hpp"
#include "part.hpp"
#include "portfolio.hpp"
#include "solver/question/circuit.hpp"
#include "sweep/patterns.hpp"

#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/parametric/family.hpp"
#include "models/random.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace discern {

namespace {

constexpr double share_of_boxes = 0.25;  ///< of the time that is left, for members that fold
constexpr double share_of_a_block = 0.5; ///< of the time that is left, for one block of several
constexpr std::size_t most_members = 6;  ///< of each space, that are challenged

/// The same result as that of a vector that was observed, of which any NaN is one NaN.
bool gives(const Evaluator& evaluate, const Vector& observed) {
    Unit any = evaluate.unit();
    any.nan = {.kind = NanRule::Kind::any};
    return same_result(any, evaluate(observed.inputs()), observed.d.at(0));
}

/// Some members of a space, from all of its boxes.
std::vector<parametric::Assignment> some_of(const std::vector<parametric::Box>& boxes) {
    Random random(boxes.size());
    std::vector<parametric::Assignment> members;
    for (std::size_t n = 0; n < most_members; ++n) {
        parametric::Assignment member = random_member(boxes[n * boxes.size() / most_members], random);
        if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(std::move(member));
    }
    return members;
}

class DecidingUnits : Deciding<Decision> {
  public:
    DecidingUnits(const SpaceQuestion& question, const DecideOptions& options)
        : Deciding(options), asked_(question), question_(question), options_(options) {
        if (question.first.is_unit() && question.second.is_unit())
            units_ = {only_member(question.first), only_member(question.second)};
    }

    Decision run() {
        std::optional<SpaceQuestion> part;
        ask_stages(
            {{.name = "terms", .run = [&](const Limit&) { ask_terms(); }},
             {.name = "terms of boxes",
              .share = share_of_boxes,
              .applies = [&] { return !units_ && options_.divide_boxes; },
              .run = [&](const Limit& limit) { ask_terms_of_boxes(limit); }},
             {.name = "random",
              .applies = [&] { return options_.search != nullptr; },
              .run = [&](const Limit& limit) { search(limit); }},
             {.name = "one block",
              .share = share_of_a_block,
              .applies =
                  [&] {
                      if (options_.solver == "portfolio") part = smaller();
                      return part.has_value();
                  },
              .run = [&](const Limit& limit) { ask_part(*part, limit); }},
             {.applies = [&] { return options_.solver != "none"; }, .run = [&](const Limit&) { ask_solver(); }}});
        if (is_open()) result_.unfolded = std::move(question_.second.boxes);
        return std::move(result_);
    }

  private:
    void ask_terms() {
        const bool is_one_tree = units_ && canonical_text(units_->first) == canonical_text(units_->second);
        result_.folded = is_one_tree || is_folded(question_);
        if (result_.folded) equivalent("terms", is_one_tree ? by_structure : by_terms, facts_);
    }

    /// In a single box a parameter has fewer values, so that more terms fold. Only what does not fold is asked about.
    void ask_terms_of_boxes(const Limit& limit) {
        std::vector<SpaceQuestion> questions; // one block of several first, which is less to build
        if (auto block = smaller()) questions.push_back(*std::move(block));
        questions.push_back(question_);
        std::vector<parametric::Box> left = std::move(question_.second.boxes);
        const std::size_t all = left.size();
        std::string by = "terms";
        for (SpaceQuestion& one : questions) {
            std::vector<parametric::Box> boxes = std::exchange(left, {});
            for (parametric::Box& box : boxes)
                if (auto rest = unfolded(one, std::move(box), limit)) left.push_back(*std::move(rest));
            if (&one != &questions.back() && left.size() < all) by = "terms, one block";
        }
        question_.second.boxes = std::move(left);
        result_.folded = question_.second.boxes.empty();
        if (result_.folded)
            equivalent(by, by_terms, facts_);
        else if (question_.second.boxes != asked_.second.boxes)
            result_.challenged += require_unrefuted(claim_but(question_.second.boxes), by, options_.reports);
    }

    /// What is left of a box without the members that fold: one value of a parameter after the other is taken away, as
    /// long as what has that value folds.
    std::optional<parametric::Box> unfolded(SpaceQuestion& one, parametric::Box box, const Limit& limit) {
        const auto folds = [&](const parametric::Box& part) {
            one.second.boxes = {part};
            return is_folded(one);
        };
        while (!limit.reached()) {
            if (folds(box)) return std::nullopt;
            bool is_smaller = false;
            for (std::size_t v = 0; v < box.sets.size() && !is_smaller && !limit.reached(); ++v) {
                const std::size_t count = box.sets[v].count();
                for (const std::size_t n : {std::size_t{0}, count - 1}) {
                    if (count < 2 || is_smaller) break;
                    parametric::Box part = box;
                    part.sets[v] = parametric::ValueSet::single(box.sets[v].nth(n));
                    if (!folds(part)) continue;
                    box.sets[v].erase(box.sets[v].nth(n));
                    is_smaller = true;
                }
            }
            if (!is_smaller) break;
        }
        return box;
    }

    bool is_folded(const SpaceQuestion& question) {
        if (options_.is_one_term) return options_.is_one_term(question);
        Circuit circuit(question);
        facts_.insert(circuit.terms.facts().begin(), circuit.terms.facts().end());
        return circuit.differ == circuit.terms.truth(false);
    }

    void search(const Limit& limit) {
        if (auto found = options_.search(limit)) differ(std::move(*found), units_->first, units_->second, "random");
    }

    /// The smallest part on which the answer rests: for chains of equal blocks, one block with any accumulator.
    std::optional<SpaceQuestion> smaller() const {
        if (!question_.limits.none() || !question_.observed.empty()) return std::nullopt; // of the first block alone
        if (!units_) {
            auto blocks = one_block(question_.first, question_.second);
            if (!blocks) return std::nullopt;
            return SpaceQuestion{std::move(blocks->first), std::move(blocks->second), {}, {}};
        }
        const auto part = smallest_part(units_->first, units_->second);
        if (!part || !part->smaller) return std::nullopt;
        return as_spaces({part->first, part->second, {}});
    }

    void ask_part(const SpaceQuestion& part, const Limit& limit) {
        DecideOptions options = options_;
        options.timeout = limit.seconds_left();
        options.search = nullptr;
        options.progress = nullptr;
        Decision answer = decide(part, options);
        if (answer.verdict == Verdict::equivalent) {
            result_.cross += answer.cross;
            result_.challenged += answer.challenged;
            equivalent(answer.by + ", one block", answer.ground, facts_);
        }
        if (answer.verdict != Verdict::different) return;
        // What follows in the unit may hide that its parts differ.
        const Unit first = whole(question_.first, *answer.first), second = whole(question_.second, *answer.second);
        const Pair pair({first, second, question_.limits});
        visit_in_unit(first, *answer.first, *answer.witness, [&](const Vector& v) {
            if (pair.tells(v.inputs())) differ(v, first, second, "one block");
            return is_open();
        });
    }

    /// The member of which this is the part.
    Unit whole(const parametric::UnitSpace& space, const Unit& part) const {
        if (units_) return &space == &question_.first ? units_->first : units_->second;
        Unit unit = space.frame();
        unit.tree = part.tree;
        return unit;
    }

    void ask_solver() {
        SolverResult asked = solve();
        asked.facts = facts_;
        result_.cross += asked.cross;
        take(std::move(asked), [this](const Solution& solution, const std::string& by) {
            differ(solution.inputs, question_.first.structure.member(solution.first),
                   question_.second.structure.member(solution.second), by);
        });
    }

    SolverResult solve() const {
        // Two at least: the whole question must not wait for a restriction, nor a proof for either.
        const unsigned threads = options_.threads == 0 ? std::clamp(std::thread::hardware_concurrency(), 2u, 4u)
                                                       : std::max(options_.threads, 2u);
        if (options_.solver == "portfolio")
            return solve_portfolio(question_, options_.seed, limit_, threads, options_.cross);
        const Circuit circuit(question_);
        return solve_with(question_, circuit, require_backend(options_.solver), options_.seed, limit_, {},
                          options_.cross);
    }

    /// A solver's vector is replayed before it counts.
    void differ(Vector v, Unit first, Unit second, const std::string& by) {
        require_replay({first, second, question_.limits}, v, by, options_.reports);
        result_.verdict = Verdict::different;
        result_.by = by;
        v.clear_results();
        result_.witness = std::move(v);
        result_.first = std::move(first);
        result_.second = std::move(second);
    }

    Claim claim() override { return claim_but({}); }

    /// That the members of both spaces compute the same, of which some stand for all.
    /// @param open  of the second space: members of which nothing is claimed
    Claim claim_but(const std::vector<parametric::Box>& open) const {
        if (units_) return claim_of(units_->first, {1, [this](std::size_t) { return units_->second; }}, asked_.limits);
        auto members = std::make_shared<std::vector<Unit>>();
        for (const parametric::Assignment& member : some_of(asked_.first.boxes))
            members->push_back(asked_.first.structure.member(member));
        for (const parametric::Assignment& member : some_of(asked_.second.boxes)) {
            Unit unit = asked_.second.structure.member(member);
            const Evaluator evaluate(unit);
            const auto is_of = [&](const parametric::Box& box) { return box.contains(member); };
            if (std::none_of(open.begin(), open.end(), is_of) &&
                std::all_of(asked_.observed.begin(), asked_.observed.end(),
                            [&](const Vector& v) { return gives(evaluate, v); }))
                members->push_back(std::move(unit));
        }
        return claim_of(members->front(), {members->size() - 1, [members](std::size_t i) { return (*members)[i + 1]; }},
                        asked_.limits);
    }

    const SpaceQuestion& asked_;
    SpaceQuestion question_; ///< what is still asked
    const DecideOptions& options_;
    std::optional<std::pair<Unit, Unit>> units_; ///< if the spaces have one member each
    std::set<std::string> facts_;                ///< on which the terms rest
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
    return DecidingUnits(question, options).run();
}

FoldedTerms folded_terms(const UnitList& units, const Limit& limit) {
    Terms t;
    t.stop_when([&] { return limit.reached(); });
    const InputTerms inputs = input_variables(t, units[0]);
    std::map<std::pair<std::uint32_t, bool>, std::size_t> numbers; // nan=any changes what counts as equal
    FoldedTerms result;
    for (std::size_t i = 0; i < units.size; ++i) {
        const Unit unit = units[i];
        const std::pair key{encode(t, unit, inputs).id, unit.nan.kind == NanRule::Kind::any};
        result.number.push_back(numbers.try_emplace(key, numbers.size()).first->second);
    }
    result.by = by_terms_too("terms", t.facts());
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
