#include "fragments.hpp"

#include <algorithm>

namespace discern {

namespace {

using enum FormatId;

std::size_t size(int number) { return static_cast<std::size_t>(number); }

/// Bits that an element takes in a register or in a row of shared memory, its own or a container's.
int slot_bits(const CudaInstruction& instruction, FormatId id) {
    const int width = format(id).width;
    return width < 8 && instruction.shape.dot.K == 32 ? 8 : width;
}

/// Where the element begins in its slot: mma.sync wants e2m1 in the middle of its byte.
int slot_shift(const CudaInstruction& instruction, FormatId id) {
    return id == e2m1 && slot_bits(instruction, id) == 8 ? 2 : 0;
}

/// Calls with every pair below the two bounds.
template <typename Action>
void for_each_pair(int first_bound, int second_bound, Action action) {
    for (int i = 0; i < first_bound; ++i)
        for (int j = 0; j < second_bound; ++j) action(i, j);
}

// ---- mma.sync: a warp's registers. In the image, register r of lane l is word 32·r + l.

struct RegisterFile {
    std::size_t at;    ///< byte where the registers of this operand begin
    int register_bits; ///< 32 or 64
    std::size_t bit(int lane, int reg, int bit_in_register) const {
        return at * 8 + (size(reg) * 32 + size(lane)) * size(register_bits) + size(bit_in_register);
    }
};

/// Rows of A and columns of B go to the eight groups of four lanes; along K, each lane of a group has as many
/// neighbours as a register holds, and the next register continues after the group's last lane.
void place_ab(const CudaInstruction& instruction, ImageLayout& layout, int register_bits) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    const auto place = [&](FormatId id, int row, int k, int rows, std::size_t at) {
        const int slot = slot_bits(instruction, id), each = register_bits / slot;
        const int row_registers = (rows + 7) / 8; // registers for rows g and g + 8
        const int chunk = k / (4 * each), within = k % (4 * each);
        const RegisterFile file{at, register_bits};
        return file.bit(row % 8 * 4 + within / each, chunk * row_registers + row / 8,
                        within % each * slot + slot_shift(instruction, id));
    };
    for_each_pair(M, dot.K, [&](int i, int k) { layout.a.push_back(place(dot.a, i, k, M, layout.a_at)); });
    for_each_pair(N, dot.K, [&](int j, int k) { layout.b.push_back(place(dot.b, j, k, N, layout.b_at)); });
}

/// Pairs of neighbours in a row of C; rows g and g + 8 one after the other.
std::size_t place_c(FormatId id, int row, int column, std::size_t at, int register_bits) {
    const int width = format(id).width, element = row / 8 * 2 + column % 2, each = register_bits / width;
    const RegisterFile file{at, register_bits};
    return file.bit(row % 8 * 4 + column / 2, element / each, element % each * width);
}

/// m8n8k4 of f16: four matrices, one for lanes 4q … 4q+3 with 16+4q … 16+4q+3.
void place_quad_pairs(const CudaInstruction& instruction, ImageLayout& layout) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    const auto lane_of = [](int q, int row) { return row % 4 + 4 * q + (row >= 4 ? 16 : 0); };
    const auto place_cd = [&](FormatId id, int q, int i, int j, std::size_t at) {
        const RegisterFile file{at, 32};
        if (id == f16) return file.bit(lane_of(q, i), j / 2, j % 2 * 16);
        // Of f32, a lane has two rows: bit 0 of the row and bit 1 of the column choose the lane of the quad.
        const int lane = i % 4 % 2 + j % 4 / 2 * 2, element = (i % 4 / 2) * 2 + j / 4 * 4 + j % 2;
        return file.bit(lane + 4 * q + (i >= 4 ? 16 : 0), element, 0);
    };
    for (int q = 0; q < instruction.tiles; ++q) {
        const auto place = [&](int row, int k, std::size_t at) {
            return RegisterFile{at, 32}.bit(lane_of(q, row), k / 2, k % 2 * 16);
        };
        for_each_pair(M, dot.K, [&](int i, int k) { layout.a.push_back(place(i, k, layout.a_at)); });
        for_each_pair(N, dot.K, [&](int j, int k) { layout.b.push_back(place(j, k, layout.b_at)); });
        for_each_pair(M, N, [&](int i, int j) {
            layout.c.push_back(place_cd(dot.c.value(), q, i, j, layout.c_at));
            layout.d.push_back(place_cd(dot.d, q, i, j, 0));
        });
    }
}

/// Scales of mma.sync, from byte 0 of one register of a lane: row g in the even lanes of a group, row g + 8 in the odd
/// ones, column g in all four. Only some of the lanes are asked, which the selectors name; all have them.
void place_register_scales(const CudaInstruction& instruction, ImageLayout& layout) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    const RegisterFile file_a{layout.sa_at, 32}, file_b{layout.sb_at, 32};
    for_each_pair(M, dot.scales(), [&](int i, int s) {
        const int lane = i % 8 * 4 + i / 8;
        layout.sa.push_back({file_a.bit(lane, 0, 8 * s), file_a.bit(lane + 2, 0, 8 * s)});
    });
    for_each_pair(N, dot.scales(), [&](int j, int s) {
        auto& places = layout.sb.emplace_back();
        for (int lane = 0; lane < 4; ++lane) places.push_back(file_b.bit(j * 4 + lane, 0, 8 * s));
    });
}

ImageLayout register_layout(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    const FragmentSizes sizes = fragment_sizes(instruction);
    const auto bytes = [&](int registers) { return size(registers) * 32 * size(sizes.register_bits) / 8; };
    ImageLayout layout;
    layout.b_at = bytes(sizes.a);
    layout.c_at = layout.b_at + bytes(sizes.b);
    layout.sa_at = layout.c_at + bytes(sizes.c);
    layout.sb_at = layout.sa_at + (instruction.scaled() ? bytes(1) : 0);
    layout.in_bytes = layout.sb_at + (instruction.scaled() ? bytes(1) : 0);
    layout.out_bytes = bytes(sizes.d);
    if (instruction.tiles == 4) {
        place_quad_pairs(instruction, layout);
        return layout;
    }
    place_ab(instruction, layout, sizes.register_bits);
    for_each_pair(M, N, [&](int i, int j) {
        layout.c.push_back(place_c(dot.c.value(), i, j, layout.c_at, sizes.register_bits));
        layout.d.push_back(place_c(dot.d, i, j, 0, sizes.register_bits));
    });
    if (instruction.scaled()) place_register_scales(instruction, layout);
    return layout;
}

// ---- shared memory

/// Bit of byte `byte` of row `row` in a matrix without swizzling.
std::size_t core_matrix_bit(int row, int byte) {
    return size(row / 8 * stride_offset + byte / 16 * leading_offset + row % 8 * 16 + byte % 16) * 8;
}

/// Rows of K elements. Elements narrower than a byte in an instruction that takes bytes are packed sixteen at a time
/// into the front of 16 bytes.
std::size_t row_bit(const CudaInstruction& instruction, FormatId id, int row, int k) {
    const int width = format(id).width;
    if (slot_bits(instruction, id) == width) {
        const int bit = k * width;
        return core_matrix_bit(row, bit / 8) + size(bit % 8);
    }
    const int bit = k % 16 * width;
    return core_matrix_bit(row, k / 16 * 16 + bit / 8) + size(bit % 8);
}

void place_shared(const CudaInstruction& instruction, ImageLayout& layout) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    layout.b_at = size(M) * row_bytes;
    layout.c_at = layout.b_at + size(N) * row_bytes;
    for_each_pair(M, dot.K, [&](int i, int k) { layout.a.push_back(row_bit(instruction, dot.a, i, k)); });
    for_each_pair(N, dot.K,
                  [&](int j, int k) { layout.b.push_back(layout.b_at * 8 + row_bit(instruction, dot.b, j, k)); });
}

/// wgmma: warp w has rows 16w … 16w+15, in each 8 columns like C of mma.m16n8. Register r of thread t is word 128·r +
/// t.
ImageLayout shared_memory_layout(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    ImageLayout layout;
    place_shared(instruction, layout);
    layout.out_bytes = size(wgmma_accumulators(instruction)) * warpgroup_threads * 4;
    layout.in_bytes = layout.c_at + layout.out_bytes;
    const int each = 32 / format(dot.d).width;
    for_each_pair(M, N, [&](int i, int j) {
        const int thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2;
        const int element = j / 8 * 4 + i % 16 / 8 * 2 + j % 2;
        const std::size_t bit =
            (size(element / each) * warpgroup_threads + size(thread)) * 32 + size(element % each * format(dot.d).width);
        layout.c.push_back(layout.c_at * 8 + bit);
        layout.d.push_back(bit);
    });
    return layout;
}

/// tcgen05: row i of C in one lane of tensor memory, column j in its column j. Column j of lane t is word 128·j + t.
ImageLayout tensor_memory_layout(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    ImageLayout layout;
    place_shared(instruction, layout);
    layout.out_bytes = size(N) * warpgroup_threads * 4;
    layout.sa_at = layout.c_at + layout.out_bytes;
    const std::size_t scale_bytes = instruction.scaled() ? size(scale_columns * scale_lanes) * 4 : 0;
    layout.sb_at = layout.sa_at + scale_bytes;
    layout.in_bytes = layout.sb_at + scale_bytes;
    const bool half = M == 64; // 16 rows a warp, in the first lanes of its 32
    for_each_pair(M, N, [&](int i, int j) {
        const int lane = half ? i / 16 * 32 + i % 16 : i;
        const std::size_t bit = (size(j) * warpgroup_threads + size(lane)) * 32;
        layout.c.push_back(layout.c_at * 8 + bit);
        layout.d.push_back(bit);
    });
    // The scales of row r: lane r mod 32, column r / 32, one byte each.
    const auto place = [](int row, int s, std::size_t at) {
        return at * 8 + (size(row / scale_lanes) * scale_lanes + size(row % scale_lanes)) * 32 + size(8 * s);
    };
    for_each_pair(M, dot.scales(), [&](int i, int s) { layout.sa.push_back({place(i, s, layout.sa_at)}); });
    for_each_pair(N, dot.scales(), [&](int j, int s) { layout.sb.push_back({place(j, s, layout.sb_at)}); });
    return layout;
}

// ---- bits

void write_bits(std::span<std::uint8_t> image, std::size_t at, int width, std::uint64_t bits) {
    for (int i = 0; i < width;) {
        const std::size_t byte = (at + size(i)) / 8, shift = (at + size(i)) % 8;
        const int count = std::min(width - i, 8 - static_cast<int>(shift));
        const auto part = static_cast<unsigned>((bits >> i) & ((1u << count) - 1));
        image[byte] = static_cast<std::uint8_t>(image[byte] | (part << shift));
        i += count;
    }
}

std::uint64_t read_bits(std::span<const std::uint8_t> image, std::size_t at, int width) {
    std::uint64_t bits = 0;
    for (int i = 0; i < width;) {
        const std::size_t byte = (at + size(i)) / 8, shift = (at + size(i)) % 8;
        const int count = std::min(width - i, 8 - static_cast<int>(shift));
        const std::uint64_t part = (image[byte] >> shift) & ((1u << count) - 1);
        bits |= part << i;
        i += count;
    }
    return bits;
}

} // namespace

FragmentSizes fragment_sizes(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    FragmentSizes sizes;
    sizes.register_bits = dot.a == f64 ? 64 : 32;
    const int in_a_register = sizes.register_bits * 32;
    const auto registers = [&](int elements, int bits) { return elements * instruction.tiles * bits / in_a_register; };
    sizes.a = registers(M * dot.K, slot_bits(instruction, dot.a));
    sizes.b = registers(N * dot.K, slot_bits(instruction, dot.b));
    sizes.c = registers(M * N, format(dot.c.value()).width);
    sizes.d = registers(M * N, format(dot.d).width);
    return sizes;
}

int wgmma_accumulators(const CudaInstruction& instruction) {
    return instruction.shape.N / 2 * format(instruction.shape.dot.d).width / 32;
}

std::uint64_t shared_memory_descriptor(CudaForm form) {
    const auto in_units = [](int bytes) { return static_cast<std::uint64_t>(bytes / 16); };
    const std::uint64_t version = form == CudaForm::tensor_memory ? 1ull << 46 : 0;
    return in_units(leading_offset) << 16 | in_units(stride_offset) << 32 | version;
}

std::uint32_t instruction_descriptor(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const int M = instruction.shape.M, N = instruction.shape.N;
    const auto code = [&](FormatId id) -> std::uint32_t {
        switch (id) {
        case bf16:
        case e5m2: return 1;
        case tf32: return 2;
        case e2m3: return 3;
        case e3m2: return 4;
        case e2m1: return dot.K == 64 ? 1 : 5; // in the instructions that take nothing else, 1
        default: return 0;                     // f16, e4m3
        }
    };
    const auto bits = [](int value, int at) { return static_cast<std::uint32_t>(value) << at; };
    std::uint32_t descriptor = code(dot.a) << 7 | code(dot.b) << 10 | bits(N / 8, 17) | bits(M / 16, 24);
    if (!instruction.scaled())
        descriptor |= bits(dot.d == f32 ? 1 : 0, 4);
    else
        descriptor |= bits(dot.scale->format == e8m0 ? 1 : 0, 23);
    return descriptor;
}

ImageLayout image_layout(const CudaInstruction& instruction) {
    using Maker = ImageLayout (*)(const CudaInstruction&);
    constexpr std::array<Maker, 3> makers = {register_layout, shared_memory_layout, tensor_memory_layout};
    return makers[static_cast<std::size_t>(instruction.form)](instruction);
}

void pack_image(const ImageLayout& layout, const Shape& dot, std::span<const MatrixTile> tiles,
                std::span<std::uint8_t> image) {
    const auto pack = [&](const std::vector<std::uint64_t>& patterns, const std::vector<std::size_t>& places,
                          std::size_t first, FormatId id) {
        for (std::size_t i = 0; i < patterns.size(); ++i)
            write_bits(image, places[first * patterns.size() + i], format(id).width, patterns[i]);
    };
    const auto pack_scales = [&](const std::vector<std::uint64_t>& scales,
                                 const std::vector<std::vector<std::size_t>>& places) {
        for (std::size_t i = 0; i < scales.size(); ++i)
            for (const std::size_t place : places[i])
                write_bits(image, place, format(dot.scale->format).width, scales[i]);
    };
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        pack(tiles[t].a, layout.a, t, dot.a);
        pack(tiles[t].b, layout.b, t, dot.b);
        pack(tiles[t].c, layout.c, t, dot.c.value());
        pack_scales(tiles[t].sa, layout.sa);
        pack_scales(tiles[t].sb, layout.sb);
    }
}

void unpack_results(const ImageLayout& layout, const MatrixShape& shape, std::size_t tiles,
                    std::span<const std::uint8_t> image, std::vector<std::uint64_t>& d) {
    const std::size_t count = tiles * size(shape.M) * size(shape.N);
    for (std::size_t i = 0; i < count; ++i) d.push_back(read_bits(image, layout.d[i], format(shape.dot.d).width));
}

} // namespace discern
