// Units that `suite` puts into one class must be the same, whatever its reasons: terms that fold, or a solver.
// Random spaces of units so small that all inputs can be tried are partitioned, and every unit is compared with the
// first of its class on all of them.
#include "analysis/suite/partition.hpp"
#include "analysis/suite/suite.hpp"
#include "small_units.hpp"

#include "models/batch.hpp"
#include "solver/backend/backend.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace discern {
namespace {

constexpr std::uint64_t piece_size = 4096;
constexpr std::size_t shown = 20; // wrong pairs of units that are written out

struct Totals {
    std::size_t spaces = 0, units = 0, merged = 0, wrong = 0, apart = 0, open = 0;
    double partition = 0, compare = 0; // seconds
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The units of one class that are not yet known to differ from its first one.
class ClassOnAllInputs {
  public:
    explicit ClassOnAllInputs(std::vector<Member> members) : members_(std::move(members)) {
        for (const Member& member : members_) evaluators_.push_back(std::make_unique<BatchEvaluator>(member.unit));
    }

    /// Calls `found` for each unit that differs from the first, with the first vector on which it does.
    template <typename Found>
    void compare(std::span<const Inputs> inputs, Found found) {
        first_.resize(inputs.size());
        other_.resize(inputs.size());
        (*evaluators_.front())(inputs, first_);
        for (std::size_t i = 1; i < members_.size(); ++i) {
            if (!evaluators_[i]) continue;
            (*evaluators_[i])(inputs, other_);
            if (first_ == other_) continue;
            for (std::size_t n = 0; n < inputs.size(); ++n) {
                if (same_result(members_.front().unit, first_[n], other_[n])) continue;
                if (same_result(members_[i].unit, first_[n], other_[n])) continue;
                found(members_.front(), members_[i], inputs[n]);
                evaluators_[i].reset();
                break;
            }
        }
    }

  private:
    std::vector<Member> members_;
    std::vector<std::unique_ptr<BatchEvaluator>> evaluators_; ///< none: differs
    std::vector<std::uint64_t> first_, other_;
};

/// Bits that truncation drops beside a tie, or below a floor: pairs that were once merged although they differ.
const std::vector<std::string> known = {
    "e3m2*e2m1->e4m3 K=2 : round[e4m3 rne](fuse[exact](p*)){F={9..11|exact},round={e4m3:rne|e4m3:rna}}",
    "e2m1*e3m2->e4m3fnuz K=2 : round[e4m3fnuz rna](fuse[exact](p*)){F={9..11|exact},product={raw|carry}}",
    "e5m2*e2m1+e4m3->e4m3 K=1 : round[e4m3 rz zsign=pos usign=pos](fuse[F=10 rz](p*, c[as=f16]))"
    "{F={9..11},floor={none|-9|-6}}",
    "e2m1*e3m2+e2m1->fix6.2 K=1 : round[fix6.2 rz](fuse[exact](p*, c))"
    "{F={3..8|exact},round={fix6.2:rz|fix6.2:rne|fix6.2:rd},overflow={inf|max},product={raw|carry}}",
    "fix4.1*e2m1+fix5.0->fix6.3 K=1 : round[fix6.3 rne](fuse[F=6 rz](p*[full], c))"
    "{F={2..9},floor={none|1|4},zero={ignore|emin},carry={wide|0|1}}"};

class MergedUnits {
  public:
    explicit MergedUnits(int most_bits) : most_bits_(most_bits) {}

    void try_random(std::uint64_t seed) { try_space(tests::SmallSpaces(seed, most_bits_).next(), seed); }

    void try_space(const std::vector<Member>& members, std::uint64_t seed) {
        ++totals.spaces;
        try {
            partition_and_compare(members, seed);
        } catch (const std::exception& error) { // of units that are valid
            ADD_FAILURE() << "stopped (seed " << seed << "): " << error.what() << lines(members);
        }
    }

    Totals totals;

  private:
    void partition_and_compare(const std::vector<Member>& members, std::uint64_t seed) {
        SuiteOptions options;
        options.timeout = 2; // what is open then is left open
        options.solving.timeout = 1;
        options.solving.shrink = false;
        // What random vectors can find has been found before anything is asked.
        if (seed % 8 != 0) options.solving.solver = backends().front().name;
        auto start = std::chrono::steady_clock::now();
        const std::vector<Suite> suites = make_suites(members, options);
        totals.partition += seconds_since(start);
        totals.units += members.size();
        start = std::chrono::steady_clock::now();
        for (const Suite& suite : suites) {
            compare_units_of_a_class(suite, seed);
            compare_classes(suite, seed);
            totals.open += suite.open_pairs();
        }
        totals.compare += seconds_since(start);
    }

    void compare_units_of_a_class(const Suite& suite, std::uint64_t seed) {
        std::vector<ClassOnAllInputs> classes;
        for (const std::vector<std::size_t>& one : suite.classes) {
            if (one.size() == 1) continue;
            std::vector<Member> members;
            std::set<std::string> trees;
            for (const std::size_t unit : one) {
                members.push_back(suite.units[unit]);
                trees.insert(canonical_text(members.back().unit));
            }
            totals.merged += trees.size() - 1;
            classes.emplace_back(std::move(members));
        }
        if (classes.empty()) return;
        tests::AllInputs all(suite.units.front().unit);
        for (std::uint64_t at = 0; at < all.count(); at += piece_size) {
            const std::span<const Inputs> inputs = all.piece(at, piece_size);
            for (ClassOnAllInputs& one : classes)
                one.compare(inputs, [&](const Member& first, const Member& other, const Inputs& v) {
                    if (++totals.wrong > shown) return;
                    ADD_FAILURE() << "one class, and not the same (seed " << seed << ")\n  " << first.text << "\n  "
                                  << other.text << "\n  " << with_results(suite.shape, first.unit, other.unit, v);
                });
        }
    }

    static std::string lines(const std::vector<Member>& members) {
        std::string text;
        for (const Member& member : members) text += "\n  " + member.text;
        return text;
    }

    static std::string with_results(const Shape& shape, const Unit& first, const Unit& other, const Inputs& inputs) {
        Vector v = vector_of(shape, inputs);
        v.d = {evaluate_exactly(first, inputs), evaluate_exactly(other, inputs)};
        v.d_is_list = true;
        return to_json(shape, v) +
               (same_result(first, v.d[0], v.d[1]) ? ", where only the integer evaluators differ" : "");
    }

    /// Classes that are said to differ must do so on a vector of the suite.
    void compare_classes(const Suite& suite, std::uint64_t seed) {
        if (!suite.undecided.empty()) return; // there are none then
        std::vector<std::vector<std::uint64_t>> results;
        for (const std::vector<std::size_t>& one : suite.classes) {
            const Evaluator evaluate(suite.units[one.front()].unit);
            auto& row = results.emplace_back();
            for (const Vector& v : suite.vectors) row.push_back(evaluate(v.inputs()));
        }
        const auto unit_of = [&](std::size_t c) { return suite.units[suite.classes[c].front()]; };
        for (std::size_t i = 0; i < results.size(); ++i)
            for (std::size_t j = i + 1; j < results.size(); ++j) {
                const ClassPair pair{i, j};
                if (std::binary_search(suite.open.begin(), suite.open.end(), pair)) continue;
                if (std::binary_search(suite.equal.begin(), suite.equal.end(), pair)) continue;
                ++totals.apart;
                bool differ = false;
                for (std::size_t v = 0; v < suite.vectors.size() && !differ; ++v)
                    differ = !same_result(unit_of(i).unit, results[i][v], results[j][v]) &&
                             !same_result(unit_of(j).unit, results[i][v], results[j][v]);
                EXPECT_TRUE(differ) << "different classes, and no vector of the suite says so (seed " << seed << ")\n  "
                                    << unit_of(i).text << "\n  " << unit_of(j).text;
            }
    }

    int most_bits_;
};

TEST(MergedUnits, AreTheSameOnAllInputs) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const auto wanted = static_cast<std::size_t>(tests::sweep(40));
    MergedUnits run(tests::sweeping() ? 24 : 16);
    const std::uint64_t seed = 20;
    const Totals& totals = run.totals;
    for (std::uint64_t space = 0; space < known.size() || totals.merged < wanted; ++space) {
        if (!tests::is_in_part(space) || !tests::takes_part(space, 2)) continue;
        if (space < known.size())
            run.try_space(members(std::vector{Space::parse(known[space])}), seed);
        else
            run.try_random(seed + 1000003 * space);
    }
    std::cout << "seed " << seed << ": " << totals.spaces << " spaces, " << totals.units << " units, " << totals.merged
              << " merged, " << totals.wrong << " of them wrongly; pairs of classes: " << totals.apart << " differ, "
              << totals.open << " open; " << totals.partition << " s to partition, " << totals.compare
              << " s to compare\n";
    EXPECT_EQ(totals.wrong, 0U) << "of " << totals.merged << " merged units; the first " << shown << " are above";
}

} // namespace
} // namespace discern
