#include "distance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace discern::cli {

namespace {

std::string range_of(std::size_t bucket) {
    if (bucket == 64) return "more";
    const std::uint64_t last = std::uint64_t{1} << bucket;
    return bucket < 2 ? fmt::format("{}", last) : fmt::format("{}-{}", last / 2 + 1, last);
}

std::string line_of(const Apart& apart) {
    std::string text = fmt::format("{} apart", apart.finite);
    if (apart.finite > 0) {
        text += fmt::format(": at most {} ulp, {:.3g} on average", apart.most_ulps,
                            apart.sum_of_ulps / static_cast<double>(apart.finite));
        if (const std::uint64_t n = apart.finite - apart.from_zero; n > 0)
            text += fmt::format("; relative error at most {:.3g}, {:.3g} on average", apart.largest_relative,
                                apart.sum_of_relative / static_cast<double>(n));
        if (apart.from_zero > 0) text += fmt::format("; {} where it should be zero", apart.from_zero);
    }
    if (apart.zero_sign > 0) text += fmt::format("; sign of zero {}", apart.zero_sign);
    if (apart.special > 0) text += fmt::format("; infinite or NaN {}", apart.special);
    return text;
}

/// "4": 1, "5-8": 2: how many results are so many ulps apart, but for none.
Json histogram_of(const Apart& apart) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < apart.by_ulps.size(); ++i)
        if (apart.by_ulps[i] > 0) counts[range_of(i)] = apart.by_ulps[i];
    return counts;
}

} // namespace

Json json_of(const Apart& apart) {
    const auto n = static_cast<double>(std::max<std::uint64_t>(apart.finite, 1));
    const auto relative = static_cast<double>(std::max<std::uint64_t>(apart.finite - apart.from_zero, 1));
    return {
        {"numbers", apart.finite},
        {"zero_sign", apart.zero_sign},
        {"special", apart.special},
        {"ulp",
         {{"max", apart.most_ulps}, {"mean", number(apart.sum_of_ulps / n)}, {"histogram", histogram_of(apart)}}},
        {"relative", {{"max", number(apart.largest_relative)}, {"mean", number(apart.sum_of_relative / relative)}}}};
}

void Distances::add(std::uint64_t reference, std::uint64_t other, const std::string& family) {
    total_.add(*format_, reference, other);
    if (!family.empty()) by_family_[family].add(*format_, reference, other);
}

void Distances::print(std::ostream& out) const {
    if (empty()) return;
    out << line_of(total_) << '\n';
    if (total_.finite > 0) {
        out << "  ulp:";
        // Small distances one by one, large ones together.
        std::size_t begin = 0;
        for (const std::size_t end : {1u, 2u, 3u, 4u, 5u, 9u, 17u, 65u}) {
            std::uint64_t count = 0;
            for (std::size_t i = begin; i < end; ++i) count += total_.by_ulps[i];
            const std::uint64_t first = begin == 0 ? 1 : (std::uint64_t{1} << (begin - 1)) + 1;
            if (count > 0)
                out << (end == total_.by_ulps.size() ? fmt::format("  more: {}", count)
                        : end - begin == 1           ? fmt::format("  {}: {}", range_of(begin), count)
                                           : fmt::format("  {}-{}: {}", first, std::uint64_t{1} << (end - 1), count));
            begin = end;
        }
        out << '\n';
    }
    for (const auto& [family, apart] : by_family_) out << fmt::format("  {}: {}\n", family, line_of(apart));
}

Json Distances::json() const {
    Json all = json_of(total_);
    all["families"] = Json::object();
    for (const auto& [family, apart] : by_family_) all["families"][family] = json_of(apart);
    return all;
}

} // namespace discern::cli
