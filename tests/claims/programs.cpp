#include "programs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace discern::claims {

namespace {

using exact::Dyadic;
using exact::Number;
using ExpressionKind = compare::Expression::Kind;

Number of_double(double x) { return exact::read(format(FormatId::f64), std::bit_cast<std::uint64_t>(x)); }

Number negative(Number n) {
    n.value.integer = -n.value.integer;
    n.sign = n.sign == exact::Sign::plus ? exact::Sign::minus : exact::Sign::plus;
    return n;
}

Number rounded(FormatId to, Rounding mode, const Number& n) {
    Round round;
    round.format = to;
    round.mode = mode;
    return exact::converted(round, n);
}

std::uint64_t pattern(FormatId id, const Number& n) {
    const Format& f = format(id);
    return n.is_nan() ? exact::write_nan(f, exact::invalid) : exact::write(f, n);
}

Dyadic minus(const Dyadic& x, const Dyadic& y) { return x + Dyadic{-y.integer, y.scale}; }
Dyadic magnitude(const Dyadic& x) { return x.is_negative() ? Dyadic{-x.integer, x.scale} : x; }

} // namespace

ProgramOracle::Result ProgramOracle::operator()(const Inputs& inputs) const {
    const auto elements = [](Value::Side side, FormatId id, std::span<const std::uint64_t> patterns) {
        Value v{side, id, {}, 0};
        for (const std::uint64_t bits : patterns) v.numbers.push_back(exact::read(format(id), bits));
        return v;
    };
    Variables variables;
    variables["a"] = elements(Value::Side::left, setting_.a, inputs.a);
    variables["b"] = elements(Value::Side::right, setting_.b, inputs.b);
    variables["c"] = elements(Value::Side::sum, setting_.c, std::vector{inputs.c});
    run(program_.statements, variables, setting_.length);
    const Value result = value(program_.result, variables, setting_.length);
    if (result.side != Value::Side::sum) throw std::runtime_error("the result of a program is no sum");
    return {result.format, result.numbers.front()};
}

void ProgramOracle::run(const std::vector<compare::Statement>& statements, Variables& variables,
                        std::size_t length) const {
    for (const compare::Statement& s : statements) {
        if (s.kind == compare::Statement::Kind::assign) {
            variables[s.name] = value(s.value, variables, length);
            continue;
        }
        const std::size_t piece = s.piece == 0 ? static_cast<std::size_t>(setting_.unit.K) : s.piece;
        const Variables before = variables;
        for (std::size_t from = 0; from < length; from += piece) {
            const std::size_t count = std::min(piece, length - from);
            for (const auto& [name, whole] : before) {
                if (!whole.is_elements()) continue;
                Value& part = variables[name] = whole;
                const auto first = whole.numbers.begin() + static_cast<std::ptrdiff_t>(from);
                part.numbers.assign(first, first + static_cast<std::ptrdiff_t>(count));
            }
            run(s.body, variables, count);
        }
        std::erase_if(variables, [](const auto& one) { return one.second.is_elements(); }); // those of a piece
        for (const auto& [name, whole] : before)
            if (whole.is_elements()) variables[name] = whole;
    }
}

ProgramOracle::Value ProgramOracle::value(const compare::Expression& e, const Variables& variables,
                                          std::size_t length) const {
    const auto constant = [](double x) { return Value{Value::Side::constant, FormatId::f64, {}, x}; };
    if (e.kind == ExpressionKind::number) return constant(e.number);
    if (e.kind == ExpressionKind::name) {
        if (e.name == "base") return constant(std::exp2(format(setting_.unit.a).mantissa_bits + 1));
        return variables.at(e.name);
    }
    std::vector<Value> operands;
    for (const compare::Expression& one : e.operands) operands.push_back(value(one, variables, length));
    Value x = operands.at(0);
    if (e.kind == ExpressionKind::convert || e.kind == ExpressionKind::word) {
        const FormatId word = x.side == Value::Side::left ? setting_.unit.a : setting_.unit.b;
        const FormatId to = e.kind == ExpressionKind::word ? word : e.format;
        if (x.format != to)
            for (Number& n : x.numbers) n = rounded(to, e.mode, n);
        x.format = to;
        return x;
    }
    if (e.kind == ExpressionKind::mma) return product(x, operands.at(1), operands.at(2));
    const Value& y = operands.at(1);
    const bool both = x.side == Value::Side::constant && y.side == Value::Side::constant;
    const auto in_doubles = [&](double u, double v) {
        return e.kind == ExpressionKind::add        ? u + v
               : e.kind == ExpressionKind::subtract ? u - v
               : e.kind == ExpressionKind::multiply ? u * v
                                                    : u / v;
    };
    if (both) return constant(in_doubles(x.constant, y.constant));
    Value result = x.side == Value::Side::constant ? y : x;
    result.format = setting_.arithmetic;
    for (std::size_t i = 0; i < result.numbers.size(); ++i) {
        const Number u = x.side == Value::Side::constant ? of_double(x.constant) : x.numbers.at(i);
        Number v = y.side == Value::Side::constant
                       ? of_double(e.kind == ExpressionKind::divide ? 1 / y.constant : y.constant)
                       : y.numbers.at(i);
        if (e.kind == ExpressionKind::subtract) v = negative(v);
        const bool is_sum = e.kind == ExpressionKind::add || e.kind == ExpressionKind::subtract;
        result.numbers[i] = rounded(setting_.arithmetic, Rounding::rne,
                                    is_sum ? exact::exact_sum({u, v}) : exact::product_of(u, v, false));
    }
    return result;
}

ProgramOracle::Value ProgramOracle::product(const Value& x, const Value& y, const Value& z) const {
    const Unit& unit = setting_.unit;
    const FormatId of_c = unit.c.value();
    Number c = z.side == Value::Side::constant ? of_double(z.constant) : z.numbers.front();
    if (z.side == Value::Side::constant || z.format != of_c) c = rounded(of_c, Rounding::rne, c);
    std::uint64_t d = pattern(of_c, c);
    const auto K = static_cast<std::size_t>(unit.K);
    for (std::size_t from = 0; from < x.numbers.size(); from += K) {
        std::vector<std::uint64_t> a(K, 0), b(K, 0);
        for (std::size_t k = 0; k < K && from + k < x.numbers.size(); ++k) {
            a[k] = pattern(unit.a, x.numbers[from + k]);
            b[k] = pattern(unit.b, y.numbers.at(from + k));
        }
        d = evaluate_exactly(unit, {.a = a, .b = b, .sa = {}, .sb = {}, .c = d});
    }
    return {Value::Side::sum, unit.d, {exact::read(format(unit.d), d)}, 0};
}

Dyadic Distance::exact_sum(const Inputs& inputs) const {
    std::vector<Dyadic> terms = {exact::read(format(setting_.c), inputs.c).value};
    for (std::size_t k = 0; k < inputs.a.size(); ++k)
        terms.push_back(exact::read(format(setting_.a), inputs.a[k]).value *
                        exact::read(format(setting_.b), inputs.b[k]).value);
    return exact::sum(terms);
}

bool Distance::is_nearer(const Inputs& inputs, const ProgramOracle::Result& one,
                         const ProgramOracle::Result& other) const {
    if (!one.number.is_finite()) return false;
    const Dyadic sum = exact_sum(inputs);
    if (!other.number.is_finite()) {
        const Format& f = format(one.format);
        const Dyadic largest{exact::Integer(f.max_significand()), f.emax() - f.mantissa_bits};
        return !minus(largest, magnitude(sum)).is_negative();
    }
    return minus(magnitude(minus(one.number.value, sum)), magnitude(minus(other.number.value, sum))).is_negative();
}

} // namespace discern::claims
