#include "names.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <charconv>

namespace discern::programs {

namespace {

constexpr std::uint64_t most_registers = 1 << 20;

bool read_whole(std::string_view text, int base, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

} // namespace

std::optional<std::uint64_t> immediate_of(std::string_view text) {
    std::uint64_t value = 0;
    if (text.ends_with("U")) text.remove_suffix(1);
    const std::string_view prefix = text.substr(0, 2);
    const bool is_float = prefix == "0f" || prefix == "0F" || prefix == "0d" || prefix == "0D";
    if (is_float || prefix == "0x" || prefix == "0X")
        return read_whole(text.substr(2), 16, value) ? std::optional(value) : std::nullopt;
    return read_whole(text, 10, value) ? std::optional(value) : std::nullopt;
}

void Names::open() {
    scopes_.push_back({.parent = scope_});
    scope_ = static_cast<int>(scopes_.size()) - 1;
}

void Names::close() { scope_ = scopes_[scope_].parent; }

void Names::declare_variable(Variable variable) {
    scopes_[scope_].variables[variable.name] = static_cast<std::uint32_t>(program_.variables.size());
    program_.variables.push_back(std::move(variable));
}

void Names::declare_parameter(Parameter parameter) {
    parameters_[parameter.name] = static_cast<std::uint32_t>(program_.parameters.size());
    program_.parameters.push_back(parameter);
}

bool Names::declare_registers(std::string_view name, unsigned bytes, std::uint64_t count) {
    if (count > most_registers || program_.registers.size() + count + 1 > most_registers) return false;
    const auto first = static_cast<std::uint32_t>(program_.registers.size());
    if (count == 0)
        scopes_[scope_].registers[name] = first;
    else
        scopes_[scope_].numbered[name] = {first, count};
    program_.registers.resize(program_.registers.size() + std::max<std::uint64_t>(count, 1),
                              static_cast<std::uint8_t>(bytes));
    return true;
}

void Names::declare_label(std::string_view name) {
    last_label_ = name;
    scopes_[scope_].labels[name] = static_cast<std::uint32_t>(program_.code.size());
}

void Names::declare_table(std::vector<std::string_view> labels) {
    scopes_[scope_].tables[last_label_] = static_cast<std::uint32_t>(tables_.size());
    tables_.emplace_back(scope_, std::move(labels));
}

std::optional<std::uint32_t> Names::register_of(std::string_view text) const {
    std::size_t digits = text.size();
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
    std::uint64_t number = 0;
    const bool is_numbered = digits < text.size() && read_whole(text.substr(digits), 10, number);
    for (int scope = scope_; scope >= 0; scope = scopes_[scope].parent) {
        const auto& one = scopes_[scope].registers;
        if (const auto found = one.find(text); found != one.end()) return found->second;
        if (!is_numbered) continue;
        const auto& known = scopes_[scope].numbered;
        if (const auto found = known.find(text.substr(0, digits)); found != known.end() && number < found->second.count)
            return found->second.first + static_cast<std::uint32_t>(number);
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Names::find(Table Scope::*table, std::string_view name, int scope) const {
    for (; scope >= 0; scope = scopes_[scope].parent)
        if (const auto found = (scopes_[scope].*table).find(name); found != (scopes_[scope].*table).end())
            return found->second;
    return std::nullopt;
}

Atom Names::atom(std::string_view text) const {
    using enum Atom::Kind;
    Atom is{.kind = label, .index = 0, .value = 0, .text = text};
    if (is_jump_ && !text.starts_with("%")) return is;
    if (text == "_") {
        is.kind = sink;
        return is;
    }
    if (const auto found = register_of(text)) {
        is.kind = reg;
        is.index = *found;
    } else if (text.starts_with("%") || (text[0] >= '0' && text[0] <= '9' && text.find('.') != text.npos)) {
        is.kind = special; // or 1.0, which no compiler writes where a register may stand
    } else if (const auto value = immediate_of(text)) {
        is.kind = immediate;
        is.value = *value;
    } else if (const auto found2 = parameters_.find(text); found2 != parameters_.end()) {
        is.kind = parameter;
        is.index = found2->second;
    } else if (const auto found3 = find(&Scope::variables, text, scope_)) {
        is.kind = variable;
        is.index = *found3;
    }
    return is;
}

void Names::add(Instruction instruction) {
    program_.code.push_back(std::move(instruction));
    scope_of_.push_back(scope_);
}

void Names::resolve(Instruction& instruction, int scope) {
    for (Operand& operand : instruction.operands) {
        for (Atom& atom : operand.atoms) {
            if (atom.kind != Atom::Kind::label) continue;
            const auto found = find(instruction.parts[0] == "brx" ? &Scope::tables : &Scope::labels, atom.text, scope);
            if (!found) throw Error(refusal(program_, instruction, sentence(excerpt(atom.text), " is not declared")));
            atom.index = *found;
        }
    }
}

void Names::finish() {
    for (std::size_t i = 0; i < program_.code.size(); ++i) resolve(program_.code[i], scope_of_[i]);
    for (const auto& [scope, labels] : tables_) {
        auto& table = program_.tables.emplace_back();
        for (const std::string_view label : labels) {
            const auto& known = scopes_[scope].labels;
            const auto found = known.find(label);
            if (found == known.end())
                throw Error(sentence(program_.file, ": .branchtargets names ", excerpt(label), ", which is no label"));
            table.push_back(found->second);
        }
    }
}

} // namespace discern::programs
