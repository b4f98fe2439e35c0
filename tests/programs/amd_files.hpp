// Kernels for AMD's GPUs: those of tests/data/kernels, and small ones that a test writes itself.
#pragma once

#include "kernel_files.hpp"
#include "programs/amd/launch.hpp"

namespace discern::programs {

/// One of tests/data/kernels, without .llir. @param assembly  of another kernel, or none
inline KernelReading read_llir_file(const std::string& name, Terms& terms, const std::string& assembly = "") {
    const std::string launch = name + ".launch.json";
    return reading_of(amd::run_llir(contents(kernel_path(name + ".llir")), name + ".llir",
                                    parse_launch(contents(kernel_path(launch)), launch), assembly, name + ".amdgcn"),
                      terms);
}

/// A kernel of one wave of gfx942 whose parameters are the pointers %a, %b and %d. The body begins with the lane in %l,
/// and ends with what is stored, a value of that type, in %r.
inline std::string llir_kernel(const std::string& body, const std::string& type = "i32",
                               const std::string& target = "9.42") {
    return "target triple = \"amdgpu" + target +
           "-amd-amdhsa\"\n"
           "@lds = internal addrspace(3) global [256 x i32] poison, align 16\n"
           "define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %d) #0 {\n"
           "entry:\n"
           "  %l = call i32 @llvm.amdgcn.workitem.id.x()\n" +
           body + "  %at = getelementptr " + type + ", ptr addrspace(1) %d, i32 %l\n  store " + type +
           " %r, ptr addrspace(1) %at\n  ret void\n}\n"
           "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"1,64\" }\n";
}

/// a and b: 64 × 8 f32; d: 64 words, one a lane.
inline constexpr const char* llir_launch = R"({"launch":1,"block":[64],"arguments":[
  {"matrix":"A","format":"f32","shape":[64,8],"axes":"mj"},
  {"matrix":"B","format":"f32","shape":[64,8],"axes":"mj"},
  {"result":"D","format":"f32","shape":[64],"axes":"m"}]})";

inline KernelReading read_llir(const std::string& text, Terms& terms, const std::string& launch = llir_launch,
                               const std::string& assembly = "") {
    Launch parsed = parse_launch(launch, "k.launch.json");
    parsed.most_steps = 50'000;
    return reading_of(amd::run_llir(text, "k.llir", std::move(parsed), assembly, "k.s"), terms);
}

} // namespace discern::programs
