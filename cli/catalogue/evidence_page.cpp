// A line of a list is a source, behind all the parameters that it is the source of; K, which is the
// instruction's name, is not said again. Of the units of an architecture each is said once. `discern show` has the
// values; of an open parameter the value is the reading that is followed, so it stands here too.
#include "evidence_page.hpp"

#include "models/import/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
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

/// The one that is known already, or else the new one, which joins them.
template <typename Item, typename IsIt>
Item& known_or_new(std::vector<Item>& all, const IsIt& is_it, Item fresh) {
    const auto found = std::ranges::find_if(all, is_it);
    return found != all.end() ? *found : all.emplace_back(std::move(fresh));
}

/// A row of a unit's table.
struct Source {
    Evidence evidence;
    std::string source;
    std::vector<std::pair<std::string, std::string>> parameters; ///< key, and its value if it is open
    bool operator==(const Source&) const = default;
};

std::vector<Source> sources_of(const CatalogueEntry& entry) {
    std::vector<Source> sources;
    for (const ParameterEvidence& row : evidence_of(entry)) {
        if (row.parameter == "K") continue;
        const auto is_same = [&](const Source& s) { return s.evidence == row.evidence && s.source == row.source; };
        known_or_new(sources, is_same, {row.evidence, row.source, {}})
            .parameters.emplace_back(row.parameter, row.evidence == Evidence::open ? row.value : "");
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

/// An architecture's units of one family.
struct UnitFamily {
    std::string architecture, name;
    std::vector<Alike> groups;
};

std::vector<UnitFamily> families_of(const std::vector<const CatalogueEntry*>& entries) {
    std::vector<UnitFamily> families;
    for (const CatalogueEntry* entry : entries) {
        const auto is_own = [&](const UnitFamily& known) {
            return known.architecture == entry->architecture && known.name == entry->family;
        };
        UnitFamily& family =
            known_or_new(families, is_own, {std::string(entry->architecture), std::string(entry->family), {}});
        const std::vector<Source> sources = sources_of(*entry);
        known_or_new(family.groups, [&](const Alike& known) { return known.sources == sources; }, {{}, sources})
            .entries.push_back(entry);
    }
    return families;
}

/// A parameter of some groups, with one value in all of them if it is open.
struct Of {
    std::pair<std::string, std::string> parameter;
    std::vector<std::size_t> groups; ///< from 1 on
};

/// What a source is the source of among the groups of an architecture.
struct EvidenceRow {
    Evidence evidence;
    std::string source;
    std::vector<Of> values;
};

std::vector<EvidenceRow> rows(const UnitFamily& family) {
    std::vector<EvidenceRow> all;
    for (std::size_t i = 0; i < family.groups.size(); ++i)
        for (const Source& source : family.groups[i].sources) {
            const auto is_same = [&](const EvidenceRow& known) {
                return known.evidence == source.evidence && known.source == source.source;
            };
            EvidenceRow& row = known_or_new(all, is_same, {source.evidence, source.source, {}});
            for (const auto& parameter : source.parameters)
                known_or_new(row.values, [&](const Of& known) { return known.parameter == parameter; }, {parameter, {}})
                    .groups.push_back(i + 1);
        }
    for (EvidenceRow& row : all) // what is said of the same groups stands together
        std::stable_sort(row.values.begin(), row.values.end(),
                         [](const Of& x, const Of& y) { return x.groups < y.groups; });
    std::stable_sort(all.begin(), all.end(),
                     [](const EvidenceRow& x, const EvidenceRow& y) { return x.evidence < y.evidence; });
    return all;
}

/// 1, 2 and 3 and 7 as "1–3, 7".
std::string group_ranges(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
        if (last > i) text += fmt::format("–{}", numbers[last]);
        i = last + 1;
    }
    return text;
}

/// The parameters of a row: those of some groups together, before the numbers of these.
std::string values_of(const EvidenceRow& row, std::size_t all) {
    std::string text;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const auto& [parameter, groups] = row.values[i];
        text += fmt::format("`{}`{}{}", parameter.first, parameter.second.empty() ? "" : " ", parameter.second);
        const bool is_last = i + 1 == row.values.size() || row.values[i + 1].groups != groups;
        if (is_last && groups.size() != all) text += fmt::format(" ({})", group_ranges(groups));
        text += i + 1 == row.values.size() ? "" : is_last ? "; " : ", ";
    }
    return text;
}

/// The parts of a name between dots, each with all that may stand there.
using Pattern = std::vector<std::vector<std::string>>;

/// Where two names of several parts differ, if that is one place.
std::optional<std::size_t> one_difference(const Pattern& x, const Pattern& y) {
    if (x.size() != y.size() || x.size() == 1) return std::nullopt;
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i]) continue;
        if (place) return std::nullopt;
        place = i;
    }
    return place;
}

/// Names that differ in one part as one, with these parts in braces: "mma.m16n8k16.f16.{e4m3,e5m2}.e4m3.f16".
std::vector<std::string> joined(const std::vector<std::string_view>& names) {
    std::vector<Pattern> patterns;
    for (const std::string_view name : names) {
        Pattern& pattern = patterns.emplace_back();
        for (std::string& part : import_cells::split(name, '.')) pattern.push_back({std::move(part)});
    }
    for (std::size_t i = 0; i < patterns.size(); ++i)
        for (std::size_t j = i + 1; j < patterns.size();) {
            const auto place = one_difference(patterns[i], patterns[j]);
            if (!place) {
                ++j;
                continue;
            }
            auto& all = patterns[i][*place];
            all.insert(all.end(), patterns[j][*place].begin(), patterns[j][*place].end());
            patterns.erase(patterns.begin() + static_cast<std::ptrdiff_t>(j));
            i = 0; // what was apart in two places may now be in one
            j = 1;
        }
    std::vector<std::string> texts;
    for (const Pattern& pattern : patterns) {
        std::string& text = texts.emplace_back();
        for (const auto& part : pattern) {
            const std::string all = fmt::format("{}", fmt::join(part, ","));
            text += (text.empty() ? "" : ".") + (part.size() == 1 ? all : "{" + all + "}");
        }
    }
    return texts;
}

/// A family's units, those with the same evidence in one line, counted on from `before`: one list an architecture.
std::string groups_of(const UnitFamily& family, std::size_t before) {
    std::string text;
    for (const Alike& alike : family.groups) {
        std::vector<std::string_view> names;
        for (const CatalogueEntry* entry : alike.entries) names.push_back(entry->instruction);
        text += fmt::format("{}. {}: `{}`\n", ++before, family.name, fmt::join(joined(names), "`, `"));
    }
    return text;
}

/// An architecture's units, numbered, and then the evidence for all of them.
std::string architecture_page(const std::vector<UnitFamily>& families) {
    std::string text = fmt::format("\n## {}\n\n", families.front().architecture);
    UnitFamily all;
    for (const UnitFamily& family : families) {
        text += groups_of(family, all.groups.size());
        all.groups.insert(all.groups.end(), family.groups.begin(), family.groups.end());
    }
    std::string_view kind;
    for (const EvidenceRow& row : rows(all)) {
        if (name(row.evidence) != kind) text += fmt::format("\n**{}**\n\n", kind = name(row.evidence));
        text += fmt::format("- {} — {}\n", values_of(row, all.groups.size()), row.source);
    }
    return text;
}

constexpr std::string_view opening =
    "# The evidence for each unit and parameter\n\n"
    "`discern show UNIT` prints the value of each parameter of a unit, and the best evidence for it. These pages have\n"
    "the evidence for all units; `discern units --evidence` makes them.\n\n"
    "| evidence | what the value rests on |\n|---|---|\n"
    "| `silicon` | measured outputs, which decide it |\n"
    "| `paper` | a published model, checked by its authors against the hardware |\n"
    "| `toolbox` | a published simulator |\n"
    "| `assembler` | what the assembler makes of the instruction |\n"
    "| `emulator` | an emulator of the instruction, by its vendor or by a specification |\n"
    "| `open` | not settled; the reading that is followed stands beside the parameter |\n\n"
    "Behind a dash stands the source; brackets name those of [sources.md](sources.md). Where two disagree, the one\n"
    "that is followed comes first. Units with the same evidence share a number; x.{a,b} is x.a and x.b. (1–3) is\n"
    "about the units of these numbers, and belongs to all parameters since the last semicolon; what has no numbers\n"
    "behind it is about all units of the architecture. Vectors for the open parameters are in\n"
    "[generated/questions](../generated/questions/README.md).\n";

} // namespace

std::string evidence_page(const std::vector<const CatalogueEntry*>& entries) {
    std::string text = std::string(opening) + settling();
    std::vector<std::vector<UnitFamily>> architectures;
    for (UnitFamily& family : families_of(entries)) {
        const auto is_own = [&](const auto& known) { return known.front().architecture == family.architecture; };
        known_or_new(architectures, is_own, {}).push_back(std::move(family));
    }
    for (const std::vector<UnitFamily>& families : architectures) text += architecture_page(families);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

} // namespace discern::cli
