#include "ask.hpp"

#include "cli/options/values.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/shape.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <iostream>

namespace discern::bench {

namespace {

/// "a = 3c00 0000 (1 0)"
std::string operand(std::string_view label, FormatId id, std::span<const std::uint64_t> patterns) {
    const Format& f = format(id);
    std::string bits, numbers;
    for (const std::uint64_t pattern : patterns) {
        bits += (bits.empty() ? "" : " ") + to_hex(f, pattern);
        numbers += (numbers.empty() ? "" : " ") + cli::decimal(f, pattern);
    }
    return fmt::format("{} = {} ({})", label, bits, numbers);
}

bool read_number(const std::string& text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

void put_verdict(cli::Json& object, const Answer& answer, const std::string& by) {
    object["verdict"] = name(answer.verdict);
    object["by"] = by;
    object["seconds"] = cli::number(answer.seconds, "{:.4f}");
}

} // namespace

void add_options(CLI::App& line, AskOptions& options) {
    line.add_option("--solver", options.solving.solver, "who answers: portfolio, random, or one back-end alone")
        ->capture_default_str();
    line.add_option("--timeout", options.solving.timeout, "seconds for one question")
        ->capture_default_str()
        ->check([](const std::string& text) {
            double seconds = -1;
            const bool good = read_number(text, seconds) && std::isfinite(seconds) && seconds >= 0;
            return good ? std::string() : "must be a number of seconds, 0 or more, not " + text;
        });
    line.add_option("--seed", options.solving.seed, "of the random vectors and of the solvers")->capture_default_str();
    line.add_option("--cross-check", options.cross_check,
                    "a second solver, asked again wherever a solver and not random search gave the answer");
    line.add_flag("--json", options.json, "one JSON object a question, one a line");
}

std::string Asked::by() const { return answer.same_tree ? "same tree" : answer.by; }

bool Asked::disagreement() const {
    return cross && cross->verdict != Verdict::unknown && answer.verdict != Verdict::unknown &&
           cross->verdict != answer.verdict;
}

Asked ask(const std::string& first, const std::string& second, const AskOptions& options) {
    const Unit one = resolve_unit(first), two = resolve_unit(second);
    Asked asked{first, second, discriminate(one, two, options.solving), {}};
    if (!options.cross_check.empty() && !asked.answer.same_tree && asked.answer.by != "random") {
        DiscriminateOptions again = options.solving;
        again.solver = options.cross_check;
        asked.cross = discriminate(one, two, again);
    }
    return asked;
}

std::string described(const Shape& shape, const Vector& vector) {
    std::string text = operand("a", shape.a, vector.a) + "  " + operand("b", shape.b, vector.b);
    if (shape.scale) {
        text += "  " + operand("sa", shape.scale->format, vector.sa);
        text += "  " + operand("sb", shape.scale->format, vector.sb);
    }
    if (shape.c && vector.c) text += "  " + operand("c", *shape.c, std::span(&*vector.c, 1));
    for (std::size_t i = 0; i < vector.d.size(); ++i)
        text += "  " + operand(fmt::format("d{}", i + 1), shape.d, std::span(&vector.d[i], 1));
    return text;
}

void put(cli::Json& object, const Asked& asked) {
    object["units"] = {asked.first, asked.second};
    put_verdict(object, asked.answer, asked.by());
    object["stages"] = cli::list_of(asked.answer.stages, [](const Stage& stage) {
        return cli::Json{
            {"name", stage.name}, {"outcome", stage.outcome}, {"seconds", cli::number(stage.seconds, "{:.4f}")}};
    });
    if (!asked.answer.witnesses.empty())
        object["vector"] = cli::json_of(shape_of(resolve_unit(asked.first)), asked.answer.witnesses.front());
    if (asked.cross) put_verdict(object["cross_check"], *asked.cross, asked.cross->by);
}

int run_program(int count, char** words, CLI::App& line, const std::function<int()>& work) {
    try {
        line.parse(count, words);
    } catch (const CLI::ParseError& error) {
        return line.exit(error) == 0 ? 0 : 2;
    }
    try {
        return work();
    } catch (const Error& error) {
        std::cerr << line.get_name() << ": " << error.what() << '\n';
    } catch (const std::exception& error) {
        std::cerr << line.get_name() << ": internal error: " << error.what() << '\n';
    }
    return 2;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

} // namespace discern::bench
