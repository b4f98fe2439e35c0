#include "types.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace discern::programs::llir {

namespace {

using Kind = Type::Kind;

constexpr std::uint64_t most_bits = 512, most_value = 4096, most_stored = std::uint64_t(1) << 40;
constexpr unsigned most_type_depth = 16;
constexpr std::size_t most_types = 1 << 16;

struct Floating {
    std::string_view word, name;
    std::uint64_t bits;
};
constexpr Floating floating_types[] = {
    {"half", "f16", 16}, {"bfloat", "bf16", 16}, {"float", "f32", 32}, {"double", "f64", 64}};

/// Bytes of an address by its space: LDS (3), scratch (5), and descriptors of buffers (8), which have a length too.
std::uint64_t address_bytes(std::uint64_t space) {
    if (space == 2 || space == 3 || space == 5 || space == 6) return 4;
    if (space == 7 || space == 9) throw Error(sentence("pointers of address space ", space, " are not read"));
    return space == 8 ? 16 : 8;
}

bool has_size(const Type& type) {
    return type.kind != Kind::nothing && type.kind != Kind::label && type.kind != Kind::metadata;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

} // namespace

bool has_values(const Type& type) { return has_size(type) && type.size <= most_value; }

const Type* Types::add(Type type) {
    Key key{{static_cast<std::uint64_t>(type.kind), type.count,
             type.name.empty() ? 0u : static_cast<unsigned char>(type.name[0]), type.stored},
            type.parts};
    key.first.insert(key.first.end(), type.at.begin(), type.at.end());
    const auto [found, is_new] = known_.try_emplace(std::move(key), nullptr);
    if (is_new) {
        if (module_.types.size() >= most_types) throw Error("there are more than 65,536 types");
        module_.types.push_back(std::make_unique<const Type>(std::move(type)));
        found->second = module_.types.back().get();
    }
    return found->second;
}

const Type* Types::integer(std::uint64_t bits) {
    if (bits == 0 || bits > most_bits) throw Error(sentence("integers of ", bits, " bits are not read; 1 to 512 are"));
    const std::uint64_t size = (bits + 7) / 8, stored = std::bit_ceil(size);
    return add({.kind = Kind::integer,
                .count = bits,
                .size = size,
                .stored = rounded_up(size, std::min<std::uint64_t>(stored, 8)),
                .alignment = std::min<std::uint64_t>(stored, 8)});
}

const Type* Types::pointer(std::uint64_t space) {
    const std::uint64_t size = address_bytes(space);
    return add({.kind = Kind::pointer, .count = space, .size = size, .stored = size, .alignment = size});
}

const Type* Types::group(std::uint64_t count, const Type* element, Kind kind) {
    if (!has_values(*element) && kind == Kind::vector) throw Error("there are no vectors of such elements");
    const std::uint64_t stored = element->stored;
    if (count > most_stored || (count != 0 && stored > most_stored / count)) throw Error("a type of more than a TiB");
    Type made{.kind = kind,
              .count = count,
              .parts = {element},
              .size = count * element->size,
              .stored = count * stored,
              .alignment = element->alignment};
    if (kind == Kind::vector) {
        if (count == 0 || made.size > most_value) throw Error(sentence("vectors of ", count, " elements are not read"));
        made.alignment = std::bit_ceil(made.size);
        made.stored = rounded_up(made.size, made.alignment);
    }
    return add(std::move(made));
}

const Type* Types::vector(std::uint64_t count, const Type* element) { return group(count, element, Kind::vector); }

const Type* Types::structure(Line& line, bool is_packed, unsigned depth) {
    Type made{.kind = Kind::structure};
    std::uint64_t end = 0;
    while (!line.take("}")) {
        if (!made.parts.empty()) line.expect(",");
        const Type* part = read(line, depth + 1);
        if (!has_size(*part)) throw Error("a structure has a part without a size");
        const std::uint64_t alignment = is_packed ? 1 : part->alignment;
        end = rounded_up(end, alignment);
        made.parts.push_back(part);
        made.at.push_back(end);
        end += part->stored;
        made.size += part->size;
        made.alignment = std::max(made.alignment, alignment);
        if (made.parts.size() > 1024 || end > most_stored) throw Error("a structure is too large");
    }
    made.stored = rounded_up(end, made.alignment);
    return add(std::move(made));
}

const Type* Types::read(Line& line, unsigned depth) {
    if (depth > most_type_depth) throw Error("types within types are too deep");
    const std::string_view word = line.next();
    if (word == "<" && line.take("{")) {
        const Type* made = structure(line, true, depth);
        line.expect(">");
        return made;
    }
    if (word == "<" || word == "[") {
        const std::uint64_t count = line.natural("the number of elements", most_stored);
        line.expect("x");
        const Type* element = read(line, depth + 1);
        if (!has_size(*element)) throw Error("an array has elements without a size");
        line.expect(word == "<" ? ">" : "]");
        return group(count, element, word == "<" ? Kind::vector : Kind::array);
    }
    if (word == "{") return structure(line, false, depth);
    if (word == "ptr") {
        std::uint64_t space = 0;
        if (line.take("addrspace")) space = line.natural_in_parentheses("an address space", 8);
        return pointer(space);
    }
    if (word == "void") return nothing();
    if (word == "label") return add({.kind = Kind::label});
    if (word == "metadata") return add({.kind = Kind::metadata});
    for (const Floating& type : floating_types)
        if (type.word == word)
            return add({.kind = Kind::floating,
                        .count = type.bits,
                        .name = type.name,
                        .size = type.bits / 8,
                        .stored = type.bits / 8,
                        .alignment = type.bits / 8});
    if (word[0] == '%')
        if (const auto found = names_.find(word); found != names_.end()) return found->second;
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), bits);
    if (word[0] == 'i' && word.size() > 1 && error == std::errc() && end == word.data() + word.size()) {
        if (line.peek() == "*") throw Error("pointers with a type are those of LLVM before 17, which is not read");
        return integer(bits);
    }
    throw Error(sentence(excerpt(word), " stands where a type is expected"));
}

} // namespace discern::programs::llir
