#include "operands.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/unit/sentence.hpp"
#include "programs/functions/functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace discern::programs::llir {

namespace {

using Kind = Type::Kind;

constexpr unsigned most_constant_depth = 16;
constexpr std::uint64_t most_constant = 1 << 20;
constexpr std::size_t most_values = 1 << 22;

std::vector<Code> codes_of(std::uint64_t bits, std::uint64_t size) {
    std::vector<Code> codes(size);
    from_word(bits, codes);
    return codes;
}

std::optional<std::uint64_t> hexadecimal(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
    return value;
}

/// Digits, and a point or an exponent: newer versions write as few digits as tell a number of the type from others.
double decimal(std::string_view word, const Type& type) {
    const std::string text(word);
    char* end = nullptr;
    const double value = type.count == 32 ? std::strtof(text.c_str(), &end) : std::strtod(text.c_str(), &end);
    const bool is_number = word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
    if (text.empty() || !is_number || *end != '\0') throw Error(sentence(excerpt(word), " is no number"));
    return value;
}

std::uint64_t pattern_of(double value, const Type& type) {
    if (type.count == 64) return std::bit_cast<std::uint64_t>(value);
    const FormatId id = require_format(std::string(type.name), "LLVM IR");
    const Format& to = format(id);
    if (std::isfinite(value) && value != 0 && std::ilogb(value) > to.emax())
        throw Error("a constant is no number of its type");
    const std::uint64_t quiet = ((std::uint64_t(2) << to.exponent_bits) - 1) << (to.mantissa_bits - 1);
    return narrowed(value, id, quiet | std::uint64_t(std::signbit(value)) << (to.width - 1));
}

std::uint64_t floating_bits(std::string_view word, const Type& type) {
    std::optional<std::uint64_t> bits;
    if (word.starts_with("f0x"))
        bits = hexadecimal(word.substr(3));
    else if (word.starts_with("0xH") || word.starts_with("0xR"))
        bits = hexadecimal(word.substr(3));
    else if (word.starts_with("0x")) {
        bits = hexadecimal(word.substr(2));
        if (bits) return pattern_of(std::bit_cast<double>(*bits), type);
    } else {
        const std::string_view name = word.substr(word.find_first_not_of("+-") == 1 ? 1 : 0);
        if (name == "inf") return pattern_of(word[0] == '-' ? -HUGE_VAL : HUGE_VAL, type);
        if (name == "nan" || name == "qnan")
            return pattern_of(std::copysign(std::nan(""), word[0] == '-' ? -1.0 : 1.0), type);
        return pattern_of(decimal(word, type), type);
    }
    if (!bits || (type.count < 64 && *bits >> type.count != 0))
        throw Error(sentence(excerpt(word), " is no number of its type"));
    return *bits;
}

/// +nan(0x3F): the payload of a quiet NaN.
std::uint64_t nan_bits(std::string_view word, std::uint64_t payload, const Type& type) {
    return floating_bits(word[0] == '-' ? "-nan" : "nan", type) | payload;
}

constexpr std::string_view attributes[] = {
    "noundef",  "nonnull",   "inreg",   "nofree",  "readonly", "readnone", "writeonly",      "noalias", "immarg",
    "returned", "nocapture", "signext", "zeroext", "noext",    "writable", "dead_on_unwind", "nest",    "swiftself"};
constexpr std::string_view attributes_with_more[] = {"align",       "dereferenceable", "dereferenceable_or_null",
                                                     "captures",    "range",           "nofpclass",
                                                     "initializes", "alignstack",      "dead_on_return"};

} // namespace

std::uint64_t Operand::number() const {
    std::uint64_t value = 0;
    if (kind != Kind::constant || codes.size() > 8) throw Error("a number stands elsewhere");
    if (!to_word(codes, value)) throw Error("a number is poison");
    return value;
}

std::vector<Code> number_codes(std::string_view word, const Type& type) {
    if (type.is(Kind::floating)) return codes_of(floating_bits(word, type), type.size);
    if (!type.is(Kind::integer)) throw Error(sentence(excerpt(word), " is no value of its type"));
    const bool is_negative = word.starts_with("-");
    std::string_view digits = word.substr(is_negative ? 1 : 0);
    std::uint64_t value = 0;
    const bool is_hex = digits.starts_with("u0x") || digits.starts_with("s0x");
    const auto [end, error] =
        std::from_chars(digits.data() + (is_hex ? 3 : 0), digits.data() + digits.size(), value, is_hex ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
        throw Error(sentence(excerpt(word), " stands where a number of up to 64 bits is expected"));
    if (is_negative) value = 0 - value;
    const bool fits = type.count >= 64 || value >> type.count == 0 ||
                      (is_negative && (0 - value) <= std::uint64_t(1) << (type.count - 1));
    if (!fits) throw Error(sentence(excerpt(word), " does not fit ", type.count, " bits"));
    if (type.count < 64) value &= (std::uint64_t(1) << type.count) - 1;
    std::vector<Code> codes = codes_of(value, type.size);
    if (is_negative)
        for (std::size_t i = 8; i < codes.size(); ++i) codes[i] = 255;
    return codes;
}

const Type* skip_attributes(Line& line, Types& types) {
    const Type* by_reference = nullptr;
    for (;;) {
        const std::string_view word = line.peek();
        if (std::find(std::begin(attributes), std::end(attributes), word) != std::end(attributes) ||
            word.starts_with("\"")) {
            line.next();
            if (line.take("=")) line.next();
            continue;
        }
        if (word == "byref" || word == "byval" || word == "sret" || word == "elementtype") {
            line.next();
            line.expect("(");
            const Type* type = types.read(line);
            line.expect(")");
            if (word != "elementtype") by_reference = type;
            continue;
        }
        if (std::find(std::begin(attributes_with_more), std::end(attributes_with_more), word) ==
            std::end(attributes_with_more))
            return by_reference;
        line.next();
        if (word == "align" && line.peek() != "(")
            line.next();
        else
            line.skip_parentheses();
    }
}

std::uint32_t Operands::value(std::string_view name, const Type* type) {
    if (!has_values(*type)) throw Error(sentence(excerpt(name), " has a type of which there are no values"));
    const auto [found, is_new] = values_.try_emplace(name, static_cast<std::uint32_t>(module_.values.size()));
    if (is_new) {
        if (module_.values.size() >= most_values) throw Error("there are more than 4,194,304 values");
        module_.values.push_back(type);
        names_.push_back(name);
        is_defined_.push_back(false);
    }
    if (module_.values[found->second] != type)
        throw Error(sentence(excerpt(name), " has one type here and another elsewhere"));
    return found->second;
}

std::uint32_t Operands::define(std::string_view name, const Type* type) {
    const std::uint32_t index = value(name, type);
    if (is_defined_[index]) throw Error(sentence(excerpt(name), " is made twice"));
    is_defined_[index] = true;
    return index;
}

void Operands::require_all_defined() const {
    const auto missing = std::find(is_defined_.begin(), is_defined_.end(), false);
    if (missing != is_defined_.end())
        throw Error(sentence("nothing makes the value ",
                             excerpt(names_[static_cast<std::size_t>(missing - is_defined_.begin())])));
}

Operand Operands::typed(Line& line) {
    const Type* type = types_.read(line);
    return read(line, type);
}

Operand Operands::argument(Line& line) {
    const Type* type = types_.read(line);
    skip_attributes(line, types_);
    return read(line, type);
}

/// <i32 1, i32 2>: the bytes of all, one behind the other.
Operand Operands::group(Line& line, const Type* type, std::string_view closing, unsigned depth) {
    if (!type->is(Kind::vector) && !type->is(Kind::array) && !type->is(Kind::structure))
        throw Error("a list stands where one value is expected");
    Operand made{.kind = Operand::Kind::constant, .type = type};
    std::size_t count = 0;
    while (!line.take(closing)) {
        if (count++ != 0) line.expect(",");
        const Type* part = types_.read(line);
        const Operand value = read(line, part, depth + 1);
        if (value.kind != Operand::Kind::constant) throw Error("a constant has a part that is none");
        made.codes.insert(made.codes.end(), value.codes.begin(), value.codes.end());
        if (made.codes.size() > type->size) break;
    }
    if (made.codes.size() != type->size) throw Error("a constant has another length than its type");
    return made;
}

/// getelementptr of constants: an address of a global, and bytes behind it.
Operand Operands::element_address(Line& line, const Type* type, unsigned depth) {
    while (line.take("inbounds") || line.take("nuw") || line.take("nusw")) {
    }
    line.expect("(");
    const Type* at = types_.read(line);
    line.expect(",");
    const Type* pointer = types_.read(line);
    Operand made = read(line, pointer, depth + 1);
    if (made.kind != Operand::Kind::global) throw Error("an address of a constant that is no global's is not read");
    for (bool is_first = true; line.take(","); is_first = false) {
        while (line.take("inrange")) line.skip_parentheses();
        const Type* number = types_.read(line);
        const Operand index = read(line, number, depth + 1);
        const std::int64_t n =
            with_sign(index.number(), static_cast<unsigned>(std::min<std::uint64_t>(number->count, 64)));
        if (std::abs(n) > std::int64_t(1) << 30) throw Error("an index is too large");
        if (!is_first && at->is(Kind::structure)) {
            if (n < 0 || static_cast<std::size_t>(n) >= at->parts.size()) throw Error("a structure has no such part");
            made.offset += static_cast<std::int64_t>(at->at[static_cast<std::size_t>(n)]);
            at = at->parts[static_cast<std::size_t>(n)];
            continue;
        }
        if (!is_first) {
            if (at->parts.empty()) throw Error("what is indexed has no parts");
            at = at->parts[0];
        }
        if (at->stored > std::uint64_t(1) << 32) throw Error("an index is too large");
        made.offset += n * static_cast<std::int64_t>(at->stored);
    }
    line.expect(")");
    made.type = type;
    return made;
}

Operand Operands::expression(Line& line, std::string_view word, const Type* type, unsigned depth) {
    if (word == "getelementptr") return element_address(line, type, depth);
    line.expect("(");
    const Type* from = types_.read(line);
    Operand made = read(line, from, depth + 1);
    line.expect("to");
    if (types_.read(line) != type) throw Error("a conversion has another type than is expected");
    line.expect(")");
    if (made.kind == Operand::Kind::global) {
        if (word == "addrspacecast") made.is_generic = type->is(Kind::pointer) && type->count == 0;
        made.type = type;
        return made;
    }
    made.codes.resize(type->size, 0);
    made.type = type;
    return made;
}

Operand Operands::read(Line& line, const Type* type, unsigned depth) {
    if (depth > most_constant_depth) throw Error("constants within constants are too deep");
    const std::string_view word = line.next();
    if (word[0] == '%' && word.size() > 1)
        return {.kind = Operand::Kind::value, .type = type, .index = value(word, type)};
    if (word[0] == '@' && word.size() > 1) {
        const auto found = globals_.find(word);
        if (found == globals_.end()) throw Error(sentence("nothing is called ", excerpt(word)));
        return {.kind = Operand::Kind::global, .type = type, .index = found->second};
    }
    if (type->size == 0 || type->size > most_constant) throw Error("constants of this type are not read");
    Operand made{.kind = Operand::Kind::constant, .type = type};
    if (word == "poison" || word == "undef") {
        made.codes.assign(type->size, unwritten_byte);
    } else if (word == "zeroinitializer" || word == "null" || word == "false" || word == "none") {
        made.codes.assign(type->size, 0);
    } else if (word == "true") {
        made.codes.assign(type->size, 1);
    } else if (word == "splat" && type->is(Kind::vector)) {
        line.expect("(");
        const Type* element = types_.read(line);
        const Operand one = read(line, element, depth + 1);
        line.expect(")");
        if (one.kind != Operand::Kind::constant || element != type->parts[0])
            throw Error("splat needs a constant of the vector's elements");
        for (std::uint64_t i = 0; i < type->count; ++i)
            made.codes.insert(made.codes.end(), one.codes.begin(), one.codes.end());
    } else if (word == "<" || word == "[" || word == "{") {
        if (word == "<" && line.take("{")) {
            made = group(line, type, "}", depth);
            line.expect(">");
            return made;
        }
        return group(line, type, word == "<" ? ">" : word == "[" ? "]" : "}", depth);
    } else if (word.starts_with("c\"")) {
        if (!type->is(Kind::array) || word.size() < 3) throw Error("a text stands where another constant is expected");
        for (std::size_t i = 2; i + 1 < word.size(); ++i) {
            const auto escaped = word[i] == '\\' ? hexadecimal(word.substr(i + 1, 2)) : std::nullopt;
            made.codes.push_back(escaped ? static_cast<Code>(*escaped) : static_cast<unsigned char>(word[i]));
            if (escaped) i += 2;
        }
        if (made.codes.size() != type->size) throw Error("a text has another length than its type");
    } else if (word == "getelementptr" || word == "addrspacecast" || word == "ptrtoint" || word == "inttoptr" ||
               word == "bitcast") {
        return expression(line, word, type, depth);
    } else if (line.peek() == "(" && type->is(Kind::floating) && word.ends_with("nan")) {
        line.expect("(");
        const std::string_view digits = line.next();
        const auto payload = digits.starts_with("0x") ? hexadecimal(digits.substr(2)) : std::nullopt;
        if (!payload || *payload >> (type->count - 2) != 0)
            throw Error("the payload of a NaN is no number of its type");
        line.expect(")");
        made.codes = codes_of(nan_bits(word, *payload, *type), type->size);
    } else {
        made.codes = number_codes(word, *type);
    }
    return made;
}

} // namespace discern::programs::llir
