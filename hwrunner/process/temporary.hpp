// Folders for files that go with the command.
#pragma once

#include "models/error.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace discern {

/// A new folder for temporary files, which goes with the object.
class TemporaryFolder {
  public:
    /// @param prefix  how its name begins
    /// @throws Error that says where it cannot be made
    explicit TemporaryFolder(const std::string& prefix) {
        std::error_code error;
        const std::filesystem::path place = std::filesystem::temp_directory_path(error);
        if (error)
            throw Error(
                "no temporary file can be made: TMPDIR (or /tmp without it) is no folder; TMPDIR=FOLDER names one");
        std::string pattern = (place / (prefix + "XXXXXX")).string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw Error("no temporary file can be made in " + place.string() + "; TMPDIR=FOLDER names another folder");
        path_ = pattern;
    }
    ~TemporaryFolder() {
        if (!kept_) remove(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    /// Lets it stay.
    void keep() { kept_ = true; }
    static void remove(const std::filesystem::path& path) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }

  private:
    std::filesystem::path path_;
    bool kept_ = false;
};

} // namespace discern
