// The results of a design on the suite's vectors leave at most one class to which it can belong; a proof decides.
#include "design_members.hpp"

#include "cli/options/read_design.hpp"
#include "designs/decide.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace discern::cli {

namespace {

/// A design that is a member, and its results.
struct DesignMember {
    std::size_t index; ///< among the suite's units
    rtl::Sources sources;
    rtl::DesignQuestion question;
    rtl::DesignCircuit circuit;
    rtl::DesignEvaluator evaluator;
    Random random;

    DesignMember(std::size_t number, ReadDesign read, std::uint64_t seed)
        : index(number), sources(std::move(read.sources)), question(std::move(read.question)), circuit(question),
          evaluator(circuit), random(seed) {}

    std::uint64_t operator()(const Vector& v, const std::string& word) {
        if (const rtl::Open* const open = evaluator.depends_on(v.inputs(), random))
            throw Error(sentence(excerpt(word, 200), ": the result is not defined by the operands for ",
                                 to_json(shape_of(question.unit), v), ": ", open->why));
        return evaluator(v.inputs(), random);
    }
};

class Joining {
  public:
    Joining(Suite& suite, const SuiteOptions& options, const Limit& limit)
        : suite_(suite), options_(options), limit_(limit) {}

    void add(const std::string& word, const DesignOptions& how) {
        DiscriminateOptions solving = options_.solving;
        solving.stop = limit_.stop;
        solving.timeout = std::min(solving.timeout, std::max(limit_.seconds_left(), 1.0));
        if (options_.progress)
            solving.progress = [&](const std::string& stage) { options_.progress(word + ": " + stage); };
        const std::size_t index = suite_.units.size();
        const Unit shape = suite_.units.unit(0);
        members_.push_back(
            std::make_unique<DesignMember>(index, read_design(shape, word, how, solving), options_.solving.seed + 31));
        DesignMember& design = *members_.back();
        suite_.units.add({word, shape});
        suite_.tree_of.push_back(1 + *std::max_element(suite_.tree_of.begin(), suite_.tree_of.end()));
        std::vector<std::uint64_t> results;
        for (const Vector& v : suite_.vectors) results.push_back(design(v, word));

        std::vector<std::size_t> open;
        bool asked = false;
        for (std::size_t c = 0; c < suite_.classes.size(); ++c) {
            // The first one is asked about in any case: so the design is compared with a simulator.
            const bool is_last_chance = !asked && c + 1 == first_designs();
            if (!may_be(c, results) && !is_last_chance) continue;
            if (c >= first_designs()) {
                open.push_back(c);
                continue;
            }
            asked = true;
            ++suite_.questions;
            design.question.unit = suite_.units.unit(suite_.classes[c].front());
            solving.timeout = std::min(options_.solving.timeout, std::max(limit_.seconds_left(), 1.0));
            const Answer answer = rtl::decide({{design.question, design.sources}}, solving);
            if (answer.verdict == Verdict::equivalent) {
                ++suite_.proofs;
                suite_.by.insert(answer.by);
                suite_.grounds[c] = weakest(suite_.grounds[c], answer.ground);
                suite_.classes[c].push_back(index);
                suite_.class_of.push_back(c);
                return;
            }
            if (!answer.sequence.empty())
                throw Error(sentence(excerpt(word, 200),
                                     ": the result depends on operations before it, so no vector of a "
                                     "suite tells it; prove shows a sequence of operations"));
            if (answer.verdict == Verdict::unknown) open.push_back(c);
            if (answer.verdict == Verdict::different && may_be(c, results)) {
                add_vector(answer.witnesses.front());
                results.push_back(answer.witnesses.front().d.at(1));
            }
        }
        suite_.class_of.push_back(suite_.classes.size());
        for (const std::size_t c : open)
            if (may_be(c, results)) suite_.open.emplace_back(c, suite_.classes.size());
        suite_.classes.push_back({index});
        suite_.grounds.emplace_back();
        for (std::size_t v = 0; v < suite_.vectors.size(); ++v) suite_.vectors[v].d.push_back(results[v]);
        std::sort(suite_.open.begin(), suite_.open.end());
        if (suite_.bound.vectors == 0 && !suite_.vectors.empty()) suite_.bound = {1, "there is more than one class"};
    }

  private:
    /// Classes before this one are of units.
    std::size_t first_designs() const {
        const auto is_of_units = [&](const std::vector<std::size_t>& of) {
            return !is_design(suite_.units.text(of.front()));
        };
        return static_cast<std::size_t>(std::find_if_not(suite_.classes.begin(), suite_.classes.end(), is_of_units) -
                                        suite_.classes.begin());
    }

    /// Whether no vector separates the results from a class.
    bool may_be(std::size_t c, const std::vector<std::uint64_t>& results) const {
        const Unit unit = suite_.units.unit(suite_.classes[c].front());
        for (std::size_t v = 0; v < results.size(); ++v)
            if (!same_result(unit, suite_.vectors[v].d[c], results[v])) return false;
        return true;
    }

    void add_vector(Vector v) {
        v.d.clear();
        v.d_is_list = true;
        for (const std::vector<std::size_t>& of : suite_.classes) {
            const Member member = suite_.units[of.front()];
            const auto design =
                std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m->index == of.front(); });
            v.d.push_back(design == members_.end() ? Evaluator(member.unit)(v.inputs()) : (**design)(v, member.text));
        }
        suite_.vectors.push_back(std::move(v));
        ++suite_.pool;
        suite_.smallest_of_pool = false;
    }

    Suite& suite_;
    const SuiteOptions& options_;
    const Limit& limit_;
    std::vector<std::unique_ptr<DesignMember>> members_;
};

} // namespace

void add_designs(Suite& suite, const std::vector<std::string>& words, const DesignOptions& how,
                 const SuiteOptions& options, const Limit& limit) {
    const auto start = Limit::Clock::now();
    Joining joining(suite, options, limit);
    for (const std::string& word : words) joining.add(word, how);
    suite.seconds += std::chrono::duration<double>(Limit::Clock::now() - start).count();
}

} // namespace discern::cli
