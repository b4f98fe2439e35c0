// Units that are known to be the same: those that are the same text at rest, once the parts that were proved to be the
// same are replaced by one of them. A proof about a part is thus used for all combinations of what is around it.
#pragma once

#include "solver/decide/part.hpp"

#include <map>
#include <string>

namespace discern::identify {

class KnownSame {
  public:
    /// Units with one text compute the same.
    std::string text(const Unit& unit) const;
    /// @param part  two units that were proved to be the same
    void learn(const Part& part);

  private:
    static std::string rest_text(const Unit& unit);
    Unit replaced(const Unit& unit) const;
    void replace_parts(const Unit& unit, Node& node) const;

    std::map<std::string, Node> same_as_; ///< what stands for the tree of a part, by the part's text at rest
};

} // namespace discern::identify
