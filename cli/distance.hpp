// How far apart results are, not only whether they are: units in the last place and relative error, by family of input.
#pragma once

#include "analysis/measure/apart.hpp"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace discern::cli {

/// A number of JSON, to six digits; there infinity is none, and is null.
std::string json_number(double value);
/// What was added up, as an object.
std::string apart_json(const Apart& apart);

class Distances {
  public:
    explicit Distances(const Format& format) : format_(&format) {}
    /// Two results that differ in their bits. @param family  of the input; empty: not known
    void add(std::uint64_t reference, std::uint64_t other, const std::string& family = "");
    bool empty() const { return total_.all() == 0; }
    /// A few lines: all, the histogram, and a line a family.
    void print(std::ostream& out) const;
    /// One object.
    std::string json() const;

  private:
    const Format* format_;
    Apart total_;
    std::map<std::string, Apart> by_family_;
};

} // namespace discern::cli
