#include "probe.hpp"

#include "alignment.hpp"
#include "levels.hpp"
#include "models/notation.hpp"
#include "readings.hpp"
#include "specials.hpp"

#include <algorithm>

namespace discern {

namespace {

probe::Structure ask_all(probe::Session& session) {
    probe::probe_subnormals(session);
    probe::Structure structure = probe::probe_structure(session);
    const probe::Alignment of_three = probe::probe_alignment(session, structure);
    const probe::Alignment alignment = probe::probe_output(session, structure, of_three);
    probe::probe_products(session, structure, alignment);
    probe::probe_specials(session);
    return structure;
}

} // namespace

const Feature* ProbeReport::find(std::string_view key) const {
    const auto found = std::ranges::find_if(features, [&](const Feature& f) { return f.key == key; });
    return found == features.end() ? nullptr : &*found;
}

std::string ProbeReport::value_of(std::string_view key, std::string_view otherwise) const {
    const Feature* const feature = find(key);
    return feature != nullptr && feature->value ? *feature->value : std::string(otherwise);
}

ProbeReport probe_features(const Shape& shape, const AskTarget& ask) {
    probe::Session session(shape, ask);
    ask_all(session);
    return std::move(session).report();
}

ProbeReport probe_checked(const Shape& shape, const AskTarget& ask, double seconds, std::stop_token stop) {
    probe::Session session(shape, ask);
    const probe::Structure structure = ask_all(session);
    ProbeReport report = std::move(session).report();
    const probe::Explanation explanation =
        probe::explain(shape, structure, report, ask, Limit::after(seconds, std::move(stop)));
    probe::take_back(report, explanation);
    report.fresh = explanation.fresh;
    report.is_undecided = explanation.kind == probe::Explanation::Kind::undecided;
    if (explanation.unit) {
        report.unit = to_string(*explanation.unit);
        probe::tell_levels(report, *explanation.unit);
    }
    return report;
}

} // namespace discern
