// The walk over the blocks of a unit (docs/notation.md, "What a tree computes"), for all members of a box: each block
// passes every result to the next one, together with the members that give it. Members with the same result are joined.
#include "box_walk.hpp"

#include "box_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace discern::identify {

namespace {

/// An accumulator that goes from a block to the next, and the members that give it.
struct State {
    Decoded c;
    std::vector<ValueSet> sets;
};

auto number_of(const Decoded& c) {
    return std::tuple(c.number_class, c.negative, c.exponent, c.significand, c.payload);
}
using Number = decltype(number_of(Decoded{}));

/// What the states before a block become in it. Most vectors have few products that are not zero, so that many blocks
/// have the same elements as the one before, and members keep their accumulators from there on.
class Known {
  public:
    /// Keeps what is known if the elements are those of the block before.
    void enter(const integer::Frame& frame, const Inputs& in, std::size_t first, const Format* c_format) {
        bool same = first >= frame.L && c_format == c_format_;
        for (std::size_t l = 0; same && l < frame.L; ++l) {
            const std::size_t k = frame.order[first + l], before = frame.order[first + l - frame.L];
            same = in.a[k] == in.a[before] && in.b[k] == in.b[before];
            if (frame.any_scale() == nullptr) continue;
            const std::size_t s = k / frame.scale_block, t = before / frame.scale_block;
            same = same && in.sa[s] == in.sa[t] && in.sb[s] == in.sb[t];
        }
        c_format_ = c_format;
        if (!same) next_.clear();
    }
    /// The states after the block; nothing if they were not kept.
    const std::vector<State>* after(const State& state) const {
        const auto at = next_.find(key_of(state));
        return at == next_.end() ? nullptr : &at->second;
    }
    void keep(const State& state, std::vector<State> after) { next_.emplace(key_of(state), std::move(after)); }

  private:
    using Words = std::vector<std::array<std::uint64_t, 2>>;
    using Key = std::pair<Number, Words>;

    static Key key_of(const State& state) {
        Words words;
        for (const ValueSet& set : state.sets) words.push_back({set.word(0), set.word(1)});
        return {number_of(state.c), std::move(words)};
    }

    const Format* c_format_ = nullptr;
    std::map<Key, std::vector<State>> next_;
};

/// Joins the members that give the same c, where they make a box.
void join(std::size_t structure, std::vector<State>& states) {
    if (states.size() < 2) return;
    std::map<std::tuple<NumberClass, bool, int, std::uint64_t>, std::vector<Box>> by_c;
    for (State& s : states) {
        const bool is_nan = s.c.number_class == NumberClass::nan;
        const bool finite = s.c.number_class == NumberClass::finite;
        by_c[{s.c.number_class, !is_nan && s.c.negative, finite ? s.c.exponent : 0, finite ? s.c.significand : 0}]
            .push_back({structure, std::move(s.sets)});
    }
    states.clear();
    for (auto& [key, boxes] : by_c) {
        merge(boxes);
        const auto [number_class, negative, exponent, significand] = key;
        for (Box& box : boxes)
            states.push_back({{.number_class = number_class,
                               .negative = negative,
                               .significand = significand,
                               .exponent = exponent,
                               .payload = 0},
                              std::move(box.sets)});
    }
}

template <typename Int>
std::optional<std::vector<Leaf>> walk(const Structure& structure, const Box& box, const Inputs& inputs,
                                      std::size_t most) {
    const Unit& u = structure.frame;
    const integer::Frame frame(u);
    std::vector<Decoded> room(4 * frame.L);
    integer::Block operands(frame, inputs, room.data());
    std::vector<State> states = {{operands.c, box.sets}};
    // As much work as for so many evaluations of all blocks.
    std::size_t steps = most * static_cast<std::size_t>(u.blocks());
    Known known;
    for (std::size_t first = 0; first < frame.order.size(); first += frame.L) {
        operands.read(inputs, first);
        known.enter(frame, inputs, first, operands.c_format);
        std::vector<State> next;
        for (const State& state : states) {
            if (const auto* after = known.after(state)) {
                next.insert(next.end(), after->begin(), after->end());
                continue;
            }
            std::vector<State> after;
            integer::Block block = operands;
            block.c = state.c;
            const Box here{box.structure, state.sets};
            BoxReader<Int> reader(structure, here, block);
            do {
                if (steps-- == 0) return std::nullopt;
                integer::Rounded d;
                if (!integer::Machine<Int, BoxReader<Int>>(reader, block).round(structure.tree, d)) throw TooNarrow{};
                after.push_back({integer::stored(frame, d), reader.sets()});
            } while (reader.next());
            next.insert(next.end(), after.begin(), after.end());
            known.keep(state, std::move(after));
        }
        join(box.structure, next);
        if (next.size() > most) return std::nullopt;
        states = std::move(next);
        operands.c_format = frame.d;
    }
    const bool last = u.place == AccumulatorPlace::last;
    std::vector<Leaf> leaves;
    for (State& state : states) {
        const Decoded d = last ? integer::add_last(frame, state.c, decode(*frame.c, inputs.c)) : state.c;
        const bool is_nan = d.number_class == NumberClass::nan;
        leaves.push_back({is_nan ? quiet_nan(*frame.d) : pack(*frame.d, d), {box.structure, std::move(state.sets)}});
    }
    return leaves;
}

} // namespace

std::optional<std::vector<Leaf>> evaluate(const Structure& structure, const Box& box, const Inputs& inputs,
                                          std::size_t most) {
    try {
        return walk<wide::i128>(structure, box, inputs, most);
    } catch (const TooNarrow&) {
    }
    try {
        return walk<wide::Medium>(structure, box, inputs, most);
    } catch (const TooNarrow&) {
    }
    return walk<wide::Big>(structure, box, inputs, most);
}

std::uint64_t without_nan_bits(FormatId d, std::uint64_t bits) {
    const Format& f = format(d);
    return decode(f, bits).number_class == NumberClass::nan ? quiet_nan(f) : bits;
}

bool gives(const Unit& unit, const std::vector<Vector>& seen) {
    const Evaluator evaluate(unit);
    return std::ranges::all_of(
        seen, [&](const Vector& v) { return without_nan_bits(unit.d, evaluate(v.inputs())) == v.d.front(); });
}

} // namespace discern::identify
