#include "certify.hpp"

#include "certificate/produce/classes.hpp"
#include "cli/progress.hpp"
#include "models/error.hpp"
#include "models/places.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace discern::cli {

namespace {

/// The smallest and the largest number of a format within a range that holds one, as patterns.
std::pair<std::uint64_t, std::uint64_t> bounds(const Format& f, const NumberRange& range) {
    const PlaceRange places = numbers_between(f, range.low, range.high).at(0);
    return {pattern_at_place(f, places.first), pattern_at_place(f, places.last)};
}

const Format& format_of(Operand operand, const Unit& unit) {
    switch (operand) {
    case Operand::a: return format(unit.a);
    case Operand::b: return format(unit.b);
    case Operand::c: return format(*unit.c);
    case Operand::sa:
    case Operand::sb: break;
    }
    return format(unit.scale->format);
}

certificate::Limits limits_of(const InputLimits& limits, const Unit& unit) {
    static constexpr const char* operands[] = {"a", "b", "sa", "sb", "c"}; // in the order of Operand
    certificate::Limits result{.finite = limits.finite, .no_subnormals = limits.no_subnormals};
    for (const ExponentRange& range : limits.ranges)
        result.ranges.push_back({operands[static_cast<std::size_t>(range.operand)], range.low, range.high});
    for (const NumberRange& range : limits.numbers) {
        const auto [low, high] = bounds(format_of(range.operand, unit), range);
        result.numbers.push_back({operands[static_cast<std::size_t>(range.operand)], low, high});
    }
    return result;
}

} // namespace

std::string certify(const QuestionOptions& options, const Unit& first, const Unit& second, const InputLimits& limits,
                    const Answer& answer, std::chrono::steady_clock::time_point deadline) {
    if (options.certificate.empty()) return "";
    if (answer.verdict == Verdict::unknown) return "the answer is not known";
    const certificate::Limits within = limits_of(limits, first);
    if (answer.verdict == Verdict::different) {
        std::vector<InputBuffer> vectors;
        for (const Vector& v : answer.witnesses) vectors.push_back({v.a, v.b, v.sa, v.sb, v.c.value_or(0)});
        certificate::write_difference({first, second}, within, vectors, options.certificate);
        return "";
    }
    certificate::WriteOptions how;
    how.seed = options.solving.seed + 1;
    how.deadline = deadline;
    const certificate::Written written =
        certificate::write_certificate({first, second}, within, options.certificate, how);
    using Found = certificate::Written::Verdict;
    if (written.verdict == Found::different) throw std::logic_error("the plain circuits of equivalent units differ");
    return written.verdict == Found::equivalent ? "" : "the plain circuits were not proved equal in time";
}

void add_certificate_option(CommandLine& line, std::string& folder) {
    line.add_shared("--certificate", folder, "within the time; if some are assumed: status 3")
        .check([](const std::string& text) {
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
    Progress progress(io);
    std::function<void(const std::string&)> show;
    if (progress.is_wanted()) show = [&](const std::string& what) { progress.show(what); };
    certificate::Limits within{.finite = limits.finite, .no_subnormals = limits.no_subnormals};
    for (const auto& units : same.classes) {
        const certificate::Limits own = limits_of(limits, units.front());
        if (&units != &same.classes.front() && own != within)
            throw Error("--certificate: --values mean other patterns in each format; for one certificate, the units "
                        "have to be of one");
        within = own;
    }
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
