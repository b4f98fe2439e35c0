// Certificates made for tests, and their files changed.
#pragma once

#include "certificate/check.hpp"
#include "certificate/sha256.hpp"
#include "solver/certify/write.hpp"

#include "models/notation.hpp"
#include "tests/folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>

namespace discern::tests {

/// Makes a certificate and checks it.
struct Made {
    testing::Folder folder;
    certificate::Written written;
    double make_seconds = 0, check_seconds = 0;

    Made(const std::string& one, const std::string& other, const certificate::Limits& limits = {},
         const certificate::WriteOptions& options = {}) {
        const auto start = std::chrono::steady_clock::now();
        written = write_certificate({parse_unit(one), parse_unit(other)}, limits, path(), options);
        make_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::filesystem::path path() const { return folder.path("certificate"); }
    certificate::Checked check() {
        const auto start = std::chrono::steady_clock::now();
        certificate::Checked checked = certificate::check_certificate(path());
        check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return checked;
    }
};

inline void put_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// Changes the claim, and makes all digests match again.
inline void reseal(const std::filesystem::path& path, const std::function<void(nlohmann::ordered_json&)>& change = {}) {
    auto claim = nlohmann::ordered_json::parse(testing::read_file(path / "claim.json"));
    if (change) change(claim);
    for (auto& [name, digest] : claim["files"].items()) digest = certificate::sha256(testing::read_file(path / name));
    put_file(path / "claim.json", claim.dump(1) + "\n");
    put_file(path / "claim.sha256", certificate::sha256(testing::read_file(path / "claim.json")) + "  claim.json\n");
}

} // namespace discern::tests
