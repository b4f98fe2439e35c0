// The members of a space, and what they give on all inputs.
#pragma once

#include "claim.hpp"
#include "inputs.hpp"

#include "models/space.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace discern::claims {

/// The members of the spaces that these texts write.
std::vector<Member> members_of(const std::string& space);

/// Members of one skeleton, the first of them in front.
std::vector<std::vector<Unit>> by_skeleton(const std::vector<Member>& members);

/// Which member a text is. @throws std::runtime_error if it is none
class MemberIndex {
  public:
    explicit MemberIndex(const std::vector<Member>& members);
    std::size_t operator()(const std::string& text) const;
    bool contains(const std::string& text) const { return by_text_.contains(text); }

  private:
    std::map<std::string, std::size_t> by_text_;
};

/// What each member gives on each of the inputs.
class Results {
  public:
    Results(const std::vector<Member>& members, const AllInputs& inputs);

    /// Whether two members have the same results, as either of them counts results as the same.
    bool same(std::size_t one, std::size_t other) const;
    /// Whether the first gives what the second was observed to give: a NaN is any that the first may give.
    bool explains(std::size_t one, std::size_t observed) const;
    /// Inputs on which two of these members differ, in words; empty if there are none.
    std::string difference_within(const std::vector<std::size_t>& which) const;

  private:
    const std::vector<std::uint64_t>& of(std::size_t member) const;
    std::optional<std::size_t> first_difference(std::size_t one, std::size_t other) const;
    std::string difference(std::size_t one, std::size_t other) const;

    const std::vector<Member>& members_;
    const AllInputs& inputs_;
    mutable std::vector<std::vector<std::uint64_t>> results_; ///< of each member that was asked for
};

/// Bits of the inputs of units in spaces. Where they are few, random vectors find whatever differs, and what is claimed
/// besides is little; where they are many, a difference may be on inputs that only the right argument thinks of.
inline const std::vector small_and_large = {12, 14, 18, 24, 32, 32, 64};
/// From so many bits on, some are large units (Size::large).
inline constexpr int large_units = 32;

/// A space of a random unit, with 2 to `most` members; its base is units[0], with the choices behind it.
WrittenUnit draw_space(Random& random, int most_bits, std::size_t most);

} // namespace discern::claims
