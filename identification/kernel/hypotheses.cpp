#include "hypotheses.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/schedule/outline.hpp"
#include "models/schedule/usual.hpp"

#include <algorithm>
#include <set>

namespace discern::kernels {

namespace {

bool can_be_rounded_to(FormatId id) {
    const Format& f = format(id);
    return !f.is_fixed_point() && f.is_signed && f.has_nan() && f.has_zero && id != FormatId::e8m13;
}

/// Whether every number of one format is a number of the other.
bool is_wider(FormatId wide, FormatId narrow) {
    const Format &w = format(wide), &n = format(narrow);
    return w.mantissa_bits >= n.mantissa_bits && w.emax() >= n.emax() && w.lsb() <= n.lsb();
}

/// a·b rounded to `product`, or exact, is added to an accumulator in `sum`.
Unit software(const Shape& shape, FormatId sum, std::optional<FormatId> product) {
    Unit unit = addition_unit(shape.a, sum, {sum, Rounding::rne}, {});
    unit.b = shape.b;
    unit.c = shape.c;
    unit.d = sum;
    if (!product) return unit;
    Round rounded;
    rounded.format = *product;
    Fuse& fuse = std::get<Fuse>(std::get<Round>(unit.tree.kind).get().kind);
    rounded.child = {Node{Product{}}};
    fuse.children.front().node = {Node{rounded}};
    fuse.children.front().zero = {ZeroExponent::Kind::own, 0};
    return unit;
}

/// Whether the unit takes the operands of the shape, scales included, and gives its results.
bool has_formats_of(const Shape& shape, const Unit& unit) {
    return unit.a == shape.a && unit.b == shape.b && unit.d == shape.d && unit.scale == shape.scale;
}

/// The formats that a sum may have, those of d first.
std::vector<FormatId> sum_formats(const Shape& shape, FormatId of_unit) {
    std::vector<FormatId> list = {of_unit};
    for (const FormatId id : {shape.d, FormatId::f32, FormatId::f64})
        if (can_be_rounded_to(id) && std::ranges::find(list, id) == list.end()) list.push_back(id);
    return list;
}

} // namespace

std::optional<Unit> of_instruction(Unit unit, int products) {
    if (unit.interleave != 0 || unit.place == AccumulatorPlace::last) {
        if (unit.K != products) return std::nullopt;
        return unit;
    }
    if (products % unit.L != 0) return std::nullopt;
    unit.K = products;
    return unit;
}

std::vector<NamedUnit> leaf_units(const Shape& shape, const Candidate& candidate, std::vector<NamedUnit> first) {
    std::vector<NamedUnit> units;
    std::set<std::uint64_t> seen;
    const auto add = [&](const std::string& name, Unit unit) {
        unit.c = shape.c;
        unit.nan = {}; // libraries may exchange operands, so the rule of NaN is found from observations
        auto fitting = of_instruction(std::move(unit), candidate.instruction);
        if (!fitting) return;
        try {
            validate(Kernel{*fitting, shape.K, candidate.schedule});
        } catch (const Error&) {
            return; // the unit cannot chain so
        }
        if (seen.insert(arithmetic_hash(*fitting)).second) units.emplace_back(name, std::move(*fitting));
    };
    for (auto& [name, unit] : first)
        if (has_formats_of(shape, unit)) add(name, std::move(unit));
    for (const CatalogueEntry& entry : catalogue())
        if (has_formats_of(shape, entry.unit)) add(entry.name, entry.unit);
    if (candidate.instruction == 1 && !shape.scale)
        for (const FormatId sum : {shape.d, FormatId::f32, FormatId::f64}) {
            if (!can_be_rounded_to(sum)) continue;
            if (sum != shape.d && !is_wider(sum, shape.d)) continue;
            add("", software(shape, sum, std::nullopt));
            for (const FormatId product : {sum, FormatId::f32, shape.a})
                if (can_be_rounded_to(product)) add("", software(shape, sum, product));
        }
    return units;
}

std::vector<Kernel> kernels_of(const Shape& shape, const Candidate& candidate, const Unit& unit) {
    Schedule plain = candidate.schedule;
    if (unit.d != shape.d) plain.result = Conversion{shape.d, Rounding::rne};
    std::vector<Schedule> schedules;
    const bool adds = !plain.split.empty() || plain.slice > 1 || plain.lanes > 1 || plain.unroll > 1 ||
                      (plain.from_zero && (shape.c || !plain.kc.empty()));
    const std::vector<FormatId> formats = sum_formats(shape, unit.d);
    for (const Rounding mode : usual_roundings)
        for (const FormatId id : formats) {
            if (mode != Rounding::rne && id != formats.front()) continue;
            Schedule s = plain;
            if (adds) s.reduce = Conversion{id, mode};
            if (!s.promote) {
                schedules.push_back(s);
                continue;
            }
            for (const FormatId outer : formats) {
                s.promote->sum = {outer, Rounding::rne};
                schedules.push_back(s);
            }
            for (const Rounding other : {Rounding::rz, Rounding::rna, Rounding::rd, Rounding::ru}) {
                s.promote->sum = {formats.front(), other};
                schedules.push_back(s);
            }
        }
    std::vector<Kernel> kernels;
    for (Schedule& s : schedules) {
        Kernel kernel{unit, shape.K, std::move(s)};
        if (std::ranges::find(kernels, kernel) != kernels.end()) continue;
        try {
            validate(kernel);
        } catch (const Error&) {
            continue;
        }
        kernels.push_back(std::move(kernel));
        if (!adds && !plain.promote) break; // nothing is added
    }
    return kernels;
}

std::vector<Candidate> usual_schedules(const Shape& shape) {
    std::vector<std::pair<int, int>> sizes; // of instructions, and of their blocks
    for (const CatalogueEntry& entry : catalogue()) {
        const std::pair size{entry.unit.K, entry.unit.L};
        if (has_formats_of(shape, entry.unit) && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
    std::vector<Candidate> candidates;
    for (const Schedule& s : discern::usual_schedules(shape.d, shape.K))
        for (const auto& [instruction, block] : sizes) {
            Candidate& c = candidates.emplace_back();
            c.schedule = s;
            c.instruction = instruction;
            c.block = block;
            c.begins_from_c = shape.c.has_value();
            for (int k = 0; k < instruction; ++k) c.chain.push_back(k);
        }
    return candidates;
}

} // namespace discern::kernels
