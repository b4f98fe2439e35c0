#include "tile.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/evaluate/unit_numbers.hpp"

#include <algorithm>
#include <charconv>

namespace discern::programs {

namespace {

constexpr std::pair<int, std::string_view> architectures[] = {
    {70, "volta"},      {72, "volta"},      {75, "turing"},        {80, "ampere"},        {86, "ampere"},
    {87, "ampere"},     {89, "ada"},        {90, "hopper"},        {100, "blackwell"},    {101, "blackwell"},
    {103, "blackwell"}, {110, "blackwell"}, {120, "rtxblackwell"}, {121, "rtxblackwell"},
};

} // namespace

std::string_view architecture_of(int sm) {
    const auto found =
        std::find_if(std::begin(architectures), std::end(architectures), [&](const auto& a) { return a.first == sm; });
    return found == std::end(architectures) ? std::string_view() : found->second;
}

void multiply(Block& block, OpId op, OpId row, unsigned size, Tile& tile) {
    if (UnitNumbers* numbers = block.machine().numbers)
        return numbers->multiply(block.graph(), op, {tile.a, tile.b, tile.c, tile.sa, tile.sb}, size, tile.d);
    multiply(block.graph(), op, row, size, tile);
}

void multiply(Graph& graph, OpId op, OpId row, unsigned size, Tile& tile) {
    const auto rows_of = [&](const std::vector<NodeId>& from, unsigned count) {
        std::vector<NodeId> rows(count);
        for (unsigned i = 0; i < count; ++i)
            rows[i] = graph.node(row, 0, std::span(from).subspan(std::size_t(i) * tile.k, tile.k));
        return rows;
    };
    const std::vector<NodeId> a = rows_of(tile.a, tile.m), b = rows_of(tile.b, tile.n);
    const std::size_t scales = tile.sa.size() / tile.m, count = scales == 0 ? 3 : 5;
    const auto scale_row = [&](const std::vector<NodeId>& from, unsigned i) {
        return scales == 0 ? NodeId(0) : graph.node(row, 0, std::span(from).subspan(i * scales, scales));
    };
    for (unsigned i = 0; i < tile.m; ++i)
        for (unsigned j = 0; j < tile.n; ++j) {
            const NodeId arguments[5] = {a[i], b[j], tile.c[i * tile.n + j], scale_row(tile.sa, i),
                                         scale_row(tile.sb, j)};
            tile.d[i * tile.n + j] = graph.node(op, size, {arguments, count});
        }
}

NodeId element_at(Block& block, const Code* bytes, std::uint64_t first, unsigned width) {
    const NodeId whole = block.graph().of_codes({bytes, static_cast<std::size_t>((first + width + 7) / 8)});
    if (first == 0 && width % 8 == 0) return whole;
    const NodeId arguments[3] = {whole, block.graph().constant(first, 4), block.graph().constant(width, 4)};
    return block.apply(block.graph().operation("bits"), 1, arguments);
}

ShapeOfTile shape_of_tile(const Instruction& at) {
    for (const std::string_view part : at.parts) {
        const std::size_t n = part.find('n'), k = part.find('k');
        if (!part.starts_with("m") || n == std::string_view::npos || k == std::string_view::npos || k < n) continue;
        ShapeOfTile shape;
        const auto read = [&](std::size_t from, std::size_t end, unsigned& into) {
            const auto [stop, error] = std::from_chars(part.data() + from, part.data() + end, into);
            return error == std::errc() && stop == part.data() + end && into > 0 && into <= 512;
        };
        if (read(1, n, shape.m) && read(n + 1, k, shape.n) && read(k + 1, part.size(), shape.k)) return shape;
    }
    throw Error("its shape is missing");
}

OpId unit_operation(Decoder& decoder, const std::string& name) {
    const std::string_view architecture = architecture_of(decoder.program().sm);
    if (architecture.empty())
        throw Error(sentence("matrix instructions of sm_", decoder.program().sm, " are not read"));
    const std::string whole = sentence(architecture, "/", name);
    if (find_entry(whole) == nullptr) throw Error(sentence("the catalogue has no unit ", whole));
    return decoder.graph().operation(whole, Kind::unit);
}

} // namespace discern::programs
