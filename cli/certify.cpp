#include "certify.hpp"

#include "certificate/produce/write.hpp"

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

} // namespace discern::cli
