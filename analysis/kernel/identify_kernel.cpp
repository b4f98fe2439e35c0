#include "identify_kernel.hpp"

#include "fresh.hpp"
#include "hypotheses.hpp"
#include "leaf.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"
#include "scale.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

namespace discern::kernels {

namespace {

using identify::Conclusion;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_names = 6;
constexpr std::uint64_t few_products = 3000; ///< that a kernel has to give before it is accepted
constexpr int most_silent = 5;               ///< rounds of fresh products without an answer

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Ends the search for the order.
struct TimeIsOver {};

class KernelIdentification {
  public:
    KernelIdentification(const Shape& shape, const Ask& ask, const KernelOptions& options)
        : shape_(shape), ask_(ask), options_(options) {}

    KernelResult run() {
        settle();
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    void progress(const std::string& stage) const {
        if (options_.progress) options_.progress(stage);
    }
    double left() const { return options_.timeout - seconds_since(start_); }
    bool stopped() const { return options_.stop.stop_requested() || left() <= 0 || result_.unsteady; }

    void settle() {
        if (shape_.scale) {
            result_.trouble = "kernels with scales cannot be identified";
            return;
        }
        if (shape_.K < 2) {
            result_.trouble = "a kernel of one product has no order";
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
            order = find_order(shape_, in_time, options_.seed);
        } catch (const TimeIsOver&) {
            result_.trouble = "the time was over before the order of summation was found";
            return;
        }
        result_.order_probes = order.probes;
        if (order.candidates.empty()) {
            result_.trouble = order.trouble;
            return;
        }
        do {
            found_.reset();
            look_for(order);
            if (result_.unsteady) return;
            if (!found_) {
                result_.trouble = stopped()
                                      ? "the time was over before a kernel was found that gives all products"
                                      : sentence("the order of summation is known, as of ", described(order.candidates),
                                                 ", but no unit in it gives all products");
                return;
            }
        } while (!gives(found_->kernel, options_.validate)); // what it does not give is one to try, then
        if (!result_.unsteady) conclude(order);
    }

    /// Cheap hypotheses first: units with names, and the loops of software. Then the loop of identification for the
    /// leaf, which also finds units without a name.
    void look_for(const Order& order) {
        for (const Candidate& candidate : order.candidates) {
            if (stopped() || found_) break;
            try_units(candidate, leaf_units(shape_, candidate, options_.known), nullptr);
        }
        if (found_) {
            const Leaf& leaf = leaf_of(found_->candidate);
            if (!leaf.unit) return;
            if (const auto ground = is_leaf(leaf, found_->kernel.unit, found_->kernel.schedule.result)) {
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
        vectors_ = first_vectors(shape_, options_.seed);
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

    bool explains(const Kernel& kernel) const {
        const KernelEvaluator evaluate(kernel);
        return std::all_of(vectors_.begin(), vectors_.end(),
                           [&](const Vector& v) { return same_result(kernel, evaluate(v.inputs()), v.d.front()); });
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
        Leaf leaf = find_leaf(shape_, candidate, ask_, how);
        result_.observations += leaf.observations;
        return leaves_.emplace(key, std::move(leaf)).first->second;
    }

    // ---- the whole

    struct Found {
        Kernel kernel;
        Candidate candidate;
        std::string name;
        const Leaf* leaf;   ///< nullptr: it was only tried
        Ground ground = {}; ///< why the unit is that of the leaf, if it is another one
    };

    void try_units(const Candidate& candidate, const std::vector<NamedUnit>& units, const Leaf* leaf) {
        for (const auto& [name, whole] : units) {
            if (stopped()) return;
            const std::optional<Unit> unit = of_instruction(whole, candidate.instruction);
            if (!unit) continue;
            for (Kernel& kernel : kernels_of(shape_, candidate, *unit)) {
                if (!explains(kernel)) continue;
                if (auto strict = with_nan_rule(kernel); strict && gives(*strict, few_products))
                    kernel = std::move(*strict);
                else if (!gives(kernel, few_products))
                    continue;
                if (!result_.unsteady) found_ = {std::move(kernel), candidate, name, leaf, {}};
                return;
            }
        }
    }

    /// The kernel with the NaN that was seen, where any will do for the unit: one pattern, or those of operands as x86
    /// or RDNA have them. Nothing if none gives all.
    std::optional<Kernel> with_nan_rule(const Kernel& kernel) const {
        if (kernel.unit.nan.kind != NanRule::Kind::any || kernel.d() != kernel.unit.d) return std::nullopt;
        const Format& d = format(shape_.d);
        const auto seen = std::find_if(vectors_.begin(), vectors_.end(), [&](const Vector& v) {
            return decode(d, v.d.front()).number_class == NumberClass::nan;
        });
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
            if (explains(strict)) return strict;
        }
        return std::nullopt;
    }

    /// Fresh products. @return false if one differs from the kernel's, which then joins the vectors on which hypotheses
    /// are tried
    bool gives(const Kernel& kernel, std::uint64_t wanted) {
        progress(sentence("validating @[", to_string(kernel.schedule), "]"));
        const auto start = Clock::now();
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
    bool is_of_the_size(const Kernel& kernel, const Fresh& fresh) {
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
        result_.kernel = best.kernel;
        result_.unit_name = best.name;
        if (best.leaf != nullptr) {
            result_.conclusion = best.leaf->conclusion;
            result_.open = best.leaf->open;
            result_.ground = weakest(best.leaf->ground, best.ground);
        } else {
            result_.conclusion = Conclusion::open;
            result_.open.push_back("the instruction was tried and gave all products; what else it may be is not known");
        }
        if (result_.validated == 0 && options_.validate != 0) {
            result_.conclusion = Conclusion::open;
            result_.open.push_back(options_.stop.stop_requested()
                                       ? "no fresh product was compared before it was stopped"
                                       : "the target answered none of the fresh products, so nothing validates it");
        }
        sizes();
        // Other schedules of the same tree, with the same unit.
        for (const Candidate& other : order.candidates) {
            if (stopped() || result_.also.size() >= most_names) break;
            if (other.schedule == best.candidate.schedule) continue;
            const auto unit = of_instruction(best.kernel.unit, other.instruction);
            if (!unit) continue;
            for (const Kernel& kernel : kernels_of(shape_, other, *unit))
                if (explains(kernel)) {
                    result_.also.push_back(to_string(kernel.schedule));
                    break;
                }
        }
    }

    void sizes() {
        progress("other K, M and N");
        SizeOptions how;
        how.product = options_.product;
        how.at_length = options_.at_length;
        how.seconds = std::clamp(left(), 2.0, options_.size_seconds);
        how.seed = options_.seed;
        how.stop = options_.stop;
        if (const auto rule = with_a_rule(*result_.kernel, how)) {
            result_.also.insert(result_.also.begin(), to_string(result_.kernel->schedule));
            result_.kernel = rule;
        }
        result_.sizes = size_ranges(*result_.kernel, how);
    }

    const Shape& shape_;
    const Ask& ask_;
    const KernelOptions& options_;
    Clock::time_point start_ = Clock::now();
    KernelResult result_;
    std::vector<Vector> vectors_; ///< with d
    std::map<std::pair<int, std::pair<std::vector<int>, bool>>, Leaf> leaves_;
    std::optional<Found> found_;
    bool one_size_ = false; ///< sizes of products matter
};

} // namespace

KernelResult identify_kernel(const Shape& shape, const Ask& ask, const KernelOptions& options) {
    const double scale = shape.c ? 1 : scale_of(shape, ask); // what is done to C besides, is another question
    int exponent = 0;
    if (scale == 1) return KernelIdentification(shape, ask, options).run();
    if (std::frexp(scale, &exponent) != 0.5) {
        KernelResult result = KernelIdentification(shape, ask, options).run();
        if (!result.kernel && !result.unsteady)
            result.trouble += sentence("; 1 · 1 gives ", std::to_string(scale),
                                       ", so that the target multiplies its sums by a number that rounds; "
                                       "with scales whose product is a power of two the order can be found");
        return result;
    }
    KernelOptions unscaled = options;
    unscaled.product = without_scale(shape, options.product, --exponent);
    if (options.at_length)
        unscaled.at_length = [&shape, exponent, of = options.at_length](int K) {
            std::optional<AtLength> at = of(K);
            if (at) at->ask = without_scale(shape, std::move(at->ask), exponent);
            if (at) at->product = without_scale(shape, std::move(at->product), exponent);
            return at;
        };
    const Ask divided = without_scale(shape, ask, exponent);
    KernelResult result = KernelIdentification(shape, divided, unscaled).run();
    result.scale = exponent;
    return result;
}

} // namespace discern::kernels
