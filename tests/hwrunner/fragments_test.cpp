// The layouts against the formulas of the PTX ISA, written down here a second time, shape by shape, as it has them.
#include "all_instructions.hpp"
#include "images.hpp"
#include "random_tile.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>

namespace discern {

namespace {

using testing::all_instructions;
using testing::evaluate_tile;
using testing::pack_results;
using testing::random_tile;
using testing::unpack_image;

TEST(Fragments, NoTwoElementsShareABit) {
    for (const CudaInstruction& instruction : all_instructions()) {
        SCOPED_TRACE(instruction.unit);
        const ImageLayout layout = image_layout(instruction);
        const Shape& dot = instruction.shape.dot;
        std::vector<bool> in(layout.in_bytes * 8), out(layout.out_bytes * 8);
        const auto mark = [&](std::vector<bool>& bits, std::size_t at, FormatId id) {
            for (std::size_t bit = at; bit < at + static_cast<std::size_t>(format(id).width); ++bit) {
                ASSERT_LT(bit, bits.size());
                ASSERT_FALSE(bits[bit]);
                bits[bit] = true;
            }
        };
        for (const std::size_t place : layout.a) mark(in, place, dot.a);
        for (const std::size_t place : layout.b) mark(in, place, dot.b);
        for (const std::size_t place : layout.c) mark(in, place, dot.c.value());
        for (const auto* scales : {&layout.sa, &layout.sb})
            for (const auto& places : *scales)
                for (const std::size_t place : places) mark(in, place, dot.scale->format);
        for (const std::size_t place : layout.d) mark(out, place, dot.d);
        const auto elements = [&](int count) { return static_cast<std::size_t>(count * instruction.tiles); };
        EXPECT_EQ(layout.a.size(), elements(instruction.shape.M * dot.K));
        EXPECT_EQ(layout.b.size(), elements(instruction.shape.N * dot.K));
        EXPECT_EQ(layout.c.size(), elements(instruction.shape.M * instruction.shape.N));
        EXPECT_EQ(layout.d.size(), layout.c.size());
        EXPECT_EQ(layout.in_bytes % 16, 0u); // the kernels copy 16 bytes at once
    }
}

TEST(Fragments, WhatIsPackedIsUnpacked) {
    const std::uint64_t seed = 20;
    Random random(seed);
    for (const CudaInstruction& instruction : all_instructions()) {
        SCOPED_TRACE(instruction.unit + ", seed " + std::to_string(seed));
        const ImageLayout layout = image_layout(instruction);
        std::vector<MatrixTile> tiles;
        for (int t = 0; t < instruction.tiles; ++t) tiles.push_back(random_tile(instruction.shape, random));
        std::vector<std::uint8_t> image(layout.in_bytes), results(layout.out_bytes);
        pack_image(layout, instruction.shape.dot, tiles, image);
        EXPECT_EQ(unpack_image(layout, instruction.shape, instruction.tiles, image), tiles);
        std::vector<std::uint64_t> d, back;
        for (std::size_t i = 0; i < layout.d.size(); ++i)
            d.push_back(random.bits() >> (64 - format(instruction.shape.dot.d).width));
        pack_results(layout, instruction.shape, d, results);
        unpack_results(layout, instruction.shape, tiles.size(), results, back);
        EXPECT_EQ(back, d);
    }
}

// ---- mma.sync

struct Place {
    int row, column;
};
/// Where element i of a lane's fragment belongs. g: the lane's group, t: its number in the group.
using Formula = std::function<Place(int lane, int i)>;

struct Formulas {
    Formula a, b, c;
};

int g(int lane) { return lane >> 2; }
int t(int lane) { return lane % 4; }
bool in(int i, int low, int high) { return i >= low && i < high; }

const Formula c_16x8 = [](int lane, int i) { return Place{i < 2 ? g(lane) : g(lane) + 8, t(lane) * 2 + (i & 1)}; };

/// By shape and the width of the elements of A, as the sections of the ISA are. B gives (k, column).
const std::map<std::pair<std::string, int>, Formulas> formulas = {
    {{"m16n8k4", 32},
     {[](int lane, int i) {
          return Place{i == 0 ? g(lane) : g(lane) + 8, t(lane)};
      },
      [](int lane, int) {
          return Place{t(lane), g(lane)};
      },
      c_16x8}},
    {{"m16n8k8", 16},
     {[](int lane, int i) {
          return Place{i < 2 ? g(lane) : g(lane) + 8, t(lane) * 2 + (i & 1)};
      },
      [](int lane, int i) {
          return Place{t(lane) * 2 + i, g(lane)};
      },
      c_16x8}},
    {{"m16n8k8", 32},
     {[](int lane, int i) {
          return Place{i == 0 || i == 2 ? g(lane) : g(lane) + 8, i < 2 ? t(lane) : t(lane) + 4};
      },
      [](int lane, int i) {
          return Place{i == 0 ? t(lane) : t(lane) + 4, g(lane)};
      },
      c_16x8}},
    {{"m16n8k16", 16},
     {[](int lane, int i) {
          return Place{in(i, 0, 2) || in(i, 4, 6) ? g(lane) : g(lane) + 8,
                       i < 4 ? t(lane) * 2 + (i & 1) : t(lane) * 2 + (i & 1) + 8};
      },
      [](int lane, int i) {
          return Place{i < 2 ? t(lane) * 2 + (i & 1) : t(lane) * 2 + (i & 1) + 8, g(lane)};
      },
      c_16x8}},
    {{"m16n8k16", 8},
     {[](int lane, int i) {
          return Place{i < 4 ? g(lane) : g(lane) + 8, t(lane) * 4 + (i & 3)};
      },
      [](int lane, int i) {
          return Place{t(lane) * 4 + i, g(lane)};
      },
      c_16x8}},
    {{"m16n8k32", 8},
     {[](int lane, int i) {
          return Place{in(i, 0, 4) || in(i, 8, 12) ? g(lane) : g(lane) + 8,
                       i < 8 ? t(lane) * 4 + (i & 3) : t(lane) * 4 + (i & 3) + 16};
      },
      [](int lane, int i) {
          return Place{i < 4 ? t(lane) * 4 + (i & 3) : t(lane) * 4 + (i & 3) + 16, g(lane)};
      },
      c_16x8}},
    {{"m16n8k64", 4},
     {[](int lane, int i) {
          return Place{in(i, 0, 8) || in(i, 16, 24) ? g(lane) : g(lane) + 8,
                       i < 16 ? t(lane) * 8 + (i & 7) : t(lane) * 8 + (i & 7) + 32};
      },
      [](int lane, int i) {
          return Place{i < 8 ? t(lane) * 8 + (i & 7) : t(lane) * 8 + (i & 7) + 32, g(lane)};
      },
      c_16x8}},
    {{"m8n8k4", 64},
     {[](int lane, int) {
          return Place{g(lane), t(lane)};
      },
      [](int lane, int) {
          return Place{t(lane), g(lane)};
      },
      [](int lane, int i) {
          return Place{g(lane), t(lane) * 2 + i};
      }}},
    {{"m16n8k4", 64},
     {[](int lane, int i) {
          return Place{i == 0 ? g(lane) : g(lane) + 8, t(lane)};
      },
      [](int lane, int) {
          return Place{t(lane), g(lane)};
      },
      c_16x8}},
    {{"m16n8k8", 64},
     {[](int lane, int i) {
          return Place{i == 0 || i == 2 ? g(lane) : g(lane) + 8, i < 2 ? t(lane) : t(lane) + 4};
      },
      [](int lane, int i) {
          return Place{i == 0 ? t(lane) : t(lane) + 4, g(lane)};
      },
      c_16x8}},
    {{"m16n8k16", 64},
     {[](int lane, int i) {
          return Place{i % 2 == 0 ? g(lane) : g(lane) + 8, i % 2 == 0 ? i * 2 + t(lane) : i * 2 - 2 + t(lane)};
      },
      [](int lane, int i) {
          return Place{t(lane) + i * 4, g(lane)};
      },
      c_16x8}},
};

/// Bits that an element takes in a register: narrow formats of the K = 32 instructions have a byte.
int container(const Shape& dot, FormatId id) { return format(id).width < 8 && dot.K == 32 ? 8 : format(id).width; }

/// The i-th container of a lane's registers: register r of lane l is number 32·r + l of the image's part.
std::uint64_t container_of(const std::vector<std::uint8_t>& image, std::size_t part, int register_bits, int bits,
                           int lane, int i) {
    const int each = register_bits / bits;
    std::uint64_t value = 0;
    const std::size_t at = part + static_cast<std::size_t>((i / each * 32 + lane) * register_bits / 8);
    std::memcpy(&value, image.data() + at, static_cast<std::size_t>(register_bits / 8));
    return value >> (i % each * bits) & (bits == 64 ? ~0ull : (1ull << bits) - 1);
}

std::string shape_text(const CudaInstruction& instruction) {
    return "m" + std::to_string(instruction.shape.M) + "n" + std::to_string(instruction.shape.N) + "k" +
           std::to_string(instruction.shape.dot.K);
}

std::size_t at(int row, int columns, int column) { return static_cast<std::size_t>(row * columns + column); }

/// What the lanes hold, put together by the formulas.
MatrixTile tile_in_registers(const CudaInstruction& instruction, const Formulas& formula,
                             const std::vector<std::uint8_t>& image) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N, K = dot.K;
    const int register_bits = dot.a == FormatId::f64 ? 64 : 32;
    MatrixTile tile;
    tile.a.resize(at(M, K, 0));
    tile.b.resize(at(N, K, 0));
    tile.c.resize(at(M, N, 0));
    std::size_t part = 0;
    const auto read = [&](FormatId id, int elements, const auto& store) {
        const int bits = container(dot, id);
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < elements / 32; ++i) {
                std::uint64_t value = container_of(image, part, register_bits, bits, lane, i);
                if (id == FormatId::e2m1 && bits == 8) value = value >> 2 & 15; // 00xxxx00
                store(lane, i, value);
            }
        part += static_cast<std::size_t>(elements * bits / 8);
    };
    read(dot.a, M * K, [&](int lane, int i, std::uint64_t value) {
        const Place place = formula.a(lane, i);
        tile.a[at(place.row, K, place.column)] = value;
    });
    read(dot.b, N * K, [&](int lane, int i, std::uint64_t value) {
        const Place place = formula.b(lane, i);
        tile.b[at(place.column, K, place.row)] = value;
    });
    read(dot.c.value(), M * N, [&](int lane, int i, std::uint64_t value) {
        const Place place = formula.c(lane, i);
        tile.c[at(place.row, N, place.column)] = value;
    });
    if (!dot.scale) return tile;
    // Selectors 0, 0: bytes from 0 on; of A, lanes 0 and 1 of a group have rows g and g + 8; of B, lane 0 has column g.
    for (int i = 0; i < M; ++i)
        for (int s = 0; s < dot.scales(); ++s)
            tile.sa.push_back(container_of(image, part, 32, 8, i % 8 * 4 + i / 8, s));
    for (int j = 0; j < N; ++j)
        for (int s = 0; s < dot.scales(); ++s) tile.sb.push_back(container_of(image, part + 128, 32, 8, j * 4, s));
    return tile;
}

TEST(Fragments, MmaAsTheIsaSays) {
    const std::uint64_t seed = 21;
    Random random(seed);
    int tried = 0;
    for (const CudaInstruction& instruction : all_instructions()) {
        if (instruction.form != CudaForm::registers || instruction.tiles != 1) continue;
        SCOPED_TRACE(instruction.unit + ", seed " + std::to_string(seed));
        const Shape& dot = instruction.shape.dot;
        const Formulas& formula = formulas.at({shape_text(instruction), container(dot, dot.a)});
        const ImageLayout layout = image_layout(instruction);
        const MatrixTile tile = random_tile(instruction.shape, random);
        std::vector<std::uint8_t> image(layout.in_bytes), results(layout.out_bytes);
        pack_image(layout, dot, {&tile, 1}, image);
        const MatrixTile seen = tile_in_registers(instruction, formula, image);
        EXPECT_EQ(seen, tile);

        // D of what the lanes hold, written by the formula of C, must come out as the product.
        const Evaluator evaluate(resolve_unit(instruction.unit));
        std::vector<std::uint64_t> product, d;
        evaluate_tile(evaluate, instruction.shape, seen, product);
        const int bits = format(dot.d).width, register_bits = dot.d == FormatId::f64 ? 64 : 32;
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < instruction.shape.M * instruction.shape.N / 32; ++i) {
                const Place place = formula.c(lane, i);
                const std::uint64_t value = product[at(place.row, instruction.shape.N, place.column)];
                const int each = register_bits / bits;
                std::memcpy(results.data() + (i / each * 32 + lane) * register_bits / 8 + i % each * bits / 8, &value,
                            static_cast<std::size_t>(bits / 8));
            }
        unpack_results(layout, instruction.shape, 1, results, d);
        EXPECT_EQ(d, product);
        ++tried;
    }
    EXPECT_GT(tried, 180);
}

TEST(Fragments, FourMatricesOfM8n8k4) {
    const std::uint64_t seed = 22;
    Random random(seed);
    for (const std::string& name : cuda_instructions("volta")) {
        SCOPED_TRACE(name + ", seed " + std::to_string(seed));
        const CudaInstruction instruction = cuda_instruction(name, {7, 0});
        const Shape& dot = instruction.shape.dot;
        const ImageLayout layout = image_layout(instruction);
        std::vector<MatrixTile> tiles;
        for (int q = 0; q < 4; ++q) tiles.push_back(random_tile(instruction.shape, random));
        std::vector<std::uint8_t> image(layout.in_bytes);
        pack_image(layout, dot, tiles, image);
        const int c_bits = format(dot.c.value()).width;
        for (int lane = 0; lane < 32; ++lane) {
            const auto& tile = tiles[static_cast<std::size_t>(lane % 16 / 4)];
            const int row = lane % 4 + (lane < 16 ? 0 : 4);
            for (int i = 0; i < 4; ++i) {
                EXPECT_EQ(container_of(image, 0, 32, 16, lane, i), tile.a[at(row, 4, i)]);
                EXPECT_EQ(container_of(image, 256, 32, 16, lane, i), tile.b[at(row, 4, i)]);
            }
            for (int i = 0; i < 8; ++i) {
                const int x = (lane & 1) + (i & 2);
                const Place of_f32{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
                const Place place = c_bits == 16 ? Place{row, i} : of_f32;
                EXPECT_EQ(container_of(image, 512, 32, c_bits, lane, i), tile.c[at(place.row, 8, place.column)]);
            }
        }
    }
}

// ---- shared memory

/// Element k of a row, read as the descriptor says that it lies.
std::uint64_t element_in_shared(const std::vector<std::uint8_t>& image, std::uint64_t descriptor, const Shape& dot,
                                FormatId id, int row, int k) {
    const auto offset = [&](int low) { return static_cast<int>(descriptor >> low & 0x3fff) * 16; };
    const int start = offset(0), leading = offset(16), stride = offset(32), width = format(id).width;
    const auto bit_at = [&](int bit) {
        const int byte = bit / 8;
        const int address = start + row / 8 * stride + byte / 16 * leading + row % 8 * 16 + byte % 16;
        return static_cast<std::uint64_t>(image[static_cast<std::size_t>(address)] >> (bit % 8) & 1);
    };
    // Sixteen elements narrower than a byte: 8 or 12 bytes of them, then padding up to 16.
    const int first = container(dot, id) == width ? k * width : k / 16 * 128 + k % 16 * width;
    std::uint64_t value = 0;
    for (int bit = 0; bit < width; ++bit) value |= bit_at(first + bit) << bit;
    return value;
}

TEST(Fragments, SharedMemoryAsTheDescriptorSays) {
    const std::uint64_t seed = 23;
    Random random(seed);
    for (const CudaInstruction& instruction : all_instructions()) {
        if (instruction.form == CudaForm::registers) continue;
        SCOPED_TRACE(instruction.unit + ", seed " + std::to_string(seed));
        const Shape& dot = instruction.shape.dot;
        const int M = instruction.shape.M, N = instruction.shape.N;
        const ImageLayout layout = image_layout(instruction);
        const MatrixTile tile = random_tile(instruction.shape, random);
        std::vector<std::uint8_t> image(layout.in_bytes);
        pack_image(layout, dot, {&tile, 1}, image);
        const std::uint64_t a = shared_memory_descriptor(instruction.form), b = a + static_cast<std::uint64_t>(M * 2);
        for (int k = 0; k < dot.K; ++k) {
            for (int i = 0; i < M; ++i)
                ASSERT_EQ(element_in_shared(image, a, dot, dot.a, i, k), tile.a[at(i, dot.K, k)]) << i << ' ' << k;
            for (int j = 0; j < N; ++j)
                ASSERT_EQ(element_in_shared(image, b, dot, dot.b, j, k), tile.b[at(j, dot.K, k)]) << j << ' ' << k;
        }
        const std::size_t c_at = static_cast<std::size_t>((M + N) * 32);
        const auto word = [&](int index) {
            std::uint32_t value = 0;
            std::memcpy(&value, image.data() + c_at + static_cast<std::size_t>(index) * 4, 4);
            return value;
        };
        const int width = format(dot.d).width, each = 32 / width;
        for (int thread = 0; thread < 128; ++thread) {
            const int warp = thread / 32, lane = thread % 32;
            if (instruction.form == CudaForm::shared_memory) { // "D fragment of wgmma .m64nNk…"
                for (int i = 0; i < N / 2; ++i) {
                    const int row = warp * 16 + g(lane) + (i % 4 < 2 ? 0 : 8),
                              column = i / 4 * 8 + t(lane) * 2 + (i & 1);
                    const std::uint64_t value =
                        word(i / each * 128 + thread) >> (i % each * width) & format(dot.d).mask();
                    ASSERT_EQ(value, tile.c[at(row, N, column)]) << thread << ' ' << i;
                }
            } else if (M == 128 || lane < 16) { // "Layout D" and "Layout F"
                const int row = M == 128 ? thread : warp * 16 + lane;
                for (int j = 0; j < N; ++j) ASSERT_EQ(word(j * 128 + thread), tile.c[at(row, N, j)]);
            }
        }
        if (!dot.scale) continue;
        for (int row = 0; row < M; ++row)
            for (int s = 0; s < dot.scales(); ++s)
                ASSERT_EQ(word(N * 128 + row / 32 * 32 + row % 32) >> (8 * s) & 255, tile.sa[at(row, dot.scales(), s)]);
        for (int j = 0; j < N; ++j)
            for (int s = 0; s < dot.scales(); ++s)
                ASSERT_EQ(word(N * 128 + 128 + j / 32 * 32 + j % 32) >> (8 * s) & 255, tile.sb[at(j, dot.scales(), s)]);
    }
}

TEST(Fragments, InstructionDescriptors) {
    const auto descriptor = [](const char* name) { return instruction_descriptor(cuda_instruction(name, {10, 0})); };
    // M = 64, N = 8: 4 << 24 | 1 << 17; f32: 1 << 4.
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m64n8k16.f32.f16.f16"), 0x04020010u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m64n8k16.f16.f16.f16"), 0x04020000u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16"), 0x04020490u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m64n8k8.f32.tf32.tf32"), 0x04020910u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m128n256k32.f32.e2m3.e3m2"), 0x08401190u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m128n8k32.block32.f32.e5m2.e2m1.ue8m0"), 0x08821480u);
    EXPECT_EQ(descriptor("blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"), 0x08020480u);
}

} // namespace

} // namespace discern
