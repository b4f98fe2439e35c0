// The table of formats, and numbers as patterns of one and back.
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/import/number.hpp"
#include "models/unit/patterns.hpp"
#include "models/unit/sentence.hpp"

#include "core.hpp"

#include <cstring>

namespace discern::python {

namespace {

py::dict described(const Format& f) {
    py::dict fields;
    fields["name"] = std::string(f.name);
    fields["synonym"] = std::string(f.synonym);
    fields["width"] = f.width;
    fields["word"] = word_bytes(f.id);
    fields["digits"] = f.digits();
    fields["exponent_bits"] = f.exponent_bits;
    fields["mantissa_bits"] = f.mantissa_bits;
    fields["has_infinity"] = f.has_infinity();
    fields["has_nan"] = f.has_nan();
    fields["source"] = std::string(f.source);
    return fields;
}

} // namespace

void add_formats(py::module_& module) {
    module.def("formats", [] {
        py::list all;
        for (const Format& f : formats()) all.append(described(f));
        return all;
    });
    module.def("format", [](const std::string& name) { return described(format(require_format(name, "format"))); });
    module.def(
        "patterns",
        [](const std::string& name, const py::object& numbers, const py::object& out, const std::string& rounding) {
            const Format& f = format(require_format(name, "format"));
            const Words from(numbers), to(out, true);
            if (from.word() != sizeof(double) || to.size() != from.size() || to.word() != word_bytes(f.id))
                throw std::logic_error("patterns: wrong buffers");
            const py::gil_scoped_release unlocked;
            const NumberRounding how = number_rounding_from(rounding);
            const auto* const values = static_cast<const double*>(Patterns(from).data());
            auto* const bytes = static_cast<std::byte*>(to.writable().data());
            for (std::size_t i = 0; i < from.size(); ++i) {
                try {
                    const std::uint64_t bits = number_pattern(f, values[i], how).bits;
                    std::memcpy(bytes + i * to.word(), &bits, to.word());
                } catch (const Error& error) {
                    throw Error(sentence("element ", i, ": ", error.what()));
                }
            }
        },
        py::arg("format"), py::arg("numbers"), py::arg("out"), py::arg("rounding"));
    module.def(
        "numbers",
        [](const std::string& name, const py::object& patterns, const py::object& out) {
            const Format& f = format(require_format(name, "format"));
            const Words from(patterns), to(out, true);
            if (to.word() != sizeof(double) || to.size() != from.size() || from.word() != word_bytes(f.id))
                throw std::logic_error("numbers: wrong buffers");
            const py::gil_scoped_release unlocked;
            auto* const values = static_cast<double*>(to.writable().data());
            for (std::size_t i = 0; i < from.size(); ++i) {
                const std::uint64_t bits = pattern_at(from, i);
                if ((bits & ~f.mask()) != 0)
                    throw Error(
                        sentence("element ", i, " is no pattern of ", f.name, ", which has ", f.width, " bits"));
                values[i] = to_double(f, bits);
            }
        },
        py::arg("format"), py::arg("patterns"), py::arg("out"));
}

} // namespace discern::python
