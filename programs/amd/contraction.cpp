#include "contraction.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

constexpr std::array<std::string_view, 3> formats = {"f16", "f32", "f64"};
/// What the backend writes for a division that is rounded correctly.
constexpr std::uint64_t fused_in_division = 5;

std::size_t format_number(std::string_view format) {
    return static_cast<std::size_t>(std::find(formats.begin(), formats.end(), format) - formats.begin());
}

/// An instruction of the assembly that is a fused multiply-add, with the format of its sum, and how many it is.
struct FusedOpcode {
    std::string_view name, format;
    unsigned count = 1;
};
constexpr FusedOpcode fused_opcodes[] = {
    {"v_fma_f32", "f32"},       {"v_fmac_f32", "f32"},       {"v_fmaak_f32", "f32"},      {"v_fmamk_f32", "f32"},
    {"v_pk_fma_f32", "f32", 2}, {"v_dual_fmac_f32", "f32"},  {"v_dual_fmaak_f32", "f32"}, {"v_dual_fmamk_f32", "f32"},
    {"v_fma_mix_f32", "f32"},   {"v_fma_mixlo_f16", "f32"},  {"v_fma_mixhi_f16", "f32"},  {"v_mad_f32", "f32"},
    {"v_mac_f32", "f32"},       {"v_fma_legacy_f32", "f32"}, {"s_fmac_f32", "f32"},       {"s_fmaak_f32", "f32"},
    {"s_fmamk_f32", "f32"},     {"v_fma_f16", "f16"},        {"v_fmac_f16", "f16"},       {"v_fmaak_f16", "f16"},
    {"v_fmamk_f16", "f16"},     {"v_pk_fma_f16", "f16", 2},  {"v_pk_fmac_f16", "f16", 2}, {"s_fmac_f16", "f16"},
    {"v_fma_f64", "f64"},       {"v_fmac_f64", "f64"},       {"v_pk_fma_f64", "f64", 2},
};

/// Adds the word of an instruction, if it is one of these: v_fmac_f32_e32.
void count_opcode(std::string_view word, FusedCount& into) {
    for (const std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"})
        if (word.ends_with(suffix)) word.remove_suffix(suffix.size());
    const auto found = std::find_if(std::begin(fused_opcodes), std::end(fused_opcodes),
                                    [&](const FusedOpcode& o) { return o.name == word; });
    if (found != std::end(fused_opcodes)) into.of(found->format) += found->count;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r");
    return from == std::string_view::npos ? std::string_view() : text.substr(from);
}
std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t\r,;")); }

} // namespace

FusedCount Contraction::counted(std::string_view assembly, std::string_view entry) {
    FusedCount count;
    bool is_inside = false, was_inside = false;
    for (std::size_t from = 0; from < assembly.size();) {
        const std::size_t end = std::min(assembly.find('\n', from), assembly.size());
        const std::string_view line = assembly.substr(from, end - from);
        from = end + 1;
        if (!is_inside) {
            is_inside = line.starts_with(entry) && line.substr(entry.size()).starts_with(":");
            was_inside |= is_inside;
            continue;
        }
        const std::string_view text = trimmed(line);
        if (text.starts_with(".Lfunc_end")) is_inside = false;
        count_opcode(first_word(text), count);
        if (const std::size_t other = text.find("::"); other != std::string_view::npos)
            count_opcode(first_word(trimmed(text.substr(other + 2))), count);
    }
    if (!was_inside) throw Error(sentence("has no kernel ", excerpt(entry)));
    return count;
}

Contraction::Contraction(const llir::Module& module, bool packs)
    : sources_(module.values.size()), blocks_(module.values.size()) {
    for (; block_ < module.blocks.size(); ++block_)
        for (std::size_t i = module.blocks[block_].first; i < module.blocks[block_].end; ++i) {
            const Instruction& at = module.code[i];
            const bool is_number = at.type != nullptr && at.type->element().is(TypeKind::floating);
            if (at.name == "fmul")
                product(at);
            else if (at.name == "extractelement" || at.name == "insertelement" || at.name == "shufflevector")
                move(at);
            else if (at.name == "fadd" || at.name == "fsub")
                sum(at, packs);
            else if (at.name == "fdiv" && is_number && (at.flags & llir::has_accuracy) == 0)
                other_.of(at.type->element().name) += fused_in_division * at.type->elements();
            else if (at.name == "call" && is_number &&
                     (at.what.starts_with("llvm.fma.") || at.what.starts_with("llvm.fmuladd.")))
                other_.of(at.type->element().name) += at.type->elements();
        }
}

void Contraction::product(const Instruction& at) {
    if (at.result == llir::no_value) return;
    blocks_[at.result] = block_;
    for (std::uint32_t i = 0; i < at.type->elements(); ++i) sources_[at.result].push_back({&at, i});
}

/// Elements of vectors that are put together keep what they are products of.
void Contraction::move(const Instruction& at) {
    if (at.result == llir::no_value) return;
    const auto element = [&](std::size_t operand, std::size_t i) -> Source {
        const llir::Operand& from = at.operands[operand];
        if (from.kind != llir::Operand::Kind::value || blocks_[from.index] != block_ ||
            i >= sources_[from.index].size())
            return {};
        return sources_[from.index][i];
    };
    std::vector<Source> made(at.type->elements());
    if (at.name == "shufflevector") {
        const auto length = static_cast<std::uint32_t>(at.operands[0].type->count);
        for (std::size_t i = 0; i < made.size(); ++i)
            if (const std::uint32_t n = at.numbers[i]; n != llir::no_element)
                made[i] = element(n < length ? 0 : 1, n < length ? n : n - length);
    } else {
        const llir::Operand& index = at.operands.back();
        if (index.kind != llir::Operand::Kind::constant || !is_known(index.codes[0])) return;
        const std::uint64_t n = index.number();
        if (at.name == "extractelement") {
            made[0] = element(0, n);
        } else {
            for (std::size_t i = 0; i < made.size(); ++i) made[i] = i == n ? element(1, 0) : element(0, i);
        }
    }
    if (std::none_of(made.begin(), made.end(), [](const Source& s) { return s.product != nullptr; })) return;
    blocks_[at.result] = block_;
    sources_[at.result] = std::move(made);
}

void Contraction::sum(const Instruction& at, bool packs) {
    const llir::Type& element = at.type->element();
    const std::size_t count = at.type->elements(),
                      step = element.name == "f16" || (element.name == "f32" && packs) ? 2 : 1;
    std::vector<Fused> fused(count);
    bool any = false;
    for (std::size_t first = 0; first < count; first += step) {
        const std::size_t end = std::min(first + step, count);
        std::array<bool, 2> may{};
        for (std::size_t operand = 0; operand < 2; ++operand) {
            const llir::Operand& from = at.operands[operand];
            if (from.kind != llir::Operand::Kind::value || blocks_[from.index] != block_ ||
                sources_[from.index].size() < end)
                continue;
            const Source* const sources = sources_[from.index].data();
            const Source& one = sources[first];
            may[operand] = one.product != nullptr &&
                           (end - first == 1 || (sources[first + 1].product == one.product && one.element % 2 == 0 &&
                                                 sources[first + 1].element == one.element + 1));
        }
        if (!may[0] && !may[1]) continue;
        any = true;
        const std::uint8_t operand = may[0] ? 0 : 1;
        for (std::size_t i = first; i < end; ++i) {
            const Source& source = sources_[at.operands[operand].index][i];
            fused[i] = {source.product, source.element, operand};
            if (!may[0] || !may[1]) continue;
            open_.insert({&at, source.product, sources_[at.operands[1].index][i].product});
        }
        fused_.of(element.name) += end - first;
    }
    if (any) sums_.emplace(&at, std::move(fused));
}

void Contraction::settle(const FusedCount& counted) {
    has_assembly_ = true;
    counted_ = counted;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        const std::uint64_t found = counted_.of(formats[i]), other = other_.of(formats[i]),
                            fused = fused_.of(formats[i]);
        contracts_[i] = found == other + fused;
        settled_[i] = contracts_[i] || found == other;
    }
}

bool Contraction::is_settled(const Instruction& at) const {
    const std::size_t format = format_number(at.type->element().name);
    return format < formats.size() && settled_[format] && (!contracts_[format] || !open_.contains(&at));
}

std::string Contraction::unsettled() const {
    if (!has_assembly_) return ", and no assembly beside it says whether they are fused";
    FusedCount in_assembly = counted_, others = other_, pairs = fused_;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        const std::uint64_t other = others.of(formats[i]), fused = pairs.of(formats[i]);
        if (settled_[i] || fused == 0) continue;
        return sentence(", and its assembly has ", in_assembly.of(formats[i]), " fused multiply-adds of ", formats[i],
                        ", where ", other + fused, " would be all that may be fused, and ", other, " none");
    }
    return ", of which the assembly does not say whether they are fused";
}

const std::vector<Fused>* Contraction::of(const Instruction& sum) const {
    const std::size_t format = format_number(sum.type->element().name);
    const auto found = sums_.find(&sum);
    return found == sums_.end() || format >= formats.size() || !contracts_[format] || open_.contains(&sum)
               ? nullptr
               : &found->second;
}

} // namespace discern::programs::amd
