#include "sizes.hpp"

#include "hypotheses.hpp"
#include "models/error.hpp"
#include "models/schedule/outline.hpp"
#include "order.hpp"
#include "solver/backend/limit.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace discern::kernels {

namespace {

constexpr std::array asked_families = {Family::normal, Family::cancelling};
constexpr int longest = 16384, largest_side = 512;
constexpr int largest_share = 64;             ///< of kc=n/m, in instructions
constexpr std::size_t vectors_elsewhere = 40; ///< on which schedules are tried

/// Whether the kernel gives the products of a size; nothing if that is not known.
using Holds = std::function<std::optional<bool>(int size)>;

class SizeSearch {
  public:
    SizeSearch(const Finished& kernel, const SizeOptions& options)
        : kernel_(kernel.kernel), then_(kernel.then), options_(options),
          limit_(Limit::after(options.seconds, options.stop)) {}

    std::vector<SizeRange> run() {
        std::vector<SizeRange> ranges;
        if (options_.product) {
            const Comparison compare({kernel_, then_});
            for (const char size : {'M', 'N'}) {
                const auto sides = [&](int side) {
                    return std::pair(size == 'M' ? side : usual_side, size == 'N' ? side : usual_side);
                };
                SizeRange range = searched(size, usual_side, 1, largest_side, 1, [&](int side) {
                    const auto [m, n] = sides(side);
                    return gives(compare, options_.product, nullptr, m, n);
                });
                for (auto* place : {&range.below, &range.above})
                    if (*place) {
                        const auto [m, n] = sides((*place)->size);
                        (*place)->schedule = schedule_of(kernel_.K, asked_in(options_.product, kernel_.K, m, n));
                    }
                ranges.push_back(std::move(range));
            }
        }
        if (options_.at_length && kernel_.schedule.kc.size() < 2 && kernel_.schedule.split.size() < 2)
            ranges.push_back(lengths());
        std::erase_if(ranges, [](const SizeRange& r) { return r.tried_from == r.tried_to; });
        return ranges;
    }

    std::optional<Kernel> with_a_rule() const {
        const std::vector<int>& blocks = kernel_.schedule.kc;
        if (blocks.size() < 2 || !options_.at_length) return std::nullopt;
        const int unit = kernel_.unit.K, n = blocks.front();
        // A length at which each power of two makes other blocks: half of it is one above a multiple of all.
        const int step = largest_share * unit, half = (n / 2 / step + 1) * step + unit;
        std::optional<AtLength> target;
        for (int m = largest_share * unit; m >= unit; m /= 2) {
            Kernel rule = kernel_;
            rule.schedule.kc = {n};
            rule.schedule.kc_share = m;
            if (block_lengths(rule.schedule, rule.K) != blocks) continue;
            try {
                validate(rule);
                Kernel shorter = rule;
                shorter.K = 2 * half;
                validate(shorter);
                if (!target) target = options_.at_length(shorter.K);
                if (!target || shorter.K <= n || shorter.K >= 2 * n) return std::nullopt;
                if (gives(Comparison({shorter, then_}), target->product, &target->ask, usual_side, usual_side) == true)
                    return rule;
            } catch (const Error&) {
                continue;
            }
        }
        return std::nullopt;
    }

    std::optional<bool> holds_at(int K) const {
        Kernel kernel = kernel_;
        kernel.K = K;
        try {
            validate(kernel);
            const std::optional<AtLength> target = options_.at_length(K);
            if (!target) return std::nullopt;
            return gives(Comparison({kernel, then_}), target->product, &target->ask, usual_side, usual_side);
        } catch (const Error&) { // it does not fit, or the target does not take it
            return std::nullopt;
        }
    }

  private:
    SizeRange lengths() {
        const int step = kernel_.unit.K;
        SizeRange range =
            searched('K', kernel_.K, step, std::max(longest, kernel_.K), step, [&](int K) { return holds_at(K); });
        for (auto* place : {&range.below, &range.above})
            if (*place)
                if (auto target = options_.at_length((*place)->size))
                    (*place)->schedule = schedule_of((*place)->size, target->ask);
        return range;
    }

    /// From the asked size down to the least and up to the most, which are multiples of the step.
    SizeRange searched(char size, int asked, int least, int most, int step, const Holds& holds) const {
        SizeRange range{size, asked, asked, asked, asked, {}, {}};
        const auto in_steps = [&](int n) { return n / step * step; };
        for (const bool up : {false, true}) {
            int good = asked;
            std::optional<int> bad;
            for (int n = asked; !bad && !limit_.reached();) {
                n = up ? 2 * n : in_steps(n / 2);
                if (n < least || n > most) break;
                const std::optional<bool> held = holds(n);
                if (!held) continue;
                if (*held)
                    good = n;
                else
                    bad = n;
            }
            (up ? range.tried_to : range.tried_from) = bad.value_or(good);
            while (bad && !limit_.reached()) { // halve what is between them, at sizes that fit
                const int low = std::min(good, *bad), high = std::max(good, *bad);
                std::optional<bool> held;
                int middle = in_steps(low + (high - low) / 2);
                for (; middle < high; middle += step)
                    if (middle > low && (held = holds(middle))) break;
                if (!held) break;
                (*held ? good : *bad) = middle;
            }
            (up ? range.to : range.from) = good;
            if (bad) (up ? range.above : range.below) = Elsewhere{*bad, {}};
        }
        return range;
    }

    /// Products of the families, or vectors of all where the target has no products.
    std::optional<bool> gives(const Comparison& compare, const AskProduct& product, const Ask* ask, int m,
                              int n) const {
        std::uint64_t compared = 0;
        if (!product) {
            const Fresh fresh = compare.vectors(*ask, options_.seed);
            if (fresh.wrong) return false;
            compared = fresh.compared;
        }
        for (const Family family : asked_families) {
            if (!product) break;
            const Fresh fresh = compare.product(product, static_cast<std::size_t>(m), static_cast<std::size_t>(n),
                                                family, options_.seed);
            if (fresh.wrong) return false;
            compared += fresh.compared;
        }
        return compared == 0 ? std::nullopt : std::optional(true);
    }

    /// Vectors asked in products of m × n.
    static Ask asked_in(const AskProduct& product, Shape shape, int m, int n) {
        return [=, turn = std::size_t{0}](std::span<const Inputs> batch) mutable {
            std::vector<std::optional<std::uint64_t>> answers;
            for (const std::uint64_t d :
                 in_products(shape, batch, static_cast<std::size_t>(m), static_cast<std::size_t>(n), turn++, product))
                answers.emplace_back(d);
            return answers;
        };
    }
    Ask asked_in(const AskProduct& product, int K, int m, int n) const {
        Shape shape = shape_of(Finished{kernel_, then_});
        shape.K = K;
        return asked_in(product, shape, m, n);
    }

    /// The plainest schedule of the unit that gives random vectors of that target.
    std::optional<std::string> schedule_of(int K, const Ask& ask) const {
        if (limit_.reached()) return std::nullopt;
        Shape shape = shape_of(kernel_);
        shape.K = K;
        Kernel plain{kernel_.unit, K, {}};
        InputGenerator generator(chain_of(plain), Family::normal, options_.seed);
        std::vector<InputBuffer> buffers(vectors_elsewhere);
        std::vector<Inputs> batch;
        for (InputBuffer& buffer : buffers) {
            generator.next(buffer);
            batch.push_back(buffer.inputs());
        }
        const auto answers = ask(batch);
        const auto gives_all = [&](const Kernel& kernel) {
            const KernelEvaluator evaluate(kernel);
            const Finished whole{kernel, then_};
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (!answers[i] || !same_result(whole, *answers[i], whole.of_sum(evaluate(batch[i])))) return false;
            return true;
        };
        for (const Candidate& candidate : find_order(shape, ask, options_.seed, then_ ? &*then_ : nullptr).candidates) {
            if (limit_.reached()) break;
            const auto unit = of_instruction(kernel_.unit, candidate.instruction);
            if (!unit) continue;
            for (const Kernel& kernel : kernels_of(shape, candidate, *unit))
                if (gives_all(kernel)) return to_string(kernel.schedule);
        }
        return std::nullopt;
    }

    const Kernel& kernel_;
    const std::optional<Epilogue>& then_; ///< what follows its sums
    const SizeOptions& options_;
    const Limit limit_;
};

} // namespace

std::vector<SizeRange> size_ranges(const Finished& kernel, const SizeOptions& options) {
    return SizeSearch(kernel, options).run();
}

std::optional<bool> holds_at(const Finished& kernel, int K, const SizeOptions& options) {
    return SizeSearch(kernel, options).holds_at(K);
}

std::optional<Kernel> with_a_rule(const Finished& kernel, const SizeOptions& options) {
    return SizeSearch(kernel, options).with_a_rule();
}

} // namespace discern::kernels
