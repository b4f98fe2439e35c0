// `suite --space SPACE --store FILE` of a file in which a bit has changed since it was written, as disks and memory
// change them: the answer may be refused, and it may be the one of before; a wrong one it must never be.
#include "claims/ask.hpp"
#include "claims/classes.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"

#include "folder.hpp"

namespace discern::claims {

namespace {

constexpr int flips = 100; ///< of a store

Case drawn_store(Random& random) {
    Case asked;
    // Of units with few inputs: what random vectors find is in the store too, and is read there in place of them.
    asked.units = {draw_space(random, any_of(random, std::vector{10, 12}), 12)};
    asked.texts["seed"] = std::to_string(random.below(1000000));
    return asked;
}

/// One bit of a digit, mostly, which then is another digit, so that what stands there can still be read; or one of any
/// byte, of which those that are zero are left out as a rule: much of such a file is empty.
std::string with_a_flipped_bit(Random& random, std::string bytes) {
    const auto any = [&] { return static_cast<std::size_t>(random.below(static_cast<int>(bytes.size()))); };
    const auto is_digit = [&](std::size_t at) { return bytes[at] >= '0' && bytes[at] <= '9'; };
    const int aim = random.below(8);
    std::size_t at = any();
    while (aim < 6 ? !is_digit(at) : aim == 6 && bytes[at] == 0) at = any();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(aim < 6 ? 3 : 8)));
    return bytes;
}

Compared compared_store(const Case& asked) {
    const std::string space = asked.units.front().text();
    const std::vector<Member> units = members_of(space);
    Compared result;
    if (units.size() < 2) return result; // a space that was made smaller
    const testing::Folder folder;
    const auto words_for = [&](const std::string& file) {
        return std::vector<std::string>{"suite",  "--space",   space, "--store",    folder.path(file),
                                        "--json", "--timeout", "2",   "--question", "0.5"};
    };
    const nlohmann::json first = ask(words_for("store")).json();
    compare_classes(first, units, result);
    const std::string whole = testing::read_file(folder.path("store"));
    Random random(std::stoull(asked.texts.at("seed")));
    for (int i = 0; i < flips && result.wrong.empty(); ++i) {
        const std::string flipped = with_a_flipped_bit(random, whole), file = "flipped" + std::to_string(i);
        folder.file(file, flipped);
        const Answer answer = ask(words_for(file));
        if (answer.status == 2 && !answer.err.empty()) { // refused
            ++result.claims;
            continue;
        }
        const nlohmann::json said = answer.json();
        const bool is_as_before = said.at("classes") == first.at("classes") && said.at("pairs") == first.at("pairs") &&
                                  said.at("vectors") == first.at("vectors");
        if (is_as_before)
            ++result.claims;
        else
            compare_classes(said, units, result);
        if (result.wrong.empty()) continue;
        std::size_t at = 0;
        while (flipped[at] == whole[at]) ++at;
        result.wrong = "with byte " + std::to_string(at) + " of the store changed from " +
                       std::to_string(static_cast<unsigned char>(whole[at])) + " to " +
                       std::to_string(static_cast<unsigned char>(flipped[at])) + ": " + result.wrong;
        result.command =
            command_line({"suite", "--space", space, "--store", "FILE"}) + "   # twice, the byte changed in between";
    }
    return result;
}

} // namespace

Kind stores_with_flipped_bits() {
    return {"store", "what a store with a flipped bit answers (suite --store), or that it is refused: all inputs",
            drawn_store, compared_store};
}

} // namespace discern::claims
