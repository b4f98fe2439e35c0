// `same-bits` and `prove` of kernels: schedules of small units, and the tree that a schedule is written out as.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/limits.hpp"
#include "claims/verdict.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/schedule/random_kernel.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace discern::claims {

namespace {

constexpr int bits_of_all_inputs = 13; ///< of inputs that are all tried

std::optional<Kernel> as_kernel(const std::string& text) {
    try {
        return resolve_kernel(text);
    } catch (const Error&) {
        return std::nullopt;
    }
}

bool can_be_chained(const Unit& unit) {
    try {
        validate(Kernel{unit, 2 * unit.K, {}});
        return true;
    } catch (const Error&) {
        return false;
    }
}

WrittenUnit written(const Kernel& kernel) { return {kernel.unit, "@[" + to_string(kernel.schedule, kernel.K) + "]"}; }

Accumulator* accumulator_of(Unit& unit) {
    for (const parametric::Owner& part : owners(unit))
        if (auto* const* c = std::get_if<Accumulator*>(&part)) return *c;
    return nullptr;
}

/// Its accumulator is read as another format, wide enough, with or without infinities and NaN.
Unit read_as_another(Random& random, const Unit& unit) {
    Unit changed = unit;
    Accumulator* const c = accumulator_of(changed);
    if (c == nullptr) return unit;
    const Format &own = format(unit.c.value_or(unit.d)), &d = format(unit.d);
    const int e = std::max(own.exponent_bits, d.exponent_bits) + random.below(3);
    const int m = std::max(own.mantissa_bits, d.mantissa_bits) + random.below(3);
    c->as = format_of_fields(std::clamp(e, 2, 11), std::clamp(m, 1, 52), static_cast<Specials>(random.below(5)));
    return c->as && can_be_chained(changed) ? changed : unit;
}

/// Rounded where it is read as another format, which is not the same.
Unit rounded_instead(const Unit& unit) {
    Unit changed = unit;
    const Accumulator* const c = accumulator_of(changed);
    if (c == nullptr || !c->as) return unit;
    Round round;
    round.format = *c->as;
    Accumulator plain = *c;
    plain.as.reset();
    round.child = {Node{plain}};
    const auto replace = [&](const auto& self, Node& node) -> void {
        if (auto* inner = std::get_if<Round>(&node.kind)) return self(self, inner->get());
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) {
            for (Child& child : fuse->children) self(self, child.get());
            return;
        }
        if (std::holds_alternative<Accumulator>(node.kind)) node = Node{round};
    };
    replace(replace, changed.tree);
    return is_valid(changed) && can_be_chained(changed) ? changed : unit;
}

/// NaN keep what operands carry, if they can: then the order of the two terms of a sum counts.
Kernel with_kept_nan(Random& random, const Kernel& kernel) {
    Kernel kept = kernel;
    kept.unit.nan = {random.one_in(2) ? NanRule::Kind::propagate : NanRule::Kind::rdna, 0};
    if (kept.schedule.split.empty() && kept.schedule.lanes == 1) kept.schedule.split = {2};
    try {
        validate(kept.unit);
        validate(kept);
        return kept;
    } catch (const Error&) {
        return kernel;
    }
}

/// A kernel whose operands have several NaN: most that are drawn have none, or one.
Kernel of_many_nan(Random& random) {
    const int K = random.between(1, 2);
    const std::string nan = random.one_in(2) ? "rdna" : "x86";
    Kernel kernel{parse_unit("e2m2*e2m2+e2m2->e2m2 K=" + std::to_string(K) + " nan=" + nan +
                             " : round[e2m2 rne](fuse[exact](p*, c))"),
                  0,
                  {}};
    kernel.schedule.split = {random.between(2, 3)};
    kernel.schedule.from_zero = random.one_in(2);
    kernel.K = K * kernel.schedule.split.front();
    return kernel;
}

Case drawn_same_bits(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.between(8, 12);
    size.needs_c = !random.one_in(6);
    Unit unit = draw_unit(random, size);
    while (!can_be_chained(unit)) unit = draw_unit(random, size);
    if (random.one_in(2)) unit = read_as_another(random, unit);
    tests::KernelGenerator kernels(random.bits());
    const int most = any_of(random, std::vector{2, 3, 6, 12, 12});
    Kernel kernel = kernels.next(unit, most);
    for (int tries = 0; tries < 8 && kernel.K < 2 * unit.K; ++tries) kernel = kernels.next(unit, most);
    Kernel other = kernel;
    asked.units = {written(kernel)};
    switch (random.below(5)) {
    case 0: // another schedule
        for (int tries = 0; tries < 40; ++tries) {
            other = kernels.next(unit, most);
            if (other.K == kernel.K && other.d() == kernel.d()) break;
        }
        if (other.K != kernel.K || other.d() != kernel.d()) other = kernel;
        break;
    case 1: { // another unit
        other.unit = draw_variant(random, unit);
        break;
    }
    case 2: other.unit = rounded_instead(unit); break;
    case 3: // the same partial sums, added the other way round
        kernel = random.one_in(2) ? of_many_nan(random) : with_kept_nan(random, kernel);
        unit = kernel.unit; // which limits are drawn for
        other = kernel;
        other.schedule.order = other.schedule.order == FoldOrder::reverse ? FoldOrder::order : FoldOrder::reverse;
        asked.units = {written(kernel)};
        break;
    default: break; // itself, as a tree
    }
    asked.units.push_back(written(other));
    if (other == kernel || !as_kernel(asked.units[1].text())) {
        asked.units[1] = asked.units[0];
        try {
            asked.units[1] = {reread(written_out(kernel)), ""};
        } catch (const Error&) {
        }
    }
    asked.texts["command"] = any_of(random, std::vector<std::string>{"show", "show", "same-bits", "prove"});
    if (random.one_in(6)) asked.options = draw_limits(random, unit, true);
    return asked;
}

/// Without one of a schedule's keys.
std::vector<Case> simpler_kernels(const Case& asked) {
    std::vector<Case> list;
    for (std::size_t i = 0; i < asked.units.size(); ++i) {
        const std::string& suffix = asked.units[i].suffix;
        if (suffix.size() < 3) continue;
        std::istringstream in(suffix.substr(2, suffix.size() - 3));
        std::vector<std::string> keys;
        for (std::string key; in >> key;) keys.push_back(key);
        for (std::size_t left_out = 0; left_out < keys.size(); ++left_out) {
            if (keys[left_out].starts_with("K=")) continue;
            std::string fewer;
            for (std::size_t k = 0; k < keys.size(); ++k)
                if (k != left_out) fewer += (fewer.empty() ? "" : " ") + keys[k];
            list.push_back(asked);
            list.back().units[i].suffix = "@[" + fewer + "]";
        }
    }
    return list;
}

bool same(const Kernel& one, const Kernel& other, std::uint64_t d1, std::uint64_t d2) {
    return same_result(one, d1, d2) || same_result(other, d1, d2);
}

std::string text_of(const Kernel& kernel, const Inputs& x) {
    return to_hex(format(kernel.d()), evaluate_exactly(kernel, x));
}

/// The first inputs on which the two differ.
std::string difference(const Kernel& one, const Kernel& other, const AllInputs& inputs, const Unit& shape,
                       const ReadLimits& limits) {
    const KernelEvaluator first(one), second(other);
    std::string found;
    std::uint64_t count = 0;
    inputs.for_each([&](const Inputs& x) {
        if (!limits.pass(shape, x)) return true;
        const std::uint64_t d1 = first(x);
        const std::uint64_t d2 = second(x);
        const bool look = ++count % 41 == 0;
        if (look && !same_result(one, d1, evaluate_exactly(one, x))) {
            found = "the evaluator gives " + to_hex(format(one.d()), d1) + " and the oracle " + text_of(one, x) +
                    " for " + as_options(shape, x);
            return false;
        }
        if (same(one, other, d1, d2) || same(one, other, evaluate_exactly(one, x), evaluate_exactly(other, x)))
            return true;
        found = as_options(shape, x) + " gives " + text_of(one, x) + " and " + text_of(other, x);
        return false;
    });
    return found;
}

/// A kernel and the tree that is shown for it.
std::string wrong_tree(const std::string& text, const Kernel& kernel, const AllInputs& inputs, const Unit& shape) {
    const Answer shown = ask({"show", text, "--json"});
    if (shown.status != 0) {
        const bool cannot = shown.err.find("cannot be written as one tree") != std::string::npos;
        return cannot ? "" : "show says: " + shown.err;
    }
    const Unit tree = parse_unit(shown.json().at("tree").get<std::string>());
    const std::string found = difference(kernel, {tree, tree.K, {}}, inputs, shape, ReadLimits({}));
    return found.empty() ? "" : "its tree is " + to_string(tree) + "; but " + found;
}

std::string wrong_vector(const Kernel& one, const Kernel& other, const Unit& shape, const nlohmann::json& vector,
                         const ReadLimits& limits) {
    const InputBuffer buffer = inputs_of(shape, vector);
    const Inputs x = buffer.inputs();
    if (!limits.pass(shape, x)) return "said to differ on inputs that the limits exclude";
    const std::uint64_t d1 = evaluate_exactly(one, x);
    const std::uint64_t d2 = evaluate_exactly(other, x);
    if (same(one, other, d1, d2)) return "said to differ on inputs with the same result";
    const auto shown = [&](int i) {
        return parse_pattern(format(one.d()), vector.at("d").at(static_cast<std::size_t>(i)).get<std::string>())
            .value_or(0);
    };
    if (!same_result(one, d1, shown(0)) || !same_result(other, d2, shown(1)))
        return "shown with results that are not these kernels'";
    return "";
}

Compared compared_same_bits(const Case& asked) {
    const std::string first = asked.units[0].text(), second = asked.units[1].text();
    const Kernel one = resolve_kernel(first), other = resolve_kernel(second);
    if (shape_of(one) != shape_of(other)) throw std::runtime_error("kernels of different shapes");
    const Unit shape = chain_of(one);
    const AllInputs inputs(shape, bits_of_all_inputs, std::vector{chain_of(other)});
    const ReadLimits limits(asked.options);
    Compared result;
    result.command = command_line({"show", first});
    result.claims = 1;
    result.wrong = wrong_tree(first, one, inputs, shape);
    const std::string& command = asked.texts.at("command");
    if (!result.wrong.empty() || command == "show" || !limits.empty_operand(shape).empty()) return result;

    std::vector<std::string> words = {command, first, second, "--json", "--timeout", "3"};
    if (command == "same-bits") words.insert(words.end(), {"-n", "300"});
    append(words, asked.options);
    result.command = command_line(words);
    const Answer answer = ask(words);
    if (answer.status == 2) {
        if (answer.err.find("cannot be written as one tree") == std::string::npos)
            result.wrong = "it says: " + answer.err;
        return result;
    }
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    ++result.claims;
    if (verdict == "different") {
        const nlohmann::json& vector = command == "prove" ? said.at("vectors").at(0) : said.at("vector");
        result.wrong = wrong_vector(one, other, shape, vector, limits);
        if (!result.wrong.empty()) result.wrong += ": " + vector.dump();
        return result;
    }
    const std::string found = difference(one, other, inputs, shape, limits);
    if (!found.empty()) result.wrong = "said to be the same; but " + found;
    return result;
}

} // namespace

Kind same_kernels() {
    return {"same-bits", "two kernels give the same bits, and one is the tree that is shown (same-bits, prove, show)",
            drawn_same_bits, compared_same_bits, simpler_kernels};
}

} // namespace discern::claims
