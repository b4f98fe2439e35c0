// Loads and stores, asynchronous copies (which happen when they are issued), and atomic operations.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr std::string_view spaces[] = {"", "global", "shared", "local", "param", "const"};

std::uint32_t space_of(const Instruction& at) {
    for (std::uint32_t i = 1; i < std::size(spaces); ++i)
        if (at.has_prefix(spaces[i])) return i;
    return 0;
}
std::string_view space(const Step& step) { return spaces[step.mode[0]]; }

unsigned vector_of(const Instruction& at) { return at.has("v2") ? 2 : at.has("v4") ? 4 : at.has("v8") ? 8 : 1; }

void require_shape(const Step& step, std::size_t list, std::size_t address) {
    if (step.operands.size() < 2 || !step.operands[address].is_address || step.operands[list].is_address)
        throw Error("its operands are not read");
    if (step.operands[list].registers.size() != step.mode[1])
        throw Error(sentence("its list has ", step.operands[list].registers.size(), " registers; ", step.mode[1],
                             " are right"));
}

/// mode[0]: space; mode[1]: registers; type: of an element.
void load(Block& block, const Step& step) {
    const std::uint64_t* address = block.addresses(step.operands[1]);
    const unsigned size = step.type.bytes, count = step.mode[1];
    NewRegisters loaded(block, step.operands[0], size);
    block.each_lane([&](unsigned lane) {
        const Code* from = block.at(space(step), address[lane], std::size_t(size) * count, lane, Access::read);
        for (unsigned i = 0; i < count; ++i)
            std::copy_n(from + std::size_t(i) * size, size, loaded.at(i, lane).begin());
    });
    loaded.write();
    for (const std::uint32_t reg : step.operands[0].registers) {
        if (step.type.letter != 's' || reg == no_register || block.bytes(reg) <= size) continue;
        const std::uint64_t* narrow = block.values(reg, "the sign that is extended");
        block.put_each(reg, [&](unsigned lane) { return with_sign(narrow[lane], 8 * size); });
    }
}

void store(Block& block, const Step& step) {
    const std::uint64_t* address = block.addresses(step.operands[0]);
    const unsigned size = step.type.bytes, count = step.mode[1];
    block.each_lane([&](unsigned lane) {
        Code* to = block.at(space(step), address[lane], std::size_t(size) * count, lane, Access::write);
        for (unsigned i = 0; i < count; ++i)
            block.codes(step.operands[1].registers[i], lane, {to + std::size_t(i) * size, size});
    });
}

void decode_load(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    step.mode = {space_of(at), vector_of(at)};
    require_shape(step, 0, 1);
    step.run = load;
}
void decode_store(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.has("async")) return decode_async_store(decoder, at, step);
    step.type = decoder.type(at, 0);
    step.mode = {space_of(at), vector_of(at)};
    require_shape(step, 1, 0);
    step.run = store;
}

enum AtomicOperation : std::uint32_t { add, exchange, compare, minimum, maximum, conjunction, disjunction, difference };
constexpr std::string_view atomic_names[] = {"add", "exch", "cas", "min", "max", "and", "or", "xor"};

std::uint64_t combined(std::uint32_t what, std::uint64_t x, std::uint64_t y, std::uint64_t z, bool is_signed) {
    const auto less = is_signed ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
    switch (what) {
    case add: return x + y;
    case exchange: return y;
    case compare: return x == y ? z : x;
    case minimum: return less ? x : y;
    case maximum: return less ? y : x;
    case conjunction: return x & y;
    case disjunction: return x | y;
    default: return x ^ y;
    }
}

/// The word that known bytes are, with its sign if that counts.
std::uint64_t word_of(std::span<const Code> codes, bool is_signed) {
    std::uint64_t value = 0;
    if (!to_word(codes, value)) throw Error("an atomic operation on data");
    return is_signed ? static_cast<std::uint64_t>(with_sign(value, 8 * static_cast<unsigned>(codes.size()))) : value;
}

/// Adds numbers, part by part.
void add_numbers(Block& block, OpId op, std::span<Code> at, std::span<const Code> given, unsigned part) {
    for (unsigned from = 0; from < at.size(); from += part) {
        const NodeId arguments[2] = {block.graph().of_codes(at.subspan(from, part)),
                                     block.graph().of_codes(given.subspan(from, part))};
        block.graph().to_codes(block.graph().node(op, part, arguments), at.subspan(from, part));
    }
}

/// One element in memory, by one thread. mode as below.
void combine(Block& block, const Step& step, unsigned lane, unsigned element, bool is_global, std::span<Code> at) {
    const std::size_t base = step.mode[3], size = at.size();
    const bool is_signed = step.type.letter == 's';
    Code given[8], third[8] = {};
    block.codes(step.operands[base + 1].registers[element], lane, {given, size});
    if (step.mode[2] == compare) block.codes(step.operands[base + 2].reg(), lane, {third, size});
    if (step.mode[2] == exchange) {
        std::copy_n(given, size, at.begin());
    } else if (step.type.letter == 'f') {
        add_numbers(block, step.operations[is_global ? 1 : 0], at, {given, size},
                    static_cast<unsigned>(size) / step.mode[4]);
    } else {
        const std::uint64_t value = combined(step.mode[2], word_of(at, is_signed), word_of({given, size}, is_signed),
                                             word_of({third, size}, is_signed), is_signed);
        from_word(value, at);
    }
}

/// One after the other, in the order of the threads. mode[0]: space; mode[1]: registers; mode[2]: operation; mode[3]: 1
/// if there is a result; mode[4]: parts of an element that are added.
void atomic(Block& block, const Step& step) {
    const std::uint64_t* address = block.addresses(step.operands[step.mode[3]]);
    const unsigned size = step.type.bytes, count = step.mode[1], all = size * count;
    NewRegisters old(block, step.operands[0], size);
    const std::size_t kept = step.mode[3] == 0 ? 0 : std::min<std::size_t>(count, step.operands[0].registers.size());
    block.each_lane([&](unsigned lane) {
        Code* at = block.at(space(step), address[lane], all, lane, Access::atomic);
        const bool is_global = space(step) == "global" || (space(step).empty() && address[lane] < parameter_window);
        for (std::size_t i = 0; i < kept; ++i) std::copy_n(at + i * size, size, old.at(i, lane).begin());
        for (unsigned i = 0; i < count; ++i)
            combine(block, step, lane, i, is_global, {at + std::size_t(i) * size, size});
    });
    if (step.mode[3] == 0) return;
    for (const std::uint32_t reg : step.operands[0].registers)
        block.machine().uses_atomic_results |= reg != no_register && block.machine().code.is_read[reg];
    old.write();
}

void decode_atomic(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    const std::size_t base = at.parts[0] == "atom" ? 1 : 0;
    const auto name =
        std::find_if(std::begin(atomic_names), std::end(atomic_names), [&](std::string_view n) { return at.has(n); });
    if (name == std::end(atomic_names) || step.operands.size() < base + 2 || !step.operands[base].is_address ||
        step.type.bytes > 8 || step.type.bytes == 0)
        throw Error("this atomic operation is not read");
    step.mode = {space_of(at), static_cast<std::uint32_t>(step.operands[base + 1].registers.size()),
                 static_cast<std::uint32_t>(name - std::begin(atomic_names)), static_cast<std::uint32_t>(base)};
    if (base == 1 && step.operands[0].reg() != no_register && step.operands[0].registers.size() != step.mode[1])
        throw Error("its lists differ in length");
    if (step.mode[2] == compare && step.operands.size() < base + 3) throw Error("its third operand is missing");
    std::string_view type = step.type.name;
    step.mode[4] = type.ends_with("x2") ? 2 : 1;
    if (step.mode[4] == 2) type.remove_suffix(2);
    if (step.type.letter == 'f' && step.mode[2] != add && step.mode[2] != exchange)
        throw Error("this atomic operation is not read");
    // In global memory, but not in shared, subnormal numbers of f32 are zero.
    step.operations = {decoder.graph().operation("atom.add." + std::string(type)),
                       decoder.graph().operation((type == "f32" ? "atom.add.ftz." : "atom.add.") + std::string(type))};
    step.run = atomic;
}

} // namespace

std::span<const Opcode> memory_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"ld", decode_load,
         "global shared* local const param* nc gpu sys cta cluster acquire relaxed volatile mmio weak unified ca cg cs "
         "lu cv "
         "L1::* L2::* v2 v4 v8"},
        {"ldu", decode_load, "global v2 v4"},
        {"st", decode_store,
         "global shared* local param* gpu sys cta cluster release relaxed volatile mmio weak wb cg cs wt async "
         "mbarrier::* "
         "L1::* L2::* v2 v4 v8"},
    };
    return opcodes;
}

std::span<const Opcode> atomic_opcodes() {
    constexpr std::string_view modifiers = "global shared* gpu sys cta cluster acquire release acq_rel relaxed add "
                                           "exch cas min max and or xor noftz rn v2 v4 "
                                           "v8 L2::*";
    static constexpr Opcode opcodes[] = {{"atom", decode_atomic, modifiers}, {"red", decode_atomic, modifiers}};
    return opcodes;
}

} // namespace discern::programs
