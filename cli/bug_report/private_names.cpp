// The names are those that the environment and the system say; they are replaced where they are words of their own.
#include "private_names.hpp"

#include <array>
#include <cctype>
#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace discern::cli {

namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

std::string host() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::vector<std::pair<std::string, std::string>> names_of_this_process() {
    std::vector<std::pair<std::string, std::string>> names;
    const char* const home = std::getenv("HOME");
    if (home != nullptr) names.emplace_back(home, "~");
    if (const passwd* const user = getpwuid(getuid()); user != nullptr) {
        names.emplace_back(user->pw_dir, "~");
        names.emplace_back(user->pw_name, "USER");
    }
    if (const char* const user = std::getenv("USER"); user != nullptr) names.emplace_back(user, "USER");
    names.emplace_back(host(), "HOST");
    return names;
}

/// Names that identify no person, and are common words.
bool says_nothing(const std::string& name) {
    return name.empty() || name == "/" || name == "root" || name == "localhost" || name == "nobody";
}

/// The text with each `from` that is not part of a longer name replaced by `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    std::size_t done = 0;
    for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, at + 1)) {
        if (at < done) continue;
        const std::size_t end = at + from.size();
        const bool begins = at == 0 || !is_of_a_name(text[at - 1]),
                   ends = end == text.size() || !is_of_a_name(text[end]);
        if (!ends || (!begins && from.front() != '/')) continue;
        result.append(text, done, at - done).append(to);
        done = end;
    }
    return result.append(text.substr(done));
}

std::string without_other_homes(std::string_view text) {
    static constexpr std::string_view homes = "/home/";
    std::string result;
    std::size_t done = 0;
    for (std::size_t at = text.find(homes); at != std::string_view::npos; at = text.find(homes, done)) {
        std::size_t end = at + homes.size();
        while (end < text.size() && (is_of_a_name(text[end]) || text[end] == '.')) ++end;
        result.append(text, done, at - done).append(end == at + homes.size() ? "/home/" : "/home/USER");
        done = end;
    }
    return result.append(text.substr(done));
}

} // namespace

PrivateNames::PrivateNames() : PrivateNames(names_of_this_process()) {}

PrivateNames::PrivateNames(std::vector<std::pair<std::string, std::string>> names) : names_(std::move(names)) {
    std::erase_if(names_, [](const auto& name) { return says_nothing(name.first); });
}

std::string PrivateNames::without(std::string_view text) const {
    std::string result(text);
    for (const auto& [name, instead] : names_) result = replaced(result, name, instead);
    return without_other_homes(result);
}

} // namespace discern::cli
