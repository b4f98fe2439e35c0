// Products by CUTLASS's collective builder for Hopper, and what its host code passes to them: for each a line with its
// name, its Params as they lie in memory, and the bytes of shared memory (script/public-kernels).
#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL 1
#include "tensor_maps.cuh"

#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/util/packed_stride.hpp>

#include <cstdio>
#include <new>

namespace gemm = cutlass::gemm;
namespace epilogue = cutlass::epilogue;
using cute::_1, cute::_128, cute::_2, cute::_64, cute::Shape;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
using cutlass::arch::OpClassTensorOp, cutlass::arch::Sm90;

/// D = A B, of elements E in f32, rounded to D's.
template <class E, class D, class Tile, class Cluster, class Schedule, class Store>
struct Of {
    using Epilogue = typename epilogue::collective::CollectiveBuilder<
        Sm90, OpClassTensorOp, Tile, Cluster, epilogue::collective::EpilogueTileAuto, float, float, void, Row,
        16 / sizeof(D), D, Row, 16 / sizeof(D), Store>::CollectiveOp;
    using Stages = gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>;
    using Mainloop = typename gemm::collective::CollectiveBuilder<Sm90, OpClassTensorOp, E, Row, 16 / sizeof(E), E,
                                                                  Column, 16 / sizeof(E), float, Tile, Cluster, Stages,
                                                                  Schedule>::CollectiveOp;
    using Kernel = gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue>;
};

using One = Shape<_1, _1, _1>;
using Plain = Of<cutlass::half_t, float, Shape<_64, _64, _64>, One, gemm::KernelTmaWarpSpecialized,
                 epilogue::TmaWarpSpecialized>::Kernel;
using Cooperative = Of<cutlass::half_t, cutlass::half_t, Shape<_128, _64, _64>, One,
                       gemm::KernelTmaWarpSpecializedCooperative, epilogue::TmaWarpSpecializedCooperative>::Kernel;
using Pingpong = Of<cutlass::half_t, float, Shape<_64, _64, _64>, One, gemm::KernelTmaWarpSpecializedPingpong,
                    epilogue::TmaWarpSpecialized>::Kernel;
using Fast = Of<cutlass::float_e4m3_t, float, Shape<_64, _64, _128>, One, gemm::KernelTmaWarpSpecializedFP8FastAccum,
                epilogue::TmaWarpSpecialized>::Kernel;
using Promoted = Of<cutlass::float_e4m3_t, float, Shape<_64, _64, _128>, One, gemm::KernelTmaWarpSpecialized,
                    epilogue::TmaWarpSpecialized>::Kernel;
using Rows2 = Of<cutlass::half_t, float, Shape<_64, _64, _64>, Shape<_2, _1, _1>, gemm::KernelTmaWarpSpecialized,
                 epilogue::TmaWarpSpecialized>::Kernel;
using Both2 = Of<cutlass::half_t, cutlass::half_t, Shape<_128, _64, _64>, Shape<_2, _2, _1>,
                 gemm::KernelTmaWarpSpecializedCooperative, epilogue::TmaWarpSpecializedCooperative>::Kernel;

/// Leaves zeros where the stack held the maps of another kernel, since what a kernel does not use is passed as it lies.
__attribute__((noinline)) void clear_stack() {
    volatile char room[1 << 20];
    for (volatile char& byte : room) byte = 0;
}

template <class Kernel>
void print(const char* name, int m, int n, int k) {
    const auto at = [](unsigned char byte) { return reinterpret_cast<void*>(0x0101010101010101u * byte); };
    using E = typename Kernel::ElementA;
    const auto packed = [](auto stride, int rows, int columns) {
        return cutlass::make_cute_packed_stride(stride, {rows, columns, 1});
    };
    typename Kernel::Arguments arguments{gemm::GemmUniversalMode::kGemm,
                                         {m, n, k, 1},
                                         {static_cast<E*>(at(0xa0)), packed(typename Kernel::StrideA{}, m, k),
                                          static_cast<E*>(at(0xb0)), packed(typename Kernel::StrideB{}, n, k)},
                                         {{1.0f, 0.0f},
                                          nullptr,
                                          packed(typename Kernel::StrideC{}, m, n),
                                          static_cast<typename Kernel::ElementD*>(at(0xd0)),
                                          packed(typename Kernel::StrideD{}, m, n)}};
    arguments.hw_info.sm_count = 132;
    arguments.hw_info.max_active_clusters = 66;
    clear_stack();
    using Params = typename Kernel::Params;
    alignas(Params) static unsigned char bytes[sizeof(Params)];
    new (bytes) Params(Kernel::to_underlying_arguments(arguments, at(0xe0)));
    std::printf("%s ", name);
    for (const unsigned char byte : bytes) std::printf("%02x", byte);
    std::printf(" %d\n", Kernel::SharedStorageSize);
}

int main() {
    print<Plain>("plain", 64, 64, 256);
    print<Cooperative>("cooperative", 128, 128, 256);
    print<Pingpong>("pingpong", 128, 64, 256);
    print<Fast>("fast", 64, 64, 512);
    print<Promoted>("promoted", 64, 64, 512);
    print<Rows2>("rows2", 128, 64, 256);
    print<Both2>("both2", 256, 128, 256);
}

#define KERNEL(K) template __global__ void cutlass::device_kernel<K>(CUTLASS_GRID_CONSTANT K::Params const)
KERNEL(Plain);
KERNEL(Cooperative);
KERNEL(Pingpong);
KERNEL(Fast);
KERNEL(Promoted);
KERNEL(Rows2);
KERNEL(Both2);
