#include "validate.hpp"

#include "models/error.hpp"
#include "models/sentence.hpp"

#include <algorithm>

namespace discern {

namespace {

constexpr std::size_t batch_size = 4000;

Vector as_vector(const InputBuffer& buffer, const Shape& shape, std::uint64_t d) {
    Vector vector;
    vector.a = buffer.a;
    vector.b = buffer.b;
    vector.sa = buffer.sa;
    vector.sb = buffer.sb;
    if (shape.c) vector.c = buffer.c;
    vector.d = {d};
    return vector;
}

} // namespace

void validate_target(Target& target, const Unit& unit, const ValidateOptions& options,
                     const std::function<void(const Mismatch&)>& report, Validation& result) {
    const Shape shape = shape_of(unit);
    if (shape != target.shape())
        throw Error(sentence("target (", to_string(target.shape()), ") and unit (", to_string(shape), ") differ in ",
                             difference(target.shape(), shape)));
    const Evaluator evaluate(unit);
    std::vector<InputGenerator> generators;
    for (const Family family : families) generators.emplace_back(unit, family, options.seed);

    std::vector<InputBuffer> buffers(std::min<std::uint64_t>(batch_size, options.vectors));
    std::vector<Inputs> batch;
    std::vector<TargetAnswer> answers;
    const auto family_of = [](std::uint64_t index) { return index % families.size(); };
    const auto compare = [&](std::uint64_t first) {
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!answers[i].ok()) {
                if (result.skipped++ == 0) result.first_error = answers[i].error;
                continue;
            }
            ++result.checked;
            const std::uint64_t expected = evaluate(batch[i]);
            if (same_result(unit, answers[i].d, expected)) continue;
            ++result.mismatches;
            report({.index = first + i,
                    .family = families[family_of(first + i)],
                    .vector = as_vector(buffers[i], shape, answers[i].d),
                    .expected = expected});
        }
    };
    for (std::uint64_t first = 0; first < options.vectors; first += batch.size()) {
        batch.clear();
        for (std::size_t i = 0; i < buffers.size() && first + i < options.vectors; ++i) {
            generators[family_of(first + i)].next(buffers[i]);
            batch.push_back(buffers[i].inputs());
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
