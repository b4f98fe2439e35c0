// A row of a table is a source, with all the parameters that it is the source of; K, which is the
// instruction's name, is not said again.
#include "evidence_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace discern::cli {

namespace {

/// What would settle an open parameter, by its key. The names of questions are those of generated/questions.
struct Settles {
    std::string_view key, what;
};
constexpr auto all_settles = std::to_array<Settles>({
    {"zero", "outputs with zero products, or a zero c, whose fields' exponent is above that of all else: `zero-*`"},
    {"floor", "outputs with c = 0 and products below 2^-126 of which a floor truncates bits: `floor-*`"},
    {"as", "an output with a subnormal fp16 c beside products of its size: `c-of-volta`"},
    {"oinf", "an output with an infinite c against an overflowing product of the other sign: `overflow-*`"},
    {"fsign", "an output whose inputs are negative subnormals alone: `flush-*`"},
    {"zin", "an output whose inputs are -0 alone: `flush-*`"},
    {"zsign", "an output whose products and c are all -0: `zero-sign-*`"},
    {"usign", "an output that is negative and underflows to zero: `underflow-*`"},
    {"nan", "an output with a NaN operand that has a payload and a sign: `nan-*`"},
    {"frame", "an output with S2 = ±0 and products of both signs: `frame-*`"},
    {"opposed", "an output with a product that is zero, or far below S2, and opposes it: `opposed-*`"},
    {"round", "an output that is not exact: `round-*`"},
});

std::string_view settled_by(std::string_view key) {
    const auto* const row = std::find_if(all_settles.begin(), all_settles.end(),
                                         [key](const Settles& settles) { return settles.key == key; });
    return row == all_settles.end() ? "measured outputs" : row->what;
}

/// A row of a unit's table.
struct Source {
    Evidence evidence;
    std::string source;
    std::vector<std::pair<std::string, std::string>> parameters; ///< key and value
    bool operator==(const Source&) const = default;
};

std::vector<Source> sources_of(const CatalogueEntry& entry) {
    std::vector<Source> sources;
    for (const ParameterEvidence& row : evidence_of(entry)) {
        if (row.parameter == "K") continue;
        auto same = std::find_if(sources.begin(), sources.end(),
                                 [&](const Source& s) { return s.evidence == row.evidence && s.source == row.source; });
        if (same == sources.end()) same = sources.insert(same, {row.evidence, row.source, {}});
        same->parameters.emplace_back(row.parameter, row.value);
    }
    std::stable_sort(sources.begin(), sources.end(),
                     [](const Source& x, const Source& y) { return x.evidence < y.evidence; });
    return sources;
}

struct Alike {
    std::vector<const CatalogueEntry*> entries;
    std::vector<Source> sources;
};

std::vector<Alike> alike(const std::vector<const CatalogueEntry*>& entries) {
    std::vector<Alike> groups;
    for (const CatalogueEntry* entry : entries) {
        const std::vector<Source> sources = sources_of(*entry);
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const Alike& group) {
            const CatalogueEntry& first = *group.entries.front();
            return first.architecture == entry->architecture && first.family == entry->family &&
                   group.sources == sources;
        });
        if (known == groups.end())
            groups.push_back({{entry}, sources});
        else
            known->entries.push_back(entry);
    }
    return groups;
}

std::string table(const Alike& group) {
    std::string text;
    for (std::size_t i = 0; i < group.entries.size(); ++i)
        text += fmt::format("{}`{}`", i == 0 ? "" : ", ", group.entries[i]->instruction);
    text += fmt::format(" ({})\n\n| evidence | parameters | source |\n|---|---|---|\n", group.entries.front()->family);
    std::vector<std::string_view> open;
    for (const Source& source : group.sources) {
        std::string values;
        for (const auto& [key, value] : source.parameters) {
            values += fmt::format("{}`{}` {}", values.empty() ? "" : ", ", key, value);
            if (source.evidence == Evidence::open) open.push_back(key);
        }
        text += fmt::format("| {} | {} | {} |\n", name(source.evidence), values, source.source);
    }
    if (!open.empty()) text += "\nWould settle";
    for (std::size_t i = 0; i < open.size(); ++i)
        text += fmt::format("{} `{}`: {}", i == 0 ? "" : ";", open[i], settled_by(open[i]));
    return text + (open.empty() ? "\n" : ".\n\n");
}

constexpr std::string_view opening =
    "# The evidence for each unit and parameter\n\n"
    "Made by `discern units --evidence`; a test keeps it in step with the catalogue. For each parameter it names the "
    "best\n"
    "evidence that there is: `silicon` (measured outputs decide it), `paper` (a published model, checked by its "
    "authors\n"
    "against the hardware), `toolbox` (a published simulator), `assembler` (what the assembler makes of the "
    "instruction) or\n"
    "`open` (not settled; one reading is followed). Sources in brackets are those of [sources.md](sources.md); where "
    "two\n"
    "disagree, both are named, the one that is followed first. Questions are those of\n"
    "[generated/questions](../generated/questions/README.md). `discern show UNIT` prints the same for one unit.\n";

} // namespace

std::string evidence_page(const std::vector<const CatalogueEntry*>& entries) {
    std::string text(opening), architecture;
    for (const Alike& group : alike(entries)) {
        if (group.entries.front()->architecture != architecture) {
            architecture = group.entries.front()->architecture;
            text += fmt::format("\n## {}\n\n", architecture);
        }
        text += table(group);
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

} // namespace discern::cli
