// A certificate in the making: files, and what the claim says of them.
#pragma once

#include "write.hpp"

#include "certificate/miter.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace discern::certificate {

class Folder {
  public:
    Folder(const Certified& what, const Limits& limits, bool shared);
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// From now on files are written as they come, since memory may not hold all of them, and removed again with the
    /// object unless the claim is written. @throws Error if the folder is there and not empty, or cannot be made
    void write_at_once(const std::filesystem::path& folder);

    void add_file(const std::string& name, const std::string& text);
    /// The proof of a formula, about these units. @param circuit  the same as AIGER
    void add_obligation(const std::string& name, const std::vector<Unit>& units, const Formula& formula,
                        const std::string& circuit, const std::string& proof);
    void add_vectors(const std::vector<InputBuffer>& vectors);
    /// A member of the claim.
    void say(const std::string& key, nlohmann::ordered_json value) { more_[key] = std::move(value); }

    /// All that was not written at once, and the claim.
    void write(const std::filesystem::path& folder, const char* claim, const std::string& combination);

  private:
    std::string name_of(const CertifiedDesign& design) const;
    std::string about_designs() const;

    const Certified& what_;
    const Limits& limits_;
    bool shared_;
    std::map<std::string, std::string> digests_, waiting_; ///< by name: of all files; texts of those not yet written
    std::filesystem::path at_once_;                        ///< empty: nowhere
    bool made_folder_ = false;
    nlohmann::ordered_json obligations_ = nlohmann::ordered_json::array(), more_ = nlohmann::ordered_json::object();
};

} // namespace discern::certificate
