// Names under which accelerators are sold, and the architecture of the catalogue that each has.
//
// People know the card, not the instruction set. Sources: NVIDIA, "CUDA GPU Compute Capability" (developer.nvidia.com/
// cuda-gpus), which gives each product's compute capability (7.0 Volta, 7.5 Turing, 8.0 and 8.6 Ampere, 8.9 Ada, 9.0
// Hopper, 10.0 Blackwell, 12.0 RTX Blackwell); AMD, ROCm documentation, "Accelerator and GPU hardware specifications",
// which gives each product's architecture and LLVM target (gfx908 CDNA, gfx90a CDNA2, gfx942 CDNA3).
#pragma once

#include <span>
#include <string_view>

namespace discern {

struct SoldProduct {
    std::string_view name;         ///< "RTX 4090"
    std::string_view architecture; ///< of catalogue entries: "ada"
    std::string_view capability;   ///< compute capability, or LLVM target
    std::string_view source;
};

/// All of them, by architecture.
std::span<const SoldProduct> products();

/// The product that the text names, whatever the case, blanks, hyphens, and the vendor's or brand's name before it; or
/// nullptr.
const SoldProduct* find_product(std::string_view text);

} // namespace discern
