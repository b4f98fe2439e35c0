// What a kernel computes, as a graph of operations on bytes of its inputs.
//
// Every byte of registers and memory is a code: a known byte, or byte i of a node. So loads, packing, shuffles and
// swizzles only copy codes, and nothing but arithmetic makes nodes. Equal nodes are one (hash-consing), so an index is
// an identity; arguments have smaller indices than the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace discern::programs {

using Code = std::uint32_t; ///< of one byte
using NodeId = std::uint32_t;
using OpId = std::uint16_t;

/// A byte that nothing has written.
inline constexpr Code unwritten_byte = ~Code(0);
/// Nodes of one graph, so that codes fit their word.
inline constexpr std::size_t most_nodes = std::size_t(1) << 28;

constexpr bool is_known(Code code) { return code < 256; }
constexpr Code code_of(NodeId node, unsigned byte) { return 256 + 8 * node + byte; }
/// The node of a code that is neither known nor unwritten.
constexpr NodeId node_of(Code code) { return (code - 256) >> 3; }
constexpr unsigned byte_of(Code code) { return code & 7; }

/// The number that codes are, of more than eight the lowest bytes. @return whether all are known
constexpr bool to_word(std::span<const Code> codes, std::uint64_t& word) {
    word = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!is_known(codes[i])) return false;
        if (i < 8) word |= std::uint64_t(codes[i]) << (8 * i);
    }
    return true;
}
constexpr void from_word(std::uint64_t word, std::span<Code> codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i < 8 ? (word >> (8 * i)) & 255 : 0;
}
/// The lowest bits of a word as a number in two's complement. @param bits  1 to 64
constexpr std::int64_t with_sign(std::uint64_t word, unsigned bits) {
    return static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits);
}

/// What the arguments of a node are.
enum class Kind : std::uint8_t {
    leaf,      ///< a buffer and an element of it; in folded graphs a buffer and an index of each of its axes
    constant,  ///< the pattern: low and high word
    unwritten, ///< nothing: depends on bytes that nothing has written
    bytes,     ///< a code for each byte
    row,       ///< nodes: the operands of a dot product, in the order of k
    unit,      ///< row of a, row of b, accumulator: a matrix instruction, by its name
    function,  ///< nodes: any other instruction, by its name
};

struct Operation {
    std::string name;
    Kind kind = Kind::function;
};

struct Node {
    OpId op = 0;
    std::uint8_t size = 0; ///< bytes of the value; 0 of rows
    std::uint32_t first = 0, count = 0;
};

class Graph {
  public:
    Graph();

    /// The number of an operation of that name, which is made if there is none.
    OpId operation(std::string_view name, Kind kind = Kind::function);
    const Operation& operation(OpId op) const { return operations_[op]; }
    std::span<const Operation> operations() const { return operations_; }

    /// The node of an operation and arguments. @throws Error if there are too many nodes
    NodeId node(OpId op, std::size_t size, std::span<const std::uint32_t> arguments);
    NodeId constant(std::uint64_t bits, std::size_t size);
    /// All nodes are gone; operations keep their numbers.
    void forget_nodes();
    /// Leaves for elements 0 … count − 1 of a buffer, one after the other. @return the first
    NodeId leaves(std::uint32_t buffer, std::uint32_t count, unsigned size);

    /// The node that has these bytes, which may be a constant.
    NodeId of_codes(std::span<const Code> codes);
    /// The bytes of a node: known ones of a constant, those that were put together, or its own.
    void to_codes(NodeId id, std::span<Code> codes) const;

    std::size_t size() const { return nodes_.size(); }
    const Node& operator[](NodeId id) const { return nodes_[id]; }
    const Operation& operation_of(NodeId id) const { return operations_[nodes_[id].op]; }
    Kind kind(NodeId id) const { return operation_of(id).kind; }
    std::span<const std::uint32_t> arguments(NodeId id) const {
        return {arguments_.data() + nodes_[id].first, nodes_[id].count};
    }
    /// The pattern of a constant.
    std::uint64_t bits(NodeId id) const {
        const auto words = arguments(id);
        return words[0] | std::uint64_t(words[1]) << 32;
    }
    /// The arguments that are nodes: all of rows, units and functions, those of codes of bytes, none of the others.
    void operands(NodeId id, std::vector<NodeId>& into) const;
    /// Nodes that depend on bytes that nothing has written were made so often.
    std::uint64_t unwritten_reads() const { return unwritten_reads_; }

  private:
    NodeId append(OpId op, std::size_t size, std::span<const std::uint32_t> arguments);
    void grow();
    bool is_node(NodeId id, OpId op, std::size_t size, std::span<const std::uint32_t> arguments) const;

    std::vector<Operation> operations_;
    std::unordered_map<std::string, OpId> names_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> arguments_;
    /// Of each node the first row, unit or function that has it in the place of its key, or 0. Such a one is found
    /// there, beside what has been made last, and not in the table, which costs a miss of the cache.
    std::vector<NodeId> users_;
    /// Of open addressing: a node, and its hash, so that few nodes are looked at.
    struct Entry {
        std::uint32_t hash = 0;
        NodeId id = 0; ///< one more; 0: there is none
    };
    std::vector<Entry> table_;
    std::size_t entries_ = 0;
    std::uint64_t unwritten_reads_ = 0;
};

/// Calls visit(id) of some nodes and all below them, each once. @param seen  nodes to be left out, as those then are
template <typename Visit>
void walk(const Graph& graph, std::vector<NodeId> waiting, std::vector<bool>& seen, const Visit& visit) {
    seen.resize(graph.size());
    std::vector<NodeId> operands;
    while (!waiting.empty()) {
        const NodeId id = waiting.back();
        waiting.pop_back();
        if (seen[id]) continue;
        seen[id] = true;
        visit(id);
        graph.operands(id, operands);
        waiting.insert(waiting.end(), operands.begin(), operands.end());
    }
}

} // namespace discern::programs
