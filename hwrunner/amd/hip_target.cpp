// hip:N/INSTRUCTION: what a user writes, and the device that it means.
#include "hip_device.hpp"
#include "hwrunner/makers.hpp"
#include "mfma_instructions.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <sstream>

namespace discern {

namespace {

constexpr double time_to_look = 30; ///< seconds, for the driver to say which GPUs there are

} // namespace

std::string hip_unavailable(std::string_view) {
    return why_no_answer(
        "the HIP runtime", [] { return list_hip_devices(); }, time_to_look);
}

std::vector<TargetInstance> hip_instances() {
    std::istringstream lines(ask_in_process(
        "the HIP runtime", [] { return list_hip_devices(); }, time_to_look));
    std::vector<TargetInstance> instances;
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        const std::string gfx = line.substr(0, line.find(' '));
        const std::string device = line.substr(std::min(gfx.size() + 1, line.size())) + ", " + gfx;
        const auto architecture = cdna_from_gfx(gfx);
        if (!architecture) instances.push_back({sentence("hip:", number), device + ": not in the catalogue"});
        for (const MfmaInstruction& instruction : mfma_instructions())
            if (architecture && instruction.is_of(*architecture))
                instances.push_back({sentence("hip:", number, "/", instruction.name(*architecture)), device,
                                     sentence(catalogue_name(*architecture), "/", instruction.name(*architecture))});
    }
    return instances;
}

std::unique_ptr<Target> make_hip(const std::string& rest, const TargetOptions& options) {
    const auto open = [](int number, const std::string& instruction) { return open_hip_device(number, instruction); };
    return make_numbered_target("hip:", rest, "v_mfma_f32_16x16x16_f16", open, options.answer_timeout);
}

} // namespace discern
