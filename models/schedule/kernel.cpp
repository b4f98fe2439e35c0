// The conditions under which a schedule fits a unit and a length, and what follows from the three.
#include "models/kernel.hpp"

#include "models/error.hpp"
#include "models/unit/nan_rule.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"
#include "outline.hpp"

#include <algorithm>
#include <numeric>

namespace discern {

namespace schedules {
namespace {

constexpr std::size_t most_parts = 1 << 14;

[[noreturn]] void fail_fit(const std::string& what) { throw Error("schedule: " + what); }

/// "a multiple of the instruction's 16", or nothing special for an instruction of one product.
std::string instructions(int per) {
    return sentence("whole instructions of ", counted(static_cast<std::size_t>(per), "product"));
}

void require_whole(std::string_view key, int n, int per) {
    if (n % per != 0)
        fail_fit(sentence(key, "=", n, " is not a multiple of ", per, ", the K of the unit; ", instructions(per),
                          " are right"));
}

void require_lengths(std::string_view key, const std::vector<int>& list, int all, int per) {
    const auto sum = std::accumulate(list.begin(), list.end(), std::int64_t{0});
    if (sum != all)
        fail_fit(
            sentence(key, ": the lengths are ", sum, " in all, and there are ", all, " products; as many are right"));
    for (const int n : list) require_whole(key, n, per);
}

/// A format that sums can be rounded to.
void require_format_of_sums(std::string_view key, const Conversion& to) {
    const Format& f = format(to.format);
    if (f.is_fixed_point() || !f.is_signed || !f.has_nan() || !f.has_zero || to.format == FormatId::e8m13)
        fail_fit(
            sentence(key, ": numbers cannot be rounded to ", f.name, "; a floating-point format with NaN is right"));
}

class Fit {
  public:
    explicit Fit(const Kernel& kernel) : k_(kernel), s_(kernel.schedule), per_(kernel.unit.K) {}

    void check() const {
        const Unit& unit = k_.unit;
        if (k_.K < 1 || k_.K > longest_kernel)
            fail_fit(sentence("K=", k_.K, " is out of range: 1 to ", longest_kernel, " is right"));
        require_whole("K", k_.K, per_);
        if (unit.scale && per_ % unit.scale->block != 0 && k_.K != per_)
            fail_fit(sentence("the unit's scales are for ", unit.scale->block,
                              " products each, and an instruction has ", per_,
                              "; a unit whose instructions have whole blocks of scales is right"));
        if (s_.promote) {
            require_format_of_sums("promote", s_.promote->sum);
            require_whole("promote", s_.promote->every, per_);
        }
        if (s_ != Schedule{}) require_format_of_sums("reduce", k_.addition());
        if (s_.result) require_format_of_sums("d", *s_.result);
        if (s_.run) require_whole("run", *s_.run, per_);
        if (s_.kc.size() == 1) require_whole("kc", s_.kc.front(), per_);
        if (s_.kc_share) {
            require_whole("kc=n/m: m", *s_.kc_share, per_);
            if (s_.kc.size() != 1 || 2 * *s_.kc_share > s_.kc.front())
                fail_fit(sentence("kc=n/m shares what is left between two blocks in multiples of m, and m=",
                                  *s_.kc_share, " is more than half of a block; a smaller one is right"));
        }
        if (s_.kc.size() > 1) require_lengths("kc", s_.kc, k_.K, per_);
        for (const int length : block_lengths(s_, k_.K)) check_block(length);
        if (unit.nan.keeps_operands())
            for (const FormatId id : {k_.addition().format, k_.d(), s_.promote ? s_.promote->sum.format : unit.d})
                if (format(id).specials != Specials::ieee)
                    fail_fit(sentence("nan=", to_string(unit.nan, unit.d), " carries payloads, and ", format(id).name,
                                      " has only one NaN; IEEE formats are right"));
        check_chains();
    }

  private:
    void check_block(int length) const {
        if (s_.split.size() > 1)
            require_lengths("split", s_.split, length, per_);
        else if (!s_.split.empty() && (length / per_) % s_.split.front() != 0)
            fail_fit(sentence("split=", s_.split.front(), " does not divide ", length, " products into equal parts of ",
                              instructions(per_), "; another number, or lengths as in split=", first_half(length), "+",
                              length - first_half(length), ", is right"));
        std::size_t parts = 0;
        for (const int part : part_lengths(s_, length)) {
            const std::int64_t each = std::int64_t{part} / per_, run = s_.run.value_or(per_) / per_;
            const std::int64_t wide = std::int64_t{s_.lanes} * s_.unroll;
            if (each < std::int64_t{s_.slice} * wide || each < run * (s_.slice - 1) + wide)
                fail_fit(sentence("slice=", s_.slice, ", lanes=", s_.lanes, " and unroll=", s_.unroll, " need ",
                                  std::max(s_.slice * wide, run * (s_.slice - 1) + wide) * per_,
                                  " products or more, and a part has ", part, "; fewer are right"));
            parts += static_cast<std::size_t>(s_.slice * wide);
        }
        if (parts > most_parts)
            fail_fit(sentence("it makes ", parts, " partial sums; at most ", most_parts, " are right"));
    }
    int first_half(int length) const { return std::max(1, length / per_ / 2) * per_; }

    /// Where accumulators are results of the unit, or +0 of d's format, the unit must read them.
    void check_chains() const {
        bool restarts = false;
        const std::vector<OutlineStep> steps = outline(k_);
        for (const OutlineStep& step : steps) {
            if (step.kind != OutlineStep::Kind::chain) continue;
            const bool from_c = step.x >= 0 && steps[static_cast<std::size_t>(step.x)].kind == OutlineStep::Kind::c;
            if ((step.instructions.size() > 1 || step.x >= 0) && !has_accumulator(k_.unit.tree))
                fail_fit(
                    sentence("the unit has no accumulator, so no chain can have more than one of its instructions, "
                             "nor begin with a sum; parts of ",
                             counted(static_cast<std::size_t>(per_), "product"), " are right"));
            restarts = restarts || !from_c || step.instructions.size() > 1;
        }
        try {
            if (restarts) validate(continued(k_.unit));
        } catch (const Error& error) {
            fail_fit(sentence("the unit cannot be chained, because its results cannot be its c (", error.what(), ")"));
        }
    }

    const Kernel& k_;
    const Schedule& s_;
    const int per_;
};

} // namespace
} // namespace schedules

void validate(const Kernel& kernel) {
    validate(kernel.unit);
    schedules::Fit(kernel).check();
}

bool Kernel::is_chain() const {
    Schedule plain;
    plain.result = schedule.result;
    return schedule == plain;
}

Shape shape_of(const Kernel& kernel) {
    Shape shape = shape_of(kernel.unit);
    shape.K = kernel.K;
    shape.d = kernel.d();
    return shape;
}

Unit chain_of(const Kernel& kernel) {
    Unit unit = kernel.unit;
    unit.K = kernel.K;
    if (has_accumulator(unit.tree)) return unit;
    unit.interleave = 0; // no chain: what families read is formats and numbers
    unit.L = 1;
    unit.tree = addition_unit(unit.d, unit.d, {unit.d, Rounding::rne}, {}).tree;
    return unit;
}

bool same_result(const Kernel& kernel, std::uint64_t d1, std::uint64_t d2) {
    Unit as;
    as.d = kernel.d();
    as.nan = nan_in(kernel, kernel.d());
    return same_result(as, d1, d2);
}

} // namespace discern
