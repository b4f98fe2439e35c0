// What a design leaves open is drawn at random; a vector for which d depends on it refutes nothing.
#include "side.hpp"

#include "models/shape.hpp"

#include <memory>
#include <utility>

namespace discern::rtl {

namespace {

struct Read {
    DesignCircuit circuit;
    DesignEvaluator evaluate{circuit};
    Random random;
    Shape shape;

    Read(const DesignQuestion& question, std::uint64_t seed)
        : circuit(question), random(seed), shape(shape_of(question.unit)) {}
};

} // namespace

Side side_of(const DesignQuestion& question, std::uint64_t seed,
             std::function<std::optional<std::uint64_t>(const Vector&)> simulated) {
    const auto read = std::make_shared<Read>(question, seed);
    const auto run = [read](std::span<const Inputs> batch) {
        Side::Results d;
        for (const Inputs& inputs : batch) d.emplace_back(read->evaluate(inputs, read->random));
        return d;
    };
    const auto exactly = [read,
                          simulated = std::move(simulated)](const Inputs& inputs) -> std::optional<std::uint64_t> {
        if (read->evaluate.depends_on(inputs, read->random) != nullptr) return std::nullopt;
        const std::optional<std::uint64_t> d = simulated(vector_of(read->shape, inputs));
        return d ? d : read->evaluate(inputs, read->random);
    };
    return {"module " + question.design.top, run, exactly};
}

} // namespace discern::rtl
