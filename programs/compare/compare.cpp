#include "compare.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/evaluate/evaluate.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace discern::programs {

namespace {

constexpr std::size_t batch = 32;

/// Makes leaves +0 one after the other, where the two values still differ.
void simplify(const Evaluation& evaluation, std::vector<std::uint64_t>& values, const SearchLimits& limits,
              Difference& found) {
    for (std::uint64_t& value : values) {
        const std::uint64_t before = value;
        if (std::exchange(value, 0) == 0) continue;
        const auto results = evaluation(values);
        if (is_same(results[0], results[1], limits)) {
            value = before;
        } else {
            found.d1 = results[0];
            found.d2 = results[1];
        }
    }
    for (std::size_t leaf = 0; leaf < values.size(); ++leaf) found.values[evaluation.leaves()[leaf]] = values[leaf];
}

} // namespace

bool is_same(std::uint64_t one, std::uint64_t other, const SearchLimits& limits) {
    const auto is_nan = [&](std::uint64_t bits) {
        return decode(format(*limits.any_nan), bits).number_class == NumberClass::nan;
    };
    return one == other || (limits.any_nan && is_nan(one) && is_nan(other));
}

void add_formats(const Launch& launch, Terms& terms, LeafFormats& into) {
    for (const ArraySpec& array : launch.arrays) {
        const auto id = format_from_name(array.format);
        if (array.is_result || !id) continue;
        const auto [found, is_new] = into.try_emplace(terms.leaf_operation(array), *id);
        if (!is_new && found->second != *id)
            throw Error(sentence(array.name, " is ", format(found->second).name, " in the one launch and ",
                                 array.format, " in the other"));
    }
}

std::vector<TermPair> pairs_of(const FoldedResult& one, const FoldedResult& other) {
    std::vector<TermPair> pairs;
    if (one.shape != other.shape || one.axes != other.axes) {
        if (one.classes.size() != 1 || other.classes.size() != 1)
            throw Error(sentence(one.name,
                                 " has another shape in the second launch, and not all of its elements are of one "
                                 "tree, so nothing says which are compared"));
        return {{one.classes[0].term, other.classes[0].term, 0, 0}};
    }
    std::set<std::pair<NodeId, NodeId>> known;
    for (std::uint64_t i = 0; i < one.elements.size(); ++i)
        if (known.emplace(one.elements[i], other.elements[i]).second)
            pairs.push_back({one.elements[i], other.elements[i], i, i});
    return pairs;
}

std::optional<Difference> find_difference(const Terms& terms, const LeafFormats& formats, NodeId one, NodeId other,
                                          const SearchLimits& limits, std::uint64_t& tried) {
    const NodeId roots[2] = {one, other};
    const Evaluation evaluation(terms.graph, roots);
    const std::vector<NodeId>& leaves = evaluation.leaves();
    for (std::uint64_t done = 0; done < limits.vectors && !(limits.stop && limits.stop()); done += batch) {
        const auto values = random_values(terms, formats, leaves, batch, limits.seed + done);
        const auto results = evaluation(values, batch);
        for (std::size_t i = 0; i < batch; ++i) {
            ++tried;
            if (is_same(results[i], results[batch + i], limits)) continue;
            Difference found{.values = {}, .d1 = results[i], .d2 = results[batch + i]};
            std::vector<std::uint64_t> chosen;
            for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) chosen.push_back(values[leaf * batch + i]);
            simplify(evaluation, chosen, limits, found);
            return found;
        }
    }
    return std::nullopt;
}

std::uint64_t replayed(const RunKernel& kernel, const Result& result, std::uint64_t element, Terms& terms,
                       const LeafValues& values) {
    const NodeId roots[1] = {result.elements[element]};
    const Evaluation evaluation(kernel.graph, roots);
    const auto own = kernel.launch.arrays[result.array].indices_of(element);
    std::vector<std::uint64_t> given;
    for (const NodeId leaf : evaluation.leaves()) {
        const auto place = kernel.graph.arguments(leaf);
        const ArraySpec& array = kernel.launch.arrays[place[0]];
        std::vector<std::uint32_t> indices;
        for (const auto& [letter, index] : array.indices_of(place[1])) {
            const auto is_own = own.find(letter);
            indices.push_back(is_own != own.end() && is_own->second == index ? own_index : index);
        }
        const NodeId term = terms.graph.node(terms.leaf_operation(array), array.element, indices);
        const auto found = values.find(term);
        given.push_back(found == values.end() ? 0 : found->second);
    }
    return evaluation(given)[0];
}

std::string leaf_name(const Terms& terms, NodeId leaf) {
    const std::string& operation = terms.graph.operation_of(leaf).name;
    const std::string_view letters = Terms::letters(operation);
    const auto indices = terms.graph.arguments(leaf);
    std::string inside;
    for (const char letter : terms.axes.at(operation)) {
        const std::uint32_t index = indices[letters.find(letter)];
        inside += (inside.empty() ? "" : ",") + (index == own_index ? std::string(1, letter) : std::to_string(index));
    }
    return sentence(Terms::array_name(operation), "[", inside, "]");
}

} // namespace discern::programs
