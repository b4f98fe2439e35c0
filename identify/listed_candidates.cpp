// A list of units as candidates: each is evaluated on every vector that is asked.
#include "candidates.hpp"

#include "models/evaluate.hpp"
#include "solver/decide/decide.hpp"

#include <algorithm>
#include <cmath>

namespace discern::identify {

namespace {

class ListedCandidates final : public Candidates {
  public:
    explicit ListedCandidates(std::vector<std::pair<std::string, Unit>> members) : members_(std::move(members)) {
        for (std::size_t i = 0; i < members_.size(); ++i) alive_.push_back(i);
    }

    std::vector<std::size_t> alive() const override { return {0}; }
    double bits() const override { return std::log2(static_cast<double>(alive_.size())); }
    std::vector<Sample> draw(std::size_t n, std::optional<std::size_t> /*focus*/, Random& random) const override {
        std::vector<Sample> samples;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = alive_.size() <= n
                                       ? i % alive_.size()
                                       : static_cast<std::size_t>(random.below(static_cast<int>(alive_.size())));
            samples.push_back({members_[alive_[at]].second, 0});
        }
        return samples;
    }
    bool can_observe(const Inputs& /*inputs*/, std::optional<std::size_t> /*focus*/,
                     std::size_t /*paths*/) const override {
        return true;
    }
    Taken use_all(const Limit& /*limit*/) override { return Taken::used; }
    bool all_used() const override { return true; }
    Taken observe(const Inputs& inputs, std::uint64_t d, const Limit& /*limit*/) override {
        const std::size_t number = observed_++;
        std::vector<std::size_t> remaining;
        const FormatId format = members_.front().second.d;
        const std::uint64_t observed = without_nan_bits(format, d);
        for (const std::size_t i : alive_)
            if (without_nan_bits(format, Evaluator(members_[i].second)(inputs)) == observed) remaining.push_back(i);
        if (remaining.empty()) return Taken::contradicts;
        if (remaining.size() < alive_.size()) decisive_.push_back(number);
        alive_ = std::move(remaining);
        return Taken::used;
    }
    std::optional<Unit> preferred() const override { return members_[named()].second; }
    std::string structure_name() const override { return "a member of the list"; }
    std::vector<Remaining> remaining() const override {
        std::vector<Unit> units; // whose NaN are settled apart
        for (const std::size_t i : alive_) {
            units.push_back(members_[i].second);
            units.back().nan = {};
        }
        std::vector<const Unit*> all;
        for (const Unit& unit : units) all.push_back(&unit);
        std::vector<Remaining> result;
        for (auto& [space, indices] : spaces_of(all)) {
            std::string what = members_[alive_[indices.front()]].first;
            if (indices.size() > 1) what += " and " + std::to_string(indices.size() - 1) + " more";
            result.push_back({std::move(space), {}, std::move(what)});
        }
        return result;
    }
    std::vector<Feature> features() const override {
        Feature feature{"member", members_[named()].first, {}, decisive_};
        for (const std::size_t i : alive_)
            if (i != named()) feature.also.push_back(members_[i].first);
        return {feature};
    }
    std::vector<Unit> nearest(std::size_t n) const override {
        std::vector<Unit> units;
        for (std::size_t i = 0; i < std::min(n, alive_.size()); ++i) units.push_back(members_[alive_[i]].second);
        return units;
    }

  private:
    /// The member that is written with the fewest characters.
    std::size_t named() const {
        return *std::min_element(alive_.begin(), alive_.end(), [&](std::size_t x, std::size_t y) {
            return members_[x].first.size() < members_[y].first.size();
        });
    }

    std::vector<std::pair<std::string, Unit>> members_;
    std::vector<std::size_t> alive_;
    std::vector<std::size_t> decisive_; ///< observations that dropped some
    std::size_t observed_ = 0;
};

} // namespace

std::unique_ptr<Candidates> listed_candidates(std::vector<std::pair<std::string, Unit>> members) {
    return std::make_unique<ListedCandidates>(std::move(members));
}

} // namespace discern::identify
