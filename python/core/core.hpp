// What the files of the extension have in common: how words of an array reach the library.
//
// The extension converts and calls, and computes nothing. Arrays come as buffers of unsigned words in C order; which
// format they are in, and how an array of another kind becomes one, is the package's business (discern/arrays.py).
#pragma once

#include "models/gemm.hpp"

#include <pybind11/pybind11.h>

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

/// Whether a signal came whose handler raised an exception, which then is set. Takes the lock for as long.
inline bool signal_raised() {
    const py::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

// One a file of that name.
void add_unit(py::module_& module);
void add_command(py::module_& module);
void add_formats(py::module_& module);
void add_vectors(py::module_& module);

} // namespace discern::python
