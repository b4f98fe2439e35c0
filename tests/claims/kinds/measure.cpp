// `measure UNIT FILE`: how far the results in a file, and those of a unit on the same inputs, are from the exact ones,
// against errors that are computed in exact arithmetic and sorted.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/vector_file.hpp"

#include "folder.hpp"
#include "models/evaluate/exact.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace discern::claims {

namespace {

using exact::Dyadic;

Case drawn_measure(Random& random) {
    Case asked;
    Size size;
    size.large = random.one_in(2);
    size.most_bits = 64;
    do asked.units = {{draw_unit(random, size), ""}};
    while (format(asked.units.front().unit.d).is_fixed_point());
    asked.texts["vectors"] = std::to_string(random.one_in(3) ? random.between(1, 5) : random.between(5, 300));
    asked.texts["seed"] = std::to_string(random.below(1000000));
    return asked;
}

/// A finite number; nothing of others.
std::optional<Dyadic> value_of(const Format& f, std::uint64_t bits) {
    const Decoded number = decode(f, bits);
    if (number.number_class != NumberClass::finite) return std::nullopt;
    exact::Integer integer = number.significand;
    if (number.negative) integer = -integer;
    return Dyadic{integer, number.exponent - f.mantissa_bits};
}

/// The sum of all products and c; nothing if an operand is no number.
std::optional<Dyadic> exact_sum(const Unit& unit, const Inputs& x) {
    Dyadic sum;
    bool is_number = true;
    const auto of = [&](FormatId id, std::uint64_t bits) {
        const auto value = value_of(format(id), bits);
        is_number = is_number && value;
        return value.value_or(Dyadic{});
    };
    for (std::size_t k = 0; k < x.a.size(); ++k) {
        Dyadic product = of(unit.a, x.a[k]) * of(unit.b, x.b[k]);
        if (unit.scale) {
            const std::size_t s = k / static_cast<std::size_t>(unit.scale->block);
            product = product * of(unit.scale->format, x.sa[s]) * of(unit.scale->format, x.sb[s]);
        }
        sum = sum + product;
    }
    if (unit.c) sum = sum + of(*unit.c, x.c);
    return is_number ? std::optional(sum) : std::nullopt;
}

/// To as many digits as a long double has.
long double approximately(const Dyadic& x) {
    if (x.is_zero()) return 0;
    exact::Integer size = exact::magnitude(x.integer);
    const int more = std::max(static_cast<int>(msb(size)) - 63, 0);
    size >>= more;
    const long double value = std::ldexp(static_cast<long double>(static_cast<std::uint64_t>(size)), x.scale + more);
    return x.is_negative() ? -value : value;
}

Dyadic minus(const Dyadic& x, const Dyadic& y) { return x + Dyadic{exact::Integer(-y.integer), y.scale}; }

/// Signed errors, and what is counted beside them.
struct ExactErrors {
    std::vector<long double> ulp, relative, absolute, from_correct;
    int special = 0, correct = 0, from_zero = 0;

    void add(const Format& d, const std::optional<Dyadic>& sum, std::uint64_t bits) {
        const auto result = value_of(d, bits);
        if (!sum || !result) return void(++special);
        const int exponent = sum->is_zero() ? d.emin() : std::max(exact::log2_floor(*sum), d.emin());
        const int place = exponent - d.mantissa_bits;
        const Dyadic nearest = exact::rounded(*sum, place, Rounding::rne);
        const Dyadic largest{exact::Integer(d.max_significand()), d.emax() - d.mantissa_bits};
        const Dyadic room = minus(largest, {exact::magnitude(nearest.integer), nearest.scale});
        if (room.is_negative()) return void(++special);
        const Dyadic off = minus(*result, nearest), error = minus(*result, *sum);
        if (off.is_zero())
            ++correct;
        else if (!nearest.is_zero())
            from_correct.push_back(std::fabs(approximately(off) / approximately(nearest)));
        ulp.push_back(approximately({error.integer, error.scale - place}));
        absolute.push_back(approximately(error));
        if (sum->is_zero())
            ++from_zero;
        else
            relative.push_back(approximately(error) / std::fabs(approximately(*sum)));
    }
};

constexpr long double printed = 2e-5L; ///< of the size of what is printed: six digits, and sums of some hundred doubles

struct Summary {
    long double mean = 0, bias = 0, max = 0;
    std::vector<long double> sorted; ///< by size

    explicit Summary(const std::vector<long double>& errors) {
        for (const long double error : errors) {
            sorted.push_back(std::fabs(error));
            mean += std::fabs(error);
            bias += error;
        }
        if (errors.empty()) return;
        std::sort(sorted.begin(), sorted.end());
        mean /= static_cast<long double>(errors.size());
        bias /= static_cast<long double>(errors.size());
        max = sorted.back();
    }
    /// The least number that at least this share of all is no larger than.
    long double quantile(long double share) const {
        if (sorted.empty()) return 0;
        const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<long double>(sorted.size()) - 1e-9L));
        return sorted[std::max<std::size_t>(at, 1) - 1];
    }
};

/// What is wrong with one row of what is said, or "".
std::string wrong_row(const nlohmann::json& said, const Summary& truth, const std::string& name) {
    const auto differs = [&](const std::string& key, long double right, long double size) {
        const auto value = said.at(key).get<double>();
        return std::fabs(value - right) <= printed * size
                   ? ""
                   : fmt::format("{} {} is said to be {}, and is {}", name, key, value, static_cast<double>(right));
    };
    for (std::string wrong :
         {std::string(differs("mean", truth.mean, truth.mean)), std::string(differs("max", truth.max, truth.max)),
          std::string(differs("bias", truth.bias, truth.mean))})
        if (!wrong.empty()) return wrong;
    if (!said.contains("quantiles")) return "";
    for (const auto& [share, value] : said.at("quantiles").items()) {
        // At most 1/128 of itself too small, and never too large.
        const long double right = truth.quantile(std::stold(share)), shown = value.get<double>();
        if (shown > right * (1 + printed) || shown < right * (127.0L / 128 - printed))
            return fmt::format("{} {} of all is said to be at most {}, and is {}", name, share,
                               static_cast<double>(shown), static_cast<double>(right));
    }
    return "";
}

std::string wrong_unit(const nlohmann::json& said, const ExactErrors& truth) {
    const auto counts = [&](const nlohmann::json& value, int right, const std::string& name) {
        return value == right ? "" : fmt::format("{}: {} is said, and {} is right", name, value.dump(), right);
    };
    std::vector<std::string> all = {
        counts(said.at("special"), truth.special, "special"),
        counts(said.at("correct"), truth.correct, "correctly rounded"),
        counts(said.at("relative").at("without"), truth.from_zero, "without a relative error"),
        wrong_row(said.at("ulp"), Summary(truth.ulp), "ulp"),
        wrong_row(said.at("relative"), Summary(truth.relative), "relative"),
    };
    const Summary absolute(truth.absolute);
    nlohmann::json absolute_said = said.at("absolute");
    absolute_said["max"] = static_cast<double>(absolute.max); // which is not said
    all.push_back(wrong_row(absolute_said, absolute, "absolute"));
    const auto largest = said.at("from_correct").at("relative").value("max", 0.0);
    const long double right = Summary(truth.from_correct).max;
    if (std::fabs(largest - right) > printed * right)
        all.push_back(fmt::format("the distance to the correctly rounded result is said to be at most {}, and is {}",
                                  largest, static_cast<double>(right)));
    for (std::string& wrong : all)
        if (!wrong.empty()) return std::move(wrong);
    return "";
}

Compared compared_measure(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const Format& d = format(unit.d);
    Random random(std::stoull(asked.texts.at("seed")));
    ExactErrors of_unit, of_file;
    const std::string vectors = vector_file(unit, std::stoull(asked.texts.at("vectors")), random, [&](const Inputs& x) {
        std::uint64_t bits = evaluate_exactly(unit, x);
        const auto sum = exact_sum(unit, x);
        of_unit.add(d, sum, bits);
        // The results of the file are other numbers, mostly near.
        if (random.one_in(3)) bits = (bits + static_cast<std::uint64_t>(random.between(-3, 3))) & d.mask();
        if (d.padding_bits > 0) bits = bits >> d.padding_bits << d.padding_bits;
        of_file.add(d, sum, bits);
        return bits;
    });
    const testing::Folder folder;
    const std::string file = folder.file("vectors.jsonl", vectors);
    Compared result;
    const std::vector<std::string> words = {"measure", asked.units.front().text(), file, "--json"};
    result.command = command_line(words) + "   # with these vectors:\n" + vectors.substr(0, 2000);
    const Answer answer = ask(words);
    if (answer.status == 2 && answer.err.find("are not counted") != std::string::npos) return result;
    const nlohmann::json said = answer.json();
    for (const nlohmann::json& one : said.at("families").at(0).at("units")) {
        const bool is_file = one.at("unit").get<std::string>().starts_with("d of ");
        ++result.claims;
        if (result.wrong.empty()) result.wrong = wrong_unit(one, is_file ? of_file : of_unit);
    }
    return result;
}

} // namespace

Kind measured_errors() {
    return {"measure", "errors of results, their quantiles and means (measure), against exact fractions", drawn_measure,
            compared_measure, [](const Case& asked) { return with_fewer(asked, "vectors"); }};
}

} // namespace discern::claims
