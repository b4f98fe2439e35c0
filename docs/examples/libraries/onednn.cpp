// A matmul of oneDNN, bf16 into f32, as a target without C:
//
//     discern identify matrices:build/examples/libraries/onednn_target --formats bf16,bf16,-,f32 --K 256 --kernel
//
// Built where oneDNN's headers are.
#include "matrices.hpp"

#include <oneapi/dnnl/dnnl.hpp>

int main() {
    using Memory = dnnl::memory;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    return answer_products<std::uint16_t, float>([&](Product<std::uint16_t, float>& p) {
        const auto dim = [](std::size_t n) { return static_cast<Memory::dim>(n); };
        const Memory::desc a({dim(p.m), dim(p.k)}, Memory::data_type::bf16, Memory::format_tag::ab);
        const Memory::desc b({dim(p.k), dim(p.n)}, Memory::data_type::bf16, Memory::format_tag::ab);
        const Memory::desc c({dim(p.m), dim(p.n)}, Memory::data_type::f32, Memory::format_tag::ab);
#if DNNL_VERSION_MAJOR < 3
        const dnnl::matmul::primitive_desc how(dnnl::matmul::desc(a, b, c), engine);
#else
        const dnnl::matmul::primitive_desc how(engine, a, b, c);
#endif
        Memory in_a(a, engine, p.a.data()), in_b(b, engine, p.b.data()), out(c, engine, p.c.data());
        dnnl::matmul(how).execute(stream, {{DNNL_ARG_SRC, in_a}, {DNNL_ARG_WEIGHTS, in_b}, {DNNL_ARG_DST, out}});
        stream.wait();
    });
}
