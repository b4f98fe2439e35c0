// What is asked of a design: one result, or all that a state or a handshake needs; then other readers.
#include "decide.hpp"

#include "handshake/answer.hpp"
#include "one_result.hpp"
#include "same_reading.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

/// What a question about two designs cannot be.
/// @throws Error
void require_possible(const ReadDesignOf& design) {
    const Connection& connection = design.question.connection;
    if (connection.state && !connection.result_is_state)
        throw Error(sentence("--state: of two designs the state itself is compared; --map d=", connection.state->name,
                             " says so of module ", design.question.design.top));
    if (connection.handshake) throw Error("--valid: a handshake is asked about beside a unit, not of two designs");
}

Answer answer_to(const ReadDesignOf& design, const DiscriminateOptions& options) {
    const DesignQuestion& question = design.question;
    const auto decide_one = [&](const DesignQuestion& one, const DiscriminateOptions& within) {
        return decide_one_result({one, design.sources}, nullptr, within);
    };
    if (question.connection.handshake) return decide_handshake(question, design.sources, options, decide_one);
    if (!question.connection.state || question.connection.result_is_state) return decide_one(question, options);
    // What the next operation finds has to be right, too.
    const auto start = Limit::Clock::now();
    DesignQuestion of_state = question;
    of_state.connection.result_is_state = true;
    Answer first = decide_one(of_state, options);
    if (first.verdict != Verdict::equivalent) return first;
    DiscriminateOptions rest = options;
    rest.timeout = std::max(options.timeout - seconds_since(start), 0.0);
    Answer answer = decide_one(question, rest);
    answer.same_tree = answer.same_tree && first.same_tree;
    if (answer.verdict == Verdict::equivalent) also(answer, first.by, first.ground);
    answer.seconds = seconds_since(start);
    answer.stages.insert(answer.stages.begin(), first.stages.begin(), first.stages.end());
    return answer;
}

} // namespace

Answer decide(const std::vector<ReadDesignOf>& designs, const DiscriminateOptions& options) {
    const auto start = Limit::Clock::now();
    if (designs.size() > 1) std::ranges::for_each(designs, require_possible);
    Answer answer = designs.size() == 1 ? answer_to(designs.front(), options)
                                        : decide_one_result(designs.at(1), &designs.front(), options);
    // A difference was replayed by a simulator; "equivalent" rests on the reading.
    if (answer.verdict != Verdict::equivalent) return answer;
    const Limit limit = Limit::after(std::max(options.timeout - seconds_since(start), 1.0), options.stop);
    for (const ReadDesignOf& design : designs)
        for (Stage& stage : compare_other_readers(design.question, design.sources, limit))
            answer.stages.push_back(std::move(stage));
    answer.seconds = seconds_since(start);
    return answer;
}

} // namespace discern::rtl
