// The inputs of a block of a unit, whatever its tree: decoded operands, and the accumulator that chains it to the block
// before.
#pragma once

#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/unit.hpp"
#include "terms.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace discern::integer {

/// Uninitialised room for n elements of a plain type, on the stack up to N of them.
template <typename T, std::size_t N>
class Buffer {
  public:
    explicit Buffer(std::size_t n) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        if (n > N) heap_.reset(new std::byte[n * sizeof(T)]);
    }
    T* data() { return reinterpret_cast<T*>(heap_ ? heap_.get() : inline_.data()); }

  private:
    alignas(T) std::array<std::byte, N * sizeof(T)> inline_;
    std::unique_ptr<std::byte[]> heap_;
};

/// decode() of one format, with the normal numbers out of the way first.
class Decoder {
  public:
    explicit Decoder(const Format& f)
        : format_(&f), mantissa_mask_((1ull << f.mantissa_bits) - 1), hidden_(1ull << f.mantissa_bits),
          top_((1u << f.exponent_bits) - 1), padding_(f.padding_bits), exponent_at_(f.padding_bits + f.mantissa_bits),
          sign_at_(f.width - 1), bias_(f.bias) {}

    Decoded operator()(std::uint64_t bits) const {
        const auto field = static_cast<unsigned>(bits >> exponent_at_) & top_;
        if (field == 0 || field == top_) return decode(*format_, bits);
        return {.negative = ((bits >> sign_at_) & 1) != 0,
                .significand = ((bits >> padding_) & mantissa_mask_) | hidden_,
                .exponent = static_cast<int>(field) - bias_};
    }

  private:
    const Format* format_;
    std::uint64_t mantissa_mask_, hidden_;
    unsigned top_;
    int padding_, exponent_at_, sign_at_, bias_;
};

/// Formats and the order of elements.
struct Frame {
    explicit Frame(const Unit& unit);

    const Format *a, *b, *c, *d; ///< c: nullptr without accumulator input
    const Format* scale;         ///< of products; nullptr without scales, and if those multiply rounded sums
    const Format* sum_scale;     ///< of rounded sums, or nullptr
    std::size_t L, scale_block;
    const Format* any_scale() const { return scale != nullptr ? scale : sum_scale; }
    NanKinds nan;
    bool starts_with_c;             ///< else with +0
    std::vector<std::size_t> order; ///< the elements 0…K−1 in the order of blocks
    Decoder decode_a, decode_b;     ///< operands are signed formats
};

/// A number as it comes out of a rounding.
struct Rounded {
    Decoded value;
    const Format* format;
};

/// A result as d, in which the next block reads it. The tree's format may be stored in a wider one (e8m13 in f32): the
/// same number with more fraction bits.
inline Decoded stored(const Frame& frame, const Rounded& result) {
    const int widen = frame.d->mantissa_bits - result.format->mantissa_bits;
    Decoded d = result.value;
    d.significand <<= widen;
    d.payload <<= widen;
    return d;
}

/// One block's operands.
struct Block {
    /// @param room  for 4·L numbers
    Block(const Frame& of, const Inputs& in, Decoded* room)
        : frame(of), a(room), b(a + of.L), sa(of.any_scale() == nullptr ? nullptr : b + of.L),
          sb(of.any_scale() == nullptr ? nullptr : sa + of.L), c_format(of.starts_with_c ? of.c : of.d) {
        if (of.starts_with_c)
            c = decode(*of.c, in.c);
        else
            c.exponent = of.d->emin();
    }

    /// Goes to the block whose elements are the first-th in order, and those that follow.
    void read(const Inputs& in, std::size_t first) {
        for (std::size_t l = 0; l < frame.L; ++l) {
            const std::size_t k = frame.order[first + l];
            a[l] = frame.decode_a(in.a[k]);
            b[l] = frame.decode_b(in.b[k]);
            if (const Format* f = frame.any_scale()) {
                sa[l] = decode(*f, in.sa[k / frame.scale_block]);
                sb[l] = decode(*f, in.sb[k / frame.scale_block]);
            }
        }
    }

    const Frame& frame;
    Decoded *a, *b, *sa, *sb; ///< one for each element of the block; no scales: nullptr
    Decoded c{};
    const Format* c_format;
};

/// How c is added if it comes last: one IEEE addition, RNE, in d's format.
Decoded add_last(const Frame& frame, const Decoded& d, const Decoded& c);

} // namespace discern::integer
