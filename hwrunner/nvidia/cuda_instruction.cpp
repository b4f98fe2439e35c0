#include "cuda_instruction.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>

namespace discern {

namespace {

using enum FormatId;

// ---- machines

struct Machine {
    Capability capability;
    std::string_view architecture;
    int isa_major, isa_minor; ///< the PTX ISA that introduced it
};

constexpr auto machines = std::to_array<Machine>({
    {{7, 0}, "volta", 6, 4},
    {{7, 2}, "volta", 6, 4},
    {{7, 5}, "turing", 6, 5},
    {{8, 0}, "ampere", 7, 0},
    {{8, 6}, "ampere", 7, 1},
    {{8, 7}, "ampere", 7, 4},
    {{8, 8}, "ampere", 9, 0},
    {{8, 9}, "ada", 7, 8},
    {{9, 0}, "hopper", 7, 8},
    {{10, 0}, "blackwell", 8, 6},
    {{10, 3}, "blackwell", 8, 8},
    {{11, 0}, "blackwell", 9, 0},
    {{12, 0}, "rtxblackwell", 8, 7},
    {{12, 1}, "rtxblackwell", 8, 8},
});

const Machine* find_machine(Capability capability) {
    const auto* const found = std::find_if(machines.begin(), machines.end(),
                                           [&](const Machine& machine) { return machine.capability == capability; });
    return found == machines.end() ? nullptr : found;
}

/// The releases of PTX ISA with CUDA and drivers, as the release notes of PTX have them.
constexpr auto drivers = std::to_array<DriverOfIsa>({
    {6, 4, 10010, 418}, {6, 5, 10020, 440}, {7, 0, 11000, 450}, {7, 1, 11010, 455}, {7, 2, 11020, 460},
    {7, 3, 11030, 465}, {7, 4, 11040, 470}, {7, 5, 11050, 495}, {7, 6, 11060, 510}, {7, 7, 11070, 515},
    {7, 8, 11080, 520}, {8, 0, 12000, 525}, {8, 1, 12010, 530}, {8, 2, 12020, 535}, {8, 3, 12030, 545},
    {8, 4, 12040, 550}, {8, 5, 12050, 555}, {8, 6, 12070, 565}, {8, 7, 12080, 570}, {8, 8, 12090, 575},
    {9, 0, 13000, 580}, {9, 1, 13010, 590},
});

// ---- names

int number_after(std::string_view text, char letter) {
    const auto at = text.find(letter);
    int number = 0;
    if (at != std::string_view::npos) std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    return number;
}

/// "m16n8k32" of "mma.m16n8k32.f32.e4m3.e4m3.f32".
std::string_view shape_part(std::string_view instruction, CudaForm form) {
    constexpr std::array<std::string_view, 3> stems = {"mma.", "wgmma.", "tcgen05.mma."};
    const std::string_view rest = instruction.substr(stems[static_cast<std::size_t>(form)].size());
    return rest.substr(0, rest.find('.'));
}

CudaForm form_of(std::string_view instruction) {
    if (instruction.starts_with("wgmma.")) return CudaForm::shared_memory;
    if (instruction.starts_with("tcgen05.")) return CudaForm::tensor_memory;
    return CudaForm::registers;
}

bool is_fp8(FormatId id) { return id == e4m3 || id == e5m2; }
bool is_narrow(FormatId id) { return format(id).width <= 8; }

/// Of the kinds with scales, and their width in elements: ".kind::mxf4.block_scale.scale_vec::2X".
std::string scaled_kind(const Shape& dot) {
    if (dot.K == 32) return ".kind::mxf8f6f4.block_scale.scale_vec::1X";
    if (dot.scale->block == 32) return ".kind::mxf4.block_scale.scale_vec::2X";
    return ".kind::mxf4nvf4.block_scale.scale_vec::4X";
}

std::string scale_name(FormatId id) { return id == e8m0 ? "ue8m0" : std::string(format(id).name); }

std::string types(std::initializer_list<FormatId> ids) {
    std::string text;
    for (const FormatId id : ids) text += sentence(".", format(id).name);
    return text;
}

std::string mma_mnemonic(const CudaInstruction& instruction, std::string_view shape) {
    const Shape& dot = instruction.shape.dot;
    std::string text = "mma.sync.aligned";
    if (instruction.scaled())
        text += scaled_kind(dot);
    else if (instruction.machine.major == 12 && is_narrow(dot.a) && dot.K == 32)
        text += ".kind::f8f6f4";
    text += sentence(".", shape, ".row.col");
    for (const std::string_view rounding : {".rz", ".rm", ".rp"}) // of f64; the catalogue has them behind the shape
        if (instruction.unit.find(sentence(shape, rounding, ".")) != std::string::npos) text += rounding;
    text += sentence(types({dot.d, dot.a, dot.b, dot.c.value()}));
    if (instruction.scaled()) text += "." + scale_name(dot.scale->format);
    return text;
}

std::string tcgen05_mnemonic(const Shape& dot) {
    std::string text = "tcgen05.mma.cta_group::1";
    if (dot.scale) return text + scaled_kind(dot);
    if (dot.a == tf32) return text + ".kind::tf32";
    return text + (is_narrow(dot.a) ? ".kind::f8f6f4" : ".kind::f16");
}

struct Isa {
    int major, minor;
    std::strong_ordering operator<=>(const Isa&) const = default;
};

/// Of the instruction, whatever the machine.
Isa isa_of(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    if (instruction.form == CudaForm::shared_memory) return {8, 0};
    const bool four_scales = dot.scale && dot.scale->block == 16;
    if (instruction.form == CudaForm::tensor_memory) return four_scales ? Isa{8, 7} : Isa{8, 6};
    if (four_scales && dot.scale->format == e8m0) return {9, 1};
    if (!is_narrow(dot.a)) return {6, 4};
    const bool first_fp8 = dot.K == 32 && dot.d == f32 && is_fp8(dot.a) && is_fp8(dot.b) && !instruction.scaled();
    return first_fp8 && instruction.machine.major < 12 ? Isa{8, 4} : Isa{8, 7};
}

void require_possible(const CudaInstruction& instruction) {
    const int M = instruction.shape.M, N = instruction.shape.N;
    if (instruction.form != CudaForm::tensor_memory) return;
    if (M == 256) throw Error(sentence(instruction.unit, " needs two thread blocks; M must be 64 or 128 here"));
    if (instruction.scaled() && (M != 128 || N > 128))
        throw Error(sentence(instruction.unit, ": with scales M must be 128, and N 128 at most here"));
}

// ---- machine code

constexpr unsigned hmma_884 = 0x236, hmma = 0x23c, dmma = 0x23f, qmma = 0x27a, qmma_sf = 0x47a, omma_sf = 0x47f,
                   hgmma = 0x9f0, qgmma = 0x9f3, utcmma = 0x5ea, utcmma_sf = 0xdea;

constexpr auto opcodes = std::to_array<MatrixOpcode>({{hmma_884, "HMMA.884"},
                                                      {hmma, "HMMA"},
                                                      {dmma, "DMMA"},
                                                      {qmma, "QMMA"},
                                                      {qmma_sf, "QMMA.SF"},
                                                      {omma_sf, "OMMA.SF"},
                                                      {hgmma, "HGMMA"},
                                                      {qgmma, "QGMMA"},
                                                      {utcmma, "UTCMMA"},
                                                      {utcmma_sf, "UTCMMA.SF"}});

std::string code_text(const MachineCode& code) {
    const auto* const known = std::find_if(opcodes.begin(), opcodes.end(),
                                           [&](const MatrixOpcode& opcode) { return opcode.opcode == code.opcode; });
    return sentence(code.count, " ", known == opcodes.end() ? "unknown" : known->name);
}

} // namespace

std::string to_string(Capability capability) { return sentence(capability.major, ".", capability.minor); }

std::string_view architecture_of(Capability capability) {
    const Machine* const machine = find_machine(capability);
    return machine == nullptr ? "" : machine->architecture;
}

std::optional<Capability> predecessor_of(Capability capability) {
    if (find_machine(capability) != nullptr) return std::nullopt;
    std::optional<Capability> last;
    for (const Machine& machine : machines)
        if (machine.capability < capability) last = machine.capability;
    return last;
}

std::vector<std::string> portable_instructions(Capability capability) {
    std::vector<std::string> names;
    for (const std::string& name : cuda_instructions(architecture_of(capability))) {
        const CudaForm form = form_of(std::string_view(name).substr(name.find('/') + 1));
        if (form == CudaForm::registers && !cuda_instruction(name, capability).machine_alone) names.push_back(name);
    }
    return names;
}

const DriverOfIsa* driver_of(const CudaInstruction& instruction) {
    const auto* const found = std::ranges::find_if(drivers, [&](const DriverOfIsa& one) {
        return one.isa_major == instruction.isa_major && one.isa_minor == instruction.isa_minor;
    });
    return found == drivers.end() ? nullptr : found;
}

std::vector<Capability> capabilities_of(std::string_view architecture) {
    std::vector<Capability> all;
    for (const Machine& machine : machines)
        if (machine.architecture == architecture) all.push_back(machine.capability);
    return all;
}

std::string CudaInstruction::target() const {
    return sentence("sm_", machine.major, machine.minor, machine_alone ? "a" : "");
}

CudaInstruction cuda_instruction(const std::string& name, Capability machine) {
    const CatalogueEntry* const entry = find_entry(name);
    const Machine* const known = find_machine(machine);
    if (known == nullptr) throw Error(sentence("compute capability ", to_string(machine), " is not known"));
    if (entry == nullptr || entry->architecture != known->architecture)
        throw Error(
            sentence("there is no instruction ", excerpt(name, 120), " of compute capability ", to_string(machine)));
    CudaInstruction instruction;
    const std::string_view spelled = std::string_view(name).substr(name.find('/') + 1);
    instruction.unit = name;
    instruction.form = form_of(spelled);
    const std::string_view shape = shape_part(spelled, instruction.form);
    instruction.shape = {.dot = shape_of(entry->unit), .M = number_after(shape, 'm'), .N = number_after(shape, 'n')};
    const Shape& dot = instruction.shape.dot;
    instruction.tiles = shape == "m8n8k4" && dot.a == f16 ? 4 : 1;
    instruction.machine = machine;
    require_possible(instruction);
    switch (instruction.form) {
    case CudaForm::registers:
        instruction.mnemonic = mma_mnemonic(instruction, shape);
        instruction.machine_alone = machine.major == 12 && is_narrow(dot.a) && dot.K >= 32;
        break;
    case CudaForm::shared_memory:
        instruction.mnemonic = sentence("wgmma.mma_async.sync.aligned.", shape, types({dot.d, dot.a, dot.b}));
        instruction.machine_alone = true;
        break;
    case CudaForm::tensor_memory:
        instruction.mnemonic = tcgen05_mnemonic(dot);
        instruction.machine_alone = true;
        break;
    }
    Isa isa = std::max(isa_of(instruction), Isa{known->isa_major, known->isa_minor});
    if (dot.a == f64 && instruction.shape.M == 16) isa = std::max(isa, Isa{7, 8});
    instruction.isa_major = isa.major;
    instruction.isa_minor = isa.minor;
    return instruction;
}

std::vector<std::string> cuda_instructions(std::string_view architecture) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue())
        if (entry.architecture == architecture) names.push_back(entry.name);
    return names;
}

std::vector<MatrixOpcode> matrix_opcodes() { return {opcodes.begin(), opcodes.end()}; }

MachineCode native_code(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const bool fp8 = is_narrow(dot.a);
    if (instruction.form == CudaForm::shared_memory) return {fp8 ? qgmma : hgmma, 1};
    if (instruction.form == CudaForm::tensor_memory) return {dot.scale && dot.K == 32 ? utcmma_sf : utcmma, 1};
    if (instruction.tiles == 4) return {hmma_884, dot.d == f32 ? 4 : 2};
    // The later machines have the 8 × 8 × 4 alone, and larger shapes are made of it.
    if (dot.a == f64) return {dmma, instruction.machine.major > 9 && instruction.shape.M == 16 ? dot.K / 2 : 1};
    if (dot.scale) return {dot.K == 32 ? qmma_sf : omma_sf, 1};
    return {fp8 ? qmma : hmma, 1};
}

bool is_emulated(const CudaInstruction& instruction, const std::vector<MachineCode>& found) {
    return found.size() != 1 || found.front() != native_code(instruction);
}

std::string describe_code(const CudaInstruction& instruction, const std::vector<MachineCode>& found) {
    std::string text;
    for (const MachineCode& code : found) text += (text.empty() ? "" : ", ") + code_text(code);
    if (!is_emulated(instruction, found)) return text;
    return sentence("emulated: ", text.empty() ? "no matrix instruction" : text, " instead of ",
                    code_text(native_code(instruction)));
}

} // namespace discern
