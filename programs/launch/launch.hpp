// How a kernel is started: grid, block, and what each argument is (docs/kernel-files.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

/// An array in global memory, and what each of its axes is for.
struct ArraySpec {
    std::string name;
    std::string format;   ///< of an element: a format's name, or s8, u8, s32
    unsigned element = 0; ///< bytes of it
    std::vector<std::uint32_t> shape;
    std::string axes;                   ///< a letter each: m, n, k, or another index
    std::vector<std::uint64_t> strides; ///< in elements
    std::uint64_t base = 0;             ///< bytes before the first element
    bool is_result = false;
    std::string initial; ///< of a result: nothing, "zero", or the operand that it holds

    std::uint64_t elements() const;
    /// Bytes from the pointer to behind the last element.
    std::uint64_t extent() const;
    /// Where an element is, counted row by row: bytes from the pointer.
    std::uint64_t offset_of(std::uint64_t element_index) const;
    /// The index of each axis letter in an element, counted likewise.
    std::map<char, std::uint32_t> indices_of(std::uint64_t element_index) const;
};

/// The lowest bytes of a number, the lowest first.
std::vector<std::uint8_t> little_endian(std::uint64_t bits, std::size_t bytes);

/// A descriptor of an array for copies of boxes, of 128 bytes.
struct MapSpec {
    static constexpr std::uint64_t bytes = 128;
    std::uint64_t offset = 0;             ///< bytes from the array's pointer to the first element
    std::vector<std::uint32_t> shape{};   ///< as the array's, or of its own
    std::vector<std::uint64_t> strides{}; ///< in elements
    std::vector<std::uint32_t> box{};     ///< as the shape
    unsigned swizzle = 0;                 ///< 0, 32, 64 or 128
};

/// A pointer, or a tensor map, inside of a structure that is passed by value.
struct InnerPointer {
    std::uint64_t at = 0;     ///< bytes from the structure's beginning
    std::size_t array = 0;    ///< of the launch, unless zeros is not 0
    std::uint64_t offset = 0; ///< in bytes
    std::uint64_t zeros = 0;  ///< bytes of scratch memory
    std::optional<MapSpec> map{};
};

struct ArgumentSpec {
    enum class Kind : std::uint8_t { array, bytes, pointer, zeros, tensor_map };
    Kind kind = Kind::bytes;
    std::size_t array = 0;             ///< of an array, a pointer and a tensor map: which
    std::vector<std::uint8_t> bytes{}; ///< a scalar, little-endian
    bool is_hex = false;               ///< it was written as bytes, and may be fewer than the parameter has
    std::vector<InnerPointer> inner{}; ///< of what was written as bytes
    std::uint64_t offset = 0;          ///< of a pointer, in bytes
    std::uint64_t zeros = 0;           ///< bytes of scratch memory
    MapSpec map{};                     ///< of a tensor map
};

struct Launch {
    std::string entry;
    std::string target; ///< of LLVM IR that does not say it: gfx942
    std::array<unsigned, 3> grid{1, 1, 1};
    std::vector<unsigned> block, cluster;  ///< empty: as the entry says
    std::uint64_t shared = 0;              ///< dynamic
    std::uint64_t most_steps = 20'000'000; ///< instructions of groups of threads, after which it is refused
    std::vector<ArraySpec> arrays;
    std::vector<ArgumentSpec> arguments;
};

/// @param name  of the file, for errors. @throws Error with what is wrong, and where
Launch parse_launch(std::string_view json, const std::string& name);

} // namespace discern::programs
