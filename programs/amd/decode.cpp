#include "accesses.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/llir/types.hpp"

#include <algorithm>

namespace discern::programs::amd {

namespace {

using llir::Instruction;

/// What only helps the compiler, or waits for copies that have happened when they were issued.
constexpr std::string_view without_effect[] = {"amdgcn.s.setprio",
                                               "amdgcn.sched",
                                               "amdgcn.s.waitcnt",
                                               "amdgcn.s.wait",
                                               "amdgcn.asyncmark",
                                               "amdgcn.wait.asyncmark",
                                               "amdgcn.iglp",
                                               "amdgcn.s.sleep",
                                               "amdgcn.s.barrier.signal",
                                               "amdgcn.wave.barrier",
                                               "assume",
                                               "lifetime",
                                               "experimental.noalias",
                                               "prefetch",
                                               "dbg",
                                               "donothing",
                                               "invariant"};
constexpr std::string_view barriers[] = {"amdgcn.s.barrier", "amdgcn.s.barrier.wait"};

bool is_of(std::string_view name, std::string_view root) {
    return name.starts_with(root) && (name.size() == root.size() || name[root.size()] == '.');
}

} // namespace

std::uint32_t constant(const Instruction& at, std::size_t operand) {
    require_operands(at, operand + 1);
    return static_cast<std::uint32_t>(at.operands[operand].number());
}

void require_operands(const Instruction& at, std::size_t count) {
    if (at.operands.size() < count)
        throw Error(sentence("it has ", at.operands.size(), " operands; ", count, " are right"));
}

void require_type(const Instruction& at, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
        if (at.operands[i].type != at.type) throw Error("the types of its operands do not fit");
}

Decoder::Decoder(const llir::Module& module, Graph& graph, std::string_view architecture, unsigned wave,
                 const Contraction& contraction, const std::vector<std::uint64_t>& addresses)
    : module_(module), graph_(graph), architecture_(architecture), wave_(wave), contraction_(contraction),
      addresses_(addresses), is_read_(module.values.size()) {
    for (const Instruction& at : module.code)
        for (const llir::Operand& operand : at.operands)
            if (operand.kind == llir::Operand::Kind::value) is_read_[operand.index] = true;
    for (const auto table :
         {integer_opcodes(), number_opcodes(), cast_opcodes(), move_opcodes(), memory_opcodes(), atomic_opcodes()})
        for (const Opcode& opcode : table) opcodes_.emplace(opcode.name, &opcode);
    for (const auto table : {place_intrinsics(), number_intrinsics(), integer_intrinsics(), lane_intrinsics(),
                             memory_intrinsics(), atomic_intrinsics(), buffer_intrinsics(), matrix_intrinsics()})
        for (const Opcode& opcode : table) intrinsics_.emplace(opcode.name, &opcode);
}

OpId Decoder::own_function(std::string_view name) { return operation(sentence(name, ".", architecture_)); }

std::uint32_t Decoder::new_slot(std::uint64_t size) {
    made_.sizes.push_back(size);
    return static_cast<std::uint32_t>(made_.sizes.size() - 1);
}

std::uint32_t Decoder::slot(const llir::Operand& operand) {
    if (operand.kind == llir::Operand::Kind::value) return operand.index;
    std::vector<Code> codes = operand.codes;
    if (operand.kind == llir::Operand::Kind::global) {
        const std::uint64_t space = module_.globals[operand.index].space;
        std::uint64_t address = addresses_[operand.index] + static_cast<std::uint64_t>(operand.offset);
        if (operand.is_generic && space == lds_space) address += shared_window;
        codes.assign(operand.type->size, 0);
        from_word(address, codes);
    }
    std::string key(reinterpret_cast<const char*>(codes.data()), codes.size() * sizeof(Code));
    const auto [found, is_new] = constants_.try_emplace(std::move(key), 0);
    if (is_new) {
        found->second = new_slot(codes.size());
        made_.fixed.emplace_back(found->second, std::move(codes));
    }
    return found->second;
}

void Decoder::control(const Instruction& at, Step& made) {
    made.numbers = at.numbers;
    made.control = at.name == "br" ? Control::branch : at.name == "switch" ? Control::choice : Control::end;
    if (at.name != "switch") return;
    for (std::size_t i = 1; i < at.operands.size(); ++i) made.cases.push_back(at.operands[i].number());
    made.operands.resize(1);
}

void Decoder::call(const Instruction& at, Step& made) {
    if (!at.what.starts_with("llvm.")) throw Error("calls of functions are not read");
    std::string_view name = at.what.substr(5);
    if (std::any_of(std::begin(barriers), std::end(barriers), [&](std::string_view b) { return name == b; })) {
        made.control = Control::barrier;
        return;
    }
    // The longest root that is known: the types of a name stand behind it.
    for (std::string_view root = name; !root.empty();
         root = root.substr(0, root.rfind('.') == std::string_view::npos ? 0 : root.rfind('.')))
        if (const auto found = intrinsics_.find(root); found != intrinsics_.end())
            return found->second->decode(*this, at, made);
    const auto nothing = std::find_if(std::begin(without_effect), std::end(without_effect),
                                      [&](std::string_view root) { return is_of(name, root); });
    if (nothing == std::end(without_effect) || at.result != llir::no_value) throw Error("this intrinsic is not read");
}

void Decoder::step(const Instruction& at, CodeBlock& into) {
    Step made;
    made.written = &at;
    made.result = at.result;
    for (const llir::Operand& operand : at.operands) made.operands.push_back(slot(operand));
    if (at.name == "phi") {
        if (!into.steps.empty()) throw Error("it stands behind other instructions of its block");
        made.numbers = at.numbers;
        into.phis.push_back(std::move(made));
        return;
    }
    if (at.name == "br" || at.name == "switch" || at.name == "ret" || at.name == "unreachable") {
        control(at, made);
    } else if (at.name == "call") {
        call(at, made);
    } else if (at.name != "fence") {
        const auto found = opcodes_.find(at.name);
        if (found == opcodes_.end()) throw Error("this instruction is not read");
        found->second->decode(*this, at, made);
    }
    if (made.run != nullptr && made.result == llir::no_value && at.type != nullptr && at.name != "store" &&
        llir::has_values(*at.type))
        made.result = new_slot(at.type->size); // a result that has no name
    into.steps.push_back(std::move(made));
}

DecodedKernel Decoder::all() {
    for (const llir::Type* type : module_.values) made_.sizes.push_back(type->size);
    for (const llir::Block& block : module_.blocks) {
        CodeBlock& into = made_.blocks.emplace_back();
        for (std::size_t i = block.first; i < block.end; ++i) {
            const Instruction& at = module_.code[i];
            try {
                step(at, into);
                const Control control = into.steps.empty() ? Control::on : into.steps.back().control;
                const bool is_jump =
                    control == Control::branch || control == Control::choice || control == Control::end;
                if (is_jump != (i + 1 == block.end))
                    throw Error(is_jump ? "its block goes on behind it" : "its block ends without a branch behind it");
            } catch (const Error& error) {
                throw Error(refusal(module_, at, error.what()));
            }
        }
        if (block.first == block.end)
            throw Error(sentence(module_.file, ": the block ", excerpt(block.name), " has no instructions"));
    }
    return std::move(made_);
}

} // namespace discern::programs::amd
