// How states of a handshake meet again: in what registers hold, operations on their way are named by their places, what
// stands for x is numbered anew, and all else is replaced by anything.
#pragma once

#include "designs/clocked/machine.hpp"

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace discern::rtl {

/// Terms for variables, by their numbers.
using Renaming = std::unordered_map<std::uint32_t, Term>;

class Forgetting {
  public:
    /// @param machine  whose registers are meant; both must outlive the object
    Forgetting(Terms& t, Machine& machine) : t_(t), machine_(machine) {}

    /// The registers, renamed; parts of them that depend on anything else are anything.
    /// @param whole  in the order of the machine's registers
    std::vector<Term> operator()(const std::vector<Term>& whole, Renaming stays);
    /// Variables that stand for x in the source.
    const std::unordered_set<std::uint32_t>& undefined() const { return undefined_; }

  private:
    void flatten(Term word, std::vector<Term>& highest_first) const;
    Term forgotten(Term whole, std::size_t r, Renaming& stays, std::size_t& numbered);
    bool stays_whole(Term part, Renaming& stays, std::size_t& numbered);
    Term undefined(std::size_t number, int width);
    Term anything(std::size_t r, int low, int width);

    Terms& t_;
    Machine& machine_;
    std::map<std::tuple<std::size_t, int, int>, Term> anything_;
    std::unordered_set<std::uint32_t> undefined_;
    std::size_t noted_open_ = 0; ///< of the machine's open values
};

} // namespace discern::rtl
