// Numbers: sums, products, choices and comparisons. Shifts are in shifts.cpp.
#include "numbers.hpp"

#include <algorithm>
#include <bit>

namespace discern::gpu {

namespace {

constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;

/// A number 0 … 2^n − 1, or −2^n … 2^n − 1, that has all numbers of these ranges.
Range of_bits(Range x, Range y) {
    const auto bits = [](std::int64_t v) { return std::bit_width(static_cast<std::uint64_t>(v < 0 ? ~v : v)); };
    const auto most = std::max(std::max(bits(x.low), bits(x.high)), std::max(bits(y.low), bits(y.high)));
    const std::int64_t above = std::int64_t{1} << most;
    return {std::min(x.low, y.low) < 0 ? -above : 0, above - 1};
}

} // namespace

Number Numbers::constant(std::uint64_t value) {
    Number x{{gpu::constant(value)}, {}};
    if (value >> 32 != 0) x.parts.push_back(gpu::constant(value >> 32));
    x.top.low = x.top.high = static_cast<std::int64_t>(value >> 32 != 0 ? value >> 32 : value);
    return x;
}

Number Numbers::whole(const Part& part) { return {{part}, {0, two_to_32 - 1}}; }

Range Numbers::range_of(const Number& x, std::size_t i) {
    if (i + 1 < x.parts.size()) return {0, two_to_32 - 1};
    if (i + 1 == x.parts.size()) return x.top;
    return {x.top.low < 0 ? -1 : 0, x.top.high < 0 ? -1 : 0};
}

Part Numbers::part(const Number& x, std::size_t i) {
    if (i < x.parts.size()) return x.parts[i];
    if (x.top.low >= 0) return "0";
    if (x.top.low >= -1 && x.top.high <= 0) return x.parts.back(); // a mask
    return code_.make("shr.s32", {x.parts.back(), "31"});
}

/// Where a register cannot say which number of the range it holds, the word has no more parts, and it does not matter.
Number Numbers::ranged(std::vector<Part> parts, Range top) {
    return {std::move(parts), fits(top) ? top : Range{0, two_to_32 - 1}};
}

std::vector<Part> Numbers::wide(std::string_view operation, std::initializer_list<std::string_view> operands) {
    const auto [low, high] = code_.unpack(code_.make(Code::Kind::wide, operation, operands));
    return {low, high};
}

/// As many parts as it takes that the range of the last one can be said, which `top` gives for each.
template <typename Top>
std::size_t Numbers::parts_for(std::size_t n, int width, const Top& top) {
    while (!fits(top(n - 1)) && n < parts_of(width)) ++n;
    return n;
}

Number Numbers::without_sign(const Number& x, int width) {
    const std::size_t n = parts_of(width);
    if (x.top.low >= 0 && x.parts.size() < n) return x;
    Number y = x;
    while (y.parts.size() < n) y.parts.push_back(part(x, y.parts.size()));
    const std::int64_t above = std::int64_t{1} << (width - 32 * static_cast<int>(n - 1));
    if (x.parts.size() == n && x.top.low >= 0 && x.top.high < above) return x;
    y.top = {0, above - 1};
    y.parts.back() = code_.make("and.b32", {y.parts.back(), gpu::constant(static_cast<std::uint64_t>(above - 1))});
    return y;
}

Number Numbers::with_sign(const Number& x, int width) {
    const std::size_t n = parts_of(width);
    const int bits = width - 32 * static_cast<int>(n - 1);
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    if (x.parts.size() < n || (x.top.low >= -half && x.top.high < half)) return x;
    Number y = x;
    y.top = {-half, half - 1};
    if (bits == 32) return y;
    const Part count = gpu::constant(static_cast<std::uint64_t>(32 - bits));
    y.parts.back() = code_.make("shr.s32", {code_.make("shl.b32", {y.parts.back(), count}), count});
    return y;
}

bool Numbers::sum_fits(const Number& x, const Number& y, bool minus) {
    return x.parts.size() == 1 && y.parts.size() == 1 &&
           fits(minus ? Range{x.top.low - y.top.high, x.top.high - y.top.low}
                      : Range{x.top.low + y.top.low, x.top.high + y.top.high});
}

Number Numbers::sum(const Number& x, const Number& y, int width, bool minus) {
    std::size_t n = std::max(x.parts.size(), y.parts.size());
    const auto range = [&](std::size_t i) {
        const Range a = range_of(x, i), b = range_of(y, i);
        const int carry = i > 0 ? 1 : 0;
        return minus ? Range{a.low - b.high - carry, a.high - b.low} : Range{a.low + b.low, a.high + b.high + carry};
    };
    n = parts_for(n, width, range);
    const Range top = range(n - 1);
    std::size_t first = 0; // nothing is carried out of parts below which one has zeros
    std::vector<Part> parts;
    while (first + 1 < n && part(y, first) == "0") parts.push_back(part(x, first++));
    while (first + 1 < n && !minus && part(x, first) == "0") parts.push_back(part(y, first++));
    const std::string_view name = minus ? "sub" : "add";
    if (first + 1 == n) {
        parts.push_back(code_.make(std::string(name) + ".u32", {part(x, first), part(y, first)}));
        return ranged(std::move(parts), top);
    }
    std::string text;
    for (std::size_t i = first; i < n; ++i)
        text += std::string(i == first ? "" : ";\n    ") + std::string(name) + (i == first ? "" : "c") +
                (i + 1 < n ? ".cc" : "") + ".u32 $" + std::to_string(i - first) + ", " + part(x, i) + ", " + part(y, i);
    const std::vector<std::string> made = code_.several(text, Code::Kind::narrow, n - first);
    parts.insert(parts.end(), made.begin(), made.end());
    return ranged(std::move(parts), top);
}

Number Numbers::product(const Number& x, const Number& y, int width) {
    const std::size_t limit = parts_of(width), nx = x.parts.size(), ny = y.parts.size();
    // x·y < (top of x + 1) · (top of y + 1) · 2^(32 · the parts below)
    const auto most = static_cast<std::uint64_t>(x.top.high) + 1, other = static_cast<std::uint64_t>(y.top.high) + 1;
    const auto high_most = static_cast<std::uint64_t>(two_to_32 - 1);
    const bool narrow = most <= high_most && other <= high_most && most * other <= high_most + 1;
    const std::size_t n = std::min(limit, nx + ny - (narrow ? 1 : 0));
    Range top{0, two_to_32 - 1};
    if (n == nx + ny - 1 && narrow) top.high = static_cast<std::int64_t>(most * other) - 1;
    if (n == nx + ny && most <= high_most && other <= high_most)
        top.high = static_cast<std::int64_t>((most * other - 1) >> 32);
    if (n == 1) {
        if (narrow && nx == 1 && ny == 1) top.high = x.top.high * y.top.high;
        return {{code_.make("mul.lo.u32", {x.parts[0], y.parts[0]})}, top};
    }
    Number z = constant(0);
    for (std::size_t i = 0; i < nx; ++i)
        for (std::size_t j = 0; j < ny && i + j < n; ++j) {
            if (x.parts[i] == "0" || y.parts[j] == "0") continue;
            Number term{std::vector<Part>(i + j, "0"), {0, two_to_32 - 1}};
            if (i + j + 1 == n) {
                term.parts.push_back(code_.make("mul.lo.u32", {x.parts[i], y.parts[j]}));
            } else {
                const std::vector<Part> both = wide("mul.wide.u32", {x.parts[i], y.parts[j]});
                term.parts.insert(term.parts.end(), both.begin(), both.end());
            }
            z = sum(z, term, static_cast<int>(32 * n));
        }
    while (z.parts.size() < n) z.parts.emplace_back("0");
    z.top = top;
    return z;
}

Number Numbers::extreme(std::string_view operation, const Number& x, const Number& y, int width) {
    const bool largest = operation == "max";
    if (x.parts.size() > 1 || y.parts.size() > 1) return chosen(less(x, y), largest ? y : x, largest ? x : y, width);
    const Range top = largest ? Range{std::max(x.top.low, y.top.low), std::max(x.top.high, y.top.high)}
                              : Range{std::min(x.top.low, y.top.low), std::min(x.top.high, y.top.high)};
    return {{code_.make(std::string(operation) + ".u32", {x.parts[0], y.parts[0]})}, top};
}

// ---- bits

Number Numbers::bitwise(std::string_view operation, const Number& x, const Number& y, int width) {
    const bool shrinks = operation == "and"; // above a number without a sign nothing is left
    std::size_t n = std::max(x.parts.size(), y.parts.size());
    if (shrinks && x.top.low >= 0) n = x.parts.size();
    if (shrinks && y.top.low >= 0) n = std::min(n, y.parts.size());
    const auto top = [&](std::size_t i) {
        const Range a = range_of(x, i), b = range_of(y, i);
        if (shrinks && (a.low >= 0 || b.low >= 0))
            return Range{0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
        return of_bits(a, b);
    };
    n = parts_for(n, width, top);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < n; ++i)
        parts.push_back(code_.make(std::string(operation) + ".b32", {part(x, i), part(y, i)}));
    return ranged(std::move(parts), top(n - 1));
}

template <typename Choice>
Number Numbers::either(const Number& x, const Number& y, int width, const Choice& choice) {
    const auto top = [&](std::size_t i) {
        const Range a = range_of(x, i), b = range_of(y, i);
        return Range{std::min(a.low, b.low), std::max(a.high, b.high)};
    };
    const std::size_t n = parts_for(std::max(x.parts.size(), y.parts.size()), width, top);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < n; ++i) parts.push_back(choice(part(x, i), part(y, i)));
    return ranged(std::move(parts), top(n - 1));
}

Number Numbers::chosen(const std::string& predicate, const Number& x, const Number& y, int width) {
    return either(x, y, width, [&](const Part& yes, const Part& no) {
        return code_.make("selp.b32", {yes, no, predicate});
    });
}

Number Numbers::chosen_by_mask(const Part& mask, const Number& x, const Number& y, int width) {
    return either(x, y, width, [&](const Part& yes, const Part& no) {
        if (yes == no) return yes;
        if (no == "0") return code_.make("and.b32", {yes, mask});
        if (yes == "0") return code_.make("and.b32", {no, code_.make("not.b32", {mask})});
        return code_.make(Code::Kind::narrow, "lop3.b32", {mask, yes, no, "202"}); // m & x | ~m & y
    });
}

// ---- comparisons

std::string Numbers::less(const Number& x, const Number& y) {
    const std::size_t n = std::max(x.parts.size(), y.parts.size());
    if (n == 1) return code_.make(Code::Kind::predicate, "setp.lt.u32", {x.parts[0], y.parts[0]});
    if (n == 2)
        return code_.make(Code::Kind::predicate, "setp.lt.u64",
                          {code_.pack(part(x, 0), part(x, 1)), code_.pack(part(y, 0), part(y, 1))});
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += std::string(i == 0 ? "sub" : "subc") + ".cc.u32 $" + std::to_string(i) + ", " + part(x, i) + ", " +
                part(y, i) + ";\n    ";
    text += "subc.u32 $" + std::to_string(n) + ", 0, 0";
    return code_.make(Code::Kind::predicate, "setp.ne.u32",
                      {code_.several(text, Code::Kind::narrow, n + 1).back(), "0"});
}

std::string Numbers::equal(const Number& x, const Number& y) {
    const std::size_t n = std::max(x.parts.size(), y.parts.size());
    if (n == 1) return code_.make(Code::Kind::predicate, "setp.eq.u32", {x.parts[0], y.parts[0]});
    Part differing = "0";
    for (std::size_t i = 0; i < n; ++i)
        differing = code_.make("or.b32", {differing, code_.make("xor.b32", {part(x, i), part(y, i)})});
    return code_.make(Code::Kind::predicate, "setp.eq.u32", {differing, "0"});
}

} // namespace discern::gpu
