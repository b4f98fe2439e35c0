// Where K does not divide k, the operands are copied and padded to whole instructions: with +0, and scales of 1.
#include "accelerate.hpp"

#include "models/fast/operands/accumulators.hpp"

namespace discern::fast {

namespace {

/// A copy of rows, with patterns of one kind behind each and rows of them behind the last.
class Padded {
  public:
    Padded(const Patterns& from, std::size_t rows, std::size_t columns, std::size_t to_rows, std::size_t to_columns,
           std::uint64_t missing)
        : word_(from.word()), bytes_(to_rows * to_columns * word_) {
        if (missing != 0)
            for (std::size_t i = 0; i < to_rows * to_columns; ++i) put_pattern(bytes_.data(), word_, i, missing);
        if (columns == 0) return;
        for (std::size_t i = 0; i < rows; ++i)
            std::memcpy(bytes_.data() + i * to_columns * word_,
                        static_cast<const std::byte*>(from.data()) + i * columns * word_, columns * word_);
    }
    Patterns patterns() const { return {bytes_.data(), bytes_.size() / word_, word_}; }

  private:
    std::size_t word_;
    std::vector<std::byte> bytes_;
};

} // namespace

bool accelerate(const Chains& chains, GemmSize size, const Chains::Given& given, bool from_c) {
    Accelerator& place = *chains.options.accelerator;
    const std::size_t m = size.m, n = size.n, k = size.k;
    const auto run = [&](std::size_t whole, const Chains::Given& o) {
        return place.run({.size = {.m = m, .n = n, .k = whole},
                          .from_c = from_c,
                          .a = o.a,
                          .b = o.b,
                          .c = from_c ? o.c : Patterns(),
                          .sa = o.sa,
                          .sb = o.sb,
                          .d = o.d},
                         chains.options.progress);
    };
    if (k % chains.K() == 0) return run(k, given);
    const std::size_t steps = chains.steps(k), whole = steps * chains.K(), scales = chains.scales(k),
                      all_scales = steps * static_cast<std::size_t>(chains.unit.scales());
    const std::uint64_t one = scale_of_one(chains.unit);
    const Padded a(given.a, m, k, m, whole, 0), b(given.b, k, n, whole, n, 0),
        sa(given.sa, m, scales, m, all_scales, one), sb(given.sb, scales, n, all_scales, n, one);
    return run(whole, {a.patterns(), b.patterns(), given.c, given.d, sa.patterns(), sb.patterns()});
}

} // namespace discern::fast
