// What a gfx1151 (RDNA3.5) gives for V_DOT2, reported in a public issue (ROCm/rocm-systems 12056) as bit patterns: a
// sum of three terms whose products are negated one place of the grid too far where they oppose the accumulator's sign;
// and bf16 operands that are flushed before they are multiplied, while products are not.

#include "dot.hpp"
#include "published.hpp"

namespace discern::published {

Collection frame_of_rdna35() {
    Collection table{.title = "The sign of the accumulator (V_DOT2 of a gfx1151)",
                     .story =
                         "-1 + 3*8 + 8*4 came out as 55.0000038 where 1 + 3*8 + 8*4 is 57 exactly: the products are\n"
                         "inverted where they should be negated, and the error is two places of a grid 24 below the\n"
                         "largest exponent. A subnormal bf16 operand counts as zero, a product as small does not.",
                     .notation = "%.9g",
                     .results = {}};
    const auto add = [&](const std::string& subject, const std::string& unit, double computed, double published,
                         std::optional<double> contradiction = {}) {
        table.results.push_back({.subject = subject,
                                 .unit = unit,
                                 .computed = computed,
                                 .published = published,
                                 .contradiction = contradiction,
                                 .remark = contradiction ? "refuted by the measurement" : ""});
    };
    const Format& f32 = format(FormatId::f32);
    const double last_place = 0x1p-18; // of 55: 425c0001 is one more
    const auto of_f16 = [&](double c, const std::string& overrides, double published,
                            std::optional<double> contradiction = {}) {
        const std::string unit = "rdna35/v_dot2_f32_f16" + overrides;
        add((c < 0 ? "-1" : "1") + std::string(" + 3*8 + 8*4"), unit, dot(unit, {3, 8}, {8, 4}, c), published,
            contradiction);
    };
    of_f16(1, "", number(f32, 0x42640000));
    of_f16(-1, "", 55 + last_place);
    of_f16(-1, "{frame=none}", 55 + last_place, 55);
    of_f16(-1, "{F=23}", 55 + last_place, 55 + 2 * last_place);
    of_f16(-1, "{F=25}", 55 + last_place, 55);
    const auto of_bf16 = [&](const std::string& subject, std::uint64_t a, std::uint64_t b, const std::string& overrides,
                             std::uint64_t published, std::optional<double> contradiction = {}) {
        const std::string unit = "rdna35/v_dot2_f32_bf16" + overrides;
        add(subject, unit, dot_of_patterns(unit, {a}, {b}, 0), number(f32, published), contradiction);
    };
    of_bf16("2^-133 * 2^20", 0x0001, 0x4980, "", 0x00000000);
    of_bf16("2^-133 * 2^20", 0x0001, 0x4980, "{ftz=out}", 0x00000000, 0x1p-113);
    of_bf16("2^-113 * 1", 0x0700, 0x3f80, "", 0x07000000);
    return table;
}

} // namespace discern::published
