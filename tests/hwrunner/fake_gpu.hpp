// What a GPU would do with a launch: the catalogue's unit, on the images that the kernel is given.
#pragma once

#include "fake_cuda.hpp"
#include "images.hpp"
#include "random_tile.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::testing {

/// The results of all images of an instruction, one after the other.
inline std::vector<std::uint8_t> results_of_images(const std::string& name, std::span<const std::uint8_t> images) {
    const CudaInstruction instruction = cuda_instruction(name, capabilities_of(find_entry(name)->architecture).front());
    const ImageLayout layout = image_layout(instruction);
    const Evaluator evaluate(resolve_unit(name));
    std::vector<std::uint8_t> results(images.size() / layout.in_bytes * layout.out_bytes);
    for (std::size_t i = 0; i * layout.in_bytes < images.size(); ++i) {
        std::vector<std::uint64_t> d;
        for (const MatrixTile& tile : unpack_image(layout, instruction.shape, instruction.tiles,
                                                   images.subspan(i * layout.in_bytes, layout.in_bytes)))
            evaluate_tile(evaluate, instruction.shape, tile, d);
        pack_results(layout, instruction.shape, d, std::span(results).subspan(i * layout.out_bytes, layout.out_bytes));
    }
    return results;
}

/// For FakeCuda::launch. The text's first line names the unit.
inline cuda::Result launch_of_the_unit(const char* text, const std::uint8_t* in, std::uint8_t* out,
                                       std::uint32_t count) {
    const std::string_view line(text);
    const std::string name(line.substr(3, line.find('\n') - 3));
    const CudaInstruction instruction = cuda_instruction(name, capabilities_of(find_entry(name)->architecture).front());
    const std::vector<std::uint8_t> results = results_of_images(name, {in, count * image_layout(instruction).in_bytes});
    std::copy(results.begin(), results.end(), out);
    return cuda::success;
}

} // namespace discern::testing
