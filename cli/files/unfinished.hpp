// A file while it is written: whatever ends the program, even SIGKILL or a loss of power, nothing half written stays
// beside the file that it is to replace, and its content is on the disk before it does that.
//
// Where the file system has files without a name (O_TMPFILE), it has none until it is whole. Elsewhere it is
// `.NAME.discern-XXXXXX` beside its place and locked as long as the program lives; the next program that writes to the
// same place removes those without a lock.
#pragma once

#include "hwrunner/process/at_signal.hpp"

#include <string>

namespace discern::cli {

class UnfinishedFile {
  public:
    UnfinishedFile() = default;
    /// Makes an empty file that will be put at the place. is_open() is false, and errno says why, if it cannot be made.
    /// @param named  with a name, whatever the file system can do (for tests)
    explicit UnfinishedFile(const std::string& place, bool named = false);
    /// Removes what was not put in its place.
    ~UnfinishedFile();
    UnfinishedFile(UnfinishedFile&& other) noexcept;
    UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

    bool is_open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    /// A path by which this process can open the file to write it.
    std::string path() const;
    /// Replaces what is at the place; what is open can be written further. @return 0 or an errno
    int put_in_place();

  private:
    std::string place_, name_; ///< name_: beside the place; empty: the file has none, or is in its place
    int descriptor_ = -1;      ///< with the lock
    RemovedAtSignal removed_at_signal_;
};

} // namespace discern::cli
