// One function a kind of target, which makes it: the rows of the table in kinds.cpp.
#pragma once

#include "kinds.hpp"

namespace discern {

// x86_target.cpp
Identity cpu_identity(); // of an x86 CPU
std::string fma_f16_unavailable();
std::string vdpphps_unavailable();
std::unique_ptr<Target> make_fma_f16(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_vdpphps(const std::string& rest, const TargetOptions& options);
std::string vdpbf16ps_unavailable();
std::string dpps_unavailable();
std::string fma_unavailable();
std::unique_ptr<Target> make_vdpbf16ps(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_dpps(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_fma(const std::string& rest, const TargetOptions& options);

// amx_target.cpp
std::string tdpbf16ps_unavailable();
std::string tdpfp16ps_unavailable();
std::unique_ptr<Target> make_tdpbf16ps(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_tdpfp16ps(const std::string& rest, const TargetOptions& options);

// arm_target.cpp
std::string bf16_unavailable();
std::string fmla_f32_unavailable();
std::string fmla_f16_unavailable();
std::unique_ptr<Target> make_bfdot(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_bfmmla(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_fmla_f32(const std::string& rest, const TargetOptions& options);
std::unique_ptr<Target> make_fmla_f16(const std::string& rest, const TargetOptions& options);

// hip_target.cpp
std::string hip_unavailable();
std::vector<TargetInstance> hip_instances();
std::unique_ptr<Target> make_hip(const std::string& rest, const TargetOptions& options);

// cuda_target.cpp
std::string cuda_unavailable();
std::vector<TargetInstance> cuda_instances();
std::unique_ptr<Target> make_cuda(const std::string& rest, const TargetOptions& options);

std::unique_ptr<Target> make_exec(const std::string& command, const TargetOptions& options);
std::unique_ptr<Target> make_matrices(const std::string& command, const TargetOptions& options);
std::unique_ptr<Target> make_model(const std::string& unit, const TargetOptions& options);
std::unique_ptr<Target> make_replay(const std::string& file, const TargetOptions& options);

} // namespace discern
