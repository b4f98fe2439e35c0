// `discern audit`: the units of a space that a suite of vectors cannot distinguish.
#include "analysis/suite/audit.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/question/certify.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/question/question.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace discern::cli {

namespace {

struct AuditSettings {
    std::string path, space, out, certificate;
    DataOptions data;
    AuditOptions audit;
    std::uint64_t most = 20'000;
    std::size_t show = 10;
    bool json = false;
};

struct AuditResult {
    std::vector<Member> members;
    std::vector<Vector> suite;
    Shape shape;
    AuditReport report;
    std::optional<std::string> truth; ///< the unit that gave the observations, if it is one of ours
    std::vector<std::pair<std::size_t, Vector>> misread;
};

bool observed(const AuditResult& result) { return !result.report.contradictions.empty(); }

std::vector<std::size_t> explaining(const AuditResult& result) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < result.report.contradictions.size(); ++i)
        if (result.report.contradictions[i] == 0) all.push_back(i);
    return all;
}

std::string indented_vector(const Shape& shape, const Vector& vector) { return "      " + to_json(shape, vector); }

void print_class(std::ostream& out, const AuditResult& result, const AuditClass& one) {
    out << fmt::format("not told apart: {} units\n", one.size());
    for (const EquivalentUnits& group : one.groups) {
        const std::size_t first = group.front();
        out << fmt::format("  {}\n", result.members[first].text);
        for (std::size_t i = 1; i < group.size(); ++i)
            out << fmt::format("    equivalent: {}\n", result.members[group[i]].text);
        for (const MissedDifference& missed : one.missed)
            if (missed.second == first)
                out << fmt::format("    differs from {}:\n{}\n", result.members[missed.first].text,
                                   indented_vector(result.shape, missed.witness));
        for (const auto& [unit, other] : one.open)
            if (other == first)
                out << fmt::format("    unknown whether it differs from {}\n", result.members[unit].text);
    }
}

void print_observations(std::ostream& out, const AuditResult& result, std::size_t show) {
    const std::vector<std::size_t> all = explaining(result);
    if (all.empty()) {
        const auto& counts = result.report.contradictions;
        const auto nearest = static_cast<std::size_t>(std::min_element(counts.begin(), counts.end()) - counts.begin());
        out << fmt::format("no unit of the space explains the observations; the nearest contradicts {} of {}:\n  {}\n",
                           counts[nearest], result.suite.size(), result.members[nearest].text);
        return;
    }
    out << fmt::format("units that explain all observations: {}\n", all.size());
    for (std::size_t i = 0; i < std::min(show, all.size()); ++i)
        out << fmt::format("  {}\n", result.members[all[i]].text);
    if (all.size() > show) out << fmt::format("  … and {} more; --show N shows more\n", all.size() - show);
    if (result.misread.empty()) return;
    out << fmt::format("misread: these are not {}, and explain all observations\n", *result.truth);
    for (std::size_t i = 0; i < std::min(show, result.misread.size()); ++i)
        out << fmt::format("  {}\n{}\n", result.members[result.misread[i].first].text,
                           indented_vector(result.shape, result.misread[i].second));
}

void print_text(std::ostream& out, const AuditSettings& options, const AuditResult& result,
                const std::string& about_digits) {
    const AuditReport& report = result.report;
    out << fmt::format("{}: {}\n", options.path, counted(result.suite.size(), "vector"));
    std::size_t several = 0;
    for (const AuditClass& one : report.classes)
        if (one.size() > 1 && several++ < options.show) print_class(out, result, one);
    if (several > options.show)
        out << fmt::format("… and {} more classes; --show N shows more\n", several - options.show);
    if (observed(result) && !about_digits.empty()) out << about_digits << '\n';
    if (observed(result)) print_observations(out, result, options.show);
    out << fmt::format("units {}, classes {}, missed {}, unknown {}\n", result.members.size(), report.classes.size(),
                       report.missed(), report.open());
}

Ground weakest_of_all(const AuditReport& report) {
    Ground all;
    for (const AuditClass& one : report.classes) all = weakest(all, weakest_of(one.grounds));
    return all;
}

Json as_json(const AuditResult& result) {
    const auto unit = [&](std::size_t index) { return result.members[index].text; };
    const auto units = [&](const std::vector<std::size_t>& indices) { return list_of(indices, unit); };
    const auto of_class = [&](const AuditClass& one) {
        return Json{{"groups", list_of(one.groups, units)},
                    {"grounds", json_of(one.grounds)},
                    {"missed", list_of(one.missed,
                                       [&](const MissedDifference& missed) {
                                           return Json{{"units", {unit(missed.first), unit(missed.second)}},
                                                       {"vector", json_of(result.shape, missed.witness)}};
                                       })},
                    {"open", list_of(one.open, [&](const auto& pair) {
                         return Json::array({unit(pair.first), unit(pair.second)});
                     })}};
    };
    Json object = {{"vectors", result.suite.size()},
                   {"units", result.members.size()},
                   {"classes", list_of(result.report.classes, of_class)}};
    put_ground(object, weakest_of_all(result.report));
    object["missed"] = result.report.missed();
    object["open"] = result.report.open();
    if (observed(result)) {
        object["explain"] = units(explaining(result));
        object["misread"] = list_of(result.misread, [&](const auto& one) {
            return Json{{"unit", unit(one.first)}, {"vector", json_of(result.shape, one.second)}};
        });
    }
    return object;
}

SameUnits same_units(const AuditResult& result) {
    SameUnits same;
    for (const AuditClass& one : result.report.classes)
        for (const EquivalentUnits& group : one.groups) {
            auto& units = same.classes.emplace_back();
            for (const std::size_t index : group) units.push_back(result.members[index].unit);
        }
    return same;
}

/// The unit of ours that a file's header names as what was observed.
std::optional<std::string> truth_of(const Header& header) {
    constexpr std::string_view model = "model:";
    if (!header.target.starts_with(model)) return std::nullopt;
    return header.target.substr(model.size());
}

int run_audit(const Command& self, Arguments arguments, const Streams& io) {
    AuditSettings options;
    CommandLine line(self);
    line.add_option("FILE", options.path, "a file of vectors, or -; with d, also which units explain them").required();
    line.add_shared("--space", options.space).required();
    line.add_shared("--timeout", options.audit.timeout, "questions that are then not answered are unknown");
    line.add_shared("--solver", options.audit.solver, "as of prove (portfolio)");
    line.add_shared("--seed", options.audit.seed);
    line.add_whole("--most", options.most, "how many units a space may have", {.least = 1});
    line.add_shared("--show", options.show, "classes and units");
    line.add_shared("--json", options.json, "one object, with everything");
    add_certificate_option(line, options.certificate);
    add_data_options(line, options.data, {.formats = true});
    line.add_shared("-o", options.out);
    if (const auto ended = line.read(arguments, io)) return *ended;

    note_space(options.space, io);
    AuditResult result;
    result.members = members(read_spaces(options.space), options.most);
    if (result.members.empty()) throw Error("audit: the space " + excerpt(options.space) + " has no units");
    result.shape = shape_of(result.members.front().unit);
    VectorFile file(options.path, ReadAs{.unit = options.space, .shape = result.shape}, options.data, io);
    for (Vector vector; file.next(vector);) result.suite.push_back(vector);
    options.audit.ranges = &file.ranges();
    if (result.suite.empty()) throw Error(file.name() + " has no vectors; there is nothing to audit");
    OutputFile output(options.out, io, options.path);
    const auto deadline = deadline_in(options.audit.timeout);
    Interrupt interrupt(io, options.audit.timeout);
    options.audit.stop = interrupt.token();
    Progress progress(io);
    if (progress.is_wanted()) options.audit.progress = [&](const std::string& what) { progress.show(what); };
    result.report = discern::audit(result.suite, file.nan_any(), result.members, options.audit);
    result.truth = truth_of(file.header());
    if (result.truth && observed(result))
        result.misread = misreadings(result.report, resolve_unit(*result.truth), result.members, options.audit);
    interrupt.work_is_done();
    progress.clear();
    if (options.json)
        print_line(output.stream(), as_json(result));
    else
        print_text(output.stream(), options, result, file.about_digits());
    output.finish();
    const bool certified =
        options.certificate.empty() || certify_classes(options.certificate, same_units(result), {}, options.audit.seed,
                                                       deadline, interrupt.token(), io);
    if (result.report.missed() > 0) return status::different;
    return result.report.open() > 0 || !certified ? status::unknown : status::done;
}

} // namespace

extern constinit const Command audit_command{
    .name = "audit",
    .usage = "FILE",
    .summary = "which units a suite of vectors cannot tell apart",
    .example = "  discern audit suite.jsonl --space 'hopper/wgmma.m64n8k16.f32.f16.f16{F={23..26},L={8|16}}'\n"
               "      which of these eight units the suite cannot tell apart\n"
               "  discern audit observed.jsonl --space @space.txt\n"
               "      also, which of the units in a file explain the observations",
    .run = run_audit,
    .docs = {.group = "Unknown units", .page = "audit", .schemas = {"audit"}}};

} // namespace discern::cli
