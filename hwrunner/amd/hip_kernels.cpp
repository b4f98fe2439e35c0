#include "hip_kernels.hpp"

#include "models/unit/sentence.hpp"

namespace discern {

namespace {

std::string vector_type(std::string_view name, std::string_view element, int count) {
    return sentence("typedef ", element, " ", name,
                    count > 1 ? sentence(" __attribute__((ext_vector_type(", count, ")))") : "", ";\n");
}

} // namespace

std::string hip_kernel(const MfmaInstruction& instruction) {
    const MfmaOperand& operand = *instruction.operand;
    return sentence(vector_type("Operand", operand.element, operand.vector),
                    vector_type("Result", instruction.is_f64() ? "double" : "float", instruction.result_items()),
                    R"(
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) void )",
                    hip_kernel_name, R"((
    const Operand* a, const Operand* b, const Result* c, Result* d) {
#if defined(__HIP_DEVICE_COMPILE__)
    const unsigned lane = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    d[lane] = __builtin_amdgcn_mfma_)",
                    instruction.builtin, R"((a[lane], b[lane], c[lane], 0, 0, 0);
#endif
}
)");
}

} // namespace discern
