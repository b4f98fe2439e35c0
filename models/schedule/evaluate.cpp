// A kernel's dot product in machine integers: Evaluator for its instructions and its additions, in the order of the
// outline.
#include "outline.hpp"

#include <stdexcept>

namespace discern {

struct KernelEvaluator::Impl {
    using Kind = OutlineStep::Kind;

    Kernel kernel;
    std::vector<OutlineStep> steps;
    std::vector<std::optional<Addition>> sums; ///< of each step that is one
    std::optional<Evaluator> first;            ///< c as it is read
    std::optional<Evaluator> rest;             ///< c is a result

    explicit Impl(Kernel k) : kernel(std::move(k)) {
        validate(kernel);
        steps = outline(kernel);
        sums = additions(kernel, steps);
        bool continues = false;
        for (const OutlineStep& step : steps)
            if (step.kind == Kind::chain) continues = continues || !starts_from_c(step) || step.instructions.size() > 1;
        first.emplace(kernel.unit);
        if (continues && kernel.unit != continued(kernel.unit)) rest.emplace(continued(kernel.unit));
    }

    const OutlineStep& of(int step) const { return steps[static_cast<std::size_t>(step)]; }
    bool starts_from_c(const OutlineStep& step) const { return step.x >= 0 && of(step.x).kind == Kind::c; }

    std::uint64_t chain(const OutlineStep& step, std::uint64_t sum, const Inputs& in) const {
        const auto K = static_cast<std::size_t>(kernel.unit.K), scales = static_cast<std::size_t>(kernel.unit.scales());
        bool from_c = starts_from_c(step);
        for (const int instruction : step.instructions) {
            const std::size_t i = static_cast<std::size_t>(instruction);
            const Evaluator& evaluate = from_c || !rest ? *first : *rest;
            from_c = false;
            sum = evaluate({.a = in.a.subspan(i * K, K),
                            .b = in.b.subspan(i * K, K),
                            .sa = in.sa.subspan(i * scales, scales),
                            .sb = in.sb.subspan(i * scales, scales),
                            .c = sum});
        }
        return sum;
    }
};

KernelEvaluator::KernelEvaluator(Kernel kernel) : impl_(std::make_shared<const Impl>(std::move(kernel))) {}

const Kernel& KernelEvaluator::kernel() const { return impl_->kernel; }

std::uint64_t KernelEvaluator::operator()(const Inputs& in) const {
    using Kind = OutlineStep::Kind;
    const Impl& k = *impl_;
    const auto K = static_cast<std::size_t>(k.kernel.K), scales = static_cast<std::size_t>(shape_of(k.kernel).scales());
    if (in.a.size() != K || in.b.size() != K || in.sa.size() != scales || in.sb.size() != scales)
        throw std::logic_error("the inputs of a kernel have the wrong sizes");
    std::vector<std::uint64_t> values;
    values.reserve(k.steps.size());
    const auto value = [&](int step) { return step < 0 ? 0 : values[static_cast<std::size_t>(step)]; };
    for (std::size_t n = 0; n < k.steps.size(); ++n) {
        const OutlineStep& step = k.steps[n];
        switch (step.kind) {
        case Kind::c: values.push_back(in.c); break;
        case Kind::zero: values.push_back(0); break;
        case Kind::chain: values.push_back(k.chain(step, value(step.x), in)); break;
        case Kind::add:
        case Kind::convert: values.push_back((*k.sums[n])(value(step.x), value(step.y))); break;
        }
    }
    return values.back();
}

} // namespace discern
