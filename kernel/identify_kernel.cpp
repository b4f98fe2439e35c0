#include "identify_kernel.hpp"

#include "hypotheses.hpp"
#include "identify/space.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/kernel_gemm.hpp"
#include "models/notation.hpp"
#include "models/pattern_words.hpp"
#include "models/random.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <set>

namespace discern::kernels {

namespace {

using identify::Conclusion;
using Clock = std::chrono::steady_clock;

constexpr std::size_t first_vectors = 60; ///< on which hypotheses are tried
constexpr std::size_t most_names = 6;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What was found out about the unit of a leaf.
struct Leaf {
    std::optional<Unit> unit;
    std::string name;
    Conclusion conclusion = Conclusion::unexplained;
    std::vector<std::string> open;
    std::size_t observations = 0;
};

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
    bool stopped() const { return options_.stop.stop_requested() || left() <= 0; }

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
        const Order order = find_order(shape_, ask_, options_.seed);
        result_.order_probes = order.probes;
        if (order.candidates.empty()) {
            result_.trouble = order.trouble;
            return;
        }
        // What is cheap first: units with names and the loops of software.
        for (const Candidate& candidate : order.candidates) {
            if (stopped()) break;
            try_units(candidate, leaf_units(shape_, candidate, options_.known), nullptr);
            if (!found_.empty()) break;
        }
        // The loop says what else the leaf may be, and finds what has no name.
        std::vector<const Candidate*> tried;
        if (!found_.empty()) {
            const Candidate first = found_.front().candidate;
            const Leaf& leaf = leaf_of(first);
            if (leaf.unit) {
                std::vector<Found> named = std::move(found_);
                found_.clear();
                try_units(first, variants(leaf), &leaf);
                if (found_.empty()) found_ = std::move(named); // what the zeros around the leaf hide
            }
        } else {
            for (const Candidate& candidate : order.candidates) {
                if (stopped() || !found_.empty()) break;
                const Leaf& leaf = leaf_of(candidate);
                if (leaf.unit) try_units(candidate, variants(leaf), &leaf);
            }
        }
        if (found_.empty()) {
            result_.trouble = stopped()
                                  ? "the time was over before a kernel was found that gives all products"
                                  : sentence("the order of summation is known, as of ", described(order.candidates),
                                             ", but no unit in it gives all products");
            return;
        }
        conclude(order);
    }

    static std::string described(const std::vector<Candidate>& candidates) {
        const Candidate& c = candidates.front();
        return sentence("@[", to_string(c.schedule), "] of instructions of ",
                        counted(static_cast<std::size_t>(c.instruction), "product"));
    }

    // ---- vectors to try hypotheses on

    Unit exact_chain() const {
        Unit unit = addition_unit(shape_.d, shape_.d, {shape_.d, Rounding::rne}, {});
        unit.a = shape_.a;
        unit.b = shape_.b;
        unit.c = shape_.c;
        unit.K = shape_.K;
        return unit;
    }

    /// Random vectors, asked twice: a target that gives two answers is no function. @return false then
    bool draw() {
        InputMixture mixture(exact_chain(), options_.seed);
        InputBuffer buffer;
        while (vectors_.size() < first_vectors) {
            mixture.next(buffer);
            vectors_.push_back(vector_of(shape_, buffer.inputs()));
        }
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
        Leaf leaf;
        // Without c a chain must show how its accumulator is read.
        const int w = candidate.instruction;
        int products = w;
        if (!candidate.begins_from_c) products = w == 1 ? 4 : 2 * w;
        products = std::min(products, static_cast<int>(candidate.chain.size()));
        Shape small = shape_;
        small.K = products;
        if (!candidate.begins_from_c) small.c.reset();
        const Ask through = [&](std::span<const Inputs> batch) { return embedded(batch, candidate); };
        identify::Options how;
        how.seed = options_.seed;
        how.timeout = std::max(1.0, std::min(left() / 2, 25.0));
        how.validate = 2000;
        how.validate_seconds = 2;
        how.finite = options_.finite;
        how.stop = options_.stop;
        how.progress = [&](const std::string& stage) { progress("the instruction: " + stage); };
        const identify::Result found =
            identify::identify_target(small, identify::Candidates(identify::default_space(small)), through, how);
        leaf.observations = found.observations.size();
        result_.observations += found.observations.size() + found.validated;
        leaf.conclusion = found.conclusion;
        leaf.open = found.open;
        if (found.unit) {
            leaf.unit = found.unit;
            leaf.unit->c = shape_.c;
            if (!found.names.empty()) leaf.name = found.names.front();
        }
        return leaves_.emplace(key, std::move(leaf)).first->second;
    }

    /// Vectors of a leaf as vectors of the kernel, whose other products are −0, or +0 where there is none.
    std::vector<std::optional<std::uint64_t>> embedded(std::span<const Inputs> batch,
                                                       const Candidate& candidate) const {
        const Format& a = format(shape_.a);
        const auto K = static_cast<std::size_t>(shape_.K);
        const bool signed_zero = a.specials != Specials::fnuz && !a.is_fixed_point();
        const std::uint64_t zero = signed_zero ? negated(a, 0) : 0;
        std::vector<Vector> vectors(batch.size());
        std::vector<Inputs> whole;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            Vector& v = vectors[i];
            v.a.assign(K, zero);
            v.b.assign(K, 0);
            for (std::size_t l = 0; l < batch[i].a.size(); ++l) {
                const auto k = static_cast<std::size_t>(candidate.chain[l]);
                v.a[k] = batch[i].a[l];
                v.b[k] = batch[i].b[l];
            }
            if (shape_.c) v.c = candidate.begins_from_c ? batch[i].c : minus_zero();
            whole.push_back(v.inputs());
        }
        return ask_(whole);
    }
    std::uint64_t minus_zero() const {
        const Format& c = format(*shape_.c);
        return c.specials == Specials::fnuz || c.is_fixed_point() ? 0 : negated(c, 0);
    }

    /// The unit, and what the zeros around it may hide of it.
    std::vector<NamedUnit> variants(const Leaf& leaf) const {
        std::vector<NamedUnit> units = {{leaf.name, *leaf.unit}};
        for (const bool zero : {true, false})
            for (const bool underflow : {true, false}) {
                Unit unit = *leaf.unit;
                auto& round = std::get<Round>(unit.tree.kind);
                round.zero_sign_ieee = zero;
                round.underflow_keeps_sign = underflow;
                if (unit != *leaf.unit) units.emplace_back("", std::move(unit));
            }
        return units;
    }

    // ---- the whole

    struct Found {
        Kernel kernel;
        Candidate candidate;
        std::string name;
        const Leaf* leaf; ///< nullptr: it was only tried
    };

    void try_units(const Candidate& candidate, const std::vector<NamedUnit>& units, const Leaf* leaf) {
        for (const auto& [name, whole] : units) {
            if (stopped()) return;
            const std::optional<Unit> unit = of_instruction(whole, candidate.instruction);
            if (!unit) continue;
            for (Kernel& kernel : kernels_of(shape_, candidate, *unit)) {
                if (!explains(kernel)) continue;
                if (auto strict = with_nan_rule(kernel); strict && validated(*strict))
                    kernel = std::move(*strict);
                else if (!validated(kernel))
                    continue;
                found_.push_back({std::move(kernel), candidate, name, leaf});
                return;
            }
        }
    }

    /// The kernel with the NaN that was seen, where any will do for the unit: one pattern, or those of operands as x86
    /// has them. Nothing if neither gives all.
    std::optional<Kernel> with_nan_rule(const Kernel& kernel) const {
        if (kernel.unit.nan.kind != NanRule::Kind::any || kernel.d() != kernel.unit.d) return std::nullopt;
        const Format& d = format(shape_.d);
        const auto seen = std::find_if(vectors_.begin(), vectors_.end(), [&](const Vector& v) {
            return decode(d, v.d.front()).number_class == NumberClass::nan;
        });
        if (seen == vectors_.end()) return std::nullopt;
        for (const NanRule& rule :
             {NanRule{NanRule::Kind::pattern, seen->d.front()}, NanRule{NanRule::Kind::propagate, 0}}) {
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

    /// Fresh products. @return false if one is not as the kernel has it, which then is among the vectors to try
    bool validated(const Kernel& kernel) {
        progress(sentence("validating @[", to_string(kernel.schedule), "]"));
        const auto start = Clock::now();
        std::uint64_t done = 0, round = 0;
        const double seconds = std::min(options_.validate_seconds, std::max(left(), 2.0));
        while (done < options_.validate && seconds_since(start) < seconds && !options_.stop.stop_requested()) {
            ++round;
            const std::uint64_t seed = options_.seed + 1000 + round;
            const bool good = options_.product ? by_product(kernel, seed, done) : by_vectors(kernel, seed, done);
            if (!good) return false;
        }
        result_.validated = done;
        return true;
    }

    bool by_vectors(const Kernel& kernel, std::uint64_t seed, std::uint64_t& done) {
        const KernelEvaluator evaluate(kernel);
        const std::size_t count = std::max<std::size_t>(10, std::min<std::size_t>(1000, 400'000 / shape_.K));
        InputMixture mixture(chain_of(kernel), seed);
        std::vector<Inputs> batch = mixture.batch(count);
        const auto answers = ask_(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!answers[i]) continue;
            ++done;
            if (same_result(kernel, *answers[i], evaluate(batch[i]))) continue;
            vectors_.push_back(vector_of(shape_, batch[i]));
            vectors_.back().d = {*answers[i]};
            return false;
        }
        return true;
    }

    /// A product of matrices whose rows and columns are vectors of a family.
    bool by_product(const Kernel& kernel, std::uint64_t seed, std::uint64_t& done) {
        Random random(seed);
        const std::size_t m = static_cast<std::size_t>(random.between(33, 96)),
                          n = static_cast<std::size_t>(random.between(33, 96)), K = static_cast<std::size_t>(shape_.K);
        InputGenerator generator(chain_of(kernel), families[seed % families.size()], seed);
        std::vector<InputBuffer> rows(m), columns(n);
        for (InputBuffer& row : rows) generator.next(row);
        for (InputBuffer& column : columns) generator.next(column);
        PatternWords a(shape_.a, m * K), b(shape_.b, K * n), c(shape_.c.value_or(shape_.d), m * n), d(shape_.d, m * n),
            want(shape_.d, m * n);
        for (std::size_t k = 0; k < K; ++k) {
            for (std::size_t i = 0; i < m; ++i) a.set(i * K + k, rows[i].a[k]);
            for (std::size_t j = 0; j < n; ++j) b.set(k * n + j, columns[j].b[k]);
        }
        for (std::size_t i = 0; i < m * n; ++i) c.set(i, shape_.c ? columns[(i + i / n) % n].c : 0);
        const Patterns pc = shape_.c ? c.patterns() : Patterns();
        options_.product({m, n, K}, a.patterns(), b.patterns(), pc, d.out());
        const KernelGemm multiply(kernel);
        multiply({m, n, K}, a.patterns(), b.patterns(), pc, want.out());
        for (std::size_t i = 0; i < m * n; ++i) {
            ++done;
            if (same_result(kernel, d.at(i), want.at(i))) continue;
            Vector v;
            v.a = rows[i / n].a;
            v.b = columns[i % n].b;
            if (shape_.c) v.c = c.at(i);
            v.d = {d.at(i)};
            vectors_.push_back(std::move(v));
            return false;
        }
        return true;
    }

    void conclude(const Order& order) {
        const Found& best = found_.front();
        result_.kernel = best.kernel;
        result_.unit_name = best.name;
        if (best.leaf != nullptr) {
            result_.conclusion = best.leaf->conclusion;
            result_.open = best.leaf->open;
        } else {
            result_.conclusion = Conclusion::open;
            result_.open.push_back("the instruction was tried and gave all products; what else it may be is not known");
        }
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

    const Shape& shape_;
    const Ask& ask_;
    const KernelOptions& options_;
    Clock::time_point start_ = Clock::now();
    KernelResult result_;
    std::vector<Vector> vectors_; ///< with d
    std::map<std::pair<int, std::pair<std::vector<int>, bool>>, Leaf> leaves_;
    std::vector<Found> found_;
};

} // namespace

KernelResult identify_kernel(const Shape& shape, const Ask& ask, const KernelOptions& options) {
    return KernelIdentification(shape, ask, options).run();
}

} // namespace discern::kernels
