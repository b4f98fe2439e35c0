// The dot-product instructions of an AArch64 CPU, found by getauxval at run time: BFDOT, BFMMLA, and FMLA as the IEEE
// reference.
//
// BFDOT and BFMMLA round in their own way whatever FPCR says, unless its bit EBF is set; it is at its default while
// they run.
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

struct ArmInstruction {
    std::string_view name, feature;
    bool (*is_there)();
    const arm::Instruction& what;
};
const ArmInstruction arm_instructions[] = {
    {"arm/bfdot", "FEAT_BF16", [] { return (getauxval(AT_HWCAP2) & has_bf16) != 0; }, arm::bfdot_instruction},
    {"arm/bfmmla", "FEAT_BF16", [] { return (getauxval(AT_HWCAP2) & has_bf16) != 0; }, arm::bfmmla_instruction},
    {"arm/fmla.f32", "", [] { return true; }, arm::fmla_f32_instruction},
    {"arm/fmla.f16", "FEAT_FP16", [] { return (getauxval(AT_HWCAP) & has_fp16_simd) != 0; }, arm::fmla_f16_instruction},
};

} // namespace

std::string arm_unavailable(std::string_view name) {
    const ArmInstruction& instruction = *std::ranges::find(arm_instructions, name, &ArmInstruction::name);
    return unless(instruction.is_there(), instruction.feature);
}
std::unique_ptr<Target> make_arm(const std::string& name, const TargetOptions& /*options*/) {
    return std::make_unique<ArmTarget>(kind_of(name).unit(),
                                       std::ranges::find(arm_instructions, name, &ArmInstruction::name)->what);
}

#else

std::string arm_unavailable(std::string_view) { return "this machine is no AArch64"; }
std::unique_ptr<Target> make_arm(const std::string&, const TargetOptions&) { return nullptr; }

#endif

} // namespace discern
