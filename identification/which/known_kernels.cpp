#include "known_kernels.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/schedule/usual.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace discern {

namespace {

/// Instructions of one arithmetic, which all schedules treat alike.
struct Instruction {
    std::vector<Member> members;
    std::vector<std::string> names;
    const Unit& unit() const { return members.front().unit; }
};

/// Of these formats and any K but those that hold all of ours; those of CPUs of one product.
std::vector<Instruction> instructions_of(Shape shape) {
    std::vector<Instruction> all;
    const auto add = [&](const std::string& name, Member member) {
        const auto same = std::ranges::find_if(all, [&](const Instruction& one) { return one.unit() == member.unit; });
        Instruction& to = same == all.end() ? all.emplace_back() : *same;
        to.names.push_back(name);
        to.members.push_back(std::move(member));
    };
    const int K = std::exchange(shape.K, 1);
    for (const CatalogueEntry& entry : catalogue()) {
        Shape own = shape_of(entry.unit);
        if (std::exchange(own.K, 1) < K && own == shape) add(entry.name, {entry.name, entry.unit});
    }
    KnownUnits one = known_units(shape);
    for (std::size_t i = 0; i < one.units.size(); ++i) // not units of another K
        if (!one.units[i].text.ends_with("{K=1}") && find_entry(one.units[i].text) == nullptr)
            add(one.units[i].text, one.units[i]);
    return all;
}

/// One kernel against the observations, which ends at the first that contradicts it.
bool fits(const Kernel& kernel, std::span<const Vector> observations, bool nan_any, const WhichOptions& options) {
    const KernelEvaluator evaluate(kernel);
    const Format& d = format(kernel.d());
    const bool any = nan_any || kernel.unit.nan.kind == NanRule::Kind::any;
    const auto is_nan = [&](std::uint64_t bits) { return decode(d, bits).number_class == NumberClass::nan; };
    for (std::size_t i = 0; i < observations.size() && !options.stop.stop_requested(); ++i) {
        const Vector& vector = observations[i];
        if (!vector.error.empty() || vector.d.size() != 1) continue;
        const Inputs inputs = vector.inputs();
        const std::uint64_t result = evaluate(inputs), seen = vector.d.front();
        if (result == seen || (any && is_nan(result) && is_nan(seen))) continue;
        if (options.ranges == nullptr || options.ranges->empty() ||
            !may_be_printed(*options.ranges, i, shape_of(kernel), inputs, seen, result, std::ref(evaluate)))
            return false;
    }
    return !options.stop.stop_requested();
}

} // namespace

KernelAnswer which_kernel(const Shape& shape, std::span<const Vector> observations, bool c_is_zero, bool chains,
                          bool nan_any, const WhichOptions& options) {
    KernelAnswer all;
    struct Class {
        Kernel first;
        std::vector<const Instruction*> members; ///< each under the plainest of its schedules
    };
    std::vector<Class> classes;
    std::vector<Shape> shapes = {shape};
    if (c_is_zero)
        for (const Shape& wider : wider_shapes(shape)) shapes.push_back(wider);
    bool converts = false, adds = false;
    std::vector<std::vector<Instruction>> instructions;
    for (const Shape& own : shapes) instructions.push_back(instructions_of(own));
    const auto add = [&](const Kernel& kernel, const Instruction& instruction) {
        const auto same =
            std::ranges::find_if(classes, [&](const Class& one) { return same_structure(one.first, kernel); });
        const auto at = static_cast<std::size_t>(same - classes.begin());
        if (same == classes.end()) {
            classes.push_back({kernel, {}});
            all.answer.consistent.emplace_back();
        }
        std::vector<const Instruction*>& members = classes[at].members;
        if (std::ranges::find(members, &instruction) != members.end()) return;
        members.push_back(&instruction);
        const std::string suffix = sentence("@[", to_string(kernel.schedule, shape.K), "]");
        for (std::size_t i = 0; i < instruction.members.size(); ++i) {
            all.answer.consistent[at].push_back(all.known.units.size());
            all.known.names.push_back(instruction.names[i] + suffix);
            all.known.units.push_back({instruction.members[i].text + suffix, instruction.members[i].unit});
        }
    };
    for (std::size_t s = 0; s < shapes.size(); ++s)
        for (const Schedule& schedule : all_known_schedules(shapes[s].d, shape.K, !c_is_zero))
            for (const Instruction& instruction : instructions[s]) {
                if (options.stop.stop_requested()) break;
                if (!chains && schedule == Schedule{}) continue;
                Kernel kernel{.unit = instruction.unit(), .K = shape.K, .schedule = schedule};
                if (shapes[s].d != shape.d) kernel.schedule.result = Conversion{shape.d, Rounding::rne};
                try {
                    validate(kernel);
                } catch (const Error&) { // it does not divide K so
                    continue;
                }
                ++all.tried;
                if (!fits(kernel, observations, nan_any, options)) continue;
                converts = converts || shapes[s].d != shape.d;
                adds = adds || (shapes[s].c && !shape.c);
                add(kernel, instruction);
            }
    all.answer.complete = !options.stop.stop_requested();
    all.known.assumed = rounding_assumed(shape, adds, converts);
    return all;
}

} // namespace discern
