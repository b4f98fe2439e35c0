// One unit: its whole-unit notation, its parameters with the evidence for each, and its equals.
#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "cli/programs/ptx.hpp"
#include "models/catalogue.hpp"
#include "models/catalogue/mnemonic.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/products.hpp"
#include "models/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace discern::cli {

namespace {

/// One parameter as the unit has it, and why one should believe it.
struct Parameter {
    std::string key, value, evidence, source;
};

/// What is known about a unit that a user wrote.
struct Description {
    std::string text;
    Unit unit;
    const CatalogueEntry* entry = nullptr; ///< that of the name, or one with the same arithmetic
    std::vector<Parameter> parameters;
    std::vector<std::string> same; ///< other catalogue names of the same arithmetic
};

/// The catalogue's evidence for a value, as far as the unit has the catalogue's value.
Parameter with_evidence(const CatalogueEntry* entry, std::string key, std::string value) {
    Parameter parameter{.key = std::move(key), .value = std::move(value), .evidence = "given", .source = ""};
    if (entry == nullptr) return parameter;
    for (const ParameterEvidence& item : evidence_of(*entry)) {
        if (item.parameter != parameter.key) continue;
        if (item.value == parameter.value) {
            parameter.evidence = name(item.evidence);
            parameter.source = item.source;
        } else {
            parameter.source = entry->name + " has " + item.value;
        }
    }
    return parameter;
}

/// The text with the name of the catalogue in the place of a product's.
std::string with_name(const std::string& given) {
    const auto alone = mnemonic_alone(given);
    if (!alone && (is_notation(given) || given.find("@[") != std::string::npos)) return given;
    const std::string text(alone.value_or(given));
    const std::size_t end = std::min(text.find('{'), text.size());
    const auto name = unit_of_product(text.substr(0, end));
    return name ? *name + text.substr(end) : text;
}

Description describe(const std::string& given) {
    const std::string text = with_name(given);
    Description about{.text = text, .unit = resolve_unit(text), .entry = nullptr, .parameters = {}, .same = {}};
    const std::string_view name = std::string_view(text).substr(0, text.find('{'));
    about.entry = find_entry(name.substr(0, name.find_last_not_of(" \t") + 1));
    if (about.entry == nullptr) about.entry = entry_of(about.unit);
    for (auto& [key, value] : parameters(about.unit))
        about.parameters.push_back(with_evidence(about.entry, std::string(key), std::move(value)));
    const std::uint64_t hash = arithmetic_hash(about.unit);
    for (const CatalogueEntry& other : catalogue()) // most have another shape, which is seen sooner
        if (shape_of(other.unit) == shape_of(about.unit) && arithmetic_hash(other.unit) == hash && other.name != text)
            about.same.push_back(other.name);
    return about;
}

void print_text(const Description& about, const Streams& io) {
    const auto row = [&](std::string_view label, const std::string& value) {
        io.out << fmt::format("{:<12}{}\n", label, value);
    };
    row("unit", about.text);
    row("notation", to_string(about.unit));
    row("arithmetic", fmt::format("{:016x}", arithmetic_hash(about.unit)));
    if (about.entry != nullptr) {
        row("family", about.entry->family);
        if (!about.entry->remark.empty()) row("remark", about.entry->remark);
        if (const std::string sold = products_in_words(std::array{about.entry->name}); !sold.empty())
            row("products", sold);
    }
    row("parameters", about.entry != nullptr ? "with the evidence for " + about.entry->name
                                             : "not those of a unit of the catalogue, so there is no evidence");
    std::size_t widest_key = 0, widest_value = 0;
    for (const Parameter& parameter : about.parameters) {
        widest_key = std::max(widest_key, parameter.key.size());
        widest_value = std::max(widest_value, parameter.value.size());
    }
    for (const auto& [key, value, evidence, source] : about.parameters) {
        const std::string pad = source.empty() ? "" : "  ";
        io.out << fmt::format("  {:<{}}  {:<{}}  {:<{}}{}{}\n", key, widest_key, value, widest_value, evidence,
                              source.empty() ? 0 : 9, pad, source);
    }
    if (about.same.empty()) row("same as", "no other unit of the catalogue");
    for (std::size_t i = 0; i < about.same.size(); ++i) row(i == 0 ? "same as" : "", about.same[i]);
}

Json as_json(const Description& about) {
    Json object = {{"unit", about.text},
                   {"tree", to_string(about.unit)},
                   {"hash", fmt::format("{:016x}", arithmetic_hash(about.unit))}};
    if (about.entry != nullptr) {
        object["family"] = about.entry->family;
        object["remark"] = about.entry->remark;
        object["evidence_for"] = about.entry->name;
        object["products"] = products_of(about.entry->architecture);
    }
    object["parameters"] = list_of(about.parameters, [](const Parameter& p) {
        return Json{{"key", p.key}, {"value", p.value}, {"evidence", p.evidence}, {"source", p.source}};
    });
    object["same"] = about.same;
    return object;
}

int run_show(const Command& self, Arguments arguments, const Streams& io) {
    std::string text, launch;
    bool json = false;
    CommandLine line(self);
    line.add_option("UNIT", text, "the unit, or ptx:FILE or llir:FILE, a kernel").required();
    line.add_shared("--launch", launch);
    line.add_shared("--json", json, "one object");
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (programs::is_kernel_file(text)) return show_ptx(text, launch, json, io);
    const Description about = describe(text);
    if (json)
        io.out << as_json(about).dump(1) << '\n';
    else
        print_text(about, io);
    return status::done;
}

} // namespace

extern constinit const Command show_command{
    .name = "show",
    .usage = "UNIT",
    .summary = "a unit's notation, its parameters and the evidence for each",
    .example = "  discern show 'ampere/mma.m16n8k8.f32.tf32.tf32.f32{K=4}'\n"
               "      its notation, its parameters, and the units with the same arithmetic",
    .run = run_show,
    .docs = {.group = "Units", .page = "notation", .schemas = {"show", "show-kernel"}}};

} // namespace discern::cli
