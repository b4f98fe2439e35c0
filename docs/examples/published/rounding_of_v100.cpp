// Fasi, Higham, Mikaitis, Pranesh: what a V100 does with dot products of four, fp16 into fp32.

#include "dot.hpp"
#include "published.hpp"

namespace discern::published {

Collection rounding_of_v100() {
    Collection table{.title = "How a V100 rounds (Fasi et al., poster)",
                     .story =
                         "Four small experiments: the sum is cut toward zero, every term is cut against the largest\n"
                         "one whatever the order, and products keep all their bits.",
                     .notation = "%.17g",
                     .results = {}};
    const auto add = [&](const std::string& subject, const std::vector<double>& a, const std::vector<double>& b,
                         double c, double published) {
        const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
        table.results.push_back({.subject = subject,
                                 .unit = unit,
                                 .computed = dot(unit, a, b, c),
                                 .published = published,
                                 .contradiction = {},
                                 .remark = {}});
    };
    const std::vector<double> ones(4, 1.0);
    const double excess = 0x1p-23 + 0x1p-24; // three quarters of a unit in the last place of 2
    add("2 + (2^-23 + 2^-24)", ones, {2, excess}, 0, 2);
    add("-2 - (2^-23 + 2^-24)", ones, {-2, -excess}, 0, -2);
    for (std::size_t one = 0; one < 5; ++one) {
        std::vector<double> terms(5, 0x1p-24);
        terms[one] = 1;
        const double c = terms.back();
        terms.pop_back();
        add("1 and four 2^-24, 1 " + (one < 4 ? "in product " + std::to_string(one) : std::string("in c")), ones, terms,
            c, 1);
    }
    // The square of 1 − 2^-11 is 1 − 2^-10 + 2^-22; rounded to binary16 it would lose its last term. (The poster's text
    // prints the last sign as a minus.)
    const std::vector<double> below_one(4, 1 - 0x1p-11);
    add("four times (1 - 2^-11)^2", below_one, below_one, 0, 4 * (1 - 0x1p-10 + 0x1p-22));
    return table;
}

} // namespace discern::published
