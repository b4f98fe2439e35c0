#include "classes.hpp"

#include "files.hpp"

#include "certificate/sha256.hpp"
#include "models/notation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace discern::certificate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view how_to_check =
    "# How to check this certificate\n\n"
    "    discern-check DIR\n\n"
    "with the folder of this file as DIR. It says that the units of each class are the same; each numbered folder is\n"
    "the certificate of two units, and can be checked alone. The program is built from discern's sources by\n"
    "`certificate/build`; docs/certificates.md there says what it trusts.\n";

/// The units of a class, each once, those with nan=any last: a merge with one of them says nothing of a NaN's bits.
std::vector<Unit> in_order(const std::vector<Unit>& units) {
    std::vector<Unit> ordered;
    for (const bool any : {false, true})
        for (const Unit& unit : units)
            if ((unit.nan.kind == NanRule::Kind::any) == any &&
                std::find(ordered.begin(), ordered.end(), unit) == ordered.end())
                ordered.push_back(unit);
    return ordered;
}

class Classes {
  public:
    Classes(const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options)
        : limits_(limits), folder_(folder), options_(options) {}

    /// @return whether there is a certificate now
    bool merge(const Unit& one, const Unit& other) {
        const std::string number = std::to_string(merges_.size() + 1),
                          name = std::string(4 - std::min<std::size_t>(4, number.size()), '0') + number;
        const auto now = std::chrono::steady_clock::now();
        WriteOptions how = options_;
        const auto until = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                     std::chrono::duration<double>(options_.seconds_each));
        how.deadline = std::min(options_.deadline.value_or(until), until);
        const Written written = write_certificate(one, other, limits_, folder_ / name, how);
        if (written.verdict == Written::Verdict::different)
            throw std::logic_error("the plain circuits of equivalent units differ: " + to_string(one) + " and " +
                                   to_string(other));
        if (written.verdict == Written::Verdict::open) return false;
        merges_.push_back(Json{{"units", {to_string(one), to_string(other)}},
                               {"folder", name},
                               {"sha256", sha256(file_contents(folder_ / name / "claim.json"))}});
        return true;
    }
    void assume(const Unit& one, const Unit& other) {
        unproved_.push_back(Json{{"units", {to_string(one), to_string(other)}}});
    }
    void add_class(const std::vector<Unit>& units) {
        Json lines = Json::array();
        for (const Unit& unit : units) lines.push_back(to_string(unit));
        classes_.push_back(lines);
    }
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
        return {merges_.size(), unproved_.size()};
    }

  private:
    const Limits& limits_;
    const std::filesystem::path& folder_;
    const WriteOptions& options_;
    Json classes_ = Json::array(), merges_ = Json::array(), unproved_ = Json::array();
};

} // namespace

WrittenClasses write_classes(const std::vector<std::vector<Unit>>& classes, const std::vector<std::string>& assumed,
                             const Limits& limits, const std::filesystem::path& folder, const WriteOptions& options,
                             const std::function<void(const std::string&)>& progress) {
    make_folder(folder);
    Classes written(limits, folder, options);
    std::size_t done = 0, all = 0;
    for (const auto& units : classes) all += units.size();
    for (const auto& units : classes) {
        const std::vector<Unit> ordered = in_order(units);
        for (std::size_t i = 1; i < ordered.size(); ++i) {
            if (progress) progress("certificates: " + std::to_string(done + i) + " of " + std::to_string(all));
            // Neighbours in a space differ least.
            if (!written.merge(ordered[i - 1], ordered[i])) written.assume(ordered[i - 1], ordered[i]);
        }
        done += units.size();
        if (ordered.size() > 1) written.add_class(ordered);
    }
    return written.write(assumed);
}

} // namespace discern::certificate
