#include "models/catalogue.hpp"

#include "mnemonic.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/products.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"
#include "text.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace discern {

namespace {

using catalogue_text::EvidenceLine;
using catalogue_text::UnitLine;

struct Catalogue {
    std::vector<std::pair<const UnitLine*, const catalogue_text::File*>> lines; ///< of each entry
    std::vector<CatalogueEntry> entries;
    std::vector<std::string> architectures; ///< in the order in which they are first named
    std::map<std::string, std::size_t, std::less<>> by_name;
    std::map<std::uint64_t, std::size_t> by_arithmetic; ///< the first entry of each hash

    Catalogue() {
        for (const catalogue_text::File& file : catalogue_text::files())
            for (const UnitLine& line : file.units) add(line, file);
    }

    void add(const UnitLine& line, const catalogue_text::File& file) {
        if (!by_name.emplace(line.name, entries.size()).second)
            throw std::logic_error("the catalogue has " + line.name + " twice");
        if (std::find(architectures.begin(), architectures.end(), line.architecture) == architectures.end())
            architectures.push_back(line.architecture);
        by_arithmetic.emplace(arithmetic_hash(line.unit), entries.size());
        entries.push_back(line);
        lines.emplace_back(&line, &file);
    }

    const auto& line_of(const CatalogueEntry& entry) const {
        return lines[static_cast<std::size_t>(&entry - entries.data())];
    }
};

const Catalogue& all() {
    static const Catalogue catalogue; // immutable once made
    return catalogue;
}

bool is_number_in(std::string_view digits, int low, int high, int step) {
    const auto value = texts::whole_number(digits);
    return value && *value >= low && *value <= high && *value % step == 0;
}

/// A name as the catalogue spells it: the N of wgmma and the M and N of tcgen05 replaced by the shown ones if they are
/// legal. wgmma.m64nNk…: N = 8, 16, … 256.  tcgen05.mma.mMnNk…: M = 64, 128 (two CTAs: 256), N = 8, 16, … 256.
std::string as_listed(std::string_view instruction) {
    const bool wgmma = instruction.starts_with("wgmma.m64n");
    const bool tcgen05 = instruction.starts_with("tcgen05.mma.m");
    if (!wgmma && !tcgen05) return std::string(instruction);
    const auto n = instruction.find('n', wgmma ? 0 : 13);
    const auto k = instruction.find('k', n == std::string_view::npos ? 0 : n);
    if (n == std::string_view::npos || k == std::string_view::npos) return std::string(instruction);
    if (!is_number_in(instruction.substr(n + 1, k - n - 1), 8, 256, 8)) return std::string(instruction);
    std::string_view stem = instruction.substr(0, n);
    if (tcgen05) {
        const std::string_view M = instruction.substr(13, n - 13);
        if (M != "64" && M != "128" && M != "256") return std::string(instruction);
        stem = instruction.find(".block") == std::string_view::npos ? "tcgen05.mma.m64" : "tcgen05.mma.m128";
    }
    return std::string(stem) + "n8" + std::string(instruction.substr(k));
}

[[noreturn]] void unknown_name(std::string_view name) {
    const auto slash = name.find('/');
    const std::string_view arch = name.substr(0, slash);
    for (const std::string_view said : {arch, name, name.substr(0, name.find_first_of(". \t"))}) // of dpas.8x8, dpas
        if (const std::string why = why_no_product(said); !why.empty())
            throw Error(sentence("unit ", excerpt(name, 120), ": ", why));
    std::vector<std::string> candidates = all().architectures;
    const bool known_arch = std::find(candidates.begin(), candidates.end(), arch) != candidates.end();
    if (slash != std::string_view::npos && !known_arch) {
        for (const SoldProduct& product : products()) candidates.emplace_back(product.name);
        throw Error(sentence("unit '", name.substr(0, 120), "': there is no architecture or product '",
                             arch.substr(0, 40), "'", did_you_mean(arch, candidates)));
    }
    candidates.clear();
    for (const CatalogueEntry& entry : all().entries)
        if (!known_arch || entry.architecture == arch) candidates.push_back(entry.name);
    const std::string hint = did_you_mean(name, candidates);
    throw Error(sentence("there is no unit '", name.substr(0, 120), "'",
                         hint.empty() ? "; `discern units` lists the names" : hint));
}

/// Of the newest readings, which are the catalogue's, or of those of the paper that a unit is from.
Unit by_readings(const UnitLine& line, const Unit& unit, std::string_view value) {
    if (value == "default") return line.any_K.empty() ? line.unit : unit_for(line, unit.K);
    if (value != "paper")
        throw Error("override catalogue=" + std::string(value.substr(0, 40)) + ": default or paper is right");
    return line.paper.empty() ? by_readings(line, unit, "default") : parse_unit(line.paper);
}

} // namespace

std::string_view name(Evidence evidence) {
    constexpr std::array<std::string_view, 6> names = {"silicon", "paper", "toolbox", "assembler", "emulator", "open"};
    return names[static_cast<std::size_t>(evidence)];
}

const std::vector<CatalogueEntry>& catalogue() { return all().entries; }

std::vector<ParameterEvidence> evidence_of(const CatalogueEntry& entry) {
    std::vector<const EvidenceLine*> rows; // that speak of it
    for (const EvidenceLine& row : all().line_of(entry).second->evidence)
        if (std::any_of(row.names.begin(), row.names.end(),
                        [&](const std::string& name) { return catalogue_text::fits(name, entry.name); }))
            rows.push_back(&row);
    std::vector<ParameterEvidence> list;
    for (const auto& [key, value] : parameters(entry.unit)) {
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&, padded = " " + std::string(key) + " "](const auto* r) {
                return r->keys.empty() || r->keys.find(padded) != std::string::npos;
            });
        if (row == rows.end())
            throw std::logic_error("the catalogue does not say where " + entry.name + "'s " + std::string(key) +
                                   " is from");
        list.push_back({std::string(key), value, (*row)->evidence, (*row)->source});
    }
    return list;
}

const CatalogueEntry* find_entry(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) return nullptr;
    const std::string spelled = std::string(name.substr(0, slash + 1)) + as_listed(name.substr(slash + 1));
    const auto found = all().by_name.find(spelled);
    return found == all().by_name.end() ? nullptr : &all().entries[found->second];
}

const CatalogueEntry* entry_of(const Unit& unit) {
    const auto found = all().by_arithmetic.find(arithmetic_hash(unit));
    return found == all().by_arithmetic.end() ? nullptr : &all().entries[found->second];
}

Unit resolve_unit(std::string_view text) {
    text = texts::trimmed(text);
    if (text.empty()) throw Error("the unit is empty; a catalogue name or a whole-unit line is right");
    require_closed_schedule(text);
    if (has_schedule(text)) return written_out(resolve_kernel(text));
    if (const auto alone = mnemonic_alone(text))
        text = *alone;
    else if (is_notation(text))
        return parse_unit(text);
    const auto brace = text.find('{');
    const std::string_view name = texts::trimmed(text.substr(0, brace));
    const std::string_view braces = brace == std::string_view::npos ? "" : text.substr(brace);
    const CatalogueEntry* entry = find_entry(name);
    if (entry == nullptr)
        if (const auto of_product = unit_of_product(name)) entry = find_entry(*of_product);
    if (entry == nullptr) unknown_name(name);
    const UnitLine& line = *all().line_of(*entry).first;
    Unit unit = entry->unit;
    std::string others;
    for (const auto& [key, value] : parse_overrides(braces)) {
        // Some have another arithmetic for each K.
        const auto K = key == "K" ? texts::whole_number(value) : std::nullopt;
        if (!line.any_K.empty() && K && *K >= 1 && *K <= 4096) unit = unit_for(line, *K);
        if (key == "catalogue")
            unit = by_readings(line, unit, value);
        else
            ((others += others.empty() ? "" : ",") += key) += "=" + std::string(value);
    }
    return with_overrides(unit, "{" + others + "}");
}

} // namespace discern
