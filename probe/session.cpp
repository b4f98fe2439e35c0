#include "session.hpp"

#include <numeric>
#include <stdexcept>

namespace discern::probe {

std::vector<std::optional<std::size_t>> Session::ask(std::span<const Scene> scenes) {
    std::vector<std::optional<std::size_t>> result;
    std::vector<Inputs> inputs;
    const std::size_t first = asked_.size();
    for (const Scene& scene : scenes) {
        if (!scene.possible()) {
            result.emplace_back();
            continue;
        }
        result.emplace_back(asked_.size());
        asked_.push_back(scene.vector());
    }
    for (std::size_t i = first; i < asked_.size(); ++i) inputs.push_back(asked_[i].inputs());
    if (inputs.empty()) return result;
    const auto answers = ask_(inputs);
    if (answers.size() != inputs.size()) throw std::logic_error("a probe got fewer answers than it asked");
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i]) asked_[first + i].d.assign(1, *answers[i]);
    return result;
}

std::optional<std::uint64_t> Session::bits(std::size_t index) const {
    if (asked_[index].d.empty()) return std::nullopt;
    return asked_[index].d.front();
}

std::optional<Amount> Session::value(std::size_t index) const {
    const auto pattern = bits(index);
    return pattern ? amount_of(d(), *pattern) : std::nullopt;
}

std::optional<std::uint64_t> Session::bits(std::optional<std::size_t> index) const {
    if (!index) return std::nullopt;
    return bits(*index);
}

std::optional<Amount> Session::value(std::optional<std::size_t> index) const {
    if (!index) return std::nullopt;
    return value(*index);
}

std::vector<std::size_t> indices(std::size_t first, std::size_t last) {
    std::vector<std::size_t> all(last - first);
    std::iota(all.begin(), all.end(), first);
    return all;
}

} // namespace discern::probe
