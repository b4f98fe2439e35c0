// What a claim says, as JSON. Its author is not trusted: a member that is missing or of another type,
// a number that no int holds, a key that is there twice (of which each reader may take another) is refused.
#pragma once

#include "handshake.hpp"
#include "limits.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace discern::certificate {

/// @throws Error with that sentence, as all of these do
[[noreturn]] void refuse(const std::string& sentence);

/// An object. @param where  whose text it is, for the sentence
nlohmann::json parsed(const std::string& text, const std::string& where);

// Members of an object.
const std::string& text(const nlohmann::json& object, const char* name);
bool flag(const nlohmann::json& object, const char* name);
int number(const nlohmann::json& object, const char* name);
const nlohmann::json& list(const nlohmann::json& object, const char* name);
std::vector<std::string> texts(const nlohmann::json& array);
std::vector<std::string> texts(const nlohmann::json& object, const char* name);

Limits limits_of(const nlohmann::json& claim);
/// The JSON that limits_of reads.
nlohmann::ordered_json limits_json(const Limits& limits);

/// What is claimed of a handshake, and its states. @param object  the member "handshake"
Handshake handshake_of(const nlohmann::json& object);
/// The JSON that handshake_of reads.
nlohmann::ordered_json handshake_json(const Handshake& handshake);

/// A line of the notation, which is how to_string writes that unit: there is one text for each.
Unit unit_of(const std::string& line);
/// The member "units".
std::vector<Unit> units_of(const nlohmann::json& object);

/// A folder with its claim; every file is the one that the claim names.
class Certificate {
  public:
    explicit Certificate(const std::filesystem::path& folder);

    const nlohmann::json& claim() const { return json_; }
    /// The digest of the claim's text.
    const std::string& digest() const { return digest_; }
    /// A folder beside the claim.
    std::filesystem::path folder(const std::string& name) const;
    /// The digest of a file, which the claim must list.
    const std::string& digest_of(const std::string& name) const;
    /// The contents of a file, which the claim must list with its digest.
    std::string file(const std::string& name) const;
    /// Whether a listed file has these contents; a file of another size is not read.
    bool has(const std::string& name, const std::string& contents) const;

  private:
    std::filesystem::path path(const std::string& name) const;

    std::filesystem::path folder_;
    std::string digest_;
    nlohmann::json json_;
};

} // namespace discern::certificate
