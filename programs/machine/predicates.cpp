// Comparisons, choices by a predicate, and what the threads of a warp tell each other about theirs.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace discern::programs {

namespace {

struct Comparison {
    std::string_view name;
    bool (*of)(std::uint64_t, std::uint64_t);
    bool (*of_signed)(std::int64_t, std::int64_t);
};

constexpr Comparison comparisons[] = {
    {"eq", [](std::uint64_t a, std::uint64_t b) { return a == b; },
     [](std::int64_t a, std::int64_t b) { return a == b; }},
    {"ne", [](std::uint64_t a, std::uint64_t b) { return a != b; },
     [](std::int64_t a, std::int64_t b) { return a != b; }},
    {"lt", [](std::uint64_t a, std::uint64_t b) { return a < b; },
     [](std::int64_t a, std::int64_t b) { return a < b; }},
    {"le", [](std::uint64_t a, std::uint64_t b) { return a <= b; },
     [](std::int64_t a, std::int64_t b) { return a <= b; }},
    {"gt", [](std::uint64_t a, std::uint64_t b) { return a > b; },
     [](std::int64_t a, std::int64_t b) { return a > b; }},
    {"ge", [](std::uint64_t a, std::uint64_t b) { return a >= b; },
     [](std::int64_t a, std::int64_t b) { return a >= b; }},
    {"lo", [](std::uint64_t a, std::uint64_t b) { return a < b; }, nullptr},
    {"ls", [](std::uint64_t a, std::uint64_t b) { return a <= b; }, nullptr},
    {"hi", [](std::uint64_t a, std::uint64_t b) { return a > b; }, nullptr},
    {"hs", [](std::uint64_t a, std::uint64_t b) { return a >= b; }, nullptr},
};

/// Of one lane: 0, 1 or the code of a node.
Code compared(Block& block, const Step& step, unsigned lane) {
    Code operands[2][8];
    std::uint64_t values[2] = {};
    bool all_known = true;
    const unsigned size = step.type.bytes;
    for (unsigned i = 0; i < 2; ++i) {
        block.codes(step.operands[i + 1].reg(), lane, {operands[i], size});
        all_known &= to_word({operands[i], size}, values[i]);
    }
    if (all_known && step.rule != nullptr) {
        const auto& comparison = *static_cast<const Comparison*>(step.rule);
        if (step.type.letter != 's' || comparison.of_signed == nullptr)
            return comparison.of(values[0], values[1]) ? 1 : 0;
        return comparison.of_signed(with_sign(values[0], 8 * size), with_sign(values[1], 8 * size)) ? 1 : 0;
    }
    const NodeId arguments[2] = {block.graph().of_codes({operands[0], size}),
                                 block.graph().of_codes({operands[1], size})};
    const NodeId node = block.apply(step.operations[0], 1, arguments);
    return block.graph().kind(node) == Kind::constant ? static_cast<Code>(block.graph().bits(node)) : code_of(node, 0);
}

enum Combination : std::uint32_t { alone, with_and, with_or, with_xor };

void set_predicate(Block& block, const Step& step) {
    std::vector<Code> result(block.lanes(), 0), other(block.lanes(), 0);
    const bool combines = step.mode[0] != alone;
    block.each_lane([&](unsigned lane) {
        result[lane] = compared(block, step, lane);
        if (!combines && step.operands[0].second == no_register) return;
        Code with = 0;
        if (combines) block.codes(step.operands[3].reg(), lane, {&with, 1});
        if (!is_known(result[lane]) || !is_known(with))
            throw Error("a comparison of data is combined with a predicate");
        with = (with != 0) != (combines && step.operands[3].is_negated);
        const auto combined = [&](Code x) {
            return step.mode[0] == with_and   ? x & with
                   : step.mode[0] == with_or  ? x | with
                   : step.mode[0] == with_xor ? x ^ with
                                              : x;
        };
        other[lane] = combined(result[lane] ^ 1);
        result[lane] = combined(result[lane]);
    });
    block.put_codes(step.operands[0].reg(), result, 1);
    if (step.operands[0].second != no_register) block.put_codes(step.operands[0].second, other, 1);
}

void decode_set(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    if (step.operands.size() < 3 || at.parts.size() < 3 || step.type.bytes == 0 || step.type.bytes > 8)
        throw Error("its comparison is not read");
    decoder.require_size(step, 0, 0);
    for (const std::size_t i : {std::size_t(1), std::size_t(2)}) decoder.require_size(step, i, step.type.bytes);
    constexpr std::string_view combinations[] = {"", "and", "or", "xor"};
    for (std::uint32_t i = 1; i < 4; ++i)
        if (at.parts.size() > 3 && at.parts[2] == combinations[i]) step.mode[0] = i;
    if ((step.mode[0] != alone) != (step.operands.size() == 4)) throw Error("its operands do not fit its comparison");
    if (step.type.letter != 'f') {
        const auto found = std::find_if(std::begin(comparisons), std::end(comparisons),
                                        [&](const Comparison& c) { return c.name == at.parts[1]; });
        if (found == std::end(comparisons))
            throw Error(sentence(excerpt(at.parts[1]), " is no comparison of integers"));
        step.rule = &*found;
    }
    std::string name = sentence("setp.", at.parts[1]);
    for (std::size_t i = step.mode[0] == alone ? 2 : 3; i < at.parts.size(); ++i)
        name += "." + std::string(at.parts[i]);
    step.operations = {decoder.graph().operation(name)};
    step.run = set_predicate;
}

/// selp d, a, b, p.
void select(Block& block, const Step& step) {
    const unsigned size = step.type.bytes;
    block.make_each(step.operands[0].reg(), size, [&](unsigned lane, std::span<Code> into) {
        Code predicate = 0, other[8];
        block.codes(step.operands[3].reg(), lane, {&predicate, 1});
        block.codes(step.operands[1].reg(), lane, into);
        block.codes(step.operands[2].reg(), lane, {other, size});
        if (is_known(predicate)) {
            if ((predicate != 0) == step.operands[3].is_negated) std::copy_n(other, size, into.begin());
            return;
        }
        const NodeId condition = block.graph().of_codes({&predicate, 1});
        const NodeId yes = block.graph().of_codes(into), no = block.graph().of_codes({other, size});
        if (yes == no) return;
        const NodeId arguments[3] = {condition, step.operands[3].is_negated ? no : yes,
                                     step.operands[3].is_negated ? yes : no};
        block.graph().to_codes(block.graph().node(step.operations[0], size, arguments), into);
    });
}

void decode_select(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    if (step.operands.size() != 4 || step.type.bytes == 0 || step.type.bytes > 8)
        throw Error("its operands are not read");
    for (std::size_t i = 0; i < 4; ++i) decoder.require_size(step, i, i == 3 ? 0 : step.type.bytes);
    step.operations = {decoder.graph().operation("selp")};
    step.run = select;
}

enum Vote : std::uint32_t { vote_all, vote_any, vote_uni, vote_ballot };

void vote(Block& block, const Step& step) {
    const std::uint64_t* given = block.values(step.operands[1].reg(), "the vote");
    std::uint64_t result[most_threads];
    for (unsigned warp = 0; warp < block.warps(); ++warp) {
        std::uint64_t yes = 0, running = 0;
        for (unsigned i = 0; i < lanes_of_warp; ++i) {
            const unsigned lane = warp * lanes_of_warp + i;
            if (!block.is_active(lane)) continue;
            running |= std::uint64_t(1) << i;
            if ((given[lane] != 0) != step.operands[1].is_negated) yes |= std::uint64_t(1) << i;
        }
        const std::uint64_t told = step.mode[0] == vote_ballot ? yes
                                   : step.mode[0] == vote_any  ? yes != 0
                                   : step.mode[0] == vote_all  ? yes == running
                                                               : yes == 0 || yes == running;
        std::fill_n(result + warp * lanes_of_warp, lanes_of_warp, told);
    }
    block.put(step.operands[0].reg(), result);
}

void decode_vote(Decoder&, const Instruction& at, Step& step) {
    constexpr std::string_view names[] = {"all", "any", "uni", "ballot"};
    const auto found =
        std::find_if(std::begin(names), std::end(names), [&](std::string_view name) { return at.has(name); });
    if (found == std::end(names) || step.operands.size() < 2) throw Error("this vote is not read");
    step.mode[0] = static_cast<std::uint32_t>(found - std::begin(names));
    step.run = vote;
}

/// elect.sync d|p: the first thread that runs. mode[0]: 1 of activemask, which gives all that run.
void elect(Block& block, const Step& step) {
    std::uint64_t result[most_threads], chosen[most_threads];
    for (unsigned warp = 0; warp < block.warps(); ++warp) {
        std::uint64_t running = 0;
        for (unsigned i = 0; i < lanes_of_warp; ++i)
            running |= std::uint64_t(block.is_active(warp * lanes_of_warp + i)) << i;
        const auto first = static_cast<unsigned>(std::countr_zero(running));
        for (unsigned i = 0; i < lanes_of_warp; ++i) {
            result[warp * lanes_of_warp + i] = step.mode[0] == 1 ? running : first;
            chosen[warp * lanes_of_warp + i] = i == first;
        }
    }
    block.put(step.operands[0].reg(), result);
    if (step.operands[0].second != no_register) block.put(step.operands[0].second, chosen);
}
void decode_elect(Decoder&, const Instruction& at, Step& step) {
    if (step.operands.empty()) throw Error("its result is missing");
    step.mode[0] = at.parts[0] == "activemask";
    step.run = elect;
}

} // namespace

std::span<const Opcode> predicate_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"setp", decode_set, "*"}, // the name of the comparison has them
        {"selp", decode_select},         {"vote", decode_vote, "sync all any uni ballot"},
        {"elect", decode_elect, "sync"}, {"activemask", decode_elect},
    };
    return opcodes;
}

} // namespace discern::programs
