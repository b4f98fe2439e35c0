#include "inputs.hpp"

#include "models/batch.hpp"
#include "models/hex.hpp"
#include "models/random.hpp"

#include <algorithm>
#include <array>

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

/// A pattern at an end of what the format has: zeros, the smallest and largest of each kind, ones, NaN, infinities.
std::uint64_t edge(const Format& f, Random& random) {
    const std::uint64_t mantissa = f.mantissa_bits == 0 ? 0 : ((1ull << f.mantissa_bits) - 1) << f.padding_bits;
    const std::uint64_t low = 1ull << (f.mantissa_bits + f.padding_bits);
    const std::array<std::uint64_t, 8> ends = {
        0, 1, mantissa, low, low | mantissa, f.mask() >> 1, one(f), (f.mask() >> 1) - 1};
    std::uint64_t pattern =
        ends[static_cast<std::size_t>(random.below(8))] + static_cast<std::uint64_t>(random.below(3)) - 1;
    if (random.one_in(2)) pattern ^= 1ull << (f.width - 1);
    return pattern & f.mask();
}

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

bool AllInputs::for_each(const std::function<bool(const Inputs&)>& visit) const {
    InputBuffer buffer = room(unit_);
    if (complete_) {
        for (std::uint64_t i = 0; i < count_; ++i) {
            spell(unit_, i, buffer);
            if (!visit(buffer.inputs())) return false;
        }
        return true;
    }
    // Half of them from the families, which aim at the parameters of each unit; the rest at the ends of the formats,
    // and anywhere.
    Random random(arithmetic_hash(unit_));
    std::vector<InputGenerator> generators;
    for (const Unit& aim : aims_)
        for (const Family family : families) generators.emplace_back(aim, family, random.bits());
    for (std::uint64_t i = 0; i < count_; ++i) {
        if (i % 2 == 0) {
            generators[(i / 2) % generators.size()].next(buffer);
        } else {
            const int edges = random.below(5);
            const bool alike = random.one_in(2);
            const auto draw = [&](const Format& f) {
                return random.below(4) < edges ? edge(f, random) : random.bits() & f.mask();
            };
            for (const Operand& operand : operands(unit_)) {
                std::vector<std::uint64_t>& patterns = buffer.*operand.patterns;
                for (std::uint64_t& pattern : patterns) pattern = draw(operand.format);
                if (alike) std::fill(patterns.begin(), patterns.end(), patterns.front());
            }
            if (unit_.c) buffer.c = draw(format(*unit_.c));
        }
        if (!visit(buffer.inputs())) return false;
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
