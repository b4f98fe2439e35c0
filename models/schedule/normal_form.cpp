// Whether two kernels are one computation: their values as nodes of one table, where equal nodes are one.
//
// A node is C, +0, a block of products with the accumulator before it, a sum of two nodes, or a node in another format.
// What a schedule says in several ways becomes one node: a chain is the same in pieces and as a whole, an instruction
// of two blocks is two instructions of one, a sum has no order of its two terms, and +0 changes no sum whose other term
// is never −0.
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"
#include "outline.hpp"

#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

namespace discern {

namespace schedules {
namespace {

constexpr std::size_t most_blocks = 1 << 21; ///< of a kernel, beyond which it has no normal form here

enum class NodeKind : std::uint8_t { c, zero, block, add, convert };

/// The nodes of several kernels.
class Nodes {
  public:
    using Key = std::array<int, 6>;

    int of(NodeKind kind, std::array<int, 5> parts, bool never_minus_zero) {
        const auto [found, is_new] =
            ids_.try_emplace(Key{static_cast<int>(kind), parts[0], parts[1], parts[2], parts[3], parts[4]},
                             static_cast<int>(ids_.size()));
        if (is_new) nodes_.push_back({kind, parts[0], never_minus_zero});
        return found->second;
    }
    NodeKind kind(int node) const { return at(node).kind; }
    FormatId format_of(int node) const { return static_cast<FormatId>(at(node).format); }
    bool never_minus_zero(int node) const { return at(node).never_minus_zero; }
    /// A number for a list of elements, or for a text.
    int list(const std::vector<int>& elements) {
        return lists_.try_emplace(elements, static_cast<int>(lists_.size())).first->second;
    }
    int text(const std::string& line) {
        return texts_.try_emplace(line, static_cast<int>(texts_.size())).first->second;
    }

  private:
    struct Node {
        NodeKind kind;
        int format;
        bool never_minus_zero;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t h = 0x9e3779b97f4a7c15;
            for (const int part : key) h = (h ^ static_cast<std::uint32_t>(part)) * 0xff51afd7ed558ccd, h ^= h >> 32;
            return static_cast<std::size_t>(h);
        }
    };
    const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

    std::unordered_map<Key, int, Hash> ids_;
    std::vector<Node> nodes_;
    std::map<std::vector<int>, int> lists_;
    std::map<std::string, int> texts_;
};

/// Whether a chain of the unit's instructions is one of its blocks, in the order of the elements of each.
bool has_blocks(const Unit& unit) {
    return unit.place == AccumulatorPlace::chained && !unit.scale && has_accumulator(unit.tree);
}

/// The unit with as many products: a block, or several instructions one after the other.
Unit of_length(const Unit& unit, int K) {
    Unit block = unit;
    block.K = K;
    if (K < unit.K) {
        block.L = std::min(block.L, K);
        block.interleave = 0;
    }
    return block;
}

/// Whether no result is −0, whatever is added.
bool never_gives_minus_zero(const Unit& unit) {
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    return root != nullptr && unit.place == AccumulatorPlace::chained && !root->zsign_ieee && !root->usign_keep &&
           (root->ftz == Flush::none || !root->fsign_keep);
}

/// A kernel's value as a node.
class Former {
  public:
    /// @param per  products of a block, which divides the unit's K or is a multiple of it
    /// @param name  of the unit's blocks; those of equal names are taken for the same
    Former(Nodes& nodes, const Kernel& kernel, int per, const std::string& name)
        : nodes_(nodes), kernel_(kernel), per_(per), unit_(nodes.text(name)),
          never_(never_gives_minus_zero(kernel.unit)), ordered_(kernel.unit.nan.keeps_operands()) {}

    /// Nothing: a chain does not consist of such blocks.
    std::optional<int> value() {
        std::vector<int> values;
        for (const OutlineStep& step : outline(kernel_)) {
            const auto of = [&](int earlier) { return values[static_cast<std::size_t>(earlier)]; };
            switch (step.kind) {
            case OutlineStep::Kind::c: values.push_back(node(NodeKind::c, step.format, {}, false)); break;
            case OutlineStep::Kind::zero: values.push_back(zero(step.format)); break;
            case OutlineStep::Kind::convert: values.push_back(converted(of(step.x), step)); break;
            case OutlineStep::Kind::add: values.push_back(sum(of(step.x), of(step.y), step)); break;
            case OutlineStep::Kind::chain: {
                const auto end = chain(step.x < 0 ? zero(kernel_.unit.d) : of(step.x), step.instructions);
                if (!end) return std::nullopt;
                values.push_back(*end);
            }
            }
        }
        return values.back();
    }

  private:
    int node(NodeKind kind, FormatId format, std::array<int, 4> parts, bool never_minus_zero) {
        return nodes_.of(kind, {static_cast<int>(format), parts[0], parts[1], parts[2], parts[3]}, never_minus_zero);
    }
    int zero(FormatId format) { return node(NodeKind::zero, format, {}, true); }

    int converted(int x, const OutlineStep& step) {
        if (nodes_.kind(x) == NodeKind::zero) return zero(step.format);
        return node(NodeKind::convert, step.format, {x, static_cast<int>(step.mode)}, false);
    }

    int sum(int x, int y, const OutlineStep& step) {
        const auto is_kept = [&](int zero, int other) { // its NaN are those of sums too
            return nodes_.kind(zero) == NodeKind::zero && nodes_.never_minus_zero(other) && !ordered_ &&
                   nodes_.format_of(other) == step.format && step.format == kernel_.unit.d &&
                   nodes_.kind(other) != NodeKind::c;
        };
        if (is_kept(x, y)) return y;
        if (is_kept(y, x)) return x;
        // A sum of two numbers of the format is no smaller than its smallest; it is −0 if both are, or downwards.
        const bool same_format = nodes_.format_of(x) == step.format && nodes_.format_of(y) == step.format &&
                                 format(step.format).has_subnormals();
        const bool never =
            same_format && step.mode != Rounding::rd && (nodes_.never_minus_zero(x) || nodes_.never_minus_zero(y));
        if (!ordered_ && y < x) std::swap(x, y);
        return node(NodeKind::add, step.format, {x, y, static_cast<int>(step.mode)}, never);
    }

    std::optional<int> chain(int sum, const std::vector<int>& instructions) {
        const Unit& unit = kernel_.unit;
        std::vector<int> block;
        block.reserve(static_cast<std::size_t>(per_));
        for (const int instruction : instructions)
            for (int n = 0; n < unit.blocks(); ++n)
                for (int l = 0; l < unit.L; ++l) {
                    // Of several whole instructions the unit itself knows the order of elements.
                    const int element = per_ < unit.K ? unit.element(n, l) : n * unit.L + l;
                    block.push_back(instruction * unit.K + element);
                    if (static_cast<int>(block.size()) < per_) continue;
                    sum = node(NodeKind::block, unit.d, {unit_, sum, block.front(), list_of(block)}, never_);
                    block.clear();
                }
        if (!block.empty()) return std::nullopt;
        return sum;
    }
    /// −1: one after the other.
    int list_of(const std::vector<int>& block) {
        for (std::size_t i = 1; i < block.size(); ++i)
            if (block[i] != block[0] + static_cast<int>(i)) return nodes_.list(block);
        return -1;
    }

    Nodes& nodes_;
    const Kernel& kernel_;
    const int per_, unit_;
    const bool never_;
    const bool ordered_; ///< which of two NaN goes on depends on the order of terms
};

int block_of(const Unit& unit) { return has_blocks(unit) ? unit.L : unit.K; }

bool is_short_enough(const Kernel& kernel) {
    return static_cast<std::size_t>(kernel.K) / static_cast<std::size_t>(block_of(kernel.unit)) <= most_blocks;
}

} // namespace
} // namespace schedules

bool same_structure(const Kernel& one, const Kernel& other) {
    using namespace schedules;
    if (one == other) return true;
    if (shape_of(one) != shape_of(other) || !is_short_enough(one) || !is_short_enough(other)) return false;
    const auto name = [](const Unit& unit) { return to_string(continued(of_length(unit, block_of(unit)))); };
    Nodes nodes;
    const auto x = Former(nodes, one, block_of(one.unit), name(one.unit)).value();
    const auto y = Former(nodes, other, block_of(other.unit), name(other.unit)).value();
    return x && x == y;
}

std::vector<std::pair<Unit, Unit>> blocks_that_decide(const Kernel& one, const Kernel& other) {
    using namespace schedules;
    const Unit &u = one.unit, &v = other.unit;
    if (shape_of(one) != shape_of(other) || u.nan != v.nan || u.nan.keeps_operands()) return {};
    if (!is_short_enough(one) || !is_short_enough(other)) return {};
    std::vector<int> lengths;
    if (has_blocks(u) && has_blocks(v) && u.interleave == 0 && v.interleave == 0) lengths.push_back(std::lcm(u.L, v.L));
    lengths.push_back(std::lcm(u.K, v.K));
    for (const int per : lengths) {
        const auto can_be = [&](const Unit& unit) {
            return per == unit.K || per == block_of(unit) || (has_blocks(unit) && unit.interleave == 0);
        };
        if (!can_be(u) || !can_be(v)) continue;
        Nodes nodes;
        const auto x = Former(nodes, one, per, "").value(), y = Former(nodes, other, per, "").value();
        if (!x || x != y) continue;
        const Unit first = of_length(u, per), second = of_length(v, per);
        std::vector<std::pair<Unit, Unit>> pairs = {{continued(first), continued(second)}};
        if (u.c && *u.c != u.d) pairs.emplace_back(first, second); // the block that reads C
        return pairs;
    }
    return {};
}

} // namespace discern
