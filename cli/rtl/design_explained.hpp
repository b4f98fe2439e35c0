// A design on one vector: its result, what its nets hold, and where it parts from a unit.
#pragma once

#include "cli/base/colour.hpp"
#include "cli/base/json.hpp"
#include "cli/options/design_options.hpp"

#include "analysis/explain/exactness.hpp"
#include "designs/nets.hpp"
#include "models/vectors.hpp"

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace discern::cli {

struct ReadDesign;

/// The design, read once.
class ExplainedDesign {
  public:
    /// @param unit  with which it is compared; or one of its shape alone
    ExplainedDesign(std::string word, const DesignOptions& options, const Unit& unit, bool is_compared, double timeout);
    ~ExplainedDesign();

    /// d. @throws Error if the operands do not define it
    std::uint64_t operator()(const Inputs& inputs) const;
    /// Looks into one vector.
    void explain(const Vector& vector);

    /// @param unit_gives  d of the unit with which it is compared
    void print(std::optional<std::uint64_t> unit_gives, const Colours& colours, std::ostream& out) const;
    Json json() const;

  private:
    std::string word_;
    Unit unit_;
    bool is_compared_;
    std::unique_ptr<ReadDesign> read_;
    std::unique_ptr<Target> target_;
    std::uint64_t d_ = 0;
    explain::Exactness exactness_;
    std::vector<rtl::NetValue> nets_;
};

} // namespace discern::cli
