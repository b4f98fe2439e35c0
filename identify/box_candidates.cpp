// Boxes as candidates: filtered by evaluating every box once a vector.
#include "candidates.hpp"

#include "models/families.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace discern::identify {

namespace {

constexpr std::size_t most_told = 8; ///< values of a parameter, in a description
constexpr int draws = 40;            ///< to find a member that agrees with what was put off

/// A box, and the observations that it has not been filtered by, because they would have cut it into too many pieces.
struct Part {
    Box box;
    std::vector<std::size_t> put_off;
    double tried_at = 1e9; ///< bits of the box when these were last tried
};

class BoxCandidates final : public Candidates {
  public:
    explicit BoxCandidates(std::vector<Structure> space) : space_(std::move(space)) {
        for (std::size_t i = 0; i < space_.size(); ++i) parts_.push_back({space_[i].box(i), {}, 1e9});
        history_.push_back({0, unions()});
    }

    double bits() const override {
        double sum = 0;
        for (const Part& part : parts_) sum += std::exp2(part.box.bits());
        return std::log2(sum);
    }

    std::vector<Sample> draw(std::size_t n, std::optional<std::size_t> focus, Random& random) const override {
        std::vector<std::size_t> alive;
        for (const auto& [structure, sets] : unions()) alive.push_back(structure);
        std::vector<std::size_t> structures = alive;
        if (focus) structures.assign(1, *focus);
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
                if (focus && i % 4 == 2) structure = alive[i / 4 % alive.size()];
                part = any_agreeing(structure, member, random);
            }
            if (part == nullptr) continue;
            samples.push_back({space_[part->box.structure].member(member), part->box.structure});
        }
        return samples;
    }

    std::vector<std::size_t> alive() const override {
        std::vector<std::size_t> result;
        for (const auto& [structure, sets] : unions()) result.push_back(structure);
        return result;
    }

    bool can_observe(const Inputs& inputs, std::optional<std::size_t> focus, std::size_t paths) const override {
        // The part that said no last is likely to say so again.
        const auto says_yes = [&](const Part& part) {
            return (focus && part.box.structure != *focus) ||
                   evaluate(space_[part.box.structure], part.box, inputs, paths).has_value();
        };
        if (said_no_ < parts_.size() && !says_yes(parts_[said_no_])) return false;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (i != said_no_ && !says_yes(parts_[i])) {
                said_no_ = i;
                return false;
            }
        return true;
    }

    Taken observe(const Inputs& inputs, std::uint64_t d, const Limit& limit) override {
        observations_.push_back({{inputs.a.begin(), inputs.a.end()},
                                 {inputs.b.begin(), inputs.b.end()},
                                 {inputs.sa.begin(), inputs.sa.end()},
                                 {inputs.sb.begin(), inputs.sb.end()},
                                 inputs.c});
        answers_.push_back(without_nan_bits(space_.front().frame.d, d));
        std::vector<Part> remaining;
        const Effort effort{most_paths, most_pieces, limit};
        for (const Part& part : parts_) filter(part, {answers_.size() - 1}, part.put_off, effort, remaining);
        return keep(std::move(remaining));
    }

    Taken use_all(const Limit& limit) override {
        std::vector<Part> parts = parts_;
        for (const auto& [paths, pieces] : at_last) {
            if (used_by_all(parts)) break;
            std::vector<Part> remaining;
            for (const Part& part : parts) filter(part, part.put_off, {}, {paths, pieces, limit}, remaining);
            parts = std::move(remaining);
        }
        return keep(std::move(parts));
    }
    bool all_used() const override { return used_by_all(parts_); }

    std::optional<Unit> preferred() const override {
        if (!named().agrees) return std::nullopt;
        return space_[named().part->box.structure].member(named().member);
    }
    std::string structure_name() const override { return space_[named().part->box.structure].name; }

    std::vector<Remaining> remaining() const override {
        std::map<std::size_t, std::vector<const Part*>> by_structure;
        for (const Part& part : parts_) by_structure[part.box.structure].push_back(&part);
        std::vector<Remaining> result;
        for (const auto& [structure, parts] : by_structure) {
            Remaining one{{space_[structure], {}}, {}, ""};
            std::set<std::size_t> put_off;
            for (const Part* part : parts) {
                one.space.boxes.push_back(part->box);
                put_off.insert(part->put_off.begin(), part->put_off.end());
            }
            for (const std::size_t n : put_off) {
                one.put_off.push_back(vector_of(shape_of(space_[structure].frame), observations_[n].inputs()));
                one.put_off.back().d = {answers_[n]};
            }
            one.what = description(structure, parts);
            const bool is_named = structure == named().part->box.structure;
            result.insert(is_named ? result.begin() : result.end(), std::move(one));
        }
        return result;
    }

    std::vector<Feature> features() const override {
        const Box& best = named().part->box;
        const Structure& s = space_[best.structure];
        std::vector<Feature> result;
        const auto of_structure = [&](std::size_t at) -> const std::vector<ValueSet>& {
            return history_[at].sets.at(best.structure);
        };
        for (Slot v = 0; v < s.variables.size(); ++v) {
            const Variable& variable = s.variables[v];
            if (variable.values.size() < 2) continue;
            Feature feature;
            feature.name = variable.name;
            feature.value = variable.text(named().member[v]);
            ValueSet all = best.sets[v];
            for (const Part& part : parts_)
                if (part.box.structure == best.structure) all = all | part.box.sets[v];
            all.for_each([&](std::size_t i) {
                if (i != named().member[v]) feature.also.push_back(variable.text(i));
            });
            for (std::size_t at = 1; at < history_.size(); ++at)
                if (of_structure(at)[v] != of_structure(at - 1)[v])
                    feature.observations.push_back(history_[at].observation);
            result.push_back(std::move(feature));
        }
        return result;
    }

    std::vector<Unit> nearest(std::size_t n) const override {
        std::vector<Unit> units;
        for (const Part& part : parts_) {
            if (units.size() == n) break;
            units.push_back(space_[part.box.structure].member(Structure::first_of(part.box)));
        }
        return units;
    }

  private:
    using Unions = std::map<std::size_t, std::vector<ValueSet>>; ///< by structure
    struct Step {
        std::size_t observation;
        Unions sets;
    };

    static bool used_by_all(const std::vector<Part>& parts) {
        return std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.put_off.empty(); });
    }

    Taken keep(std::vector<Part> remaining) {
        if (remaining.empty()) return Taken::contradicts;
        join(remaining);
        parts_ = std::move(remaining);
        named_.reset();
        history_.push_back({answers_.size() - 1, unions()});
        return Taken::used;
    }

    struct Effort {
        std::size_t paths, pieces;
        const Limit& limit; ///< nothing is tried after it
    };
    static constexpr std::size_t most_paths = 4000, most_pieces = 48;
    static constexpr std::array<std::pair<std::size_t, std::size_t>, 3> at_last = {
        {{30'000, 300}, {100'000, 600}, {400'000, 2000}}};

    /// What is left of the box after an observation; nothing if that is too much effort.
    std::optional<std::vector<Box>> filtered(const Box& box, std::size_t number, const Effort& effort) const {
        const auto leaves = evaluate(space_[box.structure], box, observations_[number].inputs(), effort.paths);
        if (!leaves) return std::nullopt;
        std::vector<Box> boxes;
        for (const Leaf& leaf : *leaves)
            if (leaf.d == answers_[number]) boxes.push_back(leaf.box);
        merge(boxes);
        return boxes.size() > effort.pieces ? std::nullopt : std::optional(std::move(boxes));
    }

    /// Adds what is left of the part after the first observations of `now` that are not too much effort, and of `later`
    /// if the box became smaller.
    void filter(const Part& part, const std::vector<std::size_t>& now, const std::vector<std::size_t>& later,
                const Effort& effort, std::vector<Part>& remaining) const {
        for (std::size_t i = 0; i < now.size() && !effort.limit.reached(); ++i) {
            const auto boxes = filtered(part.box, now[i], effort);
            if (!boxes) continue;
            std::vector<std::size_t> rest = now;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            for (const Box& box : *boxes) {
                Part piece{box, {}, part.tried_at};
                const double bits = box.bits();
                if (bits > part.tried_at - 1) {
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

    /// Joins boxes of the same structure that wait for the same observations.
    static void join(std::vector<Part>& parts) {
        std::map<std::vector<std::size_t>, std::vector<Box>> by_waiting;
        for (Part& part : parts) {
            std::sort(part.put_off.begin(), part.put_off.end());
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

    /// Whether the member gives what was observed where the part was not filtered by it.
    bool agrees(const Part& part, const Assignment& member) const {
        if (part.put_off.empty()) return true;
        const Unit unit = space_[part.box.structure].member(member);
        const Evaluator evaluator(unit);
        return std::all_of(part.put_off.begin(), part.put_off.end(), [&](std::size_t n) {
            return without_nan_bits(unit.d, evaluator(observations_[n].inputs())) == answers_[n];
        });
    }

    /// For each structure that remains, the values that its boxes still have.
    Unions unions() const {
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
    const Part* any_agreeing(std::size_t structure, Assignment& member, Random& random) const {
        std::vector<const Part*> of_structure;
        for (const Part& part : parts_)
            if (part.box.structure == structure) of_structure.push_back(&part);
        for (int tries = 0; tries < draws; ++tries) {
            const Part* part =
                of_structure[static_cast<std::size_t>(random.below(static_cast<int>(of_structure.size())))];
            member = any_member(part->box, random);
            if (agrees(*part, member)) return part;
        }
        return nullptr;
    }
    static std::size_t any_of(const ValueSet& set, Random& random) {
        return set.nth(static_cast<std::size_t>(random.below(static_cast<int>(set.count()))));
    }
    static Assignment any_member(const Box& box, Random& random) {
        Assignment member;
        for (const ValueSet& set : box.sets) member.push_back(any_of(set, random));
        return member;
    }
    /// Differs in one variable, if the box has any with several values.
    static Assignment neighbour(const Box& box, Assignment member, Random& random) {
        std::vector<Slot> open;
        for (Slot v = 0; v < box.sets.size(); ++v)
            if (!box.sets[v].is_single()) open.push_back(v);
        if (open.empty()) return member;
        const Slot v = open[static_cast<std::size_t>(random.below(static_cast<int>(open.size())))];
        for (const std::size_t before = member[v]; member[v] == before;) member[v] = any_of(box.sets[v], random);
        return member;
    }

    /// The structure with the values that its boxes leave, where these are several.
    std::string description(std::size_t structure, const std::vector<const Part*>& parts) const {
        const Structure& s = space_[structure];
        std::string text;
        for (Slot v = 0; v < s.variables.size(); ++v) {
            ValueSet all;
            for (const Part* part : parts) all = all | part->box.sets[v];
            if (all.is_single()) continue;
            std::string values;
            std::size_t told = 0;
            all.for_each([&](std::size_t i) {
                if (++told <= most_told) values += (values.empty() ? "" : "|") + s.variables[v].text(i);
            });
            if (told > most_told) values += "|…";
            text += (text.empty() ? "" : ", ") + s.variables[v].name + "=" + values;
        }
        return s.name + (text.empty() ? "" : " {" + text + "}");
    }

    /// A member, and the part that it is of.
    struct Named {
        const Part* part;
        Assignment member;
        bool agrees; ///< with all observations
    };
    const Named& named() const {
        if (!named_) named_ = find_named();
        return *named_;
    }

    /// The first member of the first structure with the most preferred values; of those that agree with what was put
    /// off, as far as some are found soon.
    Named find_named() const {
        const auto rank = [](const Part& part) {
            std::size_t others = 0;
            for (const ValueSet& set : part.box.sets) others += set.first() == 0 ? 0 : 1;
            return std::pair(part.box.structure, others);
        };
        std::vector<const Part*> order;
        for (const Part& part : parts_) order.push_back(&part);
        std::stable_sort(order.begin(), order.end(), [&](const Part* x, const Part* y) { return rank(*x) < rank(*y); });
        for (const Part* part : order)
            if (const Assignment first = Structure::first_of(part->box); agrees(*part, first))
                return {part, first, true};
        Random random(1);
        for (const Part* part : order)
            for (int i = 0; i < draws; ++i)
                if (const Assignment any = any_member(part->box, random); agrees(*part, any)) return {part, any, true};
        return {order.front(), Structure::first_of(order.front()->box), false};
    }

    std::vector<Structure> space_;
    std::vector<Part> parts_;
    mutable std::size_t said_no_ = 0;    ///< only saves time
    mutable std::optional<Named> named_; ///< of parts_, where it was asked for
    std::vector<InputBuffer> observations_;
    std::vector<std::uint64_t> answers_;
    std::vector<Step> history_;
};

} // namespace

std::unique_ptr<Candidates> box_candidates(std::vector<Structure> space) {
    return std::make_unique<BoxCandidates>(std::move(space));
}

} // namespace discern::identify
