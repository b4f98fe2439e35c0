// The one exception type of the library.
//
// Everything a person can get wrong (a unit's name, a key, a line of a file) ends as an Error whose text is a
// sentence: what was wrong, where, and what would be right. Programs print it and exit with status 2; a violated
// internal invariant is not an Error but a std::logic_error.
#pragma once

#include <stdexcept>
#include <string>

namespace discern {

class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

} // namespace discern
