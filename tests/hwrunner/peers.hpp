// Vectors to ask a target, and programs of a line or two that answer them.
#pragma once

#include "hwrunner/target.hpp"

#include <string>
#include <vector>

namespace discern::testing {

/// Reads a line and answers it before it reads the next: d is the vector's c.
inline const std::string echo_peer =
    "read h; while read l; do c=${l##*\\\"c\\\":\\\"}; echo \"{\\\"d\\\":\\\"${c%%\\\"*}\\\"}\"; done";

/// Vectors of f16*f16+f32->f32 whose c counts from 0.
class Questions {
  public:
    explicit Questions(std::size_t count, int K = 2) : zeros_(static_cast<std::size_t>(K)) {
        shape_.c = FormatId::f32;
        shape_.K = K;
        for (std::size_t i = 0; i < count; ++i)
            batch_.push_back({.a = zeros_, .b = zeros_, .sa = {}, .sb = {}, .c = i});
    }
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    std::span<const Inputs> batch() const { return batch_; }
    const Shape& shape() const { return shape_; }

  private:
    Shape shape_;
    std::vector<std::uint64_t> zeros_;
    std::vector<Inputs> batch_;
};

} // namespace discern::testing
