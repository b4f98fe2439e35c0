#include "process.hpp"

#include "models/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace discern {

namespace {

constexpr std::size_t most_errors = 4096;
constexpr int poll_milliseconds = 20;

[[noreturn]] void fail(const std::string& what) { throw Error(what + ": " + std::strerror(errno)); }

/// A pipe whose ends close themselves; both are closed in programs that are started.
struct Pipe {
    int read_end = -1, write_end = -1;

    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe to the solver cannot be made");
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close_end(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
};

/// Moves what is there from the pipe to the text; closes the pipe at its end.
void drain(int& end, std::string& text, std::size_t most) {
    std::array<char, 65536> buffer;
    const ssize_t n = read(end, buffer.data(), buffer.size());
    if (n > 0)
        text.append(buffer.data(), std::min(static_cast<std::size_t>(n), most - std::min(most, text.size())));
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        Pipe::close_end(end);
}

/// Writes what the pipe takes; closes it when all is written or nobody reads it.
void feed(int& end, std::string_view& input) {
    const ssize_t n = write(end, input.data(), std::min<std::size_t>(input.size(), 65536));
    if (n > 0)
        input.remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno != EINTR && errno != EAGAIN)
        input = {};
    if (input.empty()) Pipe::close_end(end);
}

/// While it lives, writing to a pipe that nobody reads is an error and not the end of this program.
class IgnoreBrokenPipes {
  public:
    IgnoreBrokenPipes() { before_ = std::signal(SIGPIPE, SIG_IGN); }
    ~IgnoreBrokenPipes() { std::signal(SIGPIPE, before_); }
    IgnoreBrokenPipes(const IgnoreBrokenPipes&) = delete;
    IgnoreBrokenPipes& operator=(const IgnoreBrokenPipes&) = delete;

  private:
    void (*before_)(int);
};

pid_t start(const std::string& command, const Pipe& in, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::string shell = "sh", option = "-c", text = command;
    std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    pid_t child = -1;
    const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        errno = error;
        fail("'" + command + "' cannot be started");
    }
    return child;
}

} // namespace

ProcessResult run_process(const std::string& command, std::string_view input, const Limit& limit) {
    const IgnoreBrokenPipes ignore;
    ProcessResult result;
    Pipe in, out, err;
    const pid_t child = start(command, in, out, err);
    Pipe::close_end(in.read_end);
    Pipe::close_end(out.write_end);
    Pipe::close_end(err.write_end);
    fcntl(in.write_end, F_SETFL, O_NONBLOCK);
    while (out.read_end >= 0 || err.read_end >= 0) {
        if (limit.reached()) {
            result.stopped = true;
            kill(-child, SIGKILL);
            break;
        }
        std::array<pollfd, 3> ends = {
            {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {in.write_end, POLLOUT, 0}}};
        if (poll(ends.data(), ends.size(), poll_milliseconds) <= 0) continue;
        if (out.read_end >= 0 && ends[0].revents != 0) drain(out.read_end, result.output, std::string::npos);
        if (err.read_end >= 0 && ends[1].revents != 0) drain(err.read_end, result.errors, most_errors);
        if (in.write_end >= 0 && ends[2].revents != 0) feed(in.write_end, input);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-child, SIGKILL); // whatever it left running
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
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
