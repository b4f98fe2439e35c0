// The dot-product instructions of this CPU, found by CPUID at run time.
//
// Each instruction is assembler text in a function that alone is compiled for it: the order of its operands decides
// which NaN is returned (of the three forms of vfmadd, 231 and 132 look at a first, 213 at b), so no compiler may swap
// them. Rounding and flushing follow MXCSR where an instruction looks at it (dpps, vfmadd), which is at its default
// while a batch runs.
#include "hwrunner/makers.hpp"
#include "models/catalogue.hpp"
#include "models/fast/cpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

namespace discern {

#if defined(__x86_64__)

namespace {

// ---- which CPU

using CpuidWords = std::array<unsigned, 4>; ///< eax, ebx, ecx, edx

CpuidWords cpuid(unsigned leaf) {
    CpuidWords words{};
    __get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]);
    return words;
}

/// The bytes of the words, up to the first zero byte, without blanks around them.
std::string name_of_cpu(std::span<const unsigned> words) {
    std::string text(words.size_bytes(), '\0');
    std::memcpy(text.data(), words.data(), words.size_bytes());
    text = text.substr(0, text.find('\0'));
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

} // namespace

/// Family, model and stepping as Intel's and AMD's manuals compute them from leaf 1.
Identity cpu_identity() {
    const CpuidWords leaf0 = cpuid(0);
    const unsigned signature = cpuid(1)[0];
    const unsigned base_family = (signature >> 8) & 15, extended_family = (signature >> 20) & 255;
    const unsigned family = base_family == 15 ? base_family + extended_family : base_family;
    const bool has_extended_model = base_family == 6 || base_family == 15;
    const unsigned model = ((signature >> 4) & 15) | (has_extended_model ? ((signature >> 16) & 15) << 4 : 0);
    std::vector<unsigned> brand;
    if (cpuid(0x80000000u)[0] >= 0x80000004u)
        for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf)
            for (const unsigned word : cpuid(leaf)) brand.push_back(word);
    return {{"vendor", name_of_cpu(std::array{leaf0[1], leaf0[3], leaf0[2]})},
            {"model", name_of_cpu(brand)},
            {"cpu_family", std::to_string(family)},
            {"cpu_model", std::to_string(model)},
            {"cpu_stepping", std::to_string(signature & 15)}};
}

namespace {

/// MXCSR at its default while it lives: round to nearest even, no flushing, exceptions masked.
class DefaultControl {
  public:
    DefaultControl() : before_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
    ~DefaultControl() { _mm_setcsr(before_); }
    DefaultControl(const DefaultControl&) = delete;
    DefaultControl& operator=(const DefaultControl&) = delete;

  private:
    unsigned before_;
};

// ---- the instructions

using Words = std::array<std::uint32_t, 16>;
using Vector512 = std::uint32_t __attribute__((vector_size(64)));
using Vector128 = std::uint32_t __attribute__((vector_size(16)));

/// d = c + a·b in 16 lanes, a word of a and b being two bf16 numbers, element 0 in the low half.
__attribute__((target("avx512f,avx512bf16"))) void vdpbf16ps(const Words& a, const Words& b, Words& cd) {
    Vector512 x, y, sum;
    std::memcpy(&x, a.data(), sizeof x);
    std::memcpy(&y, b.data(), sizeof y);
    std::memcpy(&sum, cd.data(), sizeof sum);
    asm volatile("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    std::memcpy(cd.data(), &sum, sizeof sum);
}

/// The dot product of four numbers each; all four products, the sum to the lowest lane.
__attribute__((target("sse4.1"))) std::uint32_t dpps(const std::array<std::uint32_t, 4>& a,
                                                     const std::array<std::uint32_t, 4>& b) {
    Vector128 x, y;
    std::memcpy(&x, a.data(), sizeof x);
    std::memcpy(&y, b.data(), sizeof y);
    asm volatile("dpps $0xf1, %1, %0" : "+x"(x) : "x"(y));
    return x[0];
}

/// a·b + c.
__attribute__((target("fma"))) std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    auto sum = std::bit_cast<float>(c);
    asm volatile("vfmadd231ss %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    return std::bit_cast<std::uint32_t>(sum);
}

/// a·b + c in f16.
__attribute__((target("avx512fp16"))) std::uint32_t fma_f16(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Vector128 x = {a}, y = {b};
    Vector128 sum = {c};
    asm volatile("vfmadd231sh %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum[0] & 0xffffu;
}

std::uint32_t word(std::uint64_t pattern) { return static_cast<std::uint32_t>(pattern); }
std::uint32_t pair(std::span<const std::uint64_t> patterns) { return word(patterns[0] | (patterns[1] << 16)); }

/// Sixteen vectors an instruction: each is seen in all lanes, its neighbours being what came before and after it.
void run_vdpbf16ps(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    for (std::size_t first = 0; first < batch.size(); first += 16) {
        const auto part = batch.subspan(first, std::min<std::size_t>(16, batch.size() - first));
        Words a{}, b{}, cd{};
        for (std::size_t lane = 0; lane < part.size(); ++lane) {
            a[lane] = pair(part[lane].a);
            b[lane] = pair(part[lane].b);
            cd[lane] = word(part[lane].c);
        }
        vdpbf16ps(a, b, cd);
        for (std::size_t lane = 0; lane < part.size(); ++lane) answers.push_back({.d = cd[lane], .error = {}});
    }
}

void run_dpps(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    for (const Inputs& inputs : batch) {
        std::array<std::uint32_t, 4> a{}, b{};
        for (std::size_t k = 0; k < 4; ++k) {
            a[k] = word(inputs.a[k]);
            b[k] = word(inputs.b[k]);
        }
        answers.push_back({.d = dpps(a, b), .error = {}});
    }
}

template <std::uint32_t (*Fma)(std::uint32_t a, std::uint32_t b, std::uint32_t c)>
void run_fma(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    for (const Inputs& inputs : batch)
        answers.push_back({.d = Fma(word(inputs.a[0]), word(inputs.b[0]), word(inputs.c)), .error = {}});
}

using RunBatch = void (*)(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers);

class X86Target final : public Target {
  public:
    X86Target(std::string_view unit, RunBatch run_batch) : shape_(shape_of(resolve_unit(unit))), run_(run_batch) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return cpu_identity(); }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        const DefaultControl control;
        run_(batch, answers);
    }

  private:
    Shape shape_;
    RunBatch run_;
};

/// CPUID: leaf 7.1 says that there is AVX10, leaf 24h which version.
bool has_avx10_2() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool has_avx10 = __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && ((d >> 19) & 1) != 0;
    return has_avx10 && __get_cpuid_count(0x24, 0, &a, &b, &c, &d) != 0 && (b & 0xff) >= 2;
}

struct X86Instruction {
    std::string_view name, feature;
    bool (*is_there)();
    RunBatch run; ///< nullptr: this version has no code for it
};
constexpr X86Instruction x86_instructions[] = {
    {"x86/vdpbf16ps", "AVX512_BF16", [] { return fast::cpu_has(fast::avx512f) && fast::cpu_has(fast::avx512bf16); },
     run_vdpbf16ps},
    {"x86/dpps", "SSE4.1", [] { return fast::cpu_has(fast::sse41); }, run_dpps},
    {"x86/fma.f32", "FMA3", [] { return fast::cpu_has(fast::fma); }, run_fma<fma>},
    {"x86/fma.f16", "AVX512_FP16", [] { return fast::cpu_has(fast::avx512fp16) && fast::cpu_has(fast::avx512f); },
     run_fma<fma_f16>},
    {"x86/vdpphps", "AVX10.2", has_avx10_2, nullptr},
};

} // namespace

std::string x86_unavailable(std::string_view name) {
    const X86Instruction& instruction = *std::ranges::find(x86_instructions, name, &X86Instruction::name);
    if (instruction.run == nullptr && instruction.is_there()) return "this version has no code for it";
    return unless(instruction.is_there(), instruction.feature);
}

std::unique_ptr<Target> make_x86(const std::string& name, const TargetOptions& /*options*/) {
    return std::make_unique<X86Target>(kind_of(name).unit(),
                                       std::ranges::find(x86_instructions, name, &X86Instruction::name)->run);
}

#else

std::string x86_unavailable(std::string_view) { return "this machine is no x86-64"; }
std::unique_ptr<Target> make_x86(const std::string&, const TargetOptions&) { return nullptr; }

#endif

} // namespace discern
