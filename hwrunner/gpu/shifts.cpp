// Numbers: shifts by constants, by amounts that vary, and to the left until a bit is at the top.
#include "numbers.hpp"

#include <algorithm>
#include <bit>

namespace discern::gpu {

namespace {

constexpr std::int64_t most = 0xffffffff; ///< in a register

/// A last part that is 0 is left out.
Number trimmed(Number x) {
    while (x.parts.size() > 1 && x.top.low == 0 && x.top.high == 0) {
        x.parts.pop_back();
        x.top.high = most;
    }
    return x;
}

} // namespace

// ---- by constants

Number Numbers::joined(const Number& x, const Number& low, int by, int width) {
    const auto whole_parts = static_cast<std::size_t>(by / 32), limit = parts_of(width), n = x.parts.size();
    const int count = by % 32;
    const Part left = gpu::constant(static_cast<std::uint64_t>(count));
    Number z;
    while (z.parts.size() < whole_parts) z.parts.push_back(part(low, z.parts.size()));
    const Part below = part(low, whole_parts);
    for (std::size_t i = 0; i < n && z.parts.size() < limit; ++i) {
        Part moved = count == 0 ? x.parts[i]
                     : i == 0   ? code_.make("shl.b32", {x.parts[i], left})
                                : code_.make("shf.l.wrap.b32", {x.parts[i - 1], x.parts[i], left});
        if (i == 0) moved = code_.make("add.u32", {moved, below});
        z.parts.push_back(std::move(moved));
    }
    const std::int64_t filled = (std::int64_t{1} << count) - 1;
    const Range top{x.top.low * (filled + 1), x.top.high * (filled + 1) + (n > 1 || below != "0" ? filled : 0)};
    if (z.parts.size() < whole_parts + n) return ranged(std::move(z.parts), {0, most});
    if (z.parts.size() == limit || fits(top)) return ranged(std::move(z.parts), top);
    const Part right = gpu::constant(static_cast<std::uint64_t>(32 - count));
    z.parts.push_back(code_.make(x.top.low < 0 ? "shr.s32" : "shr.u32", {x.parts.back(), right}));
    z.top = {x.top.low >> (32 - count), x.top.high >> (32 - count)};
    return z;
}

Number Numbers::slice(const Number& x, int by, int width) {
    const auto first = static_cast<std::size_t>(by / 32), size = x.parts.size();
    const int count = by % 32;
    const Part right = gpu::constant(static_cast<std::uint64_t>(count));
    if (first >= size) return {{part(x, first)}, range_of(x, first)};
    const std::size_t end = std::min(first + parts_of(width), size);
    Number z;
    for (std::size_t i = first; i < end; ++i)
        z.parts.push_back(count == 0     ? x.parts[i]
                          : i + 1 < size ? code_.make("shf.r.wrap.b32", {x.parts[i], x.parts[i + 1], right})
                                         : code_.make(x.top.low < 0 ? "shr.s32" : "shr.u32", {x.parts[i], right}));
    z.top = end == size ? Range{x.top.low >> count, x.top.high >> count} : Range{0, most};
    return trimmed(std::move(z));
}

// ---- by amounts that vary

/// Whether a bit of an amount is set, as a predicate.
std::string Numbers::has_bit(const Part& amount, std::size_t bit) {
    return code_.make(Code::Kind::predicate, "setp.ne.u32", {code_.make("and.b32", {amount, gpu::constant(bit)}), "0"});
}

/// Moves whole parts: by the bits of the amount above the lowest five, one after the other, the lowest first, since
/// what is narrow stays so the longest.
void Numbers::move_parts(std::vector<Part>& parts, const Number& by, bool left) {
    const std::size_t n = parts.size();
    const auto largest = static_cast<std::size_t>(by.top.high);
    std::size_t step = 1;
    for (; step < n && 32 * step <= largest; step *= 2) {
        const std::string moves = has_bit(by.parts[0], 32 * step);
        std::vector<Part> after(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool inside = left ? i >= step : i + step < n;
            after[i] = code_.make("selp.b32", {inside ? parts[left ? i - step : i + step] : "0", parts[i], moves});
        }
        parts = std::move(after);
    }
    if (32 * step > largest) return;
    const std::string stays = // nothing is left of more parts than there are
        code_.make(Code::Kind::predicate, "setp.lt.u32", {by.parts[0], gpu::constant(32 * step)});
    for (Part& part : parts) part = code_.make("selp.b32", {part, "0", stays});
}

Number Numbers::shifted_left(const Number& x, const Number& by, int width) {
    const bool has_sign = x.top.low < 0;
    const std::size_t limit = parts_of(width);
    const auto bits = static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max(x.top.high, has_sign ? ~x.top.low : 0))));
    // Bits that the result can have, with its sign.
    const std::size_t longest =
        bits + 32 * (x.parts.size() - 1) + static_cast<std::size_t>(by.top.high) + (has_sign ? 1 : 0);
    const std::size_t n = std::min(limit, std::max<std::size_t>(1, (longest + 31) / 32));
    Number z{{}, {0, most}};
    if (longest <= 32 * n) { // the last part has those above 32(n − 1)
        const auto above = static_cast<int>(longest - 32 * (n - 1)) - (has_sign ? 1 : 0);
        z.top = {has_sign ? -(std::int64_t{1} << above) : 0, (std::int64_t{1} << above) - 1};
        if (n == 1 && !has_sign) z.top.high = x.top.high << by.top.high;
    }
    if (n == 1) {
        z.parts = {code_.make("shl.b32", {x.parts[0], by.parts[0]})};
        return z;
    }
    if (n == 2) {
        z.parts = wide("shl.b64", {code_.pack(part(x, 0), part(x, 1)), by.parts[0]});
        return z;
    }
    const Part count = code_.make("and.b32", {by.parts[0], "31"});
    for (std::size_t i = 0; i < n; ++i)
        z.parts.push_back(i == 0 ? code_.make("shl.b32", {part(x, i), count})
                                 : code_.make("shf.l.wrap.b32", {part(x, i - 1), part(x, i), count}));
    move_parts(z.parts, by, true);
    return z;
}

Number Numbers::shifted_right(const Number& x, const Number& by) {
    const std::size_t n = x.parts.size();
    if (n == 1)
        return {{code_.make("shr.u32", {x.parts[0], by.parts[0]})},
                {0, x.top.high >> std::min<std::int64_t>(by.top.low, 32)}};
    Number z{{}, {0, x.top.high}};
    if (n == 2) {
        z.parts = wide("shr.u64", {code_.pack(x.parts[0], x.parts[1]), by.parts[0]});
        return z;
    }
    const Part count = code_.make("and.b32", {by.parts[0], "31"});
    for (std::size_t i = 0; i < n; ++i)
        z.parts.push_back(i + 1 == n ? code_.make("shr.u32", {x.parts[i], count})
                                     : code_.make("shf.r.wrap.b32", {x.parts[i], x.parts[i + 1], count}));
    move_parts(z.parts, by, false);
    return z;
}

// ---- until the highest bit is set

/// Zeros that lead in a register; 31 of 0.
Part Numbers::zeros_of(const Part& x) {
    return code_.make(Code::Kind::narrow, "bfind.shiftamt.u32", {code_.make("or.b32", {x, "1"})});
}

Numbers::Normalised Numbers::normalised(const Number& x, int width) {
    const std::size_t n = parts_of(width);
    const int unused = 32 * static_cast<int>(n) - width; // bits of the last part
    if (x.parts.size() == 1) {
        Number word{std::vector<Part>(n - 1, "0"), {0, most}};
        const Number zeros{{zeros_of(x.parts[0])}, {32 - std::min(width, 32), 31}};
        word.parts.push_back(code_.make("shl.b32", {x.parts[0], zeros.parts[0]}));
        return {word,
                sum(zeros,
                    {{gpu::constant(static_cast<std::uint64_t>(std::int64_t{width} - 32))}, {width - 32, width - 32}},
                    32)};
    }
    if (n == 2) {
        const std::string some = code_.pack(code_.make("or.b32", {x.parts[0], "1"}), x.parts[1]);
        const Number zeros{{code_.make(Code::Kind::narrow, "bfind.shiftamt.u64", {some})}, {unused, 63}};
        return {{wide("shl.b64", {code_.pack(x.parts[0], x.parts[1]), zeros.parts[0]}), {0, most}},
                sum(zeros, constant(static_cast<std::uint64_t>(unused)), 32, true)};
    }
    Number y = joined(x, constant(0), unused, 32 * static_cast<int>(n));
    const std::size_t size = y.parts.size();
    Number zeros = constant(32 * (n - size));
    for (std::size_t step = std::bit_floor(size - 1); step > 0; step /= 2) {
        Part above = "0";
        for (std::size_t i = size - step; i < size; ++i) above = code_.make("or.b32", {above, y.parts[i]});
        const std::string moves = code_.make(Code::Kind::predicate, "setp.eq.u32", {above, "0"});
        std::vector<Part> after(size);
        for (std::size_t i = 0; i < size; ++i)
            after[i] = code_.make("selp.b32", {i >= step ? y.parts[i - step] : "0", y.parts[i], moves});
        y.parts = std::move(after);
        zeros = sum(zeros, chosen(moves, constant(32 * step), constant(0), 32), 32);
    }
    const Part rest = zeros_of(y.parts.back());
    Number word{std::vector<Part>(n - size, "0"), {0, most}};
    for (std::size_t i = 0; i < size; ++i)
        word.parts.push_back(i == 0 ? code_.make("shl.b32", {y.parts[i], rest})
                                    : code_.make("shf.l.wrap.b32", {y.parts[i - 1], y.parts[i], rest}));
    return {word, sum(zeros, {{rest}, {0, 31}}, 32)};
}

} // namespace discern::gpu
