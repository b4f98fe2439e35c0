// A kernel as one unit: the trees of its instructions put into one another, so that everything that reads trees (the
// encoder, explanations, properties) reads kernels too.
//
// An accumulator that is an earlier result becomes that result's round. One that is +0 goes away: what it does in a sum
// is the floor of its exponent, and that a sum of zeros is +0. One that is read again as another format (as=) changes
// the exponents of small numbers and nothing else, infinities and zeros of both signs included, which that format may
// lack: it becomes a rounding to an IEEE format, which has all of these and changes no value.
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"
#include "outline.hpp"

#include <algorithm>

namespace discern {

namespace schedules {
namespace {

constexpr int longest_tree = 4096;

[[noreturn]] void fail_writing(const std::string& why) {
    throw Error("schedule: this kernel cannot be written as one tree, which this question needs: " + why);
}

/// The tree that stands for the accumulator of an instruction.
struct Start {
    enum class Kind : std::uint8_t { c, zero, sum };
    Kind kind = Kind::zero;
    Node sum{}; ///< a round
};

class Writer {
  public:
    explicit Writer(const Kernel& kernel) : kernel_(kernel), expanded_(expand(kernel.unit)), steps_(outline(kernel)) {}

    Node run() {
        for (const OutlineStep& step : steps_) values_.push_back(value(step));
        return std::move(values_.back());
    }

  private:
    using Kind = OutlineStep::Kind;

    const OutlineStep& of(int step) const { return steps_[static_cast<std::size_t>(step)]; }
    /// The value of an earlier step: each is a part of one that comes after it.
    Node taken(int step) { return std::move(values_[static_cast<std::size_t>(step)]); }

    static std::vector<Node> only(Node node) { // a list in braces would copy it, and all that is below it
        std::vector<Node> one;
        one.push_back(std::move(node));
        return one;
    }
    /// The tree, if it is not too deep to become part of another.
    static Node checked(Node tree) {
        if (depth(tree) > max_depth)
            fail_writing("it is deeper than " + std::to_string(max_depth) + " levels; a smaller K is right");
        return tree;
    }
    static Child exactly(Node node) { return {.node = only(std::move(node)), .zero = {ZeroExponent::Kind::own, 0}}; }
    static Node round_of(const Conversion& to, Node node) {
        return checked(Node{Round{.format = to.format, .mode = to.mode, .child = only(std::move(node))}});
    }
    static Node sum_of(const Conversion& to, Node x, Node y) {
        Fuse fuse;
        fuse.children.push_back(exactly(std::move(x)));
        fuse.children.push_back(exactly(std::move(y)));
        return round_of(to, Node{std::move(fuse)});
    }

    Node value(const OutlineStep& s) {
        const Conversion to{s.format, s.mode};
        switch (s.kind) {
        case Kind::c: return Node{Accumulator{}};
        case Kind::convert: return round_of(to, taken(s.x));
        case Kind::add: {
            if (of(s.x).kind != Kind::zero) return sum_of(to, taken(s.x), taken(s.y));
            Node sum = round_of(to, taken(s.y)); // +0 + −0 is −0 downwards alone
            std::get<Round>(sum.kind).zsign_ieee = s.mode == Rounding::rd;
            return sum;
        }
        case Kind::chain: return chain(s);
        case Kind::zero: return {}; // which goes away
        }
        throw std::logic_error("a step of a kernel without a kind");
    }

    Node chain(const OutlineStep& step) {
        const Unit& unit = kernel_.unit;
        Start start;
        if (step.x >= 0 && of(step.x).kind == Kind::c)
            start.kind = Start::Kind::c;
        else if (step.x >= 0)
            start = {Start::Kind::sum, taken(step.x)};
        for (const int instruction : step.instructions) {
            std::optional<Start> last;
            if (unit.place == AccumulatorPlace::last) last = std::exchange(start, Start{});
            for (int block = 0; block < unit.blocks(); ++block) {
                instruction_ = instruction;
                block_ = block;
                start = {Start::Kind::sum, checked(node(expanded_, start, Rounding::rne))};
            }
            if (last) start.sum = plus(std::move(start.sum), std::move(*last));
        }
        return std::move(start.sum);
    }

    /// An accumulator that comes last.
    Node plus(Node sum, Start c) const {
        const Conversion to{kernel_.unit.d, Rounding::rne};
        if (c.kind == Start::Kind::c) return sum_of(to, std::move(sum), Node{Accumulator{}});
        if (c.kind == Start::Kind::sum) return sum_of(to, std::move(sum), std::move(c.sum));
        Node alone = round_of(to, std::move(sum));
        std::get<Round>(alone.kind).zsign_ieee = false;
        return alone;
    }

    // ---- the tree of one block

    /// @param mode  of the round above
    Node node(const Node& from, Start& start, Rounding mode) const {
        if (const auto* round = std::get_if<Round>(&from.kind)) {
            Round copy = *round;
            copy.child = only(node(round->get(), start, round->mode));
            return Node{std::move(copy)};
        }
        if (const auto* fuse = std::get_if<Fuse>(&from.kind)) return sum(*fuse, start, mode);
        if (const auto* p = std::get_if<Product>(&from.kind)) {
            Product copy = *p;
            copy.which = {instruction_ * kernel_.unit.K + kernel_.unit.element(block_, p->which.first), 0};
            return Node{copy};
        }
        if (const auto* g = std::get_if<Group>(&from.kind)) {
            Group copy = *g;
            const int before = instruction_ * kernel_.unit.K + block_ * kernel_.unit.L;
            copy.which = {before / g->size + g->which.first, 0};
            return Node{copy};
        }
        return accumulator(std::get<Accumulator>(from.kind), start);
    }

    Node sum(const Fuse& fuse, Start& start, Rounding mode) const {
        Fuse copy = fuse;
        copy.children.clear();
        for (const Child& child : fuse.children) {
            const auto* c = std::get_if<Accumulator>(&child.get().kind);
            if (c != nullptr && start.kind == Start::Kind::zero) {
                leave_out(fuse, child, *c, mode, copy);
                continue;
            }
            Child one = child;
            one.node = only(node(child.get(), start, mode));
            copy.children.push_back(std::move(one));
        }
        if (copy.children.empty())
            fail_writing("a sum of its unit has nothing but the accumulator, which is +0 at first");
        return Node{std::move(copy)};
    }

    /// A sum without its accumulator, which is +0.
    void leave_out(const Fuse& fuse, const Child& child, const Accumulator& c, Rounding mode, Fuse& copy) const {
        std::optional<int> exponent;
        if (child.zero.kind == ZeroExponent::Kind::constant) exponent = child.zero.value;
        if (child.zero.kind == ZeroExponent::Kind::own) exponent = format(c.as.value_or(kernel_.unit.d)).emin();
        if (exponent) *exponent -= child.less;
        if (exponent) copy.floor = std::max(copy.floor.value_or(*exponent), *exponent);
        if (mode != Rounding::rd) copy.plus = true;
        if (fuse.frame != SignFrame::none)
            fail_writing("its unit inverts terms by the sign of an accumulator that is +0");
        if (!fuse.carry && !fuse.sticky) return;
        int largest = 0;
        for (const Child& other : fuse.children)
            if (&other != &child) largest = std::max(largest, other.F.value_or(0));
        if (child.F.value_or(0) > largest)
            fail_writing("the register of its unit's sum has as many bits as its accumulator, which is +0 at first");
    }

    Node accumulator(const Accumulator& c, Start& start) const {
        if (start.kind == Start::Kind::c) return first_accumulator(c);
        if (start.kind == Start::Kind::zero) fail_writing("its unit uses the accumulator outside of a sum");
        Node sum = std::move(start.sum);
        auto& round = std::get<Round>(sum.kind);
        if (c.ftz && format(round.format).has_subnormals()) {
            if (round.ftz == Flush::none) {
                round.ftz = Flush::result;
                round.fsign_keep = c.fsign_keep;
            }
            if (!c.zin_keep) round.zsign_ieee = round.usign_keep = round.fsign_keep = false;
        }
        return c.as ? read_again(format(*c.as), std::move(sum)) : sum;
    }

    /// C itself. Where only later accumulators have subnormal numbers to flush, there is nothing to do.
    Node first_accumulator(Accumulator c) const {
        if (!format(*kernel_.unit.c).has_subnormals()) {
            c.ftz = false;
            c.fsign_keep = c.zin_keep = true;
        }
        return Node{c};
    }

    /// An IEEE format that has every number of `from`, with no fewer fraction bits than `to` and exponents that reach
    /// at least as far down. @param to  has every number of `from` too
    static const Format& ieee_format(const Format& from, const Format& to) {
        if (to.specials == Specials::ieee) return to;
        const int most = from.emax() + (from.is_fixed_point() ? 1 : 0); // whose smallest number has the significand 2
        for (int exponent_bits = 2; exponent_bits < 11; ++exponent_bits) {
            const Format& f = format(format_of_fields(exponent_bits, to.mantissa_bits, Specials::ieee).value());
            if (f.emin() <= to.emin() && f.emax() >= most) return f;
        }
        return format(FormatId::f64);
    }

    /// A round's result, with the exponents that its value has in another format, which is wider.
    static Node read_again(const Format& as, Node sum) {
        const Format& from = format(std::get<Round>(sum.kind).format);
        if (!from.is_fixed_point() && from.emin() == as.emin()) return sum; // the same exponents
        const Format& ieee = ieee_format(from, as);
        Node wide = round_of({ieee.id, Rounding::rne}, std::move(sum));
        if (ieee.emin() == as.emin()) return wide;
        Fuse raised; // to the least exponent of `as`
        raised.children.push_back(exactly(std::move(wide)));
        raised.floor = as.emin();
        return checked(Node{std::move(raised)});
    }

    const Kernel& kernel_;
    const Node expanded_;
    const std::vector<OutlineStep> steps_;
    std::vector<Node> values_;        ///< of the steps so far
    int instruction_ = 0, block_ = 0; ///< the ones that are being written
};

} // namespace
} // namespace schedules

Unit written_out(const Kernel& kernel) {
    validate(kernel);
    if (kernel.schedule == Schedule{} &&
        (kernel.K == kernel.unit.K || kernel.unit.place == AccumulatorPlace::chained)) {
        Unit chained = kernel.unit; // the notation's own chain of blocks
        chained.K = kernel.K;
        return chained;
    }
    if (kernel.K > schedules::longest_tree)
        schedules::fail_writing(sentence("K=", kernel.K, " is more than ", schedules::longest_tree,
                                         ", the longest block; a smaller --K is right"));
    if (kernel.unit.nan.kind == NanRule::Kind::rdna)
        schedules::fail_writing("under nan=rdna a NaN of an operand and one of an accumulator differ, and what is an "
                                "accumulator of an instruction is none of the whole; {nan=any} is right");
    Unit unit = kernel.unit;
    unit.K = unit.L = kernel.K;
    unit.interleave = 0;
    unit.place = AccumulatorPlace::chained;
    unit.d = kernel.d();
    unit.nan = nan_in(kernel, unit.d);
    unit.tree = schedules::Writer(kernel).run();
    try {
        validate(unit);
    } catch (const Error& error) {
        schedules::fail_writing(error.what());
    }
    return unit;
}

} // namespace discern
