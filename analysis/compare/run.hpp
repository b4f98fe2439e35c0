// The walk through a program, the same for numbers, for whole products and for terms: what differs is in a Domain.
//
// An operation is a unit of one product, x · y or x · 1 + z, rounded once; so whatever evaluates units evaluates
// programs, and no arithmetic is written twice.
#pragma once

#include "setting.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::compare {

/// The rows or columns to which the numbers of a value belong.
enum class Side : std::uint8_t {
    left,    ///< elements of a: rows × length
    right,   ///< elements of b: columns × length
    sum,     ///< rows × columns
    constant ///< one number
};

template <typename Number>
struct Value {
    Side side = Side::constant;
    FormatId format = FormatId::f32;
    std::size_t length = 1; ///< elements of a row, of left and right
    std::vector<Number> numbers{};
    double constant = 0;
};

/// The pattern of a constant. @throws Error if it is none of the format
std::uint64_t constant_pattern(FormatId format, double value, std::size_t column);

/// x · y, or x · y + z, rounded to nearest even; or as a conversion does it, where y is 1.
Unit operation_unit(FormatId x, FormatId y, std::optional<FormatId> z, FormatId to, Rounding mode);

/// A Domain has a type Number and
///     Number pattern(const Format&, std::uint64_t bits)
///     auto operation(const Unit&)     a function of x, y and z that gives x · y + z; where the unit has no c, x · y
///     std::vector<Number> mma(const Unit&, left, right, c)
template <typename Domain>
class Run {
  public:
    using Number = typename Domain::Number;
    using Of = Value<Number>;

    Run(Domain& domain, const Setting& setting) : domain_(domain), setting_(setting) {}

    /// @param a, b  rows of `length` elements. @param c  rows × columns
    Of operator()(const Program& program, std::vector<Number> a, std::vector<Number> b, std::vector<Number> c) {
        variables_.clear();
        variables_["a"] = {Side::left, setting_.a, setting_.length, std::move(a)};
        variables_["b"] = {Side::right, setting_.b, setting_.length, std::move(b)};
        sums_ = c.size();
        variables_["c"] = {Side::sum, setting_.c, 1, std::move(c)};
        run(program.statements);
        Of result = value(program.result);
        if (result.side != Side::sum)
            throw Error(sentence("a program, column ", program.result.column,
                                 ": the last expression is the result and has to be a sum, such as mma(x, y, c)"));
        return result;
    }

  private:
    static std::string at(const Expression& e) { return sentence("a program, column ", e.column, ": "); }

    // ------------------------------------------------------------------------------------------------- statements

    void run(const std::vector<Statement>& statements) {
        for (const Statement& s : statements) {
            if (s.kind == Statement::Kind::assign)
                assign(s);
            else
                each(s);
        }
    }

    void assign(const Statement& s) {
        Of is = value(s.value);
        const auto before = variables_.find(s.name);
        if (before != variables_.end() && before->second.side != Side::constant && before->second.side != is.side)
            throw Error(sentence("a program, column ", s.column, ": ", s.name,
                                 " was something else before: elements of a, of b, and sums stay what they are"));
        variables_[s.name] = std::move(is);
    }

    void each(const Statement& s) {
        const std::size_t piece = s.piece == 0 ? static_cast<std::size_t>(setting_.unit.K) : s.piece;
        const std::map<std::string, Of> outside = variables_;
        for (std::size_t from = 0; from < setting_.length; from += piece) {
            for (const auto& [name, of] : outside)
                if (is_elements(of)) variables_[name] = part(of, from, std::min(piece, setting_.length - from));
            run(s.body);
        }
        for (auto one = variables_.begin(); one != variables_.end();) // elements of the last piece are gone
            one = is_elements(one->second) && !outside.contains(one->first) ? variables_.erase(one) : std::next(one);
        for (const auto& [name, of] : outside)
            if (is_elements(of)) variables_[name] = of;
    }

    static bool is_elements(const Of& of) { return of.side == Side::left || of.side == Side::right; }

    static Of part(const Of& of, std::size_t from, std::size_t length) {
        Of some{of.side, of.format, length, {}, 0};
        for (std::size_t row = 0; row + of.length <= of.numbers.size(); row += of.length)
            some.numbers.insert(some.numbers.end(), of.numbers.begin() + static_cast<std::ptrdiff_t>(row + from),
                                of.numbers.begin() + static_cast<std::ptrdiff_t>(row + from + length));
        return some;
    }

    // ------------------------------------------------------------------------------------------------ expressions

    Of value(const Expression& e) {
        using Kind = Expression::Kind;
        switch (e.kind) {
        case Kind::number: return constant(e.number);
        case Kind::name: return named(e);
        case Kind::convert: return converted(e, value(e.operands[0]), e.format);
        case Kind::word: {
            const Of x = value(e.operands[0]);
            if (!is_elements(x)) throw Error(at(e) + "word() is of elements of a or b; FORMAT(x) converts a sum");
            return converted(e, x, x.side == Side::left ? setting_.unit.a : setting_.unit.b);
        }
        case Kind::mma: return product(e);
        case Kind::divide: return divided(e);
        case Kind::add:
        case Kind::subtract:
        case Kind::multiply: break;
        }
        return computed(e, value(e.operands[0]), value(e.operands[1]));
    }

    static Of constant(double number) {
        Of of;
        of.constant = number;
        return of;
    }

    Of named(const Expression& e) {
        // 2 to the number of bits of a word's significand.
        if (e.name == "base") return constant(std::ldexp(1.0, format(setting_.unit.a).mantissa_bits + 1));
        if (const auto found = variables_.find(e.name); found != variables_.end()) return found->second;
        std::vector<std::string> names = {"base"};
        for (const auto& [name, of] : variables_) names.push_back(name);
        throw Error(sentence(at(e), "nothing is called ", excerpt(e.name), " here", did_you_mean(e.name, names),
                             "; a, b, c, base and what has a value before are right"));
    }

    std::vector<Number> one_number(FormatId f, double x, const Expression& e) {
        return {domain_.pattern(format(f), constant_pattern(f, x, e.column))};
    }

    /// An operation element by element; y and z may be one number for all, and there may be no z.
    std::vector<Number> applied(const Unit& unit, const std::vector<Number>& x, const std::vector<Number>& y,
                                const std::vector<Number>& z) {
        const auto of = domain_.operation(unit);
        std::vector<Number> results(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            results[i] = of(x[i], y[y.size() == 1 ? 0 : i], z.empty() ? Number() : z[z.size() == 1 ? 0 : i]);
        return results;
    }

    Of converted(const Expression& e, const Of& x, FormatId to) {
        if (x.side == Side::constant) throw Error(at(e) + "a constant needs no conversion");
        if (x.format == to) return x;
        if (!format(to).has_nan())
            throw Error(sentence(at(e), format(to).name,
                                 " has no NaN, and nothing is converted to it here; inputs may "
                                 "have that format (--operands)"));
        const Unit unit = operation_unit(x.format, to, std::nullopt, to, e.mode);
        return {x.side, to, x.length, applied(unit, x.numbers, one_number(to, 1, e), {}), 0};
    }

    Of divided(const Expression& e) {
        const Of x = value(e.operands[0]), by = value(e.operands[1]);
        int exponent = 0;
        if (by.side != Side::constant || by.constant <= 0 || std::frexp(by.constant, &exponent) != 0.5)
            throw Error(at(e) + "a number is divided only by a constant that is a power of two, such as base or 2^11");
        Expression times = e;
        times.kind = Expression::Kind::multiply;
        return computed(times, x, constant(1 / by.constant));
    }

    Of computed(const Expression& e, const Of& x, const Of& y) {
        using Kind = Expression::Kind;
        if (x.side == Side::constant && y.side == Side::constant)
            return constant(e.kind == Kind::add        ? x.constant + y.constant
                            : e.kind == Kind::subtract ? x.constant - y.constant
                                                       : x.constant * y.constant);
        if (x.side != Side::constant && y.side != Side::constant && x.side != y.side)
            throw Error(at(e) + "elements of a, elements of b and sums do not go together; mma(x, y, c) multiplies "
                                "elements of a with those of b");
        const FormatId to = setting_.arithmetic;
        const Of& own = x.side == Side::constant ? y : x;
        Of result{own.side, to, own.length, {}, 0};
        const FormatId fx = x.side == Side::constant ? to : x.format, fy = y.side == Side::constant ? to : y.format;
        // Only the first of the operands of applied() has the size of the result.
        const auto all = [&](const Of& of, FormatId f) {
            return of.side == Side::constant ? one_number(f, of.constant, e) : of.numbers;
        };
        const bool turned = x.side == Side::constant;
        const Of &first = turned ? y : x, &second = turned ? x : y;
        const FormatId f1 = turned ? fy : fx, f2 = turned ? fx : fy;
        if (e.kind == Kind::multiply) {
            result.numbers =
                applied(operation_unit(f1, f2, std::nullopt, to, Rounding::rne), all(first, f1), all(second, f2), {});
            return result;
        }
        // x + y = x · 1 + y; x − y = y · (−1) + x
        if (e.kind == Kind::add) {
            result.numbers = applied(operation_unit(f1, to, f2, to, Rounding::rne), all(first, f1),
                                     one_number(to, 1, e), all(second, f2));
        } else if (turned || y.side != Side::constant) {
            result.numbers =
                applied(operation_unit(fy, to, fx, to, Rounding::rne), all(y, fy), one_number(to, -1, e), all(x, fx));
        } else {
            result.numbers = applied(operation_unit(fx, to, to, to, Rounding::rne), all(x, fx), one_number(to, 1, e),
                                     one_number(to, -y.constant, e));
        }
        return result;
    }

    Of product(const Expression& e) {
        const Unit& unit = setting_.unit;
        const Of x = value(e.operands[0]), y = value(e.operands[1]), z = value(e.operands[2]);
        const auto require = [&](const Of& of, Side side, FormatId wanted, const char* what) {
            if (of.side != side)
                throw Error(sentence(at(e), "mma(x, y, c) takes elements of a, elements of b and a sum; the ", what,
                                     " operand is something else"));
            if (of.format != wanted)
                throw Error(sentence(at(e), "the unit takes ", format(wanted).name, ", and the ", what, " operand is ",
                                     format(of.format).name, "; word(x) converts it"));
        };
        require(x, Side::left, unit.a, "first");
        require(y, Side::right, unit.b, "second");
        if (z.side != Side::sum && z.side != Side::constant)
            throw Error(at(e) + "the third operand of mma(x, y, c) is a sum or a constant; these are elements");
        Of c = z;
        if (z.side == Side::constant) {
            c = {Side::sum, *unit.c, 1, {}, 0};
            c.numbers.assign(sums_, one_number(*unit.c, z.constant, e).front());
        }
        const std::size_t instructions =
            (x.length + static_cast<std::size_t>(unit.K) - 1) / static_cast<std::size_t>(unit.K);
        if (instructions > 1 && *unit.c != unit.d)
            throw Error(sentence(at(e),
                                 "a chain of instructions needs a unit whose c and d are of one format; each { … } "
                                 "takes one instruction at a time"));
        return {Side::sum, unit.d, 1, domain_.mma(unit, x.numbers, y.numbers, converted(e, c, *unit.c).numbers), 0};
    }

    Domain& domain_;
    const Setting& setting_;
    std::map<std::string, Of> variables_;
    std::size_t sums_ = 0; ///< rows × columns
};

} // namespace discern::compare
