// Whole matrix products and batches of dot products, bit for bit as a unit computes them.
//
// Matrices are row-major spans of bit patterns. Where the unit's tree has one of the shapes of instructions, vector
// kernels compute 64 columns at a time (docs/fast-models.md); any other tree goes element by element through Evaluator,
// with the same results.
#pragma once

#include "unit.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace discern {

/// A row-major array of bit patterns, each in the low bits of the smallest unsigned word (8, 16, 32 or 64 bits) that
/// holds its format: fp4, fp6 and fp8 in bytes.
class Patterns {
  public:
    Patterns() = default;
    template <std::unsigned_integral Word>
    Patterns(std::span<const Word> words) : data_(words.data()), size_(words.size()), word_(sizeof(Word)) {}
    template <std::unsigned_integral Word>
    Patterns(std::span<Word> words) : Patterns(std::span<const Word>(words)) {}
    /// @param word  bytes of a word
    Patterns(const void* data, std::size_t size, std::size_t word) : data_(data), size_(size), word_(word) {}

    const void* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t word() const { return word_; } ///< bytes of a word

  private:
    const void* data_ = nullptr;
    std::size_t size_ = 0, word_ = 1;
};

/// The same, writable.
class MutablePatterns {
  public:
    template <std::unsigned_integral Word>
    MutablePatterns(std::span<Word> words) : data_(words.data()), size_(words.size()), word_(sizeof(Word)) {}
    MutablePatterns(void* data, std::size_t size, std::size_t word) : data_(data), size_(size), word_(word) {}

    void* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t word() const { return word_; }

  private:
    void* data_;
    std::size_t size_, word_;
};

/// Bytes of the word in which Patterns hold a format: 1, 2, 4 or 8.
std::size_t word_bytes(FormatId id);

/// Which kernels may be used. A set that this CPU or the unit's tree cannot use falls back to `general`.
enum class KernelChoice : std::uint8_t {
    best,       ///< the first of the following that this CPU has
    avx512fp16, ///< AVX-512 F, BW, DQ, VL, VNNI and FP16
    avx512,     ///< AVX-512 F, BW, DQ, VL
    avx2,       ///< AVX2 and FMA
    portable,   ///< vectors of 16 bytes on any CPU
    general,    ///< Evaluator, for every tree
};

struct GemmSize {
    std::size_t m = 0, n = 0, k = 0; ///< A is m × k, B is k × n, C and D are m × n
};

/// A device other than this CPU, such as a GPU, that computes chains of one unit's instructions, with the same bits.
/// Safe to use from several threads at once.
class Accelerator {
  public:
    /// m · n elements. k is a multiple of the unit's K. Operands are as Gemm takes them, and have been checked.
    struct Work {
        GemmSize size;
        bool vectors = false; ///< independent vectors: n is 1, and B has rows of k, as A has
        bool from_c = true;   ///< chains begin with C; false: with +0
        Patterns a, b, c, sa, sb;
        MutablePatterns d;
    };

    Accelerator() = default;
    Accelerator(const Accelerator&) = delete;
    Accelerator& operator=(const Accelerator&) = delete;
    virtual ~Accelerator() = default;

    /// For people: "GPU (NVIDIA H200)".
    virtual std::string name() const = 0;
    /// @param progress  as GemmOptions::progress; may be empty
    /// @return false if it ended the work
    /// @throws Error if the device fails
    virtual bool run(const Work& work, const std::function<bool(double)>& progress) = 0;
};

/// A matrix B, packed once for the kernels of units without scales: a copy of its patterns in the order in which
/// products read them. It reads the patterns only when it is made; a product is given both, and packs by itself where
/// this is not of its size, format and memory, or a schedule puts the elements of k in another order.
class PackedMatrix {
  public:
    /// @param format  the units' b @param b  k rows of n patterns, as products will be given them
    /// @param by_columns  as GemmOptions::b_by_columns
    /// @throws Error if a size or a word is wrong
    PackedMatrix(FormatId format, std::size_t k, std::size_t n, Patterns b, bool by_columns = false);

    std::size_t bytes() const; ///< of what is packed

    struct Impl;
    const Impl& impl() const { return *impl_; }

  private:
    std::shared_ptr<const Impl> impl_;
};

/// What the kernels of a unit look operands up in. To make it takes some milliseconds, as long as a product of few
/// elements.
struct GemmTables;

struct GemmOptions {
    /// D = alpha · A·B + beta · C. If both are 1, the unit chains from C. Otherwise it chains from +0, and then each
    /// element is one fused multiply-add of alpha, that accumulator and beta · C rounded to d's format, to nearest
    /// even, also in d's format. Both numbers must be exact in d's format. With beta = 0, C is not read and need not be
    /// given.
    double alpha = 1, beta = 1;
    bool from_zero = false; ///< the second way, also when alpha and beta are 1
    /// The patterns of B are n columns of k, one after another, as a weight lies; scales are in rows as ever.
    bool b_by_columns = false;
    unsigned threads = 1;
    KernelChoice kernels = KernelChoice::best;
    std::shared_ptr<Accelerator> accelerator = nullptr; ///< if set, computes instead of all kernels; made for the unit
    std::shared_ptr<const PackedMatrix> packed_b = nullptr; ///< B once more, packed
    std::shared_ptr<const GemmTables> tables = nullptr;     ///< Gemm::tables(), used as far as they are the ones needed
    /// Called from time to time, in the calling thread, with the part that is done, 0 to 1; false ends the work.
    std::function<bool(double)> progress;
};

/// Matrix products of one unit. Safe to use from several threads at once.
///
/// Elements of A and B are taken K (the unit's) at a time in the order of k, each time as one instruction whose
/// accumulator is the result of the one before. If K does not divide k, the last instruction's missing elements are +0
/// and missing scales are 1, as a program pads its tiles. A unit without accumulator computes only k ≤ K.
class Gemm {
  public:
    /// @throws Error if the unit is not valid, alpha or beta is not a number of d's format, or an accelerator is to
    /// take B by columns
    explicit Gemm(const Unit& unit, GemmOptions options = {});

    /// Computes D. @return false if the progress function ended the work; D is then of no use
    /// @param c   may be the same memory as d if alpha and beta are 1 and from_zero is not set
    /// @param sa  scales of A: m rows of scales(k); empty without scales. @param sb  of B: scales(k) rows of n
    /// @throws Error if a size or a word is wrong, k is 0, or the unit cannot compute that many products
    bool operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa = {},
                    Patterns sb = {}) const;

    /// Scale factors along k: 0 without scales.
    std::size_t scales(std::size_t k) const;

    /// Independent dot products of the unit's own K: `count` vectors, a and b count × K, sa and sb count × scales, c
    /// and d count. alpha, beta and from_zero do not apply. Sizes as above.
    void dots(std::size_t count, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa = {},
              Patterns sb = {}) const;

    const Unit& unit() const;
    /// The kernels in use: "AVX-512", "AVX2", "portable", or "general" for Evaluator; or the accelerator's name.
    std::string kernels() const;
    /// Of the options.
    const std::shared_ptr<Accelerator>& accelerator() const;
    /// For the options of others: of this unit with another alpha or beta, or of kernels of its instructions.
    const std::shared_ptr<const GemmTables>& tables() const;

  private:
    struct Impl;
    std::shared_ptr<const Impl> impl_;
};

} // namespace discern
