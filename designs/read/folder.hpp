// A folder for files of other programs, which goes with the object.
#pragma once

#include "hwrunner/process/temporary.hpp"
#include "models/bounds.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace discern::rtl {

class Folder {
  public:
    Folder() { path_ = make_temporary_folder("discern-rtl-"); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

/// All of a file of text; "" if it cannot be read.
inline std::string content_of(const std::string& file) {
    std::ifstream in(file);
    return whole_text(in, file);
}

} // namespace discern::rtl
