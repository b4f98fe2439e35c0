// Which units can be compared at all. See question.hpp.
#include "question.hpp"

#include "models/error.hpp"

namespace discern {

namespace {

std::string formats_of(const Unit& u) {
    std::string text(format(u.a).name);
    text += "*" + std::string(format(u.b).name);
    if (u.c) text += "+" + std::string(format(*u.c).name);
    return text + "->" + std::string(format(u.d).name);
}

std::string scale_of(const Unit& u) {
    if (!u.scale) return "no scales";
    return std::string(format(u.scale->format).name) + " scales of " + std::to_string(u.scale->block) + " elements";
}

} // namespace

std::string_view name(Verdict verdict) {
    static constexpr std::string_view names[] = {"different", "equivalent", "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

std::string incomparable(const Unit& first, const Unit& second) {
    const auto differ = [](const std::string& what, const std::string& one, const std::string& two) {
        return "the units cannot be compared, because their " + what + " differ: " + one + " and " + two;
    };
    if (formats_of(first) != formats_of(second)) return differ("formats", formats_of(first), formats_of(second));
    if (first.scale != second.scale) return differ("scales", scale_of(first), scale_of(second));
    if (first.K != second.K)
        return differ("numbers of products", "K=" + std::to_string(first.K), "K=" + std::to_string(second.K)) +
               " (an override such as {K=" + std::to_string(first.K) + "} changes it)";
    return "";
}

void require_comparable(const Unit& first, const Unit& second) {
    if (const std::string why = incomparable(first, second); !why.empty()) throw Error(why);
}

} // namespace discern
