// Many units by number, which are made when they are asked for.
//
// A unit takes about a kilobyte and its evaluator six, so a space of a million members does not fit in memory as units.
// Of a member of a space eight bytes are kept: which combination it is. Making the unit of it again takes some ten
// microseconds, which is little beside anything that is done with it.
#pragma once

#include "space.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace discern {

/// Units by number. Copies are cheap, and read from several threads.
struct UnitList {
    std::size_t size = 0;
    std::function<Unit(std::size_t)> unit; ///< of each number below size
    Unit operator[](std::size_t i) const { return unit(i); }
};

/// @param units  must outlive the list
UnitList listed(std::span<const Unit> units);

/// Pointers to units, for what takes them so.
std::vector<const Unit*> each_of(std::span<const Unit> units);

/// Units with their texts: some given one by one, others as members of spaces.
class Members {
  public:
    Members() = default;
    Members(std::vector<Member> listed);

    void add(Member member);
    /// All members of a space, in the order of picks().
    /// @param look     is called with each, if there is one, by this thread and in their order
    /// @param threads  that make units
    /// @throws Error if there are more than 10^7 combinations, with the members that are here
    void add(const Space& space, const std::function<void(const Member&)>& look = {}, unsigned threads = 1);
    /// The same without making a unit, if it is known which combinations are members: what combinations() says.
    /// @throws Error if the text says so of no such spaces
    void add(std::span<const Space> spaces, const std::string& combinations);
    /// One of others.
    void add(const Members& others, std::size_t i);
    /// Which combinations of its spaces are members, one space after the other, "0-863;0-5 8-11"; not those listed.
    std::string combinations() const;

    std::size_t size() const { return places_.size(); }
    bool empty() const { return places_.empty(); }
    Unit unit(std::size_t i) const;
    std::string text(std::size_t i) const;
    Member operator[](std::size_t i) const { return {text(i), unit(i)}; }
    Member front() const { return (*this)[0]; }

  private:
    /// Which of the spaces, from 1, and which combination; 0: which of the listed.
    struct Place {
        std::uint32_t space, n;
    };

    std::uint32_t place_of(const std::shared_ptr<const Space>& space);

    std::vector<Member> listed_;
    std::vector<std::shared_ptr<const Space>> spaces_;
    std::vector<Place> places_;
};

} // namespace discern
