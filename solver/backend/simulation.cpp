// See simulation.hpp.
#include "simulation.hpp"

namespace discern {

std::uint64_t Simulation::evaluate(const std::vector<std::uint64_t>& values, std::size_t gate) const {
    const Gates::Gate& at = gates_.gate(static_cast<std::uint32_t>(gate));
    const auto& in = at.in;
    const auto value = [&](std::size_t i) { return values[in[i] / 2] ^ ((in[i] & 1) != 0 ? ~0ull : 0); };
    switch (at.kind) {
    case Gates::Kind::constant:
    case Gates::Kind::input: return 0;
    case Gates::Kind::conjunction: return value(0) & value(1);
    case Gates::Kind::exclusive_or: return value(0) ^ value(1);
    case Gates::Kind::choice: return (value(0) & value(1)) | (~value(0) & value(2));
    case Gates::Kind::majority: return (value(0) & value(1)) | (value(0) & value(2)) | (value(1) & value(2));
    }
    return 0;
}

void Simulation::add(const std::vector<std::uint64_t>& inputs) {
    std::vector<std::uint64_t> values(gates_.size());
    for (std::size_t g = 0; g < values.size(); ++g)
        values[g] = gates_.gate(static_cast<std::uint32_t>(g)).kind == Gates::Kind::input
                        ? (g < inputs.size() ? inputs[g] : 0)
                        : evaluate(values, g);
    values_.push_back(std::move(values));
    valid_.push_back(word(values_.size() - 1, required_));
}

void Simulation::update() {
    for (auto& values : values_)
        for (std::size_t g = values.size(); g < gates_.size(); ++g) values.push_back(evaluate(values, g));
}

void Simulation::require(Literal condition) {
    required_ = condition;
    for (std::size_t w = 0; w < values_.size(); ++w) valid_[w] = word(w, condition);
}

} // namespace discern
