#include "published_set.hpp"

#include "models/hex.hpp"
#include "models/unit/texts.hpp"
#include "number.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

namespace {

using vector_lines::Place;

/// What the names of their files call our formats.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> their_names = {
    {{"f16", "fp16"}, {"bf16", "bf16"}, {"tf32", "tf32"}, {"e4m3", "E4M3"}, {"e5m2", "E5M2"}, {"f32", "fp32"}}};

std::string their_name(std::string_view format) {
    return std::string(std::ranges::find(their_names, format, &decltype(their_names)::value_type::first)->second);
}

/// A word of binary32, of eight hexadecimal or 32 binary digits; nothing if it is neither.
std::optional<std::uint32_t> word_of(std::string_view text) {
    const auto is_bit = [](char c) { return c == '0' || c == '1'; };
    if (text.size() == 32 && std::ranges::all_of(text, is_bit)) {
        std::uint32_t bits = 0;
        for (const char c : text) bits = bits << 1 | static_cast<std::uint32_t>(c - '0');
        return bits;
    }
    if (text.size() != 8) return std::nullopt;
    const auto bits = parse_pattern(format(FormatId::f32), text);
    return bits ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
}

std::uint64_t pattern(const Format& to, std::string_view text, NumberRounding rounding, const Place& place) {
    const auto word = word_of(text);
    if (!word) place.fail(excerpt(text), " is no word of binary32, which has 8 hexadecimal or 32 binary digits");
    if (to.id == FormatId::f32) return *word;
    const auto value = static_cast<double>(std::bit_cast<float>(*word));
    if (std::isnan(value)) return quiet_nan(to);
    try {
        return number_pattern(to, value, rounding).bits;
    } catch (const Error& error) {
        place.fail(excerpt(text), ", ", error.what());
    }
}

/// The next line that is not blank, in words; nothing at the end of the file.
std::optional<std::vector<std::string_view>> next_words(vector_lines::LineReader& lines) {
    for (std::string_view line; lines.next(line);)
        if (auto words = texts::words(line, " \t"); !words.empty()) return words;
    return std::nullopt;
}

} // namespace

std::array<std::string, 4> published_files(const MeasuredSet& set) {
    const std::string gpu(set.gpu), input = their_name(set.input), folder = gpu + "/" + input + "/";
    return {folder + "a_" + gpu + "_" + input + ".txt", folder + "b_" + gpu + "_" + input + ".txt",
            folder + "c_" + gpu + "_fp32.txt", folder + "d_" + gpu + "_" + their_name(set.output) + ".txt"};
}

PublishedSet::PublishedSet(const MeasuredSet& set, const Shape& shape, const std::array<File, 4>& files)
    : shape_(shape),
      from_zero_(set.unit.find("/wgmma.") != std::string_view::npos), lines_{{{files[0].in, files[0].name},
                                                                              {files[1].in, files[1].name},
                                                                              {files[2].in, files[2].name},
                                                                              {files[3].in, files[3].name}}} {}

bool PublishedSet::next(Vector& vector) {
    using vector_lines::Field;
    constexpr std::array<Field, 4> fields = {Field::a, Field::b, Field::c, Field::d};
    vector_lines::clear(vector);
    std::size_t ended = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const auto words = next_words(lines_[f]);
        const Place& place = lines_[f].place();
        if (!words) {
            ++ended;
            continue;
        }
        if (ended > 0) place.fail("the file has more lines than that of a, b or c");
        const auto count = static_cast<std::size_t>(vector_lines::count_of(shape_, fields[f]));
        if (words->size() != count)
            place.fail("the line has ", counted(words->size(), "word"), "; a vector of the set has ", count, " of ",
                       vector_lines::name(fields[f]));
        const Format& to = vector_lines::format_of(shape_, fields[f]);
        const NumberRounding rounding = fields[f] == Field::c ? NumberRounding(Rounding::rne) : std::nullopt;
        for (const std::string_view word : *words) {
            const std::uint64_t bits = pattern(to, word, rounding, place);
            vector_lines::put(vector, fields[f], fields[f] == Field::c && from_zero_ ? 0 : bits);
        }
    }
    if (ended > 0 && ended < fields.size()) lines_.back().place().fail("the file ends before that of a, b or c");
    return ended == 0;
}

} // namespace discern
