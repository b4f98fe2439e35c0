// Keeps statements apart until all are known; folds those of constants.
#include "code.hpp"

#include <array>
#include <cctype>
#include <optional>

namespace discern::gpu {

namespace {

constexpr std::uint64_t all = 0xffffffffu;

std::uint64_t value(std::string_view part) { return std::stoull(std::string(part)); }

using Meaning = std::uint64_t (*)(std::uint64_t, std::uint64_t);

/// Operations of two operands, and what they give where one of them is 0 or all ones.
struct Binary {
    std::string_view name;
    Meaning meaning;
    /// of x and 0, of 0 and x, of x and all ones: 'x', '0', '1' (all ones) or ' ' (no constant, nor x)
    char with_zero, of_zero, with_ones;
    bool is_idempotent = false; ///< of x and x it gives x
};

constexpr std::array binaries = {
    Binary{"and.b32", [](std::uint64_t x, std::uint64_t y) { return x & y; }, '0', '0', 'x', true},
    Binary{"or.b32", [](std::uint64_t x, std::uint64_t y) { return x | y; }, 'x', 'x', '1', true},
    Binary{"xor.b32", [](std::uint64_t x, std::uint64_t y) { return x ^ y; }, 'x', 'x', ' '},
    Binary{"add.u32", [](std::uint64_t x, std::uint64_t y) { return x + y; }, 'x', 'x', ' '},
    Binary{"sub.u32", [](std::uint64_t x, std::uint64_t y) { return x - y; }, 'x', ' ', ' '},
    Binary{"mul.lo.u32", [](std::uint64_t x, std::uint64_t y) { return x * y; }, '0', '0', ' '},
    Binary{"max.u32", [](std::uint64_t x, std::uint64_t y) { return x < y ? y : x; }, 'x', 'x', '1', true},
    Binary{"min.u32", [](std::uint64_t x, std::uint64_t y) { return x < y ? x : y; }, '0', '0', 'x', true},
    Binary{"shl.b32", [](std::uint64_t x, std::uint64_t y) { return y < 32 ? x << y : 0; }, 'x', '0', '0'},
    Binary{"shr.u32", [](std::uint64_t x, std::uint64_t y) { return y < 32 ? x >> y : 0; }, 'x', '0', '0'},
    Binary{"shr.s32",
           [](std::uint64_t x, std::uint64_t y) {
               const auto negative = (x >> 31) != 0 ? ~std::uint64_t{0} << 32 : std::uint64_t{0};
               return static_cast<std::uint64_t>(static_cast<std::int64_t>(x | negative) >> (y < 32 ? y : 31));
           },
           'x', '0', ' '},
};

std::optional<Part> folded(std::string_view operation, std::initializer_list<std::string_view> operands) {
    const auto operand = [&](std::size_t i) { return Part(operands.begin()[i]); };
    if (operation == "not.b32" && is_number(operand(0))) return constant(~value(operand(0)));
    if (operation == "selp.b32" && operand(0) == operand(1)) return operand(0);
    if (operation.substr(0, 4) == "shf." && operand(0) == operand(1) && // 0 or all ones move nothing
        (operand(0) == "0" || operand(0) == constant(all)))
        return operand(0);
    for (const Binary& binary : binaries) {
        if (binary.name != operation) continue;
        const Part x = operand(0), y = operand(1);
        if (is_number(x) && is_number(y)) return constant(binary.meaning(value(x), value(y)));
        const bool of_ones = x == constant(all) && (operation == "and.b32" || operation == "or.b32");
        const char how = y == "0"             ? binary.with_zero
                         : x == "0"           ? binary.of_zero
                         : y == constant(all) ? binary.with_ones
                         : of_ones            ? binary.with_ones
                                              : ' ';
        if (how == 'x') return is_number(x) ? y : x;
        if (how == '0') return "0";
        if (how == '1') return constant(all);
        if (x == y && binary.is_idempotent) return x;
    }
    return std::nullopt;
}

} // namespace

std::string Code::next_register(Kind kind) {
    int& count = kind == Kind::narrow ? narrow_ : kind == Kind::wide ? wide_ : conditions_;
    return "%" + prefix_ + static_cast<char>(kind) + std::to_string(count++);
}

/// What it reads are the registers in its text that other statements have given.
void Code::add(std::string text, bool stays) {
    Statement one{.text = std::move(text), .reads = {}, .stays = stays};
    for (std::size_t at = one.text.find('%'); at != std::string::npos; at = one.text.find('%', at + 1)) {
        std::size_t end = at + 1;
        while (end < one.text.size() &&
               (std::isalnum(static_cast<unsigned char>(one.text[end])) || one.text[end] == '_'))
            ++end;
        if (const auto from = origin_.find(one.text.substr(at, end - at)); from != origin_.end())
            one.reads.push_back(from->second);
    }
    for (const char c : one.text) one.lines += c == '\n' ? 1 : 0;
    statements_.push_back(std::move(one));
}

std::vector<std::string> Code::several(const std::string& text, Kind kind, std::size_t results) {
    std::vector<std::string>& registers = known_[text];
    if (!registers.empty()) return registers;
    std::string line;
    for (std::size_t i = 0; i < results; ++i) registers.push_back(next_register(kind));
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$') {
            line += text[i];
            continue;
        }
        std::size_t digits = 0;
        line += registers.at(std::stoull(text.substr(i + 1, 8), &digits));
        i += digits;
    }
    add(line, false);
    for (const std::string& made : registers) origin_[made] = statements_.size() - 1;
    return registers;
}

std::string Code::make(Kind kind, std::string_view operation, std::initializer_list<std::string_view> operands) {
    std::string text = std::string(operation) + " $0";
    for (const std::string_view operand : operands) text += ", " + std::string(operand);
    return several(text, kind, 1).front();
}

Part Code::make(std::string_view operation, std::initializer_list<std::string_view> operands) {
    if (const auto constant = folded(operation, operands)) return *constant;
    return make(Kind::narrow, operation, operands);
}

std::string Code::pack(const Part& low, const Part& high) {
    return make(Kind::wide, "mov.b64", {"{" + low + "," + high + "}"});
}

std::pair<Part, Part> Code::unpack(const std::string& wide) {
    const std::vector<std::string> both = several("mov.b64 {$0,$1}, " + wide, Kind::narrow, 2);
    return {both[0], both[1]};
}

void Code::statement(const std::string& text) { add(text, true); }

std::string Code::load(Kind kind, std::string_view operation, std::string_view from) {
    const std::string to = next_register(kind);
    statement(std::string(operation) + " " + to + ", " + std::string(from));
    return to;
}

std::vector<bool> Code::read() const {
    std::vector<bool> used(statements_.size());
    for (std::size_t i = statements_.size(); i-- > 0;) {
        if (statements_[i].stays) used[i] = true;
        if (used[i])
            for (const std::size_t other : statements_[i].reads) used[other] = true;
    }
    return used;
}

std::string Code::text() const {
    const std::vector<bool> used = read();
    std::string text;
    for (std::size_t i = 0; i < statements_.size(); ++i)
        if (used[i]) text += "    " + statements_[i].text + ";\n";
    return text;
}

std::size_t Code::statements() const {
    const std::vector<bool> used = read();
    std::size_t count = 0;
    for (std::size_t i = 0; i < statements_.size(); ++i) count += used[i] ? statements_[i].lines : 0;
    return count;
}

std::string Code::declarations() const {
    const auto declared = [this](const char* type, const char* name, int count) {
        return count == 0
                   ? ""
                   : std::string("    .reg .") + type + " %" + prefix_ + name + "<" + std::to_string(count) + ">;\n";
    };
    return declared("b32", "r", narrow_) + declared("b64", "w", wide_) + declared("pred", "p", conditions_);
}

} // namespace discern::gpu
