#include "packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace discern::fast {

Buffer::Buffer(std::size_t bytes)
    : data_(static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 64), std::align_val_t{64}))) {
    std::memset(data_.get(), 0, std::max<std::size_t>(bytes, 64));
}

std::uint64_t pattern_at(const void* data, std::size_t word, std::size_t index) {
    switch (word) {
    case 1: return static_cast<const std::uint8_t*>(data)[index];
    case 2: return static_cast<const std::uint16_t*>(data)[index];
    case 4: return static_cast<const std::uint32_t*>(data)[index];
    default: return static_cast<const std::uint64_t*>(data)[index];
    }
}

Layout::Layout(const Unit& unit, const Recipe& recipe)
    : storage(storage_of(recipe)), K(static_cast<std::size_t>(unit.K)), L(static_cast<std::size_t>(unit.L)),
      chain(recipe.form == Form::fma32 || recipe.form == Form::fma64) {
    const int halves = recipe.form == Form::two_level ? recipe.halves : 1;
    for (int block = 0; block < unit.blocks(); ++block)
        for (int half = 0; half < halves; ++half)
            for (int l = half; l < unit.L; l += halves)
                order.push_back(static_cast<std::size_t>(unit.element(block, l)));
    const bool real = storage == Storage::wide || storage == Storage::doubles;
    value_bytes = real ? 8 : 4;
    right_code_bytes = storage == Storage::wide ? 2 : storage == Storage::narrow || storage == Storage::gap ? 1 : 0;
    left_code_bytes = right_code_bytes == 1 ? 4 : right_code_bytes;
    if (unit.scale) {
        scale = &format(unit.scale->format);
        scale_block = static_cast<std::size_t>(unit.scale->block);
        scales_of_step = static_cast<std::size_t>(unit.scales());
    }
    if (recipe.form == Form::grouped) {
        group = static_cast<std::size_t>(recipe.group);
        groups = K / group;
    }
}

Packed::Packed(const Layout& layout, const Codec& codec, bool left, std::size_t lines, std::size_t steps)
    : layout_(&layout), codec_(&codec), left_(left), steps_(steps), blocks_(steps * layout.K / layout.L),
      code_bytes_(left ? layout.left_code_bytes : layout.right_code_bytes), total_(steps * layout.K),
      length_(layout.chain ? total_ : layout.L) {
    const std::size_t padded = (lines + panel - 1) / panel * panel;
    const std::size_t elements = padded * steps * layout.K;
    values_ = Buffer(elements * layout.value_bytes);
    codes_ = Buffer(elements * code_bytes_);
    scale_values_ = Buffer(padded * steps * layout.groups * sizeof(double));
    scale_codes_ = Buffer(padded * steps * layout.groups * sizeof(std::int16_t));
    if (layout.storage == Storage::gap) {
        raw_ = Buffer(elements * sizeof(float));
        exponents_ = Buffer(elements * sizeof(std::int16_t));
        tops_ = Buffer(padded * blocks_ * sizeof(std::int32_t));
    }
    special_.resize(padded * blocks_);
    any_.resize(padded / panel * blocks_);
}

void Packed::pack(const Source& source, std::size_t g, std::size_t first, std::size_t steps) {
    std::fill_n(special_.begin() + static_cast<std::ptrdiff_t>(g * blocks_ * panel), blocks_ * panel, std::uint8_t{0});
    switch (layout_->storage) {
    case Storage::wide: pack_lines<double, std::int16_t>(source, g, first, steps); break;
    case Storage::narrow:
        if (left_)
            pack_lines<float, std::uint32_t>(source, g, first, steps);
        else
            pack_lines<float, std::uint8_t>(source, g, first, steps);
        break;
    case Storage::gap:
        pack_lines<float, std::int16_t>(source, g, first, steps);
        pack_gaps(g);
        break;
    case Storage::floats: pack_lines<float, void>(source, g, first, steps); break;
    case Storage::doubles: pack_lines<double, void>(source, g, first, steps); break;
    }
    if (layout_->groups != 0) pack_scales(source, g, first, steps);
    for (std::size_t block = 0; block < blocks_; ++block) {
        const std::uint8_t* flags = special(g, block);
        any_[g * blocks_ + block] = std::any_of(flags, flags + panel, [](std::uint8_t f) { return f != 0; });
    }
}

void Packed::pack_vectors(const Source& source, const KernelSet& set) {
    const Format& f = codec_->format();
    const bool plain = layout_->scale == nullptr && source.lines == panel && f.width <= 16 && f.padding_bits == 0 &&
                       f.is_signed && layout_->storage != Storage::doubles;
    if (plain) {
        const std::uint64_t magnitudes = (std::uint64_t{1} << (f.width - 1)) - 1;
        const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
        Unpack u{};
        u.rows = source.values.data();
        u.K = layout_->K;
        u.word = static_cast<int>(source.values.word());
        u.order = layout_->order.data();
        u.width = f.width;
        u.mantissa_bits = f.mantissa_bits;
        u.emin = f.emin();
        u.special_from = static_cast<unsigned>(f.specials == Specials::ieee       ? infinity
                                               : f.specials == Specials::all_ones ? magnitudes
                                                                                  : magnitudes + 1);
        u.special_bits = f.specials == Specials::fnuz ? 1 << (f.width - 1) : -1;
        u.scale = std::ldexp(1.0F, 127 - f.bias);
        u.flush = codec_->flush();
        const Storage storage = layout_->storage;
        if (storage == Storage::wide)
            u.doubles = values_.as<double>();
        else
            u.floats = (storage == Storage::gap ? raw_ : values_).as<float>();
        if (storage == Storage::narrow) u.narrow_codes = codes_.as<std::uint8_t>();
        if (storage == Storage::wide) u.wide_codes = codes_.as<std::int16_t>();
        if (storage == Storage::gap) u.wide_codes = exponents_.as<std::int16_t>();
        if (set.unpack(u)) {
            std::fill(special_.begin(), special_.end(), std::uint8_t{0});
            std::fill(any_.begin(), any_.end(), std::uint8_t{0});
            if (storage == Storage::gap) pack_gaps(0);
            return;
        }
    }
    pack(source, 0, 0, 1);
}

namespace {

/// Scale number i of a step for a line, with its exponent; 1 beyond the last.
Operand scale_at(const Layout& layout, const Source& source, std::size_t line, std::size_t step, std::size_t i) {
    const std::size_t index = step * layout.scales_of_step + i;
    if (line >= source.lines || index >= source.scales_per_line) return {1.0, 0};
    const std::uint64_t bits = pattern_at(source.scales.data(), source.scales.word(),
                                          line * source.scale_line_stride + index * source.scale_stride);
    Operand x = operand(*layout.scale, bits, false);
    if (x.exponent == no_exponent) x.exponent = layout.scale->emin();
    return x;
}

} // namespace

template <class Value, class Code>
void Packed::pack_lines(const Source& source, std::size_t g, std::size_t first, std::size_t steps) {
    constexpr bool coded = !std::is_void_v<Code>;
    using Stored = std::conditional_t<coded, Code, char>;
    const Layout& layout = *layout_;
    const std::size_t K = layout.K;
    constexpr bool gap = std::is_same_v<Value, float> && std::is_same_v<Code, std::int16_t>;
    auto* values = (gap ? raw_ : values_).as<Value>() + g * panel * total_;
    auto* codes = coded ? (gap ? exponents_ : codes_).as<Stored>() + g * panel * total_ : nullptr;
    std::uint8_t* special_lines = special_.data() + g * blocks_ * panel;
    const bool scaled = layout.scale != nullptr && layout.groups == 0;
    const auto* data = static_cast<const std::byte*>(source.values.data());
    const std::size_t word = source.values.word();

    const auto put = [&](std::size_t line, std::size_t step, std::size_t position) {
        const std::size_t p = step * K + position;
        const std::size_t at = left_ ? (p / length_ * panel + line) * length_ + p % length_ : p * panel + line;
        const std::size_t element = layout.order[position], k = (first + step) * K + element;
        const std::size_t real_line = g * panel + line;
        const bool inside = step < steps && real_line < source.lines && k < source.k;
        const std::uint64_t bits =
            inside ? pattern_at(data, word, real_line * source.line_stride + k * source.k_stride) : 0;
        Value value;
        std::int16_t code;
        codec_->get(bits, value, code);
        if (scaled) {
            const Operand s = scale_at(layout, source, real_line, first + step, element / layout.scale_block);
            value = static_cast<Value>(value * static_cast<Value>(s.value));
            if (code != no_exponent) code = static_cast<std::int16_t>(value == 0 ? no_exponent : code + s.exponent);
        }
        values[at] = value;
        if constexpr (std::is_same_v<Code, std::uint32_t>)
            codes[at] = static_cast<std::uint32_t>(code) * 0x01010101u;
        else if constexpr (coded)
            codes[at] = static_cast<Code>(code);
        const Value difference = value - value; // not 0 of infinities and NaN
        if (!(difference == 0)) special_lines[(step * K + position) / layout.L * panel + line] = 1;
    };
    if (left_)
        for (std::size_t line = 0; line < panel; ++line)
            for (std::size_t step = 0; step < steps_; ++step)
                for (std::size_t position = 0; position < K; ++position) put(line, step, position);
    else
        for (std::size_t step = 0; step < steps_; ++step)
            for (std::size_t position = 0; position < K; ++position)
                for (std::size_t line = 0; line < panel; ++line) put(line, step, position);
}

void Packed::pack_gaps(std::size_t g) {
    const std::size_t L = layout_->L, skip = g * panel * total_;
    const float* raw = raw_.as<float>() + skip;
    const std::int16_t* exponents = exponents_.as<std::int16_t>() + skip;
    float* values = values_.as<float>() + skip;
    std::int32_t* tops = tops_.as<std::int32_t>() + g * blocks_ * panel;
    const std::size_t line_step = left_ ? L : 1, element_step = left_ ? 1 : panel;
    // Lines of a panel lie side by side, so loops over them come inside.
    const std::size_t inner = left_ ? 1 : panel;
    for (std::size_t block = 0; block < blocks_; ++block)
        for (std::size_t line = 0; line < panel; line += inner) {
            const std::size_t begin = block * L * panel + line * line_step;
            std::array<std::int32_t, panel> top;
            std::array<float, panel> one, two;
            for (std::size_t n = 0; n < inner; ++n) top[n] = no_exponent;
            for (std::size_t l = 0; l < L; ++l)
                for (std::size_t n = 0; n < inner; ++n)
                    top[n] = std::max<std::int32_t>(top[n], exponents[begin + l * element_step + n]);
            for (std::size_t n = 0; n < inner; ++n) {
                top[n] = top[n] == no_exponent ? 0 : top[n];
                tops[block * panel + line + n] = top[n];
                // In two steps, since 2^−top may not be a float. What is too far below the top to matter may become
                // zero.
                const std::int32_t half = -top[n] / 2;
                one[n] = std::bit_cast<float>((half + 127) << 23);
                two[n] = std::bit_cast<float>((-top[n] - half + 127) << 23);
            }
            for (std::size_t l = 0; l < L; ++l)
                for (std::size_t n = 0; n < inner; ++n) {
                    const std::size_t at = begin + l * element_step + n;
                    values[at] = raw[at] * one[n] * two[n];
                    const std::int32_t distance = std::min(top[n] - exponents[at], 127);
                    const std::int32_t code = exponents[at] == no_exponent ? 255 : distance;
                    if (left_)
                        codes_.as<std::uint32_t>()[skip + at] = static_cast<std::uint32_t>(code) * 0x01010101u;
                    else
                        codes_.as<std::uint8_t>()[skip + at] = static_cast<std::uint8_t>(code);
                }
        }
}

void Packed::pack_scales(const Source& source, std::size_t g, std::size_t first, std::size_t steps) {
    const Layout& layout = *layout_;
    auto* values = scale_values_.as<double>() + g * panel * scale_stride();
    auto* codes = scale_codes_.as<std::int16_t>() + g * panel * scale_stride();
    const std::size_t line_step = left_ ? scale_stride() : 1, element_step = left_ ? 1 : panel;
    for (std::size_t line = 0; line < panel; ++line)
        for (std::size_t step = 0; step < steps; ++step)
            for (std::size_t i = 0; i < layout.groups; ++i) {
                const Operand s =
                    scale_at(layout, source, g * panel + line, first + step, i * layout.group / layout.scale_block);
                const std::size_t at = line * line_step + (step * layout.groups + i) * element_step;
                values[at] = s.value;
                codes[at] = static_cast<std::int16_t>(s.exponent);
                if (!std::isfinite(s.value))
                    special_[(g * blocks_ + (step * layout.K + i * layout.group) / layout.L) * panel + line] = 1;
            }
}

const void* Packed::values(std::size_t g, std::size_t block) const {
    const std::size_t element = g * panel * total_ + block * length_ * panel;
    return values_.data() + element * layout_->value_bytes;
}

const void* Packed::codes(std::size_t g, std::size_t block) const {
    if (codes_.data() == nullptr) return nullptr;
    const std::size_t element = g * panel * total_ + block * length_ * panel;
    return codes_.data() + element * code_bytes_;
}

const float* Packed::raw(std::size_t g, std::size_t block) const {
    if (raw_.data() == nullptr) return nullptr; // not of this layout, here and below
    return raw_.as<float>() + g * panel * total_ + block * length_ * panel;
}

const std::int32_t* Packed::tops(std::size_t g, std::size_t block) const {
    if (tops_.data() == nullptr) return nullptr;
    return tops_.as<std::int32_t>() + (g * blocks_ + block) * panel;
}

const double* Packed::scale_values(std::size_t g, std::size_t block) const {
    if (scale_values_.data() == nullptr) return nullptr;
    const std::size_t groups = layout_->group == 0 ? 0 : layout_->L / layout_->group;
    return scale_values_.as<double>() + g * panel * scale_stride() + block * groups * (left_ ? 1 : panel);
}

const std::int16_t* Packed::scale_codes(std::size_t g, std::size_t block) const {
    if (scale_codes_.data() == nullptr) return nullptr;
    const std::size_t groups = layout_->group == 0 ? 0 : layout_->L / layout_->group;
    return scale_codes_.as<std::int16_t>() + g * panel * scale_stride() + block * groups * (left_ ? 1 : panel);
}

const std::uint8_t* Packed::special(std::size_t g, std::size_t block) const {
    return special_.data() + (g * blocks_ + block) * panel;
}

bool Packed::any_special(std::size_t g, std::size_t block) const { return any_[g * blocks_ + block] != 0; }

} // namespace discern::fast
