// Do two kernels give the same bits: on all inputs, on all within limits, or how often not.
//
// Kernels with one normal form are the same, however long; so are those that are put together alike from blocks that
// are proved equal. Short kernels are asked about like units, and the answer is a proof or a vector. Of all others, and
// where the time is over, products are compared: of matrices from files, or of random ones.
#include "cli/base/distance.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/factors.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/options/values.hpp"
#include "cli/programs/ptx.hpp"
#include "cli/question/certify.hpp"
#include "cli/question/common.hpp"
#include "models/error.hpp"
#include "models/kernel_gemm.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "solver/decide/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace discern::cli {

namespace {

constexpr int longest_asked_about = 64; ///< products, beyond which kernels are not asked about like units
constexpr int longest_shown = 64;       ///< products of a vector that is printed as it is

struct SameBitsSettings : PtxQuestion {
    std::string a, b, c, d, round = "rne";
    int K = 0;
    LimitWords limits;
    bool numbers = false;
};

/// Counts of what was compared.
struct Compared {
    std::uint64_t products = 0, different = 0;
    Json first;                     ///< the first difference, a vector or an element; null: there is none
    std::string place{};            ///< where that is, in words
    std::optional<Vector> vector{}; ///< the first, if it is one, with both results

    void found(const Shape& shape, const Vector& one, std::string where) {
        first = json_of(shape, one);
        place = std::move(where);
        vector = one;
    }
};

bool nan_any(const Kernel& one, const Kernel& other) {
    const auto any = [](const Kernel& k) { return k.d() != k.unit.d || k.unit.nan.kind == NanRule::Kind::any; };
    return any(one) || any(other);
}

/// The kernel of the whole instructions that K products need: as gemm has it, what is missing at the end is +0.
Kernel resolve_whole(const std::string& text, const std::optional<int>& K) {
    const Unit unit = instruction_of(text);
    if (!K || *K % unit.K == 0 || unit.scale) return resolve_kernel(text, K);
    return resolve_kernel(text, (*K / unit.K + 1) * unit.K);
}

/// The shape of the products that are asked about, of which a kernel may have more.
Shape shape_of_question(const Kernel& kernel, const std::optional<int>& K) {
    Shape shape = shape_of(kernel);
    if (K && !shape.scale) shape.K = *K;
    return shape;
}

/// More columns, or rows, of +0.
MatrixData widened(const MatrixData& from, std::size_t rows, std::size_t columns) {
    MatrixData to(from.format, rows, columns);
    for (std::size_t i = 0; i < from.rows; ++i)
        for (std::size_t j = 0; j < from.columns; ++j) to.set(i * columns + j, from.at(i * from.columns + j));
    return to;
}

/// Random products, as many as are asked for and the time is for.
/// @param shape  of the question
Compared compare_vectors(const SameBitsSettings& options, const Shape& shape, const Kernel& one, const Kernel& other,
                         double seconds, const Interrupt& interrupt, Distances& distances, const Streams& io) {
    const Format& d = format(shape.d);
    const KernelEvaluator first(one), second(other);
    const auto real = static_cast<std::size_t>(shape.K);
    const auto result = [](const KernelEvaluator& kernel, const InputBuffer& from) {
        Inputs inputs = from.inputs();
        inputs.a = inputs.a.first(static_cast<std::size_t>(kernel.kernel().K));
        inputs.b = inputs.b.first(static_cast<std::size_t>(kernel.kernel().K));
        return kernel(inputs);
    };
    const std::vector<std::string> all;
    Stimulus stimulus(chain_of(one.K < other.K ? other : one), all, limits_of_stimulus(options.limits), options.seed);
    const bool any = nan_any(one, other);
    const auto end = deadline_in(seconds);
    Compared compared;
    Counter counter(io, "compared", options.vectors);
    InputBuffer x;
    while (compared.products < options.vectors && !interrupt.requested() && std::chrono::steady_clock::now() < end) {
        counter.at(compared.products++);
        stimulus.next(x);
        for (std::size_t k = real; k < x.a.size(); ++k) x.a[k] = x.b[k] = 0;
        const std::uint64_t d1 = result(first, x), d2 = result(second, x);
        if (same_observation(d, any, d1, d2)) continue;
        distances.add(d1, d2);
        if (compared.different++ > 0) continue;
        x.a.resize(real);
        x.b.resize(real);
        Vector vector = vector_of(shape, x.inputs());
        vector.d = {d1, d2};
        vector.d_is_list = true;
        compared.found(shape, vector, sentence("random product ", compared.products, " of --seed ", options.seed));
    }
    return compared;
}

Compared compare_matrices(const Kernel& one, const Kernel& other, const Factors& factors, Distances& distances) {
    const Shape shape = shape_of(one);
    const GemmSize size = factors.size();
    MatrixData d1(shape.d, size.m, size.n), d2 = d1;
    const auto multiply = [&](const Kernel& kernel, MatrixData& d) {
        GemmSize whole = size;
        whole.k = static_cast<std::size_t>(kernel.K);
        const bool more = whole.k != size.k;
        const MatrixData a = more ? widened(factors.a, size.m, whole.k) : MatrixData(),
                         b = more ? widened(factors.b, whole.k, size.n) : MatrixData();
        KernelGemm multiplying(kernel);
        multiplying(whole, (more ? a : factors.a).patterns(), (more ? b : factors.b).patterns(),
                    shape.c ? factors.c.patterns() : Patterns(), d.out());
    };
    multiply(one, d1);
    multiply(other, d2);
    const Differing found = differing(d1, d2, nan_any(one, other), distances);
    return {.products = found.compared, .different = found.different, .first = json_of(found, d1, d2)};
}

/// Both as one tree, if they are short and the notation can say them.
std::optional<std::pair<Unit, Unit>> as_units(const Kernel& one, const Kernel& other) {
    if (one.K > longest_asked_about) return std::nullopt;
    try {
        return std::pair(written_out(one), written_out(other));
    } catch (const Error&) {
        return std::nullopt;
    }
}

struct SameBitsReport {
    std::string_view verdict;
    std::string by;
    Ground ground{};
    Compared found{};                      ///< on which they differ
    std::uint64_t challenged = 0;          ///< as Answer::challenged
    std::vector<std::string> assumed = {}; ///< of kernels of different shapes
};

void print_example(const SameBitsSettings& options, const Shape& shape, const Compared& shown, std::ostream& out) {
    if (!shown.vector || shape.K <= longest_shown) {
        out << fmt::format("  {}\n", to_text(shown.first));
        return;
    }
    const Format& d = format(shape.d);
    out << fmt::format("  {}: {} and {}{}\n", shown.place, described(d, shown.vector->d.at(0)),
                       described(d, shown.vector->d.at(1)),
                       options.out.empty() ? "; -o FILE or --json has the vector" : "");
}

int tell(const SameBitsReport& report, const SameBitsSettings& options, const Shape& shape, const Compared& compared,
         const Distances& distances, const Streams& io) {
    if (!options.out.empty() && report.found.vector) {
        OutputFile file(options.out, io);
        Header header;
        header.shape = shape;
        if (!report.assumed.empty()) header.other.emplace_back("assumed", to_text(Json(report.assumed)));
        VectorWriter(file.stream(), shape, header).write(*report.found.vector);
        file.finish();
    }
    if (options.json) {
        Json object = {{"verdict", report.verdict}, {"by", report.by}};
        put_ground(object, report.ground);
        object["challenged"] = report.challenged;
        put_assumed(object, report.assumed);
        object["vector"] = report.found.first;
        object["compared"] = compared.products;
        object["different"] = compared.different;
        object["apart"] = distances.json();
        print_line(io.out, object);
    } else {
        if (report.verdict == "same")
            io.out << fmt::format("same bits{}: {}\n", options.limits.any() ? " on these inputs" : "", report.by);
        else
            io.out << fmt::format("{}: {}\n", report.verdict, report.by);
        if (report.verdict == "different") print_example(options, shape, report.found, io.out);
        print_assumed(io.out, report.assumed);
        if (compared.products != 0) {
            distances.print(io.out);
            io.out << fmt::format("compared {}, different {}\n", compared.products, compared.different);
        }
    }
    return report.verdict == "same"        ? status::done
           : report.verdict == "different" ? status::different
                                           : status::unknown;
}

/// A vector of a block in a long one, in words.
std::string where_it_is(const Vector& vector) {
    std::size_t first = vector.a.size(), last = 0;
    for (std::size_t k = 0; k < vector.a.size(); ++k)
        if (vector.a[k] != 0 || vector.b[k] != 0) first = std::min(first, k), last = k;
    if (first > last) return "a vector whose products are all +0";
    return sentence("a vector that is +0 but for products ", first, " to ", last, " (from 0)");
}

/// What is known without comparing products: by structure, by a block, or as of units. @param why  if nothing is
/// @param whole  the kernels have no products but those that are asked about; else only a proof is an answer
SameBitsReport decided(const Kernel& one, const Kernel& other, bool whole, const DiscriminateOptions& solving,
                       std::string& why) {
    const auto report = [&](const Answer& answer, const std::string& same) {
        SameBitsReport known{.verdict = "unknown", .by = {}};
        if (answer.verdict == Verdict::equivalent)
            known = {"same", answer.same_tree ? same : "proved by " + answer.by, answer.ground, {}, answer.challenged};
        if (answer.verdict == Verdict::different && whole) {
            known = {"different", "for example on"};
            known.found.found(shape_of(one), answer.witnesses.front(), where_it_is(answer.witnesses.front()));
        }
        return known;
    };
    if (one.K != other.K) return {.verdict = "unknown", .by = {}};
    const auto units = as_units(one, other);
    DiscriminateOptions half = solving;
    half.timeout = solving.timeout / 2;
    if (units && !same_structure(one, other)) {
        const SameBitsReport known =
            report(discriminate(units->first, units->second, half), "the same computation of the inputs");
        if (known.verdict != "unknown") return known;
        why = "neither a difference nor a proof was found in time";
    }
    const Answer answer = decide_kernels(one, other, units ? half : solving);
    SameBitsReport known =
        report(answer, one == other ? "they are the same kernel" : "they are one computation of the inputs");
    if (answer.verdict == Verdict::equivalent && !answer.same_tree)
        known.by = sentence("each block of the one is one of the other, ",
                            answer.by == "one computation of the inputs" ? "" : "proved by ", answer.by);
    return known;
}

/// Kernels of different shapes, on inputs of both.
CommonForm common_kernels(const SameBitsSettings& options, const Kernel& one, const Kernel& other,
                          const std::optional<int>& K) {
    const std::string shapes = sentence(to_string(shape_of(one)), " and ", to_string(shape_of(other)));
    if (!options.a.empty())
        throw Error(sentence("the kernels cannot be compared on these matrices, because they are of different shapes, ",
                             shapes, "; without matrices all inputs are asked about"));
    if (K && (one.K != *K || other.K != *K))
        throw Error(sentence("--K ", *K, ": kernels of different shapes, ", shapes,
                             ", are compared over whole instructions; a multiple of ",
                             std::lcm(one.unit.K, other.unit.K), " is right"));
    return checked_common_form({{options.kernels[0], one}, {options.kernels[1], other}}, conversion_of(options.d));
}

void add_options(CommandLine& line, SameBitsSettings& options) {
    line.add_option("KERNEL", options.kernels[0],
                    "UNIT@[SCHEDULE], a UNIT, which chains in the order of k, or ptx:FILE")
        .required();
    line.add_option("KERNEL2", options.kernels[1], "the second one").required();
    line.add_option("A", options.a, "M x K; with B, the products of these are compared");
    line.add_option("B", options.b, "K x N");
    line.add_option("C", options.c, "M x N; +0 without it");
    line.add_shared("--K", options.K, "of both kernels; matrices have their own");
    line.add_shared("-n", options.vectors, "of random products");
    line.add_shared("--seed", options.seed);
    line.add_shared("--timeout", options.timeout);
    add_input_limits(line, options.limits);
    add_result_format(line, options.d);
    line.add_shared("--numbers", options.numbers, ".csv and .txt have a row of them a line");
    line.add_shared("--round", options.round);
    line.add_shared("--json", options.json, "one object");
    line.add_shared("-o", options.out, "the vector on which they differ");
    line.add_shared("--launch", options.launches, "the n-th is that of the n-th").one_each_time();
}

int of_kernel_files(const SameBitsSettings& options, const Streams& io) {
    if (!options.a.empty() || options.limits.any() || options.K != 0)
        throw Error("same-bits: kernels of ptx:FILE are compared for all inputs of their launch, without matrices, "
                    "limits and --K");
    return same_bits_of_ptx(options, io);
}

/// The matrices, if there are any, whose K is then that of the kernels.
std::optional<Factors> factors_of(const SameBitsSettings& options, std::optional<int>& K, const Streams& io) {
    if (options.a.empty()) return std::nullopt;
    if (options.b.empty()) throw Error("same-bits: B is missing after A");
    const Unit unit = instruction_of(options.kernels[0]);
    if (unit.scale)
        throw Error("same-bits: matrices of units with scales are not read; without files, products are random");
    MatrixNumbers numbers{.given = options.numbers, .rounding = number_rounding_from(options.round)};
    const ReadAs as{.unit = options.kernels[0], .shape = shape_of(unit)};
    Factors factors = read_factors(unit, options.a, options.b, options.c, std::nullopt, as, io, numbers);
    const std::size_t k = factors.size().k;
    if (K && static_cast<std::size_t>(*K) != k)
        throw Error(sentence("same-bits: --K ", *K, " was given, but A has ", k, " columns"));
    K = static_cast<int>(std::min<std::size_t>(k, longest_kernel + 1));
    return factors;
}

/// What is said of the products of given matrices.
SameBitsReport report_of(const Compared& compared) {
    const bool differ = compared.different != 0;
    return {differ ? "different" : "unknown",
            differ ? "on these matrices" : "the same on these matrices; without them all inputs are asked about",
            {},
            compared};
}

int run_same_bits(const Command& self, Arguments arguments, const Streams& io) {
    SameBitsSettings options;
    CommandLine line(self);
    add_options(line, options);
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (programs::is_kernel_file(options.kernels[0]) || programs::is_kernel_file(options.kernels[1]))
        return of_kernel_files(options, io);
    decide_products(std::array{&options.kernels[0], &options.kernels[1]});

    std::optional<int> K = options.K == 0 ? std::nullopt : std::optional(options.K);
    const std::optional<Factors> factors = factors_of(options, K, io);
    Kernel one = resolve_whole(options.kernels[0], K), other = resolve_whole(options.kernels[1], K);
    Shape shape = shape_of_question(one, K);
    std::optional<CommonForm> common;
    if (shape != shape_of_question(other, K) || !options.d.empty()) {
        common = common_kernels(options, one, other, K);
        one = common->kernels.front(), other = common->kernels.back();
        shape = common->shape;
    }
    if (!options.c.empty() && !shape.c) throw Error("C was given, but the unit has no accumulator");
    const InputLimits limits = limits_of_question(options.limits);
    require_operands(limits, one.unit);

    Interrupt interrupt(io, options.timeout);
    Distances distances(format(shape.d));
    Compared compared;
    if (factors) {
        compared = compare_matrices(one, other, *factors, distances);
        return tell(report_of(compared), options, shape, compared, distances, io);
    }
    std::string why = "they are put together in different ways, of which nothing is proved";
    DiscriminateOptions solving;
    solving.timeout = options.timeout / 2;
    solving.seed = options.seed;
    solving.limits = limits;
    solving.stop = interrupt.token();
    Progress progress(io);
    if (progress.is_wanted()) solving.progress = [&](const std::string& stage) { progress.show(stage); };
    SameBitsReport report = decided(one, other, one.K == shape.K && other.K == shape.K, solving, why);
    progress.clear();
    if (common) report.assumed = common->assumed;
    if (report.verdict == "same") return tell(report, options, shape, compared, distances, io);
    if (options.limits.exponents.empty())
        compared = compare_vectors(options, shape, one, other, options.timeout / 2, interrupt, distances, io);
    interrupt.work_is_done();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";
    if (report.verdict == "unknown" && compared.different != 0)
        report = {"different", "for example on", {}, compared, 0, std::move(report.assumed)};
    if (common && report.found.vector) require_own_results(*common, *report.found.vector);
    if (report.verdict == "unknown")
        report.by = (options.limits.exponents.empty() ? "the same on all random products; "
                                                      : "random products keep to no --range; ") +
                    why;
    return tell(report, options, shape, compared, distances, io);
}

} // namespace

extern constinit const Command same_bits_command{
    .name = "same-bits",
    .usage = "KERNEL KERNEL",
    .summary = "whether two kernels give the same bits, or how often not",
    .example = "  discern same-bits 'x86/fma.f32@[split=2]' 'x86/fma.f32@[lanes=2]' --K 4\n"
               "      short ones: a proof, or a vector on which they differ\n"
               "  discern same-bits 'U@[split=4 reduce=order:f32:rne]' 'U@[]' --K 4096 with "
               "hopper/wgmma.m64n8k16.f32.f16.f16 as U\n"
               "      long ones: a proof if they are one computation, else how many of random "
               "products differ, and how far\n"
               "  discern same-bits KERNEL KERNEL a.npy b.npy\n"
               "      the same of the products of these matrices",
    .run = run_same_bits,
    .docs = {.group = "Whole matrices", .page = "same-bits", .schemas = {"same-bits"}, .in_python = true}};

} // namespace discern::cli
