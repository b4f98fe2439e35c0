// Files that commands read and write, with `-` for the standard streams, and errors that say what is wrong with them.
#pragma once

#include "cli/base/command.hpp"
#include "unfinished.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <ostream>
#include <string>

#include <sys/types.h>

namespace discern::cli {

/// The reader of our output has gone: the command ends without a message.
struct BrokenPipe {};

/// Flushes. @throws Error if the stream could not take all that was written to it, BrokenPipe if its reader has gone.
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

/// All of an array's file, or of an archive of them; only the beginning if it is none, for a reader to say so, and of
/// an array's no more than its header says and one byte.
/// @param first  what was read of it before
std::string array_file(std::istream& in, std::string first = "");

/// Whether there is such a file, or a folder.
bool is_there(const std::filesystem::path& path);

/// Notes that a file is read, which this command must then not write.
void note_input(const std::string& path, const Streams& io);

/// The same for the file of a space that is written @FILE.
void note_space(const std::string& space, const Streams& io);

/// A file that is put in its place when it is complete: after a failure the old file is still there, and nothing beside
/// it. What is no regular file, such as a device or a pipe, is written directly.
class OutputFile {
  public:
    /// @param path   empty or `-` for io.out
    /// @param input  a file that is being read, which must not be the one written, like all those that were noted
    OutputFile(const std::string& path, const Streams& io, const std::string& input = "");
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    std::ostream& stream() { return *stream_; }
    /// @throws as require_written, if writing has failed already
    void require_good();
    /// Flushes, and puts the file in its place; more can be written. @throws as require_written
    void keep();
    /// The same, at the end.
    void finish() { keep(); }

  private:
    std::ofstream file_;
    std::ostream* stream_;
    std::string name_;
    std::string place_;         ///< where it belongs
    UnfinishedFile unfinished_; ///< where it is
    bool is_kept_ = true;       ///< it is where it belongs
    off_t kept_size_ = 0;       ///< of what is whole in it
};

/// Writes a file whole. @throws as OutputFile
void write_file(const std::string& path, const Streams& io, const std::function<void(std::ostream&)>& print);

/// Writes a picture in SVG; in PDF where the file is called so, by rsvg-convert, which makes it of the SVG.
/// @throws Error as OutputFile, and if there is no PDF
void write_picture(const std::string& path, const Streams& io, const std::function<void(std::ostream&)>& print_svg);

/// Finishes the output. After an interruption a file stays as it was, and a message says so; what is printed is
/// printed.
void finish_unless(bool interrupted, OutputFile& output, const std::string& path, const Streams& io);

} // namespace discern::cli
