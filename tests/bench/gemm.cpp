// How fast whole matrix products and batches of dot products are, by family of units and set of kernels.
//
//   tile     packed operands in the first-level cache: the kernel alone
//   dots     independent vectors, packing included
//   product  A·B, packing included
//
// Each line of tiles says its ratio to a chain of fused multiply-adds in fp32 of the same shape, measured by turns with
// it, since a busy neighbour slows both, and the goal for the processor. Usage: gemm tiles [TEXT] | dots [TEXT [COUNT]]
// | product UNIT SIZE THREADS [KERNELS]; TEXT: only units in whose names it occurs
#include "models/gemm.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/fast/choose.hpp"
#include "models/fast/gemm_impl.hpp"
#include "models/fast/operands/packing.hpp"
#include "models/kernel_gemm.hpp"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace discern;

constexpr const char* reference = "cdna3/v_mfma_f32_16x16x4_f32"; // FMA, f32

/// A unit, and what part of the chain's rate its kernel of AVX-512 is to reach on a processor of Intel's (Sapphire
/// Rapids: all of 512 bits at once, conversions on the ports of the sums) and of AMD's (Zen 4); 0: nothing is asked.
struct Measured {
    const char* name;
    double goal_intel = 0, goal_amd = 0;
};

constexpr Measured units[] = {
    {"hopper/wgmma.m64n8k16.f32.f16.f16", 0.22, 0.28},                           // T-FDPA, L = 16
    {"ampere/mma.m16n8k16.f32.f16.f16.f32", 0.19, 0.22},                         // T-FDPA, two blocks of 8
    {"hopper/wgmma.m64n8k16.f32.bf16.bf16", 0.17, 0.23},                         // T-FDPA, wide exponents
    {"ampere/mma.m16n8k16.f32.bf16.bf16.f32"},                                   //
    {"hopper/wgmma.m64n8k32.f32.e4m3.e4m3", 0.28, 0.30},                         // T-FDPA, fp8, F = 13
    {"cdna1/v_mfma_f32_16x16x16f16"},                                            // E-FDPA
    {"cdna1/v_mfma_f32_16x16x8bf16"},                                            // E-FDPA, bf16
    {"cdna3/v_mfma_f32_16x16x16_f16", 0.10, 0.115},                              // TR-FDPA
    {"cdna3/v_mfma_f32_16x16x16_bf16", 0.10, 0.115},                             // TR-FDPA, bf16
    {"hopper/wgmma.m64n8k16.f16.f16.f16"},                                       // T-FDPA into fp16
    {"ampere/mma.m16n8k8.f32.tf32.tf32.f32"},                                    // T-FDPA, tf32, two blocks of 4
    {"hopper/wgmma.m64n8k8.f32.tf32.tf32"},                                      // T-FDPA, tf32
    {"cdna3/v_mfma_f32_16x16x32_fp8_fp8"},                                       // GTR-FDPA
    {"cdna2/v_mfma_f32_16x16x16f16"},                                            // FTZ-AddMul
    {"blackwell/tcgen05.mma.m128n8k32.f32.e4m3.e4m3"},                           // T-FDPA, fp8, F = 25
    {"blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", 0.13, 0.15}, // ST-FDPA
    {"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", 0.22, 0.27}, // GST-FDPA
    {"hopper/mma.m16n8k32.f32.e4m3.e4m3.f32"},                                   // interleaved fp8
    {"riscv/bna.f32.bf16.bf16"},                                                 // BNA
    {"ampere/mma.m8n8k4.f64.f64.f64.f64"},                                       // FMA, f64
    {"rdna3/v_wmma_f32_16x16x16_f16"},                                           // by steps, here and below: a frame
    {"rdna4/v_wmma_f32_16x16x16_f16.wave32"},                                    // sums of pairs, a rounding between
    {"x86/tdpbf16ps"},                                                           // flushing additions
    {"x86/vdpbf16ps"},                                                           // those, and NaN of operands
    {"x86/top4mxhf8ps"},                                                         // an exact sum of scaled products
    {"x86/fma.f32"},                                                             // one product, NaN of operands
    {"arm/bfmmla"},                                                              // rounding to odd
    {"apple/amx.fma16"},                                                         // f16 in f16
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Of this thread: what others take from the processor is not counted.
double own_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Of all threads.
double all_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The median time of `work`, repeated.
template <class Work>
double median_time(const Work& work, int repeats = 7, double (*clock)() = own_seconds) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const double begin = clock();
        work();
        times.push_back(clock() - begin);
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[static_cast<std::size_t>(repeats / 2)];
}

/// A matrix of `lines` vectors of k elements of one operand, from the family normal.
struct Matrix {
    Matrix(const Unit& unit, bool left, std::size_t rows, std::size_t columns, bool scales, std::uint64_t seed)
        : id(scales ? unit.scale->format
             : left ? unit.a
                    : unit.b),
          size(rows * columns), bytes(size * word_bytes(id)) {
        InputGenerator generator(unit, Family::normal, seed);
        InputBuffer one;
        std::vector<std::uint64_t> pool;
        while (pool.size() < 1 << 14) {
            generator.next(one);
            const auto& from = scales ? (left ? one.sa : one.sb) : (left ? one.a : one.b);
            pool.insert(pool.end(), from.begin(), from.end());
        }
        Random random(seed);
        for (std::size_t i = 0; i < size; ++i)
            std::memcpy(bytes.data() + i * word_bytes(id), &pool[static_cast<std::size_t>(random.below(1 << 14))],
                        word_bytes(id));
    }
    operator Patterns() const { return {bytes.data(), size, word_bytes(id)}; }

    FormatId id;
    std::size_t size;
    std::vector<std::uint8_t> bytes;
};

/// One tile of 64 × 64, computed again and again: the kernel alone.
class TileRun {
  public:
    static constexpr int times = 100;
    static constexpr double dots = 1.0 * fast::panel * fast::panel * times;

    TileRun(const Unit& unit, const fast::KernelSet& set)
        : recipe_(fast::recipe_of(unit)), kernel_(recipe_ ? set.find(*recipe_, false) : nullptr) {
        if (kernel_ == nullptr) return;
        const fast::Layout& layout = layout_.emplace(unit, *recipe_);
        const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
        const bool scaled = unit.scale.has_value();
        const Matrix a(unit, true, lines, K, false, 1), b(unit, false, K, lines, false, 2);
        const Matrix sa(unit, true, lines, scales, scaled, 3), sb(unit, false, scales, lines, scaled, 4);
        const fast::Codec codec_a(format(unit.a), layout.storage, recipe_->ftz, recipe_->exponents);
        const fast::Codec codec_b(format(unit.b), layout.storage, recipe_->ftz, recipe_->exponents);
        left_.emplace(layout, codec_a, true, lines, 1);
        right_.emplace(layout, codec_b, false, lines, 1);
        left_->pack({a, sa, K, 1, scales, 1, lines, K, scales}, 0, 0, 1);
        right_->pack({b, sb, 1, lines, 1, lines, lines, K, scales}, 0, 0, 1);
        acc_ = fast::Buffer(lines * lines * 8);
        acc_bytes_ = lines * lines * (unit.d == FormatId::f64 ? 8 : 4);
        const bool chain = recipe_->form == fast::Form::fma32 || recipe_->form == fast::Form::fma64;
        const int L = chain ? unit.K : unit.L;
        for (std::size_t block = 0; block < static_cast<std::size_t>(unit.K / L); ++block) {
            fast::Tile tile = fast::tile_of(*left_, *right_, 0, 0, block);
            tile.recipe = &*recipe_;
            tile.L = L;
            tile.acc = acc_.data();
            tile.acc_stride = lines;
            tile.rows = static_cast<int>(lines);
            tile.c_emin = recipe_->emin;
            tiles_.push_back(tile);
        }
    }
    bool can() const { return kernel_ != nullptr; }
    double time() const {
        const double begin = own_seconds();
        for (int i = 0; i < times; ++i) {
            std::memset(acc_.data(), 0, acc_bytes_);
            for (const fast::Tile& tile : tiles_) kernel_(tile);
        }
        return own_seconds() - begin;
    }

  private:
    static constexpr std::size_t lines = fast::panel;
    std::optional<fast::Recipe> recipe_;
    fast::TileKernel kernel_;
    std::optional<fast::Layout> layout_;
    std::optional<fast::Packed> left_, right_; // whose codecs are needed only while they pack
    fast::Buffer acc_;
    std::size_t acc_bytes_ = 0;
    std::vector<fast::Tile> tiles_;
};

/// The reference unit, with this K: so many fused multiply-adds an element.
Unit reference_of(int K) {
    Unit unit = resolve_unit(reference);
    unit.K = K;
    return unit;
}

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown";
}

/// Each kernel and the chain by turns; the ratio is the median of those of the turns, and the rates are those of the
/// quickest.
void tiles(const std::string& only) {
    const std::string cpu = processor();
    const bool amd = cpu.find("AMD") != std::string::npos;
    std::printf("processor: %s\n", cpu.c_str());
    constexpr int turns = 15;
    const fast::KernelSet* const best = fast::choose_kernels(KernelChoice::best);
    for (const KernelChoice choice :
         {KernelChoice::best, KernelChoice::avx512, KernelChoice::avx2, KernelChoice::portable}) {
        const fast::KernelSet* set = fast::choose_kernels(choice);
        if (set == nullptr || (choice != KernelChoice::best && set == best)) continue;
        std::printf("%-64s %4s %12s %12s %8s %6s\n", set->name, "K", "Mdots/s", "fp32 FMA", "ratio", "goal");
        for (const Measured& of : units) {
            if (std::string(of.name).find(only) == std::string::npos) continue;
            const Unit unit = resolve_unit(of.name);
            const TileRun run(unit, *set), fma(reference_of(unit.K), *set);
            std::vector<double> ratios;
            double own = 1e9, chain = 1e9;
            for (int turn = 0; run.can() && turn < turns; ++turn) {
                const double one = run.time(), other = fma.time();
                own = std::min(own, one);
                chain = std::min(chain, other);
                ratios.push_back(other / one);
            }
            if (ratios.empty()) continue;
            std::nth_element(ratios.begin(), ratios.begin() + turns / 2, ratios.end());
            const double goal = amd ? of.goal_amd : of.goal_intel;
            std::printf("%-64s %4d %12.1f %12.1f %8.3f", of.name, unit.K, TileRun::dots / own / 1e6,
                        TileRun::dots / chain / 1e6, ratios[turns / 2]);
            std::printf(choice == KernelChoice::best && goal > 0 ? " %6.3g\n" : "\n", goal);
        }
    }
}

void dots(const std::string& only, std::size_t count) {
    std::printf("%-64s %4s %12s %s\n", "independent vectors", "K", "Mdots/s", "kernels");
    for (const Measured& of : units) {
        const char* const name = of.name;
        if (std::string(name).find(only) == std::string::npos) continue;
        const Unit unit = resolve_unit(name);
        const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
        const bool scaled = unit.scale.has_value();
        const Matrix a(unit, true, count, K, false, 1), b(unit, false, count, K, false, 2);
        const Matrix sa(unit, true, count, scales, scaled, 3), sb(unit, false, count, scales, scaled, 4);
        std::vector<std::uint8_t> c(count * word_bytes(*unit.c)), d(count * word_bytes(unit.d));
        const Gemm gemm(unit);
        const double time = median_time([&] {
            gemm.dots(count, a, b, {c.data(), count, word_bytes(*unit.c)}, {d.data(), count, word_bytes(unit.d)}, sa,
                      sb);
        });
        std::printf("%-64s %4d %12.1f %s\n", name, unit.K, static_cast<double>(count) / time / 1e6,
                    gemm.kernels().c_str());
    }
}

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Times {
    double elapsed, processor;
};

Times product_time(const Unit& unit, std::size_t n, unsigned threads, KernelChoice kernels, double& operands) {
    const std::size_t scales = Gemm(unit).scales(n);
    const bool scaled = unit.scale.has_value();
    const Matrix a(unit, true, n, n, false, 1), b(unit, false, n, n, false, 2);
    const Matrix sa(unit, true, n, scales, scaled, 3), sb(unit, false, scales, n, scaled, 4);
    std::vector<std::uint8_t> d(n * n * word_bytes(unit.d)); // and C
    operands =
        static_cast<double>(a.bytes.size() + b.bytes.size() + sa.bytes.size() + sb.bytes.size() + d.size()) / 0x1p20;
    GemmOptions options;
    options.threads = threads;
    options.kernels = kernels;
    const Gemm gemm(unit, options);
    const MutablePatterns out(d.data(), n * n, word_bytes(unit.d));
    const double begin = seconds(), processor = all_seconds();
    const int repeats = n > 2048 ? 1 : 3;
    for (int i = 0; i < repeats; ++i) gemm({n, n, n}, a, b, {d.data(), n * n, word_bytes(unit.d)}, out, sa, sb);
    return {(seconds() - begin) / repeats, (all_seconds() - processor) / repeats};
}

int product(const std::string& name, std::size_t n, unsigned threads, KernelChoice kernels) {
    const Unit unit = resolve_unit(name);
    double operands = 0, unused = 0;
    const Times own = product_time(unit, n, threads, kernels, operands);
    const double peak = peak_mib();
    const Times fma = product_time(reference_of(unit.K), n, threads, kernels, unused);
    const double size = static_cast<double>(n), macs = size * size * size;
    std::printf("%s: %zu x %zu x %zu, %u threads: %.3f s, of processor time %.3f s (%.0f Mdots/s and core)\n"
                "  operands %.1f MiB, peak %.1f MiB; fp32 FMA chain: %.3f s, of processor time %.3f s; ratio %.3f\n",
                name.c_str(), n, n, n, threads, own.elapsed, own.processor, macs / unit.K / own.processor / 1e6,
                operands, peak, fma.elapsed, fma.processor, fma.processor / own.processor);
    return 0;
}

/// A kernel beside the plain chain of its unit, in turn.
int scheduled(const std::string& name, std::size_t n) {
    const Kernel kernel = resolve_kernel(name, static_cast<int>(n));
    const Unit& unit = kernel.unit;
    const std::size_t scales = Gemm(unit).scales(n);
    const bool scaled = unit.scale.has_value();
    const Matrix a(unit, true, n, n, false, 1), b(unit, false, n, n, false, 2);
    const Matrix sa(unit, true, n, scales, scaled, 3), sb(unit, false, scales, n, scaled, 4);
    std::vector<std::byte> c(n * n * word_bytes(unit.c.value_or(unit.d))), d(n * n * word_bytes(unit.d)), d2(n * n * 8);
    const Patterns from(c.data(), n * n, word_bytes(unit.c.value_or(unit.d)));
    const Gemm plain(unit);
    const KernelGemm with(kernel);
    const auto plain_time = [&] { plain({n, n, n}, a, b, from, {d.data(), n * n, word_bytes(unit.d)}, sa, sb); };
    const auto with_time = [&] { with({n, n, n}, a, b, from, {d2.data(), n * n, word_bytes(kernel.d())}, sa, sb); };
    std::vector<double> ratios;
    double one = 0, other = 0;
    for (int i = 0; i < 5; ++i) {
        one = median_time(plain_time, 1);
        other = median_time(with_time, 1);
        ratios.push_back(one / other);
    }
    std::nth_element(ratios.begin(), ratios.begin() + 2, ratios.end());
    std::printf("%s: %zu^3: plain chain %.3f s, with the schedule %.3f s; ratio %.2f (median of 5)\n", name.c_str(), n,
                one, other, ratios[2]);
    return 0;
}

KernelChoice kernels_of(const std::string& text) {
    if (text == "avx512fp16") return KernelChoice::avx512fp16;
    if (text == "avx512") return KernelChoice::avx512;
    if (text == "avx2") return KernelChoice::avx2;
    if (text == "portable") return KernelChoice::portable;
    if (text == "general") return KernelChoice::general;
    return KernelChoice::best;
}

/// Of a square matrix, 256 elements of k at a time, as products do it.
double packing_time(const Unit& unit, const std::vector<std::byte>& b, std::size_t n) {
    const fast::Chains chains(unit, {});
    if (chains.set == nullptr) throw Error("there are no kernels for this unit");
    const fast::Source right = chains.right({b.data(), n * n, word_bytes(unit.b)}, {}, n, n, 0);
    const std::size_t steps = chains.steps_of_chunk();
    fast::Packed packed(*chains.layout, *chains.tables->b, false, fast::panel, steps);
    return median_time([&] {
        for (std::size_t first = 0; first < chains.steps(n); first += steps)
            for (std::size_t line = 0; line < n; line += fast::panel)
                packed.pack(lines_from(right, line), 0, first, std::min(steps, chains.steps(n) - first), chains.set);
    });
}

/// Few rows with a large matrix, as inference has them: their rates as shares of a square's, B packed each time and
/// once.
int skinny(const std::string& name) {
    const Unit unit = resolve_unit(name);
    const std::size_t large = 4096, square = 1024;
    const auto patterns = [](const Unit& of, FormatId id, std::size_t size) {
        InputGenerator generator(of, Family::normal, 1);
        InputBuffer x;
        std::vector<std::byte> bytes(size * word_bytes(id));
        for (std::size_t i = 0; i < size; ++i) {
            if (i % static_cast<std::size_t>(of.K) == 0) generator.next(x);
            std::memcpy(bytes.data() + i * word_bytes(id), &x.a[i % x.a.size()], word_bytes(id));
        }
        return bytes;
    };
    const std::vector<std::byte> a = patterns(unit, unit.a, square * large), b = patterns(unit, unit.b, large * large);
    std::vector<std::byte> d(square * large * word_bytes(unit.d));
    const std::vector<std::byte> c(d.size());
    const auto rate = [&](GemmSize s, std::shared_ptr<const PackedMatrix> packed) {
        GemmOptions options;
        options.packed_b = std::move(packed);
        const Gemm gemm(unit, options);
        const double time = median_time([&] {
            gemm(s, {a.data(), s.m * s.k, word_bytes(unit.a)}, {b.data(), s.k * s.n, word_bytes(unit.b)},
                 {c.data(), s.m * s.n, word_bytes(*unit.c)}, {d.data(), s.m * s.n, word_bytes(unit.d)});
        });
        return static_cast<double>(s.m * s.n * s.k / static_cast<std::size_t>(unit.K)) / time;
    };
    const double all = rate({square, square, square}, nullptr);
    const auto packed = std::make_shared<const PackedMatrix>(unit.b, large, large,
                                                             Patterns(b.data(), large * large, word_bytes(unit.b)));
    std::printf("%s, %s, one thread\n%zu x %zu x %zu: %.0f million instructions' dot products a second\n", name.c_str(),
                processor().c_str(), square, square, square, all * 1e-6);
    const double elements = static_cast<double>(large * large) * 1e-9;
    const double copying = median_time(
        [&] { const PackedMatrix again(unit.b, large, large, Patterns(b.data(), large * large, word_bytes(unit.b))); });
    const double transposing = median_time([&] {
        const PackedMatrix again(unit.b, large, large, Patterns(b.data(), large * large, word_bytes(unit.b)), true);
    });
    std::printf("packing B: %.1f elements a ns by a product (goal 1), %.1f once, %.1f of a weight's transpose\n",
                elements / packing_time(unit, b, large), elements / copying, elements / transposing);
    struct Goal {
        std::size_t m;
        double packed, unpacked;
    };
    for (const Goal goal : {Goal{1, 0.12, 0}, Goal{8, 0.4, 0}, Goal{64, 0.9, 0.75}}) {
        const GemmSize size{goal.m, large, large};
        const double once = rate(size, packed) / all, each = rate(size, nullptr) / all;
        std::printf("M = %-3zu packed once %.2f of that (goal %.2f), each time %.2f", goal.m, once, goal.packed, each);
        std::printf(goal.unpacked > 0 ? " (goal %.2f)\n" : "\n", goal.unpacked);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        const std::string only = words.size() == 2 ? words[1] : "";
        if ((words.size() == 1 || words.size() == 2) && words[0] == "tiles") return tiles(only), 0;
        if (!words.empty() && words.size() <= 3 && words[0] == "dots")
            return dots(words.size() > 1 ? words[1] : "", words.size() > 2 ? std::stoul(words[2]) : 1 << 15), 0;
        if (!words.empty() && words.size() <= 2 && words[0] == "skinny")
            return skinny(words.size() > 1 ? words[1] : "hopper/wgmma.m64n8k32.f32.e4m3.e4m3");
        if (words.size() == 3 && words[0] == "schedule") return scheduled(words[1], std::stoul(words[2]));
        if (words.size() >= 4 && words[0] == "product")
            return product(words[1], std::stoul(words[2]), static_cast<unsigned>(std::stoul(words[3])),
                           kernels_of(words.size() > 4 ? words[4] : "best"));
    } catch (const Error& error) {
        std::fprintf(stderr, "gemm: %s\n", error.what());
        return 2;
    }
    std::fputs("usage: gemm tiles [TEXT] | dots [TEXT [COUNT]] | product UNIT SIZE THREADS "
               "[avx512fp16|avx512|avx2|portable|general]\n"
               "       gemm schedule KERNEL SIZE | skinny [UNIT]\n",
               stderr);
    return 2;
}
