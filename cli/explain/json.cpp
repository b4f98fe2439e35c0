// An explanation as JSON; docs/explain.md says what the fields are, docs/schemas/explain.json checks it.
#include "cli/files/exactness.hpp"
#include "cli/question/common.hpp"
#include "report.hpp"

#include "cli/base/json.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <ostream>

namespace discern::cli {

namespace {

/// A number where a double is exactly it and JSON has it, else the text.
Json json(const explain::Number& x) {
    const auto value = x.as_double();
    if (x.kind == explain::Number::Kind::finite && value) return *value;
    return x.text();
}

Json json(const explain::Term& term) {
    Json one = {{"name", term.name}, {"value", json(term.value)}};
    one["exponent"] = term.exponent ? Json(*term.exponent) : Json(nullptr);
    one["kept"] = json(term.kept);
    one["cut"] = json(term.lost);
    if (term.lsb) one["last_place"] = *term.lsb;
    if (term.lsb) one["mode"] = name(term.mode);
    if (term.dropped) one["dropped"] = true;
    return one;
}

void put_sum(Json& into, const explain::Sum& sum) {
    into["terms"] = list_of(sum.terms, [](const explain::Term& term) { return json(term); });
    into["E"] = sum.E ? Json(*sum.E) : Json(nullptr);
    into["E_from"] = sum.E ? Json(sum.E_from) : Json(nullptr);
    if (sum.E_raised) into["E_raised"] = true;
    if (!sum.ones.empty()) into["ones"] = sum.ones;
    into["sum"] = json(sum.value);
    if (sum.result != sum.value) into["wrapped"] = json(sum.result);
}

Json json(const explain::Step& step) {
    Json one;
    if (const auto* sum = std::get_if<explain::Sum>(&step)) {
        one["name"] = sum->name;
        put_sum(one, *sum);
        return one;
    }
    const auto& round = std::get<explain::RoundStep>(step);
    const Format& f = format(round.rule.format);
    return {{"name", round.name},
            {"round", f.name},
            {"mode", name(round.rule.mode)},
            {"of", json(round.operand)},
            {"bits", to_hex(f, round.bits)},
            {"value", json(round.result)}};
}

Json json(const Unit& unit, const explain::Block& block) {
    Json one = {{"elements", block.elements}, {"accumulator", block.accumulator}};
    // The outermost sum stands in the block itself; those inside it, and roundings, are steps.
    const explain::Sum* outermost = nullptr;
    for (const explain::Step& step : block.steps)
        if (const auto* sum = std::get_if<explain::Sum>(&step)) outermost = sum;
    if (outermost != nullptr) put_sum(one, *outermost);
    one["steps"] = list_of(block.steps, [](const explain::Step& step) { return json(step); });
    one["d"] = to_hex(format(unit.d), block.d);
    one["value"] = json(block.result);
    return one;
}

Json json(const Explained& one) {
    Json object = {{"unit", one.name}, {"tree", to_string(one.unit)}, {"d", to_hex(format(one.unit.d), one.trace.d)}};
    object["value"] = json(one.trace.result);
    put_exactness(object, one.exactness);
    object["blocks"] = list_of(one.trace.blocks, [&](const explain::Block& block) { return json(one.unit, block); });
    if (one.trace.c_last) object["c_last"] = true;
    return object;
}

} // namespace

void print_json(const Explanation& all, const std::string& command, std::ostream& out, const Json& design) {
    Json object;
    if (all.units.size() == 1)
        object = json(all.units.front());
    else
        object["units"] = list_of(all.units, [](const Explained& one) { return json(one); });
    object["parts_at"] = nullptr;
    if (all.parting)
        object["parts_at"] = {{"block", all.parting->block},
                              {"step", all.parting->step},
                              {"term", all.parting->term},
                              {"what", name(all.parting->what)},
                              {"sentence", all.parting->sentence}};
    Vector inputs = all.vector;
    inputs.clear_results();
    object["vector"] = json_of(shape_of(all.units.front().unit), inputs);
    put_assumed(object, all.assumed);
    object["command"] = command;
    if (!design.is_null()) object["design"] = design;
    print_line(out, object);
}

} // namespace discern::cli
