// See normal_form.hpp.
#include "normal_form.hpp"

#include <algorithm>
#include <optional>

namespace discern {

namespace {

class Simplifier {
  public:
    explicit Simplifier(const Unit& unit) : unit_(unit) {}

    void simplify(Node& node, bool below_round) const {
        if (auto* round = std::get_if<Round>(&node.kind)) simplify(round->get(), true);
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) {
            for (Child& child : fuse->children) simplify(child.get(), false);
            if (below_round) simplify(*fuse);
        }
    }

  private:
    void simplify(Fuse& fuse) const {
        const bool uses_exponent = std::any_of(fuse.children.begin(), fuse.children.end(),
                                               [](const Child& child) { return child.F || child.drop; });
        if (!uses_exponent) {
            fuse.floor.reset();
            for (Child& child : fuse.children) child.zero = {};
            return;
        }
        const int lowest = lowest_exponent(fuse);
        const int bound = std::max(lowest, fuse.floor.value_or(lowest)); // E is at least that if anything is not zero
        for (Child& child : fuse.children)
            if (const auto zero = zero_exponent(child); zero && *zero <= bound) child.zero = {};
        if (fuse.floor && *fuse.floor <= lowest) fuse.floor.reset();
    }

    /// The largest exponent with which a zero child takes part, if that is known.
    std::optional<int> zero_exponent(const Child& child) const {
        if (child.zero.kind == ZeroExponent::Kind::constant) return child.zero.value;
        if (child.zero.kind != ZeroExponent::Kind::own) return std::nullopt;
        if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) return exponents_of_zero(*c).second;
        if (const auto* round = std::get_if<Round>(&child.get().kind)) return format(round->format).emin();
        return std::nullopt; // of a product or a sum: may be anything
    }

    /// Smallest and largest emin of the formats that c is read in.
    std::pair<int, int> exponents_of_zero(const Accumulator& c) const {
        int least = format(unit_.d).emin(), most = least;
        for (const auto& id : {unit_.c, c.as})
            if (id) {
                least = std::min(least, format(*id).emin());
                most = std::max(most, format(*id).emin());
            }
        return {least, most};
    }

    /// No child of this fuse that is not zero has a smaller reference exponent.
    int lowest_exponent(const Fuse& fuse) const {
        int lowest = lowest_exponent(fuse.children.front().get());
        for (const Child& child : fuse.children) lowest = std::min(lowest, lowest_exponent(child.get()));
        return lowest;
    }

    int lowest_exponent(const Node& node) const {
        const int scales = unit_.scale ? 2 * format(unit_.scale->format).emin() : 0;
        if (const auto* product = std::get_if<Product>(&node.kind)) {
            const Format &a = format(unit_.a), &b = format(unit_.b);
            int lowest = a.emin() + b.emin() + scales;
            if (product->normalisation == Normalisation::full) { // leading zeros of subnormals count
                lowest -= a.mantissa_bits + b.mantissa_bits;
                if (unit_.scale) lowest -= 2 * format(unit_.scale->format).mantissa_bits;
            }
            return lowest;
        }
        if (std::holds_alternative<Group>(node.kind)) return scales;
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) return exponents_of_zero(*c).first;
        if (const auto* round = std::get_if<Round>(&node.kind)) return format(round->format).emin();
        return lowest_exponent(std::get<Fuse>(node.kind)); // it is not zero only if one of its children is not
    }

    const Unit& unit_;
};

} // namespace

Unit normal_form(const Unit& unit) {
    Unit form = unit;
    Simplifier(unit).simplify(form.tree, false);
    return form;
}

} // namespace discern
