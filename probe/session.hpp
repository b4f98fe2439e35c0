// A conversation with a unit: what was asked, what it answered, and what was read from it.
#pragma once

#include "probe.hpp"
#include "scene.hpp"

#include <cstddef>

namespace discern::probe {

class Session {
  public:
    Session(const Shape& shape, const AskTarget& ask) : shape_(shape), ask_(ask) {}

    const Shape& shape() const { return shape_; }
    const Format& d() const { return format(shape_.d); }

    /// Asks all that are possible, at once. @return the index of each in the record; nothing where impossible
    std::vector<std::optional<std::size_t>> ask(std::span<const Scene> scenes);
    std::optional<std::size_t> ask(const Scene& scene) { return ask(std::span(&scene, 1)).front(); }

    const Vector& vector(std::size_t index) const { return asked_[index]; }
    /// The pattern that was answered; nothing without an answer.
    std::optional<std::uint64_t> bits(std::size_t index) const;
    /// Its value; nothing without an answer, and for infinity and NaN.
    std::optional<Amount> value(std::size_t index) const;
    /// The same; nothing also if nothing was asked.
    std::optional<std::uint64_t> bits(std::optional<std::size_t> index) const;
    std::optional<Amount> value(std::optional<std::size_t> index) const;
    std::size_t count() const { return asked_.size(); }

    void add(Feature feature) { features_.push_back(std::move(feature)); }
    ProbeReport report() && { return {std::move(features_), std::move(asked_)}; }

  private:
    Shape shape_;
    const AskTarget& ask_;
    std::vector<Vector> asked_;
    std::vector<Feature> features_;
};

/// first, first+1, … last−1
std::vector<std::size_t> indices(std::size_t first, std::size_t last);

} // namespace discern::probe
