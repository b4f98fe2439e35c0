#include "cli/base/command.hpp"
#include "hwrunner/process/at_signal.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <vector>

int main(int count, char** words) {
    // A reader that goes away makes writing fail, which is reported like any other failure to write.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // likewise a file that may not become longer
    discern::clean_up_when_signals_end_us();
    try {
        std::ios::sync_with_stdio(false); // which allocates
        std::cin.tie(nullptr);
        const std::vector<std::string> arguments(words + (count > 0 ? 1 : 0), words + count);
        return discern::cli::run(arguments, std::cin, std::cout, std::cerr, true);
    } catch (const std::bad_alloc&) { // before or after all that a command does
        std::fputs("discern: out of memory\n", stderr);
        return discern::cli::status::trouble;
    }
}
