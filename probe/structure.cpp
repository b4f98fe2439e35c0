#include "structure.hpp"

#include "models/sentence.hpp"

#include <algorithm>
#include <array>
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
        const auto index = session_.ask(scene(plus, minus, small));
        return index && session_.value(*index) == power(span_.low);
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
        const auto asked = session_.ask(scenes);
        std::vector<std::vector<bool>> survives(n, std::vector<bool>(n, true));
        for (std::size_t j = 0, at = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k) {
                if (j == k) continue;
                const auto d = session_.value(asked[at++]);
                survives[j][k] = d == power(span_.low);
                // What is lost leaves nothing, or one last place of some sum that was rounded away from it.
                if (!d || d->significand > 1) return std::nullopt;
            }
        return ordered(lanes, survives);
    }

    /// Whether every place alone gives its small and its large number, without which nothing else can be read.
    bool singles_are_right(const std::vector<int>& places) {
        std::vector<Scene> scenes;
        for (const int exponent : {span_.low, span_.high})
            for (const int place : places) scenes.push_back(Scene(session_.shape()).put(place, power(exponent)));
        const auto asked = session_.ask(scenes);
        for (std::size_t i = 0; i < asked.size(); ++i)
            if (session_.value(asked[i]) != power(i < places.size() ? span_.low : span_.high)) return false;
        return true;
    }

    const Span& span() const { return span_; }

  private:
    Scene scene(int plus, int minus, int small) const {
        Scene result(session_.shape());
        result.put(plus, power(span_.high)).put(minus, -power(span_.high)).put(small, power(span_.low));
        return result;
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
        std::stable_sort(by_place.begin(), by_place.end(), [&](auto j, auto k) { return place[j] < place[k]; });
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

Order order_of(const std::vector<Step>& forth, const std::vector<Step>& back) {
    const auto doubling = [](const std::vector<Step>& steps) {
        std::size_t size = 1;
        for (const Step& step : steps) {
            if (step.lanes.size() != size) return false;
            size *= 2;
        }
        return true;
    };
    const auto single = [](const Step& step) { return step.lanes.size() == 1; };
    if (forth.size() == 1 && back.size() == 1 && forth.front().exact == back.front().exact)
        return forth.front().exact ? Order::exact : Order::fused;
    if (doubling(forth) && doubling(back)) return Order::pairs;
    if (std::all_of(forth.begin(), forth.end(), single) && back.size() == 1) return Order::one_by_one;
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
    return forth && back ? order_of(*forth, *back) : Order::unknown;
}

/// From the steps of all lanes, seen from c or lane 0.
void set_blocks(Structure& structure, const std::vector<Step>& steps) {
    for (const Step& step : steps) structure.blocks.push_back(step.lanes);
}

void find_with_c(Swamp& swamp, int K, Structure& structure) {
    const auto steps = swamp.steps(at_c, all_lanes(0, K));
    if (!steps) {
        structure.why = "the answers fit no order of blocks";
        return;
    }
    const Step& first = steps->front();
    if (first.lanes.size() == 1 || first.exact) {
        // With c's large number gone nothing was lost: c is in the sum.
        structure.c = first.lanes.size() == 1 ? CPlace::single : CPlace::early;
        structure.order = inner_order(swamp, first);
        set_blocks(structure, *steps);
        return;
    }
    if (!swamp.survives(first.lanes[0], first.lanes[1], at_c) &&
        !swamp.survives(first.lanes.back(), first.lanes[0], at_c)) {
        structure.c = CPlace::early;
        structure.order = inner_order(swamp, first);
        set_blocks(structure, *steps);
        return;
    }
    structure.c = CPlace::late;
    structure.order = inner_order(swamp, first);
    if (steps->size() > 1 || structure.order == Order::pairs) {
        set_blocks(structure, *steps);
        return;
    }
    // Every lane is lost beside c: one block, or c comes after all of them. Lane 0 sees which.
    const auto from_zero = swamp.steps(0, all_lanes(1, K));
    const auto blocks = from_zero ? joined(*from_zero) : std::nullopt;
    if (!blocks) {
        structure.c = CPlace::last;
        structure.why = "c comes after the products, whose order the answers leave open";
        return;
    }
    if (blocks->size() > 1) structure.c = CPlace::last;
    structure.order = inner_order(swamp, blocks->front());
    set_blocks(structure, *blocks);
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
    structure.order = chain ? inner_order(swamp, blocks->front()) : order_of(*forth, *back);
    set_blocks(structure, *blocks);
}

Feature width_feature(const Structure& structure) {
    Feature feature{.key = "block_width", .title = "block width", .value = {}, .why = structure.why, .decided_by = {}};
    if (!structure.known()) return feature;
    const std::size_t width = structure.blocks.front().size();
    for (const auto& block : structure.blocks)
        if (block.size() != width) {
            feature.why = "blocks of different width: ";
            for (const auto& one : structure.blocks) append_part(feature.why, sentence(one.size(), " "));
            return feature;
        }
    feature.value = std::to_string(width);
    feature.why = sentence(counted(structure.blocks.size(), "block"), " one after the other");
    return feature;
}

/// The runs in which two blocks share their lanes, 0 if blocks hold consecutive lanes, nothing if neither.
std::optional<int> runs_of(const Structure& structure) {
    Unit unit;
    unit.L = static_cast<int>(structure.blocks.front().size());
    unit.K = unit.L * static_cast<int>(structure.blocks.size());
    for (int runs = 0; runs <= unit.L; runs = runs == 0 ? 1 : 2 * runs) {
        unit.interleave = runs;
        if (runs != 0 && (unit.L % runs != 0 || structure.blocks.size() % 2 != 0)) continue;
        bool same = true;
        for (int block = 0; block < static_cast<int>(structure.blocks.size()); ++block)
            for (int l = 0; l < unit.L; ++l)
                same = same && structure.blocks[static_cast<std::size_t>(block)][static_cast<std::size_t>(l)] ==
                                   unit.element(block, l);
        if (same) return runs;
    }
    return std::nullopt;
}

Feature lanes_feature(const Structure& structure, bool regular) {
    Feature feature{
        .key = "interleave", .title = "lanes of a block", .value = {}, .why = structure.why, .decided_by = {}};
    if (!structure.known() || !regular) return feature;
    const auto listed = [](const auto& parts, const auto& lane_of) {
        std::string text;
        for (const auto& part : parts) append_part(text, sentence(text.empty() ? "" : " ", lane_of(part)));
        return text;
    };
    const auto& runs = structure.runs;
    const auto& first = structure.blocks.front();
    feature.why = "the first block has lanes " + listed(first, [](int lane) { return lane; });
    if (runs)
        feature.value = *runs == 0 ? "consecutive" : sentence("interleaved by ", *runs);
    else if (first.size() == 1)
        feature.value = "order " + listed(structure.blocks, [](const auto& block) { return block.front(); });
    return feature;
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
constexpr std::array<Words, 7> order_words = {{
    {"fused", "all terms of a block are one sum; their order is nothing that one could control"},
    {"exact", "all terms of a block are one sum that loses nothing"},
    {"single", "products are added one at a time, in the order of the lanes"},
    {"pairs", "(p0 + p1) + (p2 + p3), rounded after every addition"},
    {"one by one", "((p0 + p1) + p2) + …, rounded after every addition"},
    {"steps", "rounded within a block, in an order that is none of the usual ones"},
    {"", ""},
}};

Feature worded(std::string_view key, std::string_view title, const Words& words, const std::string& why) {
    Feature feature{.key = key, .title = title, .value = {}, .why = why, .decided_by = {}};
    if (words.value.empty()) return feature;
    feature.value = words.value;
    feature.why = words.why;
    return feature;
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
                                 " binary places in common: nothing is lost beside anything");
    else if (!swamp.singles_are_right(all_lanes(session.shape().c ? at_c : 0, K)))
        structure.why = "a product or c alone is not given as it is";
    else if (session.shape().c)
        find_with_c(swamp, K, structure);
    else if (K > 1)
        find_without_c(swamp, K, structure);
    const std::vector<std::size_t> decided_by = indices(first, session.count());
    std::vector<Feature> features = {width_feature(structure)};
    if (features.front().value) structure.runs = runs_of(structure);
    features.push_back(lanes_feature(structure, features.front().value.has_value()));
    features.push_back(
        worded("c_place", "place of c", place_words[static_cast<std::size_t>(structure.c)], structure.why));
    features.push_back(
        worded("order", "sum of a block", order_words[static_cast<std::size_t>(structure.order)], structure.why));
    for (Feature& feature : features) {
        if (feature.value) feature.decided_by = decided_by;
        session.add(std::move(feature));
    }
    return structure;
}

} // namespace discern::probe
