// Global memory of a launch: its arrays, scratch memory, and constant variables, as codes.
#pragma once

#include "programs/graph/graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace discern::programs {

/// Generic addresses of the other spaces; those below are global.
inline constexpr std::uint64_t shared_window = 0x7f0000000000, local_window = 0x7e0000000000,
                               parameter_window = 0x7d0000000000, window_size = std::uint64_t(1) << 32;

struct Buffer {
    std::string name;
    std::uint64_t base = 0; ///< its address
    std::vector<Code> codes;
    bool is_written = false; ///< by the kernel
};

/// A descriptor of a tensor, as cuTensorMapEncodeTiled makes it; innermost dimension first.
struct TensorMap {
    std::size_t buffer = 0;
    std::uint64_t start = 0;                         ///< bytes into the buffer
    unsigned element = 0;                            ///< bytes
    std::vector<std::uint64_t> lengths{}, strides{}; ///< in elements, in bytes
    std::vector<std::uint32_t> box{};
    unsigned swizzle = 0;
};

class Memory {
  public:
    /// A buffer behind all others. @return its number
    std::size_t add(std::string name, std::vector<Code> codes);
    /// A buffer at that address.
    void add_at(std::uint64_t address, std::string name, std::vector<Code> codes) {
        buffers_.push_back({std::move(name), address, std::move(codes)});
    }
    std::size_t size() const { return buffers_.size(); }
    Buffer& operator[](std::size_t buffer) { return buffers_[buffer]; }
    const Buffer& operator[](std::size_t buffer) const { return buffers_[buffer]; }
    /// The bytes of an address. @throws Error if they are not all of one buffer
    Code* at(std::uint64_t address, std::size_t bytes, bool writes);

  private:
    std::vector<Buffer> buffers_;
    std::size_t last_ = 0; ///< the buffer that was found last
};

} // namespace discern::programs
