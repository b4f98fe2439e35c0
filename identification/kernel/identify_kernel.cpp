#include "identify_kernel.hpp"

#include "fresh.hpp"
#include "hypotheses.hpp"
#include "leaf.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace discern::kernels {

namespace {

using identify::Conclusion;

constexpr std::size_t most_names = 6;
constexpr std::uint64_t few_products = 3000; ///< that a kernel has to give before it is accepted
constexpr std::size_t most_roundings = 2;    ///< of sums, where the order is only tried
constexpr int most_silent = 5;               ///< rounds of fresh products without an answer

/// Ends the search for the order.
struct TimeIsOver {};

class KernelIdentification {
  public:
    /// @param shape  of the target
    /// @param seen   exact sums and what was seen of them, if something follows the sums, which are then numbers of f32
    KernelIdentification(const Shape& shape, std::vector<Seen> seen, const Ask& ask, const KernelOptions& options)
        : target_(shape), shape_(shape), seen_(std::move(seen)), ways_(fitting(shape.d, seen_)), ask_(ask),
          options_(options) {
        if (!seen_.empty()) shape_.d = FormatId::f32;
    }

    KernelResult run() {
        settle();
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    struct Found {
        Finished whole;
        std::vector<Fitting> ways = {}; ///< that give all vectors, of what follows its sums
        Candidate candidate = {};
        std::string name = {};
        const Leaf* leaf = nullptr; ///< nullptr: it was only tried
        Ground ground = {};         ///< why the unit is that of the leaf, if it is another one
    };

    void progress(const std::string& stage) const {
        if (options_.progress) options_.progress(stage);
    }
    double left() const { return limit_.seconds_left(); }
    bool stopped() const { return limit_.reached() || result_.unsteady; }

    void settle() {
        if (terms_of(shape_) < 2) {
            result_.trouble = shape_.scale ? "a kernel with one scale has no order that could be seen"
                                           : "a kernel of one product has no order";
            return;
        }
        progress("random vectors");
        if (!draw()) return;
        progress("the order of summation");
        Order order;
        try {
            const Ask in_time = [&](std::span<const Inputs> batch) {
                if (stopped()) throw TimeIsOver();
                return ask_(batch);
            };
            std::optional<Epilogue> then;
            if (!seen_.empty()) then = ways_.front().epilogue;
            order = find_order(shape_, in_time, options_.seed, then ? &*then : nullptr);
        } catch (const TimeIsOver&) {
            result_.trouble = "the time was over before the order of summation was found";
            return;
        }
        result_.order_probes = order.probes;
        order_was_read_ = !order.candidates.empty() || (order.has_room && seen_.empty());
        if (!order_was_read_) order.candidates = usual_schedules(shape_);
        if (order.candidates.empty()) {
            result_.trouble = order.trouble;
            return;
        }
        do {
            found_.reset();
            look_for(order);
            if (result_.unsteady) return;
            if (!found_) {
                result_.trouble = stopped() ? "the time was over before a kernel was found that gives all products"
                                  : order_was_read_
                                      ? sentence("the order of summation is known, as of ", described(order.candidates),
                                                 ", but no unit in it gives all products")
                                      : order.trouble + ", and none of the usual schedules gives all products";
                return;
            }
        } while (!gives(found_->whole, options_.validate)); // what it does not give is one to try, then
        if (!result_.unsteady) conclude(order);
    }

    /// Cheap hypotheses first: units with names, and the loops of software. Then the loop of identification for the
    /// leaf, which also finds units without a name.
    void look_for(const Order& order) {
        if (last_) try_units(last_->candidate, {{last_->name, last_->whole.kernel.unit}}, nullptr); // another alpha
        for (const Candidate& candidate : order.candidates) {
            if (stopped() || found_) break;
            try_units(candidate, leaf_units(shape_, candidate, options_.known), nullptr);
        }
        if (found_ && !seen_.empty()) last_ = found_;
        if (!sums_are_seen() || !order_was_read_) return;
        if (found_) {
            const Leaf& leaf = leaf_of(found_->candidate);
            if (!leaf.unit) return;
            if (const auto ground = is_leaf(leaf, found_->whole.kernel.unit, found_->whole.kernel.schedule.result)) {
                found_->leaf = &leaf;
                found_->ground = *ground;
                return;
            }
            const Found named = *std::exchange(found_, std::nullopt);
            try_units(named.candidate, variants(*leaf.unit, leaf.name), &leaf);
            if (!found_) found_ = named; // the zeros around the leaf may have hidden the difference
            return;
        }
        for (const Candidate& candidate : order.candidates) {
            if (stopped() || found_) break;
            const Leaf& leaf = leaf_of(candidate);
            if (leaf.unit) try_units(candidate, variants(*leaf.unit, leaf.name), &leaf);
        }
    }

    static std::string described(const std::vector<Candidate>& candidates) {
        const Candidate& c = candidates.front();
        return sentence("@[", to_string(c.schedule), "] of instructions of ",
                        counted(static_cast<std::size_t>(c.instruction), "product"));
    }

    // ---- vectors to try hypotheses on

    /// Random vectors, asked twice: a target that gives two answers is no function. @return false then
    bool draw() {
        vectors_ = first_vectors(target_, options_.seed);
        std::vector<Inputs> batch;
        for (const Vector& v : vectors_) batch.push_back(v.inputs());
        const auto first = ask_(batch), second = ask_(batch), third = ask_(batch);
        result_.observations += 3 * batch.size();
        std::vector<Vector> answered;
        for (std::size_t i = 0; i < vectors_.size(); ++i) {
            if (!first[i]) continue;
            for (const auto& again : {second[i], third[i]})
                if (again && *again != *first[i]) {
                    result_.unsteady = {vectors_[i], *first[i], *again};
                    return false;
                }
            vectors_[i].d = {*first[i]};
            answered.push_back(vectors_[i]);
        }
        vectors_ = std::move(answered);
        if (vectors_.empty()) result_.trouble = "the target answered none of the first vectors";
        return !vectors_.empty();
    }

    /// The kernel with what can follow its sums, if it gives all vectors.
    std::optional<Found> explained(const Kernel& kernel) const {
        const KernelEvaluator evaluate(kernel);
        if (seen_.empty()) {
            for (const Vector& v : vectors_)
                if (!same_result(kernel, evaluate(v.inputs()), v.d.front())) return std::nullopt;
            return Found{.whole = {kernel, {}}};
        }
        std::vector<Seen> seen = seen_;
        std::vector<Fitting> ways = ways_;
        for (std::size_t i = 0; i < vectors_.size() && !ways.empty(); ++i) {
            const std::uint64_t sum = evaluate(vectors_[i].inputs());
            seen.push_back({static_cast<float>(to_double(format(kernel.d()), sum)), vectors_[i].d.front()});
            constexpr std::size_t few = 8;
            if (i % few == few - 1 || i + 1 == vectors_.size()) ways = fitting_still(ways, seen);
        }
        if (ways.empty()) return std::nullopt;
        return Found{.whole = {kernel, ways.front().epilogue}, .ways = ways};
    }

    /// Whether each result, or at least most, has one sum.
    bool sums_are_seen() const {
        if (seen_.empty()) return true;
        const Fitting& way = ways_.front();
        return target_.d == FormatId::f32 && way.least == way.greatest;
    }

    // ---- the leaf

    /// The unit that a leaf is, asked through the kernel.
    const Leaf& leaf_of(const Candidate& candidate) {
        const std::pair key{candidate.instruction, std::pair{candidate.chain, candidate.begins_from_c}};
        if (const auto known = leaves_.find(key); known != leaves_.end()) return known->second;
        identify::Options how;
        how.seed = options_.seed;
        how.timeout = std::max(1.0, std::min(left() / 2, 25.0));
        how.validate = 2000;
        how.validate_seconds = 2;
        how.finite = options_.finite;
        how.stop = options_.stop;
        how.progress = [&](const std::string& stage) { progress("the instruction: " + stage); };
        const Ask sums = seen_.empty() ? ask_ : with_sums(shape_, ask_, ways_.front().epilogue);
        Leaf leaf = find_leaf(shape_, candidate, sums, how);
        result_.observations += leaf.observations;
        return leaves_.emplace(key, std::move(leaf)).first->second;
    }

    // ---- the whole

    void try_units(const Candidate& candidate, const std::vector<NamedUnit>& units, const Leaf* leaf) {
        for (const auto& [name, whole] : units) {
            if (stopped()) return;
            const std::optional<Unit> unit = of_instruction(whole, candidate.instruction);
            if (!unit) continue;
            std::vector<Kernel> kernels = kernels_of(shape_, candidate, *unit);
            if (!order_was_read_ && kernels.size() > most_roundings) kernels.resize(most_roundings);
            for (const Kernel& kernel : kernels) {
                std::optional<Found> found = explained(kernel);
                if (!found) continue;
                if (auto strict = with_nan_rule(kernel); strict && gives({*strict, {}}, few_products))
                    found->whole.kernel = std::move(*strict);
                else if (!gives_with_any(*found))
                    continue;
                found->candidate = candidate;
                found->name = name;
                found->leaf = leaf;
                if (!result_.unsteady) found_ = std::move(found);
                return;
            }
        }
    }

    /// Whether it gives some fresh products; those that it does not give bound its alpha, until none is left.
    bool gives_with_any(Found& whole) {
        while (!gives(whole.whole, few_products)) {
            if (seen_.empty() || stopped()) return false;
            auto again = explained(whole.whole.kernel);
            if (!again) return false;
            whole = std::move(*again);
        }
        return true;
    }

    /// The kernel with the NaN that was seen, where any will do for the unit: one pattern, or those of operands as x86
    /// or RDNA have them. Nothing if none gives all.
    std::optional<Kernel> with_nan_rule(const Kernel& kernel) const {
        if (!seen_.empty() || kernel.unit.nan.kind != NanRule::Kind::any || kernel.d() != kernel.unit.d)
            return std::nullopt;
        const Format& d = format(shape_.d);
        const auto seen = std::ranges::find_if(
            vectors_, [&](const Vector& v) { return decode(d, v.d.front()).number_class == NumberClass::nan; });
        if (seen == vectors_.end()) return std::nullopt;
        for (const NanRule& rule : {NanRule{NanRule::Kind::pattern, seen->d.front()},
                                    NanRule{NanRule::Kind::propagate, 0}, NanRule{NanRule::Kind::rdna, 0}}) {
            Kernel strict = kernel;
            strict.unit.nan = rule;
            try {
                validate(strict);
            } catch (const Error&) {
                continue;
            }
            if (explained(strict)) return strict;
        }
        return std::nullopt;
    }

    /// Fresh products. @return false if one differs from the kernel's, which then joins the vectors on which hypotheses
    /// are tried
    bool gives(const Finished& kernel, std::uint64_t wanted) {
        progress(sentence("validating @[", to_string(kernel.kernel.schedule), "]"));
        const auto start = Limit::Clock::now();
        const double seconds = std::min(options_.validate_seconds, std::max(left(), 2.0));
        const Comparison compare(kernel);
        std::uint64_t done = 0, round = 0;
        for (int silent = 0; done < wanted && silent < most_silent && !options_.stop.stop_requested();) {
            if (seconds_since(start) >= seconds) break;
            const std::uint64_t seed = options_.seed + 1000 + ++round;
            const Fresh fresh = options_.product ? product(compare, seed) : compare.vectors(ask_, seed);
            done += fresh.compared;
            silent = fresh.compared == 0 ? silent + 1 : 0;
            if (!fresh.wrong || is_of_the_size(kernel, fresh)) continue;
            if (!result_.unsteady) vectors_.push_back(*fresh.wrong);
            return result_.unsteady.has_value();
        }
        result_.validated = done;
        return true;
    }

    /// All families in turn, and sizes around the usual one, unless they were seen to matter.
    Fresh product(const Comparison& compare, std::uint64_t seed) const {
        Random random(seed);
        const auto side = [&] { return static_cast<std::size_t>(one_size_ ? usual_side : random.between(33, 96)); };
        const std::size_t m = side(), n = side();
        return compare.product(options_.product, m, n, families[seed % families.size()], seed);
    }

    /// For a product on which target and kernel differ: whether they agree on it in a product of the usual size. If so,
    /// the target depends on the size; or, if it had that size already, on the position in the product, so that the
    /// target is no function of the vector.
    bool is_of_the_size(const Finished& kernel, const Fresh& fresh) {
        if (!options_.product) return false;
        const std::vector<Inputs> again(2, fresh.wrong->inputs());
        const auto answers = ask_(again);
        result_.observations += again.size();
        for (const auto& answer : answers)
            if (!answer || !same_result(kernel, *answer, fresh.expected)) return false;
        if (one_size_) result_.unsteady = {*fresh.wrong, fresh.wrong->d.front(), *answers.front()};
        return !std::exchange(one_size_, true);
    }

    void conclude(const Order& order) {
        const Found& best = *found_;
        result_.kernel = best.whole.kernel;
        result_.unit_name = best.name;
        if (!best.ways.empty()) result_.then = best.ways.front();
        if (best.leaf != nullptr) {
            result_.conclusion = best.leaf->conclusion;
            result_.open = best.leaf->open;
            result_.ground = weakest(best.leaf->ground, best.ground);
        } else {
            result_.conclusion = Conclusion::open;
            result_.open.push_back("the instruction was tried and gave all products; what else it may be is not known");
        }
        if (!order_was_read_)
            result_.open.push_back(
                "the order was tried, not seen: results have no room for numbers that absorb others");
        for (std::size_t i = 1; i < best.ways.size(); ++i)
            result_.open.push_back("the sums may also be " + in_words(best.ways[i].epilogue));
        if (result_.validated == 0 && options_.validate != 0) {
            result_.conclusion = Conclusion::open;
            result_.open.push_back(options_.stop.stop_requested()
                                       ? "no fresh product was compared before it was stopped"
                                       : "the target answered none of the fresh products, so nothing validates it");
        }
        SizeOptions how = options_;
        how.seconds = std::clamp(left(), 2.0, options_.seconds);
        say_others(others_of(order), how);
        sizes(how);
    }

    /// Other schedules of the same tree, with the same unit.
    std::vector<Kernel> others_of(const Order& order) const {
        std::vector<Kernel> others;
        for (const Candidate& other : order.candidates) {
            if (stopped() || others.size() >= most_names) break;
            if (other.schedule == found_->candidate.schedule) continue;
            const auto unit = of_instruction(found_->whole.kernel.unit, other.instruction);
            if (!unit) continue;
            for (const Kernel& kernel : kernels_of(shape_, other, *unit))
                if (explained(kernel)) {
                    others.push_back(kernel);
                    break;
                }
        }
        return others;
    }

    /// Of schedules that are the same at this K, the one that is right at twice that K is the kernel.
    void say_others(std::vector<Kernel> others, const SizeOptions& how) {
        Finished& whole = found_->whole;
        const int K = 2 * shape_.K;
        if (!others.empty() && how.at_length && holds_at(whole, K, how) != true)
            for (Kernel& other : others)
                if (holds_at({other, whole.then}, K, how) == true) {
                    std::swap(other, whole.kernel);
                    result_.kernel = whole.kernel;
                    break;
                }
        for (const Kernel& other : others) result_.also.push_back(to_string(other.schedule));
    }

    void sizes(const SizeOptions& how) {
        progress("other K, M and N");
        Finished whole = found_->whole;
        if (const auto rule = with_a_rule(whole, how)) {
            result_.also.insert(result_.also.begin(), to_string(result_.kernel->schedule));
            result_.kernel = rule;
            whole.kernel = *rule;
        }
        result_.sizes = size_ranges(whole, how);
    }

    const Shape target_;
    Shape shape_;                     ///< the same, with d of the sums
    const std::vector<Seen> seen_;    ///< empty: nothing follows the sums
    const std::vector<Fitting> ways_; ///< that give what was seen
    const Ask& ask_;
    const KernelOptions& options_;
    const Limit::Clock::time_point start_ = Limit::Clock::now();
    const Limit limit_ = Limit::after(options_.timeout, options_.stop);
    KernelResult result_;
    std::vector<Vector> vectors_; ///< with d
    std::map<std::pair<int, std::pair<std::vector<int>, bool>>, Leaf> leaves_;
    std::optional<Found> found_, last_; ///< last_: with an alpha that did not give all
    bool order_was_read_ = true;
    bool one_size_ = false; ///< sizes of products matter
};

} // namespace

KernelResult identify_kernel(const Shape& shape, const Ask& ask, const KernelOptions& options) {
    const auto start = Limit::Clock::now();
    std::vector<Seen> seen;
    if (can_be_behind(shape)) seen = seen_sums(shape, ask, options.seed);
    const std::vector<Fitting> ways = fitting(shape.d, seen);
    const auto is_plain = [](const Fitting& way) {
        return way.epilogue.alpha == 1 && !way.epilogue.second && way.epilogue.bias == 0;
    };
    const bool multiplied = !seen.empty() && !ways.empty() && std::ranges::none_of(ways, is_plain);
    KernelOptions rest = options;
    if (!seen.empty() && !ways.empty() && (multiplied || shape.d != FormatId::f32)) {
        KernelResult behind = KernelIdentification(shape, seen, ask, options).run();
        if (behind.kernel || behind.unsteady || multiplied) return behind;
        rest.timeout -= seconds_since(start);
    }
    KernelResult result = KernelIdentification(shape, {}, ask, rest).run();
    if (!result.kernel && !result.unsteady && can_be_behind(shape) && ways.empty())
        result.trouble += "; sums of one or two products are not what scales, a bias and roundings give";
    return result;
}

} // namespace discern::kernels
