// Asks about every two units of the catalogue that can be compared, about every unit with one fraction bit more, and
// about the pairs whose answer is known (expected_pairs.hpp): how many are distinguished, how many are proved
// equivalent, what is slow and what stays open. Exit status: 0 if no question stays open and every answer is the
// expected one, 1 if not, 2 for trouble.
#include "ask.hpp"
#include "catalogue_pairs.hpp"
#include "expected_pairs.hpp"
#include "programs.hpp"

#include "models/catalogue.hpp"
#include "models/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace discern::bench {

namespace {

/// A difference should be found, and a proof be done, within these times.
constexpr double found_within = 10, proved_within = 60;

struct PairOptions {
    AskOptions asking;
    std::string only;
    std::string match;
    std::size_t slowest = 10;
    bool list = false;
};

/// A pair, and what is known about it.
struct Question {
    std::string topic, first, second;
    std::optional<Verdict> expected;
};

struct AskedPair {
    Question question;
    Asked asked;

    bool unknown() const { return asked.answer.verdict == Verdict::unknown; }
    bool missed() const { return question.expected && *question.expected != asked.answer.verdict; }
    bool late() const {
        return asked.answer.seconds > (asked.answer.verdict == Verdict::different ? found_within : proved_within);
    }
};

std::vector<Question> of_catalogue() {
    std::vector<Question> pairs;
    for (const auto& [first, second] : catalogue_pairs()) pairs.push_back({"catalogue", first, second, std::nullopt});
    return pairs;
}

/// Each unit that has F against itself with one fraction bit more. All formats reach far enough to show it.
std::vector<Question> fraction_pairs() {
    std::vector<Question> pairs;
    for (const CatalogueEntry* entry : distinct_units())
        for (const auto& [key, value] : parameters(entry->unit))
            if (key == "F" && value.find_first_not_of("0123456789") == std::string::npos)
                pairs.push_back({"one more bit", entry->name,
                                 fmt::format("{}{{F={}}}", entry->name, std::stoi(value) + 1), Verdict::different});
    return pairs;
}

std::vector<Question> rows(Expectations table) {
    std::vector<Question> pairs;
    for (const Expectation& row : table)
        pairs.push_back({fmt::format("{}: {}", row.topic, row.claim), row.first(), row.second(), row.expected});
    return pairs;
}

/// The parts of the whole, by name.
struct Part {
    std::string_view name;
    std::vector<Question> (*questions)();
    bool usual; ///< asked unless another is named
};

constexpr std::array<Part, 4> parts = {{
    {"catalogue", of_catalogue, true},
    {"fractions", fraction_pairs, true},
    {"expected", [] { return rows(expected_pairs); }, true},
    {"hard", [] { return rows(hard_pairs); }, false},
}};

std::vector<Question> questions(const PairOptions& options) {
    std::vector<Question> all;
    for (const Part& part : parts) {
        if (options.only.empty() ? !part.usual : options.only != part.name) continue;
        const std::vector<Question> pairs = part.questions();
        all.insert(all.end(), pairs.begin(), pairs.end());
    }
    std::erase_if(all, [&](const Question& q) {
        return (q.topic + " " + q.first + " " + q.second).find(options.match) == std::string::npos;
    });
    return all;
}

void print(const AskedPair& result, std::ostream& out) {
    const Asked& asked = result.asked;
    out << fmt::format("{:<10} {:>8.3f} s  {:<18} {} | {}  ({})", name(asked.answer.verdict), asked.answer.seconds,
                       asked.by(), asked.first, asked.second, result.question.topic);
    if (result.missed()) out << fmt::format("  EXPECTED {}", name(*result.question.expected));
    if (asked.cross) {
        out << fmt::format("  [{} alone: {}, {:.1f} s]", asked.cross->by, name(asked.cross->verdict),
                           asked.cross->seconds);
        if (asked.disagreement()) out << "  DISAGREEMENT";
    }
    out << '\n';
}

void print_all(std::string_view title, const std::vector<const AskedPair*>& results, std::ostream& out) {
    out << fmt::format("\n{}: {}\n", title, results.empty() ? "none" : std::to_string(results.size()));
    for (const AskedPair* result : results) print(*result, out);
}

void summarise(const std::vector<AskedPair>& results, const PairOptions& options, std::ostream& out) {
    std::array<std::size_t, 3> verdicts{};
    double seconds = 0;
    std::size_t crossed = 0;
    std::vector<const AskedPair*> slowest, unknown, missed, disagree, late;
    for (const AskedPair& r : results) {
        ++verdicts[static_cast<std::size_t>(r.asked.answer.verdict)];
        seconds += r.asked.answer.seconds;
        crossed += r.asked.cross && r.asked.cross->verdict != Verdict::unknown;
        slowest.push_back(&r);
        if (r.unknown()) unknown.push_back(&r);
        if (r.missed() && !r.unknown()) missed.push_back(&r);
        if (r.asked.disagreement()) disagree.push_back(&r);
        if (r.late() && !r.unknown()) late.push_back(&r);
    }
    std::ranges::stable_sort(slowest, std::greater{}, [](const AskedPair* r) { return r->asked.answer.seconds; });
    slowest.resize(std::min(slowest.size(), options.slowest));
    out << fmt::format("\n{} pairs in {:.1f} s: {} different, {} equivalent, {} unknown\n", results.size(), seconds,
                       verdicts[0], verdicts[1], verdicts[2]);
    print_all("slowest", slowest, out);
    print_all("unknown", unknown, out);
    print_all("not as expected", missed, out);
    print_all(fmt::format("later than {} s (found) or {} s (proved)", found_within, proved_within), late, out);
    if (!options.asking.cross_check.empty())
        print_all(fmt::format("disagreements, {} answers by {}", crossed, options.asking.cross_check), disagree, out);
}

int ask_pairs(const PairOptions& options) {
    std::vector<AskedPair> results;
    bool good = true;
    for (const Question& question : questions(options)) {
        if (options.list) {
            std::cout << question.first << " | " << question.second << '\n';
            continue;
        }
        results.push_back({question, ask(question.first, question.second, options.asking)});
        const AskedPair& result = results.back();
        good = good && !result.unknown() && !result.missed() && !result.asked.disagreement();
        if (options.asking.json) {
            cli::Json object = {{"topic", question.topic}};
            put(object, result.asked);
            std::cout << cli::to_text(object) << '\n';
        } else {
            print(result, std::cout);
        }
        std::cout.flush();
    }
    if (!options.asking.json && !options.list) summarise(results, options, std::cout);
    return good ? 0 : 1;
}

} // namespace

int run_pairs(int count, char** words) {
    PairOptions options;
    options.asking.solving.timeout = 120;
    CLI::App line("Asks about all pairs of the catalogue, and about pairs whose answer is known", "pairs");
    add_options(line, options.asking);
    line.add_option("--only", options.only,
                    "one part: catalogue, fractions, expected, or hard, which is asked only if named")
        ->check(CLI::IsMember({"catalogue", "fractions", "expected", "hard"}));
    line.add_option("--match", options.match, "only pairs with this text in a unit or in the topic");
    line.add_option("--slowest", options.slowest, "how many of the slowest to list")->capture_default_str();
    line.add_flag("--list", options.list, "print the pairs and ask nothing");
    return run_program(count, words, line, [&] { return ask_pairs(options); });
}

} // namespace discern::bench
