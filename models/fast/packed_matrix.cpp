#include "packed_matrix.hpp"

namespace discern {

namespace {

std::unique_ptr<const PackedMatrix::Impl> packed(const Unit& unit, std::size_t k, std::size_t n, Patterns b,
                                                 KernelChoice kernels) {
    validate(unit);
    if (unit.scale) throw Error("a matrix of a unit with scales does not stay packed; products pack it");
    fast::Chains::check("B", b.size(), b.word(), k * n, unit.b);
    GemmOptions options;
    options.kernels = kernels;
    fast::Chains chains(unit, options);
    const std::size_t steps = chains.steps(k), per_chunk = std::min(chains.steps_of_chunk(), steps);
    auto impl =
        std::make_unique<PackedMatrix::Impl>(PackedMatrix::Impl{std::move(chains), b.data(), n, steps, per_chunk, {}});
    const fast::Chains& g = impl->chains; // from here on it stays where it is
    if (g.set == nullptr || k * n == 0) return impl;
    const fast::Source right{b, {}, 1, n, 1, n, n, k, 0};
    const std::size_t groups = (n + fast::panel - 1) / fast::panel;
    for (std::size_t first = 0; first < steps; first += per_chunk) {
        fast::Packed& chunk = impl->chunks.emplace_back(*g.layout, *g.codec_b, false, n, per_chunk);
        for (std::size_t group = 0; group < groups; ++group)
            chunk.pack(right, group, first, std::min(per_chunk, steps - first), g.set);
    }
    return impl;
}

} // namespace

PackedMatrix::PackedMatrix(const Unit& unit, std::size_t k, std::size_t n, Patterns b, KernelChoice kernels)
    : impl_(packed(unit, k, n, b, kernels)) {}
PackedMatrix::~PackedMatrix() = default;
PackedMatrix::PackedMatrix(PackedMatrix&&) noexcept = default;
PackedMatrix& PackedMatrix::operator=(PackedMatrix&&) noexcept = default;

std::size_t PackedMatrix::bytes() const {
    const fast::Chains& g = impl_->chains;
    if (impl_->chunks.empty()) return 0;
    const std::size_t lines = (impl_->n + fast::panel - 1) / fast::panel * fast::panel;
    const std::size_t element = g.layout->value_bytes + g.layout->right_code_bytes;
    return impl_->chunks.size() * impl_->per_chunk * g.K() * lines * element;
}

} // namespace discern
