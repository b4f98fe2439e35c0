// A row of a table is a source, with all the parameters that it is the source of; K, which is the
// instruction's name, is not said again. What all units of a family have is said once, before them.
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

std::string settling() {
    std::string text = "\n| open parameter | what would settle it |\n|---|---|\n";
    for (const Settles& settles : all_settles) text += fmt::format("| `{}` | {} |\n", settles.key, settles.what);
    return text + "| others | measured outputs |\n";
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

/// Units of one architecture and family with the same evidence.
struct Alike {
    std::vector<const CatalogueEntry*> entries;
    std::vector<Source> sources;
};

/// An architecture's units of one family: what is true of all of them is said once.
struct Family {
    std::string architecture, name;
    std::vector<Alike> groups;
};

std::vector<Family> families_of(const std::vector<const CatalogueEntry*>& entries) {
    std::vector<Family> families;
    for (const CatalogueEntry* entry : entries) {
        auto family = std::find_if(families.begin(), families.end(), [&](const Family& known) {
            return known.architecture == entry->architecture && known.name == entry->family;
        });
        if (family == families.end())
            family = families.insert(family, {std::string(entry->architecture), std::string(entry->family), {}});
        std::vector<Source> sources = sources_of(*entry);
        const auto group = std::find_if(family->groups.begin(), family->groups.end(),
                                        [&](const Alike& known) { return known.sources == sources; });
        if (group == family->groups.end())
            family->groups.push_back({{entry}, std::move(sources)});
        else
            group->entries.push_back(entry);
    }
    return families;
}

bool has(const Alike& group, const Source& source, const std::pair<std::string, std::string>& parameter) {
    return std::any_of(group.sources.begin(), group.sources.end(), [&](const Source& other) {
        return other.evidence == source.evidence && other.source == source.source &&
               std::find(other.parameters.begin(), other.parameters.end(), parameter) != other.parameters.end();
    });
}

/// The rows of a group that all groups of its family have, or those that not all have.
std::vector<Source> rows(const Family& family, const Alike& group, bool of_all) {
    std::vector<Source> chosen;
    for (const Source& source : group.sources) {
        Source part{source.evidence, source.source, {}};
        for (const auto& parameter : source.parameters) {
            const bool in_all = std::all_of(family.groups.begin(), family.groups.end(),
                                            [&](const Alike& other) { return has(other, source, parameter); });
            if (in_all == of_all) part.parameters.push_back(parameter);
        }
        if (!part.parameters.empty()) chosen.push_back(std::move(part));
    }
    return chosen;
}

std::string table(const std::vector<Source>& sources) {
    std::string text = "\n\n| evidence | parameters | source |\n|---|---|---|\n";
    for (const Source& source : sources) {
        std::string values;
        for (const auto& [key, value] : source.parameters)
            values += fmt::format("{}`{}` {}", values.empty() ? "" : ", ", key, value);
        text += fmt::format("| {} | {} | {} |\n", name(source.evidence), values, source.source);
    }
    return text + "\n";
}

std::string family_page(const Family& family) {
    std::string text;
    const std::vector<Source> common = rows(family, family.groups.front(), true);
    if (family.groups.size() > 1 && !common.empty())
        text += fmt::format("All of {}, {}", family.architecture, family.name) + table(common);
    for (const Alike& group : family.groups) {
        for (std::size_t i = 0; i < group.entries.size(); ++i)
            text += fmt::format("{}`{}`", i == 0 ? "" : ", ", group.entries[i]->instruction);
        text += fmt::format(" ({})", family.name);
        const std::vector<Source> own = family.groups.size() == 1 ? group.sources : rows(family, group, false);
        text += own.empty() ? "\n\n" : table(own);
    }
    return text;
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
    "disagree, both are named, the one that is followed first. What all units of an architecture's family have in\n"
    "common is said once, before what they do not. Questions are those of\n"
    "[generated/questions](../generated/questions/README.md). `discern show UNIT` prints the same for one unit.\n";

} // namespace

std::string evidence_page(const std::vector<const CatalogueEntry*>& entries) {
    std::string text = std::string(opening) + settling(), architecture;
    for (const Family& family : families_of(entries)) {
        if (family.architecture != architecture) text += fmt::format("\n## {}\n\n", family.architecture);
        architecture = family.architecture;
        text += family_page(family);
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

} // namespace discern::cli
