// Files that commands read and write, with `-` for the standard streams, and errors that say what is wrong with them.
#pragma once

#include "command.hpp"

#include <fstream>
#include <istream>
#include <ostream>
#include <string>

namespace discern::cli {

/// The reader of our output has gone: nothing is left to do, and nobody to tell.
struct BrokenPipe {};

/// Flushes. @throws Error if the stream could not take all that was written to it, BrokenPipe if nobody reads it.
void require_written(std::ostream& out, const std::string& name);

class InputFile {
  public:
    /// @param path  `-` for io.in
    /// @throws Error if there is no such file, or it is a directory, or may not be read
    InputFile(const std::string& path, const Streams& io);
    std::istream& stream() { return *stream_; }
    const std::string& name() const { return name_; }

  private:
    std::ifstream file_;
    std::istream* stream_;
    std::string name_;
};

class OutputFile {
  public:
    /// @param path   empty or `-` for io.out
    /// @param input  a file that is being read, which must not be the one written
    OutputFile(const std::string& path, const Streams& io, const std::string& input = "");
    std::ostream& stream() { return *stream_; }
    /// @throws as require_written, if writing has failed already
    void require_good();
    /// Flushes. @throws as require_written
    void finish() { require_written(*stream_, name_); }

  private:
    std::ofstream file_;
    std::ostream* stream_;
    std::string name_;
};

} // namespace discern::cli
