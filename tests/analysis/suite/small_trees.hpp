// Trees of units so small that all of their inputs can be tried.
#pragma once

#include "all_inputs.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>
#include <vector>

namespace discern::tests {

/// Choices at random.
class Picks {
  public:
    explicit Picks(std::uint64_t seed) : random_(seed) {}

    bool one_in(int n) { return random_.one_in(n); }
    int near(int n) { return n + random_.between(-1, 1); }
    template <typename T>
    const T& any_of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
    }
    template <typename T>
    T pick(std::initializer_list<T> list) {
        return list.begin()[random_.below(static_cast<int>(list.size()))];
    }
    /// Some of the values, at least two.
    template <typename T>
    std::vector<T> some(std::vector<T> values) {
        const int n = random_.between(2, static_cast<int>(values.size()));
        while (static_cast<int>(values.size()) > n)
            values.erase(values.begin() + random_.below(static_cast<int>(values.size())));
        return values;
    }

  protected:
    Random random_;
};

class SmallTrees : public Picks {
  public:
    using Picks::Picks;

    /// A unit without parameters. @param most_bits  of one vector of its inputs; at least 12
    Unit draw(int most_bits) {
        using enum FormatId;
        for (;;) {
            Unit unit;
            unit.a = pick({e2m1, e2m1, e3m2, e2m3, e4m3, e5m2, e4m3fnuz, e5m2fnuz});
            unit.b = pick({e2m1, e2m1, e3m2, e2m3, e4m3, e5m2, e4m3fnuz, e5m2fnuz});
            unit.K = pick({1, 1, 2, 2, 2, 2, 3, 4});
            unit.d = pick({e4m3, e4m3, e4m3, e5m2, e5m2, e5m2, f16, e4m3fnuz, e5m2fnuz});
            if (one_in(8)) unit.d = small_fixed_point();
            if (one_in(12)) unit.a = small_fixed_point();
            unit.c =
                unit.K == 1 ? pick({e4m3, e4m3, e5m2, e4m3fnuz, e5m2fnuz, f16}) : pick({e2m1, e3m2, e2m3, e4m3, e5m2});
            if (one_in(unit.K == 2 ? 2 : 4)) unit.c.reset();
            unit.L = unit.c && one_in(3) ? 1 : unit.K;
            const int bits = input_bits(unit);
            if (bits > most_bits || bits < 12 || !one_in(bits > 20 ? 60 : bits > 18 ? 10 : bits > 16 ? 2 : 1)) continue;
            unit.tree = tree(unit);
            if (unit.c && one_in(10)) unit.place = AccumulatorPlace::last;
            if (is_valid(unit)) return unit;
        }
    }

    FormatId small_fixed_point() {
        const int width = random_.between(2, 9);
        return fixed_point(width, random_.between(0, std::min(width, 6))).value();
    }

    static bool is_valid(const Unit& unit) {
        try {
            validate(unit);
            return true;
        } catch (const Error&) {
            return false;
        }
    }

  private:
    static Node products(int first, int step) {
        Product product;
        product.which = {first, step};
        return {product};
    }
    static Node sum(std::vector<Node> terms) {
        Fuse fuse;
        for (Node& term : terms) {
            fuse.children.emplace_back();
            fuse.children.back().node = {std::move(term)};
        }
        return {std::move(fuse)};
    }
    static Node rounded(FormatId id, Node node) {
        Round round;
        round.format = id;
        round.child = {std::move(node)};
        return {std::move(round)};
    }

  protected:
    FormatId inner_format(const Unit& unit) {
        using enum FormatId;
        return one_in(2) ? unit.d : pick({e4m3, e5m2, e4m3fnuz, e5m2fnuz, f16, bf16, tf32, f32});
    }

  private:
    Node tree(const Unit& unit) {
        std::vector<Node> terms;
        const FormatId inner = inner_format(unit);
        switch (random_.below(unit.L > 1 ? 7 : 4)) {
        case 0:
        case 1: terms.push_back(products(0, 1)); break;                         // one fused sum
        case 2: terms.push_back(sum_of(products(0, 1))); break;                 // a sum of a sum
        case 3: terms.push_back(rounded(inner, sum_of(products(0, 1)))); break; // rounded in between
        case 4:                                                                 // two sums
            terms.push_back(sum_of(products(0, 2)));
            terms.push_back(sum_of(products(1, 2)));
            break;
        case 5: // each product rounded
            for (int l = 0; l < unit.L; ++l) terms.push_back(rounded(inner, products(l, 0)));
            break;
        default:
            if (!std::has_single_bit(static_cast<unsigned>(unit.L))) return tree(unit);
            Round adder;
            adder.format = unit.d;
            return pairwise_tree(unit.L, adder, {}, unit.c.has_value(), {});
        }
        if (unit.c) {
            Node c{Accumulator{}};
            if (one_in(6)) c = rounded(inner_format(unit), std::move(c));
            terms.insert(one_in(4) ? terms.begin() : terms.end(), std::move(c));
        }
        Node node = sum(std::move(terms));
        while (one_in(4)) node = rounded(inner_format(unit), std::move(node)); // and again
        return rounded(unit.d, std::move(node));
    }
    static Node sum_of(Node node) {
        std::vector<Node> one;
        one.push_back(std::move(node));
        return sum(std::move(one));
    }

  protected:
    static void visit(Node& node, std::vector<Fuse*>& fuses) {
        if (auto* round = std::get_if<Round>(&node.kind)) visit(round->get(), fuses);
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        fuses.push_back(fuse);
        for (Child& child : fuse->children) visit(child.get(), fuses);
    }
    static std::vector<Fuse*> all_fuses(Unit& unit) {
        std::vector<Fuse*> fuses;
        visit(unit.tree, fuses);
        return fuses;
    }
    /// The fuses that can have a frame, if they align.
    static std::vector<Fuse*> fuses_of_leaves(Unit& unit) {
        std::vector<Fuse*> fuses = all_fuses(unit);
        std::erase_if(fuses, [](Fuse* fuse) {
            const auto is_c = [](const Child& child) { return std::holds_alternative<Accumulator>(child.get().kind); };
            return std::none_of(fuse->children.begin(), fuse->children.end(), is_c) ||
                   !std::all_of(fuse->children.begin(), fuse->children.end(),
                                [](const Child& child) { return is_leaf(child.get()); });
        });
        return fuses;
    }
    static std::vector<Child*> all_children(Unit& unit) {
        std::vector<Child*> children;
        for (Fuse* fuse : all_fuses(unit))
            for (Child& child : fuse->children) children.push_back(&child);
        return children;
    }

    /// Takes back what says nothing, and would be refused.
    static void tidy(Unit& unit) {
        for (Fuse* fuse : all_fuses(unit)) {
            if (!can_have_frame(*fuse)) fuse->frame = SignFrame::none;
            if (fuse->frame == SignFrame::none) fuse->opposed = Opposed::all;
            if (!fuse->step) fuse->phase = 0;
            for (Child& child : fuse->children) {
                if (child.F) continue;
                child.rounding = Rounding::rz;
                fuse->carry.reset();
                fuse->sticky = false;
            }
        }
        for (Product* product : discern::products(unit)) {
            if (!product->limit) product->oinf_yields = true;
            if (!product->ftz) product->fsign_keep = true;
        }
        for (Round* round : all_rounds(unit))
            if (round->ftz == Flush::none) round->fsign_keep = true;
    }
};

} // namespace discern::tests
