#include "run_process.hpp"

#include "child_process.hpp"

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <cstdlib>

#include <unistd.h>

namespace discern {

ProcessResult run_process(const std::string& command, std::string_view input, const std::function<bool()>& must_stop) {
    constexpr std::chrono::milliseconds between_questions{20};
    const std::uint64_t most = most_of(Bounded::output);
    ProcessResult result;
    ChildProcess child(command, !input.empty());
    while (result.ended.empty() && !result.stopped) {
        if (must_stop()) {
            child.kill();
            result.stopped = true;
        } else if (!child.output_ended()) {
            if (input.empty()) child.close_input();
            child.exchange(input, result.output, between_questions);
            if (result.output.size() > most)
                throw Error(sentence(excerpt(command, 60), ": ", too_much(Bounded::output)));
        } else {
            result.ended = child.end(between_questions);
        }
    }
    result.errors = child.complaints();
    result.read_all = input.empty() && child.unread() == 0;
    return result;
}

bool is_program(std::string_view command) {
    const std::string word(command.substr(0, command.find_first_of(" \t")));
    if (word.empty()) return false;
    if (word.find('/') != std::string::npos) return access(word.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    std::string_view folders = path == nullptr ? "" : path;
    while (!folders.empty()) {
        const std::size_t colon = folders.find(':');
        if (access((std::string(folders.substr(0, colon)) + "/" + word).c_str(), X_OK) == 0) return true;
        folders = colon == std::string_view::npos ? "" : folders.substr(colon + 1);
    }
    return false;
}

} // namespace discern
