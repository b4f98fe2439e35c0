// A bf16 dot product of tiny numbers, measured on an H100 and reported in a public issue thread: K = 16, c = 0, result
// 0000000b. The products lie so far below the smallest normal number that the alignment must have a lower bound:
// without one, the sum is 0000000a. Of the bounds from −170 to −101, −133 gives what was measured, and so do −125 and
// −124; the published simulator for this architecture has −133. One vector refutes the others.

#include "dot.hpp"
#include "published.hpp"

namespace discern::published {

namespace {

const std::vector<std::uint64_t> a = {0x9b94, 0x19f3, 0x9a2e, 0x1a67, 0x9a25, 0x9b4e, 0x9b29, 0x9a33,
                                      0x99e0, 0x1a14, 0x9914, 0x99d1, 0x9ae9, 0x1b1a, 0x9a9c, 0x1b3a};
const std::vector<std::uint64_t> b = {0x9aaf, 0x99f3, 0x9acc, 0x1b7c, 0x19ed, 0x1b25, 0x9a1b, 0x9a20,
                                      0x9af7, 0x9a48, 0x1ae1, 0x1b32, 0x1b12, 0x1b0e, 0x9a68, 0x1735};
constexpr double smallest = 0x1p-149; // 00000001

} // namespace

Collection floor_of_h100() {
    Collection table{.title = "A floor under the exponents (measured on an H100)",
                     .story =
                         "Sixteen tiny bf16 products gave 0000000b, eleven times 2^-149. Models that align without a\n"
                         "lower bound, or with one that is a step off, give ten: one vector refutes them.",
                     .notation = "%a",
                     .results = {}};
    const std::string unit = "hopper/wgmma.m64n8k16.f32.bf16.bf16";
    const auto add = [&](const std::string& subject, const std::string& overrides,
                         std::optional<double> contradiction) {
        table.results.push_back({.subject = subject,
                                 .unit = unit + overrides,
                                 .computed = dot_of_patterns(unit + overrides, a, b, 0),
                                 .published = 11 * smallest,
                                 .contradiction = contradiction,
                                 .remark = contradiction ? "refuted by the measurement" : ""});
    };
    add("as in the catalogue", "", {});
    for (const char* possible : {"-133", "-125", "-124"})
        add("floor " + std::string(possible), "{floor=" + std::string(possible) + "}", {});
    for (const char* other : {"none", "-126", "-130", "-132", "-134"})
        add("floor " + std::string(other), "{floor=" + std::string(other) + "}", 10 * smallest);
    return table;
}

} // namespace discern::published
