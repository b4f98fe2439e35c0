// A design where a unit could stand that is only evaluated: eval, explain, measure.
#pragma once

#include "cli/files/vector_file.hpp"
#include "cli/options/design_options.hpp"

#include "models/evaluate.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace discern::cli {

class DesignModel {
  public:
    DesignModel(std::string word, const DesignOptions& options, const Shape& shape, double timeout);

    const Shape& shape() const { return shape_; }
    /// A unit with its formats and K.
    Unit any_unit() const;
    /// d. @throws Error if the operands do not define it
    std::uint64_t operator()(const Inputs& inputs) const;
    /// The same of many; safe from several threads at once.
    std::vector<std::uint64_t> operator()(std::span<const Inputs> batch) const;

  private:
    std::string word_;
    Shape shape_;
    std::unique_ptr<Target> target_;
    mutable std::mutex mutex_;
};

/// The formats that the options say, or else the file.
/// @param path  of vectors; empty: there is none
/// @throws Error if nothing says them
Shape design_shape(const std::string& word, const std::string& path, const DataOptions& data, const Streams& io);

/// The design, with these formats.
/// @param path  of vectors; empty: there is none
/// @throws Error if nothing says the formats
std::unique_ptr<DesignModel> design_model(const std::string& word, const DesignOptions& options,
                                          const std::string& path, const DataOptions& data, double timeout,
                                          const Streams& io);

} // namespace discern::cli
