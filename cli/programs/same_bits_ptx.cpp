// Do two kernels give the same bits, of which one at least is read from its own code.
#include "cli/base/distance.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/gemm.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "programs/compare/compare.hpp"
#include "programs/evaluate/evaluate.hpp"
#include "programs/fold/listing.hpp"
#include "ptx.hpp"
#include "solver/decide/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace discern::cli {

namespace {

using programs::ReadResult;

constexpr std::size_t challenges = 64;
constexpr std::string_view one_computation = "they are one computation of the operands";

/// One of the two: a kernel's code, or a schedule.
struct ComparedKernel {
    std::string text;
    std::optional<programs::KernelReading> reading{}; ///< of ptx:FILE
    std::optional<Kernel> schedule{};                 ///< of UNIT@[…], or of one result of the other kind
};

/// What two results are to each other.
struct Comparison {
    std::string_view verdict = "unknown";
    std::string by;
    Ground ground{};
    std::string result;
    std::optional<programs::Difference> difference{};
    std::uint64_t element = 0;
    std::vector<std::uint32_t> shape{};
};

class ComparingKernels {
  public:
    ComparingKernels(const PtxQuestion& options, const Streams& io)
        : options_(options), io_(io), interrupt_(io, options.timeout) {
        terms_.merges_equal_units = true;
    }

    int answer() {
        read();
        add_limits();
        std::vector<Comparison> all;
        for (const auto& [one, other] : common_results()) {
            limits_.any_nan = any_nan() ? format_from_name(array_of(0, one->folded.name).format) : std::nullopt;
            all.push_back(compare(*one, other));
        }
        Comparison told = all.front();
        for (const Comparison& comparison : all)
            if (rank(comparison.verdict) > rank(told.verdict)) told = comparison;
        interrupt_.work_is_done();
        return tell(told);
    }

  private:
    static int rank(std::string_view verdict) { return verdict == "same" ? 0 : verdict == "unknown" ? 1 : 2; }

    void read() {
        std::size_t launch = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            kernels_[i].text = options_.kernels[i];
            if (!programs::is_kernel_file(options_.kernels[i])) continue;
            const std::string described = launch < options_.launches.size() ? options_.launches[launch] : "";
            ++launch;
            kernels_[i].reading = read_ptx(options_.kernels[i], described, terms_, io_);
            add_formats(kernels_[i].reading->kernel.launch, terms_, formats_);
        }
        // A kernel that is read is the first.
        if (!kernels_[0].reading) std::swap(kernels_[0], kernels_[1]);
    }

    /// Whether a kernel's NaNs have patterns that its code does not say.
    bool any_nan() const {
        return std::ranges::any_of(kernels_, [](const auto& k) { return k.reading && k.reading->kernel.any_nan; });
    }

    void add_limits() {
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(options_.timeout, 1e6));
        limits_ = {.vectors = options_.vectors, .seed = options_.seed, .stop = [this, end] {
                       return interrupt_.stopped() || std::chrono::steady_clock::now() >= end;
                   }};
    }

    /// Results of one name in both; the second is nothing where that is a schedule.
    std::vector<std::pair<const ReadResult*, const ReadResult*>> common_results() const {
        std::vector<std::pair<const ReadResult*, const ReadResult*>> pairs;
        const auto& first = kernels_[0].reading->results;
        if (!kernels_[1].reading) {
            if (first.size() != 1)
                throw Error(fmt::format("same-bits: {} has {} results, and a schedule has one", kernels_[0].text,
                                        first.size()));
            return {{&first[0], nullptr}};
        }
        for (const ReadResult& one : first)
            for (const ReadResult& other : kernels_[1].reading->results)
                if (one.folded.name == other.folded.name) pairs.emplace_back(&one, &other);
        if (pairs.empty()) throw Error("same-bits: the two launches have no result of one name");
        for (const auto& [one, other] : pairs)
            if (const auto& first_array = array_of(0, one->folded.name);
                first_array.format != array_of(1, one->folded.name).format)
                throw Error(fmt::format("same-bits: {} is {} in the first launch and {} in the second",
                                        one->folded.name, first_array.format, array_of(1, one->folded.name).format));
        return pairs;
    }

    const programs::ArraySpec& array_of(std::size_t kernel, const std::string& name) const {
        const auto& arrays = kernels_[kernel].reading->kernel.launch.arrays;
        return *std::find_if(arrays.begin(), arrays.end(),
                             [&](const programs::ArraySpec& array) { return array.name == name; });
    }

    /// The result that a schedule computes of the operands of a kernel.
    programs::NodeId term_of_schedule(const ReadResult& one) {
        const programs::Launch& launch = kernels_[0].reading->kernel.launch;
        std::vector<const programs::ArraySpec*> operands;
        for (const programs::ArraySpec& array : launch.arrays)
            if (!array.is_result && array.axes.find('k') != std::string::npos) operands.push_back(&array);
        if (operands.size() < 2)
            throw Error(fmt::format("same-bits: {} has no two matrices with an axis k", kernels_[0].text));
        const int K = static_cast<int>(operands[0]->shape[operands[0]->axes.find('k')]);
        kernels_[1].schedule = resolve_kernel(kernels_[1].text, K);
        const Kernel& kernel = *kernels_[1].schedule;
        if (kernel.K != K)
            throw Error(
                fmt::format("same-bits: {} has K={}, and {} has {}", kernels_[1].text, kernel.K, kernels_[0].text, K));
        if (const std::string& own = array_of(0, one.folded.name).format; format_from_name(own) != kernel.d())
            throw Error(fmt::format("same-bits: {} is {}, and {} gives {}", one.folded.name, own, kernels_[1].text,
                                    format(kernel.d()).name));
        if (kernel.unit.scale)
            throw Error("same-bits: schedules of units with scales are not compared with kernels of ptx:FILE");
        programs::ScheduledOperands of{terms_.leaf_operation(*operands[0]), terms_.leaf_operation(*operands[1]), 0};
        if (one.schedule)
            of = one.schedule->operands;
        else
            of.c = terms_.graph.constant(0, static_cast<unsigned>(word_bytes(kernel.unit.d)));
        for (const auto& [leaf, id] : {std::pair(of.a, kernel.unit.a), std::pair(of.b, kernel.unit.b)})
            if (const auto own = formats_.find(leaf);
                own == formats_.end() || word_bytes(own->second) != word_bytes(id))
                throw Error(
                    fmt::format("same-bits: {} {}, and the unit multiplies {}",
                                programs::Terms::array_name(terms_.graph.operation(leaf).name),
                                own == formats_.end() ? "has integers" : sentence("is ", format(own->second).name),
                                format(id).name));
        operands_ = of;
        const CatalogueEntry* entry = entry_of(kernel.unit);
        const std::string unit = entry != nullptr ? entry->name : to_string(kernel.unit);
        return term_of(terms_, kernel, terms_.graph.operation(unit, programs::Kind::unit), of);
    }

    static Comparison same_computation(Comparison result) {
        result.verdict = "same";
        result.by = one_computation;
        result.ground = by_structure;
        return result;
    }

    Comparison compare(const ReadResult& one, const ReadResult* other) {
        Comparison result;
        result.result = one.folded.name;
        result.shape = one.folded.shape;
        if (const std::string open = open_order(one, other); !open.empty()) {
            result.by = open;
            return result;
        }
        std::vector<programs::TermPair> pairs;
        if (other != nullptr) {
            pairs = pairs_of(one.folded, other->folded);
        } else {
            const programs::NodeId term = term_of_schedule(one);
            for (const auto& each : one.folded.classes) pairs.push_back({each.term, term, each.first, each.first});
        }
        if (is_one_structure(one, other)) {
            for (const programs::TermPair& pair : pairs) challenge(one, other, pair);
            return same_computation(result);
        }
        bool all_equal = true;
        for (const programs::TermPair& pair : pairs) {
            if (pair.one == pair.other) {
                challenge(one, other, pair);
                continue;
            }
            all_equal = false;
            std::optional<programs::Difference> difference;
            try {
                difference = find_difference(terms_, formats_, pair.one, pair.other, limits_, tried_);
            } catch (const Error& error) { // a function without a value
                result.by = fmt::format("they are put together in different ways, and no vector can be tried, since {}",
                                        error.what());
                return result;
            }
            if (difference) {
                replay(one, other, pair, *difference);
                note_stand_ins(pair);
                result.verdict = "different";
                result.by = "for example on";
                result.difference = std::move(difference);
                result.element = pair.first;
                return result;
            }
        }
        if (all_equal) return same_computation(result);
        return by_blocks(one, other, result);
    }

    /// Why the bits are not settled by the code, or nothing.
    std::string open_order(const ReadResult& one, const ReadResult* other) const {
        for (std::size_t i = 0; i < 2; ++i) {
            const ReadResult* result = i == 0 ? &one : other;
            if (result == nullptr) continue;
            if (result->order_matters)
                return fmt::format("{} has atomic operations, and the order of blocks and threads is not the kernel's",
                                   kernels_[i].text);
            const std::string& fusion = kernels_[i].reading->kernel.fusion;
            if (result->contractible > 0)
                return fmt::format("{} has pairs of a product and a sum{} ({} pairs, one on line {})", kernels_[i].text,
                                   fusion.empty() ? " without .rn, which the assembler may fuse" : fusion,
                                   result->contractible, result->contractible_line);
        }
        return "";
    }

    /// The schedules of both, where both have one, of the same shape and the same operands.
    std::optional<std::pair<Kernel, Kernel>> schedules(const ReadResult& one, const ReadResult* other) const {
        std::optional<Kernel> second = kernels_[1].schedule;
        if (other != nullptr && other->schedule) second = other->schedule->kernel;
        // Of a schedule that is given by its text the operands are the first kernel's.
        if (other != nullptr && one.schedule && other->schedule && one.schedule->operands != other->schedule->operands)
            return std::nullopt;
        if (!one.schedule || !second || shape_of(one.schedule->kernel) != shape_of(*second)) return std::nullopt;
        return std::pair(one.schedule->kernel, *second);
    }

    bool is_one_structure(const ReadResult& one, const ReadResult* other) const {
        const auto both_schedules = schedules(one, other);
        return both_schedules && same_structure(both_schedules->first, both_schedules->second);
    }

    /// Two schedules whose instructions may be proved equal.
    Comparison by_blocks(const ReadResult& one, const ReadResult* other, Comparison result) {
        result.by = fmt::format(
            "the same on {} vectors; they are put together in different ways, of which nothing is proved", tried_);
        const auto both_schedules = schedules(one, other);
        if (!both_schedules) return result;
        DiscriminateOptions solving;
        solving.timeout = options_.timeout / 2;
        solving.seed = options_.seed;
        solving.stop = interrupt_.token();
        const Answer answer = decide_kernels(both_schedules->first, both_schedules->second, solving);
        if (answer.verdict != Verdict::equivalent) return result;
        result.verdict = "same";
        result.by = answer.same_tree ? std::string(one_computation)
                                     : "each block of the one is one of the other, proved by " + answer.by;
        result.ground = answer.ground;
        return result;
    }

    const programs::Result& result_of(std::size_t kernel, const ReadResult& read) const {
        const programs::RunKernel& run = kernels_[kernel].reading->kernel;
        return *std::find_if(run.results.begin(), run.results.end(), [&](const programs::Result& result) {
            return run.launch.arrays[result.array].name == read.folded.name;
        });
    }

    /// What each gives in one element, by its own graph, or of a schedule by its models.
    std::array<std::uint64_t, 2> both(const ReadResult& one, const ReadResult* other, const programs::TermPair& pair,
                                      const programs::LeafValues& values) {
        const std::uint64_t d1 = replayed(kernels_[0].reading->kernel, result_of(0, one), pair.first, terms_, values);
        if (other != nullptr)
            return {d1,
                    replayed(kernels_[1].reading->kernel, result_of(1, *other), pair.first_of_other, terms_, values)};
        return {d1, of_schedule(values)};
    }

    std::uint64_t of_schedule(const programs::LeafValues& values) {
        const Kernel& kernel = *kernels_[1].schedule;
        const auto value_of = [&](programs::NodeId leaf) {
            const auto found = values.find(leaf);
            return found == values.end() ? 0 : found->second;
        };
        const auto row = [&](programs::OpId leaf, FormatId id) {
            const std::string letters(programs::Terms::letters(terms_.graph.operation(leaf).name));
            std::vector<std::uint64_t> factors;
            for (int k = 0; k < kernel.K; ++k) {
                std::vector<std::uint32_t> indices(letters.size(), programs::own_index);
                indices[letters.find('k')] = static_cast<std::uint32_t>(k);
                factors.push_back(value_of(terms_.graph.node(leaf, static_cast<unsigned>(word_bytes(id)), indices)));
            }
            return factors;
        };
        const std::vector<std::uint64_t> a = row(operands_.a, kernel.unit.a), b = row(operands_.b, kernel.unit.b);
        const std::uint64_t d =
            evaluate_exactly(kernel, {.a = a, .b = b, .sa = {}, .sb = {}, .c = value_of(operands_.c)});
        // A schedule leaves the bits of a NaN open where it rounds to another format; cvt has these.
        const bool is_open = kernel.d() != kernel.unit.d && word_bytes(kernel.d()) == 2 &&
                             decode(format(kernel.d()), d).number_class == NumberClass::nan;
        return is_open ? 0x7fff : d;
    }

    void replay(const ReadResult& one, const ReadResult* other, const programs::TermPair& pair,
                const programs::Difference& difference) {
        const auto values = both(one, other, pair, difference.values);
        if (values[0] != difference.d1 || values[1] != difference.d2)
            throw std::logic_error("a vector on which two kernels differ was computed again, with other results");
    }

    /// Vectors against a claim: what was folded to one term must still give one value.
    void challenge(const ReadResult& one, const ReadResult* other, const programs::TermPair& pair) {
        if (challenged_ >= challenges) return;
        std::vector<programs::NodeId> leaves;
        try {
            const programs::NodeId roots[1] = {pair.one};
            leaves = programs::Evaluation(terms_.graph, roots).leaves();
        } catch (const Error&) { // a function without a value
            return;
        }
        const auto values = random_values(terms_, formats_, leaves, 4, options_.seed);
        for (std::size_t i = 0; i < 4; ++i, ++challenged_) {
            programs::LeafValues assigned;
            for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) assigned[leaves[leaf]] = values[leaf * 4 + i];
            const auto results = both(one, other, pair, assigned);
            if (!is_same(results[0], results[1], limits_))
                throw std::logic_error("two kernels of one term gave different bits");
        }
    }

    void note_stand_ins(const programs::TermPair& pair) {
        const programs::NodeId roots[2] = {pair.one, pair.other};
        stand_ins_ = programs::Evaluation(terms_.graph, roots).stand_ins();
    }

    std::vector<std::uint64_t> indices_of(const Comparison& told) const {
        std::vector<std::uint64_t> indices(told.shape.size());
        std::uint64_t element = told.element;
        for (std::size_t axis = told.shape.size(); axis-- > 0;) {
            indices[axis] = element % told.shape[axis];
            element /= told.shape[axis];
        }
        return indices;
    }

    Json vector_of(const Comparison& told) const {
        if (!told.difference) return nullptr;
        Json operands = Json::object();
        for (const auto& [leaf, bits] : told.difference->values)
            if (bits != 0)
                operands[leaf_name(terms_, leaf)] = fmt::format("{:0{}x}", bits, 2 * terms_.graph[leaf].size);
        const auto hex = [&](std::uint64_t bits) {
            return fmt::format("{:0{}x}", bits, 2 * array_of(0, told.result).element);
        };
        return {{"result", told.result},
                {"element", indices_of(told)},
                {"operands", operands},
                {"d", {hex(told.difference->d1), hex(told.difference->d2)}}};
    }

    /// As numbers, where the result's format has them.
    Json apart(const Comparison& told) const {
        Distances distances(format(format_from_name(array_of(0, told.result).format).value_or(FormatId::f32)));
        if (told.difference) distances.add(told.difference->d1, told.difference->d2);
        return distances.json();
    }

    /// What is assumed of what PTX leaves open.
    std::set<std::string> assumptions() const {
        std::set<std::string> all;
        for (const ComparedKernel& one : kernels_)
            if (one.reading) all.insert(one.reading->kernel.assumptions.begin(), one.reading->kernel.assumptions.end());
        return all;
    }

    int tell(const Comparison& told) {
        const Json vector = vector_of(told);
        if (!options_.out.empty() && told.difference)
            write_file(options_.out, io_, [&](std::ostream& out) { print_line(out, vector); });
        if (options_.json) {
            Json object = {{"verdict", told.verdict}, {"by", told.by}};
            put_ground(object, told.ground);
            object["challenged"] = challenged_;
            object["vector"] = vector;
            object["compared"] = tried_;
            object["different"] = told.difference ? 1 : 0;
            object["stand_ins"] = stand_ins_;
            object["apart"] = apart(told);
            if (!assumptions().empty()) object["assumptions"] = assumptions();
            print_line(io_.out, object);
        } else if (told.verdict == "same") {
            io_.out << fmt::format("same bits: {}\n", told.by);
        } else if (told.verdict == "different") {
            io_.out << fmt::format("different: {}\n  {}\n", told.by, to_text(vector));
            if (!stand_ins_.empty())
                io_.out << fmt::format("  {} leaves {} to the machine; these are the values of a stand-in\n",
                                       any_nan() ? "LLVM IR" : "PTX", fmt::join(stand_ins_, ", "));
        } else {
            io_.out << fmt::format("unknown: {}\n", told.by);
        }
        for (const std::string& assumption : assumptions())
            if (!options_.json) io_.out << fmt::format("  assumption: {}\n", assumption);
        return told.verdict == "same"        ? status::done
               : told.verdict == "different" ? status::different
                                             : status::unknown;
    }

    const PtxQuestion& options_;
    const Streams& io_;
    Interrupt interrupt_;
    programs::Terms terms_;
    programs::LeafFormats formats_;
    std::array<ComparedKernel, 2> kernels_;
    programs::ScheduledOperands operands_; ///< of a schedule that is given by its text
    programs::SearchLimits limits_;
    std::uint64_t tried_ = 0, challenged_ = 0;
    std::vector<std::string> stand_ins_;
};

} // namespace

int same_bits_of_ptx(const PtxQuestion& options, const Streams& io) { return ComparingKernels(options, io).answer(); }

} // namespace discern::cli
