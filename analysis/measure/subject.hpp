// The subject of a measurement: anything that computes results of many vectors at a time. A unit is one, a program
// around a unit is another.
#pragma once

#include "models/gemm.hpp"
#include "models/unit.hpp"

#include <cstddef>

namespace discern::measure {

/// Inputs of many dot products of K elements, as patterns in words.
struct Tile {
    /// Rows of A with columns of B, each with each, as in a matrix product; else vector i is row i of both, and there
    /// is one column.
    bool combined = false;
    std::size_t rows = 0, columns = 1, K = 0;
    Patterns a;        ///< rows × K
    Patterns b;        ///< columns × K; not combined: rows × K
    Patterns b_turned; ///< K × columns; only if combined
    Patterns c;        ///< rows × columns
    Patterns sa, sb, sb_turned;

    std::size_t dots() const { return rows * columns; }
};

class Subject {
  public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;
    /// Safe from several threads at once. @param d  rows × columns
    virtual void compute(const Tile& tile, MutablePatterns d) const = 0;
};

/// A unit, or a chain of its instructions where K is more than its own.
class UnitSubject final : public Subject {
  public:
    explicit UnitSubject(const Unit& unit) : gemm_(unit) {}
    void compute(const Tile& tile, MutablePatterns d) const override;

  private:
    Gemm gemm_;
};

} // namespace discern::measure
