// Makes and checks the certificates of every answer "equivalent" of the other programs: the published queries, the
// pairs that are expected to be the same, and the pairs of the catalogue that are; or of random pairs
// (--sample). Says what each costs. Exit status: 0 if all are made and accepted with nothing assumed, of a sample 95 %;
// 1 if not, 2 for trouble.
#include "ask.hpp"
#include "catalogue_pairs.hpp"
#include "drawn_pairs.hpp"
#include "expected_pairs.hpp"
#include "programs.hpp"
#include "published_queries.hpp"

#include "certificate/check.hpp"
#include "designs/cases/proof.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "solver/certify/write.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stop_token>
#include <thread>

namespace discern::bench {

namespace {

struct CertificateOptions {
    AskOptions asking;
    std::string only, match, folder, pairs;
    bool list = false, markdown = false;
    std::size_t sample = 0; ///< so many drawn pairs instead of the parts
    int most_K = 8;         ///< of these
};

/// Two units that are said to be the same.
struct Pair {
    std::string topic, first, second;
};

struct Outcome {
    Pair pair;
    certificate::Written written;
    certificate::Checked checked;
    double made = 0, check = 0;     ///< seconds of processor time
    std::uintmax_t bytes = 0;       ///< of all files
    std::string_view said() const { // what came of it
        return written.verdict == certificate::Written::Verdict::equivalent ? checked.verdict() : "open";
    }
};

std::vector<Pair> pairs_of(Expectations table) {
    std::vector<Pair> pairs;
    for (const Expectation& row : table)
        if (row.expected == Verdict::equivalent)
            pairs.push_back({fmt::format("{}: {}", row.topic, row.claim), row.first(), row.second()});
    return pairs;
}

/// Those that the solvers find the same.
std::vector<Pair> pairs_of_catalogue() {
    std::vector<Pair> pairs;
    for (const auto& [first, second] : catalogue_pairs())
        if (discriminate(resolve_unit(first), resolve_unit(second), {}).verdict == Verdict::equivalent)
            pairs.push_back({"catalogue", first, second});
    return pairs;
}

struct PartToCertify {
    std::string_view name;
    std::vector<Pair> (*pairs)();
};

constexpr std::array<PartToCertify, 4> parts_to_certify = {{
    {"queries", [] { return pairs_of(published_queries); }},
    {"catalogue", pairs_of_catalogue},
    {"expected", [] { return pairs_of(expected_pairs); }},
    {"hard", [] { return pairs_of(hard_pairs); }},
}};

std::vector<Pair> of_parts(const CertificateOptions& options) {
    std::vector<Pair> all;
    for (const PartToCertify& part : parts_to_certify) {
        if (options.only.empty() ? part.name == "hard" : options.only != part.name) continue;
        const std::vector<Pair> some = part.pairs();
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::vector<Pair> drawn(const CertificateOptions& options) {
    std::vector<Pair> all;
    for (const DrawnPair& pair : drawn_pairs(options.sample, options.asking.solving.seed, options.most_K))
        all.push_back({fmt::format("{} {}", pair.name, pair.change), pair.first, pair.second});
    return all;
}

/// Of a file as --list prints it.
std::vector<Pair> of_file(const CertificateOptions& options) {
    constexpr std::string_view between = " | ";
    std::ifstream file(options.pairs);
    std::vector<Pair> all;
    for (std::string line; std::getline(file, line);) {
        const std::size_t at = line.find(between);
        if (at == std::string::npos)
            throw Error("a line of " + options.pairs + " has no '" + std::string(between) + "'");
        all.push_back({fmt::format("line {}", all.size() + 1), line.substr(0, at), line.substr(at + between.size())});
    }
    return all;
}

std::vector<Pair> pairs(const CertificateOptions& options) {
    std::vector<Pair> all = !options.pairs.empty() ? of_file(options)
                            : options.sample != 0  ? drawn(options)
                                                   : of_parts(options);
    std::erase_if(all, [&](const Pair& pair) {
        return (pair.topic + " " + pair.first + " " + pair.second).find(options.match) == std::string::npos;
    });
    return all;
}

Outcome certify(const Pair& pair, const CertificateOptions& options, const std::filesystem::path& folder) {
    Outcome result{.pair = pair, .written = {}, .checked = {}};
    certificate::WriteOptions how;
    how.seed = options.asking.solving.seed + 1;
    const double before = processor_seconds();
    // The limit is processor time, too: on a busy machine a limit by the clock would leave less of it.
    std::stop_source over;
    how.limit.stop = over.get_token();
    const std::jthread watch([&](const std::stop_token& done) {
        while (!done.stop_requested() && processor_seconds() - before < options.asking.solving.timeout)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        over.request_stop();
    });
    certificate::Certified what{{resolve_unit(pair.first), resolve_unit(pair.second)}};
    what.by_cases = rtl::split_proof(what.units.front(), what.units.front(), {}, {.seed = how.seed, .threads = 1});
    result.written = certificate::write_certificate(what, {}, folder, how);
    result.made = processor_seconds() - before;
    if (result.written.verdict == certificate::Written::Verdict::open) return result;
    result.checked = certificate::check_certificate(folder);
    result.check = processor_seconds() - before - result.made;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) result.bytes += entry.file_size();
    return result;
}

void print(const Outcome& x, const CertificateOptions& options) {
    const auto megabytes = [](std::uintmax_t bytes) { return static_cast<double>(bytes) / 1e6; };
    if (options.asking.json)
        std::cout << cli::to_text({{"topic", x.pair.topic},
                                   {"units", {x.pair.first, x.pair.second}},
                                   {"verdict", x.said()},
                                   {"combination", x.written.combination},
                                   {"gates", x.written.gates},
                                   {"proof_bytes", x.written.proof_bytes},
                                   {"bytes", x.bytes},
                                   {"made", cli::number(x.made, "{:.3f}")},
                                   {"checked", cli::number(x.check, "{:.3f}")}})
                  << '\n';
    else if (options.markdown)
        std::cout << fmt::format("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |\n", x.pair.topic, x.said(),
                                 x.written.gates, megabytes(x.written.proof_bytes), megabytes(x.bytes), x.made,
                                 x.check);
    else
        std::cout << fmt::format(
            "{:<9} {:>7} gates  proof {:>7.2f} MB, all {:>7.2f} MB  made {:>7.2f} s  checked {:>6.2f} "
            "s  {}  {}\n",
            x.said(), x.written.gates, megabytes(x.written.proof_bytes), megabytes(x.bytes), x.made, x.check,
            x.pair.topic, x.checked.refused);
    if ((options.sample != 0 || !options.pairs.empty()) && !options.asking.json && !options.markdown &&
        x.said() != "accepted")
        std::cout << "    " << x.pair.first << "\n    " << x.pair.second << '\n';
    std::cout.flush();
}

int certify_all(const CertificateOptions& options) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    const std::filesystem::path folder =
        options.folder.empty() ? std::filesystem::temp_directory_path() / fmt::format("certificates-{}", now)
                               : std::filesystem::path(options.folder);
    std::size_t asked = 0, accepted = 0;
    for (const Pair& pair : pairs(options)) {
        if (options.list) {
            std::cout << pair.first << " | " << pair.second << '\n';
            continue;
        }
        const std::filesystem::path own = folder / fmt::format("{:02}", ++asked);
        const Outcome result = certify(pair, options, own);
        print(result, options);
        if (result.said() == "accepted") ++accepted;
        if (options.folder.empty()) std::filesystem::remove_all(own);
    }
    if (options.folder.empty()) std::filesystem::remove_all(folder);
    if (options.sample == 0 || options.list) return accepted == asked ? 0 : 1;
    if (!options.asking.json) std::cout << fmt::format("{} of {} have a certificate\n", accepted, asked);
    return 20 * accepted >= 19 * asked ? 0 : 1;
}

} // namespace

int run_certificates(int count, char** words) {
    CertificateOptions options;
    options.asking.solving.timeout = 300;
    CLI::App line("Makes and checks the certificate of every pair that is known to be the same", "certificates");
    line.add_option("--timeout", options.asking.solving.timeout, "seconds of processor time to make one certificate")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    line.add_option("--seed", options.asking.solving.seed,
                    "of the vectors with which gates are simulated, and of a sample")
        ->capture_default_str();
    CLI::Option* only = line.add_option("--only", options.only,
                                        "one part: queries, catalogue, expected, or hard, which is left out else")
                            ->check(CLI::IsMember({"queries", "catalogue", "expected", "hard"}));
    line.add_option("--sample", options.sample,
                    "instead of the parts, so many pairs of a unit of the catalogue and that unit with one or two "
                    "parameters changed, which are the same by folding; --seed draws others")
        ->excludes(only);
    line.add_option("--pairs", options.pairs, "instead, the pairs of a file, one a line, as --list prints them")
        ->excludes(only)
        ->check(CLI::ExistingFile);
    line.add_option("--most-K", options.most_K, "of units in the sample; longer ones are cut to it, or to one block")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    line.add_option("--match", options.match, "only pairs with this text in a unit or in the topic");
    line.add_option("--keep", options.folder, "a new folder in which the certificates stay; else they are removed");
    line.add_flag("--json", options.asking.json, "one JSON object a pair, one a line");
    line.add_flag("--markdown", options.markdown, "rows of a table, as docs/certificates.md has it");
    line.add_flag("--list", options.list, "print the pairs and make nothing");
    return run_program(count, words, line, [&] { return certify_all(options); });
}

} // namespace discern::bench
