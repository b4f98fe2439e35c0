// Members of spaces are kept as the numbers of their combinations. See models/members.hpp.
#include "models/members.hpp"

#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/runs.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace discern {

namespace {

constexpr std::uint64_t most_members = 10'000'000;
// Combinations whose units are in memory together, and those that one thread makes at a time.
constexpr std::uint64_t made_together = 4096;
constexpr std::size_t one_after_the_other = 64;

} // namespace

UnitList listed(std::span<const Unit> units) {
    return {units.size(), [units](std::size_t i) { return units[i]; }};
}

std::vector<const Unit*> each_of(std::span<const Unit> units) {
    std::vector<const Unit*> pointers;
    for (const Unit& unit : units) pointers.push_back(&unit);
    return pointers;
}

Members::Members(std::vector<Member> listed) : listed_(std::move(listed)) {
    for (std::size_t i = 0; i < listed_.size(); ++i) places_.push_back({0, static_cast<std::uint32_t>(i)});
}

void Members::add(Member member) {
    places_.push_back({0, static_cast<std::uint32_t>(listed_.size())});
    listed_.push_back(std::move(member));
}

std::uint32_t Members::place_of(const std::shared_ptr<const Space>& space) {
    // Members of one space follow one another.
    const auto found = std::find(spaces_.rbegin(), spaces_.rend(), space);
    if (found != spaces_.rend()) return static_cast<std::uint32_t>(spaces_.rend() - found);
    spaces_.push_back(space);
    return static_cast<std::uint32_t>(spaces_.size());
}

void Members::add(const Space& space, const std::function<void(const Member&)>& look, unsigned threads) {
    if (space.size() > most_members || size() > most_members - space.size())
        throw Error(sentence("the space has ", space.size(), " combinations; at most ", most_members, " are possible"));
    const std::uint32_t number = place_of(std::make_shared<const Space>(space));
    struct Made {
        std::optional<Unit> unit;
        std::string text; ///< for who looks
        std::exception_ptr failure;
    };
    for (std::uint64_t begin = 0; begin < space.size(); begin += made_together) {
        std::vector<Made> made(std::min(made_together, space.size() - begin));
        for_each_index(threads, (made.size() + one_after_the_other - 1) / one_after_the_other, [&](std::size_t part) {
            const std::size_t first = part * one_after_the_other;
            for (std::size_t i = first; i < std::min(first + one_after_the_other, made.size()); ++i) {
                try {
                    const std::vector<std::size_t> picks = space.picks(begin + i);
                    made[i].unit = space.member(picks);
                    if (look && made[i].unit) made[i].text = space.member_text(picks);
                } catch (...) { // said is the first one
                    made[i].failure = std::current_exception();
                }
            }
        });
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (made[i].failure) std::rethrow_exception(made[i].failure);
            if (!made[i].unit) continue;
            places_.push_back({number, static_cast<std::uint32_t>(begin + i)});
            if (look) look({std::move(made[i].text), std::move(*made[i].unit)});
        }
    }
}

void Members::add(std::span<const Space> spaces, const std::string& combinations) {
    const auto each = runs_from(combinations, most_members);
    if (each.size() != spaces.size()) throw Error("it is of other spaces");
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        if (!each[i].empty() && *std::ranges::max_element(each[i]) >= spaces[i].size())
            throw Error("a space has no such combination");
        const std::uint32_t number = place_of(std::make_shared<const Space>(spaces[i]));
        for (const std::size_t n : each[i]) places_.push_back({number, static_cast<std::uint32_t>(n)});
    }
}

std::string Members::combinations() const {
    std::vector<std::vector<std::size_t>> of_space(spaces_.size());
    for (const Place& place : places_)
        if (place.space != 0) of_space[place.space - 1].push_back(place.n);
    return runs_text(of_space);
}

void Members::add(const Members& others, std::size_t i) {
    const Place place = others.places_.at(i);
    if (place.space == 0)
        add(others.listed_[place.n]);
    else
        places_.push_back({place_of(others.spaces_[place.space - 1]), place.n});
}

Unit Members::unit(std::size_t i) const {
    const Place place = places_.at(i);
    if (place.space == 0) return listed_[place.n].unit;
    const Space& space = *spaces_[place.space - 1];
    std::optional<Unit> unit = space.member(space.picks(place.n));
    if (!unit) throw std::logic_error("a combination of a space is no unit any more");
    return std::move(*unit);
}

std::string Members::text(std::size_t i) const {
    const Place place = places_.at(i);
    if (place.space == 0) return listed_[place.n].text;
    const Space& space = *spaces_[place.space - 1];
    return space.member_text(space.picks(place.n));
}

} // namespace discern
