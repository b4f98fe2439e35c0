// Questions as they are in the files, and the judgement of answers. See questions.hpp.
#include "questions.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace discern {

namespace {

/// The vectors of the point's file, without results; none if there is no file.
std::vector<Vector> vectors_of(const OpenPoint& point, const Shape& shape) {
    const auto files = question_files();
    const auto file = std::ranges::find(files, point.name, &QuestionFile::point);
    if (file == files.end()) return {};
    std::istringstream text{std::string(file->text)};
    VectorReader reader(text, sentence(point.name, ".jsonl"));
    if (reader.shape() != shape)
        throw std::logic_error(sentence("generated/questions/", point.name, ".jsonl is about ",
                                        to_string(reader.shape()), ", and its point about ", to_string(shape)));
    std::vector<Vector> vectors;
    for (Vector vector; reader.next(vector);) {
        vector.clear_results();
        vectors.push_back(vector);
    }
    return vectors;
}

/// Whether no vector of the question tells two readings apart.
bool alike(const OpenQuestion& question, std::size_t one, std::size_t other) {
    for (std::size_t i = 0; i < question.vectors.size(); ++i)
        if (!gives(question, one, i, question.results[other][i]) &&
            !gives(question, other, i, question.results[one][i]))
            return false;
    return true;
}

} // namespace

std::string_view name(State state) {
    static constexpr std::array<std::string_view, 5> names = {"settled", "none", "open", "unasked", "no vector"};
    return names.at(static_cast<std::size_t>(state));
}

OpenQuestion question_of(const OpenPoint& point) {
    OpenQuestion question;
    question.point = &point;
    question.shape = shape_of(resolve_unit(point.unit));
    question.vectors = vectors_of(point, question.shape);
    for (std::size_t i = 0; i < point.readings.size(); ++i) {
        question.readings.push_back(resolve_unit(unit_text(point, i)));
        const Evaluator evaluate(question.readings.back());
        auto& results = question.results.emplace_back();
        for (const Vector& vector : question.vectors) results.push_back(evaluate(vector.inputs()));
    }
    return question;
}

bool gives(const OpenQuestion& question, std::size_t reading, std::size_t vector, std::uint64_t answer) {
    return same_result(question.readings.at(reading), question.results.at(reading).at(vector), answer);
}

Judgement judge(const OpenQuestion& question, std::span<const std::optional<std::uint64_t>> answers) {
    if (answers.size() != question.vectors.size()) throw std::logic_error("judge: an answer a vector, or nothing");
    Judgement judgement;
    for (std::size_t reading = 0; reading < question.readings.size(); ++reading) {
        auto& refuted_by = judgement.refuted_by.emplace_back();
        for (std::size_t i = 0; i < answers.size() && !refuted_by; ++i)
            if (answers[i] && !gives(question, reading, i, *answers[i])) refuted_by = i;
        if (!refuted_by) judgement.fitting.push_back(reading);
    }
    const auto is_one = [&] {
        const auto& fitting = judgement.fitting;
        return std::ranges::all_of(fitting, [&](std::size_t other) { return alike(question, fitting.front(), other); });
    };
    if (question.vectors.empty())
        judgement.state = State::no_vector;
    else if (judgement.fitting.empty())
        judgement.state = State::none;
    else if (is_one())
        judgement.state = State::settled;
    else if (std::ranges::none_of(answers, [](const auto& answer) { return answer.has_value(); }))
        judgement.state = State::unasked;
    else
        judgement.state = State::open;
    return judgement;
}

} // namespace discern
