// The members of a space, and what they give on all inputs.
#pragma once

#include "claim.hpp"
#include "inputs.hpp"

#include "models/space.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace discern::claims {

/// The members of the spaces that these texts write.
std::vector<Member> members_of(const std::string& space);

/// Which member a text is. @throws std::runtime_error if it is none
class MemberIndex {
  public:
    explicit MemberIndex(const std::vector<Member>& members);
    std::size_t operator()(const std::string& text) const;

  private:
    std::map<std::string, std::size_t> by_text_;
};

/// Inputs on which two of these members differ, where neither of them may be told from the other by a NaN that it
/// leaves open; empty if there are none among these inputs. In words.
std::string difference_within(const std::vector<Member>& members, const std::vector<std::size_t>& which,
                              const AllInputs& inputs);

/// A space of a random unit, with 2 to `most` members; its base is units[0], with the choices behind it.
WrittenUnit draw_space(Random& random, int most_bits, std::size_t most);

} // namespace discern::claims
