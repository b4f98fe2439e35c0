// The steps from units to classes, and from classes to a small set of vectors.
#include "suite.hpp"

#include "climb.hpp"
#include "first_phase.hpp"
#include "solver/decide/joint.hpp"
#include "solver/question/replay.hpp"
#include "solver/witness/shrink.hpp"

#include "models/batch.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/parallel.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

// Random vectors of the pool from which a suite is chosen, beside those that the partition needed.
constexpr std::size_t extra_vectors = 4000, extra_results = 4'000'000, views_of_extra_vectors = 16;
// Up to that many classes vectors are simplified, and a solver is asked for smaller suites.
constexpr std::size_t few_classes = 16;
constexpr double seconds_for_fewer = 6;       ///< of each question; with 20 no suite of the catalogue is smaller
constexpr std::size_t classes_together = 256; ///< that are evaluated before their results are kept in fewer bytes

class Maker {
  public:
    /// @param trees  each once; of each unit, its number
    Maker(Suite& suite, const SuiteOptions& options, const Limit& limit, UnitList trees)
        : suite_(suite), options_(options), limit_(limit), trees_(std::move(trees)) {}

    void run(FirstCells first) {
        const auto start = Limit::Clock::now();
        find_classes(std::move(first));
        if (suite_.classes.size() > 1 && suite_.undecided.empty()) choose_vectors();
        suite_.bound = lower_bound();
        suite_.seconds = seconds_since(start);
    }

  private:
    void say(const std::string& what) const {
        if (options_.progress) options_.progress(to_string(suite_.shape) + ": " + what);
    }

    void find_classes(FirstCells first) {
        std::function<void(const std::string&)> progress;
        if (options_.progress) progress = [this](const std::string& what) { say(what); };
        TreeQuestions questions(trees_, options_, limit_);
        partition_ = partition(trees_, questions.partition_options(progress), std::move(first));
        static_cast<Settling&>(suite_) = partition_;
        suite_.trees = trees_.size;
        suite_.stored = questions.stored() + partition_.known;
        suite_.equal = partition_.equal;
        suite_.grounds = partition_.grounds;
        suite_.grounds_of_equal = partition_.grounds_of_equal;
        suite_.classes.resize(partition_.classes());
        for (std::size_t i = 0; i < suite_.units.size(); ++i) {
            suite_.class_of.push_back(partition_.class_of[suite_.tree_of[i]]);
            suite_.classes[suite_.class_of.back()].push_back(i);
        }
        for (std::size_t c = 0; c < suite_.classes.size(); ++c)
            if (suite_.classes[c].size() > 1) suite_.grounds[c] = weakest(suite_.grounds[c], by_structure);
    }

    // ---- the vectors

    void choose_vectors() {
        say("vectors");
        for (std::size_t c = 0; c < std::max(few_classes, views_of_extra_vectors) && c < partition_.classes(); ++c)
            representatives_.push_back(trees_[partition_.representative[c]]);
        const bool few = partition_.classes() <= few_classes;
        if (few)
            for (const Unit& unit : representatives_) evaluators_.emplace_back(unit);
        matrix_.d = &format(suite_.shape.d);
        for (const auto* pairs : {&suite_.open, &suite_.equal}) matrix_.excused.insert(pairs->begin(), pairs->end());
        pool_ = std::move(partition_.pool);
        add_random_vectors();
        compute_matrix();
        if (!suite_.interrupted) require_separated();
        suite_.pool = pool_.size();
        const Cover cover = smallest_cover(matrix_, limit_);
        suite_.smallest_of_pool = cover.smallest;
        for (const std::size_t row : cover.rows) suite_.vectors.push_back(pool_[row]);
        if (few) {
            if (suite_.vectors.size() > 1) climb_to_one();
            find_fewer();
            simplify();
        }
        finish();
    }

    /// The results of all classes on all vectors of the pool, of some classes at a time.
    void compute_matrix() {
        const std::size_t classes = partition_.classes();
        std::vector<Inputs> inputs;
        for (const Vector& v : pool_) inputs.push_back(v.inputs());
        matrix_.rows.resize(pool_.size());
        for (std::size_t begin = 0; begin < classes; begin += classes_together) {
            std::vector<std::vector<std::uint64_t>> results(std::min(classes_together, classes - begin),
                                                            std::vector<std::uint64_t>(inputs.size()));
            std::vector<std::uint8_t> any(results.size());
            for_each_index(options_.threads, results.size(), [&](std::size_t i) {
                const Unit unit = trees_[partition_.representative[begin + i]];
                any[i] = unit.nan.kind == NanRule::Kind::any ? 1 : 0;
                BatchEvaluator{unit}(inputs, results[i]);
            });
            matrix_.any.insert(matrix_.any.end(), any.begin(), any.end());
            for_each_index(options_.threads, inputs.size(), [&](std::size_t v) {
                for (const auto& of_class : results) matrix_.rows[v].push_back(of_class[v]);
            });
        }
    }

    /// Classes are apart because a vector separates them; where the first cells are a store's, that is not yet known.
    void require_separated() const {
        std::vector<std::pair<std::uint64_t, std::size_t>> hashes;
        for (std::size_t c = 0; c < matrix_.classes(); ++c) {
            if (matrix_.any[c]) continue; // which may equal several
            std::uint64_t hash = 0;
            for (const ResultRow& row : matrix_.rows) hash = (hash ^ row[c]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
            hashes.emplace_back(hash, c);
        }
        std::ranges::sort(hashes);
        for (std::size_t i = 1; i < hashes.size(); ++i)
            for (std::size_t j = i; j-- > 0 && hashes[j].first == hashes[i].first;) {
                const std::size_t one = hashes[j].second, other = hashes[i].second; // the smaller first
                const auto same = [&](const ResultRow& row) { return row[one] == row[other]; };
                if (matrix_.excused.contains({one, other}) || !std::ranges::all_of(matrix_.rows, same)) continue;
                const std::string what = "has first cells that no vector tells apart; remove it";
                if (options_.store != nullptr) options_.store->fail(what);
                throw std::logic_error("a partition " + what);
            }
    }

    /// Of the first classes, which are all where this is asked.
    std::vector<std::uint64_t> results(const Inputs& inputs) const {
        std::vector<std::uint64_t> row;
        for (const Evaluator& evaluate : evaluators_) row.push_back(evaluate(inputs));
        return row;
    }

    void add_random_vectors() {
        const std::size_t n = std::min(extra_vectors, extra_results / partition_.classes() + 1);
        const std::span<const Unit> some(representatives_.data(),
                                         std::min(views_of_extra_vectors, representatives_.size()));
        InputMixture mixture(each_of(some), options_.solving.seed);
        InputBuffer buffer;
        for (std::size_t i = 0; i < n && !limit_.reached(); ++i) {
            mixture.next(buffer);
            if (is_allowed(buffer.inputs()))
                pool_.push_back(vector_of(shape_of(representatives_.front()), buffer.inputs()));
        }
    }

    bool is_allowed(const Inputs& inputs) const {
        return options_.solving.limits.none() || allows(options_.solving.limits, representatives_.front(), inputs);
    }

    /// Pairs that vectors leave together although they need not be.
    std::size_t unseparated(const std::vector<Vector>& vectors) const {
        ResultMatrix matrix{matrix_.d, matrix_.any, {}, matrix_.excused};
        std::vector<std::size_t> all;
        for (const Vector& v : vectors) {
            all.push_back(all.size());
            matrix.rows.push_back(results(v.inputs()));
        }
        return matrix.unseparated(all);
    }
    bool is_complete(const std::vector<Vector>& vectors) const { return unseparated(vectors) == 0; }

    // One vector that separates everything is the best that there can be.
    void climb_to_one() {
        say("is there a suite of 1 near the vectors that are known?");
        const std::size_t pairs = representatives_.size() * representatives_.size();
        const auto cost = [&](const Vector& v) { return is_allowed(v.inputs()) ? unseparated({v}) : pairs; };
        std::vector<std::pair<std::size_t, std::size_t>> order;
        for (std::size_t i = 0; i < pool_.size(); ++i) order.emplace_back(cost(pool_[i]), i);
        std::ranges::sort(order);
        // Parts come from the suite, which shows every difference, and from the best vectors.
        std::vector<Vector> parts;
        for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 8); ++i)
            parts.push_back(pool_[order[i].second]);
        for (int copies = 0; copies < 4; ++copies)
            parts.insert(parts.end(), suite_.vectors.begin(), suite_.vectors.end());
        const Vector one = climb(representatives_.front(), parts, cost, options_.solving.seed, limit_);
        if (cost(one) == 0) suite_.vectors = {one};
    }

    // Asks for one vector less until there is no such suite, or the solver does not decide.
    void find_fewer() {
        if (backends().empty() || options_.solving.solver == "random") return;
        while (suite_.vectors.size() > 1 && !limit_.reached()) {
            const std::size_t wanted = suite_.vectors.size() - 1;
            const JointAnswer answer = jointly(wanted);
            if (answer.outcome == Outcome::unsat) proved_more_than_ = std::max(proved_more_than_, wanted);
            if (answer.outcome == Outcome::unknown && wanted > 1 && proved_more_than_ == 0)
                if (jointly(1).outcome == Outcome::unsat) proved_more_than_ = 1;
            if (answer.outcome != Outcome::sat) return;
            if (!is_complete(answer.vectors))
                throw std::logic_error("a solver's vectors do not separate the units that they were to separate");
            suite_.vectors = answer.vectors;
        }
    }

    JointAnswer jointly(std::size_t count) const {
        say(sentence("is there a suite of ", count, "?"));
        const JointQuestion question{representatives_, matrix_.excused, count, options_.solving.limits};
        const double seconds = std::min(seconds_for_fewer, options_.solving.timeout);
        if (options_.store != nullptr)
            if (auto answer = options_.store->find(question, seconds)) return *answer;
        const std::string& solver = options_.solving.solver;
        const BackendKind kind = solver == "portfolio" ? backends().front() : require_backend(solver);
        Limit limit = Limit::after(seconds, limit_.stop);
        limit.end = std::min(limit.end, limit_.end);
        const JointAnswer answer = separate_jointly(question, kind, options_.solving.seed, limit);
        if (options_.store != nullptr && !limit_.reached()) options_.store->keep(question, answer, seconds);
        return answer;
    }

    /// Each vector as simple as it can be while the suite remains complete.
    void simplify() {
        if (!options_.solving.shrink) return;
        for (std::size_t i = 0; i < suite_.vectors.size() && !limit_.stop.stop_requested(); ++i) {
            const auto pair = first_separated(suite_.vectors[i]);
            if (!pair) continue;
            std::vector<Vector> vectors = suite_.vectors;
            const Pair two({representatives_[pair->first], representatives_[pair->second], options_.solving.limits});
            suite_.vectors[i] = shrunk(two, suite_.vectors[i], [&](const Vector& candidate) {
                vectors[i] = candidate;
                return is_complete(vectors);
            });
        }
    }

    std::optional<ClassPair> first_separated(const Vector& v) const {
        const ResultMatrix one{matrix_.d, matrix_.any, {results(v.inputs())}, {}};
        for (std::size_t i = 0; i < representatives_.size(); ++i)
            for (std::size_t j = i + 1; j < representatives_.size(); ++j)
                if (one.separates(0, i, j)) return ClassPair{i, j};
        return std::nullopt;
    }

    /// Adds the results, after the exact oracle has confirmed them.
    void finish() const {
        for (Vector& v : suite_.vectors) {
            v.d.assign(partition_.classes(), 0);
            v.d_is_list = true;
        }
        for_each_index(options_.threads, partition_.classes(), [&](std::size_t c) {
            const Unit unit = trees_[partition_.representative[c]];
            const Evaluator evaluate(unit);
            for (Vector& v : suite_.vectors) {
                v.d[c] = evaluate(v.inputs());
                if (!same_result(unit, v.d[c], evaluate_exactly(unit, v.inputs())))
                    throw std::logic_error("the two models of " + to_string(unit) + " disagree on " +
                                           to_json(suite_.shape, vector_of(suite_.shape, v.inputs())));
            }
        });
    }

    // ---- the bound

    LowerBound lower_bound() const {
        const std::size_t classes = suite_.classes.size();
        if (classes < 2) return {0, "there is nothing to separate"};
        if (!suite_.undecided.empty()) return {0, "the classes are not settled"};
        if (suite_.vectors.empty()) return {0, "nothing is known to be separable"};
        if (proved_more_than_ > 0)
            return {proved_more_than_ + 1, sentence("a solver proved that no ", counted(proved_more_than_, "vector"),
                                                    " can separate all classes")};
        // One vector has at most as many results as d has patterns.
        const int width = format(suite_.shape.d).width;
        std::size_t vectors = 1;
        // In 64 bits: a size_t of 32 cannot be shifted by 32.
        for (std::uint64_t reach = classes - 1; width < 63 && (reach >>= width) > 0;) ++vectors;
        return {vectors, vectors == 1 ? "there is more than one class" : "d has too few patterns for fewer"};
    }

    Suite& suite_;
    const SuiteOptions& options_;
    const Limit& limit_;
    UnitList trees_; ///< different ones
    Partition partition_;
    std::vector<Unit> representatives_; ///< of the first classes
    std::vector<Evaluator> evaluators_; ///< of these, if there are no others
    ResultMatrix matrix_;
    std::vector<Vector> pool_;
    std::size_t proved_more_than_ = 0; ///< no suite of so many vectors exists
};

} // namespace

std::string_view name(Relation relation) {
    static constexpr std::string_view names[] = {"same tree", "proved", "different", "unknown"};
    return names[static_cast<std::size_t>(relation)];
}

std::optional<std::size_t> Suite::separating(std::size_t one, std::size_t other) const {
    const Format& d = format(shape.d);
    const auto any = [this](std::size_t c) { return units.unit(classes[c].front()).nan.kind == NanRule::Kind::any; };
    for (std::size_t v = 0; v < vectors.size(); ++v) {
        const bool loose = any(one) || any(other);
        if (counted_result(d, loose, vectors[v].d[one]) != counted_result(d, loose, vectors[v].d[other])) return v;
    }
    return std::nullopt;
}

Relation Suite::relation(std::size_t unit, std::size_t other) const {
    if (tree_of[unit] == tree_of[other]) return Relation::same_tree;
    const std::pair<std::size_t, std::size_t> pair = std::minmax(class_of[unit], class_of[other]);
    if (pair.first == pair.second || std::binary_search(equal.begin(), equal.end(), pair)) return Relation::proved;
    const auto has_both = [&pair](const std::vector<std::size_t>& list) {
        return std::binary_search(list.begin(), list.end(), pair.first) &&
               std::binary_search(list.begin(), list.end(), pair.second);
    };
    return std::binary_search(open.begin(), open.end(), pair) || std::ranges::any_of(undecided, has_both)
               ? Relation::unknown
               : Relation::different;
}

Ground Suite::ground(std::size_t unit, std::size_t other) const {
    const Relation known = relation(unit, other);
    if (known == Relation::same_tree) return by_structure;
    if (known != Relation::proved) return {};
    const std::pair<std::size_t, std::size_t> pair = std::minmax(class_of[unit], class_of[other]);
    Ground ground = weakest(grounds[pair.first], grounds[pair.second]);
    const auto at = std::lower_bound(equal.begin(), equal.end(), pair);
    if (at != equal.end() && *at == pair)
        ground = weakest(ground, grounds_of_equal[static_cast<std::size_t>(at - equal.begin())]);
    return ground;
}

Ground Suite::weakest_ground() const {
    Ground ground;
    for (const auto* list : {&grounds, &grounds_of_equal})
        for (const Ground& one : *list) ground = weakest(ground, one);
    return ground;
}

const Members& Asked::members() const {
    if (all_) return *all_;
    Members all = listed;
    for (std::size_t i = 0; look && i < all.size(); ++i) look(all[i]);
    for (const Space& space : spaces) all.add(space, look, threads);
    if (look_at_all) look_at_all(all.size());
    return all_.emplace(std::move(all));
}

std::vector<Suite> make_suites(const Asked& asked, const SuiteOptions& options) {
    const Limit limit = Limit::after(options.timeout, options.solving.stop);
    FirstPhase phase = first_phase(asked, options, limit);
    if (phase.interrupted() && options.over) options.over();
    if (phase.found) require_as_said(phase, options);
    std::vector<Suite> suites;
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
        const UnitsOfShape& group = phase.groups[g];
        suites.emplace_back();
        suites.back().shape = group.shape;
        suites.back().units = group.units;
        suites.back().tree_of = group.tree_of;
        Maker(suites.back(), options, limit, group.trees()).run(std::move(phase.cells[g]));
        suites.back().seconds += phase.seconds / static_cast<double>(phase.groups.size());
    }
    return suites;
}

} // namespace discern
