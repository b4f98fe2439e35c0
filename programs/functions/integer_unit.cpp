#include "integer_unit.hpp"

#include "models/unit/sentence.hpp"
#include "programs/graph/graph.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace discern::programs {

namespace {

constexpr std::string_view prefix = "integers.k";

std::int64_t value_of(std::uint64_t pattern, IntegerFormat format) {
    const std::uint64_t mask = (std::uint64_t(1) << format.bits) - 1;
    return format.is_signed ? with_sign(pattern, format.bits) : static_cast<std::int64_t>(pattern & mask);
}

IntegerFormat format_of(std::string_view name) { return {static_cast<unsigned>(name[1] - '0'), name[0] == 's'}; }

} // namespace

std::uint32_t IntegerUnit::operator()(std::span<const std::uint64_t> row, std::span<const std::uint64_t> column,
                                      std::uint32_t c) const {
    std::int64_t sum = static_cast<std::int32_t>(c);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::int64_t x = value_of(row[i], a), y = value_of(column[i], b);
        sum += product == Product::times ? x * y : product == Product::conjunction ? x & y : x ^ y;
        if (saturates && (i + 1) % k == 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    }
    return static_cast<std::uint32_t>(sum);
}

std::string integer_unit_name(std::size_t k, std::string_view a, std::string_view b, std::string_view modifier) {
    return sentence(prefix, k, ".s32.", a, ".", b, modifier.empty() ? "" : ".", modifier);
}

std::optional<IntegerUnit> integer_unit(std::string_view name) {
    if (!name.starts_with(prefix)) return std::nullopt;
    std::vector<std::string_view> parts;
    for (std::size_t at = prefix.size(); at <= name.size();) {
        const std::size_t end = std::min(name.find('.', at), name.size());
        parts.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    IntegerUnit unit;
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), unit.k);
    unit.a = format_of(parts[2]);
    unit.b = format_of(parts[3]);
    const std::string_view modifier = parts.size() > 4 ? parts[4] : "";
    unit.saturates = modifier == "satfinite";
    if (modifier == "and") unit.product = IntegerUnit::Product::conjunction;
    if (modifier == "xor") unit.product = IntegerUnit::Product::difference;
    return unit;
}

} // namespace discern::programs
