#include "outline.hpp"

#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace discern {

namespace schedules {
namespace {

using Kind = OutlineStep::Kind;

class OutlineMaker {
  public:
    explicit OutlineMaker(const Kernel& kernel)
        : kernel_(kernel), s_(kernel.schedule), add_(kernel.addition()), per_(kernel.unit.K) {}

    std::vector<OutlineStep> run() {
        int c = kernel_.unit.c ? push({.kind = Kind::c, .instructions = {}, .format = *kernel_.unit.c}) : -1;
        int first = 0;
        for (const int length : block_lengths(s_, kernel_.K)) {
            std::vector<int> all(static_cast<std::size_t>(length / per_));
            std::iota(all.begin(), all.end(), first / per_);
            first += length;
            int sum = split(all, s_.from_zero ? -1 : c);
            if (s_.from_zero && c >= 0) sum = added(c, sum);
            c = converted(sum, {kernel_.unit.d, Rounding::rne});
        }
        if (s_.result) c = converted(c, *s_.result);
        return std::move(steps_);
    }

  private:
    using Leaf = std::function<int(int)>; ///< the step that makes the i-th partial sum

    int push(OutlineStep step) {
        steps_.push_back(std::move(step));
        return static_cast<int>(steps_.size()) - 1;
    }
    FormatId format_of(int step) const { return steps_[static_cast<std::size_t>(step)].format; }
    int added(int x, int y) {
        return push({.kind = Kind::add, .x = x, .y = y, .instructions = {}, .format = add_.format, .mode = add_.mode});
    }
    int converted(int x, const Conversion& to) {
        if (format_of(x) == to.format) return x;
        return push({.kind = Kind::convert, .x = x, .instructions = {}, .format = to.format, .mode = to.mode});
    }

    // ---- orders

    int fold(std::optional<FoldOrder> own, int n, const Leaf& leaf) {
        switch (own.value_or(s_.order)) {
        case FoldOrder::order: return in_order(n, leaf);
        case FoldOrder::reverse: return in_order(n, [&](int i) { return leaf(n - 1 - i); });
        case FoldOrder::pairwise: return pairwise(0, n, leaf);
        case FoldOrder::last_halves: return last_halves(n, leaf);
        case FoldOrder::halving: break;
        }
        std::vector<int> sizes = {n};
        while (sizes.back() > 1) sizes.push_back((sizes.back() + 1) / 2);
        return halving(0, sizes.size() - 1, sizes, leaf);
    }
    int in_order(int n, const Leaf& leaf) {
        int sum = leaf(0);
        for (int i = 1; i < n; ++i) sum = added(sum, leaf(i));
        return sum;
    }
    int pairwise(int first, int n, const Leaf& leaf) {
        if (n == 1) return leaf(first);
        int half = 1;
        while (2 * half < n) half *= 2;
        const int left = pairwise(first, half, leaf);
        return added(left, pairwise(first + half, n - half, leaf));
    }
    /// The i-th partial sum when only sizes[level] of them are left.
    int halving(int i, std::size_t level, const std::vector<int>& sizes, const Leaf& leaf) {
        if (level == 0) return leaf(i);
        const int sum = halving(i, level - 1, sizes, leaf);
        const int other = i + sizes[level];
        return other < sizes[level - 1] ? added(sum, halving(other, level - 1, sizes, leaf)) : sum;
    }

    /// The last one first; of the others, those of the second half are added to those of the first before.
    int last_halves(int n, const Leaf& leaf) {
        const int half = (n + 1) / 2;
        int sum = leaf(n - 1);
        for (int i = 0; i < half && i < n - 1; ++i) {
            const int one = leaf(i);
            sum = added(sum, i + half < n - 1 ? added(one, leaf(i + half)) : one);
        }
        return sum;
    }

    // ---- levels; start: the step from which the first chain begins, or −1

    int split(const std::vector<int>& all, int start) {
        const std::vector<int> parts = part_lengths(s_, static_cast<int>(all.size()) * per_);
        std::vector<std::size_t> begin = {0};
        for (const int length : parts) begin.push_back(begin.back() + static_cast<std::size_t>(length / per_));
        return fold(s_.split_order, static_cast<int>(parts.size()), [&](int i) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin[static_cast<std::size_t>(i)]);
            const auto to = all.begin() + static_cast<std::ptrdiff_t>(begin[static_cast<std::size_t>(i) + 1]);
            return slice({from, to}, i == 0 ? start : -1);
        });
    }
    int slice(const std::vector<int>& all, int start) {
        const int run = s_.run.value_or(per_) / per_;
        return fold(s_.slice_order, s_.slice, [&](int i) {
            std::vector<int> part;
            for (std::size_t n = 0; n < all.size(); ++n)
                if (static_cast<int>(n) / run % s_.slice == i) part.push_back(all[n]);
            return lanes(part, i == 0 ? start : -1);
        });
    }
    int lanes(const std::vector<int>& all, int start) {
        return fold(s_.lanes_order, s_.lanes, [&](int lane) {
            return fold(s_.unroll_order, s_.unroll, [&](int accumulator) {
                const int place = accumulator * s_.lanes + lane;
                std::vector<int> part;
                for (std::size_t n = 0; n < all.size(); ++n)
                    if (static_cast<int>(n) % (s_.lanes * s_.unroll) == place) part.push_back(all[n]);
                return promoted(part, place == 0 ? start : -1);
            });
        });
    }
    int promoted(const std::vector<int>& all, int start) {
        if (!s_.promote) return chain(all, start);
        const auto piece = static_cast<std::size_t>(s_.promote->every / per_);
        const Conversion& to = s_.promote->sum;
        int sum = start >= 0 ? start : push({.kind = Kind::zero, .instructions = {}, .format = to.format});
        for (std::size_t first = 0; first < all.size(); first += piece) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
            const int one = chain({from, from + static_cast<std::ptrdiff_t>(std::min(piece, all.size() - first))}, -1);
            sum =
                push({.kind = Kind::add, .x = sum, .y = one, .instructions = {}, .format = to.format, .mode = to.mode});
        }
        return sum;
    }
    int chain(std::vector<int> all, int start) {
        return push({.kind = Kind::chain, .x = start, .instructions = std::move(all), .format = kernel_.unit.d});
    }

    const Kernel& kernel_;
    const Schedule& s_;
    const Conversion add_;
    const int per_; ///< elements of an instruction
    std::vector<OutlineStep> steps_;
};

Node node_of(auto kind) { return Node{std::move(kind)}; }

} // namespace
} // namespace schedules

std::vector<int> block_lengths(const Schedule& schedule, int K) {
    if (schedule.kc.empty()) return {K};
    if (schedule.kc.size() > 1) return schedule.kc;
    std::vector<int> lengths;
    const int block = schedule.kc.front();
    for (int left = K; left > 0; left -= lengths.back()) {
        int length = block;
        if (schedule.kc_share && left < 2 * block)
            length =
                left <= block ? left : (left / 2 + *schedule.kc_share - 1) / *schedule.kc_share * *schedule.kc_share;
        lengths.push_back(std::min(left, length));
    }
    return lengths;
}

std::vector<int> part_lengths(const Schedule& schedule, int length) {
    if (schedule.split.empty()) return {length};
    if (schedule.split.size() > 1) return schedule.split;
    return std::vector<int>(static_cast<std::size_t>(schedule.split.front()), length / schedule.split.front());
}

std::vector<OutlineStep> outline(const Kernel& kernel) { return schedules::OutlineMaker(kernel).run(); }

Unit multiply_add_unit(FormatId x, FormatId y, std::optional<FormatId> c, const Conversion& to) {
    using namespace schedules;
    Unit unit;
    unit.a = x;
    unit.b = y;
    unit.c = c;
    unit.d = to.format;
    unit.K = unit.L = 1;
    Fuse sum;
    sum.children.push_back({.node = {node_of(Product{})}});
    if (c) sum.children.push_back({.node = {node_of(Accumulator{})}});
    unit.tree = node_of(Round{.format = to.format, .mode = to.mode, .child = {node_of(std::move(sum))}});
    return unit;
}

Unit addition_unit(FormatId x, std::optional<FormatId> y, const Conversion& to, const NanRule& nan) {
    const FormatId with_one = format(to.format).is_fixed_point() ? FormatId::f32 : to.format;
    Unit unit = multiply_add_unit(x, with_one, y, to);
    unit.nan = nan;
    return unit;
}

Addition::Addition(FormatId x, std::optional<FormatId> y, const Conversion& to, const NanRule& nan)
    : evaluate_(addition_unit(x, y, to, nan)), one_(one(format(evaluate_.unit().b))) {}

std::vector<std::optional<Addition>> additions(const Kernel& kernel, const std::vector<OutlineStep>& steps) {
    std::map<std::tuple<FormatId, std::optional<FormatId>, FormatId, Rounding>, Addition> known;
    std::vector<std::optional<Addition>> of_steps;
    for (const OutlineStep& step : steps) {
        of_steps.emplace_back();
        if (step.kind != OutlineStep::Kind::add && step.kind != OutlineStep::Kind::convert) continue;
        const FormatId x = steps[static_cast<std::size_t>(step.x)].format;
        std::optional<FormatId> y;
        if (step.kind == OutlineStep::Kind::add) y = steps[static_cast<std::size_t>(step.y)].format;
        const std::tuple key(x, y, step.format, step.mode);
        auto found = known.find(key);
        if (found == known.end()) {
            const Conversion to{step.format, step.mode};
            found = known.emplace(key, Addition(x, y, to, nan_in(kernel, to.format))).first;
        }
        of_steps.back() = found->second;
    }
    return of_steps;
}

NanRule nan_in(const Kernel& kernel, FormatId format) {
    const NanRule& rule = kernel.unit.nan;
    // The NaN of an addition of two accumulators: the first, or that of an invalid operation, as on x86.
    if (rule.kind == NanRule::Kind::rdna) return {NanRule::Kind::propagate, 0};
    if (rule.kind != NanRule::Kind::pattern || format == kernel.unit.d) return rule;
    return {};
}

Unit continued(const Unit& unit) {
    Unit next = unit;
    if (has_accumulator(next.tree)) next.c = next.d;
    return next;
}

} // namespace discern
