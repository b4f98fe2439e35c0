// A stored cell is checked against its units before it is used.
#include "cell_rows.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/question/replay.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace discern::store {

namespace {

/// In which any NaN counts as one where the unit says so.
std::vector<std::uint64_t> results(const Unit& unit, std::span<const Vector> vectors) {
    const Evaluator evaluate(unit);
    const Format& d = format(unit.d);
    std::vector<std::uint64_t> row;
    for (const Vector& v : vectors) {
        row.push_back(evaluate(v.inputs()));
        if (d.has_nan() && same_result(unit, row.back(), quiet_nan(d))) row.back() = quiet_nan(d);
    }
    return row;
}

} // namespace

void require_rows(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer) {
    for (const Vector& v : answer.vectors)
        if (!limits.none() && !allows(limits, *units.front(), v.inputs())) throw Error("a vector is beyond the limits");
    std::vector<bool> seen(units.size(), false);
    std::set<std::vector<std::uint64_t>> classes; // their results
    for (const auto& one : answer.classes) {
        std::optional<std::vector<std::uint64_t>> first;
        for (const std::size_t position : one) {
            if (seen.at(position)) throw Error("a unit is in two classes");
            seen[position] = true;
            const std::vector<std::uint64_t> row = results(*units[position], answer.vectors);
            if (!first) first = row;
            if (row != *first) throw Error("its vectors tell units of one class apart");
        }
        if (!first || !classes.insert(*first).second) throw Error("its vectors do not tell all classes apart");
    }
    if (std::ranges::find(seen, false) != seen.end()) throw Error("a unit is in no class");
}

void try_vectors(const Question& question, std::size_t count) {
    const Pair pair(question);
    const Unit* const views[] = {&question.first, &question.second};
    InputMixture mixture(views, 1);
    InputBuffer buffer;
    for (std::size_t i = 0; i < count; ++i) {
        mixture.next(buffer);
        if (pair.tells(buffer.inputs()))
            throw Error("they are said to be the same, and differ on " +
                        to_json(shape_of(question.first), vector_of(shape_of(question.first), buffer.inputs())));
    }
}

std::uint64_t challenged(std::span<const Unit* const> units, const InputLimits& limits,
                         std::span<const std::vector<std::size_t>> classes, std::uint64_t challenging) {
    std::uint64_t all = 0;
    const auto several = std::ranges::count_if(classes, [](const auto& one) { return one.size() > 1; });
    for (const std::vector<std::size_t>& one : classes) {
        if (one.size() < 2) continue;
        const UnitList others{one.size() - 1, [&](std::size_t i) { return *units[one[i + 1]]; }};
        Claim claim = claim_of(*units[one.front()], others, limits);
        claim.most = std::max(challenging / static_cast<std::uint64_t>(several), fewest_challenging);
        const auto [vectors, refuted] = challenge(claim);
        if (refuted) throw Error("units of one class differ on " + to_json(shape_of(*units.front()), refuted->vector));
        all += vectors;
    }
    return all;
}

std::string grounds_text(std::span<const Ground> grounds) {
    std::string text;
    for (const Ground& ground : grounds) text += (&ground == grounds.data() ? "" : ";") + text_of(ground);
    return text;
}

std::vector<Ground> grounds_of(const CellAnswer& answer, const std::string& text) {
    std::vector<Ground> grounds;
    if (text.empty()) {
        const bool single = std::ranges::all_of(answer.classes, [](const auto& units) { return units.size() == 1; });
        if (!single) throw Error("it does not say why units are the same");
        return std::vector<Ground>(answer.classes.size());
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        const auto ground = ground_from(std::string_view(text).substr(begin, end - begin));
        if (!ground) throw Error("the grounds " + excerpt(text) + " are damaged");
        grounds.push_back(*ground);
        begin = end + 1;
    }
    if (grounds.size() != answer.classes.size()) throw Error("the grounds " + excerpt(text) + " are of other classes");
    return grounds;
}

} // namespace discern::store
