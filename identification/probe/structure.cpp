#include "structure.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace discern::probe {

namespace {

/// Lanes that are added together, after those of the steps before.
struct Step {
    std::vector<int> lanes;
    bool exact = false; ///< of several lanes: nothing is lost
};

class Swamp {
  public:
    explicit Swamp(Session& session) : session_(session), span_(span_of(session.shape())) {}

    /// Whether what is in `small` survives 2^high in `plus` and −2^high in `minus`.
    bool survives(int plus, int minus, int small) {
        return session_.ask(scene(plus, minus, small)).is(power(span_.low));
    }

    /// The steps in which the lanes are added, as seen with the large number in `anchor`: two lanes are of one step if
    /// each is lost, or survives, where the other cancels the anchor; else the one that survives is added later.
    /// Nothing if this is no order.
    std::optional<std::vector<Step>> steps(int anchor, const std::vector<int>& lanes) {
        const std::size_t n = lanes.size();
        std::vector<Scene> scenes;
        for (const int minus : lanes)
            for (const int small : lanes)
                if (minus != small) scenes.push_back(scene(anchor, minus, small));
        const auto answers = session_.ask(scenes);
        std::vector<std::vector<bool>> survives(n, std::vector<bool>(n, true));
        for (std::size_t j = 0, at = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k) {
                if (j == k) continue;
                const Answer& d = answers[at++];
                survives[j][k] = d.is(power(span_.low));
                // If all units are lost, nothing is left, or one ulp of a sum that was rounded away from zero.
                if (!d.value || d.value->significand > 1) return std::nullopt;
            }
        return ordered(lanes, survives);
    }

    /// Whether each position alone gives its small and its large number; without that, no other probe means anything.
    bool singles_are_right(const std::vector<int>& places) {
        std::vector<Scene> scenes;
        std::vector<Amount> values;
        for (const int exponent : {span_.low, span_.high})
            for (const int place : places) {
                values.push_back(power(exponent));
                scenes.push_back(session_.scene().put(place, values.back()));
            }
        const auto answers = session_.ask(scenes);
        return std::equal(answers.begin(), answers.end(), values.begin(),
                          [](const Answer& d, const Amount& value) { return d.is(value); });
    }

    const Span& span() const { return span_; }

  private:
    Scene scene(int plus, int minus, int small) const {
        const Amount large = power(span_.high);
        return session_.scene().put(plus, large).put(minus, -large).put(small, power(span_.low));
    }

    static std::optional<std::vector<Step>> ordered(const std::vector<int>& lanes,
                                                    const std::vector<std::vector<bool>>& survives) {
        const std::size_t n = lanes.size();
        std::vector<std::size_t> place(n, 0); // how many lanes are added before
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k)
                if (survives[j][k] && !survives[k][j]) ++place[k];
        std::vector<std::size_t> by_place(n);
        std::iota(by_place.begin(), by_place.end(), std::size_t{0});
        std::ranges::stable_sort(by_place, [&](auto j, auto k) { return place[j] < place[k]; });
        std::vector<Step> steps;
        std::size_t before = 0;
        for (std::size_t i = 0; i < n;) {
            std::size_t end = i;
            while (end < n && place[by_place[end]] == place[by_place[i]]) ++end;
            if (place[by_place[i]] != before) return std::nullopt;
            Step step;
            for (std::size_t j = i; j < end; ++j) {
                for (std::size_t k = i; k < j; ++k) {
                    const bool one_way = survives[by_place[j]][by_place[k]];
                    if (survives[by_place[k]][by_place[j]] != one_way || (j > i + 1 && one_way != step.exact))
                        return std::nullopt;
                    step.exact = one_way;
                }
                step.lanes.push_back(lanes[by_place[j]]);
            }
            before = end;
            i = end;
            steps.push_back(std::move(step));
        }
        return steps;
    }

    Session& session_;
    Span span_;
};

std::vector<int> all_lanes(int first, int last) {
    std::vector<int> lanes(static_cast<std::size_t>(last - first));
    std::iota(lanes.begin(), lanes.end(), first);
    return lanes;
}

/// Blocks from the steps that were seen from lane 0, whose own lane has to be joined to the first if they are together.
std::optional<std::vector<Step>> joined(std::vector<Step> steps) {
    if (steps.empty()) return std::vector<Step>{{.lanes = {0}}};
    const std::size_t first = steps.front().lanes.size();
    const std::size_t next = steps.size() > 1 ? steps[1].lanes.size() : 0;
    if (first == 1 && next == 0) return std::nullopt; // one after the other, or both at once
    if (first == 1 && next == 1) {
        steps.insert(steps.begin(), Step{.lanes = {0}});
        return steps;
    }
    if (next != 0 && next != first + 1) return std::nullopt;
    steps.front().lanes.insert(steps.front().lanes.begin(), 0);
    return steps;
}

/// Whether the steps from a lane join twice as many lanes each time.
/// @param neighbours  blocks of neighbours; else lanes apart by multiples of a stride that halves
bool joins(const std::vector<Step>& steps, int anchor, const std::vector<int>& lanes, bool neighbours) {
    const auto n = static_cast<int>(lanes.size());
    if (std::popcount(lanes.size()) != 1) return false;
    const auto place = [&](int lane) { return static_cast<int>(std::ranges::find(lanes, lane) - lanes.begin()); };
    int size = 1;
    for (const Step& step : steps) {
        if (step.lanes.size() != static_cast<std::size_t>(size)) return false;
        size *= 2;
        for (const int lane : step.lanes) {
            const int one = place(lane), other = place(anchor);
            if (neighbours ? one / size != other / size : one % (n / size) != other % (n / size)) return false;
        }
    }
    return size == n;
}

/// @param lanes  all that are added, of which the steps were seen from the first and from the last
Order order_of(const std::vector<Step>& forth, const std::vector<Step>& back, const std::vector<int>& lanes) {
    const auto single = [](const Step& step) { return step.lanes.size() == 1; };
    if (forth.size() == 1 && back.size() == 1 && forth.front().exact == back.front().exact)
        return forth.front().exact ? Order::exact : Order::fused;
    for (const auto& [order, neighbours] : {std::pair(Order::pairs, true), {Order::halves, false}})
        if (joins(forth, lanes.front(), lanes, neighbours) && joins(back, lanes.back(), lanes, neighbours))
            return order;
    if (std::ranges::all_of(forth, single) && back.size() == 1) return Order::one_by_one;
    return Order::steps;
}

/// How the lanes of one block are added.
Order inner_order(Swamp& swamp, const Step& block) {
    const std::vector<int>& lanes = block.lanes;
    if (lanes.size() == 1) return Order::single;
    if (block.exact) return Order::exact;
    if (lanes.size() == 2) return Order::fused;
    const auto forth = swamp.steps(lanes.front(), {lanes.begin() + 1, lanes.end()});
    const auto back = swamp.steps(lanes.back(), {lanes.begin(), lanes.end() - 1});
    return forth && back ? order_of(*forth, *back, lanes) : Order::unknown;
}

std::vector<std::vector<int>> lanes_of(const std::vector<Step>& steps) {
    std::vector<std::vector<int>> blocks;
    for (const Step& step : steps) blocks.push_back(step.lanes);
    return blocks;
}

/// Whether the steps from c are those of two accumulators: c's takes the even lanes one at a time, the last step is all
/// others, which are added one at a time to each other.
bool are_two_chains(Swamp& swamp, const std::vector<Step>& steps, int K) {
    const std::size_t half = static_cast<std::size_t>(K) / 2;
    if (K < 4 || K % 2 != 0 || steps.size() != half + 1 || steps.back().lanes.size() != half) return false;
    for (std::size_t i = 0; i < half; ++i)
        if (steps[i].lanes != std::vector<int>{2 * static_cast<int>(i)}) return false;
    std::vector<int> others;
    for (int lane = 3; lane < K; lane += 2) others.push_back(lane);
    if (others.size() == 1) return true; // one order
    const auto chain = swamp.steps(1, others);
    const auto all = chain ? joined(*chain) : std::nullopt;
    return all && std::ranges::all_of(*all, [](const Step& step) { return step.lanes.size() == 1; });
}

void find_with_c(Swamp& swamp, int K, Structure& structure) {
    const auto steps = swamp.steps(at_c, all_lanes(0, K));
    if (!steps) {
        structure.why = "the answers fit no order of blocks";
        return;
    }
    const std::vector<int>& lanes = steps->front().lanes;
    const bool single = lanes.size() == 1;
    // If with c's large number gone nothing was lost, c is in the sum; or if c is lost beside the lanes.
    const bool early = steps->front().exact || (!single && !swamp.survives(lanes[0], lanes[1], at_c) &&
                                                !swamp.survives(lanes.back(), lanes[0], at_c));
    structure.c = single ? CPlace::single : early ? CPlace::early : CPlace::late;
    structure.order = inner_order(swamp, steps->front());
    structure.blocks = lanes_of(*steps);
    if (single && are_two_chains(swamp, *steps, K)) {
        structure.order = Order::two_chains;
        structure.blocks.pop_back();
    }
    if (single || early || steps->size() > 1 || structure.order == Order::pairs || structure.order == Order::halves)
        return;
    // Every lane is lost beside c: one block, or c comes after all of them. Lane 0 sees which.
    const auto from_zero = swamp.steps(0, all_lanes(1, K));
    const auto blocks = from_zero ? joined(*from_zero) : std::nullopt;
    if (!blocks || blocks->size() > 1) structure.c = CPlace::last;
    structure.blocks = blocks ? lanes_of(*blocks) : std::vector<std::vector<int>>();
    if (blocks)
        structure.order = inner_order(swamp, blocks->front());
    else
        structure.why = "c comes after the products, whose order the answers leave open";
}

void find_without_c(Swamp& swamp, int K, Structure& structure) {
    structure.c = CPlace::none;
    const auto forth = swamp.steps(0, all_lanes(1, K));
    const auto back = swamp.steps(K - 1, all_lanes(0, K - 1));
    if (!forth || !back) {
        structure.why = "the answers fit no order";
        return;
    }
    const bool chain = back->size() == 1; // nothing is added beside the last lane
    const auto blocks = chain ? joined(*forth) : std::vector<Step>{{.lanes = all_lanes(0, K)}};
    if (!blocks) {
        structure.why = "there are too few products to tell blocks";
        return;
    }
    structure.order = chain ? inner_order(swamp, blocks->front()) : order_of(*forth, *back, all_lanes(0, K));
    structure.blocks = lanes_of(*blocks);
}

template <typename List, typename PartOf>
std::string listed(const List& list, PartOf part_of) {
    std::string text;
    for (const auto& one : list) append_part(text, sentence(text.empty() ? "" : " ", part_of(one)));
    return text;
}

Told width(const Structure& structure) {
    if (!structure.known()) return {{}, structure.why};
    const auto& blocks = structure.blocks;
    const std::size_t width = blocks.front().size();
    if (std::ranges::any_of(blocks, [&](const auto& block) { return block.size() != width; }))
        return {{},
                "blocks of different width: " + listed(blocks, [](const auto& block) { return block.size(); }) + " "};
    return {std::to_string(width), counted(blocks.size(), "block") + " one after the other"};
}

/// The runs in which two blocks share their lanes, 0 if blocks hold consecutive lanes, nothing if neither.
std::optional<int> runs_of(const std::vector<std::vector<int>>& blocks) {
    Unit unit;
    unit.L = static_cast<int>(blocks.front().size());
    unit.K = unit.L * static_cast<int>(blocks.size());
    for (int runs = 0; runs <= unit.L; runs = runs == 0 ? 1 : 2 * runs) {
        unit.interleave = runs;
        if (runs != 0 && (unit.L % runs != 0 || blocks.size() % 2 != 0)) continue;
        auto expected = blocks;
        for (int block = 0; block < unit.blocks(); ++block)
            for (int l = 0; l < unit.L; ++l)
                expected[static_cast<std::size_t>(block)][static_cast<std::size_t>(l)] = unit.element(block, l);
        if (blocks == expected) return runs;
    }
    return std::nullopt;
}

/// The lanes of each block, if all blocks have one width.
Told lanes_told(const Structure& structure) {
    const auto& first = structure.blocks.front();
    Told told{{}, "the first block has lanes " + listed(first, [](int lane) { return lane; })};
    if (structure.runs)
        told.value = *structure.runs == 0 ? "consecutive" : sentence("interleaved by ", *structure.runs);
    else if (first.size() == 1)
        told.value = "order " + listed(structure.blocks, [](const auto& block) { return block.front(); });
    return told;
}

struct Words {
    std::string_view value, why;
};
constexpr std::array<Words, 6> place_words = {{
    {"none", "the unit has no c"},
    {"early", "c is a term of the first block's sum"},
    {"late", "c is added to the rounded sum of a block's products"},
    {"last", "c is added after all blocks"},
    {"each product", "a block is one product, which is added to c or to what became of it"},
    {"", ""},
}};
constexpr std::array<Words, 9> order_words = {{
    {"fused", "all terms of a block are one sum; their order is nothing that one could control"},
    {"exact", "all terms of a block are one sum that loses nothing"},
    {"single", "products are added one at a time, in the order of the lanes"},
    {"pairs", "(p0 + p1) + (p2 + p3), rounded after every addition"},
    {"halving strides", "(p0 + p2) + (p1 + p3), and so on with halves of more, rounded after every addition"},
    {"one by one", "((p0 + p1) + p2) + …, rounded after every addition"},
    {"two chains", "even lanes are added one at a time to c, odd ones to each other, and then both, each rounded"},
    {"steps", "rounded within a block, in an order that is none of the usual ones"},
    {"", ""},
}};

Told worded(const Words& words, const std::string& why) {
    return words.value.empty() ? Told{{}, why} : Told{std::string(words.value), std::string(words.why)};
}

} // namespace

Structure probe_structure(Session& session) {
    Structure structure;
    Swamp swamp(session);
    const std::size_t first = session.count();
    const int K = session.shape().K;
    // Fewer bits, and what is rounded between blocks would not be lost either.
    if (swamp.span().width() < session.d().mantissa_bits + 3)
        structure.why = sentence("products and d have only ", std::max(swamp.span().width(), 0),
                                 " bits in common: nothing is lost beside anything");
    else if (!swamp.singles_are_right(all_lanes(session.shape().c ? at_c : 0, K)))
        structure.why = "a product or c alone is not given as it is";
    else if (session.shape().c)
        find_with_c(swamp, K, structure);
    else if (K > 1)
        find_without_c(swamp, K, structure);
    const Told of_width = width(structure);
    const bool regular = of_width.value.has_value(), chains = structure.order == Order::two_chains;
    if (regular && !chains) structure.runs = runs_of(structure.blocks);
    session.report("block_width", chains ? Told{"1", "products are added one at a time"} : of_width, first);
    session.report("interleave",
                   chains    ? Told{"even, odd", "two chains, of the even and of the odd lanes"}
                   : regular ? lanes_told(structure)
                             : Told{{}, structure.why},
                   first);
    session.report("c_place", worded(place_words[static_cast<std::size_t>(structure.c)], structure.why), first);
    session.report("order", worded(order_words[static_cast<std::size_t>(structure.order)], structure.why), first);
    return structure;
}

} // namespace discern::probe
