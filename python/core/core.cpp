// The module discern._core, and how errors of the library become exceptions of the package.
#include "core.hpp"

#include "models/error.hpp"

PYBIND11_MODULE(_core, module) {
    namespace py = discern::python::py;
    module.doc() = "The library behind the package discern; use the package.";
    module.attr("version") = DISCERN_VERSION;
    py::register_exception_translator([](std::exception_ptr pointer) { // NOLINT: the signature is pybind11's
        try {
            if (pointer) std::rethrow_exception(pointer);
        } catch (const discern::Error& error) {
            const py::object type = py::module_::import("discern.errors").attr("InputError");
            PyErr_SetString(type.ptr(), error.what());
        }
    });
    discern::python::add_formats(module);
    discern::python::add_unit(module);
    discern::python::add_vectors(module);
    discern::python::add_command(module);
}
