// `prove`, `synth` and `same-bits` of two units of different shapes: operands of other formats, scales that one has
// not, other blocks of them, other K, no c, results that are rounded to one format.
//
// What the inputs of both are, how they become each unit's own and how units are chained is written here once more, by
// looking for equal numbers among all patterns; nothing of models/common is used.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"

#include "models/hex.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"
#include "models/unit/tree_shape.hpp"

#include "scale_format.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace discern::claims {

namespace {

constexpr int bits_of_common_inputs = 14; ///< of inputs that are all tried
constexpr int widest_of_shapes = 9;       ///< bits of a format

// ---- numbers as they are, by their patterns

/// What a pattern means. NaN are one.
std::tuple<int, bool, double> meaning(const Format& f, std::uint64_t pattern) {
    const Decoded x = decode(f, pattern);
    if (x.number_class == NumberClass::nan) return {2, false, 0};
    const double value = to_double(f, pattern);
    return {x.number_class == NumberClass::infinite ? 1 : 0, std::signbit(value), value};
}

/// All patterns of one format as those of another.
class Conversions {
  public:
    Conversions(FormatId from, FormatId to) : from_(format(from)), to_(format(to)) {
        if (from == to) return;
        for (std::uint64_t pattern = to_.mask() + 1; pattern-- > 0;) patterns_[meaning(to_, pattern)] = pattern;
    }
    /// The pattern of the same number, if there is one. NaN keep their fractions where both formats are IEEE's.
    std::optional<std::uint64_t> operator()(std::uint64_t pattern) const {
        if (from_.id == to_.id) return pattern;
        if (const Decoded x = decode(from_, pattern); x.number_class == NumberClass::nan) {
            if (!to_.has_nan()) return std::nullopt;
            if (from_.specials != Specials::ieee || to_.specials != Specials::ieee) return quiet_nan(to_);
            const std::uint64_t fraction = x.payload << (to_.mantissa_bits - from_.mantissa_bits);
            return quiet_nan(to_) | fraction << to_.padding_bits |
                   (x.negative ? 1ull << (to_.width - 1) : std::uint64_t{0});
        }
        const auto found = patterns_.find(meaning(from_, pattern));
        return found == patterns_.end() ? std::nullopt : std::optional(found->second);
    }
    bool all() const {
        if (from_.id == to_.id) return true;
        if (from_.is_fixed_point() || to_.is_fixed_point() || to_.mantissa_bits < from_.mantissa_bits) return false;
        for (std::uint64_t pattern = 0; pattern <= from_.mask(); ++pattern)
            if (!(*this)(pattern)) return false;
        return true;
    }

  private:
    const Format &from_, &to_;
    std::map<std::tuple<int, bool, double>, std::uint64_t> patterns_;
};

bool is_in(FormatId inner, FormatId outer) { return Conversions(inner, outer).all(); }

/// The one of two formats that is in the other.
std::optional<FormatId> common(FormatId one, FormatId other) {
    if (is_in(one, other)) return one;
    if (is_in(other, one)) return other;
    return std::nullopt;
}

std::optional<Scale> common_scale(const Unit& one, const Unit& other) {
    if (!one.scale || !other.scale) return std::nullopt;
    // Of a unit whose K is shorter than a block, all elements share their scales, and those of the next in a chain do
    // not.
    const int blocks[] = {std::min(one.scale->block, one.K), std::min(other.scale->block, other.K)};
    return Scale{one.scale->format, std::max(blocks[0], blocks[1])};
}

// ---- what both units compute

/// One unit on inputs of both: as its own operands, one instruction after the other.
class Own {
  public:
    Own(const Unit& unit, const Shape& inputs, const std::optional<Conversion>& d)
        : unit_(unit), later_(unit), inputs_(inputs), a_(inputs.a, unit.a), b_(inputs.b, unit.b) {
        if (unit.c && inputs.c) c_.emplace(*inputs.c, *unit.c);
        later_.c = unit.d;
        if (!d || d->format == unit.d) return;
        const std::string to(format(d->format).name);
        end_ = parse_unit(std::string(format(unit.d).name) + "*f32->" + to + " K=1 : round[" + to + " " +
                          std::string(name(d->mode)) + "](p*)");
    }

    bool any_nan() const { return end_ || unit_.nan.kind == NanRule::Kind::any; }

    std::uint64_t operator()(const Inputs& x) const {
        std::uint64_t d = 0;
        const auto K = static_cast<std::size_t>(unit_.K);
        for (std::size_t begin = 0; begin < x.a.size(); begin += K) {
            InputBuffer own;
            for (std::size_t k = begin; k < begin + K; ++k) {
                own.a.push_back(a_(x.a[k]).value());
                own.b.push_back(b_(x.b[k]).value());
                if (!unit_.scale || (k - begin) % static_cast<std::size_t>(unit_.scale->block) != 0) continue;
                const auto i = inputs_.scale ? k / static_cast<std::size_t>(inputs_.scale->block) : 0;
                const std::uint64_t unscaled = discern::one(format(unit_.scale->format));
                own.sa.push_back(inputs_.scale ? x.sa[i] : unscaled);
                own.sb.push_back(inputs_.scale ? x.sb[i] : unscaled);
            }
            own.c = begin > 0 ? d : c_ ? (*c_)(x.c).value() : 0;
            d = evaluate_exactly(begin > 0 ? later_ : unit_, own.inputs());
        }
        if (!end_) return d;
        const std::uint64_t value[] = {d}, one[] = {0x3f800000};
        return evaluate_exactly(*end_, {.a = value, .b = one, .sa = {}, .sb = {}, .c = 0});
    }

  private:
    Unit unit_, later_;
    Shape inputs_;
    Conversions a_, b_;
    std::optional<Conversions> c_;
    std::optional<Unit> end_;
};

/// A unit whose inputs are those of the shape.
Unit any_unit_of(const Shape& shape) {
    Unit unit = parse_unit("f16*f16->f16 K=1 : round[f16 rne](p*)");
    Fuse sum;
    sum.children.emplace_back();
    sum.children.back().node = {Node{Product{}}};
    if (shape.c) {
        sum.children.emplace_back();
        sum.children.back().node = {Node{Accumulator{}}};
    }
    auto& root = std::get<Round>(unit.tree.kind);
    root.format = shape.d;
    root.child = {Node{sum}};
    unit.a = shape.a, unit.b = shape.b, unit.c = shape.c, unit.d = shape.d;
    unit.scale = shape.scale;
    unit.K = unit.L = shape.K;
    validate(unit);
    return unit;
}

// ---- pairs

/// The unit with a change of its shape, if it is one then.
Unit changed_if_valid(const Unit& unit, const std::function<void(Unit&)>& change) {
    Unit changed = unit;
    change(changed);
    return is_valid(changed) ? changed : unit;
}

/// A format that has all numbers of another, or that one.
FormatId wider(Random& random, FormatId inner) {
    for (int tries = 0; tries < 30; ++tries) {
        const FormatId outer = draw_format(random, widest_of_shapes, false, false);
        if (outer != inner && is_in(inner, outer)) return outer;
    }
    return inner;
}

Unit of_another_shape(Random& random, const Unit& unit) {
    Unit changed = unit;
    const bool both = random.one_in(2); // operands are mostly of one format
    if (random.one_in(2)) {
        const FormatId a = wider(random, unit.a);
        changed = changed_if_valid(changed, [&](Unit& u) { (both&& u.b == u.a ? u.a = u.b = a : u.a = a); });
    }
    if (random.one_in(3)) {
        const FormatId b = wider(random, unit.b);
        changed = changed_if_valid(changed, [&](Unit& u) { u.b = b; });
    }
    if (unit.c && random.one_in(3)) {
        const FormatId c = wider(random, *unit.c);
        changed = changed_if_valid(changed, [&](Unit& u) { u.c = c; });
    }
    if (unit.c && random.one_in(6)) changed = changed_if_valid(changed, [](Unit& u) { u.c.reset(); });
    if (random.one_in(2)) {
        const int times = random.between(2, 3);
        changed = changed_if_valid(changed, [&](Unit& u) { u.K *= times; });
    }
    switch (random.below(3)) {
    case 0: changed = changed_if_valid(changed, [](Unit& u) { u.scale.reset(); }); break;
    case 1: {
        const Scale scale{tests::any_scale_format(random), random.between(1, 4)};
        changed = changed_if_valid(changed, [&](Unit& u) { u.scale = u.scale ? u.scale : scale; });
        break;
    }
    default: {
        const int times = random.between(2, 3);
        changed = changed_if_valid(changed, [&](Unit& u) {
            if (u.scale) u.scale->block *= times;
        });
    }
    }
    return changed;
}

/// d of another format, and what both are then rounded to.
void give_another_d(Random& random, Case& asked) {
    Unit& unit = asked.units[1].unit;
    const FormatId before = unit.d, d = wider(random, before);
    const Unit changed = changed_if_valid(unit, [&](Unit& u) {
        u.d = d;
        u.nan = {NanRule::Kind::any, 0};
        std::get<Round>(u.tree.kind).format = d;
    });
    const Format& to = format(before);
    if (changed.d == before || !to.has_nan() || to.is_fixed_point()) return;
    unit = changed;
    asked.options.push_back(
        "--d " + std::string(to.name) + ":" +
        std::string(any_of(random, std::vector<std::string_view>(rounding_names.begin(), rounding_names.end()))));
}

Case drawn_shapes(Random& random) {
    Case asked;
    for (;;) {
        Size size;
        size.most_bits = random.between(6, 12);
        size.large = random.one_in(8);
        const Unit unit = draw_unit(random, size);
        if (format(unit.a).width > widest_of_shapes || format(unit.b).width > widest_of_shapes ||
            (unit.c && format(*unit.c).width > 16))
            continue;
        const Unit one = random.one_in(3) ? of_another_shape(random, unit) : unit;
        const Unit other = of_another_shape(random, random.one_in(2) ? unit : draw_variant(random, unit));
        asked.units = {{one, ""}, {other, ""}};
        if (shape_of(one) != shape_of(other)) break;
    }
    if (random.one_in(5)) give_another_d(random, asked);
    asked.texts["command"] = any_of(random, std::vector<std::string>{"prove", "prove", "synth", "same-bits"});
    if (random.one_in(2) && asked.texts["command"] != "same-bits") asked.options.push_back("--solver sat");
    return asked;
}

std::optional<Conversion> conversion_in(const std::vector<std::string>& options) {
    for (const std::string& option : options)
        if (option.starts_with("--d ")) return parse_schedule("d=" + option.substr(4)).first.result;
    return std::nullopt;
}

/// The inputs of both, as docs/questions.md says what they are; nothing: there are none.
std::optional<Shape> shape_of_both(const Unit& one, const Unit& other, const std::optional<Conversion>& d) {
    const auto a = common(one.a, other.a), b = common(one.b, other.b);
    const auto c = one.c && other.c ? common(*one.c, *other.c) : std::nullopt;
    if (!a || !b || (one.c && other.c && !c)) return std::nullopt;
    if (!d && one.d != other.d) return std::nullopt;
    return Shape{.a = *a,
                 .b = *b,
                 .c = c,
                 .d = d ? d->format : one.d,
                 .scale = common_scale(one, other),
                 .K = std::lcm(one.K, other.K)};
}

Compared compared_shapes(const Case& asked) {
    const Unit &one = asked.units[0].unit, &other = asked.units[1].unit;
    const std::string& command = asked.texts.at("command");
    const std::optional<Conversion> d = conversion_in(asked.options);
    std::vector<std::string> words = {command,  asked.units[0].text(), asked.units[1].text(),
                                      "--json", "--timeout",           "3"};
    if (command == "same-bits") words.insert(words.end(), {"-n", "300"});
    append(words, asked.options);
    Compared result;
    result.command = command_line(words);
    const Answer answer = ask(words);
    if (answer.status == 2) return result; // refused: no claim
    const nlohmann::json said = answer.json();
    const std::optional<Shape> shape = shape_of_both(one, other, d);
    if (!shape) {
        result.claims = 1;
        result.wrong = "there are no inputs that both can be given, and the answer is " + said.at("verdict").dump();
        return result;
    }
    if (shape_of(one) != shape_of(other) && !said.contains("assumed")) {
        result.wrong = "it is not said what is assumed";
        return result;
    }
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    result.claims = 1;
    const Own first(one, *shape, d), second(other, *shape, d);
    const Format& f = format(shape->d);
    const auto same = [&](std::uint64_t d1, std::uint64_t d2) {
        const auto is_nan = [&](std::uint64_t x) { return decode(f, x).number_class == NumberClass::nan; };
        return d1 == d2 || ((first.any_nan() || second.any_nan()) && is_nan(d1) && is_nan(d2));
    };
    const Unit any = any_unit_of(*shape);
    if (verdict == "different") {
        const nlohmann::json& vector = command == "same-bits" ? said.at("vector") : said.at("vectors").at(0);
        const InputBuffer x = inputs_of(any, vector);
        const std::uint64_t d1 = first(x.inputs()), d2 = second(x.inputs());
        if (same(d1, d2)) result.wrong = "said to differ on inputs with the same result: " + vector.dump();
        const auto shown = [&](std::size_t i) {
            return parse_pattern(f, vector.at("d").at(i).get<std::string>()).value();
        };
        if (result.wrong.empty() && (!same(d1, shown(0)) || !same(d2, shown(1))))
            result.wrong = "shown with results that are not these units': " + vector.dump();
        return result;
    }
    std::vector<Unit> aims;
    if (said.contains("read_as"))
        for (const auto& line : said.at("read_as"))
            if (Unit aim = parse_unit(line.get<std::string>()); shape_of(aim) == *shape) aims.push_back(std::move(aim));
    AllInputs(any, bits_of_common_inputs, aims).for_each([&](const Inputs& x) {
        const std::uint64_t d1 = first(x), d2 = second(x);
        if (same(d1, d2)) return true;
        result.wrong =
            "said to be the same; but " + as_options(any, x) + " gives " + to_hex(f, d1) + " and " + to_hex(f, d2);
        return false;
    });
    return result;
}

} // namespace

Kind pairs_of_shapes() {
    return {"shapes",
            "two units of different shapes are the same, or differ on a vector (prove, synth, same-bits), against all "
            "inputs",
            drawn_shapes, compared_shapes};
}

} // namespace discern::claims
