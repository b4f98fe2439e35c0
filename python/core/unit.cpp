// A unit, and the kernels and evaluators that compute with it.
#include "hwrunner/gpu/by_name.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/kernel_gemm.hpp"
#include "models/notation.hpp"
#include "models/parallel.hpp"
#include "models/shape.hpp"
#include "models/unit/patterns.hpp"
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

/// A unit, or a kernel, with what computes it. It never changes.
class BoundUnit {
  public:
    explicit BoundUnit(const std::string& text) {
        if (has_schedule(text))
            kernel_ = resolve_kernel(text);
        else
            unit_ = resolve_unit(text);
        shape_ = kernel_ ? shape_of(*kernel_) : shape_of(*unit_);
    }

    /// A kernel is written out when its tree is needed; most are too long for that. @throws Error then
    const Unit& unit() const {
        const std::scoped_lock lock(mutex_);
        if (!unit_) unit_ = written_out(*kernel_);
        return *unit_;
    }
    /// What a kernel has many of; of a unit itself.
    const Unit& instruction() const { return kernel_ ? kernel_->unit : *unit_; }
    const std::optional<Kernel>& kernel() const { return kernel_; }
    const Shape& shape() const { return shape_; }
    bool nan_any() const {
        if (kernel_ && kernel_->d() != kernel_->unit.d) return true;
        return instruction().nan.kind == NanRule::Kind::any;
    }
    std::string tree() const {
        if (kernel_) {
            try {
                return to_string(unit());
            } catch (const Error&) { // then the line has the schedule in it
                return to_string(*kernel_);
            }
        }
        return to_string(*unit_);
    }
    std::string kernels() const { return kernel_ ? KernelGemm(*kernel_).kernels() : gemm("best").kernels(); }
    std::size_t scales_along(std::size_t k) const {
        if (is_of_kernel(k)) return static_cast<std::size_t>(shape_.scales());
        return gemm("best").scales(k);
    }
    /// The unit that is chained over another k than the kernel's own. @throws Error if the kernel is too long for that
    const Unit& chained_by(std::size_t k) const {
        try {
            return unit();
        } catch (const Error&) {
            throw Error(sentence("the kernel computes products of k = ", shape_.K, ", and A has ", counted(k, "column"),
                                 "; as many are right"));
        }
    }
    /// Whether a product of that k is the kernel's own.
    bool is_of_kernel(std::size_t k) const { return kernel_ && k == static_cast<std::size_t>(kernel_->K); }
    /// Has the named kernels compute a product. @throws Error if there are none of that name
    /// Gives the options what was made before, too.
    void use_kernels(GemmOptions& options, const std::string& name) const {
        if (kernel_ && name == gpu::gpu_kernels)
            throw Error("kernels='gpu' computes instructions in the order of k, and no schedule; 'best' computes this");
        if (name == gpu::gpu_kernels)
            options.accelerator = gemm(name).accelerator();
        else
            gpu::use_kernels(options, name, instruction());
        options.tables = tables();
    }

    /// Dot products: d of each of `count` vectors, in parts of threads and of some milliseconds.
    /// @param reporter  is told how many are done
    /// @return false if it, or a signal's handler, raised an exception, which then is set
    bool dots(std::size_t count, const VectorWords& w, unsigned threads, const std::string& kernels,
              Reporter& reporter) const {
        require_vectors(count, w);
        if (kernel_) {
            GemmOptions named; // which are the same for single vectors, but there must be some of that name
            use_kernels(named, kernels);
            const KernelEvaluator evaluate(*kernel_);
            return in_parts(
                count, std::max<std::size_t>(1, (1 << 18) / static_cast<std::size_t>(shape_.K)), threads,
                [&](std::size_t first, std::size_t n) {
                    for (std::size_t i = first; i < first + n; ++i) put(w.d, i, evaluate(Row(*this, i, w).inputs()));
                },
                reporter);
        }
        const auto K = static_cast<std::size_t>(shape_.K), scales = static_cast<std::size_t>(shape_.scales());
        const Gemm& computing = gemm(kernels);
        const auto part = [&](std::size_t first, std::size_t n) {
            computing.dots(n, w.a.part(first * K, n * K), w.b.part(first * K, n * K), w.c.part(first, n),
                           w.d.writable_part(first, n), w.sa.part(first * scales, n * scales),
                           w.sb.part(first * scales, n * scales));
        };
        return in_parts(count, computing.accelerator() == nullptr ? 1 << 15 : 1 << 20, threads, part, reporter);
    }

    /// The same by the exact oracle, which is slow.
    bool exact(std::size_t count, const VectorWords& w, Reporter& reporter) const {
        require_vectors(count, w);
        for (std::size_t i = 0; i < count; ++i) {
            const Row row(*this, i, w);
            put(w.d, i, kernel_ ? evaluate_exactly(*kernel_, row.inputs()) : evaluate_exactly(*unit_, row.inputs()));
            if (i % 256 == 255 && !reporter.at(i + 1)) return false;
        }
        return true;
    }

  private:
    /// One vector's patterns.
    struct Row {
        std::vector<std::uint64_t> a, b, sa, sb;
        std::uint64_t c;

        Row(const BoundUnit& unit, std::size_t i, const VectorWords& all) {
            const auto K = static_cast<std::size_t>(unit.shape_.K),
                       scales = static_cast<std::size_t>(unit.shape_.scales());
            a = patterns_at(all.a, i * K, K), b = patterns_at(all.b, i * K, K);
            sa = patterns_at(all.sa, i * scales, scales), sb = patterns_at(all.sb, i * scales, scales);
            c = unit.shape_.c ? pattern_at(all.c, i) : 0;
        }
        Inputs inputs() const { return {.a = a, .b = b, .sa = sa, .sb = sb, .c = c}; }
    };

    static void put(const Words& d, std::size_t i, std::uint64_t result) {
        std::memcpy(static_cast<std::byte*>(d.writable().data()) + i * d.word(), &result, d.word());
    }

    /// Calls part(first, n) for all vectors. @param most  of a thread between two reports
    template <class Part>
    static bool in_parts(std::size_t count, std::size_t most, unsigned threads, const Part& part, Reporter& reporter) {
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

    void require_vectors(std::size_t count, const VectorWords& w) const {
        const auto K = static_cast<std::size_t>(shape_.K), scales = static_cast<std::size_t>(shape_.scales());
        require_size("a", w.a, count * K);
        require_size("b", w.b, count * K);
        require_size("c", w.c, shape_.c ? count : 0);
        require_size("sa", w.sa, count * scales);
        require_size("sb", w.sb, count * scales);
        require_size("d", w.d, count);
        require_inputs(instruction(), w.a, w.b, w.c, w.sa, w.sb);
    }

    static void require_size(const char* operand, const Words& words, std::size_t wanted) {
        if (words.size() != wanted)
            throw Error(sentence(operand, " has ", words.size(), " elements; it must have ", wanted));
    }

    /// What the kernels of its instructions look operands up in, made once; nothing where they have no kernels.
    std::shared_ptr<const GemmTables> tables() const {
        const std::scoped_lock lock(mutex_);
        if (!tables_) tables_ = Gemm(instruction()).tables();
        return *tables_;
    }

    /// Made when it is needed: its tables, or a GPU's kernel, take longer than everything else about a unit.
    const Gemm& gemm(const std::string& kernels) const {
        const Unit& whole = unit();
        const std::scoped_lock lock(mutex_);
        std::unique_ptr<const Gemm>& made = gemms_[kernels];
        if (made == nullptr) {
            GemmOptions options;
            gpu::use_kernels(options, kernels, whole);
            made = std::make_unique<Gemm>(whole, std::move(options));
        }
        return *made;
    }

    std::optional<Kernel> kernel_;
    Shape shape_;
    mutable std::mutex mutex_;
    mutable std::optional<Unit> unit_; ///< of a kernel: once it has been written out
    mutable std::optional<std::shared_ptr<const GemmTables>> tables_;
    mutable std::map<std::string, std::unique_ptr<const Gemm>> gemms_; ///< by the names of kernels
};

/// A matrix B that stays packed, with the words that it was made of.
struct BoundPacked {
    py::object words;
    std::shared_ptr<const PackedMatrix> matrix;

    BoundPacked(const std::string& name, std::size_t k, std::size_t n, const py::object& from, bool by_columns)
        : words(from) {
        const Words patterns(from);
        const py::gil_scoped_release unlocked;
        const FormatId id = require_format(name, "packed");
        require_patterns("b", patterns, id);
        matrix = std::make_shared<const PackedMatrix>(id, k, n, patterns, by_columns);
    }
};

/// Computes with the words of arrays, without the interpreter's lock.
/// @param compute  of the words, with a reporter; false if that, or a signal's handler, raised an exception
template <typename Compute>
void with_words(const py::object& a, const py::object& b, const py::object& c, const py::object& sa,
                const py::object& sb, const py::object& d, const py::object& progress, const Compute& compute) {
    const VectorWords words{Words(a), Words(b), Words(c), Words(sa), Words(sb), Words(d, true)};
    Reporter reporter(progress);
    bool done = false;
    {
        const py::gil_scoped_release unlocked;
        done = compute(words, reporter);
    }
    if (!done) throw py::error_already_set();
}

void gemm(const BoundUnit& unit, const std::array<std::size_t, 3>& size, const py::object& a, const py::object& b,
          const py::object& c, const py::object& sa, const py::object& sb, const py::object& d, double alpha,
          double beta, bool from_zero, unsigned threads, const std::string& kernels, const py::object& progress,
          const BoundPacked* packed, bool by_columns) {
    GemmOptions options;
    options.alpha = alpha;
    options.beta = beta;
    options.from_zero = from_zero;
    options.threads = threads;
    options.b_by_columns = by_columns;
    if (packed != nullptr) options.packed_b = packed->matrix;
    with_words(a, b, c, sa, sb, d, progress, [&](const VectorWords& w, Reporter& reporter) {
        bool raised = false;
        options.progress = [&](double part) {
            raised = raised || !reporter.at(part);
            return !raised;
        };
        require_inputs(unit.instruction(), w.a, w.b, w.c, w.sa, w.sb);
        unit.use_kernels(options, kernels);
        const GemmSize whole{.m = size[0], .n = size[1], .k = size[2]};
        const auto multiply = [&](const auto& by) { by(whole, w.a, w.b, w.c, w.d.writable(), w.sa, w.sb); };
        if (unit.is_of_kernel(whole.k))
            multiply(KernelGemm(*unit.kernel(), options));
        else
            multiply(Gemm(unit.chained_by(whole.k), options));
        return !raised;
    });
}

} // namespace

void add_unit(py::module_& module) {
    module.def(
        "same_structure",
        [](const std::string& one, const std::string& other, std::optional<int> K) {
            const py::gil_scoped_release unlocked;
            return same_structure(resolve_kernel(one, K), resolve_kernel(other, K));
        },
        py::arg("one"), py::arg("other"), py::arg("K") = py::none());
    py::class_<BoundUnit>(module, "Unit", "A unit by name or notation; immutable.")
        .def(py::init<const std::string&>(), py::arg("text"))
        .def_property_readonly("tree", [](const BoundUnit& unit) { return unit.tree(); })
        .def_property_readonly("instruction", [](const BoundUnit& unit) { return to_string(unit.instruction()); })
        .def_property_readonly("hash", [](const BoundUnit& unit) { return arithmetic_hash(unit.unit()); })
        .def_property_readonly("a", [](const BoundUnit& unit) { return name_of(unit.shape().a); })
        .def_property_readonly("b", [](const BoundUnit& unit) { return name_of(unit.shape().b); })
        .def_property_readonly("c",
                               [](const BoundUnit& unit) -> std::optional<std::string> {
                                   if (!unit.shape().c) return std::nullopt;
                                   return name_of(*unit.shape().c);
                               })
        .def_property_readonly("d", [](const BoundUnit& unit) { return name_of(unit.shape().d); })
        .def_property_readonly("scale",
                               [](const BoundUnit& unit) -> std::optional<std::pair<std::string, int>> {
                                   const auto& scale = unit.shape().scale;
                                   if (!scale) return std::nullopt;
                                   return std::pair(name_of(scale->format), scale->block);
                               })
        .def_property_readonly("K", [](const BoundUnit& unit) { return unit.shape().K; })
        .def_property_readonly("L", [](const BoundUnit& unit) { return unit.instruction().L; })
        .def_property_readonly("scales", [](const BoundUnit& unit) { return unit.shape().scales(); })
        .def_property_readonly("nan_any", &BoundUnit::nan_any)
        .def_property_readonly("shape", [](const BoundUnit& unit) { return to_string(unit.shape()); })
        .def_property_readonly("kernels", &BoundUnit::kernels)
        .def("scales_along", &BoundUnit::scales_along)
        .def(
            "dots",
            [](const BoundUnit& unit, std::size_t count, const py::object& a, const py::object& b, const py::object& c,
               const py::object& sa, const py::object& sb, const py::object& d, unsigned threads,
               const std::string& kernels, const py::object& progress) {
                with_words(a, b, c, sa, sb, d, progress, [&](const VectorWords& words, Reporter& reporter) {
                    return unit.dots(count, words, threads, kernels, reporter);
                });
            },
            py::arg("count"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"), py::arg("d"),
            py::arg("threads") = 1, py::arg("kernels") = "best", py::arg("progress") = py::none())
        .def(
            "exact",
            [](const BoundUnit& unit, std::size_t count, const py::object& a, const py::object& b, const py::object& c,
               const py::object& sa, const py::object& sb, const py::object& d, const py::object& progress) {
                with_words(a, b, c, sa, sb, d, progress, [&](const VectorWords& words, Reporter& reporter) {
                    return unit.exact(count, words, reporter);
                });
            },
            py::arg("count"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"), py::arg("d"),
            py::arg("progress") = py::none())
        .def("gemm", &gemm, py::arg("size"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("sa"), py::arg("sb"),
             py::arg("d"), py::arg("alpha"), py::arg("beta"), py::arg("from_zero"), py::arg("threads"),
             py::arg("kernels"), py::arg("progress") = py::none(), py::arg("packed") = py::none(),
             py::arg("by_columns") = false);
    py::class_<BoundPacked>(module, "Packed", "A matrix B, packed for products.")
        .def(py::init<const std::string&, std::size_t, std::size_t, const py::object&, bool>(), py::arg("format"),
             py::arg("k"), py::arg("n"), py::arg("words"), py::arg("by_columns") = false)
        .def_property_readonly("bytes", [](const BoundPacked& packed) { return packed.matrix->bytes(); });
}

} // namespace discern::python
