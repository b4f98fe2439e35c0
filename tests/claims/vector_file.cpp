#include "vector_file.hpp"

#include "models/families.hpp"
#include "models/vectors.hpp"

#include <sstream>
#include <vector>

namespace discern::claims {

std::string vector_file(const Unit& unit, std::size_t count, Random& random,
                        const std::function<std::uint64_t(const Inputs&)>& result_of) {
    std::ostringstream file;
    const Shape shape = shape_of(unit);
    Header header;
    header.shape = shape;
    VectorWriter writer(file, shape, header);
    std::vector<InputGenerator> generators;
    for (const auto family : families) generators.emplace_back(unit, family, random.bits());
    for (std::size_t i = 0; i < count; ++i) {
        InputBuffer x;
        generators[static_cast<std::size_t>(random.below(static_cast<int>(generators.size())))].next(x);
        Vector v = vector_of(shape, x.inputs());
        v.d = {result_of(x.inputs())};
        writer.write(v);
    }
    return file.str();
}

std::vector<Case> with_fewer(const Case& asked, const std::string& name) {
    std::vector<Case> list;
    const int now = std::stoi(asked.texts.at(name));
    for (const int fewer : {1, now / 4, now / 2, 3 * now / 4, now - 1}) {
        if (fewer < 1 || fewer >= now) continue;
        list.push_back(asked);
        list.back().texts[name] = std::to_string(fewer);
    }
    return list;
}

} // namespace discern::claims
