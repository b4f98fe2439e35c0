#include "common.hpp"

#include "challenge.hpp"

#include "models/notation.hpp"

#include <memory>
#include <stdexcept>

namespace discern {

namespace {

/// The side as it is, on inputs of the common form.
Side own_side(const CommonForm& form, std::size_t i) {
    const Side itself = side_of(form.own[i]);
    const auto shared = std::make_shared<const CommonForm>(form);
    return {itself.text + ", with its own operands",
            [=](std::span<const Inputs> inputs) {
                std::vector<InputBuffer> own;
                for (const Inputs& one : inputs) own.push_back(own_inputs(*shared, i, one));
                const std::vector<Inputs> views = [&] {
                    std::vector<Inputs> list;
                    for (const InputBuffer& one : own) list.push_back(one.inputs());
                    return list;
                }();
                return itself.run(views);
            },
            [=](const Inputs& inputs) {
                const InputBuffer own = own_inputs(*shared, i, inputs);
                return itself.exactly(own.inputs());
            },
            itself.any_nan};
}

} // namespace

CommonForm checked_common_form(std::vector<NamedKernel> sides, const std::optional<Conversion>& d,
                               const std::filesystem::path& reports) {
    CommonForm form = common_form(std::move(sides), d);
    for (std::size_t i = 0; i < form.own.size(); ++i) {
        if (form.kernels[i] == form.own[i]) continue;
        Claim claim = claim_of(form.kernels[i], form.own[i], {});
        claim.other = [&form, i](std::size_t) { return own_side(form, i); };
        claim.views = {chain_of(form.kernels[i])};
        require_unrefuted(claim, "the common form", reports);
    }
    return form;
}

CommonUnits common_units(const std::vector<std::pair<std::string, Unit>>& sides, const std::optional<Conversion>& d,
                         const std::filesystem::path& reports) {
    std::vector<NamedKernel> kernels;
    for (const auto& [name, unit] : sides) kernels.push_back({name, Kernel{unit, unit.K, {}}});
    CommonUnits common{checked_common_form(std::move(kernels), d, reports), {}};
    for (const Kernel& kernel : common.form.kernels) common.units.push_back(written_out(kernel));
    return common;
}

void require_own_result(const CommonForm& form, std::size_t side, const Vector& inputs, std::uint64_t d) {
    const Kernel& own = form.own[side];
    const InputBuffer operands = own_inputs(form, side, inputs.inputs());
    if (same_result(own, d, KernelEvaluator(own)(operands.inputs())) &&
        same_result(own, d, evaluate_exactly(own, operands.inputs())))
        return;
    throw std::logic_error("the common form of " + to_string(own) + " does not give the unit's result on " +
                           to_json(form.shape, inputs));
}

void require_own_results(const CommonForm& form, const Vector& vector) {
    for (std::size_t i = 0; i < form.own.size(); ++i) require_own_result(form, i, vector, vector.d.at(i));
}

} // namespace discern
