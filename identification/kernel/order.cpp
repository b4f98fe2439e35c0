#include "order.hpp"

#include "levels.hpp"

#include "models/random.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::kernels {

namespace {

constexpr int random_pairs = 160;
constexpr std::size_t first_pairs = 24; ///< of a row, to see whether a probe shows anything
constexpr std::size_t most_candidates = 64;

/// A unit that stands for one whose instructions have so many products.
Unit stand_in(const Shape& shape, const Candidate& candidate) {
    Unit unit;
    unit.a = shape.a;
    unit.b = shape.b;
    unit.c = shape.c;
    unit.d = shape.d;
    unit.K = candidate.instruction;
    unit.L = candidate.block;
    unit.tree = addition_unit(shape.d, shape.d, {shape.d, Rounding::rne}, {}).tree;
    return unit;
}

/// Which units a kernel loses: M, −M and the units are followed through its outline.
class Prediction {
  public:
    Prediction(const Shape& shape, const Candidate& candidate, const Swamping& probe)
        : shape_(shape), candidate_(candidate), probe_(probe),
          steps_(outline({stand_in(shape, candidate), shape.K, candidate.schedule})) {}

    int lost(const Pair& pair) const {
        std::vector<Sum> sums;
        int present = 0;
        for (int k = 0; k < shape_.K; ++k) present += k != pair.first && k != pair.second && probe_.is_unit(k) ? 1 : 0;
        for (const OutlineStep& step : steps_) {
            using Kind = OutlineStep::Kind;
            switch (step.kind) {
            case Kind::c: sums.push_back({sign_of(shape_.K, pair), 0}); break;
            case Kind::zero: sums.emplace_back(); break;
            case Kind::convert: sums.push_back(at(sums, step.x)); break;
            case Kind::add: sums.push_back(joined(at(sums, step.x), at(sums, step.y))); break;
            case Kind::chain: sums.push_back(chain(step, step.x < 0 ? Sum{} : at(sums, step.x), pair)); break;
            }
        }
        return present - sums.back().units;
    }

  private:
    struct Sum {
        int sign = 0; ///< of M in it
        int units = 0;
    };
    static const Sum& at(const std::vector<Sum>& sums, int i) { return sums[static_cast<std::size_t>(i)]; }
    static int sign_of(int term, const Pair& pair) { return term == pair.first ? 1 : term == pair.second ? -1 : 0; }
    static Sum joined(const Sum& x, const Sum& y) {
        const bool swamped = x.sign != 0 || y.sign != 0;
        return {x.sign + y.sign, swamped ? 0 : x.units + y.units};
    }
    Sum chain(const OutlineStep& step, Sum sum, const Pair& pair) const {
        const int per = candidate_.instruction;
        for (const int instruction : step.instructions)
            for (int k = instruction * per; k < (instruction + 1) * per; k += candidate_.block)
                sum = with_block(sum, k, pair);
        return sum;
    }
    /// The sum and the products from k on that join it together.
    Sum with_block(const Sum& sum, int k, const Pair& pair) const {
        Sum block;
        bool swamped = false;
        for (const int end = k + candidate_.block; k < end; ++k) {
            const int sign = sign_of(k, pair);
            block.sign += sign;
            swamped = swamped || sign != 0;
            if (sign == 0 && probe_.is_unit(k)) ++block.units;
        }
        const int sign = sum.sign + block.sign;
        if (candidate_.exact) return {sign, sign != 0 ? 0 : (sum.sign == 0 ? sum.units : 0) + block.units};
        return {sign, swamped || sum.sign != 0 ? 0 : sum.units + block.units};
    }

    const Shape& shape_;
    const Candidate& candidate_;
    const Swamping& probe_;
    std::vector<OutlineStep> steps_;
};

/// How many words a schedule has. Where there is no C, a library has none to read and write between blocks.
std::size_t words(const Candidate& c, bool has_c) {
    const Schedule& s = c.schedule;
    std::size_t n = s.kc.size() * (has_c ? 1 : 3) + s.split.size();
    n += (s.slice > 1 ? 2 : 0) + (s.lanes > 1 ? 1 : 0) + (s.unroll > 1 ? 1 : 0) + (s.promote ? 2 : 0);
    return n * 4 + (c.exact ? 1 : 0);
}

/// One order for all levels is written once; the order of a level that has one part is not written.
void say_orders_once(Schedule& s) {
    std::vector<std::pair<bool, std::optional<FoldOrder>*>> levels = {{!s.split.empty(), &s.split_order},
                                                                      {s.slice > 1, &s.slice_order},
                                                                      {s.lanes > 1, &s.lanes_order},
                                                                      {s.unroll > 1, &s.unroll_order}};
    std::optional<FoldOrder> common;
    bool all_alike = true;
    for (auto& [is_there, order] : levels) {
        if (!is_there) order->reset();
        if (!is_there || !*order) continue;
        all_alike = all_alike && (!common || *common == **order);
        common = common.value_or(**order);
    }
    if (!all_alike || !common) return;
    s.order = *common;
    for (auto& [is_there, order] : levels) order->reset();
}

/// The units that are lost between −M and M, where the probe with M and −M gives no plausible number: a sum of −M and
/// units that is rounded toward zero is one ulp of M above −M.
void ask_turned(Swamping& probe, std::span<const Pair> pairs, std::vector<std::optional<int>>& seen) {
    std::vector<Pair> turned;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (!seen[i]) turned.emplace_back(pairs[i].second, pairs[i].first);
    const auto again = probe.lost(turned);
    auto next = again.begin();
    for (auto& one : seen)
        if (!one) one = *next++;
}

/// The schedules that predict the probes of random pairs. None if most pairs give no plausible number.
void check(const Shape& shape, Swamping& probe, std::uint64_t seed, std::vector<Candidate>& candidates) {
    Random random(seed);
    std::vector<Pair> pairs;
    while (pairs.size() < random_pairs) {
        const int i = random.below(shape.K);
        // Far apart, near each other, and with c.
        const int j = pairs.size() % 3 == 0   ? random.below(shape.K)
                      : pairs.size() % 3 == 1 ? std::min(shape.K - 1, i + 1 + random.below(1 << random.below(8)))
                      : shape.c               ? shape.K
                                              : random.below(shape.K);
        if (i != j) pairs.emplace_back(i, j);
    }
    if (shape.c)
        for (const int k : {0, 1, shape.K / 2, shape.K - 1}) pairs.emplace_back(shape.K, k);
    auto seen = probe.lost(pairs);
    ask_turned(probe, pairs, seen);
    const auto nonsense = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), std::nullopt));
    if (nonsense * 3 > pairs.size() * 2) candidates.clear();
    std::erase_if(candidates, [&](const Candidate& c) {
        const Prediction predict(shape, c, probe);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            // Within one block, the unit's own tree decides what is lost.
            const bool same = pairs[i].first < shape.K && pairs[i].second < shape.K &&
                              pairs[i].first / c.block == pairs[i].second / c.block;
            if (same || !seen[i] || *seen[i] == predict.lost(pairs[i])) continue;
            // c may join a block in its own way, too.
            const int k = pairs[i].first == shape.K ? pairs[i].second : pairs[i].first;
            const bool with_c = std::max(pairs[i].first, pairs[i].second) == shape.K;
            if (with_c && c.begins_from_c && k / c.block == 0) continue;
            return true;
        }
        return false;
    });
}

enum class Look : std::uint8_t { nonsense, all_lost, some_lost };

/// The probes of a few pairs of a row.
Look first_look(Swamping& probe, std::span<const Pair> row) {
    std::vector<Pair> few;
    for (std::size_t i = 0; i < row.size(); i += 1 + row.size() / first_pairs) few.push_back(row[i]);
    const auto seen = probe.lost(few);
    Look look = Look::all_lost;
    for (std::size_t i = 0; i < few.size(); ++i) {
        if (!seen[i]) return Look::nonsense;
        const auto& [first, second] = few[i];
        const int present = probe.units() - (probe.is_unit(first) ? 1 : 0) - (probe.is_unit(second) ? 1 : 0);
        if (*seen[i] != present) look = Look::some_lost;
    }
    return look;
}

/// Schedules that have the row of product 0, and what random pairs show.
std::vector<Candidate> candidates_by(const Shape& shape, Swamping& probe, std::span<const Pair> first_row,
                                     std::uint64_t seed) {
    const auto seen = probe.lost(first_row);
    std::vector<int> row(static_cast<std::size_t>(shape.K), 0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (!seen[i]) return {};
        const int k = first_row[i].second;
        row[static_cast<std::size_t>(k)] = *seen[i] + (probe.is_unit(0) ? 1 : 0) + (probe.is_unit(k) ? 1 : 0);
    }
    std::vector<Candidate> candidates = candidates_of_row(shape, probe, std::move(row));
    check(shape, probe, seed, candidates);
    for (Candidate& c : candidates) say_orders_once(c.schedule);
    const bool has_c = shape.c.has_value();
    // Of large blocks little was checked, since pairs within a block show the unit and not the schedule.
    std::ranges::stable_sort(candidates, [&](const Candidate& x, const Candidate& y) {
        return x.block != y.block ? x.block < y.block : words(x, has_c) < words(y, has_c);
    });
    if (candidates.size() > most_candidates) candidates.resize(most_candidates);
    return candidates;
}

/// A candidate whose terms are blocks of products.
Candidate of_products(Candidate c, int block) {
    Schedule& s = c.schedule;
    for (int& length : s.kc) length *= block;
    if (s.split.size() > 1)
        for (int& length : s.split) length *= block;
    if (s.run) *s.run *= block;
    if (s.promote) s.promote->every *= block;
    c.instruction *= block;
    c.block *= block;
    std::vector<int> chain;
    for (const int term : c.chain)
        for (int k = 0; k < block; ++k) chain.push_back(term * block + k);
    c.chain = std::move(chain);
    return c;
}

} // namespace

Order find_order(const Shape& whole, const Ask& ask, std::uint64_t seed, const Epilogue* then) {
    Order order;
    Shape shape = whole; // of terms
    shape.K = terms_of(whole);
    shape.scale.reset();
    std::vector<Pair> first_row;
    for (int k = 1; k < shape.K; ++k) first_row.emplace_back(0, k);
    // With units in all other terms, if the formats have room for that, and below the widest accumulator for which they
    // have. Else with as many units as possible, for a narrow accumulator first; for a wider one the probes then give
    // numbers that fit no schedule.
    std::vector<Swamping> probes;
    for (const bool directed : {false, true}) {
        if (directed && then != nullptr) break;
        const auto first = static_cast<std::ptrdiff_t>(probes.size());
        for (const bool subnormals : {false, true}) // some targets flush them, and then no schedule fits
            for (const int precision : {53, 36, 24, 14, 11}) {
                if (precision == 36 && !whole.scale) continue; // of instructions with scales only

                Swamping probe(whole, ask, precision, subnormals, directed, then);
                if (probe.is_possible()) probes.push_back(std::move(probe));
            }
        std::stable_sort(probes.begin() + first, probes.end(),
                         [](const Swamping& x, const Swamping& y) { return x.units() > y.units(); });
    }
    // Schedules by which all units are lost come last, since the units may have been flushed instead.
    std::vector<Swamping*> mute;
    const auto take = [&](std::vector<Candidate> candidates) {
        const bool says_something = !candidates.empty() && candidates.front().block < shape.K;
        if (order.candidates.empty() || says_something) order.candidates = std::move(candidates);
        return says_something;
    };
    bool found = false;
    for (auto probe = probes.begin(); probe != probes.end() && !found; ++probe) switch (first_look(*probe, first_row)) {
        case Look::nonsense: break;
        case Look::all_lost: mute.push_back(&*probe); break;
        case Look::some_lost: found = take(candidates_by(shape, *probe, first_row, seed)); break;
        }
    for (auto probe = mute.begin(); probe != mute.end() && !found; ++probe)
        found = take(candidates_by(shape, **probe, first_row, seed));
    for (const Swamping& probe : probes) order.probes += probe.asked();
    if (whole.scale)
        for (Candidate& candidate : order.candidates) candidate = of_products(candidate, whole.scale->block);
    if (!order.candidates.empty()) return order;
    order.has_room = !probes.empty();
    order.trouble = !probes.empty() ? "no schedule has the order of summation that swamped units show"
                                    : "the formats have no room for numbers that absorb others, which show the order";
    return order;
}

} // namespace discern::kernels
