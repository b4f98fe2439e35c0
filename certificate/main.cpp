// discern-check: is this certificate right? A program of its own, so that little has to be read before it can be
// trusted.
#include "check.hpp"

#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>

namespace {

constexpr int accepted = 0, refused = 1, trouble = 2, assumed = 3;

constexpr const char* usage =
    "Usage: discern-check DIR [--json]\n"
    "Checks the certificate in a folder. Exit status: 0 accepted, 3 accepted but for what it says is\n"
    "assumed, 1 refused, 2 trouble.\n";

} // namespace

int main(int count, char** words) {
    std::string folder;
    bool as_json = false;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--help" || word == "-h") {
            std::cout << usage;
            return accepted;
        }
        if (word == "--json")
            as_json = true;
        else if (folder.empty() && !word.empty() && word[0] != '-')
            folder = word;
        else {
            std::cerr << "discern-check: '" << word << "' is not understood\n" << usage;
            return trouble;
        }
    }
    std::error_code error;
    if (folder.empty() || !std::filesystem::is_directory(folder, error)) {
        std::cerr << "discern-check: " << (folder.empty() ? "which folder?" : "there is no folder " + folder) << '\n'
                  << usage;
        return trouble;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        const auto checked = discern::certificate::check_certificate(folder);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::cout << (as_json ? to_json(checked, seconds.count()) + '\n' : to_text(checked));
        return !checked.refused.empty() ? refused : !checked.assumed.empty() ? assumed : accepted;
    } catch (const std::exception& why) {
        std::cerr << "discern-check: " << why.what() << '\n';
        return trouble;
    }
}
