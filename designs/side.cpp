// The netlist's term evaluated, and simulators asked. See side.hpp.
#include "side.hpp"

#include "conditions.hpp"
#include "designs/clocked/patterns.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

namespace discern::rtl {

namespace {

constexpr std::size_t vectors_to_compare = 64; ///< on which the reading of a design is compared with a simulator

} // namespace

DesignSide::DesignSide(const ReadDesignOf& read, std::uint64_t seed, const Limit& limit)
    : read_(read), seed_(seed), limit_(limit), circuit_(read.question), evaluate_(circuit_), random_(seed + 5) {}

std::optional<Simulated> DesignSide::simulated(const std::vector<Vector>& vectors, std::string& why_not,
                                               bool one_run) const {
    return simulate(
        sources(), question().design, question().connection, vectors, [this] { return limit_.reached(); }, why_not, "",
        one_run);
}

Stage DesignSide::compared(const std::vector<Vector>& vectors, const std::string& on) {
    const auto start = Limit::Clock::now();
    std::string why_not;
    const auto simulated = this->simulated(vectors, why_not);
    if (!simulated) return {"simulation", "nothing", seconds_since(start)};
    for (std::size_t i = 0; i < vectors.size(); ++i) require_same(vectors[i], simulated->by, simulated->d[i], false);
    return {"simulation by " + simulated->by + on, "as it was read", seconds_since(start)};
}

Stage DesignSide::compared() {
    const Shape shape = shape_of(question().unit);
    Stream stream(question().unit, seed_ + 3);
    std::vector<Vector> vectors;
    while (vectors.size() < vectors_to_compare) vectors.push_back(vector_of(shape, stream.next().inputs()));
    return compared(vectors, "");
}

std::optional<Stage> DesignSide::compared_on_conditions(const Limit& limit) {
    const ConditionVectors made = vectors_for_conditions(question(), seed_ + 9, limit);
    if (made.vectors.empty()) return std::nullopt;
    return compared(made.vectors, ", on vectors with " + made.text());
}

void DesignSide::require_same(const Vector& v, const std::string& by, const std::string& digits, bool must_be_known) {
    const auto simulated = known(digits);
    if (!simulated && must_be_known)
        throw Error(sentence(by, " gives ", excerpt(digits, 80), " for the vector ", json(v),
                             ": the design's result is not defined there"));
    const std::uint64_t d = (*this)(v.inputs());
    if ((simulated && d == *simulated) || depends_on(v.inputs()) != nullptr) return;
    const Format& of = format(question().unit.d);
    throw Error(sentence("simulation and synthesis make different things of the design: for ", json(v), " ", by,
                         " gives ", simulated ? to_hex(of, *simulated) : excerpt(digits, 80), ", and the netlist ",
                         to_hex(of, d)));
}

Side DesignSide::claimed() {
    const auto run = [this](std::span<const Inputs> batch) {
        Side::Results d;
        for (const Inputs& inputs : batch) d.emplace_back((*this)(inputs));
        return d;
    };
    const auto exactly = [this](const Inputs& inputs) -> std::optional<std::uint64_t> {
        if (depends_on(inputs) != nullptr) return std::nullopt;
        std::string why_not;
        const auto by_simulator = simulated({vector_of(shape_of(question().unit), inputs)}, why_not);
        const std::optional<std::uint64_t> d = by_simulator ? known(by_simulator->d.front()) : std::nullopt;
        return d ? d : (*this)(inputs);
    };
    return {name(), run, exactly};
}

std::string DesignSide::json(const Vector& v) const { return to_json(shape_of(question().unit), v); }

} // namespace discern::rtl
