// The campaign of claims: asks the program about random small units, for some time, and compares its answers with all
// inputs. See claim.hpp; script/claims builds and runs it.
#include "claim.hpp"
#include "kinds.hpp"
#include "pairs.hpp"
#include "shrink.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace discern::claims {
namespace {

struct Options {
    double minutes = 1;
    std::uint64_t seed = 1, from = 0, cases = UINT64_MAX;
    bool stop = false, list = false, talkative = false;
    std::vector<std::string> kinds;
};

/// What came of the cases of a kind.
struct Totals {
    const Kind* kind;
    std::uint64_t cases = 0, claims = 0, unknown = 0, wrong = 0;
    double seconds = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The same for a kind's n-th case whatever else is asked.
Random random_of(const Kind& kind, std::uint64_t seed, std::uint64_t n) {
    std::uint64_t mixed = seed * 0x9e3779b97f4a7c15ull + n;
    for (const char c : kind.name) mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return Random(mixed);
}

class Campaign {
  public:
    explicit Campaign(const Options& options) : options_(options) {
        for (const Kind& kind : kinds()) {
            const auto& wanted = options.kinds;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end()) continue;
            const std::string missing = kind.missing == nullptr ? "" : kind.missing();
            if (missing.empty())
                totals_.push_back({&kind});
            else
                std::cout << fmt::format("{}: left out: {}\n", kind.name, missing);
        }
    }

    int run() {
        const auto start = std::chrono::steady_clock::now();
        const double end = options_.minutes * 60;
        // The kind that has had the least time is next.
        bool stopped = totals_.empty();
        while (!stopped && seconds_since(start) < end) {
            Totals* next = nullptr;
            for (Totals& one : totals_)
                if (one.cases < options_.cases && (next == nullptr || one.seconds < next->seconds)) next = &one;
            if (next == nullptr) break;
            const auto began = std::chrono::steady_clock::now();
            compare_one(*next);
            next->seconds += seconds_since(began);
            stopped = options_.stop && next->wrong > 0;
        }
        return report(seconds_since(start));
    }

  private:
    void compare_one(Totals& totals) {
        const Kind& kind = *totals.kind;
        const std::uint64_t n = options_.from + totals.cases++;
        Random random = random_of(kind, options_.seed, n);
        Case asked;
        try {
            asked = kind.draw(random);
        } catch (const std::exception& error) { // of the notation, which draws units
            ++totals.claims, ++totals.wrong;
            std::cout << fmt::format("WRONG ({} --seed {} --from {} --cases 1): drawing stopped: {}\n", kind.name,
                                     options_.seed, n, error.what());
            return;
        }
        for (const WrittenUnit& unit : asked.units) pairs_.add(unit.unit);
        if (options_.talkative) {
            std::cout << fmt::format("{} {}:", kind.name, n);
            for (const WrittenUnit& unit : asked.units) std::cout << "  " << unit.text();
            for (const std::string& option : asked.options) std::cout << "  " << option;
            std::cout << std::endl;
        }
        const Compared compared = compare(kind, asked);
        totals.claims += static_cast<std::uint64_t>(compared.claims);
        if (compared.claims == 0) ++totals.unknown;
        if (compared.wrong.empty()) return;
        ++totals.wrong;
        if (totals.wrong > shown_) return;
        const Shrunk small = shrink(kind, asked, compared, 60);
        std::cout << fmt::format("WRONG ({} --seed {} --from {} --cases 1): {}\n  {}\n", kind.name, options_.seed, n,
                                 small.compared.wrong, small.compared.command)
                  << std::flush;
    }

    int report(double seconds) const {
        std::uint64_t claims = 0, wrong = 0;
        std::cout << fmt::format("{:<14} {:>9} {:>9} {:>9} {:>7} {:>9}\n", "kind", "cases", "claims", "unknown",
                                 "wrong", "seconds");
        for (const Totals& one : totals_) {
            std::cout << fmt::format("{:<14} {:>9} {:>9} {:>9} {:>7} {:>9.1f}\n", one.kind->name, one.cases, one.claims,
                                     one.unknown, one.wrong, one.seconds);
            claims += one.claims;
            wrong += one.wrong;
        }
        std::cout << pairs_.report() << "\n";
        std::cout << fmt::format("seed {}, {:.0f} s\n{} claims compared, {} wrong\n", options_.seed, seconds, claims,
                                 wrong);
        return wrong == 0 ? 0 : 1;
    }

    static constexpr std::uint64_t shown_ = 10; ///< wrong answers of a kind that are written out
    Options options_;
    std::vector<Totals> totals_;
    ParameterPairs pairs_;
};

int run(int argc, char** argv) {
    CLI::App app("asks discern about random small units and compares what it claims with all inputs", "claims");
    Options options;
    app.add_option("--minutes", options.minutes, "how long")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--seed", options.seed, "of all that is drawn")->capture_default_str();
    app.add_option("--from", options.from, "the first case of each kind")->capture_default_str();
    app.add_option("--cases", options.cases, "how many cases of each kind, at most");
    app.add_flag("--stop", options.stop, "end with the first wrong answer");
    app.add_flag("--list", options.list, "print the kinds of claims");
    app.add_flag("--verbose", options.talkative, "print each case before it is asked");
    app.add_option("KIND", options.kinds, "only claims of these kinds");
    CLI11_PARSE(app, argc, argv);
    const auto all = kinds();
    if (options.list) {
        for (const Kind& kind : all) std::cout << fmt::format("{:<14} {}\n", kind.name, kind.claims);
        return 0;
    }
    for (const std::string& name : options.kinds)
        if (std::none_of(all.begin(), all.end(), [&](const Kind& kind) { return kind.name == name; })) {
            std::cerr << "claims: there is no kind '" << name << "'; --list prints those that there are\n";
            return 2;
        }
    return Campaign(options).run();
}

} // namespace
} // namespace discern::claims

int main(int argc, char** argv) { return discern::claims::run(argc, argv); }
