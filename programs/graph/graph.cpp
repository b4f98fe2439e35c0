#include "graph.hpp"

#include "models/error.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr OpId leaf = 0, constant_op = 1, unwritten_op = 2, bytes = 3;

std::uint32_t hash_of(OpId op, std::size_t size, std::span<const std::uint32_t> arguments) {
    std::uint64_t hash = op * 31u + size;
    for (const std::uint32_t argument : arguments) {
        hash = (hash ^ argument) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

} // namespace

Graph::Graph() : table_(1 << 14) {
    operation("leaf", Kind::leaf);
    operation("constant", Kind::constant);
    operation("unwritten", Kind::unwritten);
    operation("bytes", Kind::bytes);
}

OpId Graph::operation(std::string_view name, Kind kind) {
    const auto [at, is_new] = names_.try_emplace(std::string(name), static_cast<OpId>(operations_.size()));
    if (is_new) operations_.push_back({std::string(name), kind});
    return at->second;
}

NodeId Graph::append(OpId op, std::size_t size, std::span<const std::uint32_t> arguments) {
    if (nodes_.size() >= most_nodes) throw Error("the kernel computes more than 268,435,456 different values");
    nodes_.push_back({op, static_cast<std::uint8_t>(size), static_cast<std::uint32_t>(arguments_.size()),
                      static_cast<std::uint32_t>(arguments.size())});
    users_.push_back(0);
    arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
    return static_cast<NodeId>(nodes_.size() - 1);
}

void Graph::grow() {
    std::vector<Entry> table(table_.size() * 2);
    const std::size_t mask = table.size() - 1;
    for (const Entry& entry : table_) {
        if (entry.id == 0) continue;
        std::size_t at = entry.hash & mask;
        while (table[at].id != 0) at = (at + 1) & mask;
        table[at] = entry;
    }
    table_ = std::move(table);
}

bool Graph::is_node(NodeId id, OpId op, std::size_t size, std::span<const std::uint32_t> arguments) const {
    const Node& other = nodes_[id];
    return other.op == op && other.size == size && other.count == arguments.size() &&
           std::equal(arguments.begin(), arguments.end(), arguments_.begin() + other.first);
}

NodeId Graph::node(OpId op, std::size_t size, std::span<const std::uint32_t> arguments) {
    const Kind what = operations_[op].kind;
    if (what >= Kind::row && !arguments.empty()) {
        // Of a unit the accumulator, which nearly always has one user.
        const NodeId argument = arguments[what == Kind::unit && arguments.size() > 2 ? 2 : arguments.size() - 1];
        const NodeId user = users_[argument];
        if (user == 0) {
            const NodeId id = append(op, size, arguments);
            return users_[argument] = id;
        }
        if (is_node(user, op, size, arguments)) return user;
    }
    if (entries_ * 4 >= table_.size() * 3) grow();
    const std::size_t mask = table_.size() - 1;
    const std::uint32_t hash = hash_of(op, size, arguments);
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        Entry& entry = table_[at];
        if (entry.id == 0) {
            const NodeId id = append(op, size, arguments);
            entry = {hash, id + 1};
            ++entries_;
            return id;
        }
        if (entry.hash == hash && is_node(entry.id - 1, op, size, arguments)) return entry.id - 1;
    }
}

NodeId Graph::constant(std::uint64_t bits, std::size_t size) {
    const std::uint32_t words[2] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    return node(constant_op, size, words);
}

void Graph::forget_nodes() {
    nodes_.clear();
    arguments_.clear();
    users_.clear();
    std::fill(table_.begin(), table_.end(), Entry{});
    entries_ = 0;
}

NodeId Graph::leaves(std::uint32_t buffer, std::uint32_t count, unsigned size) {
    const auto first = static_cast<NodeId>(nodes_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t words[2] = {buffer, i};
        append(leaf, size, words);
    }
    return first;
}

NodeId Graph::of_codes(std::span<const Code> codes) {
    const Code start = codes[0];
    const auto size = static_cast<unsigned>(codes.size());
    if (!is_known(start) && start != unwritten_byte && byte_of(start) == 0 && nodes_[node_of(start)].size == size) {
        bool is_whole = true;
        for (unsigned i = 1; i < size; ++i) is_whole &= codes[i] == start + i;
        if (is_whole) return node_of(start);
    }
    std::uint64_t bits = 0;
    bool all_known = size <= 8;
    for (unsigned i = 0; i < size; ++i) {
        if (codes[i] == unwritten_byte) {
            ++unwritten_reads_;
            return node(unwritten_op, size, {});
        }
        all_known &= is_known(codes[i]);
        if (all_known) bits |= std::uint64_t(codes[i]) << (8 * i);
    }
    return all_known ? constant(bits, size) : node(bytes, size, codes);
}

void Graph::to_codes(NodeId id, std::span<Code> codes) const {
    const Kind what = kind(id);
    const auto given = arguments(id);
    for (unsigned i = 0; i < codes.size(); ++i)
        codes[i] = what == Kind::constant    ? (given[i / 4] >> (8 * (i % 4))) & 255
                   : what == Kind::bytes     ? given[i]
                   : what == Kind::unwritten ? unwritten_byte
                                             : code_of(id, i);
}

void Graph::operands(NodeId id, std::vector<NodeId>& into) const {
    into.clear();
    const Kind what = kind(id);
    if (what == Kind::leaf || what == Kind::constant || what == Kind::unwritten) return;
    for (const std::uint32_t argument : arguments(id)) {
        if (what != Kind::bytes)
            into.push_back(argument);
        else if (!is_known(argument) && (into.empty() || into.back() != node_of(argument)))
            into.push_back(node_of(argument));
    }
}

} // namespace discern::programs
