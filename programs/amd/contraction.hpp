// Which products and sums the backend makes one instruction.
//
// LLVM's text does not say it: AMDGPU's backend contracts when it chooses instructions. The rule is what it was seen to
// do: in one block, a sum or difference with an operand that is a product becomes a fused multiply-add, also if the
// product has other uses; where two f32 are computed at once, only if both products are an aligned pair of one
// instruction. The count of fused multiply-adds in the assembly says whether the rule held.
#pragma once

#include "programs/llir/module.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace discern::programs::amd {

/// What an element of a sum adds: an element of a product, which is one of its two operands.
struct Fused {
    const llir::Instruction* product = nullptr; ///< nothing: it is not fused
    std::uint32_t element = 0;
    std::uint8_t operand = 0;
};

/// Fused multiply-adds by the format of their operands.
struct FusedCount {
    std::uint64_t f16 = 0, f32 = 0, f64 = 0;
    std::uint64_t& of(std::string_view format) { return format == "f16" ? f16 : format == "f64" ? f64 : f32; }
};

class Contraction {
  public:
    /// @param packs  whether two f32 are computed at once
    Contraction(const llir::Module& module, bool packs);

    /// Those of the assembly's text, of one kernel. @throws Error if it has no such kernel
    static FusedCount counted(std::string_view assembly, std::string_view entry);
    /// Takes the assembly as the one of this kernel: what is settled is what its counts say.
    void settle(const FusedCount& counted);

    /// Whether it is known what becomes of a product or a sum.
    bool is_settled(const llir::Instruction& at) const;
    /// Why it is not known of some, as the end of a sentence about pairs of a product and a sum.
    std::string unsettled() const;
    /// What each element of a sum adds; nothing if no element is fused.
    const std::vector<Fused>* of(const llir::Instruction& sum) const;

  private:
    void product(const llir::Instruction& at);
    void move(const llir::Instruction& at);
    void sum(const llir::Instruction& at, bool packs);

    struct Source {
        const llir::Instruction* product = nullptr;
        std::uint32_t element = 0;
    };
    std::vector<std::vector<Source>> sources_; ///< of each value: which product each element is
    std::vector<std::size_t> blocks_;          ///< of each value: where it was made
    std::unordered_map<const llir::Instruction*, std::vector<Fused>> sums_;
    std::size_t block_ = 0;
    FusedCount fused_, other_, counted_;                ///< pairs, and what is a fused multiply-add in any case
    std::unordered_set<const llir::Instruction*> open_; ///< sums of two products, and these: either may be fused
    std::array<bool, 3> settled_{}, contracts_{};       ///< of f16, f32, f64
    bool has_assembly_ = false;
};

} // namespace discern::programs::amd
