#include "opcodes.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace discern::programs {

namespace {

std::optional<std::uint64_t> special_register(std::string_view name) {
    for (std::size_t i = 0; i < std::size(vector_registers); ++i)
        for (const char direction : {'x', 'y', 'z'})
            if (name == sentence(vector_registers[i], ".", std::string(1, direction)))
                return 3 * i + static_cast<std::size_t>(direction - 'x');
    const auto* const found = std::ranges::find(scalar_registers, name);
    if (found == std::end(scalar_registers)) return std::nullopt;
    return 3 * std::size(vector_registers) + static_cast<std::size_t>(found - std::begin(scalar_registers));
}

} // namespace

Decoder::Decoder(const Program& program, Graph& graph, std::span<const std::span<const Opcode>> tables)
    : program_(program), graph_(graph) {
    for (const auto& table : tables)
        for (const Opcode& opcode : table) opcodes_[opcode.root] = &opcode;
}

std::uint32_t Decoder::fixed(FixedRegister what) {
    fixed_.push_back(what);
    return static_cast<std::uint32_t>(program_.registers.size() + fixed_.size() - 1);
}

std::uint32_t Decoder::reg(const Atom& atom) {
    using enum Atom::Kind;
    switch (atom.kind) {
    case reg: return atom.index;
    case sink: return no_register;
    case variable: return fixed({FixedRegister::Kind::variable, atom.value, atom.index});
    case parameter: return fixed({FixedRegister::Kind::parameter, atom.value, atom.index});
    case label: break;
    case immediate: {
        const auto [at, is_new] = immediates_.try_emplace(atom.value, 0);
        if (is_new) at->second = fixed({FixedRegister::Kind::value, atom.value, 0});
        return at->second;
    }
    case special: {
        const auto found = special_register(atom.text);
        if (!found)
            throw Error(
                sentence(excerpt(atom.text), " is no register of the entry, and none that is read of the machine"));
        return fixed({FixedRegister::Kind::special, *found, 0});
    }
    }
    throw Error(sentence(excerpt(atom.text), " is not declared"));
}

Place Decoder::place(const Operand& operand) {
    Place made;
    made.offset = operand.offset;
    made.is_negated = operand.is_negated;
    made.is_address = operand.form == Operand::Form::address;
    made.is_list = operand.form == Operand::Form::list;
    for (const Atom& atom : operand.atoms) made.registers.push_back(reg(atom));
    if (made.registers.empty()) throw Error("a list without elements");
    if (operand.second) made.second = reg(*operand.second);
    return made;
}

void require_operands(const Step& step, std::size_t count) {
    if (step.operands.size() < count)
        throw Error(sentence("it has ", step.operands.size(), " operands; ", count, " are right"));
}

void require_plain_operands(const Step& step) {
    for (const Place& place : step.operands)
        if (place.is_list || place.is_address) throw Error("its operands must be registers and numbers");
}

void Decoder::require_size(const Step& step, std::size_t operand, unsigned bytes) const {
    for (const std::uint32_t reg : step.operands[operand].registers) {
        if (reg >= program_.registers.size() || program_.registers[reg] == bytes) continue;
        const auto said = [](unsigned size) {
            return size == 0 ? std::string("a predicate") : sentence(size * 8, " bits");
        };
        throw Error(sentence("its operand ", operand + 1, " is a register of ", said(program_.registers[reg]), "; ",
                             said(bytes), bytes == 0 ? " is right" : " are right"));
    }
}

std::uint64_t Decoder::immediate(const Instruction& at, std::size_t operand) const {
    if (operand >= at.operands.size() || at.operands[operand].atoms.size() != 1 ||
        at.operands[operand].atoms[0].kind != Atom::Kind::immediate)
        throw Error(sentence("operand ", operand + 1, " must be a number"));
    return at.operands[operand].atoms[0].value;
}

Type Decoder::type(const Instruction& at, std::size_t from_end) const {
    if (from_end + 1 >= at.parts.size()) throw Error("its type is missing");
    const std::string_view name = at.parts[at.parts.size() - 1 - from_end];
    const auto bytes = bytes_of_type(name);
    if (!bytes) throw Error(sentence(excerpt(name), " is no type that is read"));
    const char letter = name[0] == 'u' || name[0] == 's' ? name[0] : name[0] == 'b' && name[1] != 'f' ? 'b' : 'f';
    return {name, static_cast<std::uint8_t>(*bytes), *bytes == 0 ? 'b' : letter};
}

void Decoder::require_modifiers(const Instruction& at, std::string_view known) {
    for (std::size_t i = 1; i < at.parts.size(); ++i) {
        const std::string_view part = at.parts[i];
        bool is_known = bytes_of_type(part).has_value();
        for (std::string_view rest = known; !is_known && !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            is_known = word.ends_with('*') ? part.starts_with(word.substr(0, word.size() - 1)) : part == word;
        }
        if (!is_known) throw Error(sentence("its modifier ", excerpt(part), " is not read"));
    }
}

Step Decoder::step(const Instruction& at) {
    Step made;
    made.written = &at;
    const auto found = opcodes_.find(at.parts[0]);
    if (at.parts[0] == "call") throw Error("calls of functions are not read");
    if (found == opcodes_.end()) throw Error("this instruction is not read");
    require_modifiers(at, found->second->modifiers);
    const bool is_jump = at.parts[0] == "bra" || at.parts[0] == "brx";
    if (is_jump) {
        for (const Operand& operand : at.operands)
            if (operand.atoms.size() == 1 && operand.atoms[0].kind == Atom::Kind::reg)
                made.operands.push_back(place(operand));
    } else if (at.parts[0] != "createpolicy") { // whose fraction, 1.0, no other instruction has as an operand
        for (const Operand& operand : at.operands) made.operands.push_back(place(operand));
    }
    if (at.guard) {
        made.guard = *at.guard;
        made.guard_is_negated = at.guard_is_negated;
        if (program_.registers[made.guard] != 0) throw Error("its guard is no predicate");
    }
    found->second->decode(*this, at, made);
    return made;
}

namespace {

void refuse(Block& /*block*/, const Step& step) { throw Error(*static_cast<const std::string*>(step.rule)); }

/// Instructions through which a time may go to a branch, as waits with a limit have it.
constexpr std::string_view of_time[] = {"mov",  "add", "sub",  "mul", "mad", "div", "shl", "shr",
                                        "setp", "and", "selp", "or",  "not", "min", "max", "cvt"};
constexpr std::string_view led_by_time[] = {"bra", "nanosleep"};
constexpr std::size_t first_time = 3 * std::size(vector_registers) + std::size(scalar_registers) - 3;

} // namespace

Step Decoder::refused(DecodedProgram& code, const Instruction& at, std::string why) const {
    Step made;
    made.run = refuse;
    code.refusals.push_back(std::move(why));
    made.rule = &code.refusals.back();
    made.written = &at;
    return made;
}

/// The time is 0 here. It may lead branches of waits, and no data may depend on it.
void Decoder::require_no_data_of_time(DecodedProgram& code) const {
    std::vector<bool> is_time(program_.registers.size() + fixed_.size());
    bool is_any = false;
    for (std::size_t i = 0; i < fixed_.size(); ++i)
        if (fixed_[i].kind == FixedRegister::Kind::special && fixed_[i].value >= first_time)
            is_time[program_.registers.size() + i] = is_any = true;
    const auto depends = [&](std::uint32_t reg) { return reg != no_register && is_time[reg]; };
    const auto is_among = [](const auto& names, const Step& step) {
        return std::find(std::begin(names), std::end(names), step.written->parts[0]) != std::end(names);
    };
    for (bool goes_on = is_any; goes_on;) {
        goes_on = false;
        for (Step& step : code.steps) {
            bool uses = depends(step.guard);
            for (std::size_t i = 0; i < step.operands.size(); ++i) {
                const Place& place = step.operands[i];
                const bool is_written = i == 0 && is_among(of_time, step);
                uses |= !is_written && std::any_of(place.registers.begin(), place.registers.end(), depends);
            }
            if (!uses || is_among(led_by_time, step) || step.run == refuse) continue;
            if (!is_among(of_time, step) || step.type.letter == 'f') {
                step = refused(code, *step.written, "it depends on the time");
                continue;
            }
            for (const std::uint32_t reg : step.operands[0].registers)
                if (reg != no_register && !is_time[reg]) goes_on = is_time[reg] = true;
            if (depends(step.operands[0].second) || step.operands[0].second == no_register) continue;
            goes_on = is_time[step.operands[0].second] = true;
        }
    }
}

DecodedProgram Decoder::all() {
    DecodedProgram code;
    for (const Instruction& at : program_.code) {
        try {
            code.steps.push_back(step(at));
        } catch (const Error& error) { // it may be never run: an assertion that holds
            code.steps.push_back(refused(code, at, error.what()));
        }
    }
    code.fixed = fixed_;
    require_no_data_of_time(code);
    code.is_read.resize(program_.registers.size() + fixed_.size());
    const auto read = [&](std::uint32_t reg) {
        if (reg != no_register) code.is_read[reg] = true;
    };
    for (const Step& step : code.steps) {
        read(step.guard);
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            const Place& place = step.operands[i];
            // The first operand is what is written, but for addresses, jumps and barriers.
            const bool is_written =
                i == 0 && !place.is_address && (step.control == Control::on || step.control == Control::wait);
            if (!is_written) std::for_each(place.registers.begin(), place.registers.end(), read);
        }
    }
    return code;
}

} // namespace discern::programs
