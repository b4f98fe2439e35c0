// Answers that contradict each other, also by way of third units.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::store {

/// Statements about pairs of units, which are known by their hashes.
class Relations {
  public:
    void same(const std::string& limits, const std::string& one, const std::string& other);
    /// Each differs from each other one.
    /// @param where  the store that says so
    void apart(const std::string& limits, std::span<const std::string> hashes, std::size_t where);

    struct Contradiction {
        std::string limits, one, other;
        std::size_t where = 0; ///< that says that they differ
    };
    /// Pairs that differ although a chain of equal units joins them.
    std::vector<Contradiction> contradictions();

  private:
    struct Apart {
        std::vector<std::size_t> numbers;
        std::size_t where;
    };
    struct Group {
        std::unordered_map<std::string, std::size_t> numbers;
        std::vector<std::size_t> parents;
        std::vector<Apart> apart;
        std::vector<std::string> hashes;
        std::size_t number(const std::string& hash);
        std::size_t root(std::size_t at);
    };
    std::map<std::string, Group> groups_; ///< by the limits of the inputs
};

} // namespace discern::store
