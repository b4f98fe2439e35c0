#include "ask.hpp"

#include "cli/base/command.hpp"

#include <cctype>
#include <sstream>
#include <stdexcept>

namespace discern::claims {

nlohmann::json Answer::json() const {
    try {
        return nlohmann::json::parse(out);
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("no JSON but, with status " + std::to_string(status) + ": " + out + err);
    }
}

Answer ask(const std::vector<std::string>& words, const std::string& standard_input) {
    std::istringstream in(standard_input);
    std::ostringstream out, err;
    Answer answer;
    answer.status = cli::run(words, in, out, err);
    answer.out = out.str();
    answer.err = err.str();
    if (answer.err.find("internal error") != std::string::npos) throw std::runtime_error(answer.err);
    return answer;
}

std::string command_line(const std::vector<std::string>& words) {
    std::string line = "discern";
    for (const std::string& word : words) {
        bool plain = !word.empty();
        for (const char c : word)
            plain = plain && (std::isalnum(static_cast<unsigned char>(c)) ||
                              std::string("-_./:,+=").find(c) != std::string::npos);
        if (plain) {
            line += " " + word;
            continue;
        }
        line += " '";
        for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += "'";
    }
    return line;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        std::istringstream text(option);
        for (std::string word; text >> word;) words.push_back(word);
    }
}

} // namespace discern::claims
