// Names under which accelerators are sold, and the architecture of the catalogue that each has.
//
// People know the card, not the instruction set. Sources: NVIDIA, "CUDA GPU Compute Capability" (developer.nvidia.com/
// cuda-gpus), which gives each product's compute capability (7.0 and 7.2 Volta, 7.5 Turing, 8.0 to 8.7 Ampere, 8.9 Ada,
// 9.0 Hopper, 10.0 to 11.0 Blackwell, 12.0 and 12.1 RTX Blackwell); AMD, ROCm documentation, "Accelerator and GPU
// hardware specifications", which gives each product's architecture and LLVM target (gfx908 CDNA, gfx90a CDNA2, gfx942
// CDNA3, gfx950 CDNA4, gfx1100 to gfx1103 RDNA3, gfx1150 and gfx1151 RDNA3.5, gfx1200 and gfx1201 RDNA4). A name says
// the generation; which cards were measured, the evidence of a unit says.
//
// A product and a format name a unit: H100/e4m3 is the unit of an H100 for e4m3, with f32 for c and d.
#pragma once

#include "shape.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

struct SoldProduct {
    std::string name;         ///< "RTX 4090"
    std::string architecture; ///< of catalogue entries: "ada"
    std::string capability;   ///< compute capability, or LLVM target
    std::string source;
};

/// All of them, by architecture.
std::span<const SoldProduct> products();

/// The product that the text names, whatever the case, blanks, hyphens, and the vendor's or brand's name before it,
/// which may be missing (4090); or nullptr. An LLVM target (gfx1151), which may stand behind a name, and a compute
/// capability (sm_90, sm_90a) name the first product that has it.
const SoldProduct* find_product(std::string_view text);

/// What there is instead of something that people name and that is none of the products, in a sentence; or "".
std::string why_no_product(std::string_view text);

/// All products of an architecture, by name.
std::vector<std::string_view> products_of(std::string_view architecture);

/// The catalogue's name of the unit that a text means: PRODUCT/FORMAT, the unit that multiplies two numbers of that
/// format and adds in f32, or, if it has none, in the format that it has; PRODUCT/FORMAT.OUT, with c and d of format
/// OUT. Of several the one with the largest K, and without scales; of these tcgen05 or wgmma rather than mma. FORMAT
/// may be one of blocks with scales: nvfp4, mxfp4, mxfp8_e4m3, …. Whatever the case. Nothing if what is before the
/// slash is no product.
/// An instruction as assemblers write it, behind a product or an architecture where several have it, is meant too
/// (models/catalogue/mnemonic.hpp).
/// @throws Error if the product has no such unit, or the text is a product alone; both list its units
std::optional<std::string> unit_of_product(std::string_view text);

/// The architectures of catalogue names, each with its products; texts that are no such names count for nothing.
std::vector<std::pair<std::string, std::vector<std::string_view>>> products_behind(std::span<const std::string> units);

/// The same in words: "A100, A30, A40 and 9 more (ampere); L4 (ada)"; empty if there are none.
std::string products_in_words(std::span<const std::string> units);

/// All names of that kind of a product: "H100/f16", "H100/f16.f16", …
std::vector<std::string> names_of_units(const SoldProduct& product);

/// Whether the text is a product alone, perhaps with overrides and a schedule: what goes with it decides the unit.
bool is_product_alone(std::string_view text);

/// A text that is a product alone with the name of its unit of that shape, at the shape's K; other texts as they are.
/// @throws Error if the product has no such unit, and lists those that it has
std::string with_unit_of_product(std::string_view text, const Shape& shape);

} // namespace discern
