// A whole matrix product as a unit would compute it.
#include "cli/base/distance.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/factors.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "cli/programs/ptx.hpp"
#include "hwrunner/gpu/by_name.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/cells.hpp"
#include "models/import/decimal.hpp"
#include "models/import/npy.hpp"
#include "models/kernel_gemm.hpp"
#include "models/products.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace discern::cli {

namespace {

struct GemmSettings : PtxProduct {
    std::string other_unit, check, a, b, c, sa, sb, size, kernels = "best";
    double alpha = 1, beta = 1, timeout = std::numeric_limits<double>::infinity();
    bool from_zero = false, verbose = false, json = false;
};

/// "M,N,K"
std::optional<GemmSize> size_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const std::vector<std::string> words = import_cells::split(text, ',');
    const auto is_wrong = [](const std::string& word) { return word.empty() || word.size() > 9; };
    if (words.size() != 3 || std::ranges::any_of(words, is_wrong) ||
        text.find_first_not_of("0123456789,") != std::string::npos)
        throw Error("--size " + text + " is not a size; it must be M,N,K, as in 128,64,256");
    return GemmSize{std::stoul(words[0]), std::stoul(words[1]), std::stoul(words[2])};
}

/// Whether the argument after the unit is another one: no file is called so, and it reads as a unit.
bool is_unit(const std::string& text) {
    if (is_there(text)) return false;
    if (is_product_alone(text)) return true;
    return error_of([&] { instruction_of(text); }).empty();
}

/// A product alone, with the formats of the matrices, and f32 unless C says another.
std::string of_arrays(const GemmSettings& options, const Streams& io) {
    const auto format_in = [&](const std::string& path) -> std::optional<FormatId> {
        if (!path.ends_with(".npy")) return std::nullopt;
        InputFile file(path, io);
        return format_of(read_npy(array_file(file.stream()), path));
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
        print_line(io.out, {{"compared", found.compared},
                            {"different", found.different},
                            {"first", json_of(found, one, other)},
                            {"apart", distances.json()}});
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

/// The second unit, where the first argument behind the unit is one, and what goes together.
void settle(GemmSettings& options, const std::string& last) {
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
}

/// One product of matrices, and what is asked about it.
class Product {
  public:
    Product(const GemmSettings& options, const Streams& io)
        : options_(options), io_(io),
          unit_(instruction_of(options.unit)), as_{.unit = options.unit, .shape = shape_of(unit_)},
          numbers_{.given = options.numbers, .rounding = number_rounding_from(options.round)},
          factors_(read_factors(unit_, options.a, options.b, options.c, size_of(options.size), as_, io, numbers_)),
          size_(factors_.size()), interrupt_(io, options.timeout), progress_(io),
          gemm_(options.unit, size_.k, how(), options.kernels), sa_(format_of_scales(), 0, 0), sb_(sa_) {
        if (options.verbose) io.err << fmt::format("kernels: {}\n", gemm_.kernels());
        read_scales();
        report_rounded(numbers_.rounded, options.round, io);
    }

    /// @return the exit status
    int answer() {
        std::optional<MatrixData> d = computed(gemm_);
        if (d && !options_.other_unit.empty()) return beside_other(*d);
        progress_.clear();
        if (!d) return unfinished();
        if (!options_.check.empty()) return checked(*d);
        write_matrix(options_.out, *d, io_);
        return status::done;
    }

  private:
    FormatId format_of_scales() const { return unit_.scale ? unit_.scale->format : unit_.a; }

    GemmOptions how() {
        GemmOptions how;
        how.alpha = options_.alpha;
        how.from_zero = options_.from_zero;
        // Without an accumulator there is no C, whatever beta says.
        how.beta = unit_.c ? options_.beta : options_.alpha == 1 && !options_.from_zero ? 1 : 0;
        how.threads = options_.threads;
        how.progress = [&](double part) {
            if (progress_.is_wanted()) progress_.show(fmt::format("multiplying: {:.0f} %", part * 100));
            return !interrupt_.stopped();
        };
        return how;
    }

    void read_scales() {
        if (!unit_.scale) {
            if (!options_.sa.empty() || !options_.sb.empty())
                throw Error("--sa or --sb was given, but the unit has no scales");
            return;
        }
        const std::size_t scales = Gemm(unit_).scales(size_.k);
        sa_ = scales_of("--sa", options_.sa, options_.a, Part::sa, MatrixSize{size_.m, scales});
        sb_ = scales_of("--sb", options_.sb, options_.b, Part::sb, MatrixSize{scales, size_.n});
    }

    /// Of the file that the option names, or of the operand's own, which is one of vectors then.
    MatrixData scales_of(std::string_view option, const std::string& given, const std::string& operand, Part part,
                         MatrixSize size) {
        if (given.empty() && !operand.ends_with(".jsonl"))
            throw Error(sentence("the unit has scales; ", option, " is missing"));
        return read_matrix(given.empty() ? operand : given, unit_.scale->format, part, size, as_, io_, numbers_);
    }

    /// Nothing if it was interrupted.
    std::optional<MatrixData> computed(const Multiplier& by) {
        MatrixData d(by.d(), size_.m, size_.n);
        if (!by(size_, factors_.a.patterns(), factors_.b.patterns(), factors_.c.patterns(), d.out(), sa_.patterns(),
                sb_.patterns()))
            return std::nullopt;
        return d;
    }

    int unfinished() {
        io_.err << fmt::format("discern: {}; there is no result\n", interrupt_.reason());
        return status::unknown;
    }

    int beside_other(const MatrixData& d) {
        const Unit other = instruction_of(options_.other_unit);
        const Multiplier by(options_.other_unit, size_.k, how(), options_.kernels);
        std::string what = difference_but_for_k(unit_, other);
        if (what.empty() && gemm_.d() != by.d()) what = "formats";
        if (!what.empty())
            throw Error(sentence("gemm: ", options_.unit, " and ", options_.other_unit, " differ in ", what));
        const auto d2 = computed(by);
        progress_.clear();
        if (!d2) return unfinished();
        const bool nan_any = unit_.nan.kind == NanRule::Kind::any || other.nan.kind == NanRule::Kind::any;
        return compare(options_, d, *d2, nan_any, io_);
    }

    int checked(const MatrixData& d) {
        MatrixNumbers numbers{.given = options_.numbers, .rounding = number_rounding_from(options_.round)};
        const MatrixData seen =
            read_matrix(options_.check, gemm_.d(), Part::c, MatrixSize{size_.m, size_.n}, as_, io_, numbers);
        report_rounded(numbers.rounded, options_.round, io_);
        const int compared = compare(options_, d, seen, unit_.nan.kind == NanRule::Kind::any, io_);
        if (compared == status::different && numbers.has_few_digits)
            io_.err << fmt::format("discern: {} has fewer digits than {} needs ({}), so results that are the same can "
                                   "look different; all digits, or a .npy file, tell\n",
                                   options_.check, format(gemm_.d()).name, digits_needed(format(gemm_.d())));
        return compared;
    }

    const GemmSettings& options_;
    const Streams& io_;
    Unit unit_;
    ReadAs as_;
    MatrixNumbers numbers_;
    Factors factors_;
    GemmSize size_;
    Interrupt interrupt_;
    Progress progress_;
    Multiplier gemm_;
    MatrixData sa_, sb_;
};

int run_gemm(const Command& self, Arguments arguments, const Streams& io) {
    GemmSettings options;
    CommandLine line(self);
    std::string last;
    line.add_option(
            "UNIT", options.unit,
            "the unit, or the kernel UNIT@[SCHEDULE] or ptx:FILE; a second unit may follow, and the two are compared")
        .required();
    line.add_option("A", options.a, "M x K").required();
    line.add_option("B", options.b, "K x N; required but for ptx:FILE of one operand");
    line.add_option("C", options.c, "M x N; +0 without it");
    line.add_option("…", last, "C, where there are two units; of ptx:FILE the fourth operand");
    line.add_shared("--launch", options.launch);
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

    if (programs::is_kernel_file(options.unit)) return gemm_ptx(options, {options.a, options.b, options.c, last}, io);
    if (options.b.empty()) throw Error("gemm: B is required; 'discern gemm --help' shows the usage");
    settle(options, last);
    if (!options.other_unit.empty()) decide_products(std::array{&options.unit, &options.other_unit});
    if (is_product_alone(options.unit)) options.unit = of_arrays(options, io);
    if (is_product_alone(options.other_unit)) decide_products(std::array{&options.unit, &options.other_unit});
    return Product(options, io).answer();
}

} // namespace

extern constinit const Command gemm_command{
    .name = "gemm",
    .usage = "UNIT A B C",
    .summary = "a whole matrix product as the unit would compute it",
    .example =
        "  discern gemm hopper/wgmma.m64n8k16.f32.f16.f16 a.npy b.npy c.npy -o d.npy\n"
        "      D = A*B + C as a Hopper would compute it\n"
        "  discern gemm cdna3/v_mfma_f32_16x16x16_bf16 a.bin b.bin --size 128,64,256 --alpha 0.5 -o d.bin\n"
        "      raw files of 16-bit words; D = 0.5*A*B\n"
        "  discern gemm 'hopper/wgmma.m64n8k16.f32.f16.f16@[split=4 reduce=order:f32:rne]' a.npy b.npy -o d.npy\n"
        "      the same in four parts of k, added in order\n"
        "  discern gemm hopper/wgmma.m64n8k16.f32.f16.f16 cdna3/v_mfma_f32_16x16x16_f16 a.npy b.npy\n"
        "      how far apart two units are on the same matrices\n\n"
        "A (M x K), B (K x N) and C (M x N) are .npy files (unsigned integers are bit patterns, floats numbers), files "
        "of\n"
        "vectors (.jsonl, .csv, .txt: a are rows of A, b columns of B, c elements of C), raw little-endian words "
        "(--size), "
        "or\n"
        "with --numbers text, a row a line. Without C it is +0. fp4, fp6 and fp8 are one a byte. K is divided into "
        "instructions\n"
        "in order; the last one's missing elements are +0. If alpha and beta are 1 the unit chains from C, else from "
        "+0, "
        "and\n"
        "then each d is one fused multiply-add.",
    .run = of_a_machine<run_gemm>,
    .docs = {.group = "Whole matrices", .page = "fast-models", .schemas = {"gemm"}}};

} // namespace discern::cli
