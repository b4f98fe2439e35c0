// A conversation with a unit: what was asked, what it answered, and what was read from it.
#pragma once

#include "probe.hpp"
#include "scene.hpp"

#include <cstddef>

namespace discern::probe {

/// The result of the target for a scene.
struct Answer {
    std::optional<std::size_t> index;  ///< in the record; nothing where the formats cannot hold the scene
    std::optional<std::uint64_t> bits; ///< nothing also where the unit did not answer
    std::optional<Amount> value;       ///< nothing also for infinity and NaN

    bool is(const Amount& amount) const { return value == amount; }
    bool is_zero() const { return value && value->is_zero(); }
};

/// The value of a feature, or nothing and the reason why there is none.
struct Told {
    std::optional<std::string> value{};
    std::string why{};
};

class Session {
  public:
    Session(const Shape& shape, const AskTarget& ask) : shape_(shape), ask_(ask) {}

    const Shape& shape() const { return shape_; }
    const Format& d() const { return format(shape_.d); }
    /// A scene with nothing in it.
    Scene scene() const { return Scene(shape_); }

    /// Asks all that are possible, at once.
    std::vector<Answer> ask(std::span<const Scene> scenes);
    Answer ask(const Scene& scene) { return ask(std::span(&scene, 1)).front(); }

    /// How many were asked, and the first ones' vectors and answers.
    std::size_t count() const { return asked_.size(); }
    const Vector& vector(std::size_t index) const { return asked_[index]; }
    Answer answer(std::size_t index) const;

    /// The numbers of all that was asked from there on.
    std::vector<std::size_t> since(std::size_t first) const;

    /// Reports a feature.
    void report(std::string_view key, Told told, std::vector<std::size_t> decided_by);
    /// Reports a feature that, where it has a value, everything decided which was asked from there on.
    void report(std::string_view key, Told told, std::size_t first);
    ProbeReport report() && { return {.features = std::move(features_), .asked = std::move(asked_)}; }

  private:
    Shape shape_;
    const AskTarget& ask_;
    std::vector<Vector> asked_;
    std::vector<Feature> features_;
};

} // namespace discern::probe
