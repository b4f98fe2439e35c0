#include "models/catalogue.hpp"

#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/products.hpp"
#include "models/suggest.hpp"
#include "tables.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace discern {

namespace {

using tables::Identity;

struct Catalogue {
    std::vector<Identity> identities;
    std::vector<CatalogueEntry> entries;
    std::map<std::string, std::size_t, std::less<>> by_name;
    std::map<std::uint64_t, std::size_t> by_arithmetic; ///< the first entry of each hash

    Catalogue() : identities(tables::identities()) {
        for (const Identity& identity : identities) {
            CatalogueEntry entry;
            entry.architecture = tables::arch_names[static_cast<std::size_t>(identity.arch)];
            entry.instruction = identity.instruction;
            entry.name = entry.architecture + "/" + entry.instruction;
            entry.unit = tables::build_unit(identity, identity.K);
            validate(entry.unit);
            entry.family = tables::family_of(identity);
            entry.remark = identity.remark;
            for (const auto& [key, value] : parameters(entry.unit))
                entry.evidence.push_back(tables::evidence_for(identity, key, value));
            by_name.emplace(entry.name, entries.size());
            by_arithmetic.emplace(arithmetic_hash(entry.unit), entries.size());
            entries.push_back(std::move(entry));
        }
    }
};

const Catalogue& all() {
    static const Catalogue catalogue; // immutable once made
    return catalogue;
}

[[noreturn]] void unknown_name(std::string_view name) {
    const auto slash = name.find('/');
    const std::string_view arch = name.substr(0, slash);
    const bool known_arch =
        std::find(tables::arch_names.begin(), tables::arch_names.end(), arch) != tables::arch_names.end();
    std::vector<std::string> candidates;
    if (slash != std::string_view::npos && !known_arch) {
        candidates.assign(tables::arch_names.begin(), tables::arch_names.end());
        for (const SoldProduct& product : products()) candidates.emplace_back(product.name);
        throw Error("unit '" + std::string(name.substr(0, 120)) + "': there is no architecture or product '" +
                    std::string(arch.substr(0, 40)) + "'" + did_you_mean(arch, candidates));
    }
    for (const CatalogueEntry& entry : all().entries)
        if (!known_arch || entry.architecture == arch) candidates.push_back(entry.name);
    const std::string hint = did_you_mean(name, candidates);
    throw Error("there is no unit '" + std::string(name.substr(0, 120)) + "'" +
                (hint.empty() ? "; `discern units` lists the names" : hint));
}

tables::Readings readings_of(std::string_view value) {
    if (value == "default") return tables::Readings::newest;
    if (value == "paper") return tables::Readings::paper;
    throw Error("override catalogue=" + std::string(value.substr(0, 40)) + ": default or paper is right");
}

} // namespace

std::string_view name(Evidence evidence) {
    constexpr std::array<std::string_view, 6> names = {"silicon", "paper", "toolbox", "assembler", "emulator", "open"};
    return names[static_cast<std::size_t>(evidence)];
}

const std::vector<CatalogueEntry>& catalogue() { return all().entries; }

const CatalogueEntry* find_entry(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) return nullptr;
    const std::string spelled = std::string(name.substr(0, slash + 1)) + tables::spelled(name.substr(slash + 1));
    const auto found = all().by_name.find(spelled);
    return found == all().by_name.end() ? nullptr : &all().entries[found->second];
}

const CatalogueEntry* entry_of(const Unit& unit) {
    const auto found = all().by_arithmetic.find(arithmetic_hash(unit));
    return found == all().by_arithmetic.end() ? nullptr : &all().entries[found->second];
}

Unit resolve_unit(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    const auto first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos)
        throw Error("the unit is empty; a catalogue name or a whole-unit line is right");
    text = text.substr(first, text.find_last_not_of(spaces) + 1 - first);
    require_closed_schedule(text);
    if (has_schedule(text)) return written_out(resolve_kernel(text));
    if (is_notation(text)) return parse_unit(text);
    const auto brace = text.find('{');
    std::string_view name = text.substr(0, brace);
    name = name.substr(0, name.find_last_not_of(spaces) + 1);
    const std::string_view braces = brace == std::string_view::npos ? "" : text.substr(brace);
    const CatalogueEntry* entry = find_entry(name);
    if (entry == nullptr)
        if (const auto of_product = unit_of_product(name)) entry = find_entry(*of_product);
    if (entry == nullptr) unknown_name(name);
    const Identity& identity = all().identities[static_cast<std::size_t>(entry - all().entries.data())];
    Unit unit = entry->unit;
    std::string others;
    for (const auto& [key, value] : parse_overrides(braces)) {
        // The bulk-normalised units have as many guard bits as n needs: K rebuilds them.
        int K = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), K);
        if (identity.input == tables::Input::bna && key == "K" && error == std::errc() &&
            end == value.data() + value.size() && K >= 1 && K <= 4096)
            unit = tables::build_unit(identity, K);
        if (key == "catalogue")
            unit = tables::build_unit(identity, unit.K, readings_of(value));
        else
            ((others += others.empty() ? "" : ",") += key) += "=" + std::string(value);
    }
    return with_overrides(unit, "{" + others + "}");
}

} // namespace discern
