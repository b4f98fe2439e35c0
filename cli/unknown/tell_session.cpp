#include "tell_session.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"

namespace discern::cli {

std::string TellSession::run(const TargetChoice& choice, const Shape& shape, std::span<const Inputs> inputs,
                             std::vector<TargetAnswer>& answers) {
    if (inputs.empty() || stop_.stop_requested()) return "";
    if (const auto before = unavailable_.find(choice.target); before != unavailable_.end()) return before->second;
    try {
        if (!target_ || running_ != choice.target) {
            target_.reset();
            running_.clear();
            target_ = start_target(choice, shape, stop_, io_);
            running_ = choice.target;
            header_ = observation_header(choice, *target_, command_);
        }
        target_->run(inputs, answers);
        return "";
    } catch (const Stopped& stopped) {
        target_.reset();
        return stopped.what();
    } catch (const Error& error) {
        target_.reset(); // it cannot be used again
        trouble_ = error.what();
        if (running_.empty()) unavailable_[choice.target] = trouble_;
        return trouble_;
    }
}

Told TellSession::ask(const TargetChoice& choice, const OpenPoint& point) {
    Told told;
    told.question = question_of(point);
    told.target = choice.target;
    std::vector<Inputs> inputs;
    for (const Vector& vector : told.question.vectors) inputs.push_back(vector.inputs());
    std::vector<TargetAnswer> answers;
    const std::string why = run(choice, told.question.shape, inputs, answers);
    if (running_ == choice.target) { // also if it has failed by now
        told.header = header_;
    } else {
        told.header.shape = told.question.shape;
        told.header.target = choice.target;
    }
    told.header.other.emplace_back("point", json_string(point.name));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_there = i < answers.size();
        told.answers.push_back(is_there && answers[i].ok() ? std::optional(answers[i].d) : std::nullopt);
        told.errors.push_back(is_there ? answers[i].error : why);
    }
    told.judgement = judge(told.question, told.answers);
    return told;
}

std::optional<Control> TellSession::control(const TargetChoice& choice, const OpenPoint& point) {
    constexpr std::size_t vectors = 200;
    if (!target_ || running_ != choice.target || !input_of(choice).empty()) return std::nullopt;
    const Unit unit = resolve_unit(point.unit);
    InputGenerator generator(unit, Family::normal, 1);
    std::vector<InputBuffer> buffers(vectors);
    std::vector<Inputs> inputs;
    for (InputBuffer& buffer : buffers) {
        generator.next(buffer);
        inputs.push_back(buffer.inputs());
    }
    std::vector<TargetAnswer> answers;
    run(choice, shape_of(unit), inputs, answers);
    const Evaluator evaluate(unit);
    Control control{.target = choice.target, .unit = std::string(point.unit)};
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i].ok()) continue;
        ++control.checked;
        if (!same_result(unit, evaluate(inputs[i]), answers[i].d)) ++control.mismatches;
    }
    return control.checked == 0 ? std::nullopt : std::optional(control);
}

} // namespace discern::cli
