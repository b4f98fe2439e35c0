// Do two kernels give the same bits: on all inputs, on all within limits, or how often not.
//
// Short kernels are asked about like units, and the answer is a proof or a vector. Of long ones, and where the time is
// over, products are compared: of matrices from files, or of random ones.
#include "same_bits.hpp"

#include "cli/certify.hpp"
#include "cli/distance.hpp"
#include "cli/files/factors.hpp"
#include "cli/files/files.hpp"
#include "cli/files/json.hpp"
#include "cli/files/observations.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/progress.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/kernel_gemm.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "solver/decide/discriminate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace discern::cli {

namespace {

constexpr std::string_view example = "  discern same-bits 'x86/fma.f32@[split=2]' 'x86/fma.f32@[lanes=2]' --K 4\n"
                                     "      short ones: a proof, or a vector on which they differ\n"
                                     "  discern same-bits 'U@[split=4 reduce=order:f32:rne]' 'U@[]' --K 4096 with "
                                     "hopper/wgmma.m64n8k16.f32.f16.f16 as U\n"
                                     "      long ones: how many of random products differ, and how far\n"
                                     "  discern same-bits KERNEL KERNEL a.npy b.npy\n"
                                     "      the same of the products of these matrices";

constexpr int longest_question = 64; ///< products, beyond which nothing is proved in time

struct Options {
    std::string first, second, a, b, c, round = "rne";
    int K = 0;
    std::uint64_t n = 10'000, seed = 1;
    double timeout = 60;
    LimitWords limits;
    bool numbers = false, json = false;
};

/// Counts of what was compared.
struct Compared {
    std::uint64_t products = 0, different = 0;
    Json first; ///< the first difference, a vector or an element; null: there is none
};

bool nan_any(const Kernel& one, const Kernel& other) {
    const auto any = [](const Kernel& k) { return k.d() != k.unit.d || k.unit.nan.kind == NanRule::Kind::any; };
    return any(one) || any(other);
}

/// Random products, as many as are asked for and the time is for.
Compared compare_vectors(const Options& options, const Kernel& one, const Kernel& other, double seconds,
                         const Interrupt& interrupt, Distances& distances, const Streams& io) {
    const Shape shape = shape_of(one);
    const Format& d = format(shape.d);
    const KernelEvaluator first(one), second(other);
    const std::vector<std::string> all;
    Stimulus stimulus(chain_of(one), all, limits_of_stimulus(options.limits), options.seed);
    const bool any = nan_any(one, other);
    const auto end = deadline_in(seconds);
    Compared compared;
    Counter counter(io, "compared", options.n);
    InputBuffer x;
    while (compared.products < options.n && !interrupt.requested() && std::chrono::steady_clock::now() < end) {
        counter.at(compared.products++);
        stimulus.next(x);
        const std::uint64_t d1 = first(x.inputs()), d2 = second(x.inputs());
        if (same_observation(d, any, d1, d2)) continue;
        distances.add(d1, d2);
        if (compared.different++ > 0) continue;
        Vector vector = vector_of(shape, x.inputs());
        vector.d = {d1, d2};
        vector.d_is_list = true;
        compared.first = json_of(shape, vector);
    }
    return compared;
}

Compared compare_matrices(const Kernel& one, const Kernel& other, const Factors& factors, Distances& distances) {
    const Shape shape = shape_of(one);
    const GemmSize size = factors.size();
    MatrixData d1(shape.d, size.m, size.n), d2 = d1;
    const Patterns from = shape.c ? factors.c.patterns() : Patterns();
    const KernelGemm first(one), second(other);
    first(size, factors.a.patterns(), factors.b.patterns(), from, d1.writable());
    second(size, factors.a.patterns(), factors.b.patterns(), from, d2.writable());
    const Differing found = differing(d1, d2, nan_any(one, other), distances);
    return {.products = found.compared, .different = found.different, .first = json_of(found, d1, d2)};
}

/// Both as one tree, if they are short and the notation can say them.
std::optional<std::pair<Unit, Unit>> as_units(const Kernel& one, const Kernel& other) {
    if (one.K > longest_question) return std::nullopt;
    try {
        return std::pair(written_out(one), written_out(other));
    } catch (const Error&) {
        return std::nullopt;
    }
}

int report(const Options& options, std::string_view verdict, const std::string& by, const Ground& ground,
           const Json& vector, const Compared& compared, const Distances& distances, const Streams& io) {
    if (options.json) {
        Json object = {{"verdict", verdict}, {"by", by}};
        put_ground(object, ground);
        object["vector"] = vector;
        object["compared"] = compared.products;
        object["different"] = compared.different;
        object["apart"] = distances.json();
        io.out << to_text(object) << '\n';
    } else {
        if (verdict == "same")
            io.out << fmt::format("same bits{}: {}\n", options.limits.any() ? " on these inputs" : "", by);
        else if (verdict == "different")
            io.out << fmt::format("different: {}\n  {}\n", by, to_text(vector));
        else
            io.out << fmt::format("unknown: {}\n", by);
        if (compared.products != 0) {
            distances.print(io.out);
            io.out << fmt::format("compared {}, different {}\n", compared.products, compared.different);
        }
    }
    return verdict == "same" ? status::done : verdict == "different" ? status::different : status::unknown;
}

} // namespace

int same_bits(Arguments arguments, const Streams& io) {
    Options options;
    CommandLine line("same-bits", example);
    line.add_option("KERNEL", options.first, "UNIT@[SCHEDULE], or a UNIT, which chains in the order of k").required();
    line.add_option("KERNEL2", options.second, "the second one").required();
    line.add_option("A", options.a, "M x K; with B, the products of these are compared");
    line.add_option("B", options.b, "K x N");
    line.add_option("C", options.c, "M x N; +0 without it");
    line.add_shared("--K", options.K, "of both kernels; matrices have their own");
    line.add_shared("-n", options.n, "of random products");
    line.add_shared("--seed", options.seed);
    line.add_shared("--timeout", options.timeout);
    add_input_limits(line, options.limits);
    line.add_shared("--numbers", options.numbers, ".csv and .txt have a row of them a line");
    line.add_shared("--round", options.round);
    line.add_shared("--json", options.json, "one object");
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (!options.a.empty() && options.b.empty()) throw Error("same-bits: B is missing after A");

    std::optional<Factors> factors;
    std::optional<int> K = options.K == 0 ? std::nullopt : std::optional(options.K);
    if (!options.a.empty()) {
        const Unit unit = instruction_of(options.first);
        if (unit.scale)
            throw Error("same-bits: matrices of units with scales are not read; without files, products are random");
        MatrixNumbers numbers{.given = options.numbers, .rounding = number_rounding_from(options.round)};
        const ReadAs as{.unit = options.first, .shape = shape_of(unit)};
        factors = read_factors(unit, options.a, options.b, options.c, std::nullopt, as, io, numbers);
        const std::size_t k = factors->size().k;
        if (K && static_cast<std::size_t>(*K) != k)
            throw Error(sentence("same-bits: --K ", *K, " was given, but A has ", k, " columns"));
        K = static_cast<int>(std::min<std::size_t>(k, 1 << 21));
    }
    const Kernel one = resolve_kernel(options.first, K), other = resolve_kernel(options.second, K);
    const Shape shape = shape_of(one);
    if (const std::string what = difference(shape, shape_of(other)); !what.empty())
        throw Error(sentence("the kernels cannot be compared, because they differ in ", what, ": ", to_string(shape),
                             " and ", to_string(shape_of(other))));
    if (!options.c.empty() && !shape.c) throw Error("C was given, but the unit has no accumulator");
    const InputLimits limits = limits_of_question(options.limits);
    require_operands(limits, one.unit);

    Interrupt interrupt(io, options.timeout);
    Distances distances(format(shape.d));
    Compared compared;
    if (factors) {
        compared = compare_matrices(one, other, *factors, distances);
        const bool differ = compared.different != 0;
        return report(options, differ ? "different" : "unknown",
                      differ ? "on these matrices"
                             : "the same on these matrices; without them all inputs are asked about",
                      {}, compared.first, compared, distances, io);
    }
    if (one == other)
        return report(options, "same", "they are the same kernel", by_structure, nullptr, compared, distances, io);
    std::string why = sentence("nothing is proved of K beyond ", longest_question);
    if (const auto units = as_units(one, other)) {
        DiscriminateOptions solving;
        solving.timeout = options.timeout / 2;
        solving.seed = options.seed;
        solving.limits = limits;
        solving.stop = interrupt.token();
        Progress progress(io);
        if (progress.is_wanted()) solving.progress = [&](const std::string& stage) { progress.show(stage); };
        const Answer answer = discriminate(units->first, units->second, solving);
        progress.clear();
        if (answer.verdict == Verdict::equivalent)
            return report(options, "same",
                          answer.same_tree ? "the same computation of the inputs" : "proved by " + answer.by,
                          answer.ground, nullptr, compared, distances, io);
        if (answer.verdict == Verdict::different) compared.first = json_of(shape, answer.witnesses.front());
        why = "neither a difference nor a proof was found in time";
    }
    const Json witness = compared.first;
    if (options.limits.exponents.empty())
        compared = compare_vectors(options, one, other, options.timeout / 2, interrupt, distances, io);
    interrupt.work_is_done();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";
    if (!witness.is_null()) return report(options, "different", "for example on", {}, witness, compared, distances, io);
    if (compared.different != 0)
        return report(options, "different", "for example on", {}, compared.first, compared, distances, io);
    const char* const tried =
        options.limits.exponents.empty() ? "the same on all random products; " : "random products keep to no --range; ";
    return report(options, "unknown", tried + why, {}, nullptr, compared, distances, io);
}

} // namespace discern::cli
