// The exact search works on sets of pairs as bits; the greedy one on groups of classes that are not separated yet.
#include "cover.hpp"

#include "partition.hpp"

#include <algorithm>
#include <bit>
#include <queue>

namespace discern {

namespace {

// Up to that many classes pairs are held as bits, and the optimum is searched for.
constexpr std::size_t most_for_exact = 64;
constexpr std::size_t most_nodes = 200'000; ///< of the search tree

// ---- few classes

using Bits = std::vector<std::uint64_t>;

std::size_t count(const Bits& bits) {
    std::size_t n = 0;
    for (const std::uint64_t word : bits) n += static_cast<std::size_t>(std::popcount(word));
    return n;
}

bool covers(const Bits& larger, const Bits& smaller) {
    for (std::size_t i = 0; i < larger.size(); ++i)
        if ((smaller[i] & ~larger[i]) != 0) return false;
    return true;
}

class Exact {
  public:
    Exact(const ResultMatrix& matrix, const Limit& limit) : limit_(limit) {
        const std::size_t n = matrix.classes();
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                if (!matrix.excused.contains({i, j})) pairs.emplace_back(i, j);
        all_.assign((pairs.size() + 63) / 64, 0);
        for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
            Bits bits(all_.size());
            for (std::size_t p = 0; p < pairs.size(); ++p)
                if (matrix.separates(row, pairs[p].first, pairs[p].second)) bits[p / 64] |= 1ull << (p % 64);
            for (std::size_t i = 0; i < all_.size(); ++i) all_[i] |= bits[i];
            candidates_.push_back({row, count(bits), std::move(bits)});
        }
        std::ranges::stable_sort(candidates_, [](const auto& x, const auto& y) { return x.covered > y.covered; });
        std::vector<Candidate> kept; // those whose pairs no other candidate separates too
        for (Candidate& candidate : candidates_)
            if (std::ranges::none_of(kept, [&](const Candidate& other) { return covers(other.bits, candidate.bits); }))
                kept.push_back(std::move(candidate));
        candidates_ = std::move(kept);
    }

    Cover run() {
        best_ = greedy();
        std::vector<std::size_t> chosen;
        search(Bits(all_.size()), chosen);
        Cover cover{{}, nodes_ < most_nodes && !limit_.reached()};
        for (const std::size_t i : best_) cover.rows.push_back(candidates_[i].row);
        std::ranges::sort(cover.rows);
        return cover;
    }

  private:
    struct Candidate {
        std::size_t row, covered;
        Bits bits;
    };

    static Bits either(Bits a, const Bits& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
        return a;
    }

    std::vector<std::size_t> greedy() const {
        std::vector<std::size_t> chosen;
        Bits done(all_.size());
        while (done != all_) {
            std::size_t best = 0, most = 0;
            for (std::size_t i = 0; i < candidates_.size(); ++i)
                if (const std::size_t n = count(either(done, candidates_[i].bits)); n > most) most = n, best = i;
            chosen.push_back(best);
            done = either(std::move(done), candidates_[best].bits);
        }
        return chosen;
    }

    // Branches on the pair that the fewest candidates separate: one of them must be chosen.
    void search(const Bits& done, std::vector<std::size_t>& chosen) {
        if (done == all_) {
            if (chosen.size() < best_.size()) best_ = chosen;
            return;
        }
        if (++nodes_ >= most_nodes) return;
        const std::size_t left = count(all_) - count(done);
        const std::size_t largest = candidates_.front().covered; // more pairs no further vector can add
        if (chosen.size() + (left + largest - 1) / largest >= best_.size()) return;
        std::size_t rarest = 0, fewest = candidates_.size() + 1;
        for (std::size_t p = 0; p < 64 * all_.size(); ++p) {
            if (((all_[p / 64] & ~done[p / 64]) >> (p % 64) & 1) == 0) continue;
            const auto able = static_cast<std::size_t>(std::ranges::count_if(
                candidates_, [p](const Candidate& c) { return ((c.bits[p / 64] >> (p % 64)) & 1) != 0; }));
            if (able < fewest) fewest = able, rarest = p;
        }
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (((candidates_[i].bits[rarest / 64] >> (rarest % 64)) & 1) == 0) continue;
            chosen.push_back(i);
            search(either(done, candidates_[i].bits), chosen);
            chosen.pop_back();
        }
    }

    const Limit& limit_;
    std::vector<Candidate> candidates_;
    Bits all_; ///< pairs that the pool separates
    std::vector<std::size_t> best_;
    std::size_t nodes_ = 0;
};

// ---- many classes: groups that are not separated yet, refined by one row after the other

class Groups {
  public:
    explicit Groups(const ResultMatrix& matrix) : matrix_(matrix) {
        Group exact, all;
        for (std::size_t i = 0; i < matrix.classes(); ++i) {
            all.push_back(i);
            if (!matrix.any[i]) exact.push_back(i);
        }
        if (exact.size() > 1) by_bits_.push_back(exact);
        if (exact.size() < all.size()) by_value_.push_back(all);
    }

    void add(std::size_t row) {
        by_bits_ = refined(by_bits_, row, false);
        by_value_ = refined(by_value_, row, true);
    }
    /// Pairs that are still together, and that would be after another row.
    std::size_t together() const {
        std::size_t pairs = 0;
        for (const Group& group : by_bits_) pairs += group.size() * (group.size() - 1) / 2;
        for (const Group& group : by_value_) pairs += pairs_with_any(group);
        return pairs;
    }
    std::size_t together_after(std::size_t row) const {
        std::size_t pairs = 0;
        for (const Group& group : by_bits_) pairs += pairs_by_bits(group, matrix_.rows[row]);
        for (const Group& group : by_value_)
            each_part(group, row, true, [&](const Group& part) { pairs += pairs_with_any(part); });
        return pairs;
    }

  private:
    using Group = std::vector<std::size_t>; ///< at least two classes

    /// The parts of a group, of two classes or more, that have the same result.
    template <typename Visit>
    void each_part(const Group& group, std::size_t row, bool any, const Visit& visit) const {
        labels_.clear();
        for (const std::size_t i : group)
            labels_.emplace_back(counted_result(*matrix_.d, any, matrix_.rows[row][i]), i);
        std::ranges::sort(labels_);
        for (std::size_t i = 0, next = 0; i < labels_.size(); i = next) {
            part_.clear();
            for (; next < labels_.size() && labels_[next].first == labels_[i].first; ++next)
                part_.push_back(labels_[next].second);
            if (part_.size() > 1) visit(part_);
        }
    }
    /// Pairs of a group that have the same result.
    std::size_t pairs_by_bits(const Group& group, const ResultRow& row) const {
        counts_.resize(std::max(counts_.size(), row.different()));
        std::size_t pairs = 0;
        for (const std::size_t i : group) pairs += counts_[row.number(i)]++;
        for (const std::size_t i : group) counts_[row.number(i)] = 0;
        return pairs;
    }
    std::vector<Group> refined(const std::vector<Group>& groups, std::size_t row, bool any) const {
        std::vector<Group> result;
        for (const Group& group : groups)
            each_part(group, row, any, [&](const Group& part) { result.push_back(part); });
        return result;
    }
    // Pairs without nan=any are counted by their bits.
    std::size_t pairs_with_any(const Group& group) const {
        const auto n =
            static_cast<std::size_t>(std::ranges::count_if(group, [this](std::size_t i) { return matrix_.any[i]; }));
        return n * (n - 1) / 2 + n * (group.size() - n);
    }

    const ResultMatrix& matrix_;
    std::vector<Group> by_bits_, by_value_;
    mutable std::vector<std::pair<std::uint64_t, std::size_t>> labels_; ///< scratch
    mutable Group part_;
    mutable std::vector<std::size_t> counts_; ///< zeros; of each result of a row
};

Cover greedy_cover(const ResultMatrix& matrix, const Limit& limit) {
    Groups all(matrix);
    for (std::size_t row = 0; row < matrix.rows.size(); ++row) all.add(row);
    const std::size_t goal = all.together(); // excused and open pairs
    Groups groups(matrix);
    Cover cover;
    // What a row still separates only shrinks as others are chosen, so an old number is an upper bound, and most rows
    // need not be counted again (Minoux, "Accelerated greedy algorithms for maximizing submodular set functions",
    // 1978).
    std::size_t together = groups.together();
    std::priority_queue<std::pair<std::size_t, std::size_t>> gains; // and the row
    for (std::size_t row = 0; row < matrix.rows.size(); ++row)
        gains.emplace(together - groups.together_after(row), matrix.rows.size() - 1 - row);
    while (together > goal) {
        const std::size_t row = matrix.rows.size() - 1 - gains.top().second;
        gains.pop();
        const std::size_t gain = together - groups.together_after(row);
        if (!gains.empty() && gain < gains.top().first) {
            gains.emplace(gain, matrix.rows.size() - 1 - row);
            continue;
        }
        groups.add(row);
        together -= gain;
        cover.rows.push_back(row);
    }
    // Vectors that later ones made superfluous are left out.
    const auto complete = [&](const std::vector<std::size_t>& rows) {
        Groups some(matrix);
        for (const std::size_t row : rows) some.add(row);
        return some.together() == goal;
    };
    for (std::size_t i = 0; i < cover.rows.size() && !limit.reached();) {
        std::vector<std::size_t> without = cover.rows;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        if (complete(without))
            cover.rows = std::move(without);
        else
            ++i;
    }
    std::ranges::sort(cover.rows);
    return cover;
}

} // namespace

bool ResultMatrix::separates(std::size_t row, std::size_t one, std::size_t other) const {
    const bool loose = any[one] || any[other];
    return counted_result(*d, loose, rows[row][one]) != counted_result(*d, loose, rows[row][other]);
}

std::size_t ResultMatrix::unseparated(const std::vector<std::size_t>& some) const {
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < classes(); ++i)
        for (std::size_t j = i + 1; j < classes(); ++j)
            if (!excused.contains({i, j}) &&
                std::ranges::none_of(some, [&](std::size_t row) { return separates(row, i, j); }))
                ++pairs;
    return pairs;
}

Cover smallest_cover(const ResultMatrix& matrix, const Limit& limit) {
    if (matrix.rows.empty() || matrix.classes() < 2) return {{}, true};
    return matrix.classes() <= most_for_exact ? Exact(matrix, limit).run() : greedy_cover(matrix, limit);
}

} // namespace discern
