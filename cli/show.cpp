// One unit: its whole-unit notation, its parameters with the evidence for each, and its equals.
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/vectors.hpp"
#include "options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace discern::cli {

namespace {

constexpr std::string_view example = "  discern show 'ampere/mma.m16n8k8.f32.tf32.tf32.f32{K=4}'\n"
                                     "      its notation, its parameters, and the units with the same arithmetic";

/// What is known about a unit that a user wrote.
struct Description {
    std::string text;
    Unit unit;
    const CatalogueEntry* entry = nullptr; ///< the evidence's: that of the name, or of a unit with the same arithmetic
    std::string overrides;                 ///< the part in braces
    std::vector<std::string> same;         ///< other catalogue names of the same arithmetic
};

Description describe(const std::string& text) {
    Description about{.text = text, .unit = resolve_unit(text), .entry = nullptr, .overrides = "", .same = {}};
    const std::size_t brace = text.find('{');
    about.entry = find_entry(std::string_view(text).substr(0, text.find_last_not_of(" \t", brace - 1) + 1));
    if (about.entry != nullptr && brace != std::string::npos) about.overrides = text.substr(brace);
    if (about.entry == nullptr) about.entry = entry_of(about.unit);
    const std::uint64_t hash = arithmetic_hash(about.unit);
    for (const CatalogueEntry& other : catalogue()) {
        const bool itself = &other == about.entry && about.overrides.empty();
        if (!itself && arithmetic_hash(other.unit) == hash) about.same.push_back(other.name);
    }
    return about;
}

void print_text(const Description& about, const Streams& io) {
    const auto row = [&](std::string_view label, const std::string& value) {
        io.out << fmt::format("{:<12}{}\n", label, value);
    };
    row("unit", about.text);
    row("notation", to_string(about.unit));
    row("arithmetic", fmt::format("{:016x}", arithmetic_hash(about.unit)));
    if (about.entry == nullptr) {
        row("evidence", "none: this is not a unit of the catalogue");
    } else {
        row("family", about.entry->family);
        if (!about.entry->remark.empty()) row("remark", about.entry->remark);
        row("evidence", about.overrides.empty() ? "of " + about.entry->name
                                                : "of " + about.entry->name + " without the overrides " +
                                                      about.overrides + ", for which there is none");
        std::size_t widest_parameter = 0, widest_value = 0;
        for (const ParameterEvidence& item : about.entry->evidence) {
            widest_parameter = std::max(widest_parameter, item.parameter.size());
            widest_value = std::max(widest_value, item.value.size());
        }
        for (const ParameterEvidence& item : about.entry->evidence)
            io.out << fmt::format("  {:<{}}  {:<{}}  {:<9}  {}\n", item.parameter, widest_parameter, item.value,
                                  widest_value, name(item.evidence), item.source);
    }
    if (about.same.empty()) row("same as", "no other unit of the catalogue");
    for (std::size_t i = 0; i < about.same.size(); ++i) row(i == 0 ? "same as" : "", about.same[i]);
}

void print_json(const Description& about, const Streams& io) {
    nlohmann::ordered_json object = {{"unit", about.text},
                                     {"tree", to_string(about.unit)},
                                     {"hash", fmt::format("{:016x}", arithmetic_hash(about.unit))}};
    if (about.entry != nullptr) {
        object["family"] = about.entry->family;
        object["remark"] = about.entry->remark;
        object["evidence_of"] = about.entry->name;
        object["overrides"] = about.overrides;
        object["evidence"] = nlohmann::ordered_json::array();
        for (const ParameterEvidence& item : about.entry->evidence)
            object["evidence"].push_back({{"parameter", item.parameter},
                                          {"value", item.value},
                                          {"evidence", name(item.evidence)},
                                          {"source", item.source}});
    }
    object["same"] = about.same;
    io.out << object.dump(1) << '\n';
}

} // namespace

int show(Arguments arguments, const Streams& io) {
    std::string text;
    bool json = false;
    CommandLine line("show", example);
    line.add_option("UNIT", text, "the unit")->required();
    line.add_flag("--json", json, "as a JSON object");
    if (const auto ended = line.read(arguments, io)) return *ended;

    const Description about = describe(text);
    if (json)
        print_json(about, io);
    else
        print_text(about, io);
    return status::done;
}

} // namespace discern::cli
