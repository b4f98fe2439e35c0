// How far apart results are, not only whether they are: units in the last bit and relative error, by family of input.
#pragma once

#include "analysis/measure/apart.hpp"
#include "json.hpp"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace discern::cli {

/// The sums and counts as a JSON object.
Json json_of(const Apart& apart);

class Distances {
  public:
    explicit Distances(const Format& format) : format_(&format) {}
    /// Two results that differ in their bits. @param family  of the input; empty: not known
    void add(std::uint64_t reference, std::uint64_t other, const std::string& family = "");
    bool empty() const { return total_.all() == 0; }
    /// A few lines: all, the histogram, and a line a family.
    void print(std::ostream& out) const;
    /// One object.
    Json json() const;

  private:
    const Format* format_;
    Apart total_;
    std::map<std::string, Apart> by_family_;
};

} // namespace discern::cli
