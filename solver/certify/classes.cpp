#include "classes.hpp"

#include "files.hpp"

#include "certificate/claim.hpp"
#include "certificate/file.hpp"
#include "certificate/sha256.hpp"
#include "models/notation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace discern::certificate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_at_once = 64, few = 8; // units of one formula

constexpr std::string_view how_to_check =
    "# How to check this certificate\n\n"
    "    discern-check DIR\n\n"
    "with the folder of this file as DIR. It says that the units of each class are the same; each numbered folder is\n"
    "the certificate of some of them, and can be checked alone. The program is built from discern's sources by\n"
    "`certificate/build`; docs/certificates.md there says what it trusts.\n";

bool contains(const std::vector<Unit>& units, const Unit& unit) {
    return std::find(units.begin(), units.end(), unit) != units.end();
}

/// What a unit rounds.
const Node& summands(const Unit& unit) { return std::get<Round>(unit.tree.kind).get(); }

/// The units of a class, each once, those with nan=any last: a merge with one of them says nothing of a NaN's bits.
std::vector<Unit> in_order(const std::vector<Unit>& units) {
    std::vector<Unit> ordered;
    for (const bool any : {false, true})
        for (const Unit& unit : units)
            if ((unit.nan.kind == NanRule::Kind::any) == any && !contains(ordered, unit)) ordered.push_back(unit);
    return ordered;
}

/// The classes without those whose units all belong to another class of the list.
std::vector<std::vector<Unit>> largest(const std::vector<std::vector<Unit>>& classes) {
    std::vector<std::vector<Unit>> ordered;
    for (const auto& units : classes) ordered.push_back(in_order(units));
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& x, const auto& y) { return x.size() > y.size(); });
    std::vector<std::vector<Unit>> some;
    for (const auto& units : ordered)
        if (units.size() > 1 && std::none_of(some.begin(), some.end(), [&](const auto& larger) {
                return std::all_of(units.begin(), units.end(), [&](const Unit& x) { return contains(larger, x); });
            }))
            some.push_back(units);
    return some;
}

class Classes {
  public:
    Classes(const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options)
        : limits_(limits), folder_(folder), options_(options) {}

    /// How a class is divided into merges. Few units are merged at once. Of many, groups that differ only in the
    /// rounding of their result share nearly all gates; these are merged first, and then one unit of each group.
    void merge(const std::vector<Unit>& units) {
        if (units.size() <= few) return merge_together(units);
        std::vector<std::vector<Unit>> groups;
        for (const Unit& unit : units) {
            const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& some) {
                return summands(some.front()) == summands(unit) && some.size() < most_at_once;
            });
            if (group != groups.end())
                group->push_back(unit);
            else
                groups.push_back({unit});
        }
        std::vector<Unit> first;
        for (const std::vector<Unit>& group : groups) {
            merge_together(group);
            first.push_back(group.front());
        }
        merge_together(first);
    }
    void add_class(const std::vector<Unit>& units) { classes_.push_back(lines(units)); }
    WrittenClasses write(const std::vector<std::string>& assumed) {
        put_file(folder_ / "CHECK.md", std::string(how_to_check));
        write_claim(folder_, Json{{"discern-certificate", 1},
                                  {"claim", "classes"},
                                  {"limits", limits_json(limits_)},
                                  {"classes", classes_},
                                  {"merges", merges_},
                                  {"unproved", unproved_},
                                  {"assumed", assumed},
                                  {"files", {{"CHECK.md", sha256(how_to_check)}}}});
        return {merges_.size(), assumed_};
    }

  private:
    Written attempt(const std::vector<Unit>& units) {
        const std::string number = std::to_string(merges_.size() + 1),
                          name = std::string(4 - std::min<std::size_t>(4, number.size()), '0') + number;
        double seconds = options_.seconds_each * static_cast<double>(units.size() - 1);
        if (options_.limit.end != Limit::Clock::time_point::max()) { // a part of the time that is left
            const double left = options_.limit.seconds_left();
            seconds = std::min(left, std::max(seconds, left / 4));
        }
        WriteOptions how = options_;
        how.limit = Limit::after(seconds, options_.limit.stop);
        how.shared = true;
        Written written;
        try {
            written = write_certificate(units, limits_, folder_ / name, how);
        } catch (const std::length_error&) { // more gates than a certificate may have: nothing is proved
            return written;
        }
        if (written.verdict == Written::Verdict::different)
            throw std::logic_error("the reference circuits of equivalent units differ: " + lines(units).dump());
        if (written.verdict == Written::Verdict::equivalent)
            merges_.push_back(Json{{"units", lines(units)},
                                   {"folder", name},
                                   {"sha256", digest_of(folder_ / name / "claim.json", most_of_claim)}});
        return written;
    }
    /// One certificate for all units; or one for those that are proved together, one for the rest, and one that joins
    /// the two. What is not proved is assumed, and the claim says so.
    void merge_together(std::vector<Unit> units) {
        if (units.size() < 2) return;
        const Written written = options_.limit.reached() ? Written() : attempt(units);
        if (written.verdict == Written::Verdict::equivalent) return;
        if (written.apart.empty() || (units.size() == 2)) return assume(units);
        std::erase_if(units, [&](const Unit& unit) { return contains(written.apart, unit); });
        merge_together(units);
        merge_together(written.apart);
        if (units.size() > 1 || written.apart.size() > 1) merge_together({units.front(), written.apart.front()});
    }
    void assume(const std::vector<Unit>& units) {
        unproved_.push_back(Json{{"units", lines(units)}});
        assumed_ += units.size() - 1;
    }

    const Limits& limits_;
    const std::filesystem::path& folder_;
    const WriteOptions& options_;
    Json classes_ = Json::array(), merges_ = Json::array(), unproved_ = Json::array();
    std::size_t assumed_ = 0;
};

} // namespace

WrittenClasses write_classes(const std::vector<std::vector<Unit>>& classes, const std::vector<std::string>& assumed,
                             const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options,
                             const std::function<void(const std::string&)>& progress) {
    for (const auto& units : classes)
        if (!units.empty()) require_inputs(limits, units.front());
    make_folder(folder);
    Classes written(limits, folder, options);
    const std::vector<std::vector<Unit>> needed = largest(classes);
    std::size_t done = 0, all = 0;
    for (const auto& units : needed) all += units.size() - 1;
    for (const auto& units : needed) {
        if (progress) progress("certificates: " + std::to_string(done) + " of " + std::to_string(all) + " units");
        written.merge(units);
        written.add_class(units);
        done += units.size() - 1;
    }
    return written.write(assumed);
}

} // namespace discern::certificate
