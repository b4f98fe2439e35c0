// A unit, and the kernels and evaluators that compute with it.
#include "hwrunner/gpu/by_name.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/parallel.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

#include "core.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace discern::python {

namespace {

std::string name_of(FormatId id) { return std::string(format(id).name); }

std::uint64_t word_at(Patterns patterns, std::size_t index) {
    std::uint64_t bits = 0; // little-endian machines are all that there are kernels for
    std::memcpy(&bits, static_cast<const std::byte*>(patterns.data()) + index * patterns.word(), patterns.word());
    return bits;
}

std::vector<std::uint64_t> row_of(Patterns patterns, std::size_t first, std::size_t count) {
    std::vector<std::uint64_t> row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = word_at(patterns, first + i);
    return row;
}

/// Patterns that are shorter than their words have zeros above; the evaluators rely on that.
void require_patterns(const char* operand, Patterns words, const std::optional<FormatId>& id) {
    if (!id || words.size() == 0) return;
    const Format& f = format(*id);
    if (words.word() != word_bytes(*id))
        throw Error(sentence(operand, " has words of ", words.word(), " bytes; patterns of ", f.name, " need ",
                             word_bytes(*id)));
    if (static_cast<std::size_t>(f.width) == 8 * words.word()) return;
    for (std::size_t i = 0; i < words.size(); ++i)
        if ((word_at(words, i) & ~f.mask()) != 0)
            throw Error(sentence(operand, ": element ", i, " is no pattern of ", f.name, ", which has ", f.width,
                                 " bits, one element a word"));
}

void require_inputs(const Unit& unit, Patterns a, Patterns b, Patterns c, Patterns sa, Patterns sb) {
    const std::optional<FormatId> scale = unit.scale ? std::optional(unit.scale->format) : std::nullopt;
    require_patterns("a", a, unit.a);
    require_patterns("b", b, unit.b);
    require_patterns("c", c, unit.c);
    require_patterns("sa", sa, scale);
    require_patterns("sb", sb, scale);
}

/// A unit with what computes it. It never changes.
class BoundUnit {
  public:
    explicit BoundUnit(const std::string& text) : unit_(resolve_unit(text)), shape_(shape_of(unit_)) {}

    const Unit& unit() const { return unit_; }
    const Shape& shape() const { return shape_; }
    std::string kernels() const { return gemm("best").kernels(); }
    std::size_t scales_along(std::size_t k) const { return gemm("best").scales(k); }
    /// Has the named kernels compute a product. @throws Error if there are none of that name
    void use_kernels(GemmOptions& options, const std::string& name) const {
        if (name == gpu::gpu_kernels)
            options.accelerator = gemm(name).accelerator();
        else
            gpu::use_kernels(options, name, unit_);
    }

    /// Dot products: d of each of `count` vectors, in parts of threads and of some milliseconds.
    /// @param reporter  is told how many are done
    /// @return false if it, or a signal's handler, raised an exception, which then is set
    bool dots(std::size_t count, const Words& a, const Words& b, const Words& c, const Words& sa, const Words& sb,
              const Words& d, unsigned threads, const std::string& kernels, Reporter& reporter) const {
        const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
        require_vectors(count, a, b, c, sa, sb, d);
        const Gemm& computing = gemm(kernels);
        const auto part = [&](std::size_t first, std::size_t n) {
            computing.dots(n, a.part(first * K, n * K), b.part(first * K, n * K), c.part(first, n),
                           d.writable_part(first, n), sa.part(first * scales, n * scales),
                           sb.part(first * scales, n * scales));
        };
        const std::size_t most = computing.accelerator() == nullptr ? 1 << 15 : 1 << 20; // of a thread
        for (std::size_t first = 0; first < count;) {
            const std::size_t n = std::min(count - first, most * threads);
            if (threads == 1 || n < 1024) {
                part(first, n);
            } else {
                const std::size_t each = (n + threads - 1) / threads;
                for_each_index(threads, (n + each - 1) / each,
                               [&](std::size_t t) { part(first + t * each, std::min(each, n - t * each)); });
            }
            first += n;
            if (first < count && !reporter.at(first)) return false;
        }
        return true;
    }

    /// The same by the exact oracle, which is slow.
    bool exact(std::size_t count, const Words& a, const Words& b, const Words& c, const Words& sa, const Words& sb,
               const Words& d, Reporter& reporter) const {
        const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
        require_vectors(count, a, b, c, sa, sb, d);
        for (std::size_t i = 0; i < count; ++i) {
            const auto row_a = row_of(a, i * K, K), row_b = row_of(b, i * K, K);
            const auto row_sa = row_of(sa, i * scales, scales), row_sb = row_of(sb, i * scales, scales);
            const std::uint64_t result = evaluate_exactly(
                unit_,
                {.a = row_a, .b = row_b, .sa = row_sa, .sb = row_sb, .c = unit_.c ? word_at(c, i) : std::uint64_t{0}});
            std::memcpy(static_cast<std::byte*>(d.writable().data()) + i * d.word(), &result, d.word());
            if (i % 256 == 255 && !reporter.at(i + 1)) return false;
        }
        return true;
    }

  private:
    void require_vectors(std::size_t count, const Words& a, const Words& b, const Words& c, const Words& sa,
                         const Words& sb, const Words& d) const {
        const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
        require_size("a", a, count * K);
        require_size("b", b, count * K);
        require_size("c", c, unit_.c ? count : 0);
        require_size("sa", sa, count * scales);
        require_size("sb", sb, count * scales);
        require_size("d", d, count);
        require_inputs(unit_, a, b, c, sa, sb);
    }

    static void require_size(const char* operand, const Words& words, std::size_t wanted) {
        if (words.size() != wanted)
            throw Error(sentence(operand, " has ", words.size(), " elements; it must have ", wanted));
    }

    /// Made when it is needed: its tables, or a GPU's kernel, take longer than everything else about a unit.
    const Gemm& gemm(const std::string& kernels) const {
        const std::scoped_lock lock(mutex_);
        std::unique_ptr<const Gemm>& made = gemms_[kernels];
        if (made == nullptr) {
            GemmOptions options;
            gpu::use_kernels(options, kernels, unit_);
            made = std::make_unique<Gemm>(unit_, std::move(options));
        }
        return *made;
    }

    Unit unit_;
    Shape shape_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::unique_ptr<const Gemm>> gemms_; ///< by the names of kernels
};

bool gemm(const BoundUnit& unit, const std::array<std::size_t, 3>& size, const py::object& a, const py::object& b,
          const py::object& c, const py::object& sa, const py::object& sb, const py::object& d, double alpha,
          double beta, bool from_zero, unsigned threads, const std::string& kernels, const py::object& progress) {
    const Words words_a(a), words_b(b), words_c(c), words_sa(sa), words_sb(sb), words_d(d, true);
    bool raised = false;
    Reporter reporter(progress);
    GemmOptions options;
    options.alpha = alpha;
    options.beta = beta;
    options.from_zero = from_zero;
    options.threads = threads;
    options.progress = [&](double part) {
        raised = raised || !reporter.at(part);
        return !raised;
    };
    {
        const py::gil_scoped_release unlocked;
        require_inputs(unit.unit(), words_a, words_b, words_c, words_sa, words_sb);
        unit.use_kernels(options, kernels);
        const Gemm multiply(unit.unit(), options);
        multiply({.m = size[0], .n = size[1], .k = size[2]}, words_a, words_b, words_c, words_d.writable(), words_sa,
                 words_sb);
    }
    if (raised) throw py::error_already_set();
    return true;
}

} // namespace

void add_unit(py::module_& module) {
    py::class_<BoundUnit>(module, "Unit", "A unit by name or notation; immutable.")
        .def(py::init<const std::string&>(), py::arg("text"))
        .def_property_readonly("tree", [](const BoundUnit& unit) { return to_string(unit.unit()); })
        .def_property_readonly("hash", [](const BoundUnit& unit) { return arithmetic_hash(unit.unit()); })
        .def_property_readonly("a", [](const BoundUnit& unit) { return name_of(unit.unit().a); })
        .def_property_readonly("b", [](const BoundUnit& unit) { return name_of(unit.unit().b); })
        .def_property_readonly("c",
                               [](const BoundUnit& unit) -> std::optional<std::string> {
                                   if (!unit.unit().c) return std::nullopt;
                                   return name_of(*unit.unit().c);
                               })
        .def_property_readonly("d", [](const BoundUnit& unit) { return name_of(unit.unit().d); })
        .def_property_readonly("scale",
                               [](const BoundUnit& unit) -> std::optional<std::pair<std::string, int>> {
                                   if (!unit.unit().scale) return std::nullopt;
                                   return std::pair(name_of(unit.unit().scale->format), unit.unit().scale->block);
                               })
        .def_property_readonly("K", [](const BoundUnit& unit) { return unit.unit().K; })
        .def_property_readonly("L", [](const BoundUnit& unit) { return unit.unit().L; })
        .def_property_readonly("scales", [](const BoundUnit& unit) { return unit.unit().scales(); })
        .def_property_readonly("nan_any",
                               [](const BoundUnit& unit) { return unit.unit().nan.kind == NanRule::Kind::any; })
        .def_property_readonly("shape", [](const BoundUnit& unit) { return to_string(unit.shape()); })
        .def_property_readonly("kernels", &BoundUnit::kernels)
        .def("scales_along", &BoundUnit::scales_along)
        .def(
            "dots",
            [](const BoundUnit& unit, std::size_t count, const py::object& a, const py::object& b, const py::object& c,
               const py::object& sa, const py::object& sb, const py::object& d, unsigned threads,
               const std::string& kernels, const py::object& progress) {
                const Words words_a(a), words_b(b), words_c(c), words_sa(sa), words_sb(sb), words_d(d, true);
                Reporter reporter(progress);
                bool done = false;
                {
                    const py::gil_scoped_release unlocked;
                    done = unit.dots(count, words_a, words_b, words_c, words_sa, words_sb, words_d, threads, kernels,
                                     reporter);
                }
                if (!done) throw py::error_already_set();
            },
            py::arg("count"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"), py::arg("d"),
            py::arg("threads") = 1, py::arg("kernels") = "best", py::arg("progress") = py::none())
        .def(
            "exact",
            [](const BoundUnit& unit, std::size_t count, const py::object& a, const py::object& b, const py::object& c,
               const py::object& sa, const py::object& sb, const py::object& d, const py::object& progress) {
                const Words words_a(a), words_b(b), words_c(c), words_sa(sa), words_sb(sb), words_d(d, true);
                Reporter reporter(progress);
                bool done = false;
                {
                    const py::gil_scoped_release unlocked;
                    done = unit.exact(count, words_a, words_b, words_c, words_sa, words_sb, words_d, reporter);
                }
                if (!done) throw py::error_already_set();
            },
            py::arg("count"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"), py::arg("d"),
            py::arg("progress") = py::none())
        .def("gemm", &gemm, py::arg("size"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"),
             py::arg("d"), py::arg("alpha"), py::arg("beta"), py::arg("from_zero"), py::arg("threads"),
             py::arg("kernels"), py::arg("progress") = py::none());
}

} // namespace discern::python
