#include "certify.hpp"

#include "checker.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "hwrunner/process/temporary.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/certify/answer.hpp"
#include "solver/certify/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace discern::cli {

namespace {

bool is_over(const ToCertify& what) {
    return what.interrupt.stopped() || std::chrono::steady_clock::now() >= what.deadline;
}

/// Makes the certificate in the folder. @return why there is none
std::string make(const QuestionOptions& options, const ToCertify& what, const Answer& answer,
                 const std::filesystem::path& folder) {
    if (!what.why_not.empty()) return what.why_not;
    certificate::WriteOptions how;
    how.seed = options.solving.seed + 1;
    how.limit = {what.deadline, what.interrupt.token()};
    const auto [made, why] = certificate::write_answer(what.what, what.limits, answer, folder, how);
    switch (made) {
    case certificate::Made::ready: return "";
    case certificate::Made::too_large: return "none can be made for circuits of this size: " + why;
    case certificate::Made::not_found:
        if (!why.empty()) return "none can be made for this design yet: " + why;
        return what.what.designs.empty()
                   ? "none can be made for these units yet: no way was found to prove their reference circuits equal"
                   : "none can be made for this design yet: no way was found to prove gate by gate that its circuit is "
                     "the other one";
    case certificate::Made::no_time: break;
    }
    return what.interrupt.requested() ? "the command was interrupted before it was ready"
                                      : fmt::format("it was not ready within {:g} s", options.solving.timeout);
}

} // namespace

std::string certify(const QuestionOptions& options, const ToCertify& what, const Answer& answer) {
    if (options.certificate.empty()) return "";
    if (answer.verdict == Verdict::unknown) return "the answer is not known";
    // Proofs by cases are written as they are found.
    what.interrupt.answer_is_known("the answer is known, but its certificate was not ready",
                                   [folder = std::filesystem::path(options.certificate)] {
                                       if (!is_there(folder / "claim.json")) TemporaryFolder::remove(folder);
                                   });
    return make(options, what, answer, options.certificate);
}

std::string check(const QuestionOptions& options, const ToCertify& what, const std::filesystem::path& program,
                  Answer& answer) {
    if (answer.verdict == Verdict::unknown) return "";
    if (answer.verdict == Verdict::different && options.certificate.empty()) return ""; // the vector shows it
    std::optional<TemporaryFolder> temporary;
    if (options.certificate.empty()) temporary.emplace("discern-");
    const std::filesystem::path folder =
        temporary ? temporary->path() / "certificate" : std::filesystem::path(options.certificate);
    const bool same = answer.verdict == Verdict::equivalent;
    std::function<void()> clean_up;
    if (temporary) clean_up = [path = temporary->path()] { TemporaryFolder::remove(path); };
    what.interrupt.answer_is_known(same ? "the units were found to be the same by " + answer.by +
                                              ", but no certificate of it was ready and accepted"
                                        : "the units were found to differ, but the certificate was not checked",
                                   std::move(clean_up));
    const auto stage = [&](const std::string& name, const auto& work) {
        const auto start = std::chrono::steady_clock::now();
        const std::string missing = work();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        answer.stages.push_back(
            {name, missing.empty() ? (name == "certificate" ? "made" : "accepted") : "nothing", seconds});
        answer.seconds += seconds;
        return missing;
    };
    std::string missing = stage("certificate", [&] { return make(options, what, answer, folder); });
    if (missing.empty())
        missing = stage("discern-check", [&]() -> std::string {
            const CheckerSays says =
                ask_checker(program, folder, name(answer.verdict), what.what, [&] { return is_over(what); });
            if (says.verdict == CheckerSays::Verdict::accepted) return "";
            if (says.verdict == CheckerSays::Verdict::refused) {
                if (temporary) temporary->keep();
                throw std::logic_error("discern-check does not accept the certificate in " + folder.string() + ": " +
                                       says.why);
            }
            return says.why.empty() ? "it was made, but not checked in the time" : says.why;
        });
    if (!same) return missing;
    answer.ground = missing.empty() ? by_certificate : Ground{};
    if (!missing.empty()) answer.verdict = Verdict::unknown;
    return missing;
}

void add_certificate_option(CommandLine& line, std::string& folder) {
    line.add_shared("--certificate", folder, "within the time; if some are assumed: status 3")
        .check([](const std::string& text) { return error_of([&] { certificate::require_empty_folder(text); }); });
}

std::chrono::steady_clock::time_point deadline_in(double seconds) {
    using Clock = std::chrono::steady_clock;
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e7)));
}

bool certify_classes(const std::string& folder, const SameUnits& same, const InputLimits& limits, std::uint64_t seed,
                     std::chrono::steady_clock::time_point deadline, std::stop_token stop, const Streams& io) {
    certificate::WriteOptions how;
    how.seed = seed + 1;
    how.limit = {deadline, std::move(stop)};
    Progress progress(io);
    std::function<void(const std::string&)> show;
    if (progress.is_wanted()) show = [&](const std::string& what) { progress.show(what); };
    const certificate::Limits within = certificate::limits_for(limits, same.classes);
    const certificate::WrittenClasses written =
        certificate::write_classes(same.classes, same.assumed, within, folder, how, show);
    progress.clear();
    const std::size_t assumed = written.assumed + same.assumed.size();
    io.err << fmt::format("discern: {} written to {}", counted(written.merges, "certificate"), folder);
    if (assumed > 0) io.err << "; assumed: " << (assumed == 1 ? "1 equality" : fmt::format("{} equalities", assumed));
    io.err << '\n';
    return assumed == 0;
}

} // namespace discern::cli
