// Candidates are kept as boxes, which an observation splits or removes; random members stand for them in the choice of
// vectors.
#include "candidates.hpp"

#include "models/families.hpp"
#include "models/parallel.hpp"
#include "models/parametric/family.hpp"
#include "solver/decide/decide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

namespace discern::identify {

namespace {

constexpr int draws = 40; ///< of members, to find one that agrees with the observations that were put off

/// An observation that was put off is tried again on boxes that have lost this share of their bits, and at least one.
constexpr double smaller = 1.0 / 6;
constexpr std::size_t most_paths = 4000, most_pieces = 48;
constexpr std::array<std::pair<std::size_t, std::size_t>, 3> at_last = {
    {{30'000, 300}, {100'000, 600}, {400'000, 2000}}};

template <typename Part>
bool used_by_all(const std::vector<Part>& parts) {
    return std::ranges::all_of(parts, [](const Part& part) { return part.put_off.empty(); });
}

/// Joins boxes of the same structure that wait for the same observations.
template <typename Part>
void join(std::vector<Part>& parts) {
    std::map<std::vector<std::size_t>, std::vector<Box>> by_waiting;
    for (Part& part : parts) {
        std::ranges::sort(part.put_off);
        by_waiting[part.put_off].push_back(std::move(part.box));
    }
    parts.clear();
    for (auto& [put_off, boxes] : by_waiting) {
        merge(boxes);
        for (Box& box : boxes) {
            const double bits = box.bits();
            parts.push_back({std::move(box), put_off, bits});
        }
    }
}

std::size_t any_of(const ValueSet& set, Random& random) {
    return set.nth(static_cast<std::size_t>(random.below(static_cast<int>(set.count()))));
}
Assignment any_member(const Box& box, Random& random) {
    Assignment member;
    for (const ValueSet& set : box.sets) member.push_back(any_of(set, random));
    return member;
}
/// Differs in one variable, if the box has any with several values.
Assignment neighbour(const Box& box, Assignment member, Random& random) {
    std::vector<Slot> open;
    for (Slot v = 0; v < box.sets.size(); ++v)
        if (!box.sets[v].is_single()) open.push_back(v);
    if (open.empty()) return member;
    const Slot v = open[static_cast<std::size_t>(random.below(static_cast<int>(open.size())))];
    for (const std::size_t before = member[v]; member[v] == before;) member[v] = any_of(box.sets[v], random);
    return member;
}

} // namespace

Candidates::Candidates(std::vector<Structure> space) : space_(std::move(space)) {
    for (std::size_t i = 0; i < space_.size(); ++i) parts_.push_back({space_[i].box(i), {}});
    history_.push_back({0, unions(), bits()});
}

Candidates::Candidates(std::vector<std::pair<std::string, Unit>> members) {
    std::vector<Unit> units; // their rules of NaN are identified separately
    std::vector<const Unit*> all;
    for (const auto& [name, unit] : members) units.push_back(unit);
    for (Unit& unit : units) {
        unit.nan = {};
        all.push_back(&unit);
    }
    list_.resize(members.size());
    for (auto& [space, indices] : spaces_of(all)) {
        std::vector<Unit> group;
        for (const std::size_t i : indices) group.push_back(units[i]);
        const auto family = parametric::family_of(group);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            auto& [name, unit] = members[indices[i]];
            list_[indices[i]] = {std::move(name), std::move(unit), space_.size(), family->members[i]};
        }
        for (Box& box : space.boxes) {
            box.structure = space_.size();
            parts_.push_back({std::move(box), {}});
        }
        space_.push_back(std::move(space.structure));
    }
    history_.push_back({0, unions(), bits()});
}

double Candidates::bits() const {
    double sum = 0;
    for (const Part& part : parts_) sum += std::exp2(part.box.bits());
    return std::log2(sum);
}

std::vector<Sample> Candidates::draw(std::size_t n, std::optional<std::size_t> focus, Random& random) const {
    const std::vector<std::size_t> all = alive();
    std::vector<std::size_t> structures = focus ? std::vector{*focus} : all;
    if (structures.size() > n / 3) { // some of them, three members or so each
        for (std::size_t i = structures.size(); i > 1; --i)
            std::swap(structures[i - 1], structures[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
        structures.resize(n / 3);
    }
    std::vector<Sample> samples;
    const Part* part = nullptr;
    Assignment member;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 2 == 1 && structures.size() <= 4 && part != nullptr) {
            const Assignment near = neighbour(part->box, member, random);
            if (agrees(*part, near)) member = near;
        } else {
            std::size_t structure = structures[i / (structures.size() <= 4 ? 2 : 1) % structures.size()];
            if (focus && i % 4 == 2) structure = all[i / 4 % all.size()];
            part = any_agreeing(structure, member, random);
        }
        if (part == nullptr) continue;
        samples.push_back({space_[part->box.structure].member(member), part->box.structure});
    }
    return samples;
}

std::vector<std::size_t> Candidates::alive() const {
    std::vector<std::size_t> result;
    for (const auto& [structure, sets] : unions()) result.push_back(structure);
    return result;
}

bool Candidates::can_observe(const Inputs& inputs, std::optional<std::size_t> focus, std::size_t paths,
                             std::size_t but) const {
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        // The part that excluded the last unit is likely to exclude the next one.
        const std::size_t at = (said_no_ + n) % parts_.size();
        const Box& box = parts_[at].box;
        if (focus && box.structure != *focus) continue;
        if (evaluate(space_[box.structure], box, inputs, paths) || but-- > 0) continue;
        said_no_ = at;
        return false;
    }
    return true;
}

Taken Candidates::observe(const Inputs& inputs, std::uint64_t d, const Limit& limit) {
    const Unit& frame = space_.front().frame;
    observations_.push_back(vector_of(shape_of(frame), inputs));
    observations_.back().d = {without_nan_bits(frame.d, d)};
    // A list cannot become more than its members.
    const Effort effort{most_paths + list_.size(), most_pieces + list_.size(), limit};
    std::vector<Part> left = filtered_each(parts_, [&](const Part& part, std::vector<Part>& remaining) {
        filter(part, {observations_.size() - 1}, part.put_off, effort, remaining);
    });
    const std::vector<std::size_t> others = with_other_nan(inputs, d);
    for (const std::size_t n : others) list_[n].other_nan = true;
    if (!others.empty()) // boxes have no rule of NaN
        std::erase_if(left, [&](const Part& part) {
            return std::ranges::none_of(list_, [&](const Listed& one) { return may_be(one, part); });
        });
    const Taken taken = keep(std::move(left));
    if (taken == Taken::contradicts)
        for (const std::size_t n : others) list_[n].other_nan = false;
    return taken;
}

/// The units of the list whose rule gives another NaN than the target gave.
std::vector<std::size_t> Candidates::with_other_nan(const Inputs& inputs, std::uint64_t d) const {
    std::vector<std::size_t> others;
    if (decode(format(space_.front().frame.d), d).number_class != NumberClass::nan) return others;
    for (std::size_t n = 0; n < list_.size(); ++n) {
        const Unit& unit = list_[n].unit;
        if (list_[n].other_nan || unit.nan.kind == NanRule::Kind::any) continue;
        const std::uint64_t own = Evaluator(unit)(inputs);
        if (own != d && without_nan_bits(unit.d, own) == without_nan_bits(unit.d, d)) others.push_back(n);
    }
    return others;
}

/// Whether the unit of the list is in the part, observations that were put off aside.
bool Candidates::may_be(const Listed& one, const Part& part) {
    return !one.other_nan && part.box.structure == one.structure && part.box.contains(one.member);
}

Taken Candidates::use_all(const Limit& limit) {
    std::vector<Part> parts = parts_;
    for (const auto& [paths, pieces] : at_last) {
        if (used_by_all(parts)) break;
        const Effort effort{paths, pieces, limit};
        parts = filtered_each(parts, [&](const Part& part, std::vector<Part>& remaining) {
            filter(part, part.put_off, {}, effort, remaining);
        });
    }
    return keep(std::move(parts));
}

bool Candidates::all_used() const { return used_by_all(parts_); }

std::optional<Unit> Candidates::preferred() const {
    const Named& one = named();
    if (!one.agrees) return std::nullopt;
    return one.listed != nullptr ? one.listed->unit : space_[one.part->box.structure].member(one.member);
}

std::vector<Unit> Candidates::nearest(std::size_t n) const {
    std::vector<Unit> units;
    for (const Listed* one : listed()) units.push_back(one->unit);
    if (list_.empty())
        for (std::size_t i = 0; i < std::min(n, parts_.size()); ++i)
            units.push_back(space_[parts_[i].box.structure].member(Structure::first_of(parts_[i].box)));
    units.resize(std::min(n, units.size()));
    return units;
}

/// Applies a filter to each part, on all threads; the results are in the order of the parts.
template <class Filter>
std::vector<Candidates::Part> Candidates::filtered_each(const std::vector<Part>& parts, const Filter& filter) const {
    std::vector<std::vector<Part>> of_each(parts.size());
    for_each_index(threads_, parts.size(), [&](std::size_t i) { filter(parts[i], of_each[i]); });
    std::vector<Part> remaining;
    for (std::vector<Part>& some : of_each) std::move(some.begin(), some.end(), std::back_inserter(remaining));
    return remaining;
}

Taken Candidates::keep(std::vector<Part> remaining) {
    if (remaining.empty()) return Taken::contradicts;
    join(remaining);
    parts_ = std::move(remaining);
    named_.reset();
    history_.push_back({observations_.size() - 1, unions(), bits()});
    return Taken::used;
}

/// The boxes that an observation leaves of a box; nothing if their number or the effort is too large.
std::optional<std::vector<Box>> Candidates::filtered(const Box& box, std::size_t number, const Effort& effort) const {
    const auto leaves = evaluate(space_[box.structure], box, observations_[number].inputs(), effort.paths);
    if (!leaves) return std::nullopt;
    std::vector<Box> boxes;
    for (const Leaf& leaf : *leaves)
        if (leaf.d == observations_[number].d.front()) boxes.push_back(leaf.box);
    merge(boxes);
    return boxes.size() > effort.pieces ? std::nullopt : std::optional(std::move(boxes));
}

/// Adds what is left of the part after the first observations of `now` that are not too much effort, and of `later` if
/// the box became smaller.
void Candidates::filter(const Part& part, const std::vector<std::size_t>& now, const std::vector<std::size_t>& later,
                        const Effort& effort, std::vector<Part>& remaining) const {
    for (std::size_t i = 0; i < now.size() && !effort.limit.reached(); ++i) {
        const auto boxes = filtered(part.box, now[i], effort);
        if (!boxes) continue;
        std::vector<std::size_t> rest = now;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        for (const Box& box : *boxes) {
            Part piece{box, {}, part.tried_at};
            const double bits = box.bits();
            if (bits > part.tried_at - std::max(1.0, part.tried_at * smaller)) {
                filter(piece, rest, later, effort, remaining);
                continue;
            }
            piece.tried_at = bits;
            std::vector<std::size_t> all = rest;
            all.insert(all.end(), later.begin(), later.end());
            filter(piece, all, {}, effort, remaining);
        }
        return;
    }
    Part same = part;
    same.put_off = now;
    same.put_off.insert(same.put_off.end(), later.begin(), later.end());
    if (!now.empty()) same.tried_at = std::min(same.tried_at, part.box.bits());
    remaining.push_back(std::move(same));
}

/// Whether the member gives what was observed where the part was not filtered by it.
bool Candidates::agrees(const Part& part, const Assignment& member) const {
    if (part.put_off.empty()) return true;
    const Unit unit = space_[part.box.structure].member(member);
    const Evaluator evaluator(unit);
    return std::ranges::all_of(part.put_off, [&](std::size_t n) {
        return without_nan_bits(unit.d, evaluator(observations_[n].inputs())) == observations_[n].d.front();
    });
}

Candidates::Unions Candidates::unions() const {
    Unions result;
    for (const Part& part : parts_) {
        const Box& box = part.box;
        const auto [at, is_new] = result.emplace(box.structure, box.sets);
        if (is_new) continue;
        for (std::size_t v = 0; v < box.sets.size(); ++v) at->second[v] = at->second[v] | box.sets[v];
    }
    return result;
}

/// A part of the structure and a member of it that agrees with all observations; nullptr if none is found soon.
const Candidates::Part* Candidates::any_agreeing(std::size_t structure, Assignment& member, Random& random) const {
    std::vector<const Part*> of_structure;
    for (const Part& part : parts_)
        if (part.box.structure == structure) of_structure.push_back(&part);
    for (int tries = 0; tries < draws; ++tries) {
        const Part* part = of_structure[static_cast<std::size_t>(random.below(static_cast<int>(of_structure.size())))];
        member = any_member(part->box, random);
        if (agrees(*part, member)) return part;
    }
    return nullptr;
}

/// The part that has the unit of the list, if it is still possible; else nullptr.
const Candidates::Part* Candidates::part_of(const Listed& one) const {
    const auto found =
        std::ranges::find_if(parts_, [&](const Part& part) { return may_be(one, part) && agrees(part, one.member); });
    return found == parts_.end() ? nullptr : &*found;
}

/// The remaining units of the list, in its order.
std::vector<const Candidates::Listed*> Candidates::listed() const {
    std::vector<const Listed*> left;
    for (const Listed& one : list_)
        if (part_of(one) != nullptr) left.push_back(&one);
    return left;
}

const Candidates::Named& Candidates::named() const {
    if (!named_) named_ = find_named();
    return *named_;
}

void Candidates::prefer(const std::vector<Unit>& known) {
    for (const Unit& unit : known)
        for (std::size_t s = 0; s < space_.size(); ++s)
            if (auto member = parametric::assignment_of(space_[s], unit))
                preferred_.emplace_back(s, *std::move(member));
}

/// Of a list, the one with the shortest name. Else the first that is preferred; else the first member of the first
/// structure with the most preferred values; of those that agree with what was put off, as far as some are found soon.
Candidates::Named Candidates::find_named() const {
    if (const auto members = listed(); !members.empty()) {
        const Listed& one = **std::min_element(members.begin(), members.end(), [](const Listed* x, const Listed* y) {
            return x->name.size() < y->name.size();
        });
        return {part_of(one), one.member, true, &one};
    }
    for (const auto& [structure, member] : preferred_)
        for (const Part& part : parts_)
            if (part.box.structure == structure && part.box.contains(member) && agrees(part, member))
                return {&part, member, true};
    const auto rank = [](const Part& part) {
        std::size_t others = 0;
        for (const ValueSet& set : part.box.sets) others += set.first() == 0 ? 0 : 1;
        return std::pair(part.box.structure, others);
    };
    std::vector<const Part*> order;
    for (const Part& part : parts_) order.push_back(&part);
    std::ranges::stable_sort(order, [&](const Part* x, const Part* y) { return rank(*x) < rank(*y); });
    for (const Part* part : order)
        if (const Assignment first = Structure::first_of(part->box); agrees(*part, first)) return {part, first, true};
    Random random(1);
    for (const Part* part : order)
        for (int i = 0; i < draws; ++i)
            if (const Assignment any = any_member(part->box, random); agrees(*part, any)) return {part, any, true};
    return {order.front(), Structure::first_of(order.front()->box), false};
}

} // namespace discern::identify
