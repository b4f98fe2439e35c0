#include "leaf.hpp"

#include "identification/identify/space/space.hpp"
#include "identification/identify/zeros.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/tree_shape.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/decide/decide.hpp"

#include <algorithm>
#include <array>

namespace discern::kernels {

namespace {

constexpr std::size_t of_families = 60;

/// −0, or +0 where there is none.
std::uint64_t minus_zero(FormatId id) { return format(id).has_minus_zero() ? negated(format(id), 0) : 0; }

/// Vectors of a leaf as vectors of the kernel, whose other products are −0, or +0 where there is none.
std::vector<std::optional<std::uint64_t>> embedded(const Shape& shape, std::span<const Inputs> batch,
                                                   const Candidate& candidate, const Ask& ask) {
    Vector zeros = identify::zeros_of(shape);
    std::ranges::fill(zeros.a, minus_zero(shape.a));
    std::vector<Vector> vectors(batch.size(), zeros);
    std::vector<Inputs> whole;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        Vector& v = vectors[i];
        for (std::size_t l = 0; l < batch[i].a.size(); ++l) {
            const auto k = static_cast<std::size_t>(candidate.chain[l]);
            v.a[k] = batch[i].a[l];
            v.b[k] = batch[i].b[l];
            if (!shape.scale) continue;
            const auto block = static_cast<std::size_t>(shape.scale->block);
            v.sa[k / block] = batch[i].sa[l / block];
            v.sb[k / block] = batch[i].sb[l / block];
        }
        if (shape.c) v.c = candidate.begins_from_c ? batch[i].c : minus_zero(*shape.c);
        whole.push_back(v.inputs());
    }
    return ask(whole);
}

/// Products that are −0, and negative ones too small for d: in no element, in all, in every second one and in the
/// last half.
void add_zeros(const Shape& shape, std::vector<Vector>& vectors) {
    const Format &a = format(shape.a), &b = format(shape.b);
    if (!a.has_minus_zero()) return;
    const auto smallest = [](const Format& f) { return pack(f, {.significand = 1, .exponent = f.emin()}); };
    static constexpr auto in_place = std::to_array<bool (*)(int, int)>(
        {[](int, int) { return false; }, [](int, int) { return true; }, [](int k, int) { return k % 2 == 1; },
         [](int k, int K) { return k >= K / 2; }});
    for (const auto& is_small : in_place) {
        Vector v = identify::zeros_of(shape);
        for (int k = 0; k < shape.K; ++k) {
            const bool small = is_small(k, shape.K);
            v.a[static_cast<std::size_t>(k)] = negated(a, small ? smallest(a) : 0);
            v.b[static_cast<std::size_t>(k)] = small ? smallest(b) : 0;
        }
        if (shape.c) v.c = minus_zero(*shape.c);
        vectors.push_back(std::move(v));
    }
}

/// The treatment of an accumulator cannot be observed in chains of one block that begin with +0: it is added to the
/// last sum.
void add_accumulator(Node& tree) {
    auto* round = std::get_if<Round>(&tree.kind);
    auto* sum = round == nullptr ? nullptr : std::get_if<Fuse>(&round->get().kind);
    if (sum == nullptr) return;
    Child c;
    c.node = {Node{Accumulator{}}};
    c.F = sum->children.front().F;
    c.rounding = sum->children.front().rounding;
    sum->children.push_back(std::move(c));
}

} // namespace

Leaf find_leaf(const Shape& shape, const Candidate& candidate, const Ask& ask, const identify::Options& how) {
    // Without c a chain must show how its accumulator is read.
    const int w = candidate.block;
    const int products = candidate.begins_from_c ? w : w == 1 ? 4 : 2 * w;
    Shape small = shape;
    small.K = std::min(products, static_cast<int>(candidate.chain.size()));
    if (!candidate.begins_from_c) small.c.reset();
    const Ask through = [&](std::span<const Inputs> batch) { return embedded(shape, batch, candidate, ask); };
    auto space = identify::default_space(small, identify::Modes::usual);
    // Two blocks from +0 may have the sums of one that is twice as long.
    if (!candidate.begins_from_c && w > 1)
        std::erase_if(space, [w](const parametric::Structure& one) { return one.frame.L > w; });
    const identify::Result found =
        identify::identify_target(small, identify::Candidates(std::move(space)), through, how);
    Leaf leaf;
    leaf.observations = found.observations.size() + found.validated;
    leaf.conclusion = found.conclusion;
    leaf.open = found.open;
    for (const auto* grounds : {&found.grounds, &found.grounds_of_names})
        for (const Ground& ground : *grounds) leaf.ground = weakest(leaf.ground, ground);
    if (found.unit) {
        leaf.unit = leaf.asked = found.unit;
        leaf.unit->c = shape.c;
        if (shape.c && !has_accumulator(leaf.unit->tree)) add_accumulator(leaf.unit->tree);
        if (!found.names.empty()) leaf.name = found.names.front();
    }
    return leaf;
}

std::optional<Ground> is_leaf(const Leaf& leaf, Unit unit, const std::optional<Conversion>& result) {
    if (!leaf.asked) return std::nullopt;
    Unit asked = *leaf.asked;
    unit.c = asked.c;
    unit.nan = asked.nan = {};
    DecideOptions options;
    options.timeout = 3;
    try {
        Kernel chain{unit, asked.K, {}};
        chain.unit.K = unit.L;
        chain.schedule.result = result;
        const Decision decision = decide(as_spaces({written_out(chain), asked, {}}), options);
        if (decision.verdict == Verdict::equivalent) return decision.ground;
    } catch (const Error&) {
        return std::nullopt; // no such chain, or none that the notation has words for
    }
    return std::nullopt;
}

std::vector<NamedUnit> variants(const Unit& unit, const std::string& name) {
    Unit any = unit;
    any.nan = {};
    std::vector<NamedUnit> units = {{name, any}};
    for (const bool zero : {true, false})
        for (const bool underflow : {true, false}) {
            Unit other = any;
            auto& round = std::get<Round>(other.tree.kind);
            round.zsign_ieee = zero;
            round.usign_keep = underflow;
            if (other != any) units.emplace_back("", std::move(other));
        }
    return units;
}

std::vector<Vector> first_vectors(const Shape& shape, std::uint64_t seed) {
    std::vector<Vector> vectors;
    add_zeros(shape, vectors);
    Unit chain = addition_unit(shape.d, shape.d, {shape.d, Rounding::rne}, {});
    chain.a = shape.a;
    chain.b = shape.b;
    chain.c = shape.c;
    chain.K = shape.K;
    chain.scale = shape.scale;
    InputMixture mixture(chain, seed);
    for (const Inputs& inputs : mixture.batch(of_families)) vectors.push_back(vector_of(shape, inputs));
    return vectors;
}

} // namespace discern::kernels
