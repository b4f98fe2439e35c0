#include "limits.hpp"

#include "draw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace discern::claims {

namespace {

struct NamedOperand {
    std::string_view name;
    const Format& format;
};

std::vector<NamedOperand> operands(const Unit& unit) {
    std::vector<NamedOperand> rows = {{"a", format(unit.a)}, {"b", format(unit.b)}};
    if (unit.scale)
        for (const char* const name : {"sa", "sb"}) rows.push_back({name, format(unit.scale->format)});
    if (unit.c) rows.push_back({"c", format(*unit.c)});
    return rows;
}

/// Of a number that is not zero: that of its first digit, but no less than those of normal numbers; of fixed point one.
int exponent_of(const Format& f, double x) {
    return f.is_fixed_point() ? f.emin() : std::max(std::ilogb(std::fabs(x)), f.emin());
}

std::string text_of(double x) {
    std::array<char, 40> text{};
    if (std::fabs(x) < 1e6 && x == std::nearbyint(x)) return std::to_string(static_cast<int>(x));
    std::snprintf(text.data(), text.size(), "%a", x); // in decimal it may have a hundred digits
    return text.data();
}

/// A number of the format, or one between two of them.
double some_number(Random& random, const Format& f) {
    double x = to_double(f, random.bits() & f.mask());
    if (random.one_in(4)) x = std::ldexp(1.0, random.one_in(2) ? f.emin() : f.lsb());
    if (random.one_in(8)) x = 0;
    if (!std::isfinite(x)) x = 1;
    if (random.one_in(4)) x += std::ldexp(random.one_in(2) ? 0.5 : -0.5, f.lsb());
    return x;
}

std::string values_of_one(Random& random, const NamedOperand& row) {
    double low = some_number(random, row.format), high = random.one_in(3) ? low : some_number(random, row.format);
    if (low > high) std::swap(low, high);
    return std::string(row.name) + ":" + text_of(low) + ".." + text_of(high);
}

std::string exponents_of_one(Random& random, const NamedOperand& row) {
    const Format& f = row.format;
    const int from = random.between(f.emin() - 1, f.emax() + 1), more = random.one_in(2) ? 0 : random.below(4);
    std::string low = std::to_string(from), high = std::to_string(from + more);
    if (random.one_in(4)) high = "2147483647";
    if (random.one_in(4)) low = "-2147483648";
    return std::string(row.name) + ":" + low + ".." + high;
}

} // namespace

ReadLimits::ReadLimits(const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        std::istringstream words(option);
        std::string name, all;
        words >> name >> all;
        finite_ = finite_ || name == "--finite";
        normal_ = normal_ || name == "--no-subnormals";
        if (name != "--range" && name != "--values") continue;
        std::istringstream items(all);
        for (std::string item; std::getline(items, item, ',');) {
            const std::size_t colon = item.find(':'), dots = item.find("..");
            intervals_.push_back({item.substr(0, colon), std::stod(item.substr(colon + 1)),
                                  std::stod(item.substr(dots + 2)), name == "--range"});
        }
    }
}

bool ReadLimits::passes(const Format& f, std::string_view operand, std::uint64_t pattern) const {
    const double x = to_double(f, pattern);
    const bool is_number = std::isfinite(x);
    if (finite_ && !is_number) return false;
    if (normal_ && f.has_subnormals() && x != 0 && std::fabs(x) < std::ldexp(1.0, f.emin())) return false;
    return std::all_of(intervals_.begin(), intervals_.end(), [&](const Interval& one) {
        if (one.operand != operand) return true;
        if (!is_number) return false;
        if (!one.of_exponents) return one.low <= x && x <= one.high;
        return x == 0 || (one.low <= exponent_of(f, x) && exponent_of(f, x) <= one.high);
    });
}

bool ReadLimits::pass(const Unit& unit, const Inputs& in) const {
    const auto all = [&](FormatId id, std::string_view name, std::span<const std::uint64_t> patterns) {
        return std::all_of(patterns.begin(), patterns.end(),
                           [&](std::uint64_t pattern) { return passes(format(id), name, pattern); });
    };
    if (!all(unit.a, "a", in.a) || !all(unit.b, "b", in.b)) return false;
    if (unit.scale && (!all(unit.scale->format, "sa", in.sa) || !all(unit.scale->format, "sb", in.sb))) return false;
    return !unit.c || passes(format(*unit.c), "c", in.c);
}

std::string ReadLimits::empty_operand(const Unit& unit) const {
    for (const Interval& one : intervals_) {
        const bool is_scale = one.operand == "sa" || one.operand == "sb";
        if ((is_scale && !unit.scale) || (one.operand == "c" && !unit.c))
            throw std::runtime_error("limits of an operand that there is not");
    }
    for (const NamedOperand& row : operands(unit)) {
        bool some = false;
        for (std::uint64_t pattern = 0; pattern <= row.format.mask() && !some; ++pattern)
            some = passes(row.format, row.name, pattern);
        if (!some) return std::string(row.name);
    }
    return "";
}

std::vector<std::string> draw_limits(Random& random, const Unit& unit, bool exponents) {
    const std::vector<NamedOperand> rows = operands(unit);
    std::vector<std::string> options;
    if (random.one_in(4)) options.emplace_back("--finite");
    if (random.one_in(3)) options.emplace_back("--no-subnormals");
    // Often of one operand, so that they meet.
    const NamedOperand& often = any_of(random, rows);
    std::string values, ranges;
    for (const NamedOperand& row : rows) {
        const bool is_often = &row == &often;
        if (random.one_in(is_often ? 2 : 4)) values += (values.empty() ? "" : ",") + values_of_one(random, row);
        if (exponents && random.one_in(is_often ? 2 : 4))
            ranges += (ranges.empty() ? "" : ",") + exponents_of_one(random, row);
    }
    if (exponents && random.one_in(8)) ranges += (ranges.empty() ? "" : ",") + exponents_of_one(random, often);
    if (!values.empty()) options.push_back("--values " + values);
    if (!ranges.empty()) options.push_back("--range " + ranges);
    if (options.empty()) options.emplace_back("--finite");
    return options;
}

} // namespace discern::claims
