// One edge of the machine as a netlist, whose inputs are ports and registers, and whose outputs are ports and
// registers.
#include "stepper.hpp"

#include "solver/certify/words.hpp"

namespace discern::rtl {

namespace {

/// As certificate::gate_value(), here for the compiler to see: it is most of the time of a check.
std::uint64_t gate_value(const Netlist::Node& node, const std::vector<std::uint64_t>& values) {
    const auto in = [&](std::size_t i) { return certificate::value_of(values, node.in[i]); };
    switch (node.gate) {
    case Gate::and_: return in(0) & in(1);
    case Gate::xor_: return in(0) ^ in(1);
    case Gate::mux: {
        const std::uint64_t condition = in(0);
        return (condition & in(1)) | (~condition & in(2));
    }
    case Gate::majority: {
        const std::uint64_t x = in(0), y = in(1), z = in(2);
        return (x & y) | (z & (x | y));
    }
    case Gate::input: break;
    }
    return 0;
}

} // namespace

void compute(const Netlist& netlist, std::vector<std::uint64_t>& values) {
    const auto& nodes = netlist.nodes();
    for (std::size_t i = 1; i < nodes.size(); ++i)
        if (nodes[i].gate != Gate::input) values[i] = gate_value(nodes[i], values);
}

Stepper::Stepper(const DesignQuestion& question, std::uint64_t seed) : unit_(question.unit), random_(seed) {
    const Handshake& ports = *question.connection.handshake;
    const InputTerms inputs = input_variables(terms_, question.unit);
    const std::vector<Net> observed = observed_nets(question.design, question.connection);
    Machine fresh(terms_, question.design, question.connection, observed, "reset");
    fresh.reset();
    for (const std::size_t r : fresh.registers()) first_.push_back(after_reset_.bits(fresh.state(r)));
    for (const Open& open : fresh.open())
        for (const Literal bit : after_reset_.bits(open.variable)) open_of_reset_.push_back(bit);

    Machine machine(terms_, question.design, question.connection, observed, "stream");
    machine.forget();
    for (const std::size_t r : machine.registers()) now_.push_back(blaster_.bits(machine.state(r)));
    const auto of_registers = static_cast<std::ptrdiff_t>(machine.open().size());
    machine.evaluate({.reset = false, .operands = &inputs, .valid = {}, .ready = {}});
    const auto bit_of = [&](const std::string& port) {
        return port.empty() ? certificate::yes : blaster_.bits(machine.word(question.design.find(port)->bits)).front();
    };
    valid_ = bit_of(ports.valid_in);
    has_ready_ = !ports.ready_out.empty();
    ready_ = bit_of(ports.ready_out);
    ready_in_ = bit_of(ports.ready_in);
    valid_out_ = bit_of(ports.valid_out);
    d_ = blaster_.bits(machine.word(result_nets(question.design, question.connection)));
    machine.edge();
    for (const std::size_t r : machine.registers()) next_.push_back(blaster_.bits(machine.state(r)));
    for (const Term operand : inputs.all()) operands_.push_back(blaster_.bits(operand));
    for (auto open = machine.open().begin() + of_registers; open != machine.open().end(); ++open)
        for (const Literal bit : blaster_.bits(open->variable))
            if (bit != valid_ && bit != ready_) open_.push_back(bit);
    values_.resize(blaster_.netlist().nodes().size());
}

void Stepper::reset() {
    const Netlist& netlist = after_reset_.netlist();
    std::vector<std::uint64_t> values(netlist.nodes().size());
    for (const Literal bit : open_of_reset_) values[certificate::node_of(bit)] = random_.bits();
    compute(netlist, values);
    for (std::size_t r = 0; r < now_.size(); ++r)
        for (std::size_t i = 0; i < now_[r].size(); ++i) set(now_[r][i], certificate::value_of(values, first_[r][i]));
}

void Stepper::set_operands(Lanes lanes, const Inputs& inputs) {
    std::size_t operand = 0;
    certificate::each_pattern(unit_, inputs, [&](const Format&, std::uint64_t pattern) {
        for (const Literal bit : operands_[operand]) {
            Lanes& value = values_[certificate::node_of(bit)];
            value = (value & ~lanes) | ((pattern & 1u) != 0 ? lanes : 0);
            pattern >>= 1u;
        }
        ++operand;
    });
}

void Stepper::set_offers(Lanes valid, Lanes ready) {
    set(valid_, valid);
    if (has_ready_) set(ready_, ready);
}

void Stepper::evaluate() {
    for (const Literal bit : open_) set(bit, random_.bits());
    compute(blaster_.netlist(), values_);
}

std::uint64_t Stepper::d(std::size_t lane) const {
    std::uint64_t d = 0;
    for (std::size_t i = 0; i < d_.size(); ++i) d |= ((lanes_of(d_[i]) >> lane) & 1u) << i;
    return d;
}

Lanes Stepper::d_differs() const {
    Lanes differ = 0;
    for (const Literal bit : d_) differ |= lanes_of(bit) ^ (lanes_of(bit) >> pairs);
    return differ;
}

void Stepper::edge() {
    std::vector<Lanes> next;
    for (const Word& word : next_)
        for (const Literal bit : word) next.push_back(lanes_of(bit));
    auto value = next.begin();
    for (const Word& word : now_)
        for (const Literal bit : word) set(bit, *value++);
}

std::vector<Lanes> Stepper::operands() const {
    std::vector<Lanes> words;
    for (const Word& word : operands_)
        for (const Literal bit : word) words.push_back(lanes_of(bit));
    return words;
}

Vector Stepper::vector_of(std::span<const Lanes> operands, std::size_t lane) const {
    std::vector<std::uint64_t> bits;
    for (const Lanes word : operands) bits.push_back(word >> lane);
    return discern::vector_of(shape_of(unit_), certificate::vector_of(unit_, bits).inputs());
}

} // namespace discern::rtl
