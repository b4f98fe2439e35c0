// The files of a certificate as they are written.
#pragma once

#include "certificate/miter.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace discern::certificate {

/// @throws Error if the folder is there and not empty, or cannot be made
void make_folder(const std::filesystem::path& folder);
/// @throws Error if it cannot be written
void put_file(const std::filesystem::path& path, const std::string& text);

/// The units' lines in the notation.
nlohmann::ordered_json lines(const std::vector<Unit>& units);
/// claim.json and its digest. @throws Error if they cannot be written
void write_claim(const std::filesystem::path& folder, const nlohmann::ordered_json& claim);

} // namespace discern::certificate
