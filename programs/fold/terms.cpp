#include "terms.hpp"

#include "integers.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace discern::programs {

namespace {

constexpr std::size_t most_letters = 4;
/// The multiply-add of the catalogue, with NVIDIA's NaN, or with any.
constexpr std::string_view fma_unit = "x86/fma.f32{nan=7fffffff}", fma_of_any_nan = "x86/fma.f32{nan=any}";
constexpr std::uint64_t nvidia_nan = 0x7fffffff;
constexpr std::int32_t any = -1, several = -2;

/// Without what does not change the value: .rn of sums and products, which is their default.
std::string plain_name(std::string_view name) {
    const bool is_arithmetic = name.starts_with("add.") || name.starts_with("sub.") || name.starts_with("mul.");
    const std::size_t at = is_arithmetic ? name.find(".rn.") : std::string_view::npos;
    return at == std::string_view::npos ? std::string(name)
                                        : std::string(name.substr(0, at)) + std::string(name.substr(at + 3));
}

enum class Symmetry : std::uint8_t { none, first_two, all };

Symmetry symmetry_of(std::string_view name) {
    const auto begins = [&](std::string_view root) { return name.starts_with(root); };
    if (name.find("xorsign") != std::string_view::npos) return Symmetry::none;
    if (begins("max.") || begins("min.")) return Symmetry::all;
    if (begins("add.") || begins("mul.") || begins("fma.") || begins("atom.add.") || begins("and.") || begins("or.") ||
        begins("xor."))
        return Symmetry::first_two;
    return Symmetry::none;
}

/// What an operation of the kernel becomes.
struct Meaning {
    OpId op = 0;
    Symmetry symmetry = Symmetry::none;
    bool is_atomic = false;
    bool is_known = false;
    std::optional<IntegerUnit> integers{};
    std::string name{}; ///< of a unit of integers
};

class Folding {
  public:
    Folding(const RunKernel& kernel, const ArraySpec& result, Terms& terms)
        : graph_(kernel.graph), arrays_(kernel.launch.arrays), terms_(terms), axes_(result.axes),
          fma_unit_(kernel.any_nan ? fma_of_any_nan : fma_unit) {
        if (axes_.size() > most_letters) throw Error(sentence(result.name, " has more than four axes"));
        for (const ArraySpec& array : arrays_) {
            leaf_operations_.push_back(terms.leaf_operation(array));
            places_.push_back({});
            for (const char letter : array.axes) places_.back().push_back(axes_.find(letter));
        }
        fma_ = terms.graph.operation("fma.rn.f32");
        mul_ = terms.graph.operation("mul.f32");
        add_ = terms.graph.operation("add.f32");
    }

    /// Terms of all nodes that use one index of each letter only.
    void all_nodes() {
        terms_of_.resize(graph_.size());
        indices_.reserve(graph_.size() * axes_.size());
        for (NodeId id = 0; id < graph_.size(); ++id) {
            const Indices own = indices_of(id);
            indices_.insert(indices_.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(axes_.size()));
            if (is_plain(own))
                terms_of_[id] = make(
                    id, [&](NodeId operand) { return terms_of_[operand]; }, own);
        }
    }

    /// The term of a node in an element with these indices.
    NodeId element(NodeId id, const std::array<std::int32_t, most_letters>& at) {
        if (fits(id, at)) return terms_of_[id];
        known_.resize(graph_.size());
        ++element_;
        const auto is_known_here = [&](NodeId node) { return known_[node].element == element_; };
        std::vector<NodeId> waiting = {id}, operands;
        while (!waiting.empty()) {
            const NodeId now = waiting.back();
            graph_.operands(now, operands);
            bool ready = true;
            for (const NodeId operand : operands) {
                if (is_known_here(operand)) continue;
                if (fits(operand, at)) {
                    known_[operand] = {element_, terms_of_[operand]};
                } else {
                    waiting.push_back(operand);
                    ready = false;
                }
            }
            if (!ready) continue;
            waiting.pop_back();
            if (!is_known_here(now))
                known_[now] = {element_, make(
                                             now, [&](NodeId operand) { return known_[operand].term; }, at)};
        }
        return known_[id].term;
    }

  private:
    using Indices = std::array<std::int32_t, most_letters>;

    static bool is_plain(const Indices& indices) {
        return std::find(indices.begin(), indices.end(), several) == indices.end();
    }
    bool fits(NodeId id, const Indices& at) const {
        const std::int32_t* own = indices_.data() + id * axes_.size();
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (own[i] != any && own[i] != at[i]) return false;
        return true;
    }

    Indices indices_of(NodeId id) {
        Indices found;
        found.fill(any);
        if (graph_.kind(id) == Kind::leaf) {
            const auto arguments = graph_.arguments(id);
            const ArraySpec& array = arrays_[arguments[0]];
            std::uint32_t element = arguments[1];
            for (std::size_t axis = array.shape.size(); axis-- > 0;) {
                const std::size_t letter = places_[arguments[0]][axis];
                if (letter != std::string::npos) found[letter] = static_cast<std::int32_t>(element % array.shape[axis]);
                element /= array.shape[axis];
            }
            return found;
        }
        graph_.operands(id, operands_);
        for (const NodeId operand : operands_)
            for (std::size_t i = 0; i < axes_.size(); ++i) {
                const std::int32_t other = indices_[operand * axes_.size() + i];
                if (other == any || other == found[i]) continue;
                found[i] = found[i] == any ? other : several;
            }
        return found;
    }

    const Meaning& meaning(OpId op) {
        if (meanings_.size() <= op) meanings_.resize(op + 1);
        Meaning& known = meanings_[op];
        if (known.is_known) return known;
        const Operation& operation = graph_.operation(op);
        const std::string name = operation.kind == Kind::function ? plain_name(operation.name)
                                 : operation.kind == Kind::unit   ? terms_.unit_name(operation.name)
                                                                  : operation.name;
        known = {terms_.graph.operation(name, operation.kind),
                 operation.kind == Kind::function ? symmetry_of(name) : Symmetry::none,
                 name.starts_with("atom.add."),
                 true,
                 operation.kind == Kind::unit ? integer_unit(name) : std::nullopt,
                 name};
        return known;
    }

    NodeId leaf(NodeId id, const Indices& at) {
        const auto arguments = graph_.arguments(id);
        const ArraySpec& array = arrays_[arguments[0]];
        std::vector<std::pair<char, std::uint32_t>> indices;
        std::uint32_t element = arguments[1];
        for (std::size_t axis = array.shape.size(); axis-- > 0;) {
            const std::uint32_t index = element % array.shape[axis];
            const std::size_t letter = places_[arguments[0]][axis];
            const bool is_own = letter != std::string::npos && at[letter] == static_cast<std::int32_t>(index);
            indices.emplace_back(array.axes[axis], is_own ? own_index : index);
            element /= array.shape[axis];
        }
        std::sort(indices.begin(), indices.end());
        room_.clear();
        for (const auto& [letter, index] : indices) room_.push_back(index);
        return terms_.graph.node(leaf_operations_[arguments[0]], array.element, room_);
    }

    /// Whether a term is an element of an operand that is summed over k.
    bool has_k(NodeId term) const {
        return terms_.graph.kind(term) == Kind::leaf &&
               Terms::letters(terms_.graph.operation_of(term).name).find('k') != std::string_view::npos;
    }

    /// A multiply-add of two such elements is an instruction of one product, which a schedule may chain.
    NodeId instruction_of_one(unsigned size) {
        const auto rank = [&](NodeId term) { return std::pair(terms_.graph[term].op, term); };
        if (rank(room_[0]) > rank(room_[1])) std::swap(room_[0], room_[1]);
        const OpId row = terms_.graph.operation("row", Kind::row);
        for (std::size_t i = 0; i < 2; ++i) room_[i] = terms_.graph.node(row, 0, std::span(room_).subspan(i, 1));
        return terms_.graph.node(terms_.graph.operation(fma_unit_, Kind::unit), size, room_);
    }

    /// Whether all NaNs of a term are the one that an instruction on f32 gives.
    bool has_one_nan(NodeId term) {
        const Operation& operation = terms_.graph.operation_of(term);
        if (operation.kind == Kind::function)
            return std::ranges::any_of(std::array{"add.f32", "sub.f32", "mul.f32", "fma.rn.f32"},
                                       [&](std::string_view name) { return operation.name == name; });
        if (operation.kind != Kind::unit || integer_unit(operation.name)) return false;
        const auto [known, is_new] = one_nan_.try_emplace(terms_.graph[term].op, false);
        if (is_new) {
            const Unit unit = resolve_unit(operation.name);
            known->second =
                unit.d == FormatId::f32 && unit.nan.kind == NanRule::Kind::pattern && unit.nan.bits == nvidia_nan;
        }
        return known->second;
    }

    /// A product with 1 is the other factor, and one with 1 or 0 is exact, so that a multiply-add with it is a sum:
    /// epilogues multiply by alpha = 1 and beta = 0.
    std::optional<NodeId> without_one(OpId op, unsigned size) {
        if (op != mul_ && op != fma_) return std::nullopt;
        const auto is_one = [&](NodeId term) {
            return terms_.graph.kind(term) == Kind::constant && terms_.graph.bits(term) == 0x3f800000;
        };
        const auto is_zero = [&](NodeId term) {
            return terms_.graph.kind(term) == Kind::constant && (terms_.graph.bits(term) & 0x7fffffff) == 0;
        };
        if (op == fma_ && (is_zero(room_[0]) || is_zero(room_[1]))) {
            const std::uint32_t factors[2] = {std::min(room_[0], room_[1]), std::max(room_[0], room_[1])};
            const NodeId product = terms_.graph.node(mul_, size, factors);
            const std::uint32_t both[2] = {std::min<NodeId>(product, room_[2]), std::max<NodeId>(product, room_[2])};
            return terms_.graph.node(add_, size, both);
        }
        if (!is_one(room_[0]) && !is_one(room_[1])) return std::nullopt;
        const NodeId other = is_one(room_[0]) ? room_[1] : room_[0];
        if (op == mul_) return has_one_nan(other) ? std::optional(other) : std::nullopt;
        const std::uint32_t both[2] = {std::min<NodeId>(other, room_[2]), std::max<NodeId>(other, room_[2])};
        return terms_.graph.node(add_, size, both);
    }

    /// Two atomic sums to +0: (+0 + x) + y is (+0 + y) + x.
    void exchange_two(OpId op, unsigned size) {
        Graph& g = terms_.graph;
        const auto is_zero = [&](NodeId term) { return g.kind(term) == Kind::constant && g.bits(term) == 0; };
        for (std::size_t i = 0; i < 2; ++i) {
            if (g[room_[i]].op != op) continue;
            const auto inner = g.arguments(room_[i]);
            const std::size_t zero = is_zero(inner[0]) ? 0 : 1;
            const NodeId x = inner[1 - zero], y = room_[1 - i];
            if (!is_zero(inner[zero]) || x <= y) return;
            std::uint32_t first[2] = {std::min(inner[zero], y), std::max(inner[zero], y)};
            const NodeId made = g.node(op, size, first);
            room_ = {std::min(made, x), std::max(made, x)};
            return;
        }
    }

    /// All operands of a maximum, those of maxima within it too, each once.
    void flatten(OpId op) {
        std::vector<std::uint32_t> all, more;
        for (const std::uint32_t& operand : room_) {
            const bool is_one = terms_.graph[operand].op != op;
            const auto within = is_one ? std::span(&operand, 1) : terms_.graph.arguments(operand); // in order
            more.clear();
            std::set_union(all.begin(), all.end(), within.begin(), within.end(), std::back_inserter(more));
            all.swap(more);
        }
        room_ = std::move(all);
    }

    template <typename TermOf>
    NodeId make(NodeId id, const TermOf& term_of, const Indices& at) {
        const Kind kind = graph_.kind(id);
        if (kind == Kind::leaf) return leaf(id, at);
        const Meaning& what = meaning(graph_[id].op);
        const auto arguments = graph_.arguments(id);
        room_.assign(arguments.begin(), arguments.end());
        if (kind == Kind::bytes) {
            for (std::uint32_t& code : room_)
                if (!is_known(code)) {
                    Code codes[16];
                    const NodeId term = term_of(node_of(code));
                    terms_.graph.to_codes(term, {codes, std::max<std::size_t>(terms_.graph[term].size, 1)});
                    code = codes[byte_of(code)];
                }
            return terms_.graph.of_codes(room_);
        }
        if (kind == Kind::constant || kind == Kind::unwritten)
            return terms_.graph.node(what.op, graph_[id].size, room_);
        for (std::uint32_t& operand : room_) operand = term_of(operand);
        if (what.integers) return integers_.term(*what.integers, what.name, room_[0], room_[1], room_[2]);
        if (what.op == fma_ && has_k(room_[0]) && has_k(room_[1])) return instruction_of_one(graph_[id].size);
        if (const auto simpler = without_one(what.op, graph_[id].size)) return *simpler;
        if (what.symmetry == Symmetry::first_two && room_[0] > room_[1]) std::swap(room_[0], room_[1]);
        if (what.symmetry == Symmetry::all) flatten(what.op);
        if (what.is_atomic) exchange_two(what.op, graph_[id].size);
        return terms_.graph.node(what.op, graph_[id].size, room_);
    }

    const Graph& graph_;
    const std::vector<ArraySpec>& arrays_;
    Terms& terms_;
    std::string axes_;
    std::vector<OpId> leaf_operations_;            ///< of each array
    std::vector<std::vector<std::size_t>> places_; ///< of each axis of each array: the result's axis, or npos
    OpId fma_ = 0, mul_ = 0, add_ = 0;
    std::string_view fma_unit_;
    std::unordered_map<OpId, bool> one_nan_; ///< of units
    std::vector<Meaning> meanings_;
    IntegerSums integers_{terms_};
    std::vector<NodeId> terms_of_;
    std::vector<std::int32_t> indices_; ///< of each node, as many as the result has axes
    struct Known {
        std::uint64_t element = 0; ///< in which it is known
        NodeId term = 0;
    };
    std::vector<Known> known_; ///< of nodes that have no term of their own
    std::uint64_t element_ = 0;
    std::vector<std::uint32_t> room_;
    std::vector<NodeId> operands_;
};

/// Whether the term depends on bytes that nothing has written. @param seen  terms that do not
bool reads_unwritten(const Graph& graph, NodeId term, std::vector<bool>& seen) {
    bool reads = false;
    walk(graph, {term}, seen, [&](NodeId id) { reads |= graph.kind(id) == Kind::unwritten; });
    return reads;
}

} // namespace

std::string Terms::unit_name(const std::string& name) const {
    const CatalogueEntry* entry = merges_equal_units && !integer_unit(name) ? entry_of(resolve_unit(name)) : nullptr;
    return entry == nullptr ? name : entry->name;
}

OpId Terms::leaf_operation(const ArraySpec& array) {
    std::string letters = array.axes;
    std::sort(letters.begin(), letters.end());
    const std::string name = array.name + ":" + letters;
    axes.try_emplace(name, array.axes);
    return graph.operation(name, Kind::leaf);
}

FoldedResult fold(const RunKernel& kernel, const Result& result, Terms& terms) {
    const ArraySpec& array = kernel.launch.arrays[result.array];
    FoldedResult folded{.name = array.name, .shape = array.shape, .axes = array.axes, .elements = {}, .classes = {}};
    Folding folding(kernel, array, terms);
    folding.all_nodes();
    std::unordered_map<NodeId, std::size_t> classes;
    std::vector<bool> seen;
    for (std::uint64_t i = 0; i < result.elements.size(); ++i) {
        std::array<std::int32_t, most_letters> at;
        at.fill(any);
        std::uint64_t rest = i;
        for (std::size_t axis = array.shape.size(); axis-- > 0;) {
            at[axis] = static_cast<std::int32_t>(rest % array.shape[axis]);
            rest /= array.shape[axis];
        }
        const NodeId term = folding.element(result.elements[i], at);
        folded.elements.push_back(term);
        const auto [found, is_new] = classes.try_emplace(term, folded.classes.size());
        if (is_new) {
            if (reads_unwritten(terms.graph, term, seen))
                throw Error(sentence(kernel.file, ": element ", i, " (from 0) of ", array.name,
                                     " depends on memory or registers that nothing has written"));
            folded.classes.push_back({.term = term, .first = i, .count = 0});
        }
        ++folded.classes[found->second].count;
    }
    return folded;
}

} // namespace discern::programs
