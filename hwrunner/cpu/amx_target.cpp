// The matrix instructions of Intel's AMX: 16 by 16 dot products of 32, in tiles.
//
// Source: Intel's Software Developer's Manual. The kernel lends the tiles' registers only to a process that has asked
// for them (arch_prctl, ARCH_REQ_XCOMP_PERM). TDPFP16PS is written as bytes: assemblers of 2022 do not know it.
#include "amx.hpp"
#include "hwrunner/makers.hpp"
#include "models/catalogue.hpp"
#include "models/fast/cpu.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace discern {

namespace {

constexpr int amx_side = 16, amx_length = 32;

std::uint32_t pair_of_tile(const std::vector<std::uint64_t>& elements, int row_or_column, int p) {
    const auto at = static_cast<std::size_t>(row_or_column * amx_length + 2 * p);
    return static_cast<std::uint32_t>(elements[at] | elements[at + 1] << 16);
}

} // namespace

AmxTile amx_a(const MatrixTile& tile) {
    AmxTile image{};
    for (int i = 0; i < amx_side; ++i)
        for (int p = 0; p < amx_length / 2; ++p)
            image[static_cast<std::size_t>(16 * i + p)] = pair_of_tile(tile.a, i, p);
    return image;
}

AmxTile amx_b(const MatrixTile& tile) {
    AmxTile image{};
    for (int j = 0; j < amx_side; ++j)
        for (int p = 0; p < amx_length / 2; ++p)
            image[static_cast<std::size_t>(16 * p + j)] = pair_of_tile(tile.b, j, p);
    return image;
}

AmxTile amx_c(const MatrixTile& tile) {
    AmxTile image{};
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint32_t>(tile.c[i]);
    return image;
}

#if defined(__x86_64__)

namespace {

struct Amx {
    std::string_view name, feature;
    fast::CpuSet is_there;
    void (*multiply)(const AmxTile& a, const AmxTile& b, AmxTile& cd);
};

/// Palette 1; rows of 64 bytes and 16 rows for tiles 0 to 2.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);

/// tmm0 = cd, tmm1 = a, tmm2 = b; then the instruction; then tmm0 to cd.
#define DISCERN_AMX_MULTIPLY(instruction)                                                                              \
    const TileConfiguration configuration;                                                                             \
    asm volatile("ldtilecfg %[configuration]\n\t"                                                                      \
                 "tileloadd (%[cd],%[stride],1), %%tmm0\n\t"                                                           \
                 "tileloadd (%[a],%[stride],1), %%tmm1\n\t"                                                            \
                 "tileloadd (%[b],%[stride],1), %%tmm2\n\t" instruction "\n\t"                                         \
                 "tilestored %%tmm0, (%[cd],%[stride],1)\n\t"                                                          \
                 "tilerelease"                                                                                         \
                 :                                                                                                     \
                 : [configuration] "m"(configuration), [cd] "r"(cd.data()), [a] "r"(a.data()), [b] "r"(b.data()),      \
                   [stride] "r"(std::int64_t{64})                                                                      \
                 : "memory")

__attribute__((target("amx-tile,amx-bf16"))) void tdpbf16ps(const AmxTile& a, const AmxTile& b, AmxTile& cd) {
    DISCERN_AMX_MULTIPLY("tdpbf16ps %%tmm2, %%tmm1, %%tmm0");
}
/// VEX.128.F2.0F38.W0 5C 11:000:001 with vvvv = 2: tdpfp16ps tmm0, tmm1, tmm2.
__attribute__((target("amx-tile,amx-bf16"))) void tdpfp16ps(const AmxTile& a, const AmxTile& b, AmxTile& cd) {
    DISCERN_AMX_MULTIPLY(".byte 0xc4, 0xe2, 0x6b, 0x5c, 0xc1");
}

class AmxDevice final : public MatrixDevice {
  public:
    explicit AmxDevice(const Amx& instruction) : instruction_(instruction) {
        constexpr long request_permission = 0x1023, tile_data = 18;
        if (syscall(SYS_arch_prctl, request_permission, tile_data) != 0)
            throw DeviceError("the kernel does not lend the tile registers (arch_prctl)");
        shape_ = {
            .dot = shape_of(resolve_unit(kind_of(std::string(instruction.name)).unit())), .M = amx_side, .N = amx_side};
    }
    const MatrixShape& shape() const override { return shape_; }
    Identity identity() const override { return cpu_identity(); }
    std::size_t tiles_per_launch() const override { return 1024; }
    void launch(std::span<const MatrixTile> tiles, std::vector<std::uint64_t>& d) override {
        for (const MatrixTile& tile : tiles) {
            AmxTile cd = amx_c(tile);
            instruction_.multiply(amx_a(tile), amx_b(tile), cd);
            d.insert(d.end(), cd.begin(), cd.end());
        }
    }

  private:
    const Amx& instruction_;
    MatrixShape shape_;
};

constexpr Amx amx_instructions[] = {{"x86/tdpbf16ps", "AMX-BF16", {7, 0, 3, 22}, tdpbf16ps},
                                    {"x86/tdpfp16ps", "AMX-FP16", {7, 1, 0, 21}, tdpfp16ps}};

} // namespace

std::string amx_unavailable(std::string_view name) {
    const Amx& instruction = *std::ranges::find(amx_instructions, name, &Amx::name);
    if (!fast::cpu_has(instruction.is_there)) return unless(false, instruction.feature);
    return fast::system_keeps(fast::amx_tiles) ? "" : "the operating system does not keep AMX tiles";
}

std::unique_ptr<Target> make_amx(const std::string& name, const TargetOptions& options) {
    const Amx& instruction = *std::ranges::find(amx_instructions, name, &Amx::name);
    return make_matrix_target(
        name, [&instruction] { return std::make_unique<AmxDevice>(instruction); }, options.answer_timeout);
}

#else

std::string amx_unavailable(std::string_view) { return "this machine is no x86-64"; }
std::unique_ptr<Target> make_amx(const std::string&, const TargetOptions&) { return nullptr; }

#endif

} // namespace discern
