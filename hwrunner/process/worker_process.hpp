// A copy of this process that does one kind of work for us: asked and answered in messages, killed when it hangs.
//
// For libraries that can hang or crash the process that calls them (drivers of devices).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <sys/types.h>

namespace discern {

/// The outcome of a question.
struct WorkerReply {
    enum class Kind { answer, silent, ended };
    Kind kind = Kind::answer;
    std::string text; ///< the answer; or how it ended: "signal 9", "exit status 3"
};

class WorkerProcess {
  public:
    /// Forks. The copy calls `work` with each message and sends what it returns back; it ends when we do,
    /// or the thread that made it does. `work` must not throw; nothing that it does is seen here but its answers.
    /// @throws Error if there can be no new process
    explicit WorkerProcess(const std::function<std::string(const std::string&)>& work);
    /// Kills it.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    /// Sends the question and waits for the answer, at most that long. Unless there is one, the worker is killed and
    /// must not be asked again.
    WorkerReply ask(const std::string& question, std::chrono::milliseconds most);

  private:
    WorkerReply give_up(WorkerReply::Kind kind);
    std::string end();

    pid_t pid_ = -1;
    int socket_ = -1;
};

} // namespace discern
