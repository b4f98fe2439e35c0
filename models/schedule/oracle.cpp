// The exact oracle of kernels: docs/notation.md, "Schedules", sentence by sentence, in unbounded integers.
//
// Partial sums are kept in lists that become shorter round by round, as code with arrays does it; the outline, which
// the evaluator and the kernels for whole products walk, is not used.
#include "models/evaluate/exact_numbers.hpp"
#include "models/kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace discern {

namespace schedules {
namespace {

using namespace exact;

/// A pattern and its format.
struct Sum {
    FormatId format;
    std::uint64_t bits;
};

/// The elements of one chain, or of one part, in order: instructions by their number.
using Instructions = std::vector<int>;

class ExactKernel {
  public:
    ExactKernel(const Kernel& kernel, const Inputs& inputs) : kernel_(kernel), s_(kernel.schedule), in_(inputs) {}

    std::uint64_t run() const {
        const Unit& unit = kernel_.unit;
        Sum c = unit.c ? Sum{*unit.c, in_.c} : Sum{unit.d, 0};
        const bool has_c = unit.c.has_value();
        int begin = 0;
        bool first_block = true;
        while (begin < kernel_.K) {
            int length = kernel_.K;
            if (s_.kc.size() == 1) length = std::min(block_of(kernel_.K - begin), kernel_.K - begin);
            if (s_.kc.size() > 1) length = s_.kc[block_at(begin)];
            Instructions all;
            for (int k = begin; k < begin + length; k += unit.K) all.push_back(k / unit.K);
            const bool from_c = !s_.from_zero && (has_c || !first_block);
            const Sum sum = block(all, from_c ? &c : nullptr);
            const bool adds_c = s_.from_zero && (has_c || !first_block);
            c = rounded_to({unit.d, Rounding::rne}, adds_c ? plus(c, sum) : sum);
            begin += length;
            first_block = false;
        }
        return s_.result ? rounded_to(*s_.result, c).bits : c.bits;
    }

  private:
    /// The next block, if so many elements are left.
    int block_of(int left) const {
        const int n = s_.kc[0];
        if (!s_.kc_share || left <= n || left >= 2 * n) return n;
        int half = left / 2;
        while (half % *s_.kc_share != 0) ++half;
        return half;
    }
    std::size_t block_at(int begin) const {
        std::size_t i = 0;
        for (int at = 0; at < begin; ++i) at += s_.kc[i];
        return i;
    }

    // ---- numbers

    /// The pattern of a number that has the format, or of a NaN.
    Sum pattern(FormatId id, const Number& n) const {
        const Format& f = format(id);
        if (!n.is_nan()) return {id, write(f, n)};
        const NanRule& rule = kernel_.unit.nan;
        if (rule.keeps_operands()) return {id, write_nan(f, n.content.value_or(invalid))};
        const bool is_that = rule.kind == NanRule::Kind::pattern && id == kernel_.unit.d;
        return {id, is_that ? rule.bits : write_nan(f, {false, quiet_bit})};
    }
    Sum added(const Conversion& to, const Sum& x, const Sum& y) const {
        const Round round{.format = to.format, .mode = to.mode, .child = {}};
        return pattern(to.format,
                       converted(round, exact_sum({read(format(x.format), x.bits), read(format(y.format), y.bits)})));
    }
    Sum plus(const Sum& x, const Sum& y) const { return added(kernel_.addition(), x, y); }
    Sum rounded_to(const Conversion& to, const Sum& x) const {
        if (x.format == to.format) return x;
        const Round round{.format = to.format, .mode = to.mode, .child = {}};
        return pattern(to.format, converted(round, read(format(x.format), x.bits)));
    }

    // ---- chains

    /// One instruction after the other. @param start  nullptr: +0 of d's format
    Sum chain(const Instructions& all, const Sum* start) const {
        const Unit& unit = kernel_.unit;
        Sum sum = start != nullptr ? *start : Sum{unit.d, 0};
        const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
        for (const int instruction : all) {
            Unit with = unit;
            const auto i = static_cast<std::size_t>(instruction);
            if (unit.c || start != nullptr || instruction != all.front()) with.c = sum.format;
            sum = {unit.d, evaluate_exactly(with, {.a = in_.a.subspan(i * K, K),
                                                   .b = in_.b.subspan(i * K, K),
                                                   .sa = in_.sa.subspan(i * scales, scales),
                                                   .sb = in_.sb.subspan(i * scales, scales),
                                                   .c = sum.bits})};
        }
        return sum;
    }

    /// A chain with an accumulator that is promoted.
    Sum promoted(const Instructions& all, const Sum* start) const {
        if (!s_.promote) return chain(all, start);
        Sum outer = start != nullptr ? *start : Sum{s_.promote->sum.format, 0};
        Instructions piece;
        for (std::size_t n = 0; n < all.size(); ++n) {
            piece.push_back(all[n]);
            const bool is_full = static_cast<int>(piece.size()) * kernel_.unit.K >= s_.promote->every;
            if (!is_full && n + 1 < all.size()) continue;
            outer = added(s_.promote->sum, outer, chain(piece, nullptr));
            piece.clear();
        }
        return outer;
    }

    // ---- partial sums

    Sum folded(std::optional<FoldOrder> own, std::vector<Sum> sums) const {
        const FoldOrder order = own.value_or(s_.order);
        if (order == FoldOrder::reverse) std::reverse(sums.begin(), sums.end());
        if (order == FoldOrder::last_halves) { // what is left is added in order
            const Sum last = sums.back();
            sums.pop_back();
            const std::size_t half = (sums.size() + 2) / 2;
            while (sums.size() > half) {
                Sum& low = sums[sums.size() - 1 - half];
                low = plus(low, sums.back());
                sums.pop_back();
            }
            sums.insert(sums.begin(), last);
        }
        while (sums.size() > 1) {
            const std::size_t n = sums.size();
            std::vector<Sum> next;
            if (order == FoldOrder::pairwise) {
                for (std::size_t i = 0; i < n; i += 2) next.push_back(i + 1 < n ? plus(sums[i], sums[i + 1]) : sums[i]);
            } else if (order == FoldOrder::halving) {
                const std::size_t half = (n + 1) / 2;
                for (std::size_t i = 0; i < half; ++i)
                    next.push_back(i + half < n ? plus(sums[i], sums[i + half]) : sums[i]);
            } else {
                next = {sums.begin() + 1, sums.end()};
                next.front() = plus(sums[0], sums[1]);
            }
            sums = std::move(next);
        }
        return sums.front();
    }

    Sum with_lanes(const Instructions& all, const Sum* start) const {
        const auto lanes = static_cast<std::size_t>(s_.lanes), unroll = static_cast<std::size_t>(s_.unroll);
        std::vector<Instructions> accumulators(lanes * unroll); // of register r, lane l: r · lanes + l
        for (std::size_t n = 0; n < all.size(); ++n) accumulators[n % (lanes * unroll)].push_back(all[n]);
        std::vector<Sum> of_lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            std::vector<Sum> registers;
            for (std::size_t r = 0; r < unroll; ++r)
                registers.push_back(promoted(accumulators[r * lanes + lane], r + lane == 0 ? start : nullptr));
            of_lanes.push_back(folded(s_.unroll_order, std::move(registers)));
        }
        return folded(s_.lanes_order, std::move(of_lanes));
    }

    Sum sliced(const Instructions& all, const Sum* start) const {
        const auto slices = static_cast<std::size_t>(s_.slice);
        const auto run = static_cast<std::size_t>(s_.run.value_or(kernel_.unit.K) / kernel_.unit.K);
        std::vector<Instructions> dealt(slices);
        for (std::size_t n = 0; n < all.size(); ++n) dealt[n / run % slices].push_back(all[n]);
        std::vector<Sum> sums;
        for (std::size_t i = 0; i < slices; ++i) sums.push_back(with_lanes(dealt[i], i == 0 ? start : nullptr));
        return folded(s_.slice_order, std::move(sums));
    }

    /// A block of k. @param start  what its first chain begins from; nullptr: +0
    Sum block(const Instructions& all, const Sum* start) const {
        std::vector<Sum> sums;
        std::size_t begin = 0;
        while (begin < all.size()) {
            std::size_t count = all.size();
            if (s_.split.size() == 1) count = all.size() / static_cast<std::size_t>(s_.split[0]);
            if (s_.split.size() > 1) count = static_cast<std::size_t>(s_.split[sums.size()] / kernel_.unit.K);
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
            sums.push_back(sliced({from, from + static_cast<std::ptrdiff_t>(count)}, sums.empty() ? start : nullptr));
            begin += count;
        }
        return folded(s_.split_order, std::move(sums));
    }

    const Kernel& kernel_;
    const Schedule& s_;
    const Inputs& in_;
};

} // namespace
} // namespace schedules

std::uint64_t evaluate_exactly(const Kernel& kernel, const Inputs& inputs) {
    const auto K = static_cast<std::size_t>(kernel.K), scales = static_cast<std::size_t>(shape_of(kernel).scales());
    if (inputs.a.size() != K || inputs.b.size() != K || inputs.sa.size() != scales || inputs.sb.size() != scales)
        throw std::logic_error("evaluate_exactly: the inputs do not have the sizes of the kernel");
    return schedules::ExactKernel(kernel, inputs).run();
}

} // namespace discern
