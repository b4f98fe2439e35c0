// Text without the names of the person and of the machine that it comes from, before it is given to others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern::cli {

class PrivateNames {
  public:
    /// Those of this process: its home folder becomes ~, its user USER, this host HOST.
    PrivateNames();
    /// @param names  each with its replacement; a path is a name, too
    explicit PrivateNames(std::vector<std::pair<std::string, std::string>> names);

    /// The text, in which no name stands as a word of its own. The folder of any user below /home becomes /home/USER.
    std::string without(std::string_view text) const;

  private:
    std::vector<std::pair<std::string, std::string>> names_;
};

} // namespace discern::cli
