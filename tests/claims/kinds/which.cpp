// `which FILE --space SPACE` and `audit FILE --space SPACE`: which members explain some vectors, and which of them the
// vectors cannot tell apart.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"
#include "claims/vector_file.hpp"

#include "folder.hpp"

#include <algorithm>
#include <set>

namespace discern::claims {

namespace {

Case drawn_which(Random& random) {
    Case asked;
    const WrittenUnit space = draw_space(random, any_of(random, small_and_large), 24);
    const std::vector<Member> units = members_of(space.text());
    const Unit target = random.one_in(6) ? draw_variant(random, space.unit) : any_of(random, units).unit;
    asked.units = {space, {target, ""}};
    asked.texts["vectors"] = std::to_string(random.one_in(3) ? random.between(1, 5) : random.between(5, 200));
    asked.texts["seed"] = std::to_string(random.below(1000000));
    return asked;
}

/// Inputs from all families, with what the target gives, as a file of vectors.
std::string vectors_of(const Case& asked, std::vector<InputBuffer>& all) {
    const Unit& target = asked.units[1].unit;
    Random random(std::stoull(asked.texts.at("seed")));
    return vector_file(target, std::stoull(asked.texts.at("vectors")), random, [&](const Inputs& x) {
        all.push_back(copy_of(x));
        return evaluate_exactly(target, x);
    });
}

Compared compared_which(const Case& asked) {
    const std::string space = asked.units[0].text();
    const Unit& target = asked.units[1].unit;
    std::vector<InputBuffer> vectors;
    const testing::Folder folder;
    const std::string file = folder.file("vectors.jsonl", vectors_of(asked, vectors));
    Compared result;
    std::vector<std::string> words = {"which", file, "--space", space, "--json"};
    result.command = command_line(words) + "   # with these vectors:\n" + testing::read_file(file).substr(0, 2000);
    const std::vector<Member> units = members_of(space);
    const MemberIndex index(units);
    const nlohmann::json said = ask(words).json();
    std::set<std::string> named;
    const AllInputs inputs(target, 12, std::vector{target});
    const Results results(units, inputs);
    for (const auto& one : said.at("consistent")) {
        std::vector<std::size_t> members;
        for (const auto& text : one) {
            named.insert(text.get<std::string>());
            if (index.contains(text)) members.push_back(index(text)); // others are of the catalogue
        }
        const std::string wrong = results.difference_within(members);
        if (!wrong.empty()) result.wrong = "named as one unit; but " + wrong;
    }
    for (const Member& member : units) {
        ++result.claims;
        const auto refutes = [&](const InputBuffer& x) {
            const std::uint64_t d = evaluate_exactly(target, x.inputs());
            return !same_result(member.unit, evaluate_exactly(member.unit, x.inputs()), d);
        };
        const bool explains = std::none_of(vectors.begin(), vectors.end(), refutes);
        if (explains != named.contains(member.text))
            result.wrong =
                (explains ? "left out, although it explains all vectors: " : "named, although a vector refutes it: ") +
                member.text;
    }
    return result;
}

} // namespace

Kind consistent_units() {
    return {"which", "which members of a space explain vectors (which), against the exact oracle", drawn_which,
            compared_which};
}

} // namespace discern::claims
