// A command of the program, run in this process: the same options, the same answers, errors as exceptions.
//
// The command works in a thread of its own. The thread that called waits for it: it runs the Python callable that is
// the command's target, where there is one, and takes signals as the interpreter does; an interrupt asks the command to
// stop, which then answers what is known.
#include "cli/base/command.hpp"

#include "core.hpp"

#include <pybind11/stl.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace discern::python {

namespace {

/// What the two threads tell each other.
struct Call {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<InputWords> question; ///< from the command: vectors that the callable is to compute
    std::optional<std::string> answer;  ///< to it: d in words; nothing with `refused`
    bool refused = false;               ///< the callable failed, or the call was interrupted: nothing more is answered
    // From the command: its end.
    bool done = false;
    int status = 0;
    std::exception_ptr failure;
};

/// The callable as a target. Its answers come from the other thread.
class CallableTarget final : public Target {
  public:
    CallableTarget(const Shape& shape, Call& call) : shape_(shape), call_(call) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "Python"}, {"model", "callable"}}; }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        if (batch.empty()) return;
        InputWords question;
        for (const Inputs& inputs : batch) question.append(inputs, shape_);
        std::string d;
        {
            std::unique_lock lock(call_.mutex);
            if (!call_.refused) {
                call_.question = std::move(question);
                call_.changed.notify_all();
                call_.changed.wait(lock, [this] { return call_.answer || call_.refused; });
            }
            if (!call_.answer) throw Stopped("the callable does not answer any more");
            d = std::move(*call_.answer);
            call_.answer.reset();
        }
        const std::size_t word = word_bytes(shape_.d);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, d.data() + i * word, word);
            answers.push_back({.d = bits, .error = {}});
        }
    }

  private:
    Shape shape_;
    Call& call_;
};

/// What a command writes to standard error: notes are kept, and of the lines of progress, which are written only on
/// request, the last.
class Notes final : public std::stringbuf {
  public:
    int sync() override {
        static constexpr std::string_view progress = "\r\033[K";
        const std::string text = str();
        const std::size_t first = text.find(progress);
        notes_ += text.substr(0, first);
        if (first != std::string::npos) {
            const std::lock_guard lock(mutex_);
            stage_ = text.substr(text.rfind(progress) + progress.size());
        }
        str("");
        return 0;
    }
    std::string take() {
        sync();
        return std::move(notes_);
    }
    /// What is being done; for the other thread.
    std::string stage() const {
        const std::lock_guard lock(mutex_);
        return stage_;
    }

  private:
    std::string notes_;
    mutable std::mutex mutex_;
    std::string stage_;
};

/// The thread that called: waits for the end, answers what is asked, and tells how far it is.
class Waiting {
  public:
    Waiting(Call& call, std::stop_source& stop, const Notes& notes, py::object ask, const py::object& progress)
        : call_(call), stop_(stop), notes_(notes), ask_(std::move(ask)), reporter_(progress) {}

    /// @return an exception of a callable or of a signal's handler
    std::optional<py::error_already_set> wait() {
        using namespace std::chrono_literals;
        while (true) {
            std::optional<InputWords> question;
            {
                const py::gil_scoped_release unlocked;
                std::unique_lock lock(call_.mutex);
                call_.changed.wait_for(lock, 50ms, [this] { return call_.done || call_.question; });
                if (call_.done && !call_.question) break;
                question = std::exchange(call_.question, std::nullopt);
            }
            if (question) answer(*question);
            if (!raised_ ? !reporter_.tell(notes_.stage(), asked_) : PyErr_CheckSignals() != 0) refuse();
        }
        return std::move(raised_);
    }

  private:
    void answer(const InputWords& question) {
        try {
            if (raised_) return refuse();
            const py::bytes d = ask_(question.count, py::bytes(question.a), py::bytes(question.b),
                                     py::bytes(question.c), py::bytes(question.sa), py::bytes(question.sb));
            asked_ += question.count;
            const std::lock_guard lock(call_.mutex);
            call_.answer = std::string(d);
            call_.changed.notify_all();
        } catch (py::error_already_set& error) {
            if (!raised_) raised_.emplace(error);
            refuse();
        } catch (const std::exception& error) { // what is not bytes
            PyErr_SetString(PyExc_RuntimeError, error.what());
            refuse();
        }
    }
    /// Takes the exception that is set, if one is, and ends the command.
    void refuse() {
        if (PyErr_Occurred() != nullptr) {
            py::error_already_set error;
            if (!raised_) raised_.emplace(std::move(error));
        }
        stop_.request_stop();
        const std::lock_guard lock(call_.mutex);
        call_.refused = true;
        call_.changed.notify_all();
    }

    Call& call_;
    std::stop_source& stop_;
    const Notes& notes_;
    py::object ask_;
    Reporter reporter_;
    std::size_t asked_ = 0; ///< vectors that the callable has computed
    std::optional<py::error_already_set> raised_;
};

/// @param progress  is told what is being done and how many vectors the callable has computed
/// @return status, standard output, notes, whether an interrupt ended it, and the answer in words where a command has
/// it
py::tuple command(const std::vector<std::string>& arguments, const std::string& input, const py::object& ask,
                  const py::object& progress) {
    Call call;
    std::stop_source stop;
    std::ostringstream said;
    cli::Host host{.stop = stop.get_token(), .target = nullptr, .progress = !progress.is_none(), .said = &said};
    if (!ask.is_none())
        host.target = [&call](const Shape& shape) { return std::make_unique<CallableTarget>(shape, call); };
    std::istringstream in(input);
    std::ostringstream out;
    Notes notes;
    std::ostream err(&notes);
    std::optional<py::error_already_set> raised;
    {
        std::jthread worker([&] {
            int status = 0;
            std::exception_ptr failure;
            try {
                status = cli::run_for(host, arguments, in, out, err);
            } catch (...) {
                failure = std::current_exception();
            }
            const std::lock_guard lock(call.mutex);
            call.status = status;
            call.failure = failure;
            call.done = true;
            call.changed.notify_all();
        });
        raised = Waiting(call, stop, notes, ask, progress).wait();
        const py::gil_scoped_release unlocked; // its last steps
        worker.join();
    }
    const bool interrupted = raised && raised->matches(PyExc_KeyboardInterrupt);
    if (raised && !interrupted) throw std::move(*raised);
    if (interrupted && call.failure) throw std::move(*raised); // nothing is known
    if (call.failure) std::rethrow_exception(call.failure);
    return py::make_tuple(call.status, out.str(), notes.take(), interrupted, said.str());
}

} // namespace

void add_command(py::module_& module) {
    module.def("command", &command, py::arg("arguments"), py::arg("input") = std::string(), py::arg("ask") = py::none(),
               py::arg("progress") = py::none());
}

} // namespace discern::python
