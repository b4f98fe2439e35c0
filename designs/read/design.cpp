// Reads the JSON of yosys' write_json into words, cells and drivers.
#include "design.hpp"

#include "cells.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace discern::rtl {

namespace {

using nlohmann::json;

Net net_of(const json& bit) {
    if (bit.is_number_integer()) return bit.get<int>();
    const std::string text = bit.get<std::string>();
    return text == "0" ? net::zero : text == "1" ? net::one : text == "x" ? net::x : net::z;
}

std::vector<Net> nets_of(const json& bits) {
    std::vector<Net> nets;
    for (const json& bit : bits) nets.push_back(net_of(bit));
    return nets;
}

std::string text_or_empty(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void read_names(const json& module, Design& design) {
    for (const auto& [name, what] : module.at("netnames").items()) {
        if (what.value("hide_name", 0) != 0) continue;
        const std::vector<Net>& bits = design.words[name] = nets_of(what.at("bits"));
        for (std::size_t i = 0; i < bits.size(); ++i)
            design.names.try_emplace(bits[i], bits.size() == 1 ? name : sentence(name, "[", i, "]"));
    }
}

void read_ports(const json& module, Design& design) {
    for (const auto& [name, what] : module.at("ports").items()) {
        const std::string direction = what.at("direction").get<std::string>();
        if (direction == "inout")
            throw Error(
                sentence("the design's port ", excerpt(name), " is an inout; only inputs and outputs are read"));
        design.ports.push_back({name, direction == "input", nets_of(what.at("bits"))});
    }
}

void drive(Design& design, Net bit, const Design::Driver& driver) {
    if (net::is_constant(bit)) throw Error(sentence("the design drives a constant, in ", excerpt(design.top)));
    if (design.drivers.try_emplace(bit, driver).second) return;
    const auto& other = design.drivers.at(bit);
    const auto where = [&](const Design::Driver& d) {
        return d.is_port ? "the input " + design.ports[d.cell].name : design.cells[d.cell].at();
    };
    throw Error(sentence("the design drives ", excerpt(design.name_of(bit)), " more than once: ", where(other), " and ",
                         where(driver)));
}

void read_cells(const json& module, Design& design) {
    for (const auto& [name, what] : module.at("cells").items()) {
        Cell cell{.name = name, .type = what.at("type").get<std::string>(), .source = "", .pins = {}, .parameters = {}};
        if (const auto attributes = what.find("attributes"); attributes != what.end())
            cell.source = text_or_empty(*attributes, "src");
        // yosys joins the lines of a chain of modules by |, the innermost last.
        cell.source.erase(0, cell.source.rfind('|') + 1);
        for (const auto& [key, value] : what.at("parameters").items())
            cell.parameters[key] = value.is_string() ? value.get<std::string>() : value.dump();
        std::vector<std::pair<std::string, std::vector<Net>>> outputs;
        for (const auto& [pin, bits] : what.at("connections").items()) {
            cell.pins[pin] = nets_of(bits);
            const std::string direction = text_or_empty(what.value("port_directions", json::object()), pin.c_str());
            if (direction == "input") continue;
            outputs.emplace_back(pin, cell.pins[pin]);
        }
        // Assertions and the like compute nothing. Everything else has to be known.
        if (outputs.empty() && cell.type.starts_with("$")) continue;
        require_known(cell, outputs.empty() || outputs.front().second.empty()
                                ? ""
                                : design.name_of(outputs.front().second.front()));
        design.cells.push_back(std::move(cell));
        for (const auto& [pin, bits] : outputs)
            for (std::size_t i = 0; i < bits.size(); ++i)
                drive(design, bits[i], {design.cells.size() - 1, false, pin, i});
    }
}

} // namespace

bool Cell::is_set(const std::string& parameter) const {
    const auto found = parameters.find(parameter);
    return found != parameters.end() && found->second.find('1') != std::string::npos;
}

std::string Cell::at() const {
    if (source.empty()) return "in cell " + excerpt(name);
    const auto dot = source.find('.', source.rfind(':'));
    return "at " + source.substr(0, dot);
}

const Port* Design::find(std::string_view port) const {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == port; });
    return found == ports.end() ? nullptr : &*found;
}

std::string Design::name_of(Net bit) const {
    const auto found = names.find(bit);
    return found == names.end() ? sentence("net ", bit) : found->second;
}

Design read_design(std::string_view text) {
    const json netlist = json::parse(text, nullptr, false);
    if (netlist.is_discarded() || !netlist.contains("modules")) throw Error("yosys wrote no netlist that can be read");
    for (const auto& [name, module] : netlist.at("modules").items()) {
        const auto attributes = module.find("attributes");
        if (attributes == module.end() || !attributes->contains("top")) continue;
        Design design;
        design.top = name;
        read_names(module, design);
        read_ports(module, design);
        for (std::size_t p = 0; p < design.ports.size(); ++p)
            if (design.ports[p].is_input)
                for (std::size_t i = 0; i < design.ports[p].bits.size(); ++i)
                    drive(design, design.ports[p].bits[i], {p, true, "", i});
        read_cells(module, design);
        return design;
    }
    throw Error("yosys found no top module in the design");
}

} // namespace discern::rtl
