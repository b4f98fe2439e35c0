#include "probe.hpp"

#include "alignment.hpp"
#include "specials.hpp"

#include <algorithm>

namespace discern {

const Feature* ProbeReport::find(std::string_view key) const {
    const auto found = std::find_if(features.begin(), features.end(), [&](const Feature& f) { return f.key == key; });
    return found == features.end() ? nullptr : &*found;
}

ProbeReport probe_features(const Shape& shape, const AskTarget& ask) {
    probe::Session session(shape, ask);
    probe::probe_subnormals(session);
    const probe::Structure structure = probe::probe_structure(session);
    const probe::Alignment of_three = probe::probe_alignment(session, structure);
    const probe::Alignment alignment = probe::probe_output(session, structure, of_three);
    probe::probe_products(session, structure, alignment);
    probe::probe_specials(session);
    return std::move(session).report();
}

} // namespace discern
