#include "models/shape.hpp"

#include "sentence.hpp"

namespace discern {

Shape shape_of(const Unit& unit) {
    return {.a = unit.a, .b = unit.b, .c = unit.c, .d = unit.d, .scale = unit.scale, .K = unit.K};
}

std::string formats_of(const Shape& shape) {
    const std::string c = shape.c ? sentence("+", format(*shape.c).name) : "";
    return sentence(format(shape.a).name, "*", format(shape.b).name, c, "->", format(shape.d).name);
}

std::string to_string(const Shape& shape) {
    const std::string scale =
        shape.scale ? sentence(" scale=", format(shape.scale->format).name, "/", shape.scale->block) : "";
    return sentence(formats_of(shape), " K=", shape.K, scale);
}

std::string difference(const Shape& one, const Shape& other) {
    std::string text;
    const auto add = [&](bool differs, const char* what) {
        if (differs) text += sentence(text.empty() ? "" : " and ", what);
    };
    add(one.a != other.a || one.b != other.b || one.c != other.c || one.d != other.d, "formats");
    add(one.scale != other.scale, "scale blocks");
    add(one.K != other.K, "K");
    return text;
}

} // namespace discern
