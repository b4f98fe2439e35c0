#include "target.hpp"

#include "models/unit/sentence.hpp"
#include "programs/evaluate/evaluate.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr std::size_t at_once = 1024; ///< vectors, so that their values need little memory

class KernelTarget final : public Target {
  public:
    KernelTarget(const KernelFiles& files, const std::optional<Shape>& asked)
        : name_(files.code), reading_(read_kernel_file(files, terms_)),
          evaluation_(reading_.kernel.graph, std::span(&root(), 1)) {
        const auto& arrays = reading_.kernel.launch.arrays;
        for (const NodeId leaf : evaluation_.leaves()) {
            const auto place = reading_.kernel.graph.arguments(leaf);
            sources_.push_back({place[0], operand_k(arrays[place[0]], place[1])});
        }
        choose_operands();
        if (!shape_.c && asked) shape_.c = asked->c;
    }

    const Shape& shape() const override { return shape_; }

    Identity identity() const override {
        Identity identity = {{"kernel", name_}};
        const ReadResult& result = reading_.results.front();
        if (result.schedule) identity.emplace_back("model", result.schedule->text);
        return identity;
    }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        for (std::size_t from = 0; from < batch.size(); from += at_once)
            run_some(batch.subspan(from, std::min(at_once, batch.size() - from)), answers);
    }

  private:
    struct Source {
        std::size_t array = 0;
        std::optional<std::uint32_t> k; ///< nothing: it has no such axis
    };

    const NodeId& root() const {
        const auto& results = reading_.kernel.results;
        if (results.size() != 1)
            throw Error(sentence(name_, " has ", results.size(), " results; a kernel with one is a target"));
        return results.front().elements.front();
    }

    static std::optional<std::uint32_t> operand_k(const ArraySpec& array, std::uint64_t element) {
        const auto indices = array.indices_of(element);
        const auto k = indices.find('k');
        return k == indices.end() ? std::nullopt : std::optional(k->second);
    }

    /// A and B are the first two arrays with an axis k, and C is the one without of which one element is used.
    void choose_operands() {
        const Launch& launch = reading_.kernel.launch;
        for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
            const ArraySpec& array = launch.arrays[i];
            if (!array.is_result && array.axes.find('k') != std::string::npos) factors_.push_back(i);
        }
        if (factors_.size() != 2)
            throw Error(sentence(name_, " multiplies ", factors_.size(),
                                 " operands with an axis k; a kernel of two is a target"));
        const auto length = [&](std::size_t array) {
            const ArraySpec& spec = launch.arrays[array];
            return spec.shape[spec.axes.find('k')];
        };
        for (const Source& source : sources_) {
            const bool is_factor = source.k && std::ranges::find(factors_, source.array) != factors_.end();
            if (!is_factor && c_ && *c_ != source.array) throw refused(source);
            if (!is_factor) c_ = source.array;
        }
        if (c_ && std::ranges::count_if(sources_, [&](const Source& s) { return s.array == *c_; }) != 1)
            throw refused({*c_, {}});
        shape_.a = format_of(factors_[0]);
        shape_.b = format_of(factors_[1]);
        shape_.c = c_ ? std::optional(format_of(*c_)) : std::nullopt;
        shape_.d = format_of(reading_.kernel.results.front().array);
        shape_.K = static_cast<int>(std::max(length(factors_[0]), length(factors_[1])));
    }

    Error refused(const Source& source) const {
        return Error(sentence(name_, ": its result needs ", reading_.kernel.launch.arrays[source.array].name,
                              " beside two factors and one addend; gemm computes it"));
    }

    FormatId format_of(std::size_t array) const {
        const ArraySpec& spec = reading_.kernel.launch.arrays[array];
        if (const auto id = format_from_name(spec.format)) return *id;
        throw Error(sentence(name_, ": ", spec.name, " has the format ", spec.format, ", which no unit has"));
    }

    std::uint64_t value(const Source& source, const Inputs& inputs) const {
        if (source.array == factors_[0]) return inputs.a[*source.k];
        if (source.array == factors_[1]) return inputs.b[*source.k];
        return inputs.c;
    }

    void run_some(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) const {
        std::vector<std::uint64_t> given;
        for (const Source& source : sources_)
            for (const Inputs& inputs : batch) given.push_back(value(source, inputs));
        const std::vector<std::uint64_t> results = evaluation_(given, batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i)
            answers.push_back({results[i], c_ || batch[i].c == 0 ? "" : "the kernel has no operand C; c is +0 there"});
    }

    std::string name_;
    Terms terms_;
    KernelReading reading_;
    Evaluation evaluation_;
    std::vector<Source> sources_;      ///< of the leaves
    std::vector<std::size_t> factors_; ///< A and B, as arrays of the launch
    std::optional<std::size_t> c_;
    Shape shape_;
};

} // namespace

std::unique_ptr<Target> kernel_target(const KernelFiles& files, const std::optional<Shape>& asked) {
    return std::make_unique<KernelTarget>(files, asked);
}

} // namespace discern::programs
