#include "packing.hpp"

#include "accumulators.hpp"

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

Source lines_from(Source source, std::size_t line) {
    const auto from = [line](const Patterns& p, std::size_t stride) {
        if (p.data() == nullptr) return p;
        return Patterns(static_cast<const std::byte*>(p.data()) + line * stride * p.word(), p.size(), p.word());
    };
    source.values = from(source.values, source.line_stride);
    source.scales = from(source.scales, source.scale_line_stride);
    source.lines -= line;
    return source;
}

namespace {

/// @param zero  the exponent of a zero
Operand scale_of(const Format& format, std::uint64_t bits, int zero) {
    Operand x = operand(format, bits, Flushed::none);
    if (x.exponent == no_exponent) x.exponent = zero;
    return x;
}

} // namespace

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
        zero_scale = recipe.empty ? no_exponent / 2 : scale->emin(); // so that the sum of two shows it
        for (std::uint64_t bits = 0; scale->width <= 8 && bits >> scale->width == 0; ++bits)
            scale_values.push_back(scale_of(*scale, bits, zero_scale));
    }
    if (recipe.form == Form::grouped || recipe.scaled) {
        group = recipe.scaled ? L : static_cast<std::size_t>(recipe.group);
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
        tops_ = Buffer(padded * blocks_ * sizeof(std::int32_t));
    }
    if (layout.scale != nullptr && layout.groups == 0) {
        vector_scales_ = Buffer(panel * layout.scales_of_step * sizeof(double));
        vector_scale_codes_ = Buffer(panel * layout.scales_of_step * sizeof(std::int16_t));
    }
    special_.resize(padded * blocks_);
    any_.resize(padded / panel * blocks_);
}

void Packed::pack(const Source& source, std::size_t g, std::size_t first, std::size_t steps, const KernelSet* set) {
    const bool beside = source.line_stride == 1 || source.k_stride == 1;
    const bool scaled = layout_->scale != nullptr && layout_->groups == 0;
    const bool by_vectors = !left_ && set != nullptr && beside && !scaled && can_unpack(source);
    std::fill_n(special_.begin() + static_cast<std::ptrdiff_t>(g * blocks_ * panel), blocks_ * panel, std::uint8_t{0});
    if (by_vectors)
        unpack_columns(source, g, first, steps, *set);
    else
        pack_by_elements(source, g, first, steps);
    if (layout_->groups != 0) pack_scales(source, g, first, steps);
    for (std::size_t block = 0; block < blocks_; ++block) {
        const std::uint8_t* flags = special_.data() + (g * blocks_ + block) * panel;
        any_[g * blocks_ + block] = std::any_of(flags, flags + panel, [](std::uint8_t f) { return f != 0; });
    }
}

void Packed::pack_by_elements(const Source& source, std::size_t g, std::size_t first, std::size_t steps) {
    switch (layout_->storage) {
    case Storage::wide: pack_lines<double, std::int16_t>(source, g, first, steps); break;
    case Storage::narrow:
        if (left_)
            pack_lines<float, std::uint32_t>(source, g, first, steps);
        else
            pack_lines<float, std::uint8_t>(source, g, first, steps);
        break;
    case Storage::gap:
        pack_lines<float, void>(source, g, first, steps);
        pack_gaps(g);
        break;
    case Storage::floats: pack_lines<float, void>(source, g, first, steps); break;
    case Storage::doubles: pack_lines<double, void>(source, g, first, steps); break;
    }
}

Operand Layout::scale_at(const Source& source, std::size_t line, std::size_t step, std::size_t i) const {
    const std::size_t index = step * scales_of_step + i;
    if (line >= source.lines || index >= source.scales_per_line) return {1.0, 0};
    const std::uint64_t bits = pattern_at(source.scales, line * source.scale_line_stride + index * source.scale_stride);
    if (!scale_values.empty()) return scale_values[bits & (scale_values.size() - 1)];
    return scale_of(*scale, bits, zero_scale);
}

template <class Value, class Code>
void Packed::pack_lines(const Source& source, std::size_t g, std::size_t first, std::size_t steps) {
    constexpr bool coded = !std::is_void_v<Code>;
    using Stored = std::conditional_t<coded, Code, char>;
    const Layout& layout = *layout_;
    const std::size_t K = layout.K;
    const bool gap = layout.storage == Storage::gap;
    auto* values = (gap ? raw_ : values_).as<Value>() + g * panel * total_;
    auto* codes = coded ? codes_.as<Stored>() + g * panel * total_ : nullptr;
    std::uint8_t* special_lines = special_.data() + g * blocks_ * panel;
    const bool scaled = layout.scale != nullptr && layout.groups == 0;
    const auto* data = static_cast<const std::byte*>(source.values.data());
    const std::size_t word = source.values.word();

    const auto put = [&](std::size_t line, std::size_t step, std::size_t position) {
        const std::size_t p = step * K + position;
        const std::size_t at = left_ ? (p / length_ * panel + line) * length_ + p % length_ : p * panel + line;
        const std::size_t element = layout.order[position], k = (first + step) * K + element;
        const bool inside = step < steps && line < source.lines && k < source.k;
        const std::uint64_t bits = inside ? pattern_at(data, word, line * source.line_stride + k * source.k_stride) : 0;
        Value value;
        std::int16_t code;
        codec_->get(bits, value, code);
        if (scaled) {
            const Operand s = layout.scale_at(source, line, first + step, element / layout.scale_block);
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
    const auto magnitude = [raw](std::size_t at) { return std::bit_cast<std::int32_t>(raw[at]) & 0x7fffffff; };
    const auto exponent = [](std::int32_t m) { return std::max(m >> 23, 1) - 127; };
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
            for (std::size_t n = 0; n < inner; ++n) top[n] = 0; // first magnitudes, then their exponents
            for (std::size_t l = 0; l < L; ++l)
                for (std::size_t n = 0; n < inner; ++n)
                    top[n] = std::max(top[n], magnitude(begin + l * element_step + n));
            for (std::size_t n = 0; n < inner; ++n) {
                top[n] = top[n] == 0 ? 0 : exponent(top[n]);
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
                    const std::int32_t m = magnitude(at);
                    const std::int32_t code = m == 0 ? 255 : std::min(top[n] - exponent(m), 127);
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
    const std::size_t mask = layout.scale_values.size() - 1;
    for (std::size_t step = 0; step < steps; ++step)
        for (std::size_t i = 0; i < layout.groups; ++i) {
            const std::size_t scale = i * layout.group / layout.scale_block;
            const std::size_t block = (step * layout.K + i * layout.group) / layout.L;
            std::uint8_t* const special = special_.data() + (g * blocks_ + block) * panel;
            const std::size_t column = (step * layout.groups + i) * element_step;
            const auto put = [&](std::size_t line, const Operand& s) {
                const std::size_t at = line * line_step + column;
                values[at] = s.value;
                codes[at] = static_cast<std::int16_t>(s.exponent);
                return s.value - s.value; // 0 of a number
            };
            const std::size_t index = (first + step) * layout.scales_of_step + scale;
            if (source.scales.word() == 1 && index < source.scales_per_line && panel <= source.lines) {
                const std::uint8_t* from =
                    static_cast<const std::uint8_t*>(source.scales.data()) + index * source.scale_stride;
                const Operand* const table = layout.scale_values.data();
                double all = 0;
                for (std::size_t line = 0; line < panel; ++line)
                    all += put(line, table[from[line * source.scale_line_stride] & mask]);
                for (std::size_t line = 0; line < panel && all != 0; ++line)
                    special[line] |= static_cast<std::uint8_t>(!std::isfinite(values[line * line_step + column]));
                continue;
            }
            for (std::size_t line = 0; line < panel; ++line)
                special[line] |=
                    static_cast<std::uint8_t>(put(line, layout.scale_at(source, line, first + step, scale)) != 0);
        }
}

TileOperand Packed::operand(std::size_t g, std::size_t block) const {
    const std::size_t element = g * panel * total_ + block * length_ * panel, line = (g * blocks_ + block) * panel;
    const std::size_t groups = layout_->group == 0 ? 0 : layout_->L / layout_->group;
    const std::size_t scale = g * panel * scale_stride() + block * groups * (left_ ? 1 : panel);
    const bool gap = layout_->storage == Storage::gap;
    return {.values = values_.data() + element * layout_->value_bytes,
            .exponents = codes_.data() + element * code_bytes_,
            .scales = scale_values_.as<double>() + scale,
            .scale_exponents = scale_codes_.as<std::int16_t>() + scale,
            .raw = gap ? raw_.as<float>() + element : nullptr,
            .tops = gap ? tops_.as<std::int32_t>() + line : nullptr,
            .stride = length_,
            .scale_stride = scale_stride(),
            .special = special_.data() + line,
            .any_special = any_[g * blocks_ + block] != 0};
}

Tile tile_of(const Packed& left, const Packed& right, std::size_t gi, std::size_t gj, std::size_t block) {
    Tile t{};
    t.a = left.operand(gi, block);
    t.b = right.operand(gj, block);
    return t;
}

} // namespace discern::fast
