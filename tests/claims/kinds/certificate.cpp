// Certificates: those that the program writes are accepted, and whatever the checker accepts is true. Of others, the
// claim is written by hand (forge.hpp); what no proof is found for is changed until the checker says something.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/forge.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"

#include "certificate/check.hpp"
#include "certificate/claim.hpp"
#include "folder.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "solver/certify/classes.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace discern::claims {

namespace {

using Json = nlohmann::json;
using certificate::Limits;

constexpr int bits = 12; ///< of a vector

/// The operand of that name: its format and its patterns.
struct NamedOperand {
    const Format* format = nullptr;
    std::vector<std::uint64_t> patterns;
};
std::map<std::string, NamedOperand> named(const Unit& unit, const Inputs& x) {
    std::map<std::string, NamedOperand> all = {{"a", {&format(unit.a), {x.a.begin(), x.a.end()}}},
                                               {"b", {&format(unit.b), {x.b.begin(), x.b.end()}}}};
    if (unit.c) all["c"] = {&format(*unit.c), {x.c}};
    if (unit.scale) {
        all["sa"] = {&format(unit.scale->format), {x.sa.begin(), x.sa.end()}};
        all["sb"] = {&format(unit.scale->format), {x.sb.begin(), x.sb.end()}};
    }
    return all;
}

// ------------------------------------------------------------------------------------------- what is printed

/// Whether inputs are within the limits that were printed, read as docs/certificates.md says.
bool within(const Json& limits, const Unit& unit, const Inputs& x) {
    if (limits.empty()) return true;
    for (const auto& [name, operand] : named(unit, x))
        for (const std::uint64_t pattern : operand.patterns) {
            const Format& f = *operand.format;
            const Decoded number = decode(f, pattern);
            const bool finite = number.number_class == NumberClass::finite;
            if (limits.at("finite") && !finite) return false;
            if (limits.at("no_subnormals") && finite && !number.is_zero() && f.has_subnormals() &&
                number.significand >> f.mantissa_bits == 0)
                return false;
            for (const Json& range : limits.at("ranges"))
                if (range.at("operand") == name &&
                    (!finite || (!number.is_zero() && (number.exponent < range.at("low").get<int>() ||
                                                       number.exponent > range.at("high").get<int>()))))
                    return false;
            for (const Json& range : limits.at("numbers")) {
                const auto bound = [&](const char* end) {
                    return to_double(f, std::stoull(range.at(end).get<std::string>(), nullptr, 16));
                };
                if (range.at("operand") == name &&
                    (!finite || to_double(f, pattern) < bound("low") || to_double(f, pattern) > bound("high")))
                    return false;
            }
        }
    return true;
}

/// Two of the units that differ on inputs within the limits, in words; empty if there are none.
std::string difference_among(const std::vector<Unit>& units, const Json& limits, const AllInputs& inputs) {
    for (std::size_t i = 0; i < units.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Unit &one = units[j], &other = units[i];
            const auto x =
                first_difference(one, other, inputs, [&](const Inputs& in) { return within(limits, one, in); });
            if (x)
                return to_string(one) + " and " + to_string(other) + " give " + result_text(one, x->inputs()) +
                       " and " + result_text(other, x->inputs()) + " for " + as_options(one, x->inputs());
        }
    return "";
}

/// What is false of what the checker printed.
std::string falsehood(const Json& printed, Compared& result) {
    const Json limits = printed.value("limits", Json::object());
    const bool classes = printed.at("claim") == "classes";
    if (classes && printed.at("classes") != 0 && !printed.contains("members"))
        return "the checker accepts classes and does not say which units are the same";
    std::vector<std::vector<std::string>> lists;
    if (classes)
        lists = printed.value("members", lists);
    else
        lists.push_back(printed.at("units"));
    for (const auto& texts : lists) {
        std::vector<Unit> units;
        for (const std::string& text : texts) units.push_back(parse_unit(text));
        const AllInputs inputs(units.front(), 16);
        ++result.claims;
        if (inputs.complete() && inputs.for_each([&](const Inputs& x) { return !within(limits, units.front(), x); }))
            return "the checker accepts a claim of no input at all, with limits " + limits.dump();
        const std::string difference = difference_among(units, limits, inputs);
        if (printed.at("claim") != "different" && !difference.empty())
            return "the checker says that they are the same, with limits " + limits.dump() + "; but " + difference;
        if (printed.at("claim") == "different" && difference.empty() && inputs.complete())
            return "the checker says that they differ, with limits " + limits.dump() + ", and they do nowhere";
    }
    return "";
}

// ------------------------------------------------------------------------------------------------- questions

/// "finite", "no-subnormals", "range a 1 2" and "numbers c 3c 40" as limits.
Limits limits_of(const std::vector<std::string>& options) {
    Limits limits;
    for (const std::string& option : options) {
        std::istringstream words(option);
        std::string kind, operand, low, high;
        words >> kind >> operand >> low >> high;
        if (kind == "finite") limits.finite = true;
        if (kind == "no-subnormals") limits.no_subnormals = true;
        if (kind == "range") limits.ranges.push_back({operand, std::stoi(low), std::stoi(high)});
        if (kind == "numbers")
            limits.numbers.push_back({operand, std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)});
    }
    return limits;
}

/// The same as words of a command line.
std::vector<std::string> option_words(const Unit& unit, const Limits& limits) {
    std::vector<std::string> words;
    if (limits.finite) words.emplace_back("--finite");
    if (limits.no_subnormals) words.emplace_back("--no-subnormals");
    const auto add = [&](const char* option, const std::string& operand, const std::string& low,
                         const std::string& high) {
        words.insert(words.end(), {option, operand + ":" + low + ".." + high});
    };
    for (const auto& range : limits.ranges)
        add("--range", range.operand, std::to_string(range.low), std::to_string(range.high));
    for (const auto& range : limits.numbers) {
        const auto rows = certificate::rows(unit);
        const Format& f =
            *std::find_if(rows.begin(), rows.end(), [&](const auto& x) { return x.name == range.operand; })->format;
        const auto text = [&](std::uint64_t pattern) {
            std::ostringstream digits;
            digits.precision(17);
            digits << to_double(f, pattern);
            return digits.str();
        };
        add("--values", range.operand, text(range.low), text(range.high));
    }
    return words;
}

std::string number_limit(Random& random, const std::string& name, const Format& f) {
    const auto finite = [&] {
        for (;;) {
            const std::uint64_t pattern = random.bits() & f.mask() & ~((std::uint64_t{1} << f.padding_bits) - 1);
            if (decode(f, pattern).number_class == NumberClass::finite) return pattern;
        }
    };
    std::uint64_t low = finite(), high = random.one_in(3) ? low : finite();
    if (f.has_zero && random.one_in(3)) low = 0;
    if (to_double(f, low) > to_double(f, high)) std::swap(low, high);
    return "numbers " + name + " " + to_hex(f, low) + " " + to_hex(f, high);
}

/// Limits that bind, and now and then so many that nothing is left.
std::vector<std::string> limits_of_claim(Random& random, const Unit& unit) {
    std::vector<std::string> options;
    if (random.one_in(3)) options.emplace_back("finite");
    if (random.one_in(3)) options.emplace_back("no-subnormals");
    for (const certificate::Row& row : certificate::rows(unit)) {
        const std::string name = row.name;
        const Format& f = *row.format;
        if (random.one_in(4)) {
            const int low = random.between(f.emin() - 1, f.emax()), width = random.below(3);
            options.push_back("range " + name + " " + std::to_string(low) + " " + std::to_string(low + width));
        }
        if (random.one_in(3)) options.push_back(number_limit(random, name, f));
    }
    return options;
}

/// The unit with another rule for NaN, where it may have one.
Unit with_other_nan(Random& random, Unit unit) {
    const Format& d = format(unit.d);
    if (!d.has_nan() || random.one_in(3)) {
        unit.nan = NanRule{};
    } else {
        std::vector<std::uint64_t> nans;
        for (std::uint64_t x = 0; x <= d.mask() && d.width <= 9; ++x)
            if (decode(d, x).number_class == NumberClass::nan) nans.push_back(x);
        if (nans.empty()) nans.push_back(quiet_nan(d));
        unit.nan.kind = NanRule::Kind::pattern;
        unit.nan.bits = any_of(random, nans);
    }
    return is_valid(unit) ? reread(unit) : reread([&] {
        unit.nan = NanRule{};
        return unit;
    }());
}

constexpr const char* ways[] = {"prove", "write", "write", "chain", "chain", "class", "changed"};

/// Units of several blocks that a chain can be about, mostly. The accumulator has two formats, or the inputs are
/// limited, every other time; and the blocks mostly agree, which the whole then need not.
void draw_chain(Random& random, Case& asked) {
    Size size;
    size.needs_c = true;
    size.most_bits = 16; // two blocks of the smallest numbers have 15
    const bool may_be_any = random.one_in(4), two_formats = random.one_in(2);
    Unit unit;
    do {
        unit = draw_unit(random, size);
    } while (unit.blocks() < 2 || (!may_be_any && (!certificate::against_chain({unit, unit}, {}).empty() ||
                                                   (unit.c != unit.d) != two_formats)));
    if (!two_formats) asked.options.push_back(number_limit(random, "c", format(*unit.c)));
    const Json limits = certificate::limits_json(limits_of(asked.options));
    const Unit block = certificate::block_of(unit, false);
    Unit other = unit;
    for (int tries = 0; tries < 30; ++tries) {
        other = draw_variant(random, unit);
        const Unit block_of_other = certificate::block_of(other, false);
        if (other.L == unit.L && is_valid(block) && is_valid(block_of_other) &&
            !first_difference(block, block_of_other, AllInputs(block, 12),
                              [&](const Inputs& x) { return within(limits, block, x); }))
            break;
    }
    asked.units = {{unit, ""}, {other, ""}};
}

void draw_units(Random& random, Case& asked) {
    Size size;
    size.most_bits = random.one_in(3) ? bits : bits - 3;
    const Unit unit = draw_unit(random, size);
    asked.units.push_back({unit, ""});
    const int count = asked.texts["way"] == "prove" || random.one_in(2) ? 2 : random.between(3, 4);
    const bool only_nan = count > 2 && random.one_in(2); // one tree with several rules for NaN
    while (asked.units.size() < static_cast<std::size_t>(count)) {
        const Unit& from = random.one_in(2) ? unit : asked.units.back().unit;
        const bool same = !only_nan && random.one_in(6), nan = only_nan || random.one_in(3);
        Unit next = same ? from : nan ? with_other_nan(random, from) : draw_variant(random, from);
        if (!same && random.one_in(4)) next = with_other_nan(random, next);
        asked.units.push_back({next, ""});
    }
    if (random.one_in(2)) asked.options = limits_of_claim(random, unit);
}

Case drawn_certificate(Random& random) {
    Case asked;
    asked.texts["way"] = ways[random.below(static_cast<int>(std::size(ways)))];
    asked.texts["seed"] = std::to_string(random.bits() >> 1u);
    if (asked.texts["way"] == "chain")
        draw_chain(random, asked);
    else
        draw_units(random, asked);
    return asked;
}

/// Writes a certificate in the case's way. @return whether there is one
bool write(const Case& asked, const std::vector<Unit>& units, const Limits& limits, const std::string& folder,
           Compared& result) {
    const std::string& way = asked.texts.at("way");
    certificate::WriteOptions how;
    how.limit.end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    if (way == "prove") {
        std::vector<std::string> words = {"prove", to_string(units[0]), to_string(units[1]), "--timeout", "1"};
        for (const std::string& word : option_words(units[0], limits)) words.push_back(word);
        words.insert(words.end(), {"--certificate", folder});
        result.command = command_line(words) + "; discern-check " + folder;
        ask(words);
        return std::filesystem::exists(folder + "/claim.json");
    }
    result.command = "a certificate made by hand (" + way + ", seed " + asked.texts.at("seed") + ") of";
    for (const Unit& unit : units) result.command += " '" + to_string(unit) + "'";
    for (const std::string& option : asked.options) result.command += " " + option;
    if (way == "chain") return forge_chain(units, limits, folder);
    if (way == "class") return forge_class(units, limits, folder);
    if (std::stoull(asked.texts.at("seed")) % 2 == 0) {
        certificate::write_classes({units}, {}, limits, folder, how, {});
        return true;
    }
    how.shared = std::stoull(asked.texts.at("seed")) % 3 == 0;
    return certificate::write_certificate(units, limits, folder, how).verdict != certificate::Written::Verdict::open;
}

Compared compared_certificate(const Case& asked) {
    Compared result;
    std::vector<Unit> units;
    for (const WrittenUnit& one : asked.units) units.push_back(one.unit);
    const Limits limits = limits_of(asked.options);
    const std::string& way = asked.texts.at("way");
    const testing::Folder folder;
    const std::string path = folder.path("certificate");
    const auto say = [&] { return certificate::check_certificate(path); };
    try {
        if (!write(asked, units, limits, path, result)) return result;
    } catch (const Error&) { // that the units have different shapes, or that no input is left
        return result;
    } catch (const std::logic_error& why) { // write_classes says so where units are none of a class
        if (std::string(why.what()).find("equivalent units differ") == std::string::npos) throw;
        return result;
    }
    const certificate::Checked checked = say();
    if (!checked.refused.empty() && (way == "prove" || way == "write" || way == "changed")) {
        result.wrong = "a certificate that was made is refused: " + checked.refused;
        return result;
    }
    if (checked.refused.empty() && checked.assumed.empty())
        result.wrong = falsehood(Json::parse(to_json(checked, 0)), result);
    if (!result.wrong.empty() || way != "changed") return result;

    // Changed in several ways, each alone.
    Random random(std::stoull(asked.texts.at("seed")));
    certificate::write_certificate({units.front(), units.front()}, {}, folder.path("spare"), {});
    std::filesystem::copy(path, folder.path("right"), std::filesystem::copy_options::recursive);
    for (int i = 0; i < 6 && result.wrong.empty(); ++i) {
        std::filesystem::remove_all(path);
        std::filesystem::copy(folder.path("right"), path, std::filesystem::copy_options::recursive);
        change(random, path, units, folder.path("spare"));
        const certificate::Checked again = say();
        ++result.claims; // that it is refused, or true
        if (again.refused.empty() && again.assumed.empty())
            result.wrong = falsehood(Json::parse(to_json(again, 0)), result);
        if (!result.wrong.empty()) result.wrong += " (change " + std::to_string(i + 1) + ")";
    }
    return result;
}

} // namespace

Kind certificates() {
    return {"certificate",
            "what the checker of certificates accepts is true of all inputs, and it accepts what is made",
            drawn_certificate, compared_certificate};
}

} // namespace discern::claims
