// What the files of the extension have in common: how words of an array reach the library.
//
// The extension converts and calls, and computes nothing. Arrays come as buffers of unsigned words in C order; which
// format they are in, and how an array of another kind becomes one, is the package's business (discern/arrays.py).
#pragma once

#include "models/evaluate.hpp"
#include "models/gemm.hpp"
#include "models/shape.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <span>
#include <string>

namespace discern::python {

namespace py = pybind11;

/// The words of a buffer, with what keeps them alive; None is no words.
class Words {
  public:
    explicit Words(const py::object& object, bool writable = false) {
        if (object.is_none()) return;
        info_ = py::reinterpret_borrow<py::buffer>(object).request(writable);
    }
    operator Patterns() const { return {info_.ptr, size(), word()}; }
    MutablePatterns writable() const { return {info_.ptr, size(), word()}; }
    /// Words from the n-th on.
    Patterns part(std::size_t first, std::size_t count) const {
        return {static_cast<const std::byte*>(info_.ptr) + first * word(), size() == 0 ? 0 : count, word()};
    }
    MutablePatterns writable_part(std::size_t first, std::size_t count) const {
        return {static_cast<std::byte*>(info_.ptr) + first * word(), count, word()};
    }
    std::size_t size() const { return static_cast<std::size_t>(info_.size); }
    std::size_t word() const { return info_.itemsize > 0 ? static_cast<std::size_t>(info_.itemsize) : 1; }

  private:
    py::buffer_info info_;
};

/// The words of vectors, an operand after the other, and what is computed of them.
struct VectorWords {
    Words a, b, c, sa, sb, d;
};

/// Appends patterns in words of their format.
inline void append_words(std::string& bytes, std::span<const std::uint64_t> patterns, FormatId id) {
    for (const std::uint64_t bits : patterns) bytes.append(reinterpret_cast<const char*>(&bits), word_bytes(id));
}

/// The inputs of vectors in words of their formats, an operand after the other.
struct InputWords {
    std::size_t count = 0;
    std::string a, b, c, sa, sb;

    void append(const Inputs& inputs, const Shape& shape) {
        ++count;
        append_words(a, inputs.a, shape.a);
        append_words(b, inputs.b, shape.b);
        if (shape.c) append_words(c, std::span(&inputs.c, 1), *shape.c);
        if (!shape.scale) return;
        append_words(sa, inputs.sa, shape.scale->format);
        append_words(sb, inputs.sb, shape.scale->format);
    }
};

/// Tells a Python callable how far a call has come, at most ten times a second; takes signals as often as it is asked.
class Reporter {
  public:
    /// @param progress  takes a text and a number; None: no reports. It must outlive the reporter.
    explicit Reporter(const py::object& progress) : progress_(progress) {}

    /// Called with the interpreter's lock, between two pieces of work.
    /// @param doing  what is being done, where the call has several stages
    /// @param done   how far it is, in units of the caller
    /// @return false if the callable or a signal's handler raised an exception, which then is set
    template <typename Number>
    bool tell(const std::string& doing, Number done) {
        if (PyErr_CheckSignals() != 0) return false;
        const auto now = Clock::now();
        if (progress_.is_none() || now < next_) return true;
        next_ = now + interval;
        try {
            progress_(doing, done);
        } catch (py::error_already_set& error) {
            error.restore();
            return false;
        }
        return true;
    }
    /// The same without the lock, which it takes for as long.
    template <typename Number>
    bool at(Number done) {
        const py::gil_scoped_acquire lock;
        return tell({}, done);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto interval = std::chrono::milliseconds(100);
    const py::object& progress_;
    Clock::time_point next_ = Clock::now() + interval;
};

// One a file of that name.
void add_unit(py::module_& module);
void add_command(py::module_& module);
void add_formats(py::module_& module);
void add_vectors(py::module_& module);

} // namespace discern::python
