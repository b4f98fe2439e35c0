// The loop that asks a target vectors on which the members differ (which.hpp).
#include "models/batch.hpp"
#include "models/shape.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/backend/limit.hpp"
#include "which.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace discern {

namespace {

constexpr std::size_t evaluations = 20'000; ///< for the pool among which the vectors to ask are chosen …
constexpr std::size_t smallest_pool = 40, largest_pool = 640; ///< … which has so many vectors
constexpr std::size_t most_at_once = 16;                      ///< asked before the next choice
constexpr std::size_t most_classes = 400;                     ///< by which vectors are judged
constexpr int quiet_rounds = 4; ///< pools without a vector that splits, before random ones are asked
constexpr std::size_t random_batch = 64;

class Observing {
  public:
    Observing(const Shape& shape, std::span<const Member> members, const AskWhich& ask, const ObserveOptions& options)
        : shape_(shape), ask_(ask), options_(options) {
        std::set<std::uint64_t> hashes;
        for (const Member& member : members)
            if (units_.size() < most_classes && hashes.insert(arithmetic_hash(member.unit)).second)
                units_.push_back(member.unit);
        for (std::size_t i = 0; i < units_.size(); ++i) alive_.push_back(i);
    }

    std::vector<Vector> run() {
        if (units_.empty()) return {};
        for (int quiet = 0; quiet < quiet_rounds && alive_.size() > 1 && !done();)
            quiet = ask_what_splits() ? 0 : quiet + 1;
        while (!done()) {
            fill(std::min(random_batch, options_.most - asked_.size()));
            std::vector<std::size_t> all(pool_.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            ask(all, nullptr);
        }
        return std::move(asked_);
    }

  private:
    bool done() const { return asked_.size() >= options_.most || limit_.reached(); }

    /// New vectors of all families, made for units that are left in turn.
    void fill(std::size_t size) {
        std::vector<const Unit*> makers;
        for (std::size_t i = 0; i < std::clamp<std::size_t>(alive_.size(), 1, 4); ++i)
            makers.push_back(&units_[alive_.empty() ? 0 : alive_[(round_ + i) % alive_.size()]]);
        mixture_.emplace(makers, options_.seed + round_++);
        pool_ = mixture_->batch(size);
    }

    /// Asks the vectors of a new pool that distinguish the most remaining units. @return whether there was one
    bool ask_what_splits() {
        fill(std::clamp(evaluations / alive_.size(), smallest_pool, largest_pool));
        std::vector<std::vector<std::uint64_t>> results(alive_.size(), std::vector<std::uint64_t>(pool_.size()));
        for (std::size_t i = 0; i < alive_.size() && !options_.stop.stop_requested(); ++i)
            BatchEvaluator{units_[alive_[i]]}(pool_, results[i]);
        std::vector<std::pair<std::size_t, std::size_t>> order; // different results, vector
        for (std::size_t v = 0; v < pool_.size(); ++v) {
            std::set<std::uint64_t> different;
            for (const auto& row : results) different.insert(row[v]);
            if (different.size() > 1) order.emplace_back(different.size(), v);
        }
        if (order.empty()) return false;
        std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
        order.resize(std::min({order.size(), most_at_once, options_.most - asked_.size()}));
        std::vector<std::size_t> chosen;
        for (const auto& [count, v] : order) chosen.push_back(v);
        ask(chosen, &results);
        return true;
    }

    /// Asks vectors of the pool, and drops the units that do not give the answers.
    /// @param results  of the units that are left, for all of the pool; nullptr: nothing is dropped
    void ask(const std::vector<std::size_t>& chosen, const std::vector<std::vector<std::uint64_t>>* results) {
        std::vector<Inputs> batch;
        for (const std::size_t v : chosen) batch.push_back(pool_[v]);
        const auto answers = ask_(batch);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            asked_.push_back(vector_of(shape_, batch[i]));
            if (i < answers.size() && answers[i])
                asked_.back().d = {*answers[i]};
            else
                asked_.back().error = "no answer";
        }
        if (results == nullptr) return;
        std::vector<std::size_t> left;
        for (std::size_t u = 0; u < alive_.size(); ++u) {
            const auto fits = [&](std::size_t i) {
                return !answers[i] || same_result(units_[alive_[u]], *answers[i], (*results)[u][chosen[i]]);
            };
            bool all = true;
            for (std::size_t i = 0; i < chosen.size() && all; ++i) all = fits(i);
            if (all) left.push_back(alive_[u]);
        }
        alive_ = std::move(left);
    }

    const Shape& shape_;
    const AskWhich& ask_;
    const ObserveOptions& options_;
    const Limit limit_ = Limit::after(options_.seconds, options_.stop);
    std::vector<Unit> units_;             ///< one of each arithmetic
    std::vector<std::size_t> alive_;      ///< those that give all answers so far
    std::optional<InputMixture> mixture_; ///< of the pool
    std::vector<Inputs> pool_;
    std::vector<Vector> asked_;
    std::uint64_t round_ = 0;
};

} // namespace

std::vector<Vector> observe(const Shape& shape, std::span<const Member> members, const AskWhich& ask,
                            const ObserveOptions& options) {
    return Observing(shape, members, ask, options).run();
}

} // namespace discern
