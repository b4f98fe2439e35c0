// The table of bounds, its words in the environment, and readers that stop at them. They read piece by piece, so that
// what is refused has not been kept first.
#include "models/bounds.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace discern {

namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20, GiB = MiB << 10;

constexpr std::array<BoundRow, 4> bound_rows = {{
    {Bounded::line, "line", 16 * MiB, "a line"},
    {Bounded::text, "text", 1 * GiB, "a text"},
    {Bounded::arrays, "arrays", 1 * GiB, "compressed arrays, beyond the size of their file,"},
    {Bounded::output, "output", 256 * MiB, "what a program wrote"},
}};

const BoundRow& row_of(Bounded what) { return bound_rows[static_cast<std::size_t>(what)]; }

/// "64M": bytes, or as many KiB, MiB or GiB.
std::uint64_t size_from(std::string_view text) {
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    constexpr std::string_view suffixes = "KMG";
    const std::size_t at = suffix.empty() ? 0 : suffixes.find(suffix) + 1;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (error != std::errc{} || suffix.size() > 1 || (at == 0 && !suffix.empty()) || size == 0 ||
        size > most >> 10 * at)
        throw Error("DISCERN_BOUNDS: " + excerpt(text) + " is no size; bytes are, or 64K, 64M or 64G");
    return size << 10 * at;
}

std::string size_text(std::uint64_t bytes) {
    if (bytes % GiB == 0) return sentence(bytes / GiB, " GiB");
    return bytes % MiB == 0 ? sentence(bytes / MiB, " MiB") : sentence(bytes, " bytes");
}

} // namespace

std::span<const BoundRow> bounds() { return bound_rows; }

std::uint64_t most_of(Bounded what) {
    std::uint64_t most = row_of(what).most;
    const char* const set = std::getenv("DISCERN_BOUNDS");
    std::string_view rest = set == nullptr ? "" : set;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        const std::string_view name = word.substr(0, word.find('='));
        const auto* const found = std::ranges::find(bound_rows, name, &BoundRow::name);
        if (found == bound_rows.end() || name.size() == word.size())
            throw Error("DISCERN_BOUNDS: " + excerpt(word) +
                        " is no bound; line=, text=, arrays= and output= with a size are, as in line=64M");
        const std::uint64_t size = size_from(word.substr(name.size() + 1));
        if (found->what == what) most = size;
    }
    return most;
}

std::string too_much(Bounded what) {
    const std::uint64_t most = most_of(what), double_mib = std::max<std::uint64_t>(2 * most / MiB, 1);
    return sentence("more than ", size_text(most), " in ", row_of(what).sentence,
                    " are not read; DISCERN_BOUNDS=", row_of(what).name, "=", double_mib,
                    "M in the environment allows more");
}

bool next_line(std::istream& in, std::string& line, const std::string& place) {
    line.clear();
    std::array<char, 1 << 14> piece;
    while (true) {
        in.getline(piece.data(), piece.size());
        const auto count = static_cast<std::size_t>(in.gcount());
        const bool at_end = in.eof(), goes_on = in.fail() && !at_end && count == piece.size() - 1;
        if (in.bad() || (at_end && count == 0 && line.empty()) || (in.fail() && !at_end && !goes_on)) return false;
        const std::size_t size = goes_on || at_end ? count : count - 1; // the line end is counted, but not stored
        if (std::memchr(piece.data(), 0, size) != nullptr)
            throw Error(place + "the line has a zero byte; text has none");
        line.append(piece.data(), size);
        if (goes_on && line.size() > most_of(Bounded::line)) throw Error(place + too_much(Bounded::line));
        in.clear(at_end ? std::ios::eofbit : std::ios::goodbit);
        if (!goes_on) return true;
    }
}

std::string whole_text(std::istream& in, const std::string& name) {
    std::string text;
    std::array<char, 1 << 14> piece;
    const std::uint64_t most = most_of(Bounded::text);
    while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
        const auto count = static_cast<std::size_t>(in.gcount());
        if (std::memchr(piece.data(), 0, count) != nullptr) throw Error(name + " has a zero byte; text has none");
        text.append(piece.data(), count);
        if (text.size() > most) throw Error(name + ": " + too_much(Bounded::text));
    }
    return text;
}

} // namespace discern
