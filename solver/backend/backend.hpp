// The interface to solvers: conditions in, an outcome and values out.
//
// Each back-end lowers the same term graph in its own way; no solver's type or header is seen outside its own file.
#pragma once

#include "encodings/graph/term.hpp"
#include "limit.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace discern {

enum class Outcome : std::uint8_t {
    sat,
    unsat,
    unknown, ///< the limit was reached, or the solver gave up
};

std::string_view name(Outcome outcome);

class Backend {
  public:
    virtual ~Backend() = default;
    /// From now on the condition (a term of 1 bit) must be 1.
    virtual void require(Term condition) = 0;
    /// Whether all conditions can be 1 together, and with them the assumptions (terms of 1 bit), which hold for this
    /// call only. Returns soon after the limit is reached.
    virtual Outcome check(const Limit& limit, std::span<const Term> assumptions) = 0;
    Outcome check(const Limit& limit) { return check(limit, {}); }
    /// After sat: a value of the variable in the solution; 0 if the conditions do not depend on it.
    virtual Bits value(Term variable) = 0;
};

struct BackendKind {
    std::string name; ///< as `--solver` takes it
    std::string version;
    /// The graph must outlive the back-end; it may grow.
    std::function<std::unique_ptr<Backend>(const Terms& terms, std::uint64_t seed)> make;
};

/// The back-ends that this build has, the preferred one first.
std::span<const BackendKind> backends();

/// The back-end of that name, or a program: a command line whose first word is one, which must read SMT-LIB 2 on its
/// standard input ("boolector", "z3 -in"). @throws Error that lists those there are
BackendKind require_backend(std::string_view name);

} // namespace discern
