// A whole matrix product as a unit would compute it.
#include "cli/files/factors.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/products.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "distance.hpp"
#include "hwrunner/gpu/by_name.hpp"
#include "interrupt.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/decimal.hpp"
#include "models/import/npy.hpp"
#include "models/kernel_gemm.hpp"
#include "models/products.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::string_view gemm_example =
    "  discern gemm hopper/wgmma.m64n8k16.f32.f16.f16 a.npy b.npy c.npy -o d.npy\n"
    "      D = A*B + C as a Hopper would compute it\n"
    "  discern gemm cdna3/v_mfma_f32_16x16x16_bf16 a.bin b.bin --size 128,64,256 --alpha 0.5 -o d.bin\n"
    "      raw files of 16-bit words; D = 0.5*A*B\n"
    "  discern gemm 'hopper/wgmma.m64n8k16.f32.f16.f16@[split=4 reduce=order:f32:rne]' a.npy b.npy -o d.npy\n"
    "      the same in four parts of k, added in order\n"
    "  discern gemm hopper/wgmma.m64n8k16.f32.f16.f16 cdna3/v_mfma_f32_16x16x16_f16 a.npy b.npy\n"
    "      how far apart two units are on the same matrices\n\n"
    "A (M x K), B (K x N) and C (M x N) are .npy files (unsigned integers are bit patterns, floats numbers), files of\n"
    "vectors (.jsonl, .csv, .txt: a are rows of A, b columns of B, c elements of C), raw little-endian words (--size), "
    "or\n"
    "with --numbers text, a row a line. Without C it is +0. fp4, fp6 and fp8 are one a byte. K is divided into "
    "instructions\n"
    "in order; the last one's missing elements are +0. If alpha and beta are 1 the unit chains from C, else from +0, "
    "and\n"
    "then each d is one fused multiply-add.";

struct GemmSettings {
    std::string unit, other_unit, check, a, b, c, sa, sb, out, size, kernels = "best", round = "rne";
    double alpha = 1, beta = 1, timeout = std::numeric_limits<double>::infinity();
    bool from_zero = false, verbose = false, numbers = false, json = false;
    unsigned threads = 1;
};

/// "M,N,K"
std::optional<GemmSize> size_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    std::array<std::size_t, 3> numbers{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t end = i == 2 ? text.size() : std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, end - at);
        const bool digits =
            !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos;
        if (!digits || (i < 2 && end == text.size()))
            throw Error("--size " + text + " is not a size; it must be M,N,K, as in 128,64,256");
        numbers[i] = std::stoul(word);
        at = end + 1;
    }
    return GemmSize{numbers[0], numbers[1], numbers[2]};
}

/// Whether the argument after the unit is another one: no file is called so, and it reads as a unit.
bool is_unit(const std::string& text) {
    std::error_code ignored;
    if (std::filesystem::exists(text, ignored)) return false;
    if (is_product_alone(text)) return true;
    try {
        instruction_of(text);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// A product alone, with the formats of the matrices, and f32 unless C says another.
std::string of_arrays(const GemmSettings& options, const Streams& io) {
    const auto format_in = [&](const std::string& path) -> std::optional<FormatId> {
        if (!path.ends_with(".npy")) return std::nullopt;
        InputFile file(path, io);
        return format_of(read_npy(contents_of(file.stream()), path));
    };
    const auto a = format_in(options.a), b = format_in(options.b);
    if (!a || !b || *a != *b)
        throw Error(options.unit + " is a product, and the types of A and B do not say its formats; PRODUCT/FORMAT is "
                                   "right, as in A100/f16");
    const auto c = options.c.empty() ? std::nullopt : format_in(options.c);
    std::string name = options.unit, rest;
    const std::size_t end = std::min({name.find('{'), name.find("@["), name.size()});
    rest = name.substr(end);
    return sentence(name.substr(0, end), "/", format(*a).name, c ? sentence(".", format(*c).name) : "", rest);
}

/// What multiplies: a unit in the order of k, or a kernel.
class Multiplier {
  public:
    /// @param kernels  by name
    Multiplier(const std::string& text, std::size_t k, GemmOptions how, const std::string& kernels) {
        if (!has_schedule(text)) {
            const Unit unit = resolve_unit(text);
            gpu::use_kernels(how, kernels, unit);
            plain_.emplace(unit, std::move(how));
            return;
        }
        if (kernels == gpu::gpu_kernels)
            throw Error("gemm: --kernels gpu computes instructions in the order of k, and no schedule; best computes "
                        "this");
        if (k > longest_kernel)
            throw Error(sentence("schedule: K=", k, " is too long; at most ", longest_kernel, " is right"));
        const Kernel kernel = resolve_kernel(text, static_cast<int>(k));
        gpu::use_kernels(how, kernels, kernel.unit);
        scheduled_.emplace(kernel, std::move(how));
    }
    bool operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                    Patterns sb) const {
        return plain_ ? (*plain_)(size, a, b, c, d, sa, sb) : (*scheduled_)(size, a, b, c, d, sa, sb);
    }
    std::string kernels() const { return plain_ ? plain_->kernels() : scheduled_->kernels(); }
    FormatId d() const { return plain_ ? plain_->unit().d : scheduled_->kernel().d(); }

  private:
    std::optional<Gemm> plain_;
    std::optional<KernelGemm> scheduled_;
};

/// Formats and scale blocks must be the same; K need not, since each unit divides the product into its own blocks.
std::string difference_but_for_k(const Unit& one, const Unit& other) {
    Shape shape = shape_of(other);
    shape.K = one.K;
    return difference(shape_of(one), shape);
}

int compare(const GemmSettings& options, const MatrixData& one, const MatrixData& other, bool nan_any,
            const Streams& io) {
    const Format& f = format(one.format);
    Distances distances(f);
    const Differing found = differing(one, other, nan_any, distances);
    if (options.json) {
        io.out << to_text({{"compared", found.compared},
                           {"different", found.different},
                           {"first", json_of(found, one, other)},
                           {"apart", distances.json()}})
               << '\n';
    } else {
        const std::size_t i = found.row * one.columns + found.column;
        if (found.different != 0)
            io.out << fmt::format("first difference at row {}, column {} (from 0): {}{} and {}{}\n", found.row,
                                  found.column, options.check.empty() ? "" : "the unit gives ", described(f, one.at(i)),
                                  options.check.empty() ? "" : "the file has ", described(f, other.at(i)));
        distances.print(io.out);
        io.out << fmt::format("compared {}, different {}\n", found.compared, found.different);
    }
    return found.different == 0 ? status::done : status::different;
}

} // namespace

int gemm(Arguments arguments, const Streams& io) {
    GemmSettings options;
    CommandLine line("gemm", gemm_example);
    std::string last;
    line.add_option("UNIT", options.unit,
                    "the unit, or the kernel UNIT@[SCHEDULE]; a second one may follow, and the two are compared")
        .required();
    line.add_option("A", options.a, "M x K").required();
    line.add_option("B", options.b, "K x N").required();
    line.add_option("C", options.c, "M x N; +0 without it");
    line.add_option("…", last, "C, where there are two units");
    line.add_real("--alpha", options.alpha, "times A*B; a number of d's format");
    line.add_real("--beta", options.beta, "times C; a number of d's format");
    line.add_flag("--from-zero", options.from_zero, "chain from +0 and add C at the end, also if alpha and beta are 1");
    line.add_option("--sa", options.sa, "scales of A, M x K/block; not for files of vectors, which have them");
    line.add_option("--sb", options.sb, "scales of B, K/block x N");
    line.add_option("--size", options.size, "M,N,K, for raw files");
    line.add_option("--check", options.check, "compare with the matrix D of that file; exit status 1 if it differs")
        .type_name("FILE");
    line.add_shared("--threads", options.threads);
    line.add_option("--kernels", options.kernels, gpu::kernel_names() + " (best); results are the same");
    line.add_flag("--verbose", options.verbose, "say on standard error which kernels compute");
    line.add_shared("--numbers", options.numbers, ".csv and .txt have a row of them a line");
    line.add_shared("--round", options.round);
    line.add_shared("--timeout", options.timeout);
    line.add_shared("--json", options.json, "of two units: one object");
    line.add_shared("-o", options.out, ".npy, else raw; without it hexadecimal text, a row a line");
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (is_unit(options.a)) {
        options.other_unit = std::exchange(options.a, std::exchange(options.b, std::exchange(options.c, last)));
        if (options.b.empty()) throw Error("gemm: B is missing after two units and A");
        if (!options.out.empty()) throw Error("gemm: -o is for one unit; two are compared");
    } else if (!last.empty()) {
        throw Error("gemm: " + excerpt(last, 200) + " is one argument too many; A, B and C follow the unit");
    }
    if (options.json && options.other_unit.empty() && options.check.empty())
        throw Error("gemm: --json is for the comparison of two units, or with --check");
    if (!options.check.empty() && (!options.other_unit.empty() || !options.out.empty()))
        throw Error("gemm: --check compares one unit with a file; a second unit and -o are not for it");
    if (!options.other_unit.empty()) decide_products(std::array{&options.unit, &options.other_unit});
    if (is_product_alone(options.unit)) options.unit = of_arrays(options, io);
    if (is_product_alone(options.other_unit)) decide_products(std::array{&options.unit, &options.other_unit});
    const Unit unit = instruction_of(options.unit);
    const ReadAs as{.unit = options.unit, .shape = shape_of(unit)};
    MatrixNumbers numbers{.given = options.numbers, .rounding = number_rounding_from(options.round)};
    const Factors factors = read_factors(unit, options.a, options.b, options.c, size_of(options.size), as, io, numbers);
    const GemmSize size = factors.size();

    Interrupt interrupt(io, options.timeout);
    Progress progress(io);
    GemmOptions how;
    how.alpha = options.alpha;
    how.from_zero = options.from_zero;
    // Without an accumulator there is no C, whatever beta says.
    how.beta = unit.c ? options.beta : options.alpha == 1 && !options.from_zero ? 1 : 0;
    how.threads = options.threads;
    how.progress = [&](double part) {
        if (progress.is_wanted()) progress.show(fmt::format("multiplying: {:.0f} %", part * 100));
        return !interrupt.stopped();
    };
    const Multiplier gemm(options.unit, size.k, how, options.kernels);
    if (options.verbose) io.err << fmt::format("kernels: {}\n", gemm.kernels());

    MatrixData sa(unit.scale ? unit.scale->format : unit.a, 0, 0), sb = sa;
    if (unit.scale) {
        const std::size_t scales = Gemm(unit).scales(size.k);
        const std::string &from_a = options.sa.empty() ? options.a : options.sa,
                          &from_b = options.sb.empty() ? options.b : options.sb;
        if (options.sa.empty() && !options.a.ends_with(".jsonl")) throw Error("the unit has scales; --sa is missing");
        if (options.sb.empty() && !options.b.ends_with(".jsonl")) throw Error("the unit has scales; --sb is missing");
        sa = read_matrix(from_a, unit.scale->format, Part::sa, MatrixSize{size.m, scales}, as, io, numbers);
        sb = read_matrix(from_b, unit.scale->format, Part::sb, MatrixSize{scales, size.n}, as, io, numbers);
    } else if (!options.sa.empty() || !options.sb.empty()) {
        throw Error("--sa or --sb was given, but the unit has no scales");
    }
    if (numbers.rounded > 0)
        io.err << fmt::format("discern: {} are none of their formats and were rounded ({}); --round exact refuses "
                              "them\n",
                              counted(numbers.rounded, "number"), options.round);
    MatrixData d(gemm.d(), size.m, size.n);
    const auto multiply = [&](const Multiplier& by, MatrixData& to) {
        return by(size, factors.a.patterns(), factors.b.patterns(), factors.c.patterns(), to.writable(), sa.patterns(),
                  sb.patterns());
    };
    bool done = multiply(gemm, d);
    if (done && !options.other_unit.empty()) {
        const Unit other = instruction_of(options.other_unit);
        const Multiplier by(options.other_unit, size.k, how, options.kernels);
        std::string what = difference_but_for_k(unit, other);
        if (what.empty() && gemm.d() != by.d()) what = "formats";
        if (!what.empty())
            throw Error(sentence("gemm: ", options.unit, " and ", options.other_unit, " differ in ", what));
        MatrixData d2(gemm.d(), size.m, size.n);
        done = multiply(by, d2);
        progress.clear();
        if (done)
            return compare(options, d, d2, unit.nan.kind == NanRule::Kind::any || other.nan.kind == NanRule::Kind::any,
                           io);
    }
    progress.clear();
    if (!done) io.err << fmt::format("discern: {}; there is no result\n", interrupt.reason());
    if (!done) return status::unknown;
    if (!options.check.empty()) {
        MatrixNumbers of_check{.given = options.numbers, .rounding = number_rounding_from(options.round)};
        const MatrixData seen =
            read_matrix(options.check, gemm.d(), Part::c, MatrixSize{size.m, size.n}, as, io, of_check);
        report_rounded(of_check.rounded, options.round, io);
        const int compared = compare(options, d, seen, unit.nan.kind == NanRule::Kind::any, io);
        if (compared == status::different && of_check.has_few_digits)
            io.err << fmt::format("discern: {} has fewer digits than {} needs ({}), so results that are the same can "
                                  "look different; all digits, or a .npy file, tell\n",
                                  options.check, format(gemm.d()).name, digits_needed(format(gemm.d())));
        return compared;
    }
    write_matrix(options.out, d, io);
    return status::done;
}

} // namespace discern::cli
