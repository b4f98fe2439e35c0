#include "differences.hpp"

#include "cli/files/one_vector.hpp"
#include "cli/files/vector_table.hpp"
#include "cli/options/options.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/options/values.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/witness/shrink.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace discern::cli {

namespace {

/// "the unit gives 3f800000 (1), the target 3f800001 (…)", and what they raise if that is compared.
std::string what_differs(const Shape& shape, const Mismatch& mismatch) {
    const Format& d = format(shape.d);
    std::string text = fmt::format("the unit gives {}, the target {}", described(d, mismatch.expected),
                                   described(d, mismatch.vector.d.front()));
    if (mismatch.expected_flags)
        text += fmt::format("; it raises {}, the target {}", described(*mismatch.expected_flags),
                            described(*mismatch.vector.flags));
    return text;
}

std::string heading_of(const Mismatch& mismatch) {
    return fmt::format("vector {} ({})", mismatch.index + 1, name(mismatch.family));
}

void print_text(std::ostream& out, const Shape& shape, const std::string& heading, const Mismatch& mismatch) {
    out << fmt::format("{}: {}\n  {}\n", heading, what_differs(shape, mismatch), to_json(shape, mismatch.vector));
}

Json mismatch_json(const Shape& shape, const Mismatch& mismatch) {
    Json object = json_with_expected(shape, mismatch.vector, mismatch.expected);
    if (mismatch.expected_flags) object["expected_flags"] = flag_digits(*mismatch.expected_flags);
    return object;
}

/// The target's answer to one vector.
TargetAnswer answer_of(Target& target, const Inputs& inputs) {
    std::vector<TargetAnswer> answers;
    target.run(std::span(&inputs, 1), answers);
    return answers.empty() ? TargetAnswer{.d = 0, .error = "it does not answer again"} : answers.front();
}

} // namespace

Differences::Differences(const Unit& unit, std::string name, Target& target, StreamedCheck* streamed,
                         const DifferencesAs& shown)
    : unit_(&unit), shape_(shape_of(unit)), name_(std::move(name)), target_(&target), streamed_(streamed), as_(shown),
      distances_(format(shape_.d)) {}

void Differences::add(const Mismatch& mismatch, std::ostream& out) {
    if (!first_) {
        first_ = mismatch;
        if (streamed_ != nullptr) streamed_->keep(mismatch.index);
    }
    distances_.add(mismatch.expected, mismatch.vector.d.front(), std::string(name(mismatch.family)));
    if (shown_.size() == as_.most) return;
    shown_.push_back(mismatch);
    if (!as_.json && !as_.table) print_text(out, shape_, heading_of(mismatch), mismatch);
}

void Differences::simplify(const ValidateOptions& validate) {
    if (first_) simple_ = simplest(validate);
    if (streamed_ != nullptr && !simple_) streamed_->find_short_run(validate.stop);
}

/// @return nothing if the target fails or does not repeat the difference
std::optional<Mismatch> Differences::simplest(const ValidateOptions& validate) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const Evaluator predict(*unit_);
    std::optional<Mismatch> found;
    const auto differs = [&](const Vector& vector) {
        if (validate.stop.stop_requested() || std::chrono::steady_clock::now() > deadline) return false;
        if (validate.limit) {
            InputBuffer buffer{vector.a, vector.b, vector.sa, vector.sb, vector.c.value_or(0)};
            validate.limit(buffer);
            if (!vector_of(shape_, buffer.inputs()).same_inputs(vector)) return false;
        }
        const Inputs inputs = vector.inputs();
        const TargetAnswer answer = answer_of(*target_, inputs);
        const std::uint64_t expected = predict(inputs);
        const auto raised = validate.flags ? std::optional(validate.flags(inputs)) : std::nullopt;
        if (!answer.ok() || (same_result(*unit_, answer.d, expected) && (!raised || raised == answer.flags)))
            return false;
        found = first_;
        found->vector = vector;
        found->vector.d = {answer.d};
        found->vector.flags = answer.flags;
        found->expected = expected;
        found->expected_flags = raised;
        return true;
    };
    try {
        if (!differs(first_->vector)) return std::nullopt;
        simplified(*unit_, first_->vector, differs);
    } catch (const Error&) { // it answered the vectors of the check, which count
        return std::nullopt;
    }
    if (!same_result(*unit_, evaluate_exactly(*unit_, found->vector.inputs()), found->expected))
        throw std::logic_error("the models of the unit contradict each other on a vector of a check");
    return found;
}

/// A mismatch for people: the terms that matter to the unit and to the target, which is asked once more.
/// @return whether it could be printed; not if the target does not answer again, or another result
bool Differences::print_table(const std::string& heading, const Mismatch& mismatch, const Colours& colours,
                              std::ostream& out) const {
    const auto ask = [&](const Inputs& inputs) {
        const TargetAnswer answer = answer_of(*target_, inputs);
        if (!answer.ok()) throw Error(answer.error);
        return answer.d;
    };
    if (same_result(*unit_, mismatch.expected, mismatch.vector.d.front())) return false; // only their flags differ
    Vector vector = mismatch.vector;
    vector.d = {mismatch.expected, mismatch.vector.d.front()};
    try {
        std::ostringstream text;
        if (ask(vector.inputs()) != mismatch.vector.d.front()) return false;
        print_vector(text, shape_, {{{"the unit", unit_}, {"the target", nullptr, ask}}}, vector, 0, colours);
        out << heading << ":\n" << text.str();
        return true;
    } catch (const Error&) { // which terms matter is then not known
        return false;
    }
}

void Differences::put(Json& object) const {
    Json first = Json::array();
    for (const Mismatch& mismatch : shown_) first.push_back(mismatch_json(shape_, mismatch));
    object["first"] = std::move(first);
    object["apart"] = distances_.json();
    if (simple_) object["simplest"] = mismatch_json(shape_, *simple_);
    if (streamed_ != nullptr) streamed_->put(object);
}

void Differences::print(const Validation& result, bool ask_again, const Colours& colours, std::ostream& out) const {
    const auto say = [&](const std::string& heading, const Mismatch& mismatch) {
        if (!as_.table || !ask_again || !print_table(heading, mismatch, colours, out))
            print_text(out, shape_, heading, mismatch);
    };
    if (as_.table)
        for (const Mismatch& mismatch : shown_) say(heading_of(mismatch), mismatch);
    if (const std::uint64_t left = result.mismatches - faults_ - shown_.size(); left > 0)
        out << fmt::format("… and {} more; --show N shows more\n", left);
    if (result.skipped > 0)
        out << fmt::format("skipped {} that the target could not answer, the first because: {}\n", result.skipped,
                           printable(result.first_error));
    distances_.print(out);
    if (simple_) say("the first, made as simple as it can be", *simple_);
    if (streamed_ != nullptr) streamed_->print(out);
    if (first_ && (streamed_ == nullptr || !streamed_->has_run()))
        out << "how the unit gets there: " << quoted_command("explain", std::array{name_}) << ' '
            << as_options(shape_, (simple_ ? simple_ : first_)->vector) << '\n';
    const std::string all = fmt::format("checked {}, mismatches {}", result.checked, result.mismatches);
    out << (result.mismatches == 0 ? colours.good(all) : colours.bad(all)) << '\n';
}

} // namespace discern::cli
