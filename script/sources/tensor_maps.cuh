// The driver's cuTensorMapEncodeTiled without a driver, so that a library's host code can fill in what its kernels are
// passed: the 128 bytes of a tensor map say what it was asked for, and script/public-kernels reads them.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstring>

struct AskedMap {
    char mark[8] = {'A', 's', 'k', 'e', 'd', 'M', 'a', 'p'};
    std::uint64_t fixed = 0; ///< CUTLASS clears a bit here, for the sake of old drivers
    std::uint64_t address = 0;
    std::uint64_t steps[5] = {}; ///< in bytes, from one to the next in each dimension; the first is the element's size
    std::uint32_t rank = 0, swizzle = 0, lengths[5] = {}, box[5] = {};
    std::uint32_t spare[3] = {}, sum = 0; ///< of the words from the address on, so that half a map is none
};
static_assert(sizeof(AskedMap) == 128);

extern "C" inline CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                                          void* address, const cuuint64_t* lengths,
                                                          const cuuint64_t* steps, const cuuint32_t* box,
                                                          const cuuint32_t* every, CUtensorMapInterleave interleave,
                                                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                                          CUtensorMapFloatOOBfill fill) {
    constexpr unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}; // in the order of CUtensorMapDataType
    if (rank > 5 || type >= sizeof bytes / sizeof *bytes || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return CUDA_ERROR_NOT_SUPPORTED;
    AskedMap asked;
    asked.address = reinterpret_cast<std::uint64_t>(address);
    asked.rank = rank;
    asked.swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16u << swizzle;
    for (unsigned i = 0; i < rank; ++i) {
        if (every[i] != 1) return CUDA_ERROR_NOT_SUPPORTED;
        asked.lengths[i] = static_cast<std::uint32_t>(lengths[i]);
        asked.box[i] = box[i];
        asked.steps[i] = i == 0 ? bytes[type] : steps[i - 1];
    }
    std::uint32_t words[32];
    std::memcpy(words, &asked, sizeof asked);
    for (unsigned i = 4; i < 31; ++i) asked.sum += words[i];
    std::memcpy(map, &asked, sizeof asked);
    return CUDA_SUCCESS;
}
