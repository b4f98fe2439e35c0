// Each kind of text has a writer and a reader; the readers accept what the writers give and refuse anything else.
#include "text.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

#include <bit>
#include <sstream>

namespace discern::store {

namespace {

/// "NAME=LOW..HIGH", both bounds as patterns of f64.
NumberRange number_range_from(const std::string& word) {
    const auto equals = word.find('='), dots = word.find("..");
    if (equals != std::string::npos && dots != std::string::npos && equals < dots)
        if (const auto operand = operand_from_name(word.substr(0, equals))) {
            const auto bound = [](const std::string& digits) {
                const auto bits = parse_hex(digits);
                if (!bits) throw Error(excerpt(digits) + " is no pattern");
                return std::bit_cast<double>(*bits);
            };
            return {*operand, bound(word.substr(equals + 1, dots - equals - 1)), bound(word.substr(dots + 2))};
        }
    throw Error("the limits of inputs " + excerpt(word) + " are not known");
}

} // namespace

std::string hash_text(const Unit& unit) {
    std::string text;
    append_hex(text, arithmetic_hash(unit), 16);
    return text;
}

std::string limits_text(const InputLimits& limits) {
    std::string text = limits.finite ? "finite" : "";
    for (const ExponentRange& range : limits.ranges)
        text += sentence(" ", name(range.operand), ":", range.low, "..", range.high);
    for (const NumberRange& range : limits.numbers)
        text += sentence(" ", name(range.operand), "=",
                         to_hex(format(FormatId::f64), std::bit_cast<std::uint64_t>(range.low)), "..",
                         to_hex(format(FormatId::f64), std::bit_cast<std::uint64_t>(range.high)));
    if (limits.no_subnormals) text += " normal";
    return text;
}

InputLimits limits_from(const std::string& text) {
    InputLimits limits;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word == "finite")
            limits.finite = true;
        else if (word == "normal")
            limits.no_subnormals = true;
        else if (word.find(':') != std::string::npos)
            for (const ExponentRange& range : parse_ranges(word)) limits.ranges.push_back(range);
        else
            limits.numbers.push_back(number_range_from(word));
    }
    return limits;
}

std::string vectors_text(const Unit& unit, std::span<const Vector> vectors) {
    std::string text;
    for (Vector vector : vectors) {
        vector.clear_results();
        text += (text.empty() ? "" : "\n") + to_json(shape_of(unit), vector);
    }
    return text;
}

std::vector<Vector> vectors_from(const Unit& unit, const std::string& text) {
    Header header;
    header.shape = shape_of(unit);
    std::istringstream in(to_json(header) + "\n" + text + (text.empty() ? "" : "\n"));
    VectorReader reader(in, "the stored vectors");
    std::vector<Vector> vectors;
    for (Vector v; reader.next(v);) vectors.push_back(v);
    return vectors;
}

std::string lists_text(std::span<const std::vector<std::size_t>> lists) {
    std::string text;
    for (const auto& list : lists) {
        if (&list != lists.data()) text += ';';
        for (const std::size_t number : list) text += (number == list.front() ? "" : " ") + std::to_string(number);
    }
    return text;
}

std::vector<std::vector<std::size_t>> lists_from(const std::string& text, std::size_t below) {
    std::vector<std::vector<std::size_t>> lists;
    std::istringstream all(text);
    for (std::string one; std::getline(all, one, ';');) {
        auto& list = lists.emplace_back();
        std::istringstream numbers(one);
        std::size_t number = 0;
        while (numbers >> number && number < below) list.push_back(number);
        if (!numbers.eof() || list.empty()) throw Error("the lists " + excerpt(text) + " are damaged");
    }
    return lists;
}

} // namespace discern::store
