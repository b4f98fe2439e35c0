// A unit or a kernel of ours as a black box: what a closed loop is tried on before there is silicon.
#include "makers.hpp"
#include "models/kernel_gemm.hpp"
#include "models/notation.hpp"
#include "products.hpp"

namespace discern {

namespace {

class ModelTarget final : public Target {
  public:
    explicit ModelTarget(const Kernel& kernel) : evaluate_(kernel.unit), shape_(shape_of(kernel.unit)) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "discern"}, {"model", to_string(evaluate_.unit())}}; }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        for (const Inputs& inputs : batch) answers.push_back({.d = evaluate_(inputs), .error = {}});
    }

  private:
    Evaluator evaluate_;
    Shape shape_;
};

class ModelOfKernel final : public ProductTarget {
  public:
    explicit ModelOfKernel(const Kernel& kernel) : evaluate_(kernel), multiply_(kernel), shape_(shape_of(kernel)) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "discern"}, {"model", to_string(evaluate_.kernel())}}; }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        for (const Inputs& inputs : batch) answers.push_back({.d = evaluate_(inputs), .error = {}});
    }
    void multiply(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) override {
        multiply_(size, a, b, c, d);
    }

  private:
    KernelEvaluator evaluate_;
    KernelGemm multiply_;
    Shape shape_;
};

} // namespace

std::unique_ptr<Target> make_model(const std::string& unit, const TargetOptions& /*options*/) {
    const Kernel kernel = resolve_kernel(unit);
    if (has_schedule(unit)) return std::make_unique<ModelOfKernel>(kernel);
    return std::make_unique<ModelTarget>(kernel);
}

} // namespace discern
