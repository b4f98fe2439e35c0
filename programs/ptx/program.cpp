#include "program.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace discern::programs {

namespace {

constexpr std::pair<std::string_view, unsigned> type_sizes[] = {
    {"pred", 0},   {"b8", 1},     {"u8", 1},     {"s8", 1},      {"b16", 2},  {"u16", 2},    {"s16", 2},
    {"f16", 2},    {"bf16", 2},   {"b32", 4},    {"u32", 4},     {"s32", 4},  {"f32", 4},    {"tf32", 4},
    {"f16x2", 4},  {"bf16x2", 4}, {"u16x2", 4},  {"s16x2", 4},   {"b64", 8},  {"u64", 8},    {"s64", 8},
    {"f64", 8},    {"f32x2", 8},  {"b128", 16},  {"e4m3", 1},    {"e5m2", 1}, {"e4m3x2", 2}, {"e5m2x2", 2},
    {"e2m1x2", 1}, {"e2m3x2", 2}, {"e3m2x2", 2}, {"ue8m0x2", 2},
};

} // namespace

std::optional<unsigned> bytes_of_type(std::string_view type) {
    for (const auto& [name, bytes] : type_sizes)
        if (name == type) return bytes;
    return std::nullopt;
}

bool Instruction::has(std::string_view modifier) const {
    return std::find(parts.begin() + 1, parts.end(), modifier) != parts.end();
}

bool Instruction::has_prefix(std::string_view prefix) const {
    return std::any_of(parts.begin() + 1, parts.end(), [&](std::string_view part) { return part.starts_with(prefix); });
}

std::string refusal(std::string_view file, int line, std::string_view instruction, std::string_view why) {
    std::string text;
    for (const char c : instruction) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (blank && (text.empty() || text.back() == ' ')) continue;
        text += blank ? ' ' : c;
    }
    return sentence(file, ":", line, ": ", text.empty() ? "" : excerpt(text, 90) + ": ", why);
}

std::string refusal(const Program& program, const Instruction& at, std::string_view why) {
    return refusal(program.file, at.line, at.text, why);
}

} // namespace discern::programs
