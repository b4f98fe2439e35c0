// Instructions on numbers, as functions that have PTX's names where they are the same; what a machine of AMD's computes
// in its own way has the name of the instruction and of the architecture.
//
// A product and a sum that are not known to stay two instructions have no .rn, as in PTX.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

/// A sum of which some elements are fused with the product that they add. Operations: the sum, the multiply-add, and a
/// negation for differences. Operands behind the two: those of the product of each element that is fused.
void run_fused(Workgroup& group, const Step& step) {
    const auto& fused = *static_cast<const std::vector<Fused>*>(step.rule);
    const std::size_t size = step.written->type->element().size;
    Graph& graph = group.graph();
    const bool is_difference = step.written->name == "fsub";
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::size_t next = 2;
        for (std::size_t i = 0; i < fused.size(); ++i) {
            const auto element = [&](std::size_t operand, std::size_t j) {
                return graph.of_codes(group.codes(step.operands[operand], lane).subspan(j * size, size));
            };
            NodeId made = 0;
            if (fused[i].product == nullptr) {
                const NodeId arguments[2] = {element(0, i), element(1, i)};
                made = group.apply(step.operations[0], size, arguments);
            } else {
                NodeId arguments[3] = {element(next, fused[i].element), element(next + 1, fused[i].element),
                                       element(1 - fused[i].operand, i)};
                next += 2;
                if (is_difference) {
                    NodeId& negative = arguments[fused[i].operand == 0 ? 2 : 0];
                    negative = group.apply(step.operations[2], size, std::span(&negative, 1));
                }
                made = group.apply(step.operations[1], size, arguments);
            }
            graph.to_codes(made, into.subspan(i * size, size));
        }
    });
}

struct NumberIntrinsic {
    std::string_view name, node; ///< of LLVM, and of PTX
    std::size_t operands;
    bool is_own = false; ///< a function of the machine's own, by the name of its instruction
};

const llir::Type& number_type(const Instruction& at) {
    const llir::Type& type = at.type->element();
    if (!type.is(TypeKind::floating)) throw Error("its operands are no numbers");
    return type;
}

void require_strict(const Instruction& at) {
    if ((at.flags & llir::is_loose) != 0) throw Error("fast-math flags let the compiler choose what it computes");
}

std::string name_of(Decoder& decoder, std::string_view root, std::string_view rounding, const llir::Type& type) {
    const bool flushes = decoder.module().flushes_subnormals && type.name == "f32";
    return sentence(root, rounding, flushes ? ".ftz." : ".", type.name);
}

void decode_arithmetic(Decoder& decoder, const Instruction& at, Step& step) {
    const llir::Type& type = number_type(at);
    require_strict(at);
    const std::string_view root = at.name.substr(1);
    const bool is_division = at.name == "fdiv";
    const std::string_view rounding = is_division || decoder.contraction().is_settled(at) ? ".rn" : "";
    step.run = apply_each;
    if (is_division && ((at.flags & llir::has_accuracy) != 0 || type.name != "f32"))
        step.operations = {decoder.own_function(sentence("fdiv.", type.name))};
    else
        step.operations = {decoder.operation(name_of(decoder, root, rounding, type))};
    if (is_division || at.name == "fmul") return;
    const std::vector<Fused>* fused = decoder.contraction().of(at);
    if (fused == nullptr) return;
    step.operations.push_back(decoder.operation(name_of(decoder, "fma", ".rn", type)));
    step.operations.push_back(decoder.operation(name_of(decoder, "neg", "", type)));
    for (const Fused& element : *fused)
        if (element.product != nullptr)
            for (const llir::Operand& operand : element.product->operands)
                step.operands.push_back(decoder.slot(operand));
    step.rule = fused;
    step.run = run_fused;
}

void decode_negation(Decoder& decoder, const Instruction& at, Step& step) {
    step.operations = {decoder.operation(sentence("neg.", number_type(at).name))};
    step.run = apply_each;
}

constexpr std::pair<std::string_view, std::string_view> number_comparisons[] = {
    {"oeq", "eq"},  {"one", "ne"},  {"olt", "lt"},  {"ole", "le"},  {"ogt", "gt"},  {"oge", "ge"},  {"ueq", "equ"},
    {"une", "neu"}, {"ult", "ltu"}, {"ule", "leu"}, {"ugt", "gtu"}, {"uge", "geu"}, {"ord", "num"}, {"uno", "nan"}};

void decode_number_comparison(Decoder& decoder, const Instruction& at, Step& step) {
    const auto found = std::find_if(std::begin(number_comparisons), std::end(number_comparisons),
                                    [&](const auto& c) { return c.first == at.what; });
    const llir::Type& type = at.operands[0].type->element();
    if (found == std::end(number_comparisons) || !type.is(TypeKind::floating))
        throw Error("this comparison is not read");
    step.operations = {decoder.operation(name_of(decoder, sentence("setp.", found->second), "", type))};
    step.run = apply_each;
}

constexpr NumberIntrinsic intrinsics[] = {
    {"fma", "fma.rn", 3},
    {"fmuladd", "fma.rn", 3},
    {"maxnum", "max", 2},
    {"minnum", "min", 2},
    {"maximumnum", "max", 2},
    {"minimumnum", "min", 2},
    {"maximum", "max.NaN", 2},
    {"minimum", "min.NaN", 2},
    {"fabs", "abs", 1},
    {"sqrt", "sqrt.rn", 1},
    {"exp2", "exp2", 1, true},
    {"exp", "exp", 1, true},
    {"log2", "log2", 1, true},
    {"log", "log", 1, true},
    {"sin", "sin", 1, true},
    {"cos", "cos", 1, true},
    {"copysign", "copysign", 2, true},
    {"floor", "floor", 1, true},
    {"ceil", "ceil", 1, true},
    {"rint", "rint", 1, true},
    {"roundeven", "rint", 1, true},
    {"trunc", "trunc", 1, true},
    {"amdgcn.exp2", "v_exp", 1, true},
    {"amdgcn.rcp", "v_rcp", 1, true},
    {"amdgcn.rsq", "v_rsq", 1, true},
    {"amdgcn.sqrt", "v_sqrt", 1, true},
    {"amdgcn.log", "v_log", 1, true},
    {"amdgcn.sin", "v_sin", 1, true},
    {"amdgcn.cos", "v_cos", 1, true},
    {"amdgcn.tanh", "v_tanh", 1, true},
    {"amdgcn.fmed3", "v_med3", 3, true},
};

void decode_intrinsic(Decoder& decoder, const Instruction& at, Step& step) {
    const std::string_view name = at.what.substr(5);
    const NumberIntrinsic* row = nullptr;
    for (const NumberIntrinsic& one : intrinsics)
        if (name.starts_with(one.name) && name.substr(one.name.size()).starts_with(".")) row = &one;
    const llir::Type& type = number_type(at);
    require_operands(at, row->operands);
    step.operands.resize(row->operands);
    require_type(at, 0, row->operands);
    if (row->name != "maxnum" && row->name != "minnum") require_strict(at);
    const bool is_rough = row->name == "sqrt" && ((at.flags & llir::has_accuracy) != 0 || type.name != "f32");
    if (row->is_own || is_rough)
        step.operations = {decoder.own_function(
            sentence(row->name == "sqrt" ? "sqrt" : row->node, row->node.starts_with("v_") ? "_" : ".", type.name))};
    else
        step.operations = {decoder.operation(name_of(decoder, row->node, "", type))};
    step.run = apply_each;
}

/// A number as it is: subnormal numbers stay where nothing flushes them.
void copy(Workgroup& group, const Step& step) {
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        std::copy(operands[0].begin(), operands[0].end(), result.begin());
    });
}
void decode_copy(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 1);
    if (decoder.module().flushes_subnormals || at.operands[0].type != at.type)
        throw Error("this intrinsic is not read");
    step.run = copy;
}

} // namespace

std::span<const Opcode> number_opcodes() {
    static constexpr Opcode opcodes[] = {{"fadd", decode_arithmetic}, {"fsub", decode_arithmetic},
                                         {"fmul", decode_arithmetic}, {"fdiv", decode_arithmetic},
                                         {"fneg", decode_negation},   {"fcmp", decode_number_comparison}};
    return opcodes;
}

std::span<const Opcode> number_intrinsics() {
    static constexpr auto opcodes = [] {
        std::array<Opcode, std::size(intrinsics) + 1> made{};
        for (std::size_t i = 0; i < std::size(intrinsics); ++i) made[i] = {intrinsics[i].name, decode_intrinsic};
        made.back() = {"canonicalize", decode_copy};
        return made;
    }();
    return opcodes;
}

} // namespace discern::programs::amd
