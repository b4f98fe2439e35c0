// Files of vectors as arrays of words, and back.
#include "models/vectors.hpp"
#include "cli/files/files.hpp"
#include "hwrunner/kinds.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/unit/patterns.hpp"
#include "models/unit/sentence.hpp"

#include "core.hpp"

#include <pybind11/stl.h>

#include <sstream>

namespace discern::python {

namespace {

/// Formats of a, b, c (or "-") and d, joined by commas; K; FORMAT/BLOCK or "".
using ShapeText = std::tuple<std::string, int, std::string>;

ShapeText text_of(const Shape& shape) {
    const auto name_of = [](FormatId id) { return std::string(format(id).name); };
    return {sentence(name_of(shape.a), ",", name_of(shape.b), ",", shape.c ? name_of(*shape.c) : "-", ",",
                     name_of(shape.d)),
            shape.K, shape.scale ? sentence(name_of(shape.scale->format), "/", shape.scale->block) : ""};
}

/// Of a unit, or a kernel of any length.
Shape shape_of_unit(const std::string& unit) {
    return has_schedule(unit) ? shape_of(resolve_kernel(unit)) : shape_of(resolve_unit(unit));
}

Shape shape_of_text(const ShapeText& text) {
    return shape_from_text(std::get<0>(text), std::get<1>(text), std::get<2>(text));
}

std::vector<std::uint64_t> words_of(const Words& words, std::size_t first, std::size_t count, const Format& f,
                                    const char* operand) {
    std::vector<std::uint64_t> list(count);
    if (count != 0 && (words.word() != word_bytes(f.id) || words.size() < first + count))
        throw Error(sentence(operand, " has ", words.size(), " elements of ", words.word(), " bytes; there must be ",
                             first + count, " or more of ", word_bytes(f.id)));
    for (std::size_t i = 0; i < count; ++i) {
        list[i] = pattern_at(words, first + i);
        if ((list[i] & ~f.mask()) != 0)
            throw Error(sentence(operand, ": element ", first + i, " is no pattern of ", f.name, ", which has ",
                                 f.width, " bits"));
    }
    return list;
}

py::dict read(const std::string& path, const std::string& text, const std::string& unit,
              const std::optional<ShapeText>& shape_text) {
    std::optional<ReadAs> as;
    if (!unit.empty()) as = ReadAs{.unit = unit, .shape = shape_of_unit(unit)};
    if (shape_text) as = ReadAs{.unit = std::get<0>(*shape_text), .shape = shape_of_text(*shape_text)};
    InputWords inputs;
    std::string d, known;
    std::size_t each = 0;
    Header header;
    Shape shape;
    bool nan_any = false;
    std::string dialect;
    {
        const py::gil_scoped_release unlocked;
        std::istringstream in(text);
        std::ostringstream nowhere;
        cli::InputFile file(path, {.in = in, .out = nowhere, .err = nowhere});
        VectorReader reader(file.stream(), file.name(), as);
        header = reader.header();
        shape = reader.shape();
        nan_any = reader.nan_any();
        dialect = name(reader.dialect());
        for (Vector vector; reader.next(vector);) {
            inputs.append(vector.inputs(), shape);
            known += vector.d.empty() ? '\0' : '\1';
            if (vector.d.empty()) {
                d.append(each * word_bytes(shape.d), '\0');
                continue;
            }
            if (each == 0) { // the first results: those before it had none
                each = vector.d.size();
                d.assign((inputs.count - 1) * each * word_bytes(shape.d), '\0');
            }
            if (vector.d.size() != each)
                throw Error(reader.at_line(sentence("there are ", vector.d.size(), " results, before there were ", each,
                                                    "; all vectors must have as many")));
            append_words(d, vector.d, shape.d);
        }
    }
    py::dict result;
    result["shape"] = text_of(shape);
    result["count"] = inputs.count;
    result["unit"] = header.unit;
    result["target"] = header.target;
    result["other"] = header.other;
    result["nan_any"] = nan_any;
    result["dialect"] = dialect;
    result["a"] = py::bytes(inputs.a);
    result["b"] = py::bytes(inputs.b);
    result["c"] = py::bytes(inputs.c);
    result["sa"] = py::bytes(inputs.sa);
    result["sb"] = py::bytes(inputs.sb);
    result["d"] = py::bytes(d);
    result["d_each"] = each;
    result["known"] = py::bytes(known);
    return result;
}

/// @param d  each results of each vector, or none; @param known  a byte a vector, 0: it has no result
/// @return the text, if the path is empty
py::bytes write(const std::string& path, const ShapeText& shape_text, std::size_t count, const py::object& a,
                const py::object& b, const py::object& c, const py::object& sa, const py::object& sb,
                const py::object& d, std::size_t each, const py::object& known, const std::string& unit,
                const std::string& target, const std::vector<std::pair<std::string, std::string>>& other, bool nan_any,
                const std::string& form) {
    const Words words_a(a), words_b(b), words_c(c), words_sa(sa), words_sb(sb), words_d(d), flags(known);
    std::ostringstream text;
    {
        const py::gil_scoped_release unlocked;
        const Shape shape = shape_of_text(shape_text);
        std::istringstream nothing;
        std::ostringstream nowhere;
        cli::OutputFile file(path, {.in = nothing, .out = text, .err = nowhere});
        Header header;
        header.unit = unit;
        header.shape = shape;
        header.target = target;
        header.other = other;
        if (nan_any) header.nan = NanComparison::any;
        const auto forms = form == "text"     ? VectorWriter::Form::text
                           : form == "binary" ? VectorWriter::Form::binary
                                              : VectorWriter::Form::json_lines;
        VectorWriter writer(file.stream(), shape, header, forms);
        const auto K = static_cast<std::size_t>(shape.K), scales = static_cast<std::size_t>(shape.scales());
        for (std::size_t i = 0; i < count; ++i) {
            Vector vector;
            vector.a = words_of(words_a, i * K, K, format(shape.a), "a");
            vector.b = words_of(words_b, i * K, K, format(shape.b), "b");
            if (shape.scale) {
                vector.sa = words_of(words_sa, i * scales, scales, format(shape.scale->format), "sa");
                vector.sb = words_of(words_sb, i * scales, scales, format(shape.scale->format), "sb");
            }
            if (shape.c) vector.c = words_of(words_c, i, 1, format(*shape.c), "c").front();
            const bool has_d = each > 0 && (flags.size() == 0 || static_cast<const char*>(Patterns(flags).data())[i]);
            if (has_d) vector.d = words_of(words_d, i * each, each, format(shape.d), "d");
            vector.d_is_list = each > 1;
            writer.write(vector);
        }
        file.finish();
    }
    return {text.str()};
}

} // namespace

void add_vectors(py::module_& module) {
    module.def("read", &read, py::arg("path"), py::arg("text"), py::arg("unit"), py::arg("shape"));
    module.def("write", &write);
    module.def("shape_of", [](const std::string& unit) { return text_of(shape_of_unit(unit)); });
    module.def("check_shape", [](const ShapeText& text) { return text_of(shape_of_text(text)); });
}

} // namespace discern::python
