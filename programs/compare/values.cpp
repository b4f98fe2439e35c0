// Values for the leaves of terms, of the kinds on which sums in other orders differ.
#include "compare.hpp"

#include "models/random.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// A leaf by what makes its index: another letter than those of the element.
struct Key {
    char letter = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Key&) const = default;
};

class Drawing {
  public:
    Drawing(const Terms& terms, const LeafFormats& formats, const std::vector<NodeId>& leaves, std::uint64_t seed)
        : graph_(terms.graph), leaves_(leaves), random_(seed) {
        for (const NodeId leaf : leaves) {
            const auto known = formats.find(graph_[leaf].op);
            formats_.push_back(known == formats.end() ? nullptr : &format(known->second));
            keys_.push_back(keys_of(leaf));
            for (const Key& key : keys_.back()) places_[key.letter].push_back(key.index);
        }
        for (auto& [letter, indices] : places_) {
            std::sort(indices.begin(), indices.end());
            indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
        }
    }

    std::vector<std::uint64_t> vector() {
        style_ = static_cast<Style>(random_.below(4));
        spread_ = std::array{0, 2, 8, 16, 40, 60}[static_cast<std::size_t>(random_.below(6))];
        choose_kept();
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            values.push_back(formats_[i] == nullptr ? integer(leaves_[i])
                             : is_kept(i)           ? value(*formats_[i])
                                                    : zero(*formats_[i]));
        const int cancelling = random_.one_in(3) ? 0 : random_.below(8);
        for (int i = 0; i < cancelling; ++i) cancel(values);
        return values;
    }

  private:
    enum class Style { ordinary, powers, near_ties, any };

    std::vector<Key> keys_of(NodeId leaf) const {
        const std::string_view letters = Terms::letters(graph_.operation_of(leaf).name);
        const auto indices = graph_.arguments(leaf);
        std::vector<Key> keys;
        for (std::size_t i = 0; i < letters.size(); ++i)
            if (indices[i] != own_index) keys.push_back({letters[i], indices[i]});
        return keys;
    }

    /// All indices, or few of each letter.
    void choose_kept() {
        kept_.clear();
        keeps_all_ = random_.one_in(3);
        if (keeps_all_) return;
        for (const auto& [letter, indices] : places_) {
            const int count = random_.between(2, 8);
            for (int i = 0; i < count; ++i)
                kept_[{letter, indices[static_cast<std::size_t>(random_.below(static_cast<int>(indices.size())))]}] =
                    true;
        }
    }
    bool is_kept(std::size_t leaf) const {
        return keeps_all_ ||
               std::all_of(keys_[leaf].begin(), keys_[leaf].end(), [&](const Key& key) { return kept_.contains(key); });
    }

    std::uint64_t integer(NodeId leaf) {
        const unsigned bits = 8 * graph_[leaf].size;
        return random_.bits() & (bits >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1);
    }
    static std::uint64_t zero(const Format& f) { return f.has_zero ? 0 : one(f); }

    std::uint64_t value(const Format& f) {
        if (style_ == Style::any || f.is_fixed_point() || !f.has_zero) {
            for (;;) {
                const std::uint64_t bits = random_.bits() & f.mask();
                if (decode(f, bits).number_class == NumberClass::finite) return bits;
            }
        }
        const int width = style_ == Style::ordinary ? 3 : spread_;
        const std::uint64_t hidden = std::uint64_t(1) << f.mantissa_bits;
        Decoded number{.negative = f.is_signed && random_.one_in(2),
                       .significand = hidden,
                       .exponent = std::clamp(random_.between(-width, width), f.emin(), f.emax())};
        if (style_ == Style::ordinary) number.significand |= random_.bits() & (hidden - 1);
        if (style_ == Style::near_ties) number.significand |= random_.one_in(2) ? 1 : hidden - 1;
        number.significand =
            std::min(number.significand, number.exponent == f.emax() ? f.max_significand() : ~std::uint64_t(0));
        return pack(f, number);
    }

    /// Gives one index what another has, with the other sign in one array, so that their products cancel.
    void cancel(std::vector<std::uint64_t>& values) {
        if (places_.empty()) return;
        auto place = places_.begin();
        std::advance(place, random_.below(static_cast<int>(places_.size())));
        const char letter = place->first;
        const std::vector<std::uint32_t>& indices = place->second;
        const auto draw = [&] {
            return indices[static_cast<std::size_t>(random_.below(static_cast<int>(indices.size())))];
        };
        const std::uint32_t from = draw();
        const Key source{letter, from}, target{letter, draw()};
        if (source == target) return;
        std::map<OpId, std::size_t> sources;
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            if (keys_[i].size() == 1 && keys_[i][0] == source) sources[graph_[leaves_[i]].op] = i;
        if (sources.empty()) return;
        const OpId negated_operation = sources.begin()->first;
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            const auto found = sources.find(graph_[leaves_[i]].op);
            if (found == sources.end() || keys_[i].size() != 1 || keys_[i][0] != target) continue;
            const std::uint64_t value = values[found->second];
            values[i] = found->first == negated_operation && formats_[i] != nullptr && formats_[i]->is_signed
                            ? negated(*formats_[i], value)
                            : value;
        }
    }

    const Graph& graph_;
    const std::vector<NodeId>& leaves_;
    Random random_;
    std::vector<const Format*> formats_;
    std::vector<std::vector<Key>> keys_;
    std::map<char, std::vector<std::uint32_t>> places_;
    std::map<Key, bool> kept_;
    bool keeps_all_ = true;
    Style style_ = Style::ordinary;
    int spread_ = 0;
};

} // namespace

std::vector<std::uint64_t> random_values(const Terms& terms, const LeafFormats& formats,
                                         const std::vector<NodeId>& leaves, std::size_t assignments,
                                         std::uint64_t seed) {
    Drawing drawing(terms, formats, leaves, seed);
    std::vector<std::uint64_t> values(leaves.size() * assignments);
    for (std::size_t i = 0; i < assignments; ++i) {
        const std::vector<std::uint64_t> one = drawing.vector();
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) values[leaf * assignments + i] = one[leaf];
    }
    return values;
}

} // namespace discern::programs
