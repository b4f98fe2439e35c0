// Instructions of LLVM IR made ready to run: slots for operands, and a row of a table for what each does.
#pragma once

#include "contraction.hpp"
#include "workgroup.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace discern::programs::amd {

class Decoder;

struct Opcode {
    std::string_view name; ///< of an instruction; of an intrinsic without "llvm.", and without the types behind it
    /// Fills in what is special; operands and result are there. @throws Error without the place
    void (*decode)(Decoder&, const llir::Instruction&, Step&);
};

class Decoder {
  public:
    /// @param addresses  of each global, in its space
    Decoder(const llir::Module& module, Graph& graph, std::string_view architecture, unsigned wave,
            const Contraction& contraction, const std::vector<std::uint64_t>& addresses);

    /// @throws Error with file, line and instruction
    DecodedKernel all();

    std::string_view architecture() const { return architecture_; }
    unsigned wave() const { return wave_; }
    const Contraction& contraction() const { return contraction_; }
    const llir::Module& module() const { return module_; }
    OpId operation(std::string_view name, Kind kind = Kind::function) { return graph_.operation(name, kind); }
    /// "v_exp_f32.cdna3": a function of the machine's own.
    OpId own_function(std::string_view name);
    /// The slot that holds an operand.
    std::uint32_t slot(const llir::Operand& operand);
    /// Whether an instruction has the value as an operand.
    bool is_read(std::uint32_t value) const { return value != llir::no_value && is_read_[value]; }
    /// A new slot for results on the way.
    std::uint32_t new_slot(std::uint64_t size);

  private:
    void step(const llir::Instruction& at, CodeBlock& into);
    void control(const llir::Instruction& at, Step& made);
    void call(const llir::Instruction& at, Step& made);

    const llir::Module& module_;
    Graph& graph_;
    std::string_view architecture_;
    unsigned wave_;
    const Contraction& contraction_;
    const std::vector<std::uint64_t>& addresses_;
    DecodedKernel made_;
    std::vector<bool> is_read_;
    std::unordered_map<std::string_view, const Opcode*> opcodes_, intrinsics_;
    std::unordered_map<std::string, std::uint32_t> constants_;
};

/// Reads the constant operand of an intrinsic. @throws Error if it is none
std::uint32_t constant(const llir::Instruction& at, std::size_t operand);
/// @throws Error if there are fewer operands
void require_operands(const llir::Instruction& at, std::size_t count);
/// @throws Error if an operand from `first` on, of so many, has another type than the result
void require_type(const llir::Instruction& at, std::size_t first, std::size_t count);

/// Of what says no more than its numbers, and its operands, of which there are so many at least.
template <Run Does, std::size_t Operands>
void decode_plain(Decoder& /*decoder*/, const llir::Instruction& at, Step& step) {
    require_operands(at, Operands);
    step.numbers = at.numbers;
    step.run = Does;
}

std::span<const Opcode> integer_opcodes();
std::span<const Opcode> number_opcodes();
std::span<const Opcode> cast_opcodes();
std::span<const Opcode> move_opcodes();
std::span<const Opcode> memory_opcodes();

std::span<const Opcode> place_intrinsics();
std::span<const Opcode> number_intrinsics();
std::span<const Opcode> integer_intrinsics();
std::span<const Opcode> lane_intrinsics();
std::span<const Opcode> memory_intrinsics();
std::span<const Opcode> matrix_intrinsics();

} // namespace discern::programs::amd
