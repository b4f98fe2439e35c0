// Operations one after the other from the reset, on the netlist: where a result depends on what went before, a sequence
// of operations shows that it is wrong, and nothing less does.
#pragma once

#include "circuit.hpp"

#include "models/vectors.hpp"
#include "solver/backend/limit.hpp"

#include <optional>
#include <vector>

namespace discern::rtl {

/// Operations from the reset on: one each edge, or, with Connection::hold, each from where the result of the one before
/// it is there. After the last one its operands are there with every bit inverted. A c that is a state is what the
/// operations before have left.
struct Sequence {
    std::vector<Vector> operations; ///< d has the unit's result and the design's
    std::size_t wrong = 0;          ///< which of them is
};

class Operations {
  public:
    explicit Operations(const DesignQuestion& question);

    using Values = std::vector<std::optional<std::uint64_t>>; ///< of each operation; nothing where it is open

    /// d of each operation.
    /// @param states  becomes what a state is before each operation
    Values results(const std::vector<Vector>& operations, Values* states = nullptr) const;

    /// A sequence of which one result is wrong, by running random ones; as short as it was made.
    std::optional<Sequence> search(std::uint64_t seed, const Limit& limit) const;
    /// The same by asking a solver about the first, second, … operation after the reset.
    /// @param asked  how many of them are right
    /// @param undefined  an operation whose result depends on an open value, if that ended the search
    std::optional<Sequence> solve(int& asked, std::optional<Vector>& undefined, const Limit& limit) const;

  private:
    bool is_allowed(const Vector& v) const;
    std::optional<Sequence> checked(std::vector<Vector> operations) const;
    Sequence shortened(Sequence sequence, const Limit& limit) const;

    const DesignQuestion& question_;
};

} // namespace discern::rtl
