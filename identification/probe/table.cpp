// Our features in the columns of Li et al., Table III.
#include "probe.hpp"

#include <algorithm>
#include <array>

namespace discern {

namespace {

struct Word {
    std::string_view ours, theirs;
};
constexpr std::array<Word, 4> modes = {{{"rz", "truncate"}, {"rne", "RTN-TE"}, {"ru", "up"}, {"rd", "down"}}};

/// A rounding mode in their words; others keep ours.
std::string mode_of(const std::string& ours) {
    for (const Word& word : modes)
        if (word.ours == ours) return std::string(word.theirs);
    return ours;
}

std::string handled(const std::string& one, const std::string& other) {
    if (one == "kept" && other == "kept") return "yes";
    return one.starts_with("flushed") || other.starts_with("flushed") ? "no" : "?";
}

/// Their width counts what is added before anything is rounded.
bool rounds_within(const std::string& order) {
    constexpr std::array<std::string_view, 5> within = {"pairs", "halving strides", "one by one", "two chains",
                                                        "steps"};
    return std::ranges::find(within, order) != within.end();
}

} // namespace

std::vector<std::pair<std::string_view, std::string>> table_row(const Shape& shape, const ProbeReport& report) {
    const auto value = [&](std::string_view key) { return report.value_of(key, "?"); };
    const std::string order = value("order");
    const bool single = order == "single" || rounds_within(order);
    const bool half = shape.d == FormatId::f16 || shape.d == FormatId::bf16;
    const std::string rounding = value("output_rounding");
    const std::string product = value("product_rounding");
    const bool full_inputs = shape.a == FormatId::f32 || shape.a == FormatId::f64;
    return {
        {"subnormal inputs handled", handled(value("subnormal_a"), value("subnormal_b"))},
        {"subnormal outputs handled", handled(value("subnormal_d"), value("subnormal_d"))},
        {"extra bits", value("extra_bits")},
        {"rounding mode", mode_of(half ? value("alignment_rounding") : rounding)},
        {"FMA unit width", single ? "1" : value("block_width")},
        {"order controllable", order == "?" ? "?"
                               : single     ? "N.A."
                                            : "no"},
        {"rounding to FP16/BF16", half ? mode_of(rounding) : "N.A."},
        {"rounding of products", !full_inputs        ? "N.A."
                                 : product == "none" ? mode_of(rounding)
                                                     : product},
    };
}

} // namespace discern
