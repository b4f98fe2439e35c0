#include "kernels.hpp"

#include "challenge.hpp"

#include <algorithm>

namespace discern {

namespace {

/// A block's vector in place of the first products of a kernel, or of the last ones; all others are +0, with scale 1.
Vector placed(const Shape& shape, const Vector& block, bool at_the_end) {
    const auto wide = [at_the_end](const std::vector<std::uint64_t>& part, int all, std::uint64_t fill) {
        std::vector<std::uint64_t> list(static_cast<std::size_t>(all), fill);
        const auto first = at_the_end ? static_cast<std::ptrdiff_t>(list.size() - part.size()) : 0;
        std::copy(part.begin(), part.end(), list.begin() + first);
        return list;
    };
    Vector vector;
    vector.a = wide(block.a, shape.K, 0);
    vector.b = wide(block.b, shape.K, 0);
    const std::uint64_t unit = shape.scale ? one(format(shape.scale->format)) : 0;
    vector.sa = wide(block.sa, shape.scales(), unit);
    vector.sb = wide(block.sb, shape.scales(), unit);
    if (shape.c) vector.c = block.c.value_or(0);
    return vector;
}

/// Whether the kernels differ on it, in integers and in exact arithmetic alike; then the vector has both results.
bool tells(const Kernel& first, const Kernel& second, Vector& vector) {
    const Inputs inputs = vector.inputs();
    const std::uint64_t d1 = KernelEvaluator(first)(inputs), d2 = KernelEvaluator(second)(inputs);
    if (same_result(first, d1, d2) || same_result(second, d1, d2)) return false;
    if (evaluate_exactly(first, inputs) != d1 || evaluate_exactly(second, inputs) != d2) return false;
    vector.d = {d1, d2};
    vector.d_is_list = true;
    return true;
}

} // namespace

Answer decide_kernels(const Kernel& first, const Kernel& second, const DiscriminateOptions& options) {
    Answer answer;
    if (same_structure(first, second)) {
        answer.verdict = Verdict::equivalent;
        answer.same_tree = true;
        answer.ground = by_structure;
        return answer;
    }
    const std::vector<std::pair<Unit, Unit>> blocks = blocks_that_decide(first, second);
    if (blocks.empty()) return answer;
    DiscriminateOptions each = options;
    each.limits = {};
    each.timeout = options.timeout / static_cast<double>(blocks.size());
    Answer all;
    for (const auto& [one, other] : blocks) {
        const Answer block = discriminate(one, other, each);
        all.stages.insert(all.stages.end(), block.stages.begin(), block.stages.end());
        if (block.verdict == Verdict::equivalent) {
            also(all, block.same_tree ? "one computation of the inputs" : block.by, block.ground);
            all.challenged += block.challenged;
            continue;
        }
        answer.stages = all.stages;
        const Shape shape = shape_of(first);
        for (const Vector& witness : block.witnesses)
            for (const bool at_the_end : {false, true}) {
                Vector vector = placed(shape, witness, at_the_end);
                if (!options.limits.none() && !allows(options.limits, chain_of(first), vector.inputs())) continue;
                if (!tells(first, second, vector)) continue;
                answer.verdict = Verdict::different;
                answer.witnesses = {vector};
                return answer;
            }
        return answer;
    }
    if (all.ground != by_structure)
        all.challenged += require_unrefuted(claim_of(first, second, {}), all.by, options.reports);
    all.verdict = Verdict::equivalent;
    return all;
}

} // namespace discern
