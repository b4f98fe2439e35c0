#include "inputs.hpp"

#include "draw.hpp"

#include "models/batch.hpp"
#include "models/hex.hpp"
#include "models/random.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace discern::claims {

namespace {

/// The operands of a unit, with how many patterns each has.
struct Operand {
    const Format& format;
    std::vector<std::uint64_t> InputBuffer::*patterns;
    int count;
};

std::vector<Operand> operands(const Unit& unit) {
    std::vector<Operand> all = {{format(unit.a), &InputBuffer::a, unit.K}, {format(unit.b), &InputBuffer::b, unit.K}};
    if (unit.scale) {
        all.push_back({format(unit.scale->format), &InputBuffer::sa, unit.scales()});
        all.push_back({format(unit.scale->format), &InputBuffer::sb, unit.scales()});
    }
    return all;
}

InputBuffer room(const Unit& unit) {
    InputBuffer buffer;
    for (const Operand& operand : operands(unit))
        (buffer.*operand.patterns).resize(static_cast<std::size_t>(operand.count));
    return buffer;
}

/// The number as the patterns of all operands, one after the other.
void spell(const Unit& unit, std::uint64_t number, InputBuffer& buffer) {
    const auto take = [&number](const Format& f) {
        const std::uint64_t pattern = number & f.mask();
        number = f.width == 64 ? 0 : number >> f.width;
        return pattern;
    };
    for (const Operand& operand : operands(unit))
        for (std::uint64_t& pattern : buffer.*operand.patterns) pattern = take(operand.format);
    if (unit.c) buffer.c = take(format(*unit.c));
}

/// A pattern at an end of what the format has, or of one of its binades near those and near 1: zeros, the smallest and
/// largest of each kind, ones, NaN, infinities, and significands whose digits are all alike but for one.
std::uint64_t edge(const Format& f, Random& random) {
    if (f.is_fixed_point()) {
        const std::uint64_t smallest = 1ull << (f.width - 1);
        const std::uint64_t end = any_of(random, std::vector<std::uint64_t>{0, 1, f.mask(), smallest, smallest - 1});
        return (end + (random.one_in(3) ? 1 : 0)) & f.mask();
    }
    const std::uint64_t top = (1ull << f.exponent_bits) - 1, ones = (1ull << f.mantissa_bits) - 1;
    const auto bias = static_cast<std::uint64_t>(f.bias);
    const std::uint64_t near_one = bias + static_cast<std::uint64_t>(random.below(7)) - 3;
    const std::uint64_t exponent =
        any_of(random, std::vector<std::uint64_t>{0, 0, 1, 2, bias, near_one, top - 1, top}) & top;
    const std::uint64_t mantissa =
        any_of(random, std::vector<std::uint64_t>{0, 0, 1, ones, ones, ones >> 1, (ones >> 1) + 1, random.bits()}) &
        ones;
    const std::uint64_t negative = random.one_in(2) ? 1ull << (f.width - 1) : 0;
    return (negative | ((exponent << f.mantissa_bits | mantissa) << f.padding_bits)) & f.mask();
}

/// A pattern with the largest significand, of the largest exponent or one near 1; in fixed point the smallest number,
/// which is the largest in size.
std::uint64_t full(const Format& f, bool largest, Random& random) {
    if (f.is_fixed_point()) return 1ull << (f.width - 1);
    const int exponent = largest ? f.emax() : std::clamp(random.between(-3, 3), f.emin(), f.emax() - 1);
    const std::uint64_t significand = exponent == f.emax() ? f.max_significand() : (2ull << f.mantissa_bits) - 1;
    return pack(f, {.significand = significand, .exponent = exponent});
}

/// How the patterns of an operand's elements are alike.
enum class Alike : std::uint8_t { all, one_of_two, mostly_zero, none };

/// Inputs at the ends of the formats, or anywhere.
class EdgeInputs {
  public:
    EdgeInputs(const Unit& unit, Random& random) : unit_(unit), evaluate_(unit), random_(random) {}

    void next(InputBuffer& buffer) {
        if (random_.one_in(8)) return largest_sum(buffer);
        edges_ = random_.below(5);
        const auto alike = static_cast<Alike>(random_.below(4));
        for (const Operand& operand : operands(unit_)) fill(operand.format, buffer.*operand.patterns, alike);
        if (!unit_.c) return;
        buffer.c = pattern(format(*unit_.c));
        if (random_.one_in(3)) near_a_tie(buffer);
    }

  private:
    /// The largest digits in all elements, and in their scales; mostly but for one element, so that the sum is odd.
    void largest_sum(InputBuffer& buffer) {
        const int other = random_.one_in(3) ? -1 : random_.below(unit_.K);
        for (const Operand& operand : operands(unit_)) {
            std::vector<std::uint64_t>& patterns = buffer.*operand.patterns;
            const bool is_scale = operand.patterns == &InputBuffer::sa || operand.patterns == &InputBuffer::sb;
            const std::uint64_t most = full(operand.format, !is_scale && random_.one_in(2), random_);
            std::fill(patterns.begin(), patterns.end(), most);
            if (is_scale || other < 0) continue;
            const std::uint64_t near = (most + (random_.one_in(2) ? 1 : operand.format.mask())) & operand.format.mask();
            patterns[static_cast<std::size_t>(other)] = random_.one_in(2) ? near : pattern(operand.format);
        }
        if (unit_.c) buffer.c = random_.one_in(2) ? 0 : full(format(*unit_.c), false, random_);
    }

    std::uint64_t pattern(const Format& f) {
        return random_.below(4) < edges_ ? edge(f, random_) : random_.bits() & f.mask();
    }

    void fill(const Format& f, std::vector<std::uint64_t>& patterns, Alike alike) {
        const std::uint64_t one = pattern(f), other = pattern(f);
        for (std::uint64_t& each : patterns) {
            switch (alike) {
            case Alike::all: each = one; break;
            case Alike::one_of_two: each = random_.one_in(4) ? other : one; break;
            case Alike::mostly_zero: each = random_.one_in(3) ? pattern(f) : 0; break;
            case Alike::none: each = pattern(f); break;
            }
        }
    }

    /// A c about half an ulp of the products' sum, or as large as that sum, or one that all but cancels it.
    void near_a_tie(InputBuffer& buffer) {
        const Format &c = format(*unit_.c), &d = format(unit_.d);
        if (c.is_fixed_point() || d.is_fixed_point()) return;
        buffer.c = 0;
        const std::uint64_t result = evaluate_(buffer.inputs());
        const Decoded sum = decode(d, result);
        if (sum.number_class != NumberClass::finite) return;
        const double value = std::fabs(to_double(d, result));
        const int kind = random_.below(3), below = kind == 0 ? d.mantissa_bits + 1 : 0;
        const int own = value == 0 ? d.emin() : std::ilogb(value);
        const int exponent = std::clamp(own - below + (kind == 2 ? 0 : random_.between(-1, 1)), c.emin(), c.emax() - 1);
        const double digits = kind == 2 ? std::ldexp(value, c.mantissa_bits - exponent) : 0;
        std::uint64_t significand = (1ull << c.mantissa_bits) | (random_.bits() & ((1ull << c.mantissa_bits) - 1));
        if (digits > 1 && digits < std::ldexp(2.0, c.mantissa_bits) - 1)
            significand = static_cast<std::uint64_t>(digits) + static_cast<std::uint64_t>(random_.below(3)) - 1;
        if (exponent > c.emin()) significand = std::max<std::uint64_t>(significand, 1ull << c.mantissa_bits);
        const bool negative = kind == 2 ? !sum.negative : random_.one_in(2);
        if (significand != 0 && c.is_signed)
            buffer.c = pack(c, {.negative = negative, .significand = significand, .exponent = exponent});
    }

    const Unit& unit_;
    Evaluator evaluate_;
    Random& random_;
    int edges_ = 0; ///< of four patterns, so many are at an end
};

} // namespace

int input_bits(const Unit& unit) {
    int bits = unit.c ? format(*unit.c).width : 0;
    for (const Operand& operand : operands(unit)) bits += operand.count * operand.format.width;
    return bits;
}

AllInputs::AllInputs(const Unit& unit, int most_bits, std::span<const Unit> others)
    : unit_(unit), aims_(others.begin(), others.end()), count_(1ull << std::min(input_bits(unit), most_bits)),
      complete_(input_bits(unit) <= most_bits) {
    aims_.push_back(unit);
}

AllInputs AllInputs::within(std::function<bool(const Inputs&)> passes) const {
    AllInputs some = *this;
    some.passes_ = std::move(passes);
    return some;
}

bool AllInputs::for_each(const std::function<bool(const Inputs&)>& visit) const {
    InputBuffer buffer = room(unit_);
    const auto goes_on = [&](const Inputs& x) { return (passes_ && !passes_(x)) || visit(x); };
    if (complete_) {
        for (std::uint64_t i = 0; i < count_; ++i) {
            spell(unit_, i, buffer);
            if (!goes_on(buffer.inputs())) return false;
        }
        return true;
    }
    // Half of them from the families, which aim at the parameters of each unit; the rest at the ends of the formats,
    // and anywhere.
    Random random(arithmetic_hash(unit_));
    std::vector<InputGenerator> generators;
    for (const Unit& aim : aims_)
        for (const Family family : families) generators.emplace_back(aim, family, random.bits());
    EdgeInputs edges(unit_, random);
    for (std::uint64_t i = 0; i < count_; ++i) {
        if (i % 2 == 0)
            generators[(i / 2) % generators.size()].next(buffer);
        else
            edges.next(buffer);
        if (!goes_on(buffer.inputs())) return false;
    }
    return true;
}

std::vector<InputBuffer> AllInputs::list() const {
    std::vector<InputBuffer> all;
    for_each([&](const Inputs& x) {
        all.push_back(copy_of(x));
        return true;
    });
    return all;
}

std::optional<InputBuffer> first_difference(const Unit& one, const Unit& other, const AllInputs& inputs,
                                            const std::function<bool(const Inputs&)>& passes) {
    const Evaluator first(one), second(other);
    std::optional<InputBuffer> found;
    inputs.for_each([&](const Inputs& x) {
        if (passes && !passes(x)) return true;
        const std::uint64_t d1 = first(x);
        const std::uint64_t d2 = second(x);
        if (d1 == d2 || same_result(one, d1, d2) || same_result(other, d1, d2)) return true;
        const std::uint64_t e1 = evaluate_exactly(one, x);
        const std::uint64_t e2 = evaluate_exactly(other, x);
        if (same_result(one, e1, e2) || same_result(other, e1, e2)) return true;
        found = copy_of(x);
        return false;
    });
    return found;
}

std::string as_options(const Unit& unit, const Inputs& inputs) {
    const auto list = [](const Format& f, std::span<const std::uint64_t> patterns) {
        std::string text;
        for (const std::uint64_t pattern : patterns) text += (text.empty() ? "" : ",") + to_hex(f, pattern);
        return text;
    };
    std::string text = "--a " + list(format(unit.a), inputs.a) + " --b " + list(format(unit.b), inputs.b);
    if (unit.scale) {
        const Format& f = format(unit.scale->format);
        text += " --sa " + list(f, inputs.sa) + " --sb " + list(f, inputs.sb);
    }
    if (unit.c) text += " --c " + to_hex(format(*unit.c), inputs.c);
    return text;
}

std::string result_text(const Unit& unit, const Inputs& inputs) {
    return to_hex(format(unit.d), evaluate_exactly(unit, inputs));
}

} // namespace discern::claims
