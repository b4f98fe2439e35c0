// `suite --space SPACE --store FILE` of a file in which a bit has changed since it was written, as disks and memory
// change them: the answer may be refused, and it may be the right one; a wrong one it must never be.
//
// Most bits make nothing that can be read, or something that no question asks for. Half of the flips therefore make the
// limits in the file those of another question, which is asked then.
#include "claims/ask.hpp"
#include "claims/classes.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/limits.hpp"
#include "claims/members.hpp"

#include "folder.hpp"

#include <fmt/format.h>

#include <optional>

namespace discern::claims {

namespace {

constexpr int flips = 30; ///< of a store

/// Limits of the exponents of one operand, as a command and a file have them: "a:-1..2".
std::string draw_range(Random& random, const Unit& unit) {
    const bool is_c = unit.c && random.one_in(2);
    const Format& f = format(is_c ? *unit.c : unit.a);
    const int low = random.between(f.emin() - 1, f.emax()), high = low + random.below(6);
    return fmt::format("{}:{}..{}", is_c ? "c" : "a", low, high);
}

Case drawn_store(Random& random) {
    Case asked;
    asked.units = {draw_space(random, any_of(random, std::vector{10, 12}), 4)};
    asked.texts["range"] = draw_range(random, asked.units.front().unit);
    asked.texts["seed"] = std::to_string(random.below(1000000));
    return asked;
}

struct Flip {
    std::size_t at;
    int bit;
    std::string range; ///< which is asked for then
};

/// A bit of any byte, of which those that are zero are left out as a rule: much of such a file is empty.
Flip any_bit(Random& random, const std::string& bytes, const std::string& range) {
    const auto any = [&] { return static_cast<std::size_t>(random.below(static_cast<int>(bytes.size()))); };
    std::size_t at = any();
    if (!random.one_in(8))
        while (bytes[at] == 0) at = any();
    return {at, random.below(8), range};
}

/// A bit of a digit of the range where it stands in the file, which makes another range of it.
std::optional<Flip> bit_of_range(Random& random, const std::string& bytes, const std::string& range) {
    std::vector<std::size_t> places;
    for (std::size_t at = bytes.find(range); at != std::string::npos; at = bytes.find(range, at + 1))
        places.push_back(at);
    if (places.empty()) return std::nullopt;
    for (int tries = 0; tries < 20; ++tries) {
        const auto at = static_cast<std::size_t>(random.between(2, static_cast<int>(range.size()) - 1));
        const int bit = random.below(4);
        std::string other = range;
        other[at] = static_cast<char>(other[at] ^ (1 << bit));
        const int low = std::atoi(other.c_str() + 2), high = std::atoi(other.c_str() + other.find("..") + 2);
        const bool is_range = other == fmt::format("{}:{}..{}", other[0], low, high) && low <= high;
        if (is_range) return Flip{any_of(random, places) + at, bit, other};
    }
    return std::nullopt;
}

Compared compared_store(const Case& asked) {
    const std::string space = asked.units.front().text();
    const std::vector<Member> units = members_of(space);
    Compared result;
    if (units.size() < 2) return result; // a space that was made smaller
    const Unit& unit = units.front().unit;
    const AllInputs inputs(unit, 12);
    const testing::Folder folder;
    const auto words_for = [&](const std::string& file, const std::string& range) {
        return std::vector<std::string>{"suite", "--space", space,       "--store", folder.path(file), "--range",
                                        range,   "--json",  "--timeout", "2",       "--question",      "0.5"};
    };
    const auto within = [&](const std::string& range) {
        const ReadLimits limits(std::vector<std::string>{"--range " + range});
        return inputs.within([=, &unit](const Inputs& x) { return limits.pass(unit, x); });
    };
    const std::string range = asked.texts.at("range");
    if (!ReadLimits({"--range " + range}).empty_operand(unit).empty()) return result; // refused
    compare_classes(ask(words_for("store", range)).json(), units, within(range), result);
    const std::string whole = testing::read_file(folder.path("store"));
    Random random(std::stoull(asked.texts.at("seed")));
    for (int i = 0; i < flips && result.wrong.empty(); ++i) {
        const auto of_range = random.one_in(2) ? bit_of_range(random, whole, range) : std::nullopt;
        const Flip flip = of_range.value_or(any_bit(random, whole, range));
        std::string flipped = whole;
        flipped[flip.at] = static_cast<char>(flipped[flip.at] ^ (1 << flip.bit));
        const std::string file = "flipped" + std::to_string(i);
        folder.file(file, flipped);
        const Answer answer = ask(words_for(file, flip.range));
        if (answer.status == 2 && !answer.err.empty()) { // refused
            ++result.claims;
            continue;
        }
        compare_classes(answer.json(), units, within(flip.range), result);
        if (result.wrong.empty()) continue;
        result.wrong = fmt::format("with bit {} of byte {} of the store flipped: {}", flip.bit, flip.at, result.wrong);
        result.command =
            command_line(words_for("FILE", range)) + ", the flip, and " + command_line(words_for("FILE", flip.range));
    }
    return result;
}

} // namespace

Kind damaged_stores() {
    return {"store", "what a store with a flipped bit answers (suite --store), or that it is refused: all inputs",
            drawn_store, compared_store};
}

} // namespace discern::claims
