#include "certify.hpp"

#include "certificate/produce/classes.hpp"
#include "cli/progress.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace discern::cli {

namespace {

certificate::Limits limits_of(const InputLimits& limits) {
    static constexpr const char* operands[] = {"a", "b", "sa", "sb", "c"}; // in the order of Operand
    certificate::Limits result{.finite = limits.finite, .ranges = {}};
    for (const ExponentRange& range : limits.ranges)
        result.ranges.push_back({operands[static_cast<std::size_t>(range.operand)], range.low, range.high});
    return result;
}

} // namespace

std::string certify(const QuestionOptions& options, const Unit& first, const Unit& second, const InputLimits& limits,
                    const Answer& answer, std::chrono::steady_clock::time_point deadline) {
    if (options.certificate.empty()) return "";
    if (answer.verdict == Verdict::unknown) return "the answer is not known";
    const certificate::Limits within = limits_of(limits);
    if (answer.verdict == Verdict::different) {
        std::vector<InputBuffer> vectors;
        for (const Vector& v : answer.witnesses) vectors.push_back({v.a, v.b, v.sa, v.sb, v.c.value_or(0)});
        certificate::write_difference(first, second, within, vectors, options.certificate);
        return "";
    }
    certificate::WriteOptions how;
    how.seed = options.solving.seed + 1;
    how.deadline = deadline;
    const certificate::Written written =
        certificate::write_certificate(first, second, within, options.certificate, how);
    using Found = certificate::Written::Verdict;
    if (written.verdict == Found::different) throw std::logic_error("the plain circuits of equivalent units differ");
    return written.verdict == Found::equivalent ? "" : "the plain circuits were not proved equal in time";
}

void add_certificate_option(CommandLine& line, std::string& folder) {
    line.add_shared("--certificate", folder, "within the time; if some are assumed: status 3")
        ->check([](const std::string& text) {
            try {
                certificate::require_empty_folder(text);
                return std::string();
            } catch (const Error& error) {
                return std::string(error.what());
            }
        });
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
    how.deadline = deadline;
    how.stop = std::move(stop);
    Progress progress(io.err);
    std::function<void(const std::string&)> show;
    if (Progress::is_wanted()) show = [&](const std::string& what) { progress.show(what); };
    const certificate::WrittenClasses written =
        certificate::write_classes(same.classes, same.assumed, limits_of(limits), folder, how, show);
    progress.clear();
    const std::size_t assumed = written.unproved + same.assumed.size();
    io.err << fmt::format("discern: {} written to {}", counted(written.merges, "certificate"), folder);
    if (assumed > 0) io.err << fmt::format("; assumed: {}", counted(assumed, "equality"));
    io.err << '\n';
    return assumed == 0;
}

} // namespace discern::cli
