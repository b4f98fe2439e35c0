// The dot-product instructions of an AArch64 CPU, found by getauxval at run time: BFDOT, BFMMLA, and FMLA as the IEEE
// reference.
//
// BFDOT and BFMMLA round in their own way whatever FPCR says, unless its bit EBF is set; it is at its default while
// they run.
#include "hwrunner/cpu_units.hpp"
#include "hwrunner/makers.hpp"
#include "models/catalogue.hpp"

#if defined(__aarch64__)
#include "arm_instructions.hpp"

#include <algorithm>
#include <fstream>

#include <sys/auxv.h>
#endif

namespace discern {

#if defined(__aarch64__)

namespace {

constexpr unsigned long has_fp16_simd = 1ul << 10; ///< AT_HWCAP, ASIMDHP
constexpr unsigned long has_bf16 = 1ul << 14;      ///< AT_HWCAP2, BF16

/// The lines of /proc/cpuinfo that say which CPU it is, of its first core.
Identity arm_identity() {
    Identity identity = {{"vendor", "Arm"}};
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line) && !line.empty();)
        for (const auto& [field, name] : {std::pair("CPU implementer", "cpu_implementer"),
                                          {"CPU variant", "cpu_variant"},
                                          {"CPU part", "cpu_part"},
                                          {"CPU revision", "cpu_revision"}})
            if (line.starts_with(field)) identity.emplace_back(name, line.substr(line.find(':') + 2));
    return identity;
}

class ArmTarget final : public Target {
  public:
    ArmTarget(const std::string& unit, const arm::Instruction& instruction)
        : instruction_(instruction), shape_(shape_of(resolve_unit(unit))) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return arm_identity(); }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        std::vector<arm::Dot> dots;
        for (const Inputs& inputs : batch) dots.push_back({.a = inputs.a, .b = inputs.b, .c = inputs.c});
        const std::span<const arm::Dot> all = dots;
        for (std::size_t first = 0; first < all.size(); first += instruction_.at_once())
            for (const std::uint64_t d :
                 arm::run(instruction_, all.subspan(first, std::min(instruction_.at_once(), all.size() - first))))
                answers.push_back({.d = d, .error = {}});
    }

  private:
    arm::Instruction instruction_;
    Shape shape_;
};

std::string unless(bool supported, const char* feature) {
    return supported ? "" : std::string("this CPU does not have ") + feature;
}

} // namespace

std::string bf16_unavailable() { return unless((getauxval(AT_HWCAP2) & has_bf16) != 0, "FEAT_BF16"); }
std::string fmla_f32_unavailable() { return ""; }
std::string fmla_f16_unavailable() { return unless((getauxval(AT_HWCAP) & has_fp16_simd) != 0, "FEAT_FP16"); }
std::unique_ptr<Target> make_bfdot(const std::string&, const TargetOptions&) {
    return std::make_unique<ArmTarget>(bfdot_unit(), arm::bfdot_instruction);
}
std::unique_ptr<Target> make_bfmmla(const std::string&, const TargetOptions&) {
    return std::make_unique<ArmTarget>(bfmmla_unit(), arm::bfmmla_instruction);
}
std::unique_ptr<Target> make_fmla_f32(const std::string&, const TargetOptions&) {
    return std::make_unique<ArmTarget>(fmla_f32_unit(), arm::fmla_f32_instruction);
}
std::unique_ptr<Target> make_fmla_f16(const std::string&, const TargetOptions&) {
    return std::make_unique<ArmTarget>(fmla_f16_unit(), arm::fmla_f16_instruction);
}

#else

std::string bf16_unavailable() { return "this machine is no AArch64"; }
std::string fmla_f32_unavailable() { return bf16_unavailable(); }
std::string fmla_f16_unavailable() { return bf16_unavailable(); }
std::unique_ptr<Target> make_bfdot(const std::string&, const TargetOptions&) { return nullptr; }
std::unique_ptr<Target> make_bfmmla(const std::string&, const TargetOptions&) { return nullptr; }
std::unique_ptr<Target> make_fmla_f32(const std::string&, const TargetOptions&) { return nullptr; }
std::unique_ptr<Target> make_fmla_f16(const std::string&, const TargetOptions&) { return nullptr; }

#endif

} // namespace discern
