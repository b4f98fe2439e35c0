// One function a kind of target, which makes it: the rows of the table in kinds.cpp.
#pragma once

#include "kinds.hpp"
#include "models/unit/sentence.hpp"

namespace discern {

// x86_target.cpp
Identity cpu_identity(); // of an x86 CPU
std::string x86_unavailable(std::string_view name);
std::unique_ptr<Target> make_x86(const std::string& name, const TargetOptions& options);

// amx_target.cpp
std::string amx_unavailable(std::string_view name);
std::unique_ptr<Target> make_amx(const std::string& name, const TargetOptions& options);

// arm_target.cpp
std::string arm_unavailable(std::string_view name);
std::unique_ptr<Target> make_arm(const std::string& name, const TargetOptions& options);

/// A reason, unless a CPU has a feature.
inline std::string unless(bool has_it, std::string_view feature) {
    return has_it ? "" : sentence("this CPU does not have ", feature);
}

// hip_target.cpp
std::string hip_unavailable(std::string_view name);
std::vector<TargetInstance> hip_instances();
std::unique_ptr<Target> make_hip(const std::string& rest, const TargetOptions& options);

// cuda_target.cpp
std::string cuda_unavailable(std::string_view name);
std::vector<TargetInstance> cuda_instances();
std::unique_ptr<Target> make_cuda(const std::string& rest, const TargetOptions& options);

std::unique_ptr<Target> make_exec(const std::string& command, const TargetOptions& options);
std::unique_ptr<Target> make_matrices(const std::string& command, const TargetOptions& options);
std::unique_ptr<Target> make_model(const std::string& unit, const TargetOptions& options);
std::unique_ptr<Target> make_replay(const std::string& file, const TargetOptions& options);

} // namespace discern
