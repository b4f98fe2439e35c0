// A search over the levels of schedules, from the outermost in, among what the row of probes allows.
#include "levels.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>

namespace discern::kernels {

namespace {

constexpr int most_parts = 64;
constexpr int most_blocks = 8; ///< of an instruction

using Elements = std::vector<int>;

/// Tries levels from the outside in on the row of product 0.
class Search {
  public:
    /// @param row  of each product but 0: units below the node where it meets product 0, both of them as if they were
    Search(const Shape& shape, const Swamping& probe, std::vector<int> row)
        : shape_(shape), probe_(probe), row_(std::move(row)) {}

    std::vector<Candidate> run() {
        Elements all(static_cast<std::size_t>(shape_.K));
        std::iota(all.begin(), all.end(), 0);
        for (const bool exact : {false, true})
            for (int w = exact ? 2 : 1; w <= std::min(shape_.K, 256); w *= 2) {
                const std::size_t before = found_.size();
                // What is dealt out together may be several blocks.
                for (int n = 1; n <= most_blocks && found_.size() == before && shape_.K % (n * w) == 0; n *= 2) {
                    now_ = {};
                    now_.instruction = n * w;
                    now_.block = w;
                    now_.exact = exact;
                    blocks(all);
                }
            }
        return std::move(found_);
    }

  private:
    int count(const Elements& of) const {
        return static_cast<int>(std::count_if(of.begin(), of.end(), [&](int k) { return probe_.is_unit(k); }));
    }

    /// For each part but the first: the units below the node where it meets the first.
    static std::vector<int> meetings(const std::vector<int>& counts, FoldOrder order) {
        struct Sum {
            std::vector<std::size_t> parts;
            int units;
            bool has_first;
        };
        std::vector<int> meets(counts.size(), 0);
        std::vector<Sum> sums;
        for (std::size_t i = 0; i < counts.size(); ++i) sums.push_back({{i}, counts[i], i == 0});
        const auto join = [&](Sum x, const Sum& y) {
            x.units += y.units;
            if (x.has_first || y.has_first)
                for (const std::size_t part : x.has_first ? y.parts : x.parts) meets[part] = x.units;
            x.has_first = x.has_first || y.has_first;
            x.parts.insert(x.parts.end(), y.parts.begin(), y.parts.end());
            return x;
        };
        if (order == FoldOrder::reverse) std::reverse(sums.begin(), sums.end());
        if (order == FoldOrder::last_halves && sums.size() > 1) { // what is left is added in order
            const std::size_t half = (sums.size() + 1) / 2;
            std::vector<Sum> slots = {sums.back()};
            sums.pop_back();
            for (std::size_t i = 0; i < half && i < sums.size(); ++i)
                slots.push_back(i + half < sums.size() ? join(sums[i], sums[i + half]) : sums[i]);
            sums = std::move(slots);
        }
        while (sums.size() > 1) {
            const std::size_t n = sums.size(), half = (n + 1) / 2;
            std::vector<Sum> next;
            if (order == FoldOrder::pairwise) {
                for (std::size_t i = 0; i < n; i += 2) next.push_back(i + 1 < n ? join(sums[i], sums[i + 1]) : sums[i]);
            } else if (order == FoldOrder::halving) {
                for (std::size_t i = 0; i < half; ++i)
                    next.push_back(i + half < n ? join(sums[i], sums[i + half]) : sums[i]);
            } else { // in order, in one go
                Sum sum = sums.front();
                for (std::size_t i = 1; i < n; ++i) sum = join(std::move(sum), sums[i]);
                next = {sum};
            }
            sums = std::move(next);
        }
        return meets;
    }

    /// The orders in which such parts of a sequence meet product 0, which is in the first, as it was measured.
    std::vector<FoldOrder> orders(const std::vector<Elements>& parts) const {
        std::vector<int> counts;
        for (const Elements& part : parts) counts.push_back(count(part));
        std::vector<FoldOrder> fitting;
        std::vector<std::vector<int>> seen;
        for (const FoldOrder order :
             {FoldOrder::order, FoldOrder::pairwise, FoldOrder::halving, FoldOrder::reverse, FoldOrder::last_halves}) {
            const std::vector<int> meets = meetings(counts, order);
            if (std::find(seen.begin(), seen.end(), meets) != seen.end()) continue;
            seen.push_back(meets);
            bool fits = true;
            for (std::size_t q = 1; q < parts.size() && fits; ++q)
                for (const int k : parts[q])
                    if (row_[static_cast<std::size_t>(k)] != meets[q]) {
                        fits = false;
                        break;
                    }
            if (fits) fitting.push_back(order);
        }
        return fitting;
    }

    /// Contiguous pieces that are added to what is before them: from the end, as long as products meet 0 where all
    /// before them do. Empty if there are not two, or there are as many as instructions.
    std::vector<Elements> pieces_in_order(const Elements& all) const {
        std::vector<int> before = {0}; // units of the first n
        for (const int k : all) before.push_back(before.back() + (probe_.is_unit(k) ? 1 : 0));
        std::vector<std::size_t> begins = {all.size()};
        std::size_t end = all.size();
        const auto w = static_cast<std::size_t>(now_.instruction);
        while (end > 1) {
            std::size_t begin = end;
            while (begin > 1 && row_[static_cast<std::size_t>(all[begin - 1])] == before[end]) --begin;
            begin = (begin + w - 1) / w * w;
            if (begin >= end || end - begin <= w || begin == 0) break; // instructions, or the first piece
            begins.push_back(begin);
            end = begin;
        }
        if (begins.size() < 2) return {};
        begins.push_back(0);
        std::reverse(begins.begin(), begins.end());
        std::vector<Elements> pieces;
        for (std::size_t i = 0; i + 1 < begins.size(); ++i)
            pieces.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                                all.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
        return pieces;
    }

    static std::optional<int> common_length(const std::vector<Elements>& pieces) {
        for (std::size_t i = 1; i + 1 < pieces.size(); ++i)
            if (pieces[i].size() != pieces[0].size()) return std::nullopt;
        if (pieces.back().size() > pieces[0].size()) return std::nullopt;
        return static_cast<int>(pieces[0].size());
    }
    static std::vector<int> lengths(const std::vector<Elements>& pieces) {
        std::vector<int> list;
        for (const Elements& piece : pieces) list.push_back(static_cast<int>(piece.size()));
        return list;
    }

    // ---- levels

    void blocks(const Elements& all) {
        parts(all);
        const std::vector<Elements> pieces = pieces_in_order(all);
        if (pieces.empty() || pieces.size() > 1024 || orders(pieces).empty()) return;
        const Candidate before = now_;
        const auto length = common_length(pieces);
        now_.schedule.kc = length ? std::vector<int>{*length} : lengths(pieces);
        now_.schedule.from_zero = true;
        slices(pieces.front()); // an accumulation within accumulations of the same tree is called by the outer one
        now_ = before;
        if (length || pieces.size() > most_parts) return; // equal parts are found below
        now_.schedule.split = lengths(pieces);
        slices(pieces.front());
        now_ = before;
    }
    void parts(const Elements& all) {
        slices(all);
        const int w = now_.instruction, steps = static_cast<int>(all.size()) / w;
        for (int n = 2; n <= std::min(steps, most_parts); ++n) {
            if (steps % n != 0) continue;
            std::vector<Elements> dealt_out;
            const auto length = all.size() / static_cast<std::size_t>(n);
            for (std::size_t at = 0; at < all.size(); at += length)
                dealt_out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                                       all.begin() + static_cast<std::ptrdiff_t>(at + length));
            each_order(dealt_out, [&](FoldOrder order) {
                now_.schedule.split = {n};
                now_.schedule.split_order = order;
                slices(dealt_out.front());
            });
        }
    }
    std::vector<Elements> dealt(const Elements& all, int n, int run) const {
        std::vector<Elements> dealt_out(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < all.size(); ++i)
            dealt_out[i / static_cast<std::size_t>(run) % static_cast<std::size_t>(n)].push_back(all[i]);
        return dealt_out;
    }
    template <class Inner>
    void each_order(const std::vector<Elements>& dealt_out, const Inner& inner) {
        const Candidate before = now_;
        for (const FoldOrder order : orders(dealt_out)) {
            inner(order);
            now_ = before;
        }
    }
    void slices(const Elements& all) {
        lanes(all);
        const int w = now_.instruction, size = static_cast<int>(all.size());
        for (int n = 2; n <= 16; ++n)
            for (int run = 2 * w; run * (n - 1) < size; run *= 2) {
                const auto dealt_out = dealt(all, n, run);
                each_order(dealt_out, [&](FoldOrder order) {
                    now_.schedule.slice = n;
                    now_.schedule.run = run;
                    now_.schedule.slice_order = order;
                    lanes(dealt_out.front());
                });
            }
    }
    void lanes(const Elements& all) {
        pieces(all);
        const int w = now_.instruction, steps = static_cast<int>(all.size()) / w;
        for (int n = 2; n <= std::min(steps, most_parts); ++n) {
            const auto dealt_out = dealt(all, n, w);
            each_order(dealt_out, [&](FoldOrder order) {
                now_.schedule.lanes = n;
                now_.schedule.lanes_order = order;
                pieces(dealt_out.front());
                registers(dealt_out.front());
            });
        }
    }
    void registers(const Elements& all) {
        const int w = now_.instruction, steps = static_cast<int>(all.size()) / w;
        for (int n = 2; n <= std::min(steps, 16); ++n) {
            const auto dealt_out = dealt(all, n, w);
            each_order(dealt_out, [&](FoldOrder order) {
                now_.schedule.unroll = n;
                now_.schedule.unroll_order = order;
                pieces(dealt_out.front());
            });
        }
    }
    void pieces(const Elements& all) {
        chain(all);
        const std::vector<Elements> dealt_out = pieces_in_order(all);
        if (dealt_out.empty() || orders(dealt_out).empty()) return;
        const auto length = common_length(dealt_out);
        if (!length) return;
        const Candidate before = now_;
        now_.schedule.promote = Promotion{*length, {shape_.d, Rounding::rne}};
        chain(dealt_out.front());
        now_ = before;
    }
    void chain(const Elements& all) {
        const auto w = static_cast<std::size_t>(now_.block);
        int before = 0, through = 0; // units of the blocks before, and with this one
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % w == 0) {
                before = through;
                for (std::size_t l = i; l < std::min(i + w, all.size()); ++l) through += probe_.is_unit(all[l]) ? 1 : 0;
            }
            if (i < w) continue;
            const int own = probe_.is_unit(all[i]) ? 1 : 0;
            if (row_[static_cast<std::size_t>(all[i])] != (now_.exact ? before + own : through)) return;
        }
        if (now_.exact && all.size() == w) return; // nothing has shown that
        Candidate one = now_;
        one.chain = all;
        for (const bool zero : {false, true}) {
            if (!one.schedule.kc.empty() && !zero) continue;
            one.schedule.from_zero = zero && shape_.c.has_value();
            if (!one.schedule.kc.empty()) one.schedule.from_zero = true;
            one.begins_from_c = shape_.c && !one.schedule.from_zero && !one.schedule.promote;
            if (said_.insert(text_of(one)).second) found_.push_back(one);
        }
    }

    /// All of it: the elements of the chain follow from the rest.
    static std::string text_of(const Candidate& c) {
        return sentence(to_string(c.schedule), " ", c.instruction, " ", c.block, c.exact ? " exact" : "");
    }

    const Shape& shape_;
    const Swamping& probe_;
    const std::vector<int> row_;
    Candidate now_;
    std::vector<Candidate> found_;
    std::unordered_set<std::string> said_;
};

} // namespace

std::vector<Candidate> candidates_of_row(const Shape& shape, const Swamping& probe, std::vector<int> row) {
    return Search(shape, probe, std::move(row)).run();
}

} // namespace discern::kernels
