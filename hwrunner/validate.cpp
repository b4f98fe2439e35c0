// Random vectors in batches, computed by the target and by the unit; differences are reported.
#include "validate.hpp"

#include "models/batch.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>

namespace discern {

namespace {

constexpr std::size_t batch_size = 4000;

} // namespace

void validate_target(Target& target, const Unit& unit, const ValidateOptions& options,
                     const std::function<void(const Mismatch&)>& report, Validation& result) {
    const Shape shape = shape_of(unit);
    if (shape != target.shape())
        throw Error(sentence("target (", to_string(target.shape()), ") and unit (", to_string(shape), ") differ in ",
                             difference(target.shape(), shape)));
    GemmOptions how;
    how.threads = options.threads;
    BatchEvaluator predict(unit, how);
    InputMixture mixture(unit, options.seed);

    std::vector<InputBuffer> buffers(std::min<std::uint64_t>(batch_size, options.vectors));
    std::vector<Inputs> batch;
    std::vector<TargetAnswer> answers;
    std::vector<std::uint64_t> expected;
    const auto compare = [&](std::uint64_t first) {
        expected.resize(answers.size());
        predict(std::span(batch).first(answers.size()), expected);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!answers[i].ok()) {
                if (result.skipped++ == 0) result.first_error = answers[i].error;
                continue;
            }
            ++result.checked;
            const auto raised = options.flags ? std::optional(options.flags(batch[i])) : std::nullopt;
            if (raised && !answers[i].flags)
                throw Error("the target gives no flags, which were to be compared: an answer is then a line "
                            R"({"d":"3f800000","flags":"01"})");
            if (same_result(unit, answers[i].d, expected[i]) && (!raised || answers[i].flags == raised)) continue;
            ++result.mismatches;
            Vector vector = vector_of(shape, batch[i]);
            vector.d = {answers[i].d};
            vector.flags = answers[i].flags;
            report({.index = first + i,
                    .family = families[(first + i) % families.size()],
                    .vector = std::move(vector),
                    .expected = expected[i],
                    .expected_flags = raised});
        }
    };
    for (std::uint64_t first = 0; first < options.vectors && !options.stop.stop_requested(); first += batch.size()) {
        batch.clear();
        if (options.progress) options.progress(first);
        const auto made = std::span(buffers).first(std::min<std::uint64_t>(buffers.size(), options.vectors - first));
        mixture.next(made, options.threads);
        for (InputBuffer& buffer : made) {
            if (options.limit) options.limit(buffer);
            batch.push_back(buffer.inputs());
        }
        answers.clear();
        try {
            target.run(batch, answers);
        } catch (const Error&) {
            compare(first);
            throw;
        }
        compare(first);
    }
}

} // namespace discern
