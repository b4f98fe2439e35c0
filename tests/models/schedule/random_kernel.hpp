// Random kernels: units of all kinds with schedules that fit, for tests that compare implementations.
#pragma once

#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/random.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace discern::tests {

/// Sizes in instructions, so that most of what is drawn fits.
class KernelGenerator {
  public:
    explicit KernelGenerator(std::uint64_t seed) : random_(seed) {}

    /// A kernel of the unit with at most so many instructions.
    Kernel next(const Unit& unit, int most) {
        for (;;) {
            Kernel kernel{unit, unit.K * random_.between(1, most), schedule(unit)};
            // Where blocks end, how many are left decides.
            const std::vector<int>& kc = kernel.schedule.kc;
            const int blocks = kernel.schedule.kc_share && one_in(2) ? 2 : random_.between(1, 3);
            if (!kc.empty() && one_in(2)) kernel.K = std::min(kc.front() * blocks, unit.K * most);
            try {
                validate(kernel);
                return kernel;
            } catch (const Error&) {
                continue;
            }
        }
    }

  private:
    bool one_in(int n) { return random_.one_in(n); }
    FoldOrder order() { return static_cast<FoldOrder>(random_.below(5)); }
    std::optional<FoldOrder> own_order() { return one_in(3) ? std::optional(order()) : std::nullopt; }
    Conversion conversion(const Unit& unit) {
        static constexpr std::array formats = {FormatId::f32, FormatId::f16, FormatId::bf16, FormatId::f64};
        FormatId id = one_in(2) ? unit.d : formats[static_cast<std::size_t>(random_.below(4))];
        if (one_in(4)) {
            const int e = random_.between(2, 6), m = random_.between(1, 5);
            id = format_of_fields(e, m, static_cast<Specials>(random_.below(4))).value();
        }
        return {id, one_in(2) ? Rounding::rne : static_cast<Rounding>(random_.below(6))};
    }

    Schedule schedule(const Unit& unit) {
        Schedule s;
        const int K = unit.K;
        const int block = random_.between(1, 6);
        if (one_in(3)) s.kc = {K * block};
        if (!s.kc.empty() && block > 1 && one_in(2)) s.kc_share = K * random_.between(1, block / 2);
        if (one_in(3)) s.split = {random_.between(2, 5)};
        if (!s.split.empty()) s.split_order = own_order();
        if (one_in(4)) {
            s.slice = random_.between(2, 4);
            if (one_in(2)) s.run = K * random_.between(1, 3);
            s.slice_order = own_order();
        }
        if (one_in(3)) {
            s.lanes = random_.between(2, 5);
            s.lanes_order = own_order();
        }
        if (one_in(4)) {
            s.unroll = random_.between(2, 3);
            s.unroll_order = own_order();
        }
        if (one_in(4)) s.promote = Promotion{K * random_.between(1, 4), conversion(unit)};
        s.order = order();
        if (one_in(2)) s.reduce = conversion(unit);
        if (!s.reduce && unit.d == FormatId::f64) s.order = FoldOrder::order;
        s.from_zero = one_in(3);
        if (one_in(5)) s.result = conversion(unit);
        return s;
    }

    Random random_;
};

} // namespace discern::tests
