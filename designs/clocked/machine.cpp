// Evaluates the cone of the roots for one clock edge after another, on terms.
#include "machine.hpp"

#include "designs/read/cells.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/question/input_limits.hpp"

#include <algorithm>

namespace discern::rtl {

Machine::Machine(Terms& t, const Design& design, const Connection& connection, const std::vector<Net>& roots,
                 std::string prefix)
    : t_(t), design_(design), connection_(connection), prefix_(std::move(prefix)) {
    find_cone(roots);
}

void Machine::find_cone(const std::vector<Net>& roots) {
    for (const Net bit : roots) visit(bit);
    for (std::size_t i = 0; i < registers_.size(); ++i) { // which grows
        const Cell& cell = design_.cells[registers_[i]];
        if (!connection_.has_clock)
            throw Error(sentence("the design has a register ", cell.at(), ", which drives ", name_of(cell),
                                 "; --clock and --cycles say how long the result takes"));
        require_clock(cell);
        for (const Net bit : cell.pin("D")) visit(bit);
    }
}

std::string Machine::name_of(const Cell& cell) const {
    return excerpt(design_.name_of(cell.pin(is_register(cell) ? "Q" : "Y").front()));
}

void Machine::require_clock(const Cell& cell) {
    const Net clock = cell.pin("CLK").front();
    for (const Port& port : design_.ports)
        if (const auto use = connection_.inputs.find(port.name); port.is_input && use != connection_.inputs.end())
            if (use->second.kind == PortUse::Kind::clock && port.bits.front() != clock)
                throw Error(sentence("the register ", cell.at(), ", which drives ", name_of(cell),
                                     ", has another clock than port ", excerpt(port.name)));
    if (edges_.insert(cell.is_set("CLK_POLARITY")).second && edges_.size() > 1)
        throw Error(sentence("the register ", cell.at(), ", which drives ", name_of(cell),
                             ", takes the other edge of the clock than the registers before it"));
}

/// Orders the cells from which a net gets its value, without recursion: designs can be deep.
void Machine::visit(Net root) {
    std::vector<std::pair<std::size_t, std::size_t>> path; // cells being ordered, and the next net of each
    enter(root, path);
    while (!path.empty()) {
        auto& [cell, next] = path.back();
        const std::vector<Net>& nets = needs_[cell];
        if (next < nets.size()) {
            enter(nets[next++], path);
            continue;
        }
        marks_[cell] = Mark::done;
        order_.push_back(cell);
        path.pop_back();
    }
}

void Machine::enter(Net bit, std::vector<std::pair<std::size_t, std::size_t>>& path) {
    if (net::is_constant(bit) && bit != net::z) return;
    const auto found = design_.drivers.find(bit);
    if (bit == net::z || found == design_.drivers.end()) {
        const std::string reader = path.empty() ? "" : ", which is read " + design_.cells[path.back().first].at();
        throw Error(sentence("there is no driver of ", bit == net::z ? "a net (z)" : excerpt(design_.name_of(bit)),
                             reader, "; the design's result depends on it"));
    }
    if (found->second.is_port) return;
    const std::size_t cell = found->second.cell;
    Mark& mark = marks_[cell];
    if (mark == Mark::done) return;
    if (mark == Mark::open)
        throw Error(sentence("the design has a combinational loop through ", name_of(design_.cells[cell]), " ",
                             design_.cells[cell].at()));
    mark = Mark::open;
    const Cell& what = design_.cells[cell];
    std::vector<Net>& nets = needs_[cell];
    if (is_register(what)) {
        registers_.push_back(cell);
        if (what.has("ARST")) nets = what.pin("ARST");
    } else {
        for (const std::string& pin : inputs_of(what))
            nets.insert(nets.end(), what.pin(pin).begin(), what.pin(pin).end());
    }
    path.emplace_back(cell, 0);
}

std::string Machine::name_of_register(std::size_t r) const {
    return sentence("register ", name_of(design_.cells[r]), " ", design_.cells[r].at());
}

void Machine::forget() {
    for (const std::size_t r : registers_)
        state_[r] = any(width_of(r), Open::Kind::state,
                        name_of_register(r) + " still counts with what it held before the operands");
}

void Machine::reset() {
    forget();
    if (!connection_.has_reset) return;
    // As many edges as a result takes, so that the reset has reached every stage.
    for (int i = 0; i <= connection_.cycles; ++i) step({.reset = true, .operands = nullptr, .valid = {}, .ready = {}});
}

Term Machine::any(int width, Open::Kind kind, const std::string& why) {
    std::vector<Term> parts;
    for (int left = width; left > 0; left -= 64) {
        const int taken = std::min(left, 64);
        // Of another reading of the same text the value of that number may have another width.
        parts.push_back(t_.variable(sentence(prefix_, open_.size(), "_", taken), taken));
        open_.push_back({kind, parts.back(), why});
    }
    return t_.concat(parts);
}

Term Machine::on_port(const Port& port, const Ports& ports) {
    const PortUse& use = connection_.inputs.at(port.name);
    const int width = static_cast<int>(port.bits.size());
    if (use.kind == PortUse::Kind::clock)
        return any(width, Open::Kind::x, sentence("the clock, port ", excerpt(port.name), ", is read as a signal"));
    if (use.kind == PortUse::Kind::reset) return t_.truth(use.value.front() == ports.reset);
    for (const auto& [kind, value] :
         {std::pair(PortUse::Kind::valid, ports.valid), {PortUse::Kind::ready, ports.ready}})
        if (use.kind == kind && value) return t_.truth(*value);
    std::vector<Term> parts;
    if (use.kind == PortUse::Kind::constant) {
        for (const bool bit : use.value) parts.push_back(t_.truth(bit));
        return t_.concat(parts);
    }
    if (ports.operands == nullptr || use.kind != PortUse::Kind::operands)
        return any(width, Open::Kind::other_cycle,
                   sentence("input ", excerpt(port.name), " still counts in another cycle"));
    for (const Pattern& pattern : use.patterns) {
        const auto row = row_of<const Term>(*ports.operands, operand_from_name(pattern.operand).value());
        parts.push_back(row[static_cast<std::size_t>(pattern.index)]);
    }
    return t_.concat(parts);
}

void Machine::evaluate(const Ports& ports) {
    values_.clear();
    of_ports_.clear();
    for (const Port& port : design_.ports)
        if (port.is_input) of_ports_.emplace(&port - design_.ports.data(), on_port(port, ports));
    const AnyValue any_value = [this](int width, const std::string& why) { return any(width, Open::Kind::x, why); };
    for (const std::size_t c : order_) {
        const Cell& cell = design_.cells[c];
        reading_ = &cell;
        if (is_register(cell))
            values_.emplace(c, now(cell, state_.at(c)));
        else
            values_.emplace(
                c, cell_term({t_, cell, [&](const std::string& pin) { return word(cell.pin(pin)); }, any_value}));
    }
    reading_ = nullptr;
}

Term Machine::reset_value(const Cell& cell) {
    const std::string& digits = cell.parameters.at("ARST_VALUE");
    std::vector<Term> bits;
    for (std::size_t i = 0; i < cell.pin("Q").size(); ++i) {
        const char digit = i < digits.size() ? digits[digits.size() - 1 - i] : '0';
        bits.push_back(digit == '0' || digit == '1'
                           ? t_.truth(digit == '1')
                           : any(1, Open::Kind::x, "the reset value of a register is x " + cell.at()));
    }
    return t_.concat(bits);
}

/// The output of a register. An asynchronous reset sets it at once, without a clock edge.
Term Machine::now(const Cell& cell, Term state) {
    if (!cell.has("ARST")) return state;
    const Term signal = word(cell.pin("ARST"));
    return t_.ite(cell.is_set("ARST_POLARITY") ? signal : t_.bvnot(signal), reset_value(cell), state);
}

void Machine::edge() {
    std::unordered_map<std::size_t, Term> next;
    for (const std::size_t r : registers_) {
        reading_ = &design_.cells[r];
        next[r] = now(design_.cells[r], word(design_.cells[r].pin("D")));
    }
    reading_ = nullptr;
    state_ = std::move(next);
}

/// Nets as a word: runs of neighbours in one word are one part of it.
Term Machine::word(const std::vector<Net>& bits) {
    std::vector<Term> parts;
    for (std::size_t i = 0; i < bits.size();) {
        const Net bit = bits[i];
        if (net::is_constant(bit)) {
            parts.push_back(bit == net::x ? any(1, Open::Kind::x,
                                                sentence("x stands in the design ",
                                                         reading_ == nullptr ? "on a port" : reading_->at()))
                                          : t_.truth(bit == net::one));
            ++i;
            continue;
        }
        const Design::Driver& driver = design_.drivers.at(bit);
        std::size_t count = 1;
        while (i + count < bits.size() && !net::is_constant(bits[i + count])) {
            const auto next = design_.drivers.find(bits[i + count]);
            if (next == design_.drivers.end() || next->second.is_port != driver.is_port ||
                next->second.cell != driver.cell || next->second.place != driver.place + count)
                break;
            ++count;
        }
        const Term whole =
            driver.is_port ? of_ports_.at(static_cast<std::ptrdiff_t>(driver.cell)) : values_.at(driver.cell);
        const Term run = t_.extract(whole, static_cast<int>(driver.place), static_cast<int>(count));
        i += count;
        std::size_t copies = 0; // of its highest bit: it is a sign
        while (i + copies < bits.size() && bits[i + copies] == bits[i - 1]) ++copies;
        parts.push_back(t_.sign_extend(run, static_cast<int>(count + copies)));
        i += copies;
    }
    return t_.concat(parts);
}

void Machine::set_bits(std::size_t r, int place, Term bits) {
    const Term whole = state(r);
    const int above = t_.width(whole) - place - t_.width(bits);
    if (place > 0) bits = t_.concat(bits, t_.extract(whole, 0, place));
    if (above > 0) bits = t_.concat(t_.extract(whole, t_.width(whole) - above, above), bits);
    set_state(r, bits);
}

std::vector<Net> result_nets(const Design& design, const Connection& connection) {
    if (connection.result_is_state) return connection.state->bits;
    std::vector<Net> nets;
    for (const auto& [port, pattern] : connection.outputs)
        nets.insert(nets.end(), design.find(port)->bits.begin(), design.find(port)->bits.end());
    return nets;
}

std::vector<Net> observed_nets(const Design& design, const Connection& connection) {
    std::vector<Net> nets = result_nets(design, connection);
    if (connection.state) nets.insert(nets.end(), connection.state->bits.begin(), connection.state->bits.end());
    if (connection.handshake)
        for (const std::string& port : {connection.handshake->valid_out, connection.handshake->ready_in})
            if (!port.empty()) nets.push_back(design.find(port)->bits.front());
    return nets;
}

} // namespace discern::rtl
