#include "worker_process.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace discern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A message is its length, in eight bytes, and its text.
using Length = std::uint64_t;

std::string framed(const std::string& text) {
    const Length length = text.size();
    std::string frame(sizeof length, '\0');
    std::memcpy(frame.data(), &length, sizeof length);
    return frame + text;
}

// ---- the worker's side, which waits as long as it takes

bool read_all(int socket, char* to, std::size_t size) {
    while (size > 0) {
        const ssize_t n = recv(socket, to, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

bool write_all(int socket, const std::string& frame) {
    for (std::size_t done = 0; done < frame.size();) {
        const ssize_t n = send(socket, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

[[noreturn]] void serve(int socket, pid_t parent, const std::function<std::string(const std::string&)>& work) {
    setpgid(0, 0); // an interrupt from the keyboard goes to our parent alone, which ends us
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    std::string question;
    Length length = 0;
    while (read_all(socket, reinterpret_cast<char*>(&length), sizeof length)) {
        question.resize(length);
        if (!read_all(socket, question.data(), question.size())) break;
        if (!write_all(socket, framed(work(question)))) break;
    }
    _exit(0);
}

} // namespace

WorkerProcess::WorkerProcess(const std::function<std::string(const std::string&)>& work) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(sentence("a connection to another process cannot be made: ", std::strerror(errno)));
    const pid_t self = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[0]);
        serve(ends[1], self, work);
    }
    const int error = errno;
    close(ends[1]);
    socket_ = ends[0];
    if (pid_ < 0) {
        close(socket_);
        throw Error(sentence("another process cannot be started: ", std::strerror(error)));
    }
    fcntl(socket_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() { end(); }

WorkerReply WorkerProcess::ask(const std::string& question, milliseconds most) {
    if (pid_ < 0) throw std::logic_error("a worker process that was given up was asked");
    const auto deadline = Clock::now() + most;
    const std::string frame = framed(question);
    std::size_t sent = 0;
    std::string received;
    std::array<char, 1 << 16> buffer;
    while (true) {
        if (received.size() >= sizeof(Length)) {
            Length length = 0;
            std::memcpy(&length, received.data(), sizeof length);
            if (received.size() == sizeof length + length)
                return {.kind = WorkerReply::Kind::answer, .text = received.substr(sizeof length)};
        }
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return give_up(WorkerReply::Kind::silent);
        pollfd end = {socket_, static_cast<short>(POLLIN | (sent < frame.size() ? POLLOUT : 0)), 0};
        // In slices, because poll counts milliseconds in an int.
        if (poll(&end, 1, static_cast<int>(std::min<milliseconds::rep>(left.count(), 60'000))) <= 0) continue;
        if ((end.revents & POLLOUT) != 0) {
            const ssize_t n = send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
            if (n > 0) sent += static_cast<std::size_t>(n);
        }
        if ((end.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
        const ssize_t n = recv(socket_, buffer.data(), buffer.size(), 0);
        if (n > 0) received.append(buffer.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return give_up(WorkerReply::Kind::ended);
    }
}

WorkerReply WorkerProcess::give_up(WorkerReply::Kind kind) {
    std::string how;
    if (kind == WorkerReply::Kind::ended) { // its status is there, or will be in a moment
        const auto deadline = Clock::now() + milliseconds(500);
        int status = 0;
        while (waitpid(pid_, &status, WNOHANG) != pid_) {
            if (Clock::now() >= deadline) return {.kind = kind, .text = end()};
            poll(nullptr, 0, 5);
        }
        pid_ = -1;
        how =
            WIFSIGNALED(status) ? sentence("signal ", WTERMSIG(status)) : sentence("exit status ", WEXITSTATUS(status));
    }
    end();
    return {.kind = kind, .text = how};
}

std::string WorkerProcess::end() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    if (pid_ >= 0) {
        // A process that waits inside a driver may not die at once; it is not waited for longer than a moment.
        ::kill(pid_, SIGKILL);
        for (int i = 0; i < 200 && waitpid(pid_, nullptr, WNOHANG) != pid_; ++i) poll(nullptr, 0, 5);
    }
    pid_ = -1;
    return "a closed connection";
}

} // namespace discern
