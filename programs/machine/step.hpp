// Instructions as the machine runs them: decoded once, with registers for all operands and a function that does it.
#pragma once

#include "programs/functions/functions.hpp"
#include "programs/graph/graph.hpp"
#include "programs/ptx/program.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace discern::programs {

class Block;
struct Step;

/// What a step does with the active lanes of a group of threads.
using Run = void (*)(Block&, const Step&);

/// Where control goes after a step.
enum class Control : std::uint8_t { on, branch, table, end, barrier, wait };

/// What bar.red makes of the predicates of all threads that come; in Step::mode[0] of a barrier.
enum class Reduction : std::uint8_t { none, all, any, count };

/// A type of an instruction: s32.
struct Type {
    std::string_view name;
    std::uint8_t bytes = 0; ///< 0: a predicate
    char letter = 'b';      ///< u, s, f, b; f of all floating-point types
};

/// Operand of a step. Immediates, addresses of variables and special registers are registers too, which are not
/// written.
struct Place {
    std::vector<std::uint32_t> registers; ///< of a list its own; of an address the base, then coordinates
    std::int64_t offset = 0;
    std::uint32_t second = ~0u; ///< the p of d|p
    bool is_negated = false, is_address = false, is_list = false;
    std::uint32_t reg() const { return registers[0]; }
};

/// A register that nothing can be read from, and whose writes are forgotten.
inline constexpr std::uint32_t no_register = ~0u;

struct Step {
    Run run = nullptr;
    Control control = Control::on;
    std::uint32_t guard = no_register;
    bool guard_is_negated = false;
    std::vector<Place> operands;
    Type type, from;                     ///< of the result, and of the operand of a conversion
    std::array<std::uint32_t, 8> mode{}; ///< what the modifiers say, in the words of each instruction
    std::vector<OpId> operations;        ///< of the graph
    const void* rule = nullptr;          ///< a row of the table of such instructions
    bool keeps_products = false;         ///< its first operand may be what another product is to fill
    const Instruction* written = nullptr;
};

/// What a register that is not written holds.
struct FixedRegister {
    enum class Kind : std::uint8_t { value, variable, parameter, special };
    Kind kind = Kind::value;
    std::uint64_t value = 0; ///< or the number of the special register, or what is added to an address
    std::uint32_t index = 0;
};

/// An instruction of the machine. Rows of one table a folder.
struct Opcode {
    std::string_view root; ///< its name without modifiers
    /// Fills in what is special; operands, guard and type are there. @throws Error without the place
    void (*decode)(class Decoder&, const Instruction&, Step&);
    /// What may stand behind the root beside types, with blanks between: what `decode` reads, and what says nothing
    /// about values. x* is all that begins with x. Anything else is refused, since it may mean another value.
    std::string_view modifiers = "";
};

/// Code that can be run: of one program, for one graph.
struct DecodedProgram {
    std::vector<Step> steps;
    std::vector<FixedRegister> fixed; ///< registers from Program::registers.size() on
    std::vector<bool> is_read;        ///< of each register: whether a step reads it
    std::deque<std::string> refusals; ///< of steps that are refused where they are run
};

class Decoder {
  public:
    Decoder(const Program& program, Graph& graph, std::span<const std::span<const Opcode>> tables);

    /// Instructions that are not read are refused where they are run.
    DecodedProgram all();

    const Program& program() const { return program_; }
    Graph& graph() { return graph_; }
    /// The register of a word. @throws Error if it is a label
    std::uint32_t reg(const Atom& atom);

    /// @throws Error if an operand is a register of another size. @param bytes  0 of predicates
    void require_size(const Step& step, std::size_t operand, unsigned bytes) const;
    bool is_predicate(std::uint32_t reg) const {
        return reg < program_.registers.size() && program_.registers[reg] == 0;
    }
    /// The value of an operand that must be written as a number.
    std::uint64_t immediate(const Instruction& at, std::size_t operand) const;
    /// @param known  as Opcode::modifiers. @throws Error if another one stands there
    static void require_modifiers(const Instruction& at, std::string_view known);
    /// The type at that place of the modifiers, counted from the last, which is 0.
    Type type(const Instruction& at, std::size_t from_end) const;

  private:
    Step step(const Instruction& at);
    Step refused(DecodedProgram& code, const Instruction& at, std::string why) const;
    void require_no_data_of_time(DecodedProgram& code) const;
    Place place(const Operand& operand);
    std::uint32_t fixed(FixedRegister what);

    const Program& program_;
    Graph& graph_;
    std::unordered_map<std::string_view, const Opcode*> opcodes_;
    std::vector<FixedRegister> fixed_;
    std::unordered_map<std::uint64_t, std::uint32_t> immediates_;
};

/// Special registers, in the order of FixedRegister::value: three numbers, .x, .y and .z, of each of these, and one of
/// each of the others. The last three are the time, which is always 0.
inline constexpr std::string_view vector_registers[] = {
    "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
inline constexpr std::string_view scalar_registers[] = {
    "%laneid",      "%warpid",      "%cluster_ctarank", "%cluster_nctarank",
    "%lanemask_lt", "%lanemask_eq", "%total_smem_size", "%dynamic_smem_size",
    "%globaltimer", "%clock",       "%clock64"};

} // namespace discern::programs
