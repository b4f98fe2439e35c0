// The run as prove shows one: the operations, the ports edge by edge, waves.
#include "streamed.hpp"

#include "cli/rtl/waves.hpp"
#include "designs/target.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace discern::cli {

StreamedCheck::StreamedCheck(const TargetChoice& choice, const Unit& unit, std::uint64_t seed,
                             const std::stop_token& stop)
    : read_(read_design(unit, choice.target, choice.design, std::min(choice.timeout, longest_reading), stop)),
      limit_(Limit::after(choice.timeout, stop)),
      single_(rtl::make_design_target(read_.question, read_.sources, [this] { return limit_.reached(); })),
      stream_(read_.question, read_.sources, seed, [this] { return limit_.reached(); }) {}

void StreamedCheck::find_short_run(const std::stop_token& stop) {
    constexpr double longest_shortening = 10; // seconds
    const auto& run = stream_.faulty() ? stream_.faulty() : wrong_;
    if (run && !shown_) shown_ = stream_.shown(*run, Limit::after(longest_shortening, stop));
}

void StreamedCheck::print(std::ostream& out) const {
    if (!shown_) return;
    const Shape shape = shape_of(read_.question.unit);
    out << fmt::format("from the reset on: {}; edge by edge, operands are offered (1) and results taken "
                       "(1): {} and {}; the operations, and of each the unit's result:\n",
                       shown_->stalls->wrong, shown_->stalls->valid, shown_->stalls->ready);
    for (const Vector& v : shown_->sequence) out << "  " << to_json(shape, v) << '\n';
}

void StreamedCheck::put(Json& object) const {
    if (!shown_) return;
    const Shape shape = shape_of(read_.question.unit);
    object["sequence"] = list_of(shown_->sequence, [&](const Vector& v) { return json_of(shape, v); });
    object["stalls"] = {
        {"wrong", shown_->stalls->wrong}, {"valid", shown_->stalls->valid}, {"ready", shown_->stalls->ready}};
}

void StreamedCheck::write_wave(const std::string& file, const Streams& io) const {
    write_waves({{read_}, *shown_}, file, {}, io);
}

std::unique_ptr<StreamedCheck> streamed_check(const TargetChoice& choice, const Unit& unit, std::uint64_t seed,
                                              const std::stop_token& stop) {
    if (!is_design(choice.target) || options_of_design(choice.target, choice.design).valid.empty()) return nullptr;
    // Of other formats than the unit's it is said elsewhere that they are others.
    if (!choice.formats.empty() && shape_from_text(choice.formats, choice.K, choice.scale) != shape_of(unit))
        return nullptr;
    return std::make_unique<StreamedCheck>(choice, unit, seed, stop);
}

} // namespace discern::cli
