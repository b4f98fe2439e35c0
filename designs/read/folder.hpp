// A folder for files of other programs, which goes with the object.
#pragma once

#include "hwrunner/process/temporary.hpp"
#include "models/bounds.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace discern::rtl {

class Folder : public TemporaryFolder {
  public:
    Folder() : TemporaryFolder("discern-rtl-") {}
};

/// All of a file of text; "" if it cannot be read.
inline std::string content_of(const std::string& file) {
    std::ifstream in(file);
    return whole_text(in, file);
}

} // namespace discern::rtl
