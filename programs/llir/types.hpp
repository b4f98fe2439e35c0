// The types of a module as they are read: sizes, alignments and places are those of AMDGPU's data layout.
#pragma once

#include "line.hpp"
#include "module.hpp"

#include <map>
#include <string>
#include <unordered_map>

namespace discern::programs::llir {

class Types {
  public:
    explicit Types(Module& module) : module_(module) {}

    /// @throws Error if it is no type, or one that is not read
    const Type* read(Line& line, unsigned depth = 0);
    /// A type that the file names: %struct.args = type { … }.
    void name(std::string_view name, const Type* type) { names_[name] = type; }

    const Type* integer(std::uint64_t bits);
    const Type* pointer(std::uint64_t space);
    const Type* vector(std::uint64_t count, const Type* element);
    const Type* nothing() { return add({}); }

  private:
    using Key = std::pair<std::vector<std::uint64_t>, std::vector<const Type*>>;
    const Type* add(Type type);
    const Type* group(std::uint64_t count, const Type* element, Type::Kind kind);
    const Type* structure(Line& line, bool is_packed, unsigned depth);

    Module& module_;
    std::map<Key, const Type*> known_;
    std::unordered_map<std::string_view, const Type*> names_;
};

/// Whether a type has values that the machine keeps.
bool has_values(const Type& type);

} // namespace discern::programs::llir
