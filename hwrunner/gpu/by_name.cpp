// A table of the names, and the check that a named one is there.
#include "by_name.hpp"

#include "accelerator.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace discern::gpu {

namespace {

constexpr std::array<std::pair<std::string_view, KernelChoice>, 6> of_this_cpu{
    {{"best", KernelChoice::best},
     {"avx512fp16", KernelChoice::avx512fp16},
     {"avx512", KernelChoice::avx512},
     {"avx2", KernelChoice::avx2},
     {"portable", KernelChoice::portable},
     {"general", KernelChoice::general}}};

} // namespace

std::string kernel_names() {
    std::string names;
    for (const auto& [name, choice] : of_this_cpu) names += sentence(names.empty() ? "" : ", ", name);
    return sentence(names, " or ", gpu_kernels);
}

void use_kernels(GemmOptions& options, const std::string& name, const Unit& unit) {
    if (name == gpu_kernels) {
        options.accelerator = open_gpu(unit);
        return;
    }
    const auto* const found =
        std::find_if(of_this_cpu.begin(), of_this_cpu.end(), [&](const auto& one) { return one.first == name; });
    if (found == of_this_cpu.end())
        throw Error(sentence("kernels ", excerpt(name), " are not known; they must be ", kernel_names()));
    options.kernels = found->second;
}

} // namespace discern::gpu
