// What a check of a target against a unit found, while it goes on and at its end: the first differences, how far apart
// results are, and the first difference made as simple as it can be.
#pragma once

#include "cli/base/colour.hpp"
#include "cli/base/distance.hpp"
#include "cli/base/json.hpp"
#include "cli/rtl/streamed.hpp"
#include "hwrunner/validate.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

/// How differences are said.
struct DifferencesAs {
    std::uint64_t most = 10; ///< of so many
    bool json = false;       ///< in one object at the end
    bool table = false;      ///< term by term, at the end
};

class Differences {
  public:
    /// @param name      of the unit, as it is given to a command
    /// @param target    single vectors of which are asked again
    /// @param streamed  nullptr: the target is no design with a handshake
    Differences(const Unit& unit, std::string name, Target& target, StreamedCheck* streamed,
                const DifferencesAs& shown);

    /// Called for every one, in order. What is neither JSON nor a table is printed at once.
    void add(const Mismatch& mismatch, std::ostream& out);
    /// A fault of the handshake, which is no vector's.
    void add_fault() { ++faults_; }
    /// Looks for a vector like the first, with as few products and as simple numbers as still make a difference, by
    /// asking the target for at most ten seconds (Xie et al., §3.1.4, reduce failing cases so).
    void simplify(const ValidateOptions& validate);

    /// The whole outcome as one object.
    void put(Json& object) const;
    /// What is not printed yet. @param ask_again  whether the target may be asked, for tables
    void print(const Validation& result, bool ask_again, const Colours& colours, std::ostream& out) const;

    const std::optional<Mismatch>& first() const { return first_; }

  private:
    std::optional<Mismatch> simplest(const ValidateOptions& validate) const;
    bool print_table(const std::string& heading, const Mismatch& mismatch, const Colours& colours,
                     std::ostream& out) const;

    const Unit* unit_;
    Shape shape_;
    std::string name_;
    Target* target_;
    StreamedCheck* streamed_;
    DifferencesAs as_;
    Distances distances_;
    std::uint64_t faults_ = 0;
    std::vector<Mismatch> shown_;
    std::optional<Mismatch> first_, simple_;
};

} // namespace discern::cli
