// A unit of ours as a black box: what a closed loop is tried on before there is silicon.
#include "makers.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"

namespace discern {

namespace {

class ModelTarget final : public Target {
  public:
    explicit ModelTarget(const std::string& text)
        : unit_(resolve_unit(text)), evaluate_(unit_), shape_(shape_of(unit_)) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "discern"}, {"model", to_string(unit_)}}; }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        for (const Inputs& inputs : batch) answers.push_back({.d = evaluate_(inputs), .error = {}});
    }

  private:
    Unit unit_;
    Evaluator evaluate_;
    Shape shape_;
};

} // namespace

std::unique_ptr<Target> make_model(const std::string& unit, const TargetOptions& /*options*/) {
    return std::make_unique<ModelTarget>(unit);
}

} // namespace discern
