// Folders for files that go with the command.
#pragma once

#include "models/error.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace discern {

/// Makes a new folder for temporary files, whose name begins so. @throws Error that says where it cannot be made
inline std::filesystem::path make_temporary_folder(const std::string& prefix) {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::temp_directory_path(error);
    if (error)
        throw Error("no temporary file can be made: TMPDIR (or /tmp without it) is no folder; TMPDIR=FOLDER names one");
    std::string pattern = (place / (prefix + "XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw Error("no temporary file can be made in " + place.string() + "; TMPDIR=FOLDER names another folder");
    return pattern;
}

} // namespace discern
