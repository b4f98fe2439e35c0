#include "aiger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace discern::claims {

AigerCircuit::AigerCircuit(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    std::size_t variables = 0, inputs = 0, latches = 0, outputs = 0, gates = 0;
    in >> word >> variables >> inputs >> latches >> outputs >> gates;
    if (word != "aag" || latches != 0 || variables != inputs + gates)
        throw std::runtime_error("no combinational circuit");
    inputs_.resize(inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        std::uint32_t literal = 0;
        in >> literal;
        if (literal != 2 * (i + 1)) throw std::runtime_error("inputs in another order");
    }
    outputs_.resize(outputs);
    for (std::uint32_t& x : outputs_) in >> x;
    gates_.resize(gates);
    for (auto& [y, x1, x2] : gates_) in >> y >> x1 >> x2;
    std::getline(in, word);
    static const std::regex symbol(R"(([io])([0-9]+) ([a-z]+)([0-9]*)\[([0-9]+)\])");
    for (std::string line; std::getline(in, line);) {
        symbols_ += line + "\n";
        std::smatch part;
        if (!std::regex_match(line, part, symbol)) continue;
        const std::size_t index = std::stoul(part[2]);
        const int bit = std::stoi(part[5]);
        if (part[1] == "o") {
            if (part[3] != "d" || static_cast<std::size_t>(bit) != index)
                throw std::runtime_error("outputs of " + line);
        } else if (part[3] != "open") {
            inputs_.at(index) = {part[3], part[4].length() > 0 ? std::stoul(part[4]) : 0, bit};
        }
    }
}

std::uint64_t AigerCircuit::operator()(const Inputs& inputs, bool open) const {
    std::vector<bool> values(1 + inputs_.size() + gates_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const Input& input = inputs_[i];
        const auto bit_of = [&](std::uint64_t pattern) { return ((pattern >> input.bit) & 1u) != 0; };
        bool value = open;
        if (input.operand == "a") value = bit_of(inputs.a[input.element]);
        if (input.operand == "b") value = bit_of(inputs.b[input.element]);
        if (input.operand == "sa") value = bit_of(inputs.sa[input.element]);
        if (input.operand == "sb") value = bit_of(inputs.sb[input.element]);
        if (input.operand == "c") value = bit_of(inputs.c);
        values[1 + i] = value;
    }
    const auto value_of = [&](std::uint32_t literal) { return values.at(literal / 2) != (literal % 2 != 0); };
    for (const auto& [y, x1, x2] : gates_) values.at(y / 2) = value_of(x1) && value_of(x2);
    std::uint64_t d = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) d |= std::uint64_t{value_of(outputs_[i])} << i;
    return d;
}

AigerCircuit AigerCircuit::changed(Random& random) const {
    AigerCircuit other = *this;
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random.below(static_cast<int>(end))); };
    if (gates_.empty() || random.one_in(8)) {
        const std::size_t i = below(outputs_.size());
        other.outputs_[i] ^= 1u;
        other.what_ = fmt::format("d[{}] negated", i);
        return other;
    }
    auto& gate = other.gates_[below(gates_.size())];
    std::uint32_t& input = gate[1 + below(2)];
    const std::uint32_t before = input;
    input = random.one_in(2) ? before ^ 1u : static_cast<std::uint32_t>(below(gate[0]));
    other.what_ = fmt::format("gate {} reads {} instead of {}", gate[0], input, before);
    if (gate[1] < gate[2]) std::swap(gate[1], gate[2]);
    return other;
}

std::string AigerCircuit::text() const {
    std::string text = fmt::format("aag {} {} 0 {} {}\n", inputs_.size() + gates_.size(), inputs_.size(),
                                   outputs_.size(), gates_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) text += fmt::format("{}\n", 2 * (i + 1));
    for (const std::uint32_t x : outputs_) text += fmt::format("{}\n", x);
    for (const auto& [y, x1, x2] : gates_) text += fmt::format("{} {} {}\n", y, x1, x2);
    return text + symbols_;
}

} // namespace discern::claims
