#include "one_vector.hpp"

#include "files.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/import/table.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::array<std::pair<const char*, std::string OneVector::*>, 5> parts = {{{"--a", &OneVector::a},
                                                                                    {"--b", &OneVector::b},
                                                                                    {"--sa", &OneVector::sa},
                                                                                    {"--sb", &OneVector::sb},
                                                                                    {"--c", &OneVector::c}}};

/// The patterns of one option after the other.
struct Reader {
    bool numbers;
    NumberRounding rounding;
    std::uint64_t rounded = 0; ///< numbers that their format does not have

    std::vector<std::uint64_t> patterns(const std::string& option, const std::string& text, const Format& format,
                                        std::size_t count) {
        static constexpr std::string_view separators = ", ";
        std::vector<std::uint64_t> list;
        for (std::size_t begin = text.find_first_not_of(separators); begin != std::string::npos;) {
            const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
            const std::string_view word = std::string_view(text).substr(begin, end - begin);
            list.push_back(numbers ? number(option, word, format, list.size() + 1)
                                   : pattern(option, word, format, list.size() + 1));
            begin = text.find_first_not_of(separators, end);
        }
        if (list.size() == count) return list;
        if (count == 0) throw Error(option + " was given, but the unit has no such input");
        throw Error(sentence(option, list.empty() ? " is missing" : sentence(" has ", counted(list.size(), "pattern")),
                             "; there must be ", counted(count, "pattern"), " of ", format.name,
                             ", separated by commas"));
    }

    std::uint64_t number(const std::string& option, std::string_view word, const Format& format, std::size_t at) {
        try {
            const NumberPattern number =
                number_pattern(format, word, option.starts_with("--s") ? std::nullopt : rounding);
            rounded += number.exact ? 0 : 1;
            return number.bits;
        } catch (const Error& error) {
            throw Error(sentence(option, ": number ", at, ": ", error.what()));
        }
    }
    static std::uint64_t pattern(const std::string& option, std::string_view word, const Format& format,
                                 std::size_t at) {
        if (const auto bits = parse_pattern(format, word)) return *bits;
        throw Error(sentence(option, ": pattern ", at, ": ", pattern_complaint(format, word)));
    }
};

} // namespace

std::string as_options(const Shape& shape, const Vector& vector) {
    std::string text;
    const auto add = [&](std::string_view name, const Format& f, std::span<const std::uint64_t> patterns) {
        if (patterns.empty()) return;
        text += sentence(text.empty() ? "" : " ", name, " ");
        for (std::size_t i = 0; i < patterns.size(); ++i) text += (i == 0 ? "" : ",") + to_hex(f, patterns[i]);
    };
    add("--a", format(shape.a), vector.a);
    add("--b", format(shape.b), vector.b);
    if (shape.scale) {
        add("--sa", format(shape.scale->format), vector.sa);
        add("--sb", format(shape.scale->format), vector.sb);
    }
    if (shape.c && vector.c) add("--c", format(*shape.c), std::span(&*vector.c, 1));
    return text;
}

std::string shown_inputs(const Shape& shape, const Vector& vector) {
    constexpr std::size_t most = 64;
    if (vector.a.size() <= most) return as_options(shape, vector);
    return fmt::format("a vector of {} products, which --json has,", vector.a.size());
}

void OneVector::add_to(CommandLine& line, std::optional<Option> file, DataOptions& data) {
    line.add_shared("--numbers", data.numbers, "of FILE, if it is a table, or of the options below");
    line.add_shared("--round", data.round);
    for (const auto& [name, value] : parts) {
        const bool is_scale = std::string_view(name).starts_with("--s"); // gemm has those for matrices
        Option option = is_scale ? line.add_option(name, this->*value, "of the scales, the same").type_name("LIST")
                                 : line.add_shared(name, this->*value);
        if (file) option.excludes(*file);
    }
}

bool OneVector::is_given(const CommandLine& line) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return line.was_given(part.first); });
}

Vector OneVector::vector(const Shape& shape, const DataOptions& data, const Streams& io) const {
    const Format& scale = format(shape.scale ? shape.scale->format : FormatId::e8m0);
    const auto K = static_cast<std::size_t>(shape.K), scales = static_cast<std::size_t>(shape.scales());
    Reader list{data.numbers, number_rounding_from(data.round)};
    Vector vector;
    vector.a = list.patterns("--a", a, format(shape.a), K);
    vector.b = list.patterns("--b", b, format(shape.b), K);
    vector.sa = list.patterns("--sa", sa, scale, scales);
    vector.sb = list.patterns("--sb", sb, scale, scales);
    const auto last = list.patterns("--c", c, format(shape.c.value_or(shape.d)), shape.c ? 1 : 0);
    if (!last.empty()) vector.c = last.front();
    report_rounded(list.rounded, data.round, io);
    return vector;
}

} // namespace discern::cli
