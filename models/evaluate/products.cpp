#include "products.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace discern {

namespace {

constexpr std::string_view nvidia = "NVIDIA, CUDA GPU Compute Capability";
constexpr std::string_view amd = "AMD ROCm, accelerator and GPU hardware specifications";

constexpr auto table = std::to_array<SoldProduct>({
    {"V100", "volta", "7.0", nvidia},
    {"Titan V", "volta", "7.0", nvidia},
    {"T4", "turing", "7.5", nvidia},
    {"RTX 2080 Ti", "turing", "7.5", nvidia},
    {"RTX 2080", "turing", "7.5", nvidia},
    {"RTX 2070", "turing", "7.5", nvidia},
    {"Quadro RTX 8000", "turing", "7.5", nvidia},
    {"Quadro RTX 6000", "turing", "7.5", nvidia},
    {"A100", "ampere", "8.0", nvidia},
    {"A30", "ampere", "8.0", nvidia},
    {"A40", "ampere", "8.6", nvidia},
    {"A16", "ampere", "8.6", nvidia},
    {"A10", "ampere", "8.6", nvidia},
    {"A2", "ampere", "8.6", nvidia},
    {"RTX A6000", "ampere", "8.6", nvidia},
    {"RTX 3090", "ampere", "8.6", nvidia},
    {"RTX 3080", "ampere", "8.6", nvidia},
    {"RTX 3070", "ampere", "8.6", nvidia},
    {"L4", "ada", "8.9", nvidia},
    {"L40", "ada", "8.9", nvidia},
    {"L40S", "ada", "8.9", nvidia},
    {"RTX 6000 Ada", "ada", "8.9", nvidia},
    {"RTX 4090", "ada", "8.9", nvidia},
    {"RTX 4080", "ada", "8.9", nvidia},
    {"RTX 4070", "ada", "8.9", nvidia},
    {"H100", "hopper", "9.0", nvidia},
    {"H200", "hopper", "9.0", nvidia},
    {"GH200", "hopper", "9.0", nvidia},
    {"B200", "blackwell", "10.0", nvidia},
    {"GB200", "blackwell", "10.0", nvidia},
    {"RTX 5090", "rtxblackwell", "12.0", nvidia},
    {"RTX 5080", "rtxblackwell", "12.0", nvidia},
    {"RTX 5070", "rtxblackwell", "12.0", nvidia},
    {"MI100", "cdna1", "gfx908", amd},
    {"MI210", "cdna2", "gfx90a", amd},
    {"MI250", "cdna2", "gfx90a", amd},
    {"MI250X", "cdna2", "gfx90a", amd},
    {"MI300A", "cdna3", "gfx942", amd},
    {"MI300X", "cdna3", "gfx942", amd},
    {"MI325X", "cdna3", "gfx942", amd},
});

/// Lower-case letters and digits alone.
std::string plain(std::string_view text) {
    std::string letters;
    for (const char c : text) {
        if (c >= 'A' && c <= 'Z')
            letters += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            letters += c;
    }
    return letters;
}

} // namespace

std::span<const SoldProduct> products() { return table; }

const SoldProduct* find_product(std::string_view text) {
    std::string wanted = plain(text);
    for (const std::string_view brand : {"nvidia", "amd", "geforce", "tesla", "radeon", "instinct"})
        if (wanted.starts_with(brand)) wanted.erase(0, brand.size());
    const auto* const found = std::find_if(table.begin(), table.end(),
                                           [&](const SoldProduct& product) { return plain(product.name) == wanted; });
    return found == table.end() ? nullptr : found;
}

} // namespace discern
