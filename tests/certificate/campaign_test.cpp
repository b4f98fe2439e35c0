// Certificates with something in them changed, many times over: refused while the digests stand; with digests made to
// match again, refused unless what is left is still a proof of something true, which is looked at without the checker.
#include "made.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/random.hpp"
#include "tests/models/differential.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace discern::tests::campaign_test {
namespace {

using namespace certificate;
using testing::read_file;

const std::string small = "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne]";
const std::string one = small + "(fuse[F=1](p*, c))", other = small + "(fuse[F=1 carry=3](c, p*))";

/// Changes a text in one place: a byte, the order or number of lines, a word of a line, or its end.
std::string changed(const std::string& text, Random& random) {
    std::string wrong = text;
    const auto any = [&](std::size_t size) { return static_cast<std::size_t>(random.below(static_cast<int>(size))); };
    const int kind = random.below(8);
    if (kind == 0) {
        wrong.resize(any(wrong.size()));
        return wrong;
    }
    if (kind <= 3) {
        const std::size_t at = any(wrong.size());
        wrong[at] =
            kind == 1 ? "0123456789 -\nde"[random.below(15)] : static_cast<char>(wrong[at] ^ (1 << random.below(8)));
        return wrong;
    }
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const std::size_t i = any(lines.size()), j = any(lines.size());
    if (kind == 4) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    if (kind == 5) std::swap(lines[i], lines[j]);
    if (kind == 6) lines[i] = lines[j];
    if (kind == 7) {
        const std::size_t space = lines[i].find(' ', any(lines[i].size() + 1));
        if (space != std::string::npos) lines[i].erase(space, lines[i].find(' ', space + 1) - space);
    }
    wrong.clear();
    for (const std::string& line : lines) wrong += line + '\n';
    return wrong;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Clauses, and unit propagation over all of them, as often as it takes: no hints, no watches, nothing of the checker.
class Propagation {
  public:
    using Clause = std::vector<int>;

    void add(Clause clause) {
        for (const int x : clause) most_ = std::max(most_, std::abs(x));
        clauses_.push_back(std::move(clause));
    }
    /// Whether a conflict follows from the clause's opposite.
    bool implies(const Clause& clause) {
        std::vector<signed char> values(2 * most_ + 1); // by literal + most: 1 true, −1 false
        const auto value = [&](int x) -> signed char& { return values[static_cast<std::size_t>(x + most_)]; };
        const auto make_true = [&](int x) {
            value(x) = 1;
            value(-x) = -1;
        };
        for (const int x : clause) {
            if (std::abs(x) > most_ || value(x) > 0) return std::abs(x) <= most_;
            make_true(-x);
        }
        for (bool more = true; more;) {
            more = false;
            for (const Clause& c : clauses_) {
                int open = 0, last = 0;
                for (const int x : c) {
                    if (value(x) > 0) open = 2;
                    if (value(x) != 0 || x == last) continue;
                    ++open;
                    last = x;
                }
                if (open > 1) continue;
                if (open == 0) return true;
                make_true(last);
                more = true;
            }
        }
        return false;
    }

  private:
    std::vector<Clause> clauses_;
    int most_ = 0; ///< variable
};

/// The clauses that make a variable a gate, from its table: what some of its inputs decide alone.
void define(Propagation& clauses, const std::string& gate, int variable, const std::vector<int>& in) {
    const auto result = [&](unsigned values) {
        const auto x = [values](std::size_t i) { return ((values >> i) & 1u) != 0; };
        return gate == "and"   ? x(0) && x(1)
               : gate == "xor" ? x(0) != x(1)
               : gate == "ite" ? (x(0) ? x(1) : x(2))
                               : x(0) + x(1) + x(2) > 1;
    };
    const unsigned all = 1u << in.size();
    for (unsigned known = 0; known < all; ++known)
        for (unsigned values = 0; values < all; ++values) {
            if ((values & ~known) != 0) continue;
            std::set<bool> results;
            for (unsigned rest = 0; rest < all; ++rest)
                if ((rest & known) == 0) results.insert(result(values | rest));
            if (results.size() > 1) continue;
            Propagation::Clause clause = {*results.begin() ? variable : -variable};
            for (std::size_t i = 0; i < in.size(); ++i)
                if (((known >> i) & 1u) != 0) clause.push_back(((values >> i) & 1u) != 0 ? -in[i] : in[i]);
            clauses.add(clause);
        }
}

/// Whether a proof shows, each line by propagation alone, that the clauses of a DIMACS text have no solution. A
/// variable that it defines is a new one.
bool is_refutation(const std::string& dimacs, const std::string& proof) {
    Propagation clauses;
    std::istringstream formula(dimacs);
    std::string line;
    std::getline(formula, line);
    int variables = std::stoi(line.substr(6));
    const auto literals = [](std::istringstream& words) {
        Propagation::Clause clause;
        for (int x = 0; words >> x && x != 0;) clause.push_back(x);
        return clause;
    };
    while (std::getline(formula, line)) {
        std::istringstream words(line);
        clauses.add(literals(words));
    }
    std::istringstream steps(proof);
    while (std::getline(steps, line)) {
        std::istringstream words(line);
        std::string id, kind;
        words >> id >> kind;
        if (kind == "d") continue;
        if (kind == "e") {
            std::string gate;
            int variable = 0;
            words >> gate >> variable;
            if (variable != ++variables) return false;
            define(clauses, gate, variable, literals(words));
            continue;
        }
        std::istringstream again(line);
        again >> id;
        Propagation::Clause clause = literals(again);
        if (!clauses.implies(clause)) return false;
        if (clause.empty()) return true;
        clauses.add(std::move(clause));
    }
    return false;
}

/// Whether two units of one product of e2m1 and c give the same on all inputs, by the evaluator.
bool are_the_same(const Unit& x, const Unit& y, const Limits& limits) {
    if (limits != Limits{} || x.K != 1 || x.a != FormatId::e2m1 || x.b != FormatId::e2m1 || x.c != FormatId::e2m1)
        return false; // not one that this can tell
    const Evaluator first(x), second(y);
    for (std::uint64_t bits = 0; bits < 4096; ++bits) {
        InputBuffer v;
        v.a = {bits & 15};
        v.b = {(bits >> 4) & 15};
        v.c = bits >> 8;
        if (first(v.inputs()) != second(v.inputs())) return false;
    }
    return true;
}

TEST(Campaign, DigestsStand) {
    Made made(one, other);
    ASSERT_EQ(made.check().refused, "");
    const auto files = files_of(made.path());
    ASSERT_EQ(files.size(), 7u);
    Random random(1);
    for (int i = 0; i < sweep(100); ++i) {
        const auto& file = files[static_cast<std::size_t>(random.below(static_cast<int>(files.size())))];
        const std::string right = read_file(file), wrong = changed(right, random);
        if (wrong == right) continue;
        put_file(file, wrong);
        EXPECT_NE(made.check().refused, "") << file << ", change " << i;
        put_file(file, right);
    }
    EXPECT_EQ(made.check().refused, "");
}

TEST(Campaign, DigestsMadeToMatch) {
    Made made(one, other);
    const auto files = files_of(made.path());
    std::map<std::filesystem::path, std::string> right;
    for (const auto& file : files) right[file] = read_file(file);
    ASSERT_TRUE(is_refutation(right.at(made.path() / "whole.cnf"), right.at(made.path() / "whole.proof")));
    Random random(2);
    int refused = 0, accepted = 0;
    for (int i = 0; i < sweep(60); ++i) {
        // Mostly the proof.
        const auto& file = random.one_in(2)
                               ? made.path() / "whole.proof"
                               : files[static_cast<std::size_t>(random.below(static_cast<int>(files.size())))];
        const std::string wrong = changed(right.at(file), random);
        put_file(file, wrong);
        if (nlohmann::json::accept(read_file(made.path() / "claim.json"))) {
            try {
                reseal(made.path());
            } catch (const nlohmann::json::exception&) { // its files are no list any more
            }
        }
        const Checked checked = made.check();
        ++(checked.refused.empty() ? accepted : refused);
        if (checked.refused.empty()) {
            EXPECT_EQ(checked.claimed, Checked::Claim::equivalent);
            EXPECT_TRUE(are_the_same(parse_unit(checked.units[0]), parse_unit(checked.units[1]), checked.limits))
                << file << ", change " << i;
            if (file.extension() == ".proof") {
                EXPECT_TRUE(is_refutation(right.at(made.path() / "whole.cnf"), wrong)) << "change " << i;
            }
            if (file.extension() == ".cnf") {
                EXPECT_EQ(wrong, right.at(file));
            }
        }
        for (const auto& [path, text] : right) put_file(path, text);
    }
    EXPECT_GT(refused, accepted);
    std::cout << refused << " refused, " << accepted << " accepted that are proofs of what they claim\n";
}

} // namespace
} // namespace discern::tests::campaign_test
