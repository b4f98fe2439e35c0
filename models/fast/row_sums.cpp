#include "row_sums.hpp"

#include <array>
#include <bit>
#include <type_traits>

namespace discern::fast {

namespace {

template <class Float>
using Word = std::conditional_t<std::is_same_v<Float, float>, std::uint32_t, std::uint64_t>;

template <class Float>
Float number(const void* from, std::size_t i) {
    return std::bit_cast<Float>(static_cast<const Word<Float>*>(from)[i]);
}

template <class To>
void put(void* to, std::size_t i, To value, std::uint64_t nan) {
    static_cast<Word<To>*>(to)[i] = value == value ? std::bit_cast<Word<To>>(value) : static_cast<Word<To>>(nan);
}

/// The sum is exact but for one rounding: To has every number of X and of Y.
template <class X, class Y, class To>
void add(const void* x, const void* y, void* to, std::size_t count, std::uint64_t nan) {
    if (x == nullptr)
        for (std::size_t i = 0; i < count; ++i) put<To>(to, i, To{0} + static_cast<To>(number<Y>(y, i)), nan);
    else if (y == nullptr)
        for (std::size_t i = 0; i < count; ++i) put<To>(to, i, static_cast<To>(number<X>(x, i)) + To{0}, nan);
    else
        for (std::size_t i = 0; i < count; ++i)
            put<To>(to, i, static_cast<To>(number<X>(x, i)) + static_cast<To>(number<Y>(y, i)), nan);
}

template <class X, class To>
void convert(const void* x, const void* /*y*/, void* to, std::size_t count, std::uint64_t nan) {
    for (std::size_t i = 0; i < count; ++i)
        put<To>(to, i, x == nullptr ? To{0} : static_cast<To>(number<X>(x, i)), nan);
}

struct Row {
    FormatId x;
    std::optional<FormatId> y;
    FormatId to;
    RowSum sum;
};
constexpr FormatId f32 = FormatId::f32, f64 = FormatId::f64;
constexpr auto table = std::to_array<Row>({
    {f32, f32, f32, add<float, float, float>},
    {f32, f32, f64, add<float, float, double>},
    {f32, f64, f64, add<float, double, double>},
    {f64, f32, f64, add<double, float, double>},
    {f64, f64, f64, add<double, double, double>},
    {f32, std::nullopt, f64, convert<float, double>},
    {f64, std::nullopt, f32, convert<double, float>},
});

} // namespace

RowSum row_sum(FormatId x, std::optional<FormatId> y, FormatId to, Rounding mode) {
    if (mode != Rounding::rne) return nullptr;
    for (const Row& row : table)
        if (row.x == x && row.y == y && row.to == to) return row.sum;
    return nullptr;
}

} // namespace discern::fast
