// A design as a target: bits in, bits out, computed in this process from the netlist that was read, 64 vectors at a
// time.
//
// Before it answers, a simulator runs some vectors through the same files, as for a proof: what is computed here is
// believed only if both say the same.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "read/sources.hpp"

#include "hwrunner/target.hpp"

#include <functional>
#include <memory>

namespace discern::rtl {

/// A unit of the shape; which one does not matter: where a question about a design needs the formats alone.
Unit any_unit_of(const Shape& shape);

/// @param question   of read_question()
/// @param must_stop  while a simulator is asked
/// @throws Error if a simulator says something else than the netlist
std::unique_ptr<Target> make_design_target(const DesignQuestion& question, const Sources& sources,
                                           const std::function<bool()>& must_stop);

/// The gates of a design's d, evaluated.
class DesignGates {
  public:
    explicit DesignGates(const DesignQuestion& question);
    ~DesignGates();
    DesignGates(DesignGates&&) noexcept;

    /// d of each vector; where it depends on what the design leaves open, an error that says on what.
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers);
    std::size_t gates() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace discern::rtl
