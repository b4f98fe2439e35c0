// A unit's reference circuit, ready to be compared with an evaluator: 64 vectors at a time.
#pragma once

#include "certificate/reference.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "tests/models/differential.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern::tests {

/// The bits of a vector in the order of a netlist's inputs: bit v of one word each.
inline void put_vector(const Unit& unit, const InputBuffer& x, std::size_t v, std::vector<std::uint64_t>& words) {
    std::size_t next = 0;
    const auto put = [&](FormatId id, std::uint64_t pattern) {
        for (int i = 0; i < format(id).width; ++i, ++next) words[next] |= ((pattern >> i) & 1u) << v;
    };
    for (const std::uint64_t pattern : x.a) put(unit.a, pattern);
    for (const std::uint64_t pattern : x.b) put(unit.b, pattern);
    for (const std::uint64_t pattern : x.sa) put(unit.scale->format, pattern);
    for (const std::uint64_t pattern : x.sb) put(unit.scale->format, pattern);
    if (unit.c) put(*unit.c, x.c);
}

class ReferenceUnit {
  public:
    explicit ReferenceUnit(const Unit& unit) : unit_(unit), netlist_(certificate::input_bits(unit)) {
        d_ = certificate::reference_circuit(netlist_, unit, certificate::operands(netlist_, unit));
        netlist_ = certificate::without_unused(netlist_, d_);
    }
    std::size_t gates() const { return netlist_.nodes().size() - netlist_.inputs() - 1; }
    const certificate::Netlist& netlist() const { return netlist_; }
    const certificate::Bits& d() const { return d_; }

    /// d of at most 64 vectors.
    std::vector<std::uint64_t> operator()(std::span<const InputBuffer> vectors) const {
        std::vector<std::uint64_t> words(netlist_.inputs());
        for (std::size_t v = 0; v < vectors.size(); ++v) put_vector(unit_, vectors[v], v, words);
        const auto values = certificate::simulate(netlist_, words);
        std::vector<std::uint64_t> results(vectors.size());
        for (std::size_t bit = 0; bit < d_.size(); ++bit) {
            const std::uint64_t word = certificate::value_of(values, d_[bit]);
            for (std::size_t v = 0; v < vectors.size(); ++v) results[v] |= ((word >> v) & 1u) << bit;
        }
        return results;
    }

  private:
    Unit unit_;
    certificate::Netlist netlist_;
    certificate::Bits d_;
};

/// The first of the vectors on which the reference circuit and an evaluator differ, shrunk and described.
inline std::optional<std::string> reference_difference(const ReferenceUnit& plain, const Unit& unit,
                                                       const Evaluate& evaluate, std::span<const InputBuffer> vectors) {
    for (std::size_t first = 0; first < vectors.size(); first += 64) {
        const auto some = vectors.subspan(first, std::min<std::size_t>(64, vectors.size() - first));
        const auto results = plain(some);
        for (std::size_t v = 0; v < some.size(); ++v) {
            // Bit by bit: a NaN that may be any is the canonical one in both.
            if (results[v] == evaluate(some[v].inputs())) continue;
            const auto one = [&](const InputBuffer& x) { return plain(std::span(&x, 1)).front(); };
            const InputBuffer least =
                Shrinker(unit, [&](const InputBuffer& x) { return one(x) != evaluate(x.inputs()); })(some[v]);
            return describe(unit, least, one(least), evaluate(least.inputs()));
        }
    }
    return std::nullopt;
}

/// `count` vectors of every family.
inline std::vector<InputBuffer> vectors_of_families(const Unit& unit, std::uint64_t seed, int count) {
    std::vector<InputBuffer> vectors;
    for (const Family family : families) {
        InputGenerator generator(unit, family, seed);
        for (int i = 0; i < count; ++i) generator.next(vectors.emplace_back());
    }
    return vectors;
}

} // namespace discern::tests
