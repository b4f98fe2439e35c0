// Colours of words on a terminal; none where the output is read by programs, or where they are switched off
// (NO_COLOR, see no-color.org; TERM=dumb).
#pragma once

#include "command.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

namespace discern::cli {

/// Whether results go to a person's screen: the process is the command's own, and standard output is a terminal.
inline bool is_terminal(const Streams& io) { return io.owns_process && isatty(STDOUT_FILENO) == 1; }

class Colours {
  public:
    explicit Colours(bool wanted) : wanted_(wanted) {}
    /// Of a command's results.
    static Colours of(const Streams& io) {
        const char *no = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
        const bool unwanted = (no != nullptr && *no != '\0') || (term != nullptr && std::string_view(term) == "dumb");
        return Colours(is_terminal(io) && !unwanted);
    }

    std::string good(std::string_view text) const { return dyed("32", text); }
    std::string bad(std::string_view text) const { return dyed("31", text); }
    std::string open(std::string_view text) const { return dyed("33", text); }
    std::string strong(std::string_view text) const { return dyed("1", text); }

  private:
    std::string dyed(std::string_view code, std::string_view text) const {
        if (!wanted_) return std::string(text);
        return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
    }
    bool wanted_;
};

} // namespace discern::cli
