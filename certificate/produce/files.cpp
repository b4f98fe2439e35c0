#include "files.hpp"

#include "write.hpp"

#include "certificate/sha256.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace discern::certificate {

namespace {

std::string in_hex(std::uint64_t pattern) {
    char digits[16];
    return {digits, std::to_chars(digits, digits + sizeof digits, pattern, 16).ptr};
}

} // namespace

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

std::string file_contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in) throw Error("the certificate's file '" + path.string() + "' cannot be read");
    return std::move(text).str();
}

nlohmann::ordered_json limits_json(const Limits& limits) {
    const auto bounds = [](const auto& list, const auto& written) {
        nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
        for (const auto& x : list)
            ranges.push_back(
                nlohmann::ordered_json{{"operand", x.operand}, {"low", written(x.low)}, {"high", written(x.high)}});
        return ranges;
    };
    return nlohmann::ordered_json{{"finite", limits.finite},
                                  {"no_subnormals", limits.no_subnormals},
                                  {"ranges", bounds(limits.ranges, [](int x) { return x; })},
                                  {"numbers", bounds(limits.numbers, in_hex)}};
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
