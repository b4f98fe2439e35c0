// Independent vectors, packed by vector instructions: the set of kernels transposes and decodes them, given the kind
// of their patterns.
#include "packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace discern::fast {

bool Packed::can_unpack(const Source& source) const {
    const Format& f = codec_->format();
    const std::size_t word = source.values.word(), row = layout_->K * word;
    const bool codes = layout_->storage == Storage::wide || layout_->storage == Storage::narrow;
    return f.is_signed && !f.is_fixed_point() && f.specials != Specials::inuz && layout_->storage != Storage::doubles &&
           row % 2 == 0 && row <= 512 && f.bias <= 127 && f.emin() - codec_->emin() <= 60 &&
           (word <= 2 ? f.padding_bits == 0 : f.width == 32 && !codes) &&
           // Where −0 has no pattern, that pattern is NaN, and flushing works on patterns.
           (codec_->flush() == Flushed::none || (word == 2 && f.has_minus_zero()));
}

void Packed::pack_vectors(const Source& source, const KernelSet& set) {
    if (!can_unpack(source)) {
        pack(source, 0, 0, 1);
        return;
    }
    const std::size_t word = source.values.word(), row = layout_->K * word;
    std::fill(special_.begin(), special_.end(), std::uint8_t{0});
    bool special = false;
    if (source.lines == panel) {
        special = unpack_vectors(source, set);
    } else {
        padded_.assign(panel * row, std::byte{0});
        std::memcpy(padded_.data(), source.values.data(), source.lines * row);
        Source whole = source;
        whole.values = Patterns(padded_.data(), panel * layout_->K, word);
        special = unpack_vectors(whole, set);
    }
    if (layout_->groups != 0) {
        pack_scales(source, 0, 0, 1);
        special |= std::any_of(special_.begin(), special_.end(), [](std::uint8_t flag) { return flag != 0; });
    }
    std::fill(any_.begin(), any_.end(), static_cast<std::uint8_t>(special));
}

/// How the patterns are decoded; not yet which, and where they go. @param sixteen  must outlive the request
Unpack Packed::unpacking(std::size_t word, std::array<float, 16>& sixteen) const {
    const Format& f = codec_->format();
    const std::uint32_t exponent_of_specials = ((1u << f.exponent_bits) - 1) << (f.mantissa_bits + f.padding_bits);
    const bool infinity_in_half = f.specials == Specials::ieee; // where f16 has its own
    Unpack u{};
    u.K = layout_->K;
    u.word = static_cast<int>(word);
    u.order = layout_->order.data();
    u.width = f.width;
    u.mantissa_bits = f.mantissa_bits;
    u.emin = f.emin();
    u.below_emin = f.emin() - codec_->emin();
    u.leading_zeros = std::min(u.below_emin, f.mantissa_bits);
    u.magnitudes = ((1u << (f.width - 1)) - 1) & ~((1u << f.padding_bits) - 1);
    u.special_from = f.specials == Specials::ieee       ? exponent_of_specials
                     : f.specials == Specials::all_ones ? u.magnitudes
                                                        : u.magnitudes + 1;
    u.special_bits = f.specials == Specials::fnuz ? 1 << (f.width - 1) : -1;
    u.special = f.specials == Specials::ieee ? 0x7f800000 : 0x7fc00000;
    u.to_f32 = 23 - f.mantissa_bits - f.padding_bits;
    u.rebias = (127 - f.bias) << 23;
    const bool in_half = f.mantissa_bits <= 10 && (f.exponent_bits < 5 || (f.exponent_bits == 5 && infinity_in_half));
    u.to_half = in_half ? 10 - f.mantissa_bits - f.padding_bits : -1;
    u.half_scale = std::ldexp(1.0F, 15 - f.bias);
    u.ftz = codec_->flush();
    if (f.width <= 4 && u.special_from > u.magnitudes && u.special_bits < 0) {
        std::int16_t code = 0;
        for (std::size_t bits = 0; bits < sixteen.size(); ++bits) codec_->get(bits, sixteen[bits], code);
        u.sixteen = sixteen.data();
    }
    return u;
}

/// Where the values of 64 lines go, from their p-th element on.
void Packed::unpack_into(Unpack& u, std::size_t element) {
    switch (layout_->storage) {
    case Storage::wide:
        u.doubles = values_.as<double>() + element;
        u.wide_codes = codes_.as<std::int16_t>() + element;
        break;
    case Storage::narrow:
        u.floats = values_.as<float>() + element;
        u.narrow_codes = codes_.as<std::uint8_t>() + element;
        break;
    case Storage::gap: u.floats = raw_.as<float>() + element; break;
    default: u.floats = values_.as<float>() + element;
    }
}

constexpr std::size_t read_ahead = 8192; ///< bytes

/// Steps of the 64 columns of a group, whose elements lie side by side in one direction or the other.
void Packed::unpack_columns(const Source& source, std::size_t g, std::size_t first, std::size_t steps,
                            const KernelSet& set) {
    const std::size_t K = layout_->K, word = source.values.word(), lines = std::min(panel, source.lines);
    const auto* data = static_cast<const std::byte*>(source.values.data());
    const std::size_t ahead = std::max<std::size_t>(1, read_ahead / (K * panel * word)); // instructions
    std::vector<std::byte> padded;                                                       // of this thread
    std::array<float, 16> sixteen{};
    Unpack u = unpacking(word, sixteen);
    for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t k = (first + step) * K, inside = std::min(K, source.k - k);
        const std::byte* from = data + k * source.k_stride * word;
        const bool across = source.line_stride == 1, whole = lines == panel && inside == K;
        if (across && whole) {
            u.across = from;
            u.across_stride = source.k_stride * word;
            // Rows lie in pages of their own, or a page ends every few instructions: no CPU reads ahead there.
            for (std::size_t row = K * ahead; row < std::min(K * (ahead + 1), source.k - k); ++row)
                for (std::size_t byte = 0; byte < panel * word; byte += 64)
                    __builtin_prefetch(from + row * u.across_stride + byte);
        } else { // rows of the one direction or the other one after another, and zeros
            padded.assign(panel * K * word, std::byte{0});
            const std::size_t rows = across ? inside : lines, length = (across ? lines : inside) * word;
            const std::size_t stride = (across ? source.k_stride : source.line_stride) * word;
            const std::size_t to = (across ? panel : K) * word;
            for (std::size_t i = 0; i < rows; ++i) std::memcpy(padded.data() + i * to, from + i * stride, length);
            u.rows = across ? nullptr : padded.data();
            u.across = across ? padded.data() : nullptr;
            u.across_stride = to;
        }
        unpack_into(u, (g * total_ + step * K) * panel);
        if (!set.unpack(u)) continue;
        const std::size_t block = step * K / layout_->L, last = (step * K + K - 1) / layout_->L;
        std::fill_n(special_.begin() + static_cast<std::ptrdiff_t>((g * blocks_ + block) * panel),
                    (last - block + 1) * panel, std::uint8_t{1});
    }
    if (layout_->storage == Storage::gap) scale_blocks(g, steps * K / layout_->L, set);
}

void Packed::scale_blocks(std::size_t g, std::size_t blocks, const KernelSet& set) {
    for (std::size_t block = 0; block < blocks; ++block) {
        const std::size_t skip = (g * total_ + block * layout_->L) * panel;
        set.scale_columns({.raw = raw_.as<float>() + skip,
                           .L = layout_->L,
                           .values = values_.as<float>() + skip,
                           .codes = codes_.as<std::uint8_t>() + skip,
                           .tops = tops_.as<std::int32_t>() + (g * blocks_ + block) * panel});
    }
}

/// @return whether some operand or scale is infinite or NaN
bool Packed::unpack_vectors(const Source& source, const KernelSet& set) {
    std::array<float, 16> sixteen{};
    Unpack u = unpacking(source.values.word(), sixteen);
    u.rows = source.values.data();
    bool special = false;
    if (vector_scales_.data() != nullptr) {
        special = vector_scales(source);
        u.scales = vector_scales_.as<double>();
        u.scale_exponents = vector_scale_codes_.as<std::int16_t>();
        u.scale_block = layout_->scale_block;
    }
    unpack_into(u, 0);
    special |= set.unpack(u);
    if (layout_->storage == Storage::gap) scale_blocks(0, blocks_, set);
    return special;
}

/// Scales of the elements of independent vectors, side by side. @return whether some scale is infinite or NaN
bool Packed::vector_scales(const Source& source) {
    auto* values = vector_scales_.as<double>();
    auto* codes = vector_scale_codes_.as<std::int16_t>();
    bool special = false;
    for (std::size_t i = 0; i < layout_->scales_of_step; ++i)
        for (std::size_t line = 0; line < panel; ++line) {
            const Operand s = layout_->scale_at(source, line, 0, i);
            values[i * panel + line] = s.value;
            codes[i * panel + line] = static_cast<std::int16_t>(s.value == 0 ? no_exponent : s.exponent);
            special |= !std::isfinite(s.value);
        }
    return special;
}

} // namespace discern::fast
