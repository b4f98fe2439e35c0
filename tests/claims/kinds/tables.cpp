// `import csv`: a table of numbers, written in the ways in which people and programs write them, read back as patterns.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/vector_file.hpp"

#include "folder.hpp"
#include "models/evaluate/exact.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <sstream>

namespace discern::claims {

namespace {

Case drawn_table(Random& random) {
    Case asked;
    Size size;
    size.large = random.one_in(2);
    size.most_bits = 64;
    asked.units = {{draw_unit(random, size), ""}};
    asked.texts["seed"] = std::to_string(random.below(1000000));
    asked.texts["rows"] = std::to_string(random.between(1, 12));
    asked.options.push_back(random.one_in(3) ? "--patterns" : "--numbers");
    if (random.one_in(2))
        asked.options.push_back(
            "--round " +
            std::string(any_of(random, std::vector<std::string_view>(rounding_names.begin(), rounding_names.end()))));
    return asked;
}

/// An operand with its patterns in one row after the other.
struct Operand {
    std::string name;
    const Format* format;
    std::size_t count; ///< in a row
    bool is_list, is_scale;
};

std::vector<Operand> operands_of(const Unit& unit) {
    const auto K = static_cast<std::size_t>(unit.K);
    std::vector<Operand> all = {{"a", &format(unit.a), K, true, false}, {"b", &format(unit.b), K, true, false}};
    if (unit.scale)
        for (const char* const name : {"sa", "sb"})
            all.push_back({name, &format(unit.scale->format), static_cast<std::size_t>(unit.scales()), true, true});
    if (unit.c) all.push_back({"c", &format(*unit.c), 1, false, false});
    all.push_back({"d", &format(unit.d), 1, false, false});
    return all;
}

std::string in_any_case(Random& random, std::string text) {
    if (random.one_in(3))
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

/// The whole decimal expansion of a double, or as hexadecimal, with signs, zeros and exponents as they may be written.
std::string spelled(Random& random, double x) {
    const std::string sign = std::signbit(x) ? "-" : random.one_in(8) ? "+" : "";
    const double size = std::fabs(x);
    constexpr int enough = 1100; // digits of any double
    switch (random.below(4)) {
    case 0: return sign + in_any_case(random, fmt::format("{:a}", size));
    case 1: { // a significand with another first digit, which %a does not print
        int exponent = 0;
        const double fraction = std::frexp(size, &exponent);
        const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
        return sign + in_any_case(random, fmt::format("0x{:x}.{}p{:+d}", digits >> 8,
                                                      fmt::format("{:02x}", digits & 255), exponent - 45));
    }
    case 2: { // fixed, without zeros at its end, or with some
        std::string text = fmt::format("{:.{}f}", size, enough);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.' && random.one_in(2)) text.pop_back();
        if (text.find('.') != std::string::npos && random.one_in(3)) text += "00";
        if (text.starts_with("0.") && text.size() > 2 && random.one_in(3)) text.erase(0, 1);
        return sign + (random.one_in(6) ? "00" : "") + text;
    }
    default: { // with an exponent
        std::string text = fmt::format("{:.{}e}", size, enough);
        const std::size_t e = text.find('e');
        std::string digits = text.substr(0, e);
        digits.erase(digits.find_last_not_of('0') + 1);
        return sign + in_any_case(random, digits + text.substr(e));
    }
    }
}

/// The pattern to which a double is rounded that is not beyond the format's numbers.
std::uint64_t rounded_pattern(const Format& f, double x, Rounding mode) {
    if (x == 0) return pack(f, {.negative = std::signbit(x) && f.has_minus_zero(), .exponent = f.emin()});
    int exponent = 0;
    const auto integer = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    const exact::Dyadic value{integer, exponent - 53};
    const int own = f.is_fixed_point() ? f.emin() : std::max(exact::log2_floor(value), f.emin());
    const exact::Dyadic to = exact::rounded(value, own - f.mantissa_bits, mode);
    const double result = std::ldexp(static_cast<double>(exact::magnitude(to.integer)), to.scale);
    if (result == 0) return pack(f, {.negative = x < 0 && f.has_minus_zero(), .exponent = f.emin()});
    int at = f.is_fixed_point() ? f.emin() : std::max(std::ilogb(result), f.emin());
    const auto significand = static_cast<std::uint64_t>(std::ldexp(result, f.mantissa_bits - at));
    return pack(f, {.negative = x < 0, .significand = significand, .exponent = at});
}

/// A word of a table, and the pattern that it means.
struct Word {
    std::string text;
    std::uint64_t bits;
};

Word number_word(Random& random, const Operand& of, std::uint64_t pattern, std::optional<Rounding> mode) {
    const Format& f = *of.format;
    const Decoded number = decode(f, pattern);
    if (number.number_class == NumberClass::nan)
        return {in_any_case(random, any_of(random, std::vector<std::string>{"nan", "NaN"})), quiet_nan(f)};
    if (number.number_class == NumberClass::infinite)
        return {(number.negative ? "-" : "") +
                    in_any_case(random, any_of(random, std::vector<std::string>{"inf", "infinity"})),
                pattern};
    double x = to_double(f, pattern);
    // Between two numbers, at half of the way or hardly beside it; of doubles there have to be some there.
    const bool between = mode && !of.is_scale && f.mantissa_bits < 40 && random.one_in(3);
    if (between) {
        const int last = number.exponent - f.mantissa_bits;
        x += std::ldexp(any_of(random, std::vector{0.5, 0.25, 0.75, -0.5}), last);
        if (random.one_in(2)) x = std::nextafter(x, random.one_in(2) ? HUGE_VAL : -HUGE_VAL);
    }
    if (x == 0 && random.one_in(4) && f.is_signed) x = -x; // which not every format has
    // What is beyond the largest number is refused, whatever it would be rounded to.
    const double largest = std::ldexp(static_cast<double>(f.max_significand(x < 0)), f.emax() - f.mantissa_bits);
    if (std::fabs(x) > largest) x = to_double(f, pattern);
    return {spelled(random, x), rounded_pattern(f, x, mode.value_or(Rounding::rne))};
}

Word pattern_word(Random& random, const Operand& of, std::uint64_t pattern) {
    return {(random.one_in(3) ? "0x" : "") + in_any_case(random, to_hex(*of.format, pattern)), pattern};
}

/// One column: an operand, or one element of it; nothing that is never referred to.
struct Column {
    std::size_t operand;
    std::optional<std::size_t> element;
    std::string name;
};

std::vector<Column> columns_of(Random& random, const std::vector<Operand>& operands) {
    std::vector<Column> columns;
    for (std::size_t o = 0; o < operands.size(); ++o) {
        const Operand& of = operands[o];
        if (!of.is_list || random.one_in(2)) {
            columns.push_back({o, std::nullopt, in_any_case(random, of.name)});
            continue;
        }
        const int form = random.below(3);
        for (std::size_t k = 0; k < of.count; ++k) {
            const std::string n = std::to_string(k);
            columns.push_back({o, k,
                               in_any_case(random, of.name) + (form == 0   ? n
                                                               : form == 1 ? "[" + n + "]"
                                                                           : "_" + n)});
        }
    }
    for (std::size_t i = columns.size(); i > 1 && !columns.empty(); --i)
        std::swap(columns[i - 1], columns[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    return columns;
}

/// A table, and the patterns that its rows mean.
struct Written {
    std::string text;
    std::vector<std::vector<std::vector<std::uint64_t>>> rows; ///< of each operand
};

Written written_table(const Case& asked, std::optional<Rounding> mode, bool patterns) {
    const Unit& unit = asked.units.front().unit;
    Random random(std::stoull(asked.texts.at("seed")));
    const std::vector<Operand> operands = operands_of(unit);
    const std::vector<Column> columns = columns_of(random, operands);
    const char separator = any_of(random, std::vector{',', ';', '\t'});
    const std::string end = random.one_in(4) ? "\r\n" : "\n";
    Written table;
    if (random.one_in(6)) table.text += "\xef\xbb\xbf";
    if (random.one_in(6)) table.text += "# measured" + end;
    const auto line = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) table.text += separator;
            if (random.one_in(8)) table.text += " ";
            table.text += cells[i];
        }
        table.text += end;
        if (random.one_in(10)) table.text += end;
    };
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    line(names);
    const AllInputs some(unit, 4);
    const std::vector<InputBuffer> inputs = some.list();
    for (int row = std::stoi(asked.texts.at("rows")); row > 0; --row) {
        const InputBuffer& x = any_of(random, inputs);
        std::vector<std::vector<std::string>> words(operands.size());
        table.rows.emplace_back(operands.size());
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const std::string& name = operands[o].name;
            std::vector<std::uint64_t> own = name == "a" ? x.a : name == "b" ? x.b : name == "sa" ? x.sa : x.sb;
            if (name == "c") own = {x.c};
            if (name == "d") own = {evaluate_exactly(unit, x.inputs())};
            for (const std::uint64_t bits : own) {
                const Word word =
                    patterns ? pattern_word(random, operands[o], bits) : number_word(random, operands[o], bits, mode);
                words[o].push_back(word.text);
                table.rows.back()[o].push_back(word.bits);
            }
        }
        std::vector<std::string> cells;
        const int form = random.below(3);
        for (const Column& column : columns) {
            const auto& own = words[column.operand];
            if (column.element || own.size() == 1) {
                const std::string& cell = own[column.element.value_or(0)];
                cells.push_back(random.one_in(8) ? "\"" + cell + "\"" : cell);
                continue;
            }
            std::string list;
            for (const std::string& word : own) list += (list.empty() ? "" : form == 0 ? ", " : " ") + word;
            cells.push_back(form == 0 ? "\"" + list + "\"" : form == 1 ? "[" + list + "]" : list);
        }
        line(cells);
    }
    return table;
}

Compared compared_table(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    std::optional<Rounding> mode = Rounding::rne;
    bool patterns = false, numbers = false;
    for (const std::string& option : asked.options) {
        patterns = patterns || option == "--patterns";
        numbers = numbers || option == "--numbers";
        if (option.starts_with("--round ")) mode = rounding_from_name(option.substr(8));
    }
    Compared result;
    if (!patterns && !numbers) return result; // what they are then is a matter of rules
    const Written table = written_table(asked, mode, patterns);
    const testing::Folder folder;
    std::vector<std::string> words = {"import", "csv", folder.file("table.csv", table.text), "--unit",
                                      asked.units.front().text()};
    append(words, asked.options);
    result.command = command_line(words) + "   # with this table:\n" + table.text.substr(0, 4000);
    const Answer answer = ask(words);
    result.claims = 1;
    if (answer.status != 0) {
        result.wrong = "refused: " + answer.err;
        return result;
    }
    std::istringstream lines(answer.out);
    std::string text;
    std::getline(lines, text); // the header
    const std::vector<Operand> operands = operands_of(unit);
    for (const auto& row : table.rows) {
        if (!std::getline(lines, text)) {
            result.wrong = "there are fewer vectors than rows";
            return result;
        }
        const nlohmann::json vector = nlohmann::json::parse(text);
        for (std::size_t o = 0; o < operands.size() && result.wrong.empty(); ++o) {
            const nlohmann::json& said = vector.at(operands[o].name);
            for (std::size_t k = 0; k < row[o].size(); ++k) {
                const std::string pattern = said.is_array() ? said.at(k) : said;
                const std::string right = to_hex(*operands[o].format, row[o][k]);
                if (pattern != right && result.wrong.empty())
                    result.wrong =
                        fmt::format("{} is read as {}, and is {}, in {}", operands[o].name, pattern, right, text);
            }
        }
    }
    return result;
}

} // namespace

Kind tables_read() {
    return {"tables", "the patterns of a table (import csv), against those whose numbers were written there",
            drawn_table, compared_table, [](const Case& asked) { return with_fewer(asked, "rows"); }};
}

} // namespace discern::claims
