#include "files.hpp"

#include "write.hpp"

#include "certificate/sha256.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <fstream>

namespace discern::certificate {

void require_empty_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) return;
    if (!std::filesystem::is_directory(folder, error) || !std::filesystem::is_empty(folder, error) || error)
        throw Error("a certificate needs a new or an empty folder, and '" + folder.string() + "' is none");
}

void make_folder(const std::filesystem::path& folder) {
    require_empty_folder(folder);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error("the certificate's folder '" + folder.string() + "' cannot be made: " + error.message());
}

void put_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) throw Error("the certificate's file '" + path.string() + "' cannot be written");
}

nlohmann::ordered_json lines(const std::vector<Unit>& units) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const Unit& unit : units) lines.push_back(to_string(unit));
    return lines;
}

void write_claim(const std::filesystem::path& folder, const nlohmann::ordered_json& claim) {
    const std::string text = claim.dump(1) + '\n';
    put_file(folder / "claim.json", text);
    put_file(folder / "claim.sha256", sha256(text) + "  claim.json\n");
}

} // namespace discern::certificate
