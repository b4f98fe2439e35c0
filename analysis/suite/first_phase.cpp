// Two kinds of rows of a store: the members of each space with their trees, and the cells of the units of one shape.
// They are known by what was asked for: units by their hashes, spaces by their texts.
#include "first_phase.hpp"

#include "analysis/store/text.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/parallel.hpp"
#include "models/runs.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <atomic>
#include <sstream>

namespace discern {

namespace {

using Lists = std::vector<std::vector<std::size_t>>;

constexpr std::size_t most_numbers = 20'000'000;
// What changes if the same request is to have other first cells.
constexpr int version = 1;

/// A space with its choices, and the hash of its first member, which changes if its name comes to mean another unit.
std::string text_of(const Space& space) {
    std::string text = space.base() + "{";
    for (const Choice& choice : space.choices()) {
        text += choice.key + "=";
        for (const std::string& value : choice.values) text += value + "|";
    }
    for (std::uint64_t n = 0; n < space.size(); ++n)
        if (const auto unit = space.member(space.picks(n))) return text + "} " + store::hash_text(*unit);
    return text + "}";
}

/// The key of the rows, beside the limits of the inputs.
std::string request_text(const Asked& asked, std::uint64_t seed) {
    std::string text = sentence("version ", version, " seed ", seed);
    for (std::size_t i = 0; i < asked.listed.size(); ++i) text += " " + store::hash_text(asked.listed.unit(i));
    for (const Space& space : asked.spaces) text += "\n" + text_of(space);
    return text;
}

/// The lines of a text, of which there have to be so many at least; the last has what is left.
std::vector<std::string_view> lines_of(std::string_view text, std::size_t count) {
    std::vector<std::string_view> lines;
    for (; lines.size() + 1 < count; text.remove_prefix(lines.back().size() + 1)) {
        if (text.find('\n') == std::string_view::npos) throw Error("lines are missing");
        lines.push_back(text.substr(0, text.find('\n')));
    }
    lines.push_back(text);
    return lines;
}

/// Members, and of each shape its units and the numbers of their trees.
std::string text_of(const Members& members, std::span<const UnitsOfShape> groups, const Lists& units) {
    Lists trees;
    for (const UnitsOfShape& group : groups) trees.push_back(group.tree_of);
    return members.combinations() + "\n" + runs_text(units) + "\n" + runs_text(trees);
}

std::vector<UnitsOfShape> groups_from(const Asked& asked, const std::string& text, std::size_t& size) {
    const auto lines = lines_of(text, 3);
    Members members = asked.listed;
    members.add(asked.spaces, std::string(lines[0]));
    size = members.size();
    const Lists units = runs_from(lines[1], most_numbers), trees = runs_from(lines[2], most_numbers);
    if (units.size() != trees.size()) throw Error("it has other trees than units");
    std::vector<UnitsOfShape> groups;
    for (std::size_t g = 0; g < units.size(); ++g) {
        UnitsOfShape& group = groups.emplace_back();
        if (units[g].empty() || units[g].size() != trees[g].size()) throw Error("it has other trees than units");
        for (std::size_t i = 0; i < units[g].size(); ++i) {
            if (units[g][i] >= size || trees[g][i] > group.first.size()) throw Error("there is no such unit or tree");
            group.units.add(members, units[g][i]);
            if (trees[g][i] == group.first.size()) group.first.push_back(i);
        }
        group.tree_of = trees[g];
        group.shape = shape_of(group.units.unit(0));
    }
    return groups;
}

std::string text_of(const FirstCells& first, const Unit& unit) {
    std::vector<std::size_t> any;
    for (std::size_t i = 0; i < first.any.size(); ++i)
        if (first.any[i]) any.push_back(i);
    return sentence(first.in_vain, " ", first.together, "\n", any.empty() ? "" : runs_text({&any, 1}), "\n",
                    runs_text(first.cells), "\n", store::vectors_text(unit, first.pool));
}

FirstCells cells_from(const FirstPart& part, const UnitList& trees) {
    FirstCells first;
    const auto lines = lines_of(part.content, 4);
    const Unit unit = trees[0];
    first.made = part.made;
    first.complete = part.complete;
    std::istringstream(std::string(lines[0])) >> first.in_vain >> first.together;
    first.any.assign(trees.size, false);
    for (const auto& list : runs_from(lines[1], trees.size - 1))
        for (const std::size_t tree : list) first.any[tree] = true;
    first.cells = runs_from(lines[2], trees.size - 1);
    std::vector<bool> seen(trees.size, false);
    for (const Cell& cell : first.cells) {
        if (cell.empty()) throw Error("a cell has no unit");
        for (const std::size_t tree : cell) {
            if (seen[tree]) throw Error("a unit is in two cells");
            seen[tree] = true;
        }
    }
    if (std::ranges::find(seen, false) != seen.end()) throw Error("a unit is in no cell");
    first.pool = store::vectors_from(unit, std::string(lines[3]));
    return first;
}

/// Where parts are looked up and kept.
class Parts {
  public:
    Parts(const Asked& asked, const SuiteOptions& options) : options_(options) {
        if (!asked.spaces.empty()) request_ = request_text(asked, options.solving.seed);
    }

    /// What `read` makes of a part that one of the stores has, if one does.
    template <class Read>
    bool find(std::size_t part, const Read& read) const {
        if (request_.empty()) return false; // units one by one are looked at in a moment
        for (Store* const store : {options_.store, options_.cells_from}) {
            const auto found =
                store == nullptr ? std::nullopt : store->find_first(request_, options_.solving.limits, part);
            if (!found) continue;
            try {
                if (read(*found)) return true;
            } catch (const Error& error) {
                store->fail(sentence("has wrong first cells: ", error.what(), "; remove it"));
            }
        }
        return false;
    }

    void keep(std::size_t part, const FirstPart& first) const {
        if (!request_.empty() && options_.store != nullptr)
            options_.store->keep_first(request_, options_.solving.limits, part, first);
    }

  private:
    const SuiteOptions& options_;
    std::string request_;
};

} // namespace

void require_as_said(const FirstPhase& phase, const SuiteOptions& options) {
    constexpr std::size_t together = 256;
    std::atomic<bool> wrong = false;
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
        const UnitsOfShape& group = phase.groups[g];
        const std::vector<std::size_t>& trees = group.tree_of;
        for_each_index(options.threads, (trees.size() + together - 1) / together, [&](std::size_t part) {
            for (std::size_t i = part * together; i < std::min((part + 1) * together, trees.size()); ++i) {
                const Unit unit = group.units.unit(i);
                const std::size_t first = group.first[trees[i]];
                if (shape_of(unit) != group.shape ||
                    phase.cells[g].any[trees[i]] != (unit.nan.kind == NanRule::Kind::any) ||
                    (first != i && canonical_text(unit) != canonical_text(group.units.unit(first))))
                    wrong = true;
            }
        });
    }
    Store* const store = options.store != nullptr ? options.store : options.cells_from;
    if (wrong && store != nullptr) store->fail("has first cells of other units; remove it");
}

bool FirstPhase::interrupted() const {
    return std::ranges::any_of(cells, [](const FirstCells& first) { return first.interrupted; });
}

FirstPhase first_phase(const Asked& asked, const SuiteOptions& options, const Limit& limit) {
    const auto start = Limit::Clock::now();
    const Parts parts(asked, options);
    FirstPhase phase;
    phase.found = parts.find(0, [&](const FirstPart& part) {
        phase.groups = groups_from(asked, part.content, phase.units);
        return true;
    });
    if (!phase.found) {
        const Members& members = asked.members();
        if (members.empty()) throw Error("suite: there is no unit");
        Lists units;
        phase.groups = by_shape(members, options.solving.limits, options.threads, &units);
        phase.units = members.size();
        parts.keep(0, {text_of(members, phase.groups, units), 0, true});
    }
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
        const UnitList trees = phase.groups[g].trees();
        FirstCells first;
        parts.find(g + 1, [&](const FirstPart& part) {
            if (FirstCells found = cells_from(part, trees); found.complete || found.made > first.made)
                first = std::move(found);
            return first.complete;
        });
        if (!first.complete) {
            phase.found = false;
            TreeQuestions questions(trees, options, limit);
            PartitionOptions partition = questions.partition_options(options.progress);
            partition.keep_first = [&](const FirstCells& some) {
                parts.keep(g + 1, {text_of(some, trees[0]), some.made, some.complete});
            };
            first = first_cells(trees, partition, std::move(first));
        }
        phase.cells.push_back(std::move(first));
    }
    phase.seconds = seconds_since(start);
    return phase;
}

} // namespace discern
