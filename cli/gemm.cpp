// A whole matrix product as a unit would compute it.
#include "files.hpp"
#include "interrupt.hpp"
#include "matrix_file.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/shape.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

constexpr std::string_view example =
    "  discern gemm hopper/wgmma.m64n8k16.f32.f16.f16 a.npy b.npy c.npy -o d.npy\n"
    "      D = A*B + C as a Hopper would compute it\n"
    "  discern gemm cdna3/v_mfma_f32_16x16x16_bf16 a.bin b.bin --size 128,64,256 --alpha 0.5 -o d.bin\n"
    "      raw files of 16-bit words; D = 0.5*A*B\n\n"
    "A (M x K), B (K x N) and C (M x N) are .npy files of unsigned integers, files of vectors (.jsonl, .csv, .txt: a "
    "are\n"
    "rows of A, b columns of B, c elements of C), or raw little-endian words (--size). Without C it is +0. Elements "
    "are\n"
    "bit patterns, fp4, fp6 and fp8 one a byte. K is cut into instructions in order; the last one's missing elements "
    "are\n"
    "+0. If alpha and beta are 1 the unit chains from C, else from +0, and then each d is one fused multiply-add.";

struct Options {
    std::string unit, a, b, c, sa, sb, out, size, kernels = "best";
    double alpha = 1, beta = 1;
    bool from_zero = false, verbose = false;
    unsigned threads = 1;
};

constexpr std::array<std::pair<std::string_view, KernelChoice>, 5> kernel_names{{{"best", KernelChoice::best},
                                                                                 {"avx512", KernelChoice::avx512},
                                                                                 {"avx2", KernelChoice::avx2},
                                                                                 {"portable", KernelChoice::portable},
                                                                                 {"general", KernelChoice::general}}};

KernelChoice kernels_of(const std::string& text) {
    for (const auto& [name, choice] : kernel_names)
        if (name == text) return choice;
    throw Error("--kernels " + text + " is not known; it must be best, avx512, avx2, portable or general");
}

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

std::optional<MatrixSize> rows_and_columns(const std::optional<GemmSize>& size, std::size_t GemmSize::*rows,
                                           std::size_t GemmSize::*columns) {
    return size ? std::optional(MatrixSize{(*size).*rows, (*size).*columns}) : std::nullopt;
}

} // namespace

int gemm(Arguments arguments, const Streams& io) {
    Options options;
    CommandLine line("gemm", example);
    line.add_option("UNIT", options.unit, "the unit")->required();
    line.add_option("A", options.a, "M x K")->required();
    line.add_option("B", options.b, "K x N")->required();
    line.add_option("C", options.c, "M x N; +0 without it");
    line.add_real("--alpha", options.alpha, "times A*B; a number of d's format");
    line.add_real("--beta", options.beta, "times C; a number of d's format");
    line.add_flag("--from-zero", options.from_zero, "chain from +0 and add C at the end, also if alpha and beta are 1");
    line.add_option("--sa", options.sa, "scales of A, M x K/block; not for files of vectors, which have them");
    line.add_option("--sb", options.sb, "scales of B, K/block x N");
    line.add_option("--size", options.size, "M,N,K, for raw files");
    line.add_whole("--threads", options.threads, "how many", {.least = 1, .most = 1024});
    line.add_option("--kernels", options.kernels,
                    "best, avx512, avx2, portable or general (best); results are the same");
    line.add_flag("--verbose", options.verbose, "say on standard error which kernels compute");
    line.add_shared("-o", options.out, ".npy, else raw; without it hexadecimal text, a row a line");
    if (const auto ended = line.read(arguments, io)) return *ended;

    const Unit unit = resolve_unit(options.unit);
    const ReadAs as{.unit = options.unit, .shape = shape_of(unit)};
    const std::optional<GemmSize> asked = size_of(options.size);
    const MatrixData a =
        read_matrix(options.a, unit.a, Part::a, rows_and_columns(asked, &GemmSize::m, &GemmSize::k), as, io);
    const MatrixData b =
        read_matrix(options.b, unit.b, Part::b, rows_and_columns(asked, &GemmSize::k, &GemmSize::n), as, io);
    if (a.columns != b.rows)
        throw Error(fmt::format("A is {} x {} and B is {} x {}: A must have as many columns as B has rows", a.rows,
                                a.columns, b.rows, b.columns));
    const GemmSize size{.m = a.rows, .n = b.columns, .k = a.columns};
    const MatrixSize result{size.m, size.n};
    if (!unit.c && !options.c.empty()) throw Error("C was given, but the unit has no accumulator");
    MatrixData c = options.c.empty() ? MatrixData(unit.c.value_or(unit.d), size.m, size.n)
                                     : read_matrix(options.c, *unit.c, Part::c, result, as, io);

    const Interrupt interrupt(io);
    Progress progress(io.err);
    GemmOptions how;
    how.alpha = options.alpha;
    how.from_zero = options.from_zero;
    // Without an accumulator there is no C, whatever beta says.
    how.beta = unit.c ? options.beta : options.alpha == 1 && !options.from_zero ? 1 : 0;
    how.threads = options.threads;
    how.kernels = kernels_of(options.kernels);
    how.progress = [&](double part) {
        if (Progress::is_wanted()) progress.show(fmt::format("{:.0f} %", part * 100));
        return !interrupt.requested();
    };
    const Gemm gemm(unit, how);
    if (options.verbose) io.err << fmt::format("kernels: {}\n", gemm.kernels());

    MatrixData sa(unit.scale ? unit.scale->format : unit.a, 0, 0), sb = sa;
    if (unit.scale) {
        const std::size_t scales = gemm.scales(size.k);
        const std::string &from_a = options.sa.empty() ? options.a : options.sa,
                          &from_b = options.sb.empty() ? options.b : options.sb;
        if (options.sa.empty() && !options.a.ends_with(".jsonl")) throw Error("the unit has scales; --sa is missing");
        if (options.sb.empty() && !options.b.ends_with(".jsonl")) throw Error("the unit has scales; --sb is missing");
        sa = read_matrix(from_a, unit.scale->format, Part::sa, MatrixSize{size.m, scales}, as, io);
        sb = read_matrix(from_b, unit.scale->format, Part::sb, MatrixSize{scales, size.n}, as, io);
    } else if (!options.sa.empty() || !options.sb.empty()) {
        throw Error("--sa or --sb was given, but the unit has no scales");
    }
    MatrixData d(unit.d, size.m, size.n);
    const bool done = gemm(size, a.patterns(), b.patterns(), c.patterns(), d.writable(), sa.patterns(), sb.patterns());
    progress.clear();
    if (!done) return status::unknown;
    write_matrix(options.out, d, io);
    return status::done;
}

} // namespace discern::cli
