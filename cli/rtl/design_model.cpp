// The target of a design, asked as an evaluator is.
#include "design_model.hpp"

#include "cli/files/target.hpp"
#include "designs/target.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace discern::cli {

DesignModel::DesignModel(std::string word, const DesignOptions& options, const Shape& shape, double timeout)
    : word_(std::move(word)), shape_(shape),
      target_(design_target(word_, options, shape, std::min(timeout, longest_reading), {})) {}

Unit DesignModel::any_unit() const { return rtl::any_unit_of(shape_); }

std::uint64_t DesignModel::operator()(const Inputs& inputs) const { return (*this)(std::span(&inputs, 1)).front(); }

std::vector<std::uint64_t> DesignModel::operator()(std::span<const Inputs> batch) const {
    std::vector<TargetAnswer> answers;
    {
        const std::scoped_lock lock(mutex_);
        target_->run(batch, answers);
    }
    std::vector<std::uint64_t> results;
    for (const TargetAnswer& answer : answers) {
        if (!answer.ok()) throw Error(sentence(excerpt(word_, 80), ": ", answer.error));
        results.push_back(answer.d);
    }
    return results;
}

Shape design_shape(const std::string& word, const std::string& path, const DataOptions& data, const Streams& io) {
    if (!data.formats.empty() || data.K != 0 || !data.scale.empty())
        return shape_of_words(data.formats, data.K, data.scale);
    std::optional<Shape> shape;
    if (!path.empty() && path != "-") {
        std::ostringstream unsaid; // what is to be said of the file is said when it is read
        try {
            shape = VectorFile(path, std::nullopt, data, {.in = io.in, .out = io.out, .err = unsaid}).shape();
        } catch (const Error&) { // it does not say its formats
        }
    }
    if (!shape)
        throw Error(sentence("which formats and K has ", excerpt(word, 80),
                             "? --formats f16,f16,f32,f32 --K 16 says so, for a, b, c and d"));
    return *shape;
}

std::unique_ptr<DesignModel> design_model(const std::string& word, const DesignOptions& options,
                                          const std::string& path, const DataOptions& data, double timeout,
                                          const Streams& io) {
    return std::make_unique<DesignModel>(word, options, design_shape(word, path, data, io), timeout);
}

} // namespace discern::cli
