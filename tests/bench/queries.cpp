// Answers the published queries (published_queries.hpp) and prints verdicts, times and witnesses. Exit status: 0 if
// every verdict is the expected one, 1 if not, 2 for trouble.
#include "ask.hpp"
#include "programs.hpp"
#include "published_queries.hpp"

#include "models/catalogue.hpp"
#include "models/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace discern::bench {

namespace {

constexpr std::string_view footnote =
    "published: Z3 4.8.9 and cvc5 1.0.2 on an AMD EPYC 7502P (the paper's Table 4), for the formula of that row.\n"
    "These times do not compare programs: the 6 hours were as much the solvers' vintage and the floating-point theory "
    "of\n"
    "the formulas as the question, and here most differences are found by random vectors aimed at such questions.\n";

struct Totals {
    double seconds = 0, slowest_difference = 0;
    std::size_t rows = 0, missed = 0, disagreements = 0, cross_checked = 0;
};

void print(const Expectation& row, const Asked& asked, std::ostream& out) {
    const Answer& answer = asked.answer;
    const bool missed = answer.verdict != row.expected;
    out << fmt::format("{:<11} {:>8.3f} s  {:<16} {}\n", name(answer.verdict), answer.seconds, asked.by(), row.claim);
    if (missed) out << fmt::format("    MISSED: expected {}\n", name(row.expected));
    out << fmt::format("    1: {}\n    2: {}\n", asked.first, asked.second);
    if (!answer.witnesses.empty())
        out << fmt::format("    {}\n", described(shape_of(resolve_unit(asked.first)), answer.witnesses.front()));
    if (!row.published.empty()) out << fmt::format("    published: {}\n", row.published);
    if (asked.cross)
        out << fmt::format("    {}: {} in {:.3f} s{}\n", asked.cross->by, name(asked.cross->verdict),
                           asked.cross->seconds, asked.disagreement() ? "  DISAGREEMENT" : "");
}

int answer_queries(const AskOptions& options) {
    Totals totals;
    std::string_view topic;
    for (const Expectation& row : published_queries) {
        const Asked asked = ask(row.first(), row.second(), options);
        ++totals.rows;
        totals.seconds += asked.answer.seconds;
        if (row.expected == Verdict::different)
            totals.slowest_difference = std::max(totals.slowest_difference, asked.answer.seconds);
        totals.missed += asked.answer.verdict != row.expected;
        totals.disagreements += asked.disagreement();
        totals.cross_checked += asked.cross && asked.cross->verdict != Verdict::unknown;
        if (options.json) {
            cli::Json object = {{"topic", row.topic}, {"claim", row.claim}, {"expected", name(row.expected)}};
            put(object, asked);
            std::cout << cli::to_text(object) << '\n';
        } else {
            if (row.topic != topic) std::cout << fmt::format("\n{}\n", row.topic);
            print(row, asked, std::cout);
        }
        std::cout.flush();
        topic = row.topic;
    }
    if (!options.json) {
        std::cout << fmt::format("\n{} questions in {:.1f} s, the slowest difference in {:.2f} s, {} missed\n",
                                 totals.rows, totals.seconds, totals.slowest_difference, totals.missed);
        if (!options.cross_check.empty())
            std::cout << fmt::format("{} answers by {}, {} disagreements\n", totals.cross_checked, options.cross_check,
                                     totals.disagreements);
        std::cout << footnote;
    }
    return totals.missed + totals.disagreements == 0 ? 0 : 1;
}

} // namespace

int run_queries(int count, char** words) {
    AskOptions options;
    options.solving.timeout = 30;
    CLI::App line("Answers the published queries about tensor cores", "queries");
    add_options(line, options);
    return run_program(count, words, line, [&] { return answer_queries(options); });
}

} // namespace discern::bench
