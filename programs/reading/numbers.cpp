#include "numbers.hpp"

#include <stdexcept>

namespace discern::programs {

namespace {

std::vector<NodeId> roots_of(const RunKernel& kernel) {
    std::vector<NodeId> roots;
    for (const Result& result : kernel.results)
        roots.insert(roots.end(), result.elements.begin(), result.elements.end());
    return roots;
}

} // namespace

KernelNumbers::KernelNumbers(const RunKernel& kernel, unsigned threads)
    : kernel_(kernel), evaluation_(kernel.graph, roots_of(kernel), threads) {}

Arrays KernelNumbers::operator()(const Arrays& arrays) const {
    std::vector<std::uint64_t> given;
    for (const NodeId leaf : evaluation_.leaves()) {
        const auto place = kernel_.graph.arguments(leaf);
        if (place[0] >= arrays.size() || place[1] >= arrays[place[0]].size())
            throw std::logic_error("an array is too short");
        given.push_back(arrays[place[0]][place[1]]);
    }
    const std::vector<std::uint64_t> all = evaluation_(given);
    Arrays results;
    auto at = all.begin();
    for (const Result& result : kernel_.results) {
        const auto end = at + static_cast<std::ptrdiff_t>(result.elements.size());
        results.emplace_back(at, end);
        at = end;
    }
    return results;
}

} // namespace discern::programs
