// One line on a terminal that says what is being done; nothing where standard error is no terminal.
#pragma once

#include <ostream>
#include <string>

#include <unistd.h>

namespace discern::cli {

class Progress {
  public:
    explicit Progress(std::ostream& err) : err_(err) {}

    static bool is_wanted() { return isatty(STDERR_FILENO) == 1; }

    /// Replaces the line.
    void show(const std::string& what) {
        err_ << "\r\033[K" << what << " …" << std::flush;
        shown_ = true;
    }
    void clear() {
        if (shown_) err_ << "\r\033[K" << std::flush;
        shown_ = false;
    }

  private:
    std::ostream& err_;
    bool shown_ = false;
};

} // namespace discern::cli
